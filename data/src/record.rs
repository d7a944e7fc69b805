//! A finished game as the generator hands it over and as the reader gives it back.

use serde::{Deserialize, Serialize};

use crate::error::{DataError, Result};

/// A position key: 96 bits, big endian (`rules::Key::to_bytes`).
pub type PositionKey = [u8; 12];

/// A finished game with the positions that were searched in it.
///
/// `README.md` of this crate lists the columns these fields become, with unit and perspective.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameRecord {
    /// Unique within a run; a repeated job makes the same one.
    pub game_id: u64,
    /// The run that made it.
    pub run_id: String,
    /// The generation that finished it, which is the one whose shard holds it.
    pub generation: u32,
    /// Identifier of the variant: "wangqi".
    pub variant: String,
    /// Name of the rule set and whatever was changed in it: "full max-plies=160".
    pub ruleset: String,
    /// What played it: host, slot or thread, in the generator's words.
    pub worker: String,
    /// Seed of the game's random numbers.
    pub seed: u64,
    /// Network of the first player at the end of the game: sha256, 16 hex digits, or a name such as "uniform".
    pub net_first: String,
    /// Network of the second player.
    pub net_second: String,
    /// Start position; `None` is the variant's own.
    pub start_fen: Option<String>,
    /// The opening it was started from, where a list of openings gave it.
    pub opening_id: Option<String>,
    /// Set-up chosen by the first player (Janggi).
    pub setup_first: Option<String>,
    /// Set-up chosen by the second player (Janggi).
    pub setup_second: Option<String>,
    /// Move codes (`rules::Move::raw`) from the start position on.
    pub moves: Vec<u32>,
    /// The same moves in UCI, separated by single spaces.
    pub moves_text: String,
    /// +1 the first player won, 0 draw, −1 the second player won.
    pub result: i8,
    /// Why it ended: `rules::Termination::name`.
    pub termination: String,
    /// Points of the first player where the variant counts them.
    pub points_first: Option<f32>,
    /// Points of the second player.
    pub points_second: Option<f32>,
    /// Simulations spent on the whole game.
    pub visits: u32,
    /// Played on after the loser would have resigned, to check the resignation threshold.
    pub resigned_playthrough: bool,
    /// When it began: milliseconds since 1970 UTC; 0 in runs that must repeat byte for byte.
    pub started_at: i64,
    /// How long it took, in milliseconds; 0 in runs that must repeat byte for byte.
    pub wall_ms: u32,
    /// Version of the program that played it.
    pub engine_version: String,
    /// The searched positions, by ply.
    pub positions: Vec<PositionRecord>,
}

/// One searched position. Values are seen by the side to move.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionRecord {
    /// Moves played before it since the start position.
    pub ply: u16,
    /// The side to move: 0 first, 1 second.
    pub side: u8,
    /// Key of the position.
    #[serde(with = "hex_key")]
    pub pos_key: PositionKey,
    /// Key of the position one ply earlier; `None` at the start position.
    #[serde(with = "hex_key_or_null")]
    pub parent_key: Option<PositionKey>,
    /// The move played: the game's move at this ply.
    pub mv: u32,
    /// The moves of the policy target.
    pub policy_move: Vec<u32>,
    /// The policy target: weights parallel to `policy_move`, with a sum above 0. Visits for PUCT; for Gumbel
    /// search the improved policy scaled to a sum of 65,536. Either way the target is weight ÷ sum.
    pub policy_visits: Vec<u32>,
    /// Win, draw, loss of the search, with a sum of 1.
    pub root_wdl: [f32; 3],
    /// Win − loss of the search, −1 to 1.
    pub root_q: f32,
    /// Win − loss of the network alone.
    pub net_q: f32,
    /// Entropy of the network's policy over the legal moves, in nats.
    pub net_policy_entropy: f32,
    /// KL divergence of the network's policy from the target, in nats: the surprise.
    pub policy_kld: f32,
    /// Simulations spent on it.
    pub visits: u32,
    /// A full search, whose policy is a target; false for the fast ones of cap randomisation.
    pub full_search: bool,
    /// Weight of the row in training, 0 or more.
    pub target_weight: f32,
    /// The generation that searched it; a long game has several.
    pub generation: u32,
}

impl GameRecord {
    /// Number of plies.
    pub fn plies(&self) -> usize {
        self.moves.len()
    }

    /// Refuses what a reader could not make sense of; every road into a file passes here.
    pub fn check(&self) -> Result<()> {
        self.contradiction().map_or(Ok(()), |reason| Err(DataError::InvalidRecord { game_id: self.game_id, reason }))
    }

    fn contradiction(&self) -> Option<String> {
        let plies = self.moves.len();
        let words = self.moves_text.split_ascii_whitespace().count();
        if words != plies {
            return Some(format!("{plies} moves, but {words} in moves_text"));
        }
        if plies > usize::from(u16::MAX) {
            return Some(format!("{plies} plies do not fit the column"));
        }
        if !(-1..=1).contains(&self.result) {
            return Some(format!("result {} is not 1, 0 or -1", self.result));
        }
        if self.termination.is_empty() {
            return Some("it has no termination, so it is not finished".to_owned());
        }
        if ![self.points_first, self.points_second].into_iter().flatten().all(f32::is_finite) {
            return Some("its points are not finite".to_owned());
        }
        if !self.positions.windows(2).all(|pair| pair[0].ply < pair[1].ply) {
            return Some("its positions are not in the order of plies".to_owned());
        }
        self.positions.iter().find_map(|position| {
            let reason = position.contradiction(&self.moves)?;
            Some(format!("position at ply {}: {reason}", position.ply))
        })
    }
}

impl PositionRecord {
    fn contradiction(&self, moves: &[u32]) -> Option<String> {
        if moves.get(usize::from(self.ply)) != Some(&self.mv) {
            return Some(format!("move {} is not the game's move there", self.mv));
        }
        if self.side > 1 {
            return Some(format!("side {} is not 0 or 1", self.side));
        }
        if self.policy_move.len() != self.policy_visits.len() {
            return Some("policy_move and policy_visits differ in length".to_owned());
        }
        if self.policy_visits.iter().all(|&visits| visits == 0) {
            return Some("the policy is empty".to_owned());
        }
        let [win, draw, loss] = self.root_wdl;
        let rest = [self.root_q, self.net_q, self.net_policy_entropy, self.policy_kld, self.target_weight];
        if !rest.iter().chain(&self.root_wdl).all(|value| value.is_finite()) {
            return Some("a value is not finite".to_owned());
        }
        if (win + draw + loss - 1.0).abs() > 1e-3 || self.root_wdl.iter().any(|&part| part < -1e-6) {
            return Some(format!("root_wdl {:?} is not a distribution", self.root_wdl));
        }
        if self.target_weight < 0.0 {
            return Some(format!("target_weight {} is negative", self.target_weight));
        }
        None
    }
}

fn to_hex(key: &PositionKey) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex<E: serde::de::Error>(text: &str) -> Result<PositionKey, E> {
    let not_a_key = || E::custom(format!("{text:?} is not a key of 24 hex digits"));
    if text.len() != 24 || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(not_a_key());
    }
    let number = u128::from_str_radix(text, 16).map_err(|_| not_a_key())?;
    let mut key = PositionKey::default();
    key.copy_from_slice(&number.to_be_bytes()[4..]);
    Ok(key)
}

mod hex_key {
    use super::{PositionKey, from_hex, to_hex};
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(key: &PositionKey, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&to_hex(key))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PositionKey, D::Error> {
        from_hex(&String::deserialize(deserializer)?)
    }
}

mod hex_key_or_null {
    use super::{PositionKey, from_hex, to_hex};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(key: &Option<PositionKey>, serializer: S) -> Result<S::Ok, S::Error> {
        key.as_ref().map(to_hex).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PositionKey>, D::Error> {
        Option::<String>::deserialize(deserializer)?.map(|text| from_hex(&text)).transpose()
    }
}
