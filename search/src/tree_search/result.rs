//! The result of a search.

use super::{TreeSearch, forced, gumbel, puct, q_for_parent};
use crate::config::Algorithm;
use crate::state::GameState;
use crate::tree::{Proof, ROOT, Tree, q_of};
use rules::Move;

/// The result of a search, from the point of view of the player to move at its root.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The move to play.
    pub best: Move,
    /// The policy target: moves and their shares, which sum to 1; moves with no share are left out.
    /// For Gumbel the improved policy, for PUCT the shares of visits, for a proven root the proven moves.
    pub policy: Vec<(Move, f32)>,
    /// All legal moves.
    pub moves: Vec<RootMove>,
    /// Win, draw, loss by the search: of the improved policy for Gumbel, the mean of the simulations for PUCT; exact if
    /// proven.
    pub root_wdl: [f32; 3],
    /// Win − loss by the search.
    pub root_q: f32,
    /// Win, draw, loss by the network alone.
    pub net_wdl: [f32; 3],
    /// Win − loss by the network alone.
    pub net_q: f32,
    /// Entropy of the network's policy, nats.
    pub net_policy_entropy: f32,
    /// Kullback–Leibler divergence of `policy` from the network's policy, nats: how much the search surprised
    /// the network.
    pub policy_kld: f32,
    /// Visits made; fewer than requested if a proof ended the search.
    pub visits: u32,
    /// The proven result, and the plies until the game then ends.
    pub proven: Option<(Proof, u16)>,
}

/// A legal move at the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// Visits.
    pub visits: u32,
    /// Visits that count in the policy target: PUCT removes forced ones, the other algorithms count all.
    pub target_visits: u32,
    /// The network's policy.
    pub prior: f32,
    /// Win − loss for the side to move; 0 if the move has not been tried.
    pub q: f32,
    /// Share in the policy target.
    pub share: f32,
    /// The proven result of the move, for the side to move, and the plies until the game then ends, this move included.
    pub proven: Option<(Proof, u16)>,
}

impl Default for SearchResult {
    fn default() -> Self {
        SearchResult {
            best: Move::from_raw(0),
            policy: Vec::new(),
            moves: Vec::new(),
            root_wdl: [0.0; 3],
            root_q: 0.0,
            net_wdl: [0.0; 3],
            net_q: 0.0,
            net_policy_entropy: 0.0,
            policy_kld: 0.0,
            visits: 0,
            proven: None,
        }
    }
}

impl<S: GameState> TreeSearch<S> {
    /// Fills in `self.result`.
    pub(super) fn write_result(&mut self) {
        let (tree, shares) = (&self.tree, &mut self.weights);
        let root = *tree.node(ROOT);
        let (mut target_visits, mut root_wdl) = (None, root.wdl);
        let best = match (root.proof, self.order.algorithm) {
            (Some(proof), _) => proven_policy(tree, proof, shares),
            (None, Algorithm::Gumbel) => {
                gumbel::improved_policy(tree, &self.root, &self.config, shares);
                root_wdl = gumbel::improved_wdl(tree, shares);
                gumbel::choose(tree, &self.root, &self.config)
            }
            (None, Algorithm::Puct) => {
                target_visits = Some(forced::visit_shares(tree, self.root.forced_playouts, &self.config, shares));
                puct::choose(tree)
            }
        };
        let result = &mut self.result;
        result.best = tree.edges(ROOT)[best].mv;
        result.moves.clear();
        result.policy.clear();
        (result.net_policy_entropy, result.policy_kld) = (0.0, 0.0);
        for ((edge, planned), &share) in tree.edges(ROOT).iter().zip(&self.root.moves).zip(shares.iter()) {
            let child = tree.tried_child(edge);
            let visits = child.map_or(0, |child| child.visits);
            result.moves.push(RootMove {
                mv: edge.mv,
                visits,
                target_visits: target_visits.map_or(visits, |sum| (share * sum).round() as u32),
                prior: planned.net_prior,
                q: if child.is_some() { q_for_parent(tree, edge.child) } else { 0.0 },
                share,
                proven: child.and_then(|child| Some((child.proof?.flip(), child.distance + 1))),
            });
            result.net_policy_entropy -= planned.net_prior * planned.net_prior.ln();
            if share > 0.0 {
                result.policy.push((edge.mv, share));
                result.policy_kld += share * (share / planned.net_prior).ln();
            }
        }
        result.root_wdl = distribution(root_wdl);
        result.root_q = q_of(result.root_wdl);
        result.net_wdl = root.net_wdl;
        result.net_q = q_of(root.net_wdl);
        result.visits = root.visits - self.root.visits_before;
        result.proven = root.proof.map(|proof| (proof, root.distance));
    }
}

/// The nearest proper distribution: it removes rounding errors, of the mean or of a network in low precision.
fn distribution(wdl: [f32; 3]) -> [f32; 3] {
    let parts = wdl.map(|part| part.max(0.0));
    let sum: f32 = parts.iter().sum();
    parts.map(|part| part / sum)
}

/// Equal shares for the moves that prove the root: the quickest wins, any draws, or the longest resistance. Returns the
/// one with the highest prior.
fn proven_policy(tree: &Tree, proof: Proof, shares: &mut Vec<f32>) -> usize {
    let edges = tree.edges(ROOT);
    let distance = |wanted: Proof| {
        edges
            .iter()
            .filter_map(|edge| tree.tried_child(edge))
            .filter(move |c| c.proof == Some(wanted))
            .map(|c| c.distance)
    };
    let wanted = match proof {
        Proof::Win => distance(Proof::Loss).min(),
        Proof::Loss => distance(Proof::Win).max(),
        Proof::Draw => None,
    };
    shares.clear();
    shares.extend(edges.iter().map(|edge| match tree.tried_child(edge) {
        Some(child) if child.proof == Some(proof.flip()) && wanted.is_none_or(|d| d == child.distance) => 1.0,
        _ => 0.0,
    }));
    let sum: f32 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum);
    let rank = |i: usize| (shares[i] > 0.0, edges[i].prior);
    (1..edges.len()).fold(0, |best, i| if rank(i) > rank(best) { i } else { best })
}
