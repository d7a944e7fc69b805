//! Sample games to step through.

use super::changes::Changes;
use super::counted;
use super::facets::Values;
use crate::error::ReportError;
use data::SampleGame;
use rules::{Notation, Position, Variant};
use serde::Serialize;

/// A game with every position.
#[derive(Debug, Serialize)]
pub struct Game {
    /// The game's id in the data; a text, because scripts have no whole numbers of that size.
    pub id: String,
    /// What is known of it.
    facts: Values,
    /// `first`, `second` or `draw`.
    result: &'static str,
    /// Why it ended.
    termination: String,
    /// Names of the setups, by which its tree is found.
    setups: Option<[&'static str; 2]>,
    side: usize,
    position: Changes,
    plies: Vec<Ply>,
}

/// A move and what came of it.
#[derive(Debug, Serialize)]
struct Ply {
    uci: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The score that the search expected for the first player before the move, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f32>,
    position: Changes,
}

impl Game {
    /// A stored game.
    ///
    /// # Errors
    /// A stored move is not legal.
    pub fn of<V: Variant>(
        sample: &SampleGame<V>,
        sources: &[String],
        native: Option<&Notation<V>>,
    ) -> Result<Game, ReportError> {
        let sheet = &sample.record.sheet;
        let mut plies = Vec::with_capacity(sheet.plies());
        let mut replay = sheet.replay();
        while let Some(ply) = replay.step()? {
            let position = ply.game.position();
            let mut next: Position<V> = position.clone();
            next.play(ply.mv);
            plies.push(Ply {
                uci: position.format_move(ply.mv),
                text: native.map(|notation| notation.write(position, ply.mv)),
                value: sample.values[plies.len()].map(|value| (value * 1e3).round() / 1e3),
                position: Changes::between(position, &next),
            });
        }
        Ok(Game {
            id: sample.record.game_id.to_string(),
            facts: counted::values_of(&sample.record, sample.folder, sources),
            result: data::result_name(sheet.outcome.result),
            termination: sheet.outcome.termination.name().replace('_', " "),
            setups: sheet.start.setups().map(|setups| setups.map(|setup| setup.name)),
            side: sheet.start.side().index(),
            position: Changes::whole(&sheet.start),
            plies,
        })
    }
}
