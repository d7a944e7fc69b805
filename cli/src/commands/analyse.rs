//! `kirin analyse`: what a search thinks of a position, as it thinks.

use crate::failure::input;
use crate::signals;
use clap::Args;
use rules::{Game, MoveList, Notation, Position, Side, Variant, VariantId};
use selfplay::analysis::{Line, Report};
use selfplay::{Analysis, AnalysisConfig, Evaluator, Finish, Proof, Request, UniformEvaluator};
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;
use train::{EvaluatorConfig, Load, TorchEvaluator};

/// Think about a position: the best lines with their share of the visits, and win, draw and loss for the side to
/// move, printed every second and at the end.
///
/// Without --net the search knows the rules and has no opinion about positions: it finds forced wins and little
/// else. Ctrl-C stops it and prints what is known.
#[derive(Args)]
pub struct Arguments {
    /// The variant; that of the network if not given.
    #[arg(long, value_parser = super::variant, required_unless_present = "net")]
    variant: Option<VariantId>,
    /// The position; the variant's start if not given.
    #[arg(long)]
    fen: Option<String>,
    /// The rule-set preset, which decides repetition and other ends.
    #[arg(long)]
    ruleset: Option<String>,
    /// Moves to play first, separated by spaces.
    #[arg(long, default_value = "")]
    moves: String,
    /// The notation of the moves that are read and of the lines that are printed; JSON has UCI.
    #[arg(long, default_value = "uci")]
    notation: String,
    /// The network's file (nets/gen-NNNN.safetensors of a run).
    #[arg(long)]
    net: Option<PathBuf>,
    /// Simulations; without it and --seconds it thinks until Ctrl-C.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    visits: Option<u32>,
    /// Seconds to think.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    seconds: Option<u64>,
    /// Lines to print.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=500))]
    multipv: u32,
    /// Leaves in flight: positions in a network call.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=4096))]
    batch: u32,
    /// Most megabytes of the tree.
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    memory: u32,
    /// Print a line of JSON each time.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let (network, variant) = super::subject(arguments.net.as_deref(), arguments.variant)?;
    let evaluator: Box<dyn Evaluator> = match &network {
        Some(network) => {
            let config = EvaluatorConfig { batch: arguments.batch as usize, ..EvaluatorConfig::default() };
            Box::new(TorchEvaluator::new(network, &config.resolve(network, Load::default())?)?)
        }
        None => Box::new(UniformEvaluator::new(arguments.batch as usize)),
    };
    let name = network.as_ref().map(|network| network.id().to_string());
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
        let result = outcome.winner.map_or_else(|| "a draw".to_owned(), |side| format!("the {side} player has won"));
        return Err(input(format!("the game is over: {result} ({})", outcome.termination.name())));
    }
    if !arguments.json {
        println!("{}\n{}", V::TITLE, game.position().draw());
        match network {
            Some(id) => println!("network {id}"),
            None => println!("no network: all moves alike and every position even; only what the rules prove counts"),
        }
    }
    let stop = signals::stop_flag()?;
    let request = Request {
        simulations: arguments.visits.unwrap_or(u32::MAX),
        time: arguments.seconds.map(Duration::from_secs),
        lines: arguments.multipv as usize,
        ..Request::default()
    };
    let mut analysis = Analysis::new(AnalysisConfig {
        batch: arguments.batch as usize,
        tree_bytes: (arguments.memory as usize) << 20,
        ..AnalysisConfig::default()
    });
    let print = |report: &Report, finish: Option<Finish>| -> anyhow::Result<()> {
        if arguments.json {
            println!("{}", serde_json::to_string(&Shown::of(&game, report, network, finish))?);
        } else {
            print!("{}", text(&game, report, notation));
        }
        Ok(())
    };
    let mut printed = Ok(());
    let (finish, report) = analysis.run(&game, &mut *evaluator, &request, &stop, |report| {
        if printed.is_ok() {
            printed = print(report, None);
        }
    })?;
    printed?;
    print(&report, Some(finish))?;
    if !arguments.json {
        println!("{}", reason(finish));
    }
    Ok(())
}

/// Why it ended, for people.
fn reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Simulations => "all simulations made",
        Finish::Time => "the time is up",
        Finish::Stopped => "stopped",
        Finish::Proven => "the outcome is certain",
        Finish::Memory => "the tree has taken all of its memory; --memory gives it more",
    }
}

/// The moves of a line.
fn line_text<V: Variant>(position: &Position<V>, line: &Line, notation: &Notation<V>) -> Vec<String> {
    let mut position = position.clone();
    let play = |&mv| {
        let text = notation.write(&position, mv);
        position.play(mv);
        text
    };
    line.moves.iter().map(play).collect()
}

/// `win in 5`, or nothing.
fn proof_text(proven: Option<(Proof, u16)>) -> String {
    proven.map_or_else(String::new, |(proof, plies)| format!("  {} in {plies}", proof.name()))
}

fn wdl_text(wdl: [f32; 3]) -> String {
    let [win, draw, loss] = wdl.map(|part| 100.0 * part);
    format!("win {win:.1} % draw {draw:.1} % loss {loss:.1} %")
}

/// A report for people.
fn text<V: Variant>(game: &Game<V>, report: &Report, notation: &Notation<V>) -> String {
    let mover = match game.side() {
        Side::First => "first",
        Side::Second => "second",
    };
    let mut text = format!(
        "\n{} simulations, {:.0}/s, {} evaluations, {} from the cache, depth {:.1}/{}, {:.1} s, tree {} MB\n",
        report.simulations,
        report.simulations_per_second(),
        report.evaluations,
        report.cache_hits,
        report.depth,
        report.seldepth,
        report.elapsed.as_secs_f64(),
        report.tree_bytes.div_ceil(1 << 20),
    );
    let _ = writeln!(text, "{mover} player: {}{}", wdl_text(report.wdl), proof_text(report.proven));
    for (number, line) in report.lines.iter().enumerate() {
        let (share, moves) = (100.0 * line.share, line_text(game.position(), line, notation).join(" "));
        let (wdl, proof) = (wdl_text(line.wdl), proof_text(line.proven));
        let _ = writeln!(text, "{:2}. {share:5.1} % of visits  {wdl}{proof}  {moves}", number + 1);
    }
    text
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
    /// Why it ended; null while it thinks.
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
    fn of<V: Variant>(game: &Game<V>, report: &Report, net: Option<&'a str>, finish: Option<Finish>) -> Shown<'a> {
        let line = |line: &Line| ShownLine {
            moves: line_text(game.position(), line, &Notation::UCI),
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
                Finish::Simulations => "simulations",
                Finish::Time => "time",
                Finish::Stopped => "stopped",
                Finish::Proven => "proven",
                Finish::Memory => "memory",
            }),
        }
    }
}
