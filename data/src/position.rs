//! A searched position, and the table `positions`.

use rules::{Move, Side, Variant};
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;

use crate::column::{
    Codes, Column, Flag, Float, Int, Key, Maybe, Table, Unsigned, Unsigned64, Unsigneds, VERSION, since,
};
use crate::game::GameRecord;
use crate::tables::SCHEMA_VERSION;

/// The key of a position: 96 bits, big endian (`rules::Key::to_bytes`).
pub type PositionKey = [u8; 12];

/// More nats than any entropy or divergence of a policy: probabilities are never that small.
const MOST_NATS: f32 = 1e3;
/// Highest weight of a row. Those of a game's full searches have a mean of 1, and it has fewer than 65,536 plies.
const MOST_WEIGHT: f32 = 65_536.0;

/// One searched position. Values are from the point of view of the side to move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionRecord {
    /// Moves played before it since the start position.
    pub ply: u16,
    /// The side to move.
    pub side: Side,
    /// Key of the position.
    #[serde(with = "hex_key")]
    pub pos_key: PositionKey,
    /// Key of the position one ply earlier; `None` at the start position.
    #[serde(with = "hex_key_or_null")]
    pub parent_key: Option<PositionKey>,
    /// The move played: the game's move at this ply.
    pub mv: Move,
    /// The moves of the policy target.
    pub policy_move: Vec<Move>,
    /// The policy target: weights parallel to `policy_move`, with a sum above 0. They are visits for PUCT, and for
    /// Gumbel search the improved policy scaled to a sum of 65,536. Either way the target is weight ÷ sum.
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
    /// A full search, whose policy is a target; false for the fast ones of playout cap randomisation.
    pub full_search: bool,
    /// Weight of the row in training, 0 or more.
    pub target_weight: f32,
    /// The generation that searched it; a long game has several.
    pub generation: u32,
    /// Whether the search proved how the game ends with best play of both: then `root_wdl` is certain.
    #[serde(default)]
    pub proven: bool,
}

/// The first player is to move before the first ply, and nothing was searched.
impl Default for PositionRecord {
    fn default() -> Self {
        PositionRecord {
            ply: 0,
            side: Side::First,
            pos_key: PositionKey::default(),
            parent_key: None,
            mv: Move::from_raw(0),
            policy_move: Vec::new(),
            policy_visits: Vec::new(),
            root_wdl: [0.0; 3],
            root_q: 0.0,
            net_q: 0.0,
            net_policy_entropy: 0.0,
            policy_kld: 0.0,
            visits: 0,
            full_search: false,
            target_weight: 0.0,
            generation: 0,
            proven: false,
        }
    }
}

impl PositionRecord {
    /// What is wrong with it as a position of a game with these moves.
    pub(crate) fn contradiction(&self, moves: &[Move]) -> Option<String> {
        if moves.get(usize::from(self.ply)) != Some(&self.mv) {
            return Some(format!("move {:#x} is not the game's move there", self.mv.raw()));
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
        for (name, value, range) in [
            ("root_q", self.root_q, -1.001..=1.001),
            ("net_q", self.net_q, -1.001..=1.001),
            ("net_policy_entropy", self.net_policy_entropy, -1e-3..=MOST_NATS),
            ("policy_kld", self.policy_kld, -1e-3..=MOST_NATS),
            ("target_weight", self.target_weight, 0.0..=MOST_WEIGHT),
        ] {
            if !range.contains(&value) {
                return Some(format!("{name} {value} is out of range; {} to {}", range.start(), range.end()));
            }
        }
        let doubled = |(at, mv)| self.policy_move[..at].contains(mv);
        if let Some((_, mv)) = self.policy_move.iter().enumerate().find(|&(at, mv)| doubled((at, mv))) {
            return Some(format!("the policy has move {:#x} twice", mv.raw()));
        }
        None
    }
}

/// The table `positions`: one row a searched position, by `game_id` and `ply`.
pub(crate) struct Positions<V>(PhantomData<V>);

/// A position with the game it belongs to.
pub(crate) struct PositionRow<'a, V: Variant> {
    pub game: &'a GameRecord<V>,
    pub at: &'a PositionRecord,
}

/// A position out of a file, with the id of its game.
#[derive(Clone, Default)]
pub(crate) struct PositionDraft {
    pub game_id: u64,
    pub at: PositionRecord,
}

impl<V: Variant> Table for Positions<V> {
    type Row<'a> = PositionRow<'a, V>;
    type Draft = PositionDraft;
    const SORTED: bool = true;

    fn columns() -> Vec<Column<Self>> {
        let mut columns = since(
            1,
            vec![
                Column::<Self>::new::<Unsigned64>(
                    "game_id",
                    "its game",
                    |row| row.game.game_id,
                    |draft, id| draft.game_id = id,
                )
                .varied(),
                Column::checked::<Unsigned>(
                    "ply",
                    "moves played before it",
                    |row| row.at.ply.into(),
                    |draft, ply| {
                        draft.at.ply = ply.try_into()?;
                        Ok(())
                    },
                ),
                Column::checked::<Unsigned>(
                    "side",
                    "side to move: 0 first, 1 second",
                    |row| row.at.side.into(),
                    |draft, side| {
                        draft.at.side = side.try_into()?;
                        Ok(())
                    },
                ),
                Column::<Self>::new::<Key>(
                    "pos_key",
                    "key of the position: board, side, hands; no counters",
                    |row| &row.at.pos_key,
                    |draft, key| draft.at.pos_key = key,
                )
                .varied(),
                Column::<Self>::new::<Maybe<Key>>(
                    "parent_key",
                    "key one ply earlier; null at the start",
                    |row| row.at.parent_key.as_ref(),
                    |draft, key| draft.at.parent_key = key,
                )
                .varied(),
                Column::new::<Unsigned>(
                    "move",
                    "the move played",
                    |row| row.at.mv.raw(),
                    |draft, code| draft.at.mv = Move::from_raw(code),
                ),
                Column::<Self>::new::<Codes>(
                    "policy_move",
                    "moves of the policy target",
                    |row| &row.at.policy_move,
                    |draft, moves| draft.at.policy_move = moves,
                )
                .varied(),
                Column::<Self>::new::<Unsigneds>(
                    "policy_visits",
                    "their weights, same length, sum above 0: visits for PUCT, the improved policy scaled to 65,536 for \
                     Gumbel search; the target is weight ÷ sum",
                    |row| &row.at.policy_visits,
                    |draft, weights| draft.at.policy_visits = weights,
                )
                .split(),
                Column::new::<Float>(
                    "root_win",
                    "the search's chance of a win; with the two below a distribution",
                    |row| row.at.root_wdl[0],
                    |draft, win| draft.at.root_wdl[0] = win,
                ),
                Column::new::<Float>(
                    "root_draw",
                    "the search's chance of a draw",
                    |row| row.at.root_wdl[1],
                    |draft, draw| draft.at.root_wdl[1] = draw,
                ),
                Column::new::<Float>(
                    "root_loss",
                    "the search's chance of a loss",
                    |row| row.at.root_wdl[2],
                    |draft, loss| draft.at.root_wdl[2] = loss,
                ),
                Column::new::<Float>(
                    "root_q",
                    "win − loss of the search, −1 to 1",
                    |row| row.at.root_q,
                    |draft, q| draft.at.root_q = q,
                ),
                Column::new::<Float>(
                    "net_q",
                    "win − loss of the network alone",
                    |row| row.at.net_q,
                    |draft, q| draft.at.net_q = q,
                ),
                Column::new::<Float>(
                    "net_policy_entropy",
                    "entropy of the network's policy over the legal moves, nats",
                    |row| row.at.net_policy_entropy,
                    |draft, entropy| draft.at.net_policy_entropy = entropy,
                ),
                Column::new::<Float>(
                    "policy_kld",
                    "KL divergence of the network's policy from the target, nats",
                    |row| row.at.policy_kld,
                    |draft, divergence| draft.at.policy_kld = divergence,
                ),
                Column::new::<Unsigned>(
                    "visits",
                    "simulations",
                    |row| row.at.visits,
                    |draft, visits| draft.at.visits = visits,
                ),
                Column::new::<Flag>(
                    "full_search",
                    "a full search, whose policy is a target",
                    |row| row.at.full_search,
                    |draft, full| draft.at.full_search = full,
                ),
                Column::new::<Float>(
                    "target_weight",
                    "weight of the row in training, 0 or more",
                    |row| row.at.target_weight,
                    |draft, weight| draft.at.target_weight = weight,
                ),
                Column::derived::<Int>("result_stm", "+1 the side to move won, 0 draw, −1 it lost", |row| {
                    row.game.sheet.outcome.result.for_side(row.at.side).into()
                }),
                Column::derived::<Unsigned>("plies_left", "plies to the end of the game, at least 1", |row| {
                    row.game.plies() as u32 - u32::from(row.at.ply)
                }),
                Column::new::<Unsigned>(
                    "generation",
                    "the generation that searched it; a long game has several",
                    |row| row.at.generation,
                    |draft, generation| draft.at.generation = generation,
                ),
                Column::derived::<Unsigned>(VERSION, "version of the file's columns", |_| SCHEMA_VERSION),
            ],
        );
        columns.extend(since(
            3,
            vec![Column::<Self>::new::<Flag>(
                "proven",
                "the search proved the outcome: the chances above are certain",
                |row| row.at.proven,
                |draft, proven| draft.at.proven = proven,
            )],
        ));
        columns
    }

    fn draft() -> PositionDraft {
        PositionDraft::default()
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

    /// Writes a key as hexadecimal digits.
    ///
    /// # Errors
    /// The serializer fails.
    pub fn serialize<S: Serializer>(key: &PositionKey, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&to_hex(key))
    }

    /// Reads a key from hexadecimal digits.
    ///
    /// # Errors
    /// It is no text, or not the hexadecimal digits of a key.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PositionKey, D::Error> {
        from_hex(&String::deserialize(deserializer)?)
    }
}

mod hex_key_or_null {
    use super::{PositionKey, from_hex, to_hex};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes a key as hexadecimal digits, or null.
    ///
    /// # Errors
    /// The serializer fails.
    pub fn serialize<S: Serializer>(key: &Option<PositionKey>, serializer: S) -> Result<S::Ok, S::Error> {
        key.as_ref().map(to_hex).serialize(serializer)
    }

    /// Reads a key from hexadecimal digits, or `None` from null.
    ///
    /// # Errors
    /// It is neither null nor the hexadecimal digits of a key.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PositionKey>, D::Error> {
        Option::<String>::deserialize(deserializer)?.map(|text| from_hex(&text)).transpose()
    }
}
