//! The lines of a log.

use crate::adjudication::Adjudication;
use crate::error::EntryError;
use crate::identity::{NUMBER_FORMAT, PlayerId, PlayerRecord, Roster, canonical};
use engine::{Limit, Score};
use rules::{Game, GameResult, Outcome, Position, Rules, Scoresheet, Side, Termination, Variant};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The first line of a log: all that the games depend on, so that a match resumes only with the settings that it began
/// with. The number of pairs is not among them, because a match may be made longer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchHeader {
    /// Version of the format.
    pub kirin_match: u32,
    /// Variant.
    pub variant: String,
    /// Rule-set preset.
    pub ruleset: String,
    /// Ply limit.
    pub max_plies: u32,
    /// Seed of openings and chance.
    pub seed: u64,
    /// How the openings are made: `random, N plies`, or a digest of the list.
    pub openings: String,
    /// The limit of players without one of their own.
    #[serde(default, skip_serializing_if = "is_own")]
    pub limit: Limit,
    /// When games end by the players' scores.
    #[serde(default, skip_serializing_if = "Adjudication::is_off")]
    pub adjudication: Adjudication,
    /// The players.
    pub players: [PlayerRecord; 2],
}

impl MatchHeader {
    /// The version of the format that this program writes and reads.
    pub const FORMAT: u32 = 1;

    /// Whether one of the players may play the same opening differently.
    pub fn plays_by_chance(&self) -> bool {
        self.players.iter().any(|player| player.settings.plays_by_chance())
    }

    /// Short, distinct names of the players; for two records of one player, the recorded names.
    pub fn names(&self) -> [String; 2] {
        let [a, b] = self.players.each_ref().map(PlayerId::of);
        if a == b {
            return self.players.each_ref().map(|player| player.name.clone());
        }
        let names = Roster::of(&self.players).names();
        [&a, &b].map(|id| names[id].clone())
    }

    /// One text for each setting by which a log with the header `logged` belongs to another match. Names of players, and
    /// settings that change no moves, do not count. The number format of a network counts where both record it, because the
    /// games of one match are reproducible.
    pub fn differences(&self, logged: &MatchHeader) -> Vec<String> {
        let (mut now, mut before) = (canonical(self), canonical(logged));
        for player in 0..2 {
            let [own, theirs] = [self, logged].map(|header| &header.players[player]);
            let with_format = theirs.settings.number_format().is_some() && own.settings.number_format().is_some();
            for (value, record) in [(&mut now, own), (&mut before, theirs)] {
                let mut search = record.settings.deciding();
                if let (true, Some(format), Value::Object(search)) =
                    (with_format, record.settings.number_format(), &mut search)
                {
                    search.insert("evaluation".to_owned(), serde_json::json!({ NUMBER_FORMAT: format }));
                }
                value["players"][player] = serde_json::json!({ "identity": record.identity, "search": search });
            }
        }
        for (value, header) in [(&mut now, self), (&mut before, logged)] {
            value["openings"] = without_name(&header.openings).into();
        }
        let mut out = Vec::new();
        compare("", &now, &before, &mut out);
        out
    }
}

/// How the openings are made, without the name of the network that judged them: its digest tells, and the name depends on
/// where its file lies and on who else plays.
fn without_name(openings: &str) -> String {
    match (openings.split_once(" by "), openings.rsplit_once(" (")) {
        (Some((how, _)), Some((_, digest))) if openings.starts_with("balanced, ") => format!("{how} by ({digest}"),
        _ => openings.to_owned(),
    }
}

/// BLAKE3 of the settings in a header, 16 hex digits.
pub(super) fn digest(header: &Value) -> String {
    blake3::hash(header.to_string().as_bytes()).to_hex()[..16].to_owned()
}

/// For headers without a limit, as they were before there were limits.
fn is_own(limit: &Limit) -> bool {
    *limit == Limit::Own
}

/// A game's place in the match: number of the pair, and the side of the first named player.
pub type GameKey = (u32, Side);

/// `pair 3, first game`, counted from 1.
pub(crate) fn game_name((pair, side): GameKey) -> String {
    let which = if side == Side::First { "first" } else { "second" };
    format!("pair {}, {which} game", u64::from(pair) + 1)
}

/// Finished games by their place.
pub type FinishedGames = BTreeMap<GameKey, GameEntry>;

/// One finished game: its scoresheet in text, and what only the match knows. The variant, the rules and the names of the
/// players are in the header.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameEntry {
    /// Number of the pair, from 0.
    pub pair: u32,
    /// The side of the player named first in the match.
    #[serde(rename = "first_named_first", with = "moves_first")]
    pub side_of_first_named: Side,
    /// Start position as FEN; `None` is the variant's own.
    #[serde(default, rename = "fen", skip_serializing_if = "Option::is_none")]
    pub start_fen: Option<String>,
    /// How many of the moves belong to the opening.
    pub opening_plies: u32,
    /// All moves in UCI, separated by spaces.
    pub moves: String,
    /// Number of moves.
    pub plies: u32,
    /// The result.
    pub result: GameResult,
    /// Why the game ended.
    pub termination: Termination,
    /// What a player did wrong, or by which rule the game was adjudicated, if that ended it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Milliseconds that each move took, 0 in the opening; empty if no player's time is measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spent_ms: Vec<u32>,
    /// The score that the player who moved reported with each move; `None` in the opening, for the only legal move, and
    /// for players without scores. Empty if there is none at all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<Option<Score>>,
    /// Which run of the program finished it, from 1.
    pub session: u32,
    /// Milliseconds since that run began.
    pub elapsed_ms: u64,
    /// When it was finished, in seconds since 1970 (UTC); `None` in logs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<u64>,
}

impl GameEntry {
    /// The game's place in the match.
    pub fn key(&self) -> GameKey {
        (self.pair, self.side_of_first_named)
    }

    /// The result for the first named player: +1, 0, −1.
    pub fn result_of_first_named(&self) -> i8 {
        self.result.for_side(self.side_of_first_named)
    }

    /// The moves of the opening, separated by spaces.
    pub fn opening_moves(&self) -> String {
        self.moves.split_whitespace().take(self.opening_plies as usize).collect::<Vec<_>>().join(" ")
    }

    /// The game's scoresheet, with every move checked.
    ///
    /// # Errors
    /// The entry is not a game by the rules of the header.
    pub fn scoresheet<V: Variant>(&self, header: &MatchHeader) -> Result<Scoresheet<V>, EntryError> {
        let outcome = Outcome { result: self.result, termination: self.termination, points: None };
        Ok(Scoresheet::of(&self.game::<V>(header)?, outcome))
    }

    /// The game, with every move checked.
    ///
    /// # Errors
    /// The entry is not a game by the rules of the header.
    pub(crate) fn game<V: Variant>(&self, header: &MatchHeader) -> Result<Game<V>, EntryError> {
        let rules = Rules::<V>::named(&header.ruleset)?.with_max_plies(header.max_plies);
        let start = Position::from_start_fen(self.start_fen.as_deref())?;
        Ok(Game::from_moves_text(rules, start, &self.moves)?)
    }

    /// Checks that the entry does not contradict itself.
    ///
    /// # Errors
    /// Moves, plies, times and scores of the entry contradict each other.
    pub(super) fn check(&self) -> Result<(), String> {
        let moves = self.moves.split_whitespace().count();
        if moves != self.plies as usize || self.opening_plies > self.plies {
            return Err(format!("{moves} moves, but {} plies are stated", self.plies));
        }
        if !self.spent_ms.is_empty() && self.spent_ms.len() != moves {
            return Err(format!("{} times for {moves} moves", self.spent_ms.len()));
        }
        if !self.scores.is_empty() && self.scores.len() != moves {
            return Err(format!("{} scores for {moves} moves", self.scores.len()));
        }
        Ok(())
    }
}

/// A side in a log: whether the first named player moves first.
mod moves_first {
    use rules::Side;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes whether the side is the first player.
    ///
    /// # Errors
    /// The serializer fails.
    pub fn serialize<S: Serializer>(side: &Side, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(*side == Side::First)
    }

    /// Reads a side: true is the first player.
    ///
    /// # Errors
    /// The value is not a boolean.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Side, D::Error> {
        Ok(if bool::deserialize(deserializer)? { Side::First } else { Side::Second })
    }
}

/// One text for each leaf in which two JSON values differ.
fn compare(at: &str, now: &Value, logged: &Value, out: &mut Vec<String>) {
    let below = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
    match (now, logged) {
        (Value::Object(a), Value::Object(b)) => {
            for key in a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))) {
                compare(&below(key), a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null), out);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                compare(&below(&index.to_string()), a, b, out);
            }
        }
        _ if now != logged => out.push(format!("{at} is {now} now and {logged} in the log")),
        _ => {}
    }
}
