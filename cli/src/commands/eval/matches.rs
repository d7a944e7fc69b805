//! `kirin eval match`: two players against each other.

use super::options::Options;
use super::players::{Context, Engines};
use crate::failure::{Failure, input};
use crate::run::progress::Progress;
use crate::signals;
use clap::Args;
use eval::{Match, PlayerSpec};
use rules::VariantId;
use std::path::PathBuf;

/// Play a match of paired games between two players.
///
/// A player is the path of a network file (`@VISITS` behind it for a search of its own size), `random`, `greedy`,
/// `mcts:PLAYOUTS`, or an outside engine, `engine:PROGRAM?SETTINGS`, as
/// `engine:/usr/games/fairy-stockfish?nodes=1000&option.Hash=64`. Its settings are nodes, depth or time, protocol (uci,
/// usi, ucci; otherwise found out), variant (its own name for it), name, arg, and option.NAME. An engine must play by
/// the same rules: its moves are compared with ours before the first game.
///
/// Every pair is one opening played twice with sides exchanged. The log is the match: run the same command again
/// to go on. With --sprt a sequential test ends it: it looks at the pairs in the order of their numbers, so that its
/// decision is a function of seed and settings, and games of later pairs do not count.
#[derive(Args)]
pub struct Arguments {
    /// The first player; results are told from its side.
    player: PlayerSpec,
    /// Its opponent.
    opponent: PlayerSpec,
    /// The variant.
    #[arg(long, value_parser = crate::commands::variant)]
    variant: VariantId,
    #[command(flatten)]
    options: Options,
    /// The log of the match.
    #[arg(long, default_value = "match.jsonl")]
    log: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let config = arguments.options.config(arguments.variant)?;
    let stop = signals::stop_flag()?;
    let engines = Engines::read(arguments.options.engines.as_deref())?;
    let context = Context { variant: arguments.variant, config: &config, engines: &engines, stop: &stop };
    let players = [context.contender(&arguments.player)?, context.contender(&arguments.opponent)?];
    if players[0].name == players[1].name {
        return Err(input(format!("both players are called {}; a match needs two", players[0].name)));
    }
    let progress = Progress::new(arguments.json);
    let meter = progress.stage("match", 2 * u64::from(config.pairs));
    let report =
        Match { variant: arguments.variant, config: &config, players: [&players[0], &players[1]], log: &arguments.log }
            .play(&stop, |now| {
                now.notes.iter().for_each(|note| eprintln!("warning: {note}"));
                meter.update(now.games, || now.to_string());
            })?;
    drop(meter);
    if arguments.json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        println!("{report}");
    }
    if report.missing_games > 0 {
        let text = format!("stopped with {} games to play; the same command goes on", report.missing_games);
        return Err(Failure::Drained(text).into());
    }
    Ok(())
}
