//! A game as text for other programs.

use crate::error::{ApiError, off_thread};
use crate::position::GameSpec;
use axum::Json;
use records::{TaggedGame, Tags, csa, kif, pgn};
use rules::{GameResult, MoveList, Notation, Outcome, Termination, Variant};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A game to write, with what is not in its moves.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ExportQuestion {
    /// The game.
    #[serde(flatten)]
    game: GameSpec,
    /// `pgn`; `kif` or `csa` where the variant has them; `fen` for the present position; or the name of a notation, for
    /// the moves alone.
    format: String,
    /// The notation of the moves in PGN [default: UCI]. A game with a move that cannot be read again in it has all its
    /// moves in UCI.
    #[serde(default)]
    notation: Option<String>,
    /// The first player's name.
    #[serde(default)]
    first: Option<String>,
    /// The second player's name.
    #[serde(default)]
    second: Option<String>,
    /// The result where the rules give none: `first`, `second` or `draw`.
    #[serde(default)]
    result: Option<String>,
    /// Why the game ended where the rules do not say it: for example `resign`, `adjudicated`, `error` (time).
    #[serde(default)]
    termination: Option<String>,
    /// The day, perhaps with a time of day: `2026-11-27 10:30`.
    #[serde(default)]
    date: Option<String>,
}

/// A file with a game.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Exported {
    /// A name for the file.
    name: String,
    /// Its content.
    text: String,
}

impl ExportQuestion {
    /// The outcome that the caller names, if any.
    fn named_outcome(&self) -> Result<Option<Outcome>, ApiError> {
        let Some(name) = self.result.as_deref().filter(|name| !name.is_empty()) else { return Ok(None) };
        let result = GameResult::ALL.into_iter().find(|&result| data::result_name(result) == name);
        let result =
            result.ok_or_else(|| ApiError::Wrong(format!("{name:?} is no result: name first, second or draw")))?;
        let termination = match self.termination.as_deref().filter(|name| !name.is_empty()) {
            Some(name) => name.replace(' ', "_").parse::<Termination>().map_err(ApiError::wrong)?,
            None => Termination::Adjudicated,
        };
        Ok(Some(Outcome { result, termination, points: None }))
    }

    /// The game as text.
    ///
    /// # Errors
    /// The game is wrong, or its variant has no such format.
    fn write<V: Variant>(&self) -> Result<Exported, ApiError> {
        let game = self.game.game::<V>()?;
        let notation = match self.notation.as_deref().filter(|name| !name.is_empty()) {
            None => &Notation::UCI,
            Some(_) if self.format != "pgn" => return Err(ApiError::wrong("a notation is for PGN alone")),
            Some(name) => pgn::notation_named::<V>(name).map_err(ApiError::wrong)?,
        };
        let name = |ending: &str| format!("kirin-{}.{ending}", V::ID);
        if self.format == "fen" {
            return Ok(Exported { name: name("fen"), text: format!("{}\n", game.position().fen()) });
        }
        if !["pgn", "kif", "csa"].contains(&self.format.as_str()) {
            let notation = Notation::<V>::named(&self.format).map_err(ApiError::wrong)?;
            let played = game.positions().iter().zip(game.moves());
            let moves: Vec<String> = played.map(|(position, &mv)| notation.write(position, mv)).collect();
            return Ok(Exported { name: name("txt"), text: moves.join(" ") + "\n" });
        }
        let mut legal = MoveList::new();
        game.legal_moves(&mut legal);
        let outcome = match game.outcome(&legal) {
            Some(outcome) => Some(outcome),
            None => self.named_outcome()?,
        };
        let said = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let tags = Tags {
            event: Some("Kirin Studio".to_owned()),
            date: said(&self.date),
            first: said(&self.first),
            second: said(&self.second),
            ..Tags::default()
        };
        let record = TaggedGame { line: 1, tags, game, outcome };
        let mut text = String::new();
        match self.format.as_str() {
            "kif" => kif::write(&mut text, &record).map_err(ApiError::wrong)?,
            "csa" => csa::write(&mut text, &record).map_err(ApiError::wrong)?,
            _ => pgn::write_annotated(&mut text, &record, notation, &[]),
        }
        Ok(Exported { name: name(&self.format), text })
    }
}

/// A game as text for other programs.
#[utoipa::path(post, path = "/api/export", request_body = ExportQuestion, responses((status = 200, body = Exported)))]
pub(crate) async fn export(Json(question): Json<ExportQuestion>) -> Result<Json<Exported>, ApiError> {
    let variant = question.game.variant()?;
    let written = off_thread(move || rules::dispatch!(variant, V => question.write::<V>()));
    Ok(Json(written.await?))
}
