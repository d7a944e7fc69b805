//! `kirin show`: a drawn position, its legal moves, and the state of the game.

use crate::failure::input;
use crate::{table, terminal};
use anyhow::Context;
use clap::Args;
use report::number::counted;
use rules::{Game, Move, MoveList, Notation, Position, Side, Variant, VariantId};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Largest file of positions that is read, bytes.
const MOST_BATCH_BYTES: u64 = 1 << 30;

/// Draw a position, and list its legal moves and the state of the game.
///
/// The moves of --moves are also printed in every notation of the variant, so this command translates moves.
///
/// With --batch, the positions come from a file, and each gives one JSON object a line. A line that cannot be read gives
/// {"error": …, "line": N}, and the next line follows.
#[derive(Args)]
pub struct Arguments {
    /// The variant.
    #[arg(long, value_parser = super::variants())]
    variant: VariantId,
    /// The position, in FEN or a native format (SFEN) [default: the start of the variant].
    #[arg(long, conflicts_with = "batch")]
    fen: Option<String>,
    /// The rule set, which decides on repetition and other ends of the game [default: that of the variant].
    #[arg(long)]
    ruleset: Option<String>,
    /// Moves to play first, separated by spaces, in any notation of the variant.
    #[arg(long, default_value = "", hide_default_value = true, conflicts_with = "batch")]
    moves: String,
    /// The notation of the legal moves, and of --moves where several could read them. The error for an unknown notation
    /// lists those of the variant.
    #[arg(long, default_value = "uci")]
    notation: String,
    /// A file of lines `FEN ; m1 m2 …`; the moves are optional.
    #[arg(long, value_name = "FILE")]
    batch: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// A position as JSON.
#[derive(Serialize)]
struct Shown {
    /// Format to text: `fen`, and what else the variant has (`sfen`).
    #[serde(flatten)]
    position: BTreeMap<&'static str, String>,
    /// The moves that led here, each in every notation; left out if there are none, and in a batch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<BTreeMap<&'static str, String>>,
    legal_moves: Vec<String>,
    check: bool,
    /// `first`, `second`, `draw`, or null while the game continues.
    outcome: Option<String>,
    termination: Option<&'static str>,
    /// Points of the first and second player where the rule set counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<[f32; 2]>,
}

/// How a notation writes a move: [`Notation::write`], or [`Notation::words`] for people.
type MoveText<V> = fn(&Notation<V>, &Position<V>, Move) -> String;

impl Shown {
    fn of<V: Variant>(game: &Game<V>, notation: &Notation<V>, text: MoveText<V>) -> Shown {
        let position = game.position();
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        let outcome = game.outcome(&legal);
        let mut legal_moves: Vec<String> = legal.iter().map(|&mv| text(notation, position, mv)).collect();
        legal_moves.sort();
        Shown {
            position: V::POSITION_FORMATS.iter().map(|format| (format.name, format.write(position))).collect(),
            moves: Vec::new(),
            legal_moves,
            check: position.is_check(),
            outcome: outcome.map(|outcome| outcome.winner().map_or_else(|| "draw".to_owned(), |side| side.to_string())),
            termination: outcome.map(|outcome| outcome.termination.name()),
            points: outcome.and_then(|outcome| outcome.points),
        }
    }
}

/// The moves of a game in every notation.
fn in_every_notation<V: Variant>(game: &Game<V>, text: MoveText<V>) -> Vec<BTreeMap<&'static str, String>> {
    let texts = |(position, &mv): (&Position<V>, &Move)| {
        V::NOTATIONS.iter().map(|notation| (notation.name, text(notation, position, mv))).collect()
    };
    game.positions().iter().zip(game.moves()).map(texts).collect()
}

/// Runs the command.
///
/// # Errors
/// The position, a move or a name is wrong, or the file of positions cannot be read.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    rules::dispatch!(arguments.variant, V => run::<V>(arguments))
}

fn run<V: Variant>(arguments: &Arguments) -> anyhow::Result<()> {
    let notation = Notation::<V>::named(&arguments.notation)?;
    if let Some(file) = &arguments.batch {
        return batch::<V>(arguments, file, notation);
    }
    let game = super::game(arguments.fen.as_deref(), arguments.ruleset.as_deref(), &arguments.moves, notation)?;
    let text: MoveText<V> = if arguments.json { Notation::write } else { Notation::words };
    let shown = Shown { moves: in_every_notation(&game, text), ..Shown::of(&game, notation, text) };
    if arguments.json {
        println!("{}", serde_json::to_string(&shown)?);
        return Ok(());
    }
    let mover = match game.side() {
        Side::First => "first player to move",
        Side::Second => "second player to move",
    };
    println!("{}\n{}", V::TITLE, notation.draw(game.position()));
    for format in V::POSITION_FORMATS {
        println!("{}: {}", format.name.to_uppercase(), shown.position[format.name]);
    }
    if let Some([first, second]) = game.start_position().setups() {
        println!("setups: {} – {}", first.title, second.title);
    }
    println!("{mover}, rule set {}, check: {}", game.rules().name(), if shown.check { "yes" } else { "no" });
    let heading = counted(shown.legal_moves.len() as u64, "legal move", "legal moves") + ":";
    println!("{}", terminal::wrap(&heading, &shown.legal_moves, 2, terminal::width()));
    match (shown.outcome, shown.termination) {
        (Some(winner), Some(reason)) if winner == "draw" => println!("outcome: draw ({reason})"),
        (Some(winner), Some(reason)) => println!("outcome: {winner} player wins ({reason})"),
        _ => println!("outcome: the game continues"),
    }
    if !shown.moves.is_empty() {
        println!();
        let names = V::NOTATIONS.iter().map(|notation| notation.name);
        let header: Vec<&str> = std::iter::once(">move").chain(names.clone()).collect();
        let row = |(at, texts): (usize, &BTreeMap<&str, String>)| {
            std::iter::once((at + 1).to_string()).chain(names.clone().map(|name| texts[name].clone())).collect()
        };
        let rows: Vec<Vec<String>> = shown.moves.iter().enumerate().map(row).collect();
        table::print(&header, &rows, &[]);
    }
    Ok(())
}

fn batch<V: Variant>(arguments: &Arguments, file: &Path, notation: &'static Notation<V>) -> anyhow::Result<()> {
    if let Some(name) = &arguments.ruleset {
        rules::Rules::<V>::named(name)?;
    }
    let bytes =
        data::bounded::read_named(file, MOST_BATCH_BYTES).with_context(|| format!("cannot read {}", file.display()))?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (at, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match shown(line, arguments.ruleset.as_deref(), notation) {
            Ok(shown) => writeln!(out, "{}", serde_json::to_string(&shown)?)?,
            Err(error) => writeln!(out, "{}", serde_json::json!({ "error": format!("{error:#}"), "line": at + 1 }))?,
        }
    }
    out.flush()?;
    Ok(())
}

fn shown<V: Variant>(line: &[u8], ruleset: Option<&str>, notation: &'static Notation<V>) -> anyhow::Result<Shown> {
    let line = std::str::from_utf8(line).map_err(|_| input("the line is not UTF-8"))?;
    let (fen, moves) = line.split_once(';').unwrap_or((line, ""));
    Ok(Shown::of(&super::game(Some(fen.trim()), ruleset, moves, notation)?, notation, Notation::write))
}
