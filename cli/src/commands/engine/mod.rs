//! `kirin engine`: the search as an engine for GUIs and match runners, in UCI, USI and UCCI.
//!
//! From the outside in: [`wire`] reads and writes lines, [`protocol`] and [`go`] say what a line means, [`session`]
//! obeys, [`seat`] is the board of one variant with a search at it, [`output`] words its reports, [`time`] and [`pace`]
//! keep it in time, [`options`] is what can be set. Only this file knows networks.

mod go;
mod options;
mod output;
mod pace;
mod protocol;
mod seat;
mod session;
#[cfg(test)]
mod tests;
mod time;
mod wire;

use clap::Args;
use options::Settings;
use rules::VariantId;
use selfplay::UniformEvaluator;
use session::{Judge, Session};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;
use train::{EvaluatorConfig, Load, TorchEvaluator};
use wire::Wire;

/// Be an engine for GUIs and match runners: UCI, USI or UCCI, whichever the first word (`uci`, `usi`, `ucci`) asks for.
///
/// Set it up in a GUI as `kirin engine --net FILE`; where the GUI wants a program without arguments, put that line into
/// a script. All that is given here can also be set as an option of the protocol, the network as EvalFile.
///
/// Without --net the search knows the rules and has no opinion about positions: it finds forced wins and little else.
/// Without --variant it plays the network's variant, or else what the protocol is made for.
///
/// Time: with T on the clock, M moves to go (30 if not told), increment I and byoyomi B, a move takes
/// min(T/M + 3/4 I + B, T + B) less MoveOverhead. Scores: centipawns are 400 log10((1+q)/(1-q)) with q the expected
/// result from -1 to 1.
#[derive(Args)]
pub struct Arguments {
    /// The network's file (nets/gen-NNNN.safetensors of a run).
    #[arg(long)]
    net: Option<PathBuf>,
    /// The variant; can be changed by UCI_Variant.
    #[arg(long, value_parser = super::variant)]
    variant: Option<VariantId>,
    /// The rule-set preset, which decides repetition, declarations and other ends.
    #[arg(long)]
    ruleset: Option<String>,
    /// Simulations for a `go` that sets no limit.
    #[arg(long, default_value_t = 800, value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    visits_default: u32,
    /// Leaves in flight: positions in a network call. More keep a GPU busier; a batch is never cut short.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=4096))]
    batch: u32,
    /// Most megabytes of the tree.
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    memory: u32,
    /// Milliseconds of each move that may get lost on the way to the GUI.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    move_overhead: u64,
}

impl Arguments {
    fn settings(&self) -> Settings {
        Settings {
            variant: self.variant,
            ruleset: self.ruleset.clone(),
            net: self.net.clone(),
            visits: self.visits_default,
            lines: 1,
            batch: self.batch,
            memory: self.memory,
            overhead: Duration::from_millis(self.move_overhead),
            wdl: false,
            milliseconds: false,
        }
    }
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let settings = arguments.settings();
    check(&settings)?;
    let (to, heard) = mpsc::channel();
    thread::spawn(move || wire::listen(io::stdin().lock(), &to));
    let appoint = |settings: &Settings, native| appoint(settings, native).map_err(|error| format!("{error:#}"));
    Session::new(settings, Box::new(appoint), Arc::new(Wire::new(io::stdout()))).run(&heard)?;
    Ok(())
}

/// Refuses what was asked for on the command line before the dialogue begins; options that come later are only told.
fn check(settings: &Settings) -> anyhow::Result<()> {
    let variant = match &settings.net {
        Some(path) => Some(super::network(path, settings.variant)?.1),
        None => settings.variant,
    };
    if let (Some(variant), Some(name)) = (variant, &settings.ruleset) {
        rules::dispatch!(variant, V => rules::Rules::<V>::named(name).map(|_| ()))?;
    }
    Ok(())
}

fn appoint(settings: &Settings, native: VariantId) -> anyhow::Result<Judge> {
    let batch = settings.batch as usize;
    let Some(path) = &settings.net else {
        let evaluator = Box::new(UniformEvaluator::new(batch));
        return Ok(Judge { variant: settings.variant.unwrap_or(native), evaluator, name: None });
    };
    let (network, variant) = super::network(path, settings.variant)?;
    let config = EvaluatorConfig { batch, ..EvaluatorConfig::default() };
    let evaluator = Box::new(TorchEvaluator::new(&network, &config.resolve(&network, Load::default())?)?);
    let name = format!("network {} of generation {}", network.id(), network.generation());
    Ok(Judge { variant, evaluator, name: Some(name) })
}
