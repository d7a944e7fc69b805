//! `kirin engine`: the search as an engine for GUIs and match runners. The server is `engine::server`; this file gives it
//! networks.

use super::network::is_none;
use crate::failure::input;
use anyhow::Context;
use clap::Args;
use engine::server::{EngineLevel, LoadedEvaluator, Replies, Server, Settings, read_lines};
use eval::benchmark::{Level, ReferenceLadder};
use rules::VariantId;
use search::UniformEvaluator;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Run as an engine for a GUI or match runner, over UCI, USI or UCCI.
///
/// The first word that the GUI sends (`uci`, `usi` or `ucci`) selects the protocol. In a GUI, enter the command
/// `kirin engine --net FILE`. If the GUI wants a program without arguments, put that line into a script. Each option
/// below can also be set through the protocol; the network is the option EvalFile.
///
/// Without --net the network is the one that comes with Kirin. With --net none the search only knows the rules: it finds
/// forced wins and little else. Without --variant the engine plays the network's variant, or else the one that the protocol
/// is made for.
///
/// --level, and the options Level and UCI_Elo, make the network that comes with Kirin weaker, in steps of about 150 Elo. Its
/// visits then do not depend on the time, and the engine shows one line.
///
/// Time: with T left on the clock, M moves to go (30 if not stated), increment I and byoyomi B, a move takes
/// min(T/M + 3/4 I + B, T + B) minus MoveOverhead.
///
/// Scores: centipawns are 400 log10((1+q)/(1-q)), where q is the expected result from -1 to 1.
#[derive(Args)]
pub struct Arguments {
    /// A network file, or a run folder for its newest network; `none` for a search without one [default: the network
    /// that comes with Kirin].
    #[arg(long)]
    net: Option<PathBuf>,
    /// The variant. UCI_Variant changes it.
    #[arg(long, value_parser = super::variants())]
    variant: Option<VariantId>,
    /// The rule-set preset. It decides about repetition, declarations and other ends of a game.
    #[arg(long)]
    ruleset: Option<String>,
    /// Visits per move if `go` sets no limit.
    #[arg(long, default_value_t = 800, value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    visits_default: u32,
    /// The level to play at, from 1, the weakest, with the network that comes with Kirin [default: full strength].
    #[arg(long, conflicts_with_all = ["net", "visits_default"], value_parser = clap::value_parser!(u32).range(1..))]
    level: Option<u32>,
    /// Seed of the moves that a level draws [default: another one each time].
    #[arg(long)]
    seed: Option<u64>,
    /// Positions in one network call; 0 means 1, and 16 where libtorch evaluates the network. More keep a GPU busier, but a
    /// call is never cut short.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=4096))]
    batch: u32,
    /// Most memory of the search tree, in megabytes.
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    memory: u32,
    /// Time of each move that may be lost between engine and GUI, in milliseconds.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    move_overhead: u64,
}

impl Arguments {
    fn settings(&self) -> anyhow::Result<Settings> {
        Ok(Settings {
            variant: self.variant,
            ruleset: self.ruleset.clone(),
            network: self.net.as_deref().map(file_or_none).transpose()?,
            visits: self.visits_default,
            batch: self.batch,
            memory: self.memory,
            level: self.level.unwrap_or(0),
            seed: self.seed.unwrap_or_else(super::fresh_seed),
            overhead: Duration::from_millis(self.move_overhead),
            ..Settings::default()
        })
    }
}

/// Runs the command.
///
/// # Errors
/// A setting is wrong, the network that was named cannot be used, the system refuses a thread, or the answers cannot be
/// written.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let settings = arguments.settings()?;
    check(&settings)?;
    let (lines, input) = mpsc::channel();
    thread::Builder::new()
        .name("input".to_owned())
        .spawn(move || read_lines(io::stdin().lock(), &lines))
        .context("cannot start the thread that reads the GUI's lines; raise the limit of processes (ulimit -u)")?;
    let load = |settings: &Settings, default_variant| Ok(load(settings, default_variant)?);
    Server::new(settings, Box::new(load), Replies::new(io::stdout()))?.run(&input)?;
    Ok(())
}

/// Refuses wrong arguments before the session begins. Options that are set later are answered with a message.
fn check(settings: &Settings) -> anyhow::Result<()> {
    let variant = match &settings.network {
        Some(path) if !is_none(path) => Some(super::network::read(path, settings.variant)?.1),
        _ => settings.variant,
    };
    if let (Some(variant), true) = (variant, settings.level > 0) {
        ReferenceLadder::level(variant, settings.level).map_err(|error| input(error.to_string()))?;
    }
    if let (Some(variant), Some(name)) = (variant, &settings.ruleset) {
        rules::dispatch!(variant, V => rules::Rules::<V>::named(name).map(|_| ()))?;
    }
    Ok(())
}

/// The file of a network; `none` stays as it is.
fn file_or_none(path: &Path) -> anyhow::Result<PathBuf> {
    if is_none(path) { Ok(path.to_owned()) } else { super::network::file(path) }
}

fn without_network(settings: &Settings, default_variant: VariantId) -> LoadedEvaluator {
    let evaluator = Box::new(UniformEvaluator::new(settings.batch.max(1) as usize));
    LoadedEvaluator {
        variant: settings.variant.unwrap_or(default_variant),
        evaluator,
        network: None,
        levels: Vec::new(),
    }
}

fn load(settings: &Settings, default_variant: VariantId) -> anyhow::Result<LoadedEvaluator> {
    let variant = settings.variant.unwrap_or(default_variant);
    let named = settings.network.as_deref();
    let found = match named.filter(|path| !is_none(path)) {
        Some(path) => Some(super::network::read(path, settings.variant)?),
        None if named.is_some() => None,
        None => train::builtin(variant)?.map(|network| (network, variant)),
    };
    let Some((network, variant)) = found else { return Ok(without_network(settings, default_variant)) };
    let evaluator = Box::new(super::network::evaluator(&network, settings.batch)?);
    let origin = if named.is_none() { ", which comes with Kirin" } else { "" };
    let name = format!("network {} of generation {}{origin}", network.id(), network.generation());
    let levels = if named.is_none() { levels(variant)? } else { Vec::new() };
    Ok(LoadedEvaluator { variant, evaluator, network: Some(name), levels })
}

/// The levels of the network that comes with Kirin, as the protocols have them.
fn levels(variant: VariantId) -> anyhow::Result<Vec<EngineLevel>> {
    let level = |level: &Level| EngineLevel { elo: level.elo.value.max(0.0).round() as u32, search: level.search() };
    Ok(ReferenceLadder::levels_of(variant)?.iter().map(level).collect())
}
