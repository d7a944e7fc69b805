//! What the lines of a log say.

use super::{GameKey, value};
use crate::adjudication::Adjudication;
use crate::limit::Limit;
use crate::score::Score;
use rules::Side;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of the format.
pub(super) const FORMAT: u32 = 1;

/// The first line of a log: everything the games depend on, so that a match goes on only with the settings it
/// began with. The number of pairs is not among them: a match may be made longer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the format.
    pub kirin_match: u32,
    /// Variant.
    pub variant: String,
    /// Rule-set preset.
    pub ruleset: String,
    /// Limit of plies.
    pub max_plies: u32,
    /// Seed of openings and chance.
    pub seed: u64,
    /// How the openings are made: `random N plies`, or a digest of the list.
    pub openings: String,
    /// The limit that the players have in common.
    #[serde(default, skip_serializing_if = "is_own")]
    pub limit: Limit,
    /// When games end by the players' scores.
    #[serde(default, skip_serializing_if = "Adjudication::is_off")]
    pub adjudication: Adjudication,
    /// The players.
    pub players: [PlayerRecord; 2],
}

/// A player as the log names it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerRecord {
    /// Name in tables.
    pub name: String,
    /// What it is: `random`, `mcts:100`, or the digest of a network.
    pub identity: String,
    /// Settings of its search or of the engine, if it has any.
    pub search: Value,
}

impl PlayerRecord {
    /// Whether it may play the same opening differently: a network's search has no noise in a match.
    pub fn plays_by_chance(&self) -> bool {
        self.search.is_null()
    }
}

impl Header {
    /// A header of this version of the format, of a match without adjudication.
    pub fn new(
        variant: &str,
        rules: (&str, u32),
        (seed, limit): (u64, Limit),
        openings: String,
        players: [PlayerRecord; 2],
    ) -> Header {
        Header {
            kirin_match: FORMAT,
            variant: variant.to_owned(),
            ruleset: rules.0.to_owned(),
            max_plies: rules.1,
            seed,
            openings,
            limit,
            adjudication: Adjudication::default(),
            players,
        }
    }

    /// One text for each setting in which a log with this header differs from a match with ours.
    pub fn differences(&self, logged: &Header) -> Vec<String> {
        let mut out = Vec::new();
        compare("", &value(self), &value(logged), &mut out);
        out
    }

    /// BLAKE3 of the settings, 16 hex digits.
    pub fn digest(&self) -> String {
        blake3::hash(value(self).to_string().as_bytes()).to_hex()[..16].to_owned()
    }
}

/// So that logs without one are as they were before there were limits.
fn is_own(limit: &Limit) -> bool {
    *limit == Limit::Own
}

/// One finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameEntry {
    /// Number of the pair, from 0.
    pub pair: u32,
    /// Whether the first named player moved first.
    pub first_named_first: bool,
    /// Start position, empty for the variant's own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fen: String,
    /// How many of the moves belong to the opening.
    pub opening_plies: u32,
    /// All moves in UCI, separated by spaces.
    pub moves: String,
    /// Number of moves.
    pub plies: u32,
    /// +1 the player who moved first won, 0 drawn, −1 lost.
    pub result: i8,
    /// Why the game ended ([`rules::Termination::name`]).
    pub termination: String,
    /// What a player did wrong, where that ended the game.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Milliseconds that each move took, the opening's 0; empty where nobody's time is measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spent_ms: Vec<u32>,
    /// What the players said of their moves; nothing for the opening, for moves that are the only legal one, and where
    /// a player says nothing; empty where nobody ever does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<Option<Score>>,
    /// Which run of the program finished it, from 1.
    pub session: u32,
    /// Milliseconds since that run began.
    pub elapsed_ms: u64,
}

impl GameEntry {
    /// The game's place in the match.
    pub fn key(&self) -> GameKey {
        (self.pair, if self.first_named_first { Side::First } else { Side::Second })
    }

    /// The result for the first named player: +1, 0, −1.
    pub fn result_of_first_named(&self) -> i8 {
        if self.first_named_first { self.result } else { -self.result }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        if !(-1..=1).contains(&self.result) {
            return Err(format!("{} is no result", self.result));
        }
        let moves = self.moves.split_whitespace().count();
        if moves != self.plies as usize || self.opening_plies > self.plies {
            return Err(format!("{moves} moves where {} plies are stated", self.plies));
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
