//! The subcommands, a file each, and readers of arguments that several of them have: variants, networks, positions, games.

pub mod ablate;
pub mod analyse;
pub mod bench;
pub mod cluster;
pub mod config;
pub mod data;
pub mod engine;
pub mod eval;
pub mod help;
pub mod judge;
pub mod network;
pub mod openings;
pub mod perft;
pub mod play;
pub mod query;
pub mod referee;
pub mod report;
pub mod role;
pub mod run;
pub mod selfplay;
pub mod serve;
pub mod show;
pub mod stats;
pub mod store;
pub mod train;
pub mod trainer;
pub mod verify;
pub mod watch;
pub mod worker;

use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use rules::{Game, Move, MoveReader, Notation, Position, Rules, Variant, VariantId};

/// Reads the option `--variant`; help and errors list the variants.
pub fn variants() -> impl TypedValueParser<Value = VariantId> {
    PossibleValuesParser::new(VariantId::ALL.iter().map(|id| id.id())).try_map(|name| name.parse::<VariantId>())
}

/// A seed that differs from run to run, for play against people.
pub fn fresh_seed() -> u64 {
    std::time::UNIX_EPOCH.elapsed().map_or(1, |since| since.as_nanos() as u64)
}

/// A position from the option `--fen`, in any of the variant's formats; the start if it is not given.
///
/// # Errors
/// The text is in none of the variant's formats, or the position is not possible.
pub fn position<V: Variant>(text: Option<&str>) -> anyhow::Result<Position<V>> {
    Ok(text.map_or_else(|| Ok(Position::start()), Position::from_text)?)
}

/// A game from the options `--fen`, `--ruleset` and `--moves`. The moves are in any notation, and one that several
/// could read is in that of `--notation`.
///
/// # Errors
/// The position, the rule set or a move is wrong; for a move the error says which.
pub fn game<V: Variant>(
    fen: Option<&str>,
    ruleset: Option<&str>,
    moves: &str,
    notation: &'static Notation<V>,
) -> anyhow::Result<Game<V>> {
    let rules = ruleset.map_or(Ok(Rules::<V>::default()), Rules::named)?;
    let mut game = Game::from_position(rules, position(fen)?);
    for mv in line(game.position(), moves, notation)? {
        game.play(mv);
    }
    Ok(game)
}

/// The moves of the option `--moves`, in any notation, from a position on. A text that several notations could read is
/// in `notation`.
///
/// # Errors
/// A move is wrong; the error says which.
pub fn line<V: Variant>(start: &Position<V>, moves: &str, notation: &'static Notation<V>) -> anyhow::Result<Vec<Move>> {
    let (mut position, mut reader) = (start.clone(), MoveReader::new(notation));
    let read = |(at, text): (usize, &str)| -> anyhow::Result<Move> {
        let mv = reader.read(&position, text).with_context(|| format!("move {}", at + 1))?;
        position.play(mv);
        Ok(mv)
    };
    moves.split_whitespace().enumerate().map(read).collect()
}
