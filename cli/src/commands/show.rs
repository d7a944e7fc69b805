//! `kirin show`: a position drawn, its legal moves, and how the game stands.

use crate::failure::input;
use anyhow::Context;
use clap::Args;
use rules::{Game, MoveList, Side, Variant, VariantId};
use serde::Serialize;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Draw a position; list its legal moves in UCI, check, and the outcome with its reason.
///
/// With --batch, reads lines `FEN ; m1 m2 …` and prints one JSON object for each; a line that cannot be read
/// becomes {"error": …, "line": n} and the rest goes on.
#[derive(Args)]
pub struct Arguments {
    /// The variant.
    #[arg(long, value_parser = super::variant)]
    variant: VariantId,
    /// The position; the variant's start if not given.
    #[arg(long, conflicts_with = "batch")]
    fen: Option<String>,
    /// The rule-set preset, which decides repetition and other ends.
    #[arg(long)]
    ruleset: Option<String>,
    /// Moves to play first, in UCI, separated by spaces.
    #[arg(long, default_value = "", conflicts_with = "batch")]
    moves: String,
    /// A file of lines `FEN ; m1 m2 …` (the moves may be missing).
    #[arg(long)]
    batch: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// A position as JSON.
#[derive(Serialize)]
struct Shown {
    fen: String,
    legal_moves: Vec<String>,
    check: bool,
    /// `first`, `second`, `draw`, or null while the game goes on.
    outcome: Option<String>,
    termination: Option<&'static str>,
    /// Points of the first and second player where the rule set counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<[f32; 2]>,
}

impl Shown {
    fn of<V: Variant>(game: &Game<V>) -> Shown {
        let position = game.position();
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        let outcome = game.outcome(&legal);
        let mut legal_moves: Vec<String> = legal.iter().map(|&mv| position.format_move(mv)).collect();
        legal_moves.sort();
        Shown {
            fen: position.fen(),
            legal_moves,
            check: position.is_check(),
            outcome: outcome.map(|outcome| outcome.winner.map_or_else(|| "draw".to_owned(), |side| side.to_string())),
            termination: outcome.map(|outcome| outcome.termination.name()),
            points: outcome.and_then(|outcome| outcome.points),
        }
    }
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    rules::dispatch!(arguments.variant, V => run::<V>(arguments))
}

fn run<V: Variant>(arguments: &Arguments) -> anyhow::Result<()> {
    if let Some(file) = &arguments.batch {
        return batch::<V>(arguments, file);
    }
    let game = super::game::<V>(arguments.fen.as_deref(), arguments.ruleset.as_deref(), &arguments.moves)?;
    let shown = Shown::of(&game);
    if arguments.json {
        println!("{}", serde_json::to_string(&shown)?);
        return Ok(());
    }
    let mover = match game.side() {
        Side::First => "first player to move",
        Side::Second => "second player to move",
    };
    println!("{}\n{}", V::TITLE, game.position().draw());
    println!("FEN: {}", shown.fen);
    println!("{mover}, rule set {}, check: {}", game.rules().name(), if shown.check { "yes" } else { "no" });
    println!("{} legal moves: {}", shown.legal_moves.len(), shown.legal_moves.join(" "));
    match (shown.outcome, shown.termination) {
        (Some(winner), Some(reason)) if winner == "draw" => println!("outcome: draw ({reason})"),
        (Some(winner), Some(reason)) => println!("outcome: {winner} player wins ({reason})"),
        _ => println!("outcome: the game goes on"),
    }
    Ok(())
}

fn batch<V: Variant>(arguments: &Arguments, file: &Path) -> anyhow::Result<()> {
    if let Some(name) = &arguments.ruleset {
        rules::Rules::<V>::named(name)?;
    }
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (at, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match shown::<V>(line, arguments.ruleset.as_deref()) {
            Ok(shown) => writeln!(out, "{}", serde_json::to_string(&shown)?)?,
            Err(error) => writeln!(out, "{}", serde_json::json!({ "error": format!("{error:#}"), "line": at + 1 }))?,
        }
    }
    out.flush()?;
    Ok(())
}

fn shown<V: Variant>(line: &[u8], ruleset: Option<&str>) -> anyhow::Result<Shown> {
    let line = std::str::from_utf8(line).map_err(|_| input("the line is not UTF-8"))?;
    let (fen, moves) = line.split_once(';').unwrap_or((line, ""));
    Ok(Shown::of(&super::game::<V>(Some(fen.trim()), ruleset, moves)?))
}
