//! `kirin eval`: matches between any two players, rating tables, and the calculator behind them.

mod players;

use crate::failure::{Failure, input};
use crate::run::progress::Progress;
use crate::signals;
use anyhow::Context as _;
use clap::{Args, Subcommand};
use eval::ratings::{Model, Sample, Sprt};
use eval::{Limit, Match, MatchConfig, PlayerSpec};
use players::{Context, Engines};
use rules::VariantId;
use std::path::{Path, PathBuf};

/// Matches, ratings, and statistics of results.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Match(MatchArguments),
    Table(TableArguments),
    Stats(StatsArguments),
    Pgn(PgnArguments),
}

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
struct MatchArguments {
    /// The first player; results are told from its side.
    player: PlayerSpec,
    /// Its opponent.
    opponent: PlayerSpec,
    /// The variant.
    #[arg(long, value_parser = super::variant)]
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

/// Print the ratings of all players in the match logs of a run (or of any folder of logs).
#[derive(Args)]
struct TableArguments {
    /// A run folder, or a folder with match logs.
    folder: PathBuf,
    /// The player whose rating is 0.
    #[arg(long)]
    anchor: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Elo, error bars, likelihood of superiority and a sequential test (SPRT) of counted results.
#[derive(Args)]
struct StatsArguments {
    /// Pairs of games by score: LL,LD,WLDD,WD,WW, or six counts LL,LD,WL,DD,WD,WW.
    #[arg(long, value_name = "COUNTS", required_unless_present = "wdl", conflicts_with = "wdl")]
    penta: Option<String>,
    /// Games won, drawn, lost: W,D,L.
    #[arg(long, value_name = "W,D,L")]
    wdl: Option<String>,
    /// Model of the test.
    #[arg(long, default_value = "normalized", value_parser = ["logistic", "normalized"])]
    model: String,
    /// Elo difference under H0.
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    elo0: f64,
    /// Elo difference under H1.
    #[arg(long, default_value_t = 5.0, allow_negative_numbers = true)]
    elo1: f64,
    /// Greatest probability of accepting H1 although H0 is true.
    #[arg(long, default_value_t = 0.05)]
    alpha: f64,
    /// Greatest probability of accepting H0 although H1 is true.
    #[arg(long, default_value_t = 0.05)]
    beta: f64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Print the games of a match log as PGN.
#[derive(Args)]
struct PgnArguments {
    /// The log.
    log: PathBuf,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::Match(arguments) => play(arguments),
        Command::Table(arguments) => ratings(arguments),
        Command::Stats(arguments) => stats(arguments),
        Command::Pgn(arguments) => pgn(&arguments.log),
    }
}

fn play(arguments: &MatchArguments) -> anyhow::Result<()> {
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
    if !complaints.is_empty() {
        return Err(input(complaints.join("\n")));
    }
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

fn ratings(arguments: &TableArguments) -> anyhow::Result<()> {
    let logs = arguments.folder.join("matches");
    let folder = if logs.is_dir() { &logs } else { &arguments.folder };
    let ladder = eval::ladder(folder, arguments.anchor.as_deref())?;
    if arguments.json {
        println!("{}", serde_json::to_string(&ladder)?);
        return Ok(());
    }
    println!("{ladder}");
    Ok(())
}

fn stats(arguments: &StatsArguments) -> anyhow::Result<()> {
    let sample = match (&arguments.penta, &arguments.wdl) {
        (Some(counts), _) => {
            Sample::Pairs(counts.parse().map_err(|error| input(format!("--penta {counts}: {error}")))?)
        }
        (None, counts) => {
            let counts = counts.as_deref().unwrap_or_default();
            Sample::Games(counts.parse().map_err(|error| input(format!("--wdl {counts}: {error}")))?)
        }
    };
    let model = if arguments.model == "logistic" { Model::Logistic } else { Model::Normalized };
    let test = Sprt { model, elo0: arguments.elo0, elo1: arguments.elo1, alpha: arguments.alpha, beta: arguments.beta };
    let mut complaints = Vec::new();
    test.complaints("sprt", &mut complaints);
    if !complaints.is_empty() {
        return Err(input(complaints.join("\n")));
    }
    let stats = eval::stats::stats(sample, &test);
    if arguments.json {
        println!("{}", serde_json::to_string(&stats)?);
        return Ok(());
    }
    let known = |value: Option<f64>| value.map_or_else(|| "n/a".to_owned(), |value| format!("{value:.2}"));
    println!("Elo    {} ± {}", known(stats.elo), known(stats.elo_error));
    println!("nElo   {} ± {}", known(stats.nelo), known(stats.nelo_error));
    println!("LOS    {} %", known(stats.los.map(|los| 100.0 * los)));
    println!("draws  {} %", known(stats.draw_ratio.map(|ratio| 100.0 * ratio)));
    let [low, high] = stats.llr_bounds;
    println!("LLR    {} ({low:.2} to {high:.2}): {:?}", known(stats.llr), stats.decision);
    Ok(())
}

fn pgn(log: &Path) -> anyhow::Result<()> {
    let recorded = eval::log::read(log)?;
    let header = recorded.header.with_context(|| input(format!("{} holds no match", log.display())))?;
    print!("{}", eval::pgn::export(&header, &recorded.games));
    Ok(())
}
