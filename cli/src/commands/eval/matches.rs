//! `kirin eval match`: two players against each other.

use super::players::{Context, Engines};
use crate::failure::{Failure, input, sound};
use crate::run::progress::Progress;
use crate::signals;
use clap::Args;
use eval::{Limit, Match, MatchConfig, PlayerSpec};
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
/// Every pair is one random opening played twice with sides exchanged. The log is the match: run the same command again
/// to go on.
#[derive(Args)]
pub struct Arguments {
    /// The first player; results are told from its side.
    player: PlayerSpec,
    /// Its opponent.
    opponent: PlayerSpec,
    /// The variant.
    #[arg(long, value_parser = crate::commands::variant)]
    variant: VariantId,
    /// Pairs of games.
    #[arg(long, default_value_t = 50)]
    pairs: u32,
    /// Simulations a move of networks.
    #[arg(long, default_value_t = 64)]
    visits: u32,
    /// How long players think who have no limit of their own: nodes:N, depth:N, time:100ms, clock:60s+600ms or
    /// byoyomi:60s+10s. With one of time each thread plays one game at a time.
    #[arg(long, default_value = "own")]
    limit: Limit,
    /// What is forgiven for each move beyond a limit of time, milliseconds.
    #[arg(long, default_value_t = 100)]
    margin_ms: u32,
    /// A TOML file of engines, each an `[[engine]]` table with name, command, args, protocol, variant, options and limit;
    /// `engine:NAME` then means one of them.
    #[arg(long, value_name = "FILE")]
    engines: Option<PathBuf>,
    /// Games that each thread plays at once; 0: as many as fill the networks' batches. Every game with an engine has a
    /// process of its own.
    #[arg(long, default_value_t = 0)]
    concurrency: u32,
    /// Random plies at the start of each opening.
    #[arg(long, default_value_t = 6)]
    opening_plies: u32,
    /// Limit of plies; 0: that of the rule set.
    #[arg(long, default_value_t = 0)]
    max_plies: u32,
    /// The rule-set preset; the variant's default if not given.
    #[arg(long, default_value = "")]
    ruleset: String,
    /// Seed of openings and of players who play by chance.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads; 0: one for each core.
    #[arg(long, default_value_t = 0)]
    threads: u32,
    /// The log of the match.
    #[arg(long, default_value = "match.jsonl")]
    log: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let config = MatchConfig {
        pairs: arguments.pairs,
        visits: arguments.visits,
        limit: arguments.limit,
        margin_ms: arguments.margin_ms,
        concurrency: arguments.concurrency,
        opening_plies: arguments.opening_plies,
        max_plies: arguments.max_plies,
        ruleset: arguments.ruleset.clone(),
        threads: arguments.threads,
        seed: arguments.seed,
    };
    let mut complaints = Vec::new();
    rules::dispatch!(arguments.variant, V => config.complaints_for::<V>("", &mut complaints));
    sound(&complaints)?;
    let stop = signals::stop_flag()?;
    let engines = Engines::read(arguments.engines.as_deref())?;
    let context = Context { variant: arguments.variant, config: &config, engines: &engines, stop: &stop };
    let players = [context.contender(&arguments.player)?, context.contender(&arguments.opponent)?];
    if players[0].name == players[1].name {
        return Err(input(format!("both players are called {}; a match needs two", players[0].name)));
    }
    let progress = Progress::new(arguments.json);
    let meter = progress.stage("match", 2 * u64::from(config.pairs));
    let report =
        Match { variant: arguments.variant, config: &config, players: [&players[0], &players[1]], log: &arguments.log }
            .play(&stop, |progress| meter.update(progress.games, || progress.to_string()))?;
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
