//! `kirin perft`: counts move sequences, to check move generators against each other.

use crate::failure::{Failure, input};
use anyhow::Context;
use clap::Args;
use report::number::counted;
use rules::{Notation, Position, Rules, Variant, VariantId};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Largest suite that is read, bytes. The largest of ours has 30 kB.
const MOST_SUITE_BYTES: u64 = 64 << 20;

/// Count the move sequences of a given length, for each first move.
///
/// The last line is `Nodes searched: N`. With --suite, the counts in a file of lines `FEN ;D1 n ;D2 n …` are checked. If
/// any of them differs, each such line is named and the exit code is 1.
#[derive(Args)]
pub struct Arguments {
    /// The variant.
    #[arg(long, value_parser = super::variants())]
    variant: VariantId,
    /// The position, in FEN or a native format (SFEN) [default: the start of the variant].
    #[arg(long, conflicts_with = "suite")]
    fen: Option<String>,
    /// The notation of the moves that are printed. `kirin show` prints moves in every notation.
    #[arg(long, default_value = "uci", conflicts_with = "suite")]
    notation: String,
    /// The rule set. Few change a count, because perft ignores every end of the game but those of a single move
    /// [default: that of the variant].
    #[arg(long)]
    ruleset: Option<String>,
    /// Length of the sequences in plies; with --suite, the greatest depth that is checked.
    #[arg(long, required_unless_present = "suite", value_parser = clap::value_parser!(u32).range(0..=20))]
    depth: Option<u32>,
    /// A file of positions with their counts, which are checked.
    #[arg(long)]
    suite: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// The position, a name or the suite is wrong, or a count differs from that of the suite.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    rules::dispatch!(arguments.variant, V => run::<V>(arguments))
}

fn run<V: Variant>(arguments: &Arguments) -> anyhow::Result<()> {
    let rules = arguments.ruleset.as_deref().map_or(Ok(Rules::default()), Rules::<V>::named)?;
    match &arguments.suite {
        Some(file) => suite::<V>(arguments, rules, file),
        None => divide::<V>(arguments, rules),
    }
}

fn divide<V: Variant>(arguments: &Arguments, rules: Rules<V>) -> anyhow::Result<()> {
    let notation = Notation::<V>::named(&arguments.notation)?;
    let position = super::position::<V>(arguments.fen.as_deref())?.under(&rules);
    let depth = arguments.depth.unwrap_or_default();
    let begin = Instant::now();
    let counts = position.perft_divide(depth);
    let nodes = if depth == 0 { 1 } else { counts.iter().map(|(_, nodes)| nodes).sum() };
    let seconds = begin.elapsed().as_secs_f64();
    if arguments.json {
        let moves: serde_json::Map<String, serde_json::Value> =
            counts.iter().map(|&(mv, nodes)| (notation.write(&position, mv), nodes.into())).collect();
        println!("{}", serde_json::json!({ "nodes": nodes, "depth": depth, "seconds": seconds, "moves": moves }));
        return Ok(());
    }
    for (mv, nodes) in counts {
        println!("{}: {nodes}", notation.write(&position, mv));
    }
    println!("\nNodes searched: {nodes}");
    Ok(())
}

fn suite<V: Variant>(arguments: &Arguments, rules: Rules<V>, file: &Path) -> anyhow::Result<()> {
    let name = file.display();
    let text = data::bounded::read_named_text(file, MOST_SUITE_BYTES).with_context(|| format!("cannot read {name}"))?;
    let deepest = arguments.depth.unwrap_or(u32::MAX);
    let lines = rules::read_suite(&text).map_err(|error| input(format!("{name}: {error}")))?;
    if lines.is_empty() {
        return Err(input(format!("{name} has no line `FEN ;D1 n …`")));
    }
    let (mut checked, mut failed, mut nodes) = (0u64, 0u64, 0);
    let begin = Instant::now();
    for line in &lines {
        let position = Position::<V>::from_fen(line.fen).with_context(|| format!("{name}, line {}", line.line))?;
        let position = position.under(&rules);
        for &(depth, expected) in line.counts.iter().filter(|(depth, _)| *depth <= deepest) {
            let counted = position.perft(depth);
            checked += 1;
            nodes += counted;
            if counted != expected {
                failed += 1;
                println!("{name}, line {}, depth {depth}: expected {expected}, counted {counted}", line.line);
                println!("{}\n{}", position.fen(), position.draw());
            }
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    if arguments.json {
        println!(
            "{}",
            serde_json::json!({
                "positions": lines.len(), "checked": checked, "failed": failed, "nodes": nodes, "seconds": seconds,
            })
        );
    } else {
        let positions = counted(lines.len() as u64, "position", "positions");
        println!("{positions}, {}, {failed} wrong, {seconds:.1} s", counted(checked, "count", "counts"));
        println!("Nodes searched: {nodes}");
    }
    if failed > 0 {
        return Err(Failure::Check(format!("{failed} of {} wrong", counted(checked, "count", "counts"))).into());
    }
    Ok(())
}
