//! The subcommands, a file each.

pub mod analyse;
pub mod eval;
pub mod openings;
pub mod perft;
pub mod play;
pub mod report;
pub mod run;
pub mod selfplay;
pub mod show;
pub mod train;

use anyhow::Context;
use rules::{Game, Position, Rules, Variant, VariantId};
use std::str::FromStr;

/// Parses a variant's name for clap, naming the nearest on a typo.
pub fn variant(text: &str) -> Result<VariantId, String> {
    VariantId::from_str(text).map_err(|error| {
        match crate::run::config::nearest(text, VariantId::ALL.iter().map(|id| id.id())) {
            Some(near) => format!("{error}; did you mean {near}?"),
            None => error.to_string(),
        }
    })
}

/// A game from the options `--fen`, `--ruleset` and `--moves`.
pub fn game<V: Variant>(fen: Option<&str>, ruleset: Option<&str>, moves: &str) -> anyhow::Result<Game<V>> {
    let rules = ruleset.map_or(Ok(Rules::<V>::default()), Rules::named)?;
    let start = fen.map_or_else(|| Ok(Position::start()), Position::from_fen)?;
    let mut game = Game::from_position(rules, start);
    for (at, text) in moves.split_whitespace().enumerate() {
        let mv = game.position().parse_move(text).with_context(|| format!("move {}", at + 1))?;
        game.play(mv);
    }
    Ok(game)
}
