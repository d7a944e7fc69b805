//! Games to step through on a board.

use crate::error::ApiError;
use crate::position::WrittenMove;
use report::explorer::View;
use rules::{Scoresheet, Variant};
use serde::Serialize;
use utoipa::ToSchema;

/// A game with all its positions.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Replay {
    /// By which it is asked for.
    pub id: String,
    /// The variant.
    pub variant: &'static str,
    /// Names of the first and the second player, where they are known.
    pub players: [String; 2],
    /// The generation that finished it, in a game of a run.
    pub generation: Option<u32>,
    /// The number of its pair, from 0, in a game of a match.
    pub pair: Option<u32>,
    /// `first`, `second` or `draw`.
    pub result: &'static str,
    /// Why it ended.
    pub termination: String,
    /// What a player did wrong, or by which rule it was adjudicated; empty in most games.
    pub reason: String,
    /// The moves.
    pub plies: Vec<ReplayPly>,
    /// What the board shows before each move and after the last one.
    #[schema(value_type = Vec<Object>)]
    pub views: Vec<View>,
}

/// A move of a game.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReplayPly {
    /// The move.
    #[serde(flatten)]
    pub mv: WrittenMove,
    /// The score that the search expected for the first player before the move, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f32>,
    /// Milliseconds that the move took, where that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent_ms: Option<u32>,
}

impl Replay {
    /// A game by its scoresheet, every move checked. `value` gives the expected score of the first player before a ply.
    ///
    /// # Errors
    /// A move is not legal.
    pub fn of<V: Variant>(
        id: String,
        sheet: &Scoresheet<V>,
        value: impl Fn(usize) -> Option<f32>,
    ) -> Result<Replay, ApiError> {
        let (mut plies, mut views) = (Vec::new(), Vec::new());
        let mut replay = sheet.replay();
        let mut last = None;
        while let Some(ply) = replay.step().map_err(ApiError::failed)? {
            let position = ply.game.position();
            views.push(View::of(position, last));
            last = Some(position.format_move(ply.mv));
            let value = value(plies.len()).map(|value| (value * 1e3).round() / 1e3);
            plies.push(ReplayPly { mv: WrittenMove::of(position, ply.mv), value, spent_ms: None });
        }
        let end = replay.finish().map_err(ApiError::failed)?;
        views.push(View::of(end.position(), last));
        Ok(Replay {
            id,
            variant: V::ID,
            players: [String::new(), String::new()],
            generation: None,
            pair: None,
            result: data::result_name(sheet.outcome.result),
            termination: sheet.outcome.termination.name().replace('_', " "),
            reason: String::new(),
            plies,
            views,
        })
    }
}
