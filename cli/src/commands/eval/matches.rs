//! `kirin eval match`: a match between two players.

use super::options::Options;
use super::players::{self, Context, Engines};
use crate::console::Console;
use crate::out;
use crate::signals;
use clap::Args;
use eval::matches::LogFolder;
use eval::{Match, MatchConfig, PlayerConfig, PlayerSpec};
use lab::EvaluatedBefore;
use rules::VariantId;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// Play a match of paired games between two players.
///
/// A player is one of:
///   random, greedy, or mcts:PLAYOUTS
///   builtin, the network of the variant that comes with Kirin
///   level:3, a level of that network, from 1, the weakest
///   the path of a network file, or of a run folder for its newest network;
///     with @VISITS behind it, the network has its own number of visits
///   engine:PROGRAM?SETTINGS, an outside engine, for example
///     engine:fairy-stockfish?nodes=1000&option.Hash=64
///
/// Settings of an engine are nodes, depth or time (its limit), protocol (uci, usi
/// or ucci; found out if not given), variant (its own name for the variant),
/// name, arg, and option.NAME. An engine must play by the same rules: its legal
/// moves are compared with ours before the first game.
///
/// Every pair is one opening, played twice with sides exchanged. The log holds
/// the whole match: run the same command again to resume. With --sprt a
/// sequential test ends the match. It looks at the pairs in the order of their
/// numbers, so its decision is a function of seed and settings; games of later
/// pairs do not count.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// The first player. Results are from its point of view.
    #[arg(value_parser = players::parser())]
    player: PlayerSpec,
    /// Its opponent.
    #[arg(value_parser = players::parser())]
    opponent: PlayerSpec,
    /// The variant. Without it, that of the first network among the players.
    #[arg(long, value_parser = crate::commands::variants())]
    variant: Option<VariantId>,
    #[command(flatten)]
    options: Options,
    /// The log of the match. Without it, a file in the folder `matches` here that is named after variant and players; a
    /// log of this match in this folder, where earlier versions put it, is continued.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// The default folder of logs.
const LOGS: &str = "matches";

/// The log of a match, if none is named: the one that is there, however the players were named when it was begun.
fn default_log(variant: VariantId, players: &[PlayerConfig], config: &MatchConfig) -> PathBuf {
    let in_folder = |folder: &str| LogFolder::read(Path::new(folder), &format!("{variant}-"), variant);
    let [a, b] = [&players[0], &players[1]];
    in_folder("").there(a, b, config.limit).unwrap_or_else(|| in_folder(LOGS).log_of(a, b, config.limit))
}

/// Runs the command.
///
/// # Errors
/// A player or an option is wrong, the match fails, a signal asked to stop, or every game ended with an error of a
/// player.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let specs = [&arguments.player, &arguments.opponent];
    let engines = Engines::read(arguments.options.thinking.engines.as_deref())?;
    engines.require_distinct_names(&specs)?;
    let variant = players::variant(arguments.variant, &specs)?;
    let config = arguments.options.config(variant)?;
    let stop = signals::stop_flag()?;
    let named = arguments.log.as_deref().map(|log| out::file("--log", log)).transpose()?;
    let context = Context { variant, config: &config, engines: &engines, stop: &stop };
    let log = OnceCell::new();
    let players = context.players(&specs, |players| {
        let log = log.get_or_init(|| named.clone().unwrap_or_else(|| default_log(variant, players, &config)));
        EvaluatedBefore::of_logs([log.as_path()])
    })?;
    let log = log.into_inner().unwrap_or_default();
    if arguments.log.is_none() && log.starts_with(LOGS) {
        super::make_folder(Path::new(LOGS))?;
    }
    let progress = Console::new(arguments.json);
    let meter = progress.stage("match", 2 * u64::from(config.pairs));
    let report =
        Match { variant, config: &config, players: [&players[0], &players[1]], log: &log }.play(&stop, |now| {
            now.notes.iter().for_each(|note| progress.warn(note));
            meter.update(now.games, || now.to_string());
        })?;
    drop(meter);
    if arguments.json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        println!("{}\n  log      {}", crate::terminal::folded(&report.to_string(), 11), log.display());
    }
    super::conclude(report.missing_games, report.every_game_failed())
}
