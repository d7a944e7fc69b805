//! A searched position.

use rules::{Move, Side};
use serde::{Deserialize, Serialize};

use crate::position_key::{PositionKey, hex_key, hex_key_or_null};

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
    /// Visits of the search.
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
