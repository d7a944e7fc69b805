//! `kirin engine`: the search as an engine for GUIs and match runners. The server is `eval::server`; this file gives it
//! networks.

use clap::Args;
use eval::server::{LoadedEvaluator, Replies, Server, Settings, read_lines};
use rules::VariantId;
use selfplay::UniformEvaluator;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use train::{EvaluatorConfig, TorchEvaluator, Workload};

/// Run as an engine for a GUI or a match runner, over UCI, USI or UCCI.
///
/// The first word that the GUI sends (`uci`, `usi` or `ucci`) selects the protocol. In a GUI, enter the command
/// `kirin engine --net FILE`. If the GUI wants a program without arguments, put that line into a script. Each option
/// below can also be set through the protocol; the network is the option EvalFile.
///
/// Without --net the search knows the rules but has no opinion about positions: it finds forced wins and little else.
/// Without --variant the engine plays the network's variant, or else the one that the protocol is made for.
///
/// Time: with T left on the clock, M moves to go (30 if not stated), increment I and byoyomi B, a move takes
/// min(T/M + 3/4 I + B, T + B) minus MoveOverhead.
///
/// Scores: centipawns are 400 log10((1+q)/(1-q)), where q is the expected result from -1 to 1.
#[derive(Args)]
pub struct Arguments {
    /// A network file, or a run folder for its newest network.
    #[arg(long)]
    net: Option<PathBuf>,
    /// The variant. UCI_Variant changes it.
    #[arg(long, value_parser = super::variants())]
    variant: Option<VariantId>,
    /// The rule-set preset. It decides about repetition, declarations and other ends of a game.
    #[arg(long)]
    ruleset: Option<String>,
    /// Simulations per move if `go` sets no limit.
    #[arg(long, default_value_t = 800, value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    visits_default: u32,
    /// Positions in one network call. More keep a GPU busier, but a call is never cut short.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=4096))]
    batch: u32,
    /// Most memory of the search tree, in megabytes.
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    memory: u32,
    /// Time of each move that may get lost between engine and GUI, in milliseconds.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    move_overhead: u64,
}

impl Arguments {
    fn settings(&self) -> anyhow::Result<Settings> {
        Ok(Settings {
            variant: self.variant,
            ruleset: self.ruleset.clone(),
            network: self.net.as_deref().map(super::network::file).transpose()?,
            visits: self.visits_default,
            batch: self.batch,
            memory: self.memory,
            overhead: Duration::from_millis(self.move_overhead),
            ..Settings::default()
        })
    }
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let settings = arguments.settings()?;
    check(&settings)?;
    let (lines, input) = mpsc::channel();
    thread::spawn(move || read_lines(io::stdin().lock(), &lines));
    let load = |settings: &Settings, default_variant| Ok(load(settings, default_variant)?);
    Server::new(settings, Box::new(load), Replies::new(io::stdout())).run(&input)?;
    Ok(())
}

/// Refuses wrong arguments before the session begins. Options that are set later are answered with a message.
fn check(settings: &Settings) -> anyhow::Result<()> {
    let variant = match &settings.network {
        Some(path) => Some(super::network::read(path, settings.variant)?.1),
        None => settings.variant,
    };
    if let (Some(variant), Some(name)) = (variant, &settings.ruleset) {
        rules::dispatch!(variant, V => rules::Rules::<V>::named(name).map(|_| ()))?;
    }
    Ok(())
}

fn load(settings: &Settings, default_variant: VariantId) -> anyhow::Result<LoadedEvaluator> {
    let batch = settings.batch as usize;
    let Some(path) = &settings.network else {
        let evaluator = Box::new(UniformEvaluator::new(batch));
        let variant = settings.variant.unwrap_or(default_variant);
        return Ok(LoadedEvaluator { variant, evaluator, network: None });
    };
    let (network, variant) = super::network::read(path, settings.variant)?;
    let config = EvaluatorConfig { batch, ..EvaluatorConfig::default() };
    let evaluator = Box::new(TorchEvaluator::new(&network, &config.resolve(&network, Workload::default())?)?);
    let name = format!("network {} of generation {}", network.id(), network.generation());
    Ok(LoadedEvaluator { variant, evaluator, network: Some(name) })
}
