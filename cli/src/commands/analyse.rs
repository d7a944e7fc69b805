//! `kirin analyse`: the best lines of a position, updated while the search runs, and the review of played games.

mod games;

use crate::failure::input;
use crate::signals;
use crate::terminal::{self, LiveText};
use clap::Args;
use rules::{Game, Move, MoveList, Notation, Position, Side, Variant, VariantId};
use search::analysis::{AnalysisReport, Variation};
use search::{Analysis, AnalysisConfig, AnalysisRequest, Evaluator, Finish, Proof, SearchConfig, UniformEvaluator};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

/// Analyse a position, or review played games move by move.
///
/// It prints the best lines and the chance of each result. For each line, "visits" is the share of the search that went
/// into its first move, and the chances are those of the side to move. On a terminal the lines are updated in place every
/// second; elsewhere they are printed every second and at the end.
///
/// Without --net the network is the one that comes with Kirin. With --net none the search only knows the rules: it finds
/// forced wins and little else. Ctrl-C ends the analysis and prints what is known so far.
///
/// With files of games and --out every position of every game is searched. The score that a player expects (wins and half
/// the draws) before a move less the score expected after it is what the move cost; the search's own move costs nothing. A
/// move that costs 5 % is an inaccuracy, 10 % a mistake, 15 % a blunder. The folder gets `moves.csv` (a row for each move, with
/// the best line), `summary.csv` (by player and phase: plies 1 to 20, to 60, and later), the games with these comments
/// (`games.pgn`, and `games.kif` for Shogi), a page with boards and curves of the value of up to 16 of them (`report.html`),
/// and a data folder `data`, which `kirin openings` and `kirin query` read. After Ctrl-C it has the games that were
/// finished.
#[derive(Args)]
pub struct Arguments {
    /// Files of games to review, in the formats that `kirin data import` reads, or folders of them.
    #[arg(value_name = "FILE", requires = "out", conflicts_with_all = ["fen", "moves", "seconds", "multipv", "memory", "batch"])]
    files: Vec<PathBuf>,
    /// The folder to write the reviewed games into. It must be empty, or not be there yet.
    #[arg(long, value_name = "DIR", requires = "files")]
    out: Option<PathBuf>,
    /// The variant; needed only without a network of your own, since a network knows its variant.
    #[arg(long, value_parser = super::variants())]
    variant: Option<VariantId>,
    /// The position, in FEN or a native format (SFEN) [default: the start of the variant].
    #[arg(long)]
    fen: Option<String>,
    /// The rule set, which decides on repetition and other ends of the game [default: that of the variant].
    #[arg(long)]
    ruleset: Option<String>,
    /// Moves to play first, separated by spaces, in any notation of the variant.
    #[arg(long, default_value = "", hide_default_value = true)]
    moves: String,
    /// The notation of the lines that are printed, and of --moves where several could read them. JSON is always in UCI.
    /// With files it is that of `moves.csv` and `games.pgn`; there moves stay in UCI where PGN cannot have it, as KIF.
    #[arg(long, default_value = "uci")]
    notation: String,
    /// A network file, or a run folder for its newest network; `none` for a search without one [default: the network
    /// that comes with Kirin].
    #[arg(long, value_name = "PATH")]
    net: Option<PathBuf>,
    /// Stop after this many visits. Without --visits and --seconds the analysis runs until Ctrl-C. With files it is the
    /// number for each position, 200 if it is not given.
    #[arg(long, visible_alias = "nodes", value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    visits: Option<u32>,
    /// Stop after this many seconds.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    seconds: Option<u64>,
    /// How many lines to print.
    #[arg(long, value_name = "LINES", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=500))]
    multipv: u32,
    /// How many positions the network evaluates at once; 0 means 1, and 16 where libtorch evaluates the network. More keep a
    /// GPU busier; fewer search more carefully.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=4096))]
    batch: u32,
    /// Memory for the search tree, in megabytes. The analysis ends when it is full.
    #[arg(long, value_name = "MB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    memory: u32,
    /// Print one JSON object a line: every second and at the end. With files, one with the summary.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// The network cannot be used, the position, a move or a name is wrong, the game is over, or the evaluator fails.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let (network, variant) = super::network::with_variant(arguments.net.as_deref(), arguments.variant)?;
    let name = network.as_ref().map(|network| network.id().to_string());
    let evaluator = |batch: u32| -> anyhow::Result<Box<dyn Evaluator>> {
        Ok(match &network {
            Some(network) => Box::new(super::network::evaluator(network, batch)?),
            None => Box::new(UniformEvaluator::new(batch.max(1) as usize)),
        })
    };
    if let Some(folder) = &arguments.out {
        let search = if network.is_some() { SearchConfig::of_network() } else { SearchConfig::default() };
        let alone = || evaluator(1);
        return rules::dispatch!(variant, V => games::run::<V, _>(arguments, folder, alone, &search, name.as_deref()));
    }
    let evaluator = evaluator(arguments.batch)?;
    rules::dispatch!(variant, V => run::<V>(arguments, evaluator, name.as_deref()))
}

fn run<V: Variant>(
    arguments: &Arguments,
    mut evaluator: Box<dyn Evaluator>,
    network: Option<&str>,
) -> anyhow::Result<()> {
    let notation = Notation::<V>::named(&arguments.notation)?;
    let game = super::game(arguments.fen.as_deref(), arguments.ruleset.as_deref(), &arguments.moves, notation)?;
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    if let Some(outcome) = game.outcome(&legal) {
        let result = outcome.winner().map_or_else(|| "a draw".to_owned(), |side| format!("the {side} player has won"));
        return Err(input(format!("the game is over: {result} ({})", outcome.termination.name())));
    }
    if !arguments.json {
        println!("{}\n{}", V::TITLE, notation.draw(game.position()));
        match network {
            Some(id) => println!("network {id}\n"),
            None => println!("no network: every position counts as even unless the rules prove more\n"),
        }
    }
    let stop = signals::stop_flag()?;
    let request = AnalysisRequest {
        simulations: arguments.visits.unwrap_or(u32::MAX),
        time: arguments.seconds.map(Duration::from_secs),
        lines: arguments.multipv as usize,
        ..AnalysisRequest::default()
    };
    let config = AnalysisConfig {
        batch: evaluator.batch_size(),
        tree_bytes: (arguments.memory as usize) << 20,
        ..AnalysisConfig::default()
    };
    let mut analysis = Analysis::new(if network.is_some() { config.of_network() } else { config });
    let json = |report: &AnalysisReport, finish| serde_json::to_string(&Shown::of(&game, report, network, finish));
    let live = LiveText::on_stdout().filter(|_| !arguments.json);
    let mut printed = Ok(());
    let (finish, report) = analysis.run(&game, &mut *evaluator, &request, &stop, |report| match &live {
        Some(live) => live.draw(&lines(&game, report, notation, usize::MAX)),
        None if !arguments.json => println!("{}\n", lines(&game, report, notation, terminal::width()).join("\n")),
        None if printed.is_ok() => printed = json(report, None).map(|line| println!("{line}")),
        None => {}
    })?;
    drop(live);
    printed?;
    if arguments.json {
        println!("{}", json(&report, Some(finish))?);
    } else {
        println!("{}\n{}", lines(&game, &report, notation, terminal::width()).join("\n"), reason(finish));
    }
    Ok(())
}

/// Why the analysis ended, for people.
fn reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Simulations => "all visits are made",
        Finish::Time => "the time is up",
        Finish::Stopped => "stopped",
        Finish::Proven => "the outcome is certain",
        Finish::Memory => "the tree has used all of its memory; --memory gives it more",
    }
}

/// The moves of a line as text.
fn line_text<V: Variant>(
    position: &Position<V>,
    line: &[Move],
    text: impl Fn(&Position<V>, Move) -> String,
) -> Vec<String> {
    let mut position = position.clone();
    let play = |&mv| {
        let text = text(&position, mv);
        position.play(mv);
        text
    };
    line.iter().map(play).collect()
}

/// `win in 5`, in plies.
fn proof_text(proven: Option<(Proof, u16)>) -> Option<String> {
    proven.map(|(proof, plies)| format!("{} in {plies}", proof.name()))
}

/// The lines of a report for people, wrapped at `width` columns.
fn lines<V: Variant>(game: &Game<V>, report: &AnalysisReport, notation: &Notation<V>, width: usize) -> Vec<String> {
    let mover = match game.side() {
        Side::First => "first",
        Side::Second => "second",
    };
    let [win, draw, loss] = report.wdl.map(|part| 100.0 * part);
    let proof = proof_text(report.proven).map_or_else(String::new, |proof| format!(" ({proof} plies)"));
    let mut lines = vec![
        format!(
            "{} visits in {:.1} s, {:.0}/s; {} evaluations, {} from the cache",
            report.simulations,
            report.elapsed.as_secs_f64(),
            report.simulations_per_second(),
            report.evaluations,
            report.cache_hits,
        ),
        format!(
            "mean depth {:.1}, greatest {}; tree {} MB",
            report.depth,
            report.seldepth,
            report.tree_bytes.div_ceil(1 << 20)
        ),
        format!("{mover} player: win {win:.1} %, draw {draw:.1} %, loss {loss:.1} %{proof}"),
        format!("{:>12}{:>9}{:>9}{:>9}  line", "visits", "win", "draw", "loss"),
    ];
    for (number, line) in report.lines.iter().enumerate() {
        let [win, draw, loss] = line.wdl.map(|part| 100.0 * part);
        let share = 100.0 * line.share;
        let figures = format!("{:3}. {share:5.1} % {win:6.1} % {draw:6.1} % {loss:6.1} % ", number + 1);
        let (indent, moves) =
            (figures.len() + 1, line_text(game.position(), &line.moves, |position, mv| notation.words(position, mv)));
        let proof = proof_text(line.proven).map_or_else(String::new, |proof| format!(" {proof}:"));
        lines.push(terminal::wrap(&(figures + &proof), &moves, indent, width));
    }
    lines
}

/// A report for programs. Values are those of the side to move.
#[derive(Serialize)]
struct Shown<'a> {
    /// Identity of the network; null without one.
    net: Option<&'a str>,
    simulations: u64,
    visits: u32,
    evaluations: u64,
    cache_hits: u64,
    simulations_per_second: f64,
    depth: f32,
    seldepth: usize,
    tree_bytes: usize,
    seconds: f64,
    wdl: [f32; 3],
    q: f32,
    proven: Option<ShownProof>,
    lines: Vec<ShownLine>,
    /// Why the analysis ended; null while it runs.
    finish: Option<&'static str>,
}

#[derive(Serialize)]
struct ShownProof {
    outcome: &'static str,
    plies: u16,
}

#[derive(Serialize)]
struct ShownLine {
    moves: Vec<String>,
    visits: u32,
    share: f32,
    prior: f32,
    wdl: [f32; 3],
    q: f32,
    proven: Option<ShownProof>,
}

impl ShownProof {
    fn of(proven: Option<(Proof, u16)>) -> Option<ShownProof> {
        proven.map(|(proof, plies)| ShownProof { outcome: proof.name(), plies })
    }
}

impl<'a> Shown<'a> {
    fn of<V: Variant>(
        game: &Game<V>,
        report: &AnalysisReport,
        net: Option<&'a str>,
        finish: Option<Finish>,
    ) -> Shown<'a> {
        let line = |line: &Variation| ShownLine {
            moves: line_text(game.position(), &line.moves, Position::format_move),
            visits: line.visits,
            share: line.share,
            prior: line.prior,
            wdl: line.wdl,
            q: line.q(),
            proven: ShownProof::of(line.proven),
        };
        Shown {
            net,
            simulations: report.simulations,
            visits: report.visits,
            evaluations: report.evaluations,
            cache_hits: report.cache_hits,
            simulations_per_second: report.simulations_per_second(),
            depth: report.depth,
            seldepth: report.seldepth,
            tree_bytes: report.tree_bytes,
            seconds: report.elapsed.as_secs_f64(),
            wdl: report.wdl,
            q: report.q,
            proven: ShownProof::of(report.proven),
            lines: report.lines.iter().map(line).collect(),
            finish: finish.map(|finish| match finish {
                // The name that this answer has had since before the others.
                Finish::Simulations => "simulations",
                other => other.name(),
            }),
        }
    }
}
