//! Gumbel AlphaZero (Danihelka, Guez, Schrittwieser and Silver 2022), as in `mctx`: which move a simulation
//! takes at the root and below it, and the improved policy.
//!
//! A move proven to lose is treated as if it were illegal: it takes no part in any sum, minimum or maximum.

use super::q_for_parent;
use super::root::RootPlan;
use crate::config::SearchConfig;
use crate::tree::{Edge, NO_NODE, NodeId, Proof, ROOT, Tree, q_of};

/// Root scores are not below this, so that a lone considered move can always be chosen.
const LEAST_SCORE: f32 = -1e9;
/// A smaller range of Q-values is not stretched to 0–1.
const LEAST_RANGE: f32 = 1e-8;

/// The parameters that turn a Q-value into a term added to a logit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Completion {
    /// Lowest completed Q-value.
    min: f32,
    /// 1 / (highest − lowest, or the floor of that range).
    rescale: f32,
    /// (c_visit + most visits) · c_scale.
    weight: f32,
    /// The highest term: `weight`, or what is left of it where the Q-values have no range to stretch.
    top: f32,
    /// The Q-value of moves not tried: the mixed value of Appendix D of the paper.
    mixed: f32,
    /// Visits of all moves tried.
    visits: u32,
    /// Policy share of the moves tried that are not proven losses.
    tried_prior: f32,
    /// Policy share of the proven losses.
    lost_prior: f32,
}

impl Completion {
    /// Sums over the first `explored` edges of a node, for choosing moves: all Q-values are stretched to 0–1.
    #[inline]
    pub(super) fn of(tree: &Tree, id: NodeId, config: &SearchConfig) -> Completion {
        Completion::with_floor(tree, id, config, 0.0)
    }

    /// Like [`Completion::of`] with a range of Q-values not less than `floor`.
    #[inline(always)]
    pub(super) fn with_floor(tree: &Tree, id: NodeId, config: &SearchConfig, floor: f32) -> Completion {
        let node = tree.node(id);
        let (mut visits, mut most, mut tried, mut tried_prior, mut lost_prior) = (0, 0, 0, 0.0, 0.0);
        let (mut weighted, mut min, mut max) = (0.0, f32::INFINITY, f32::NEG_INFINITY);
        for edge in &tree.edges(id)[..usize::from(node.explored)] {
            let Some(child) = tree.tried_child(edge) else { continue };
            tried += 1;
            if child.proof == Some(Proof::Win) {
                lost_prior += edge.prior;
                continue;
            }
            let q = q_for_parent(tree, edge.child);
            visits += child.visits;
            most = most.max(child.visits);
            tried_prior += edge.prior;
            weighted += edge.prior * q;
            (min, max) = (min.min(q), max.max(q));
        }
        let raw = q_of(node.net_wdl);
        let mixed =
            if visits > 0 { (raw + visits as f32 * (weighted / tried_prior)) / (visits + 1) as f32 } else { raw };
        if tried < node.edge_count {
            (min, max) = (min.min(mixed), max.max(mixed));
        }
        let range = max - min;
        // Q-values that are all equal have no range to stretch.
        let rescale = 1.0 / range.max(floor).max(LEAST_RANGE);
        let weight = (config.c_visit + most as f32) * config.c_scale;
        Completion {
            min,
            rescale,
            weight,
            top: if range < LEAST_RANGE { weight * (range * rescale) } else { weight },
            mixed,
            visits,
            tried_prior,
            lost_prior,
        }
    }

    /// σ(q): the term of a Q-value, added to a logit.
    #[inline(always)]
    fn term(&self, q: f32) -> f32 {
        self.weight * ((q - self.min) * self.rescale)
    }

    /// The term of a move's completed Q-value, added to its logit.
    #[inline(always)]
    pub(super) fn term_of(&self, tree: &Tree, edge: &Edge) -> f32 {
        let child = tree.tried_child(edge);
        self.term(child.map_or(self.mixed, |child| -q_of(child.wdl)))
    }
}

/// The root move of a simulation: of those with the visit count that sequential halving considers now, the
/// one with the highest noise + logit + σ(q).
///
/// If proven losses leave no move with that count, the moves dropped last replace them, and after those the moves that
/// were never considered.
pub(super) fn select_root(tree: &Tree, plan: &RootPlan, simulation: u32, config: &SearchConfig) -> usize {
    let wanted = plan.considered[simulation as usize];
    best_root_move(tree, plan, config, |visits| {
        if visits <= wanted { wanted - visits } else { u32::MAX / 2 + (visits - wanted) }
    })
}

/// The root move to play: among the most visited, the highest noise + logit + σ(q).
pub(super) fn choose(tree: &Tree, plan: &RootPlan, config: &SearchConfig) -> usize {
    best_root_move(tree, plan, config, |visits| u32::MAX - visits)
}

/// The move that is no proven loss with the lowest rank, and among those the highest score.
fn best_root_move(tree: &Tree, plan: &RootPlan, config: &SearchConfig, rank: impl Fn(u32) -> u32) -> usize {
    let completion = Completion::of(tree, ROOT, config);
    let (mut best, mut best_rank, mut best_score) = (0, u32::MAX, f32::NEG_INFINITY);
    for (i, (edge, planned)) in tree.edges(ROOT).iter().zip(&plan.moves).enumerate() {
        if tree.is_proven_loss(edge) {
            continue;
        }
        let visits = if edge.child == NO_NODE { 0 } else { tree.node(edge.child).visits };
        let rank = rank(visits);
        if rank > best_rank {
            continue;
        }
        let score = (planned.gumbel + planned.logit + completion.term_of(tree, edge)).max(LEAST_SCORE);
        if rank < best_rank || score > best_score {
            (best, best_rank, best_score) = (i, rank, score);
        }
    }
    best
}

/// The move below the root: the one whose share of the visits is furthest behind its share of the improved
/// policy, softmax(logits + σ(completed q)).
///
/// Moves not tried have one Q-value in common, so the best of them is the one with the highest prior, and only tried
/// moves are examined individually.
#[inline]
pub(super) fn select_interior(tree: &mut Tree, id: NodeId, weights: &mut Vec<f32>, config: &SearchConfig) -> usize {
    let untried = tree.front_untried(id);
    let explored = usize::from(tree.node(id).explored);
    if explored == 0 {
        return 0;
    }
    let completion = Completion::of(tree, id, config);
    let edges = tree.edges(id);
    // The improved policy up to a factor. The highest term is subtracted, so that the largest share neither overflows nor
    // vanishes.
    let share = |edge: &Edge, term: f32| edge.prior * (term - completion.top).exp();
    weights.clear();
    let mut sum = 0.0;
    for edge in &edges[..explored] {
        let weight = if tree.is_proven_loss(edge) { 0.0 } else { share(edge, completion.term_of(tree, edge)) };
        weights.push(weight);
        sum += weight;
    }
    let mut front_share = 0.0;
    if let Some(front) = untried {
        let term = completion.term(completion.mixed);
        front_share = share(&edges[front], term);
        let untried_prior = (1.0 - completion.tried_prior - completion.lost_prior).max(edges[front].prior);
        sum += untried_prior * (term - completion.top).exp();
    }
    let (per_share, per_visit) = (1.0 / sum, 1.0 / (1 + completion.visits) as f32);
    let (mut best, mut best_score) = (explored, f32::NEG_INFINITY);
    for (i, edge) in edges[..explored].iter().enumerate() {
        let score = weights[i] * per_share - tree.node(edge.child).visits as f32 * per_visit;
        if score > best_score && !tree.is_proven_loss(edge) {
            (best, best_score) = (i, score);
        }
    }
    match untried {
        Some(front) if front_share * per_share > best_score => front,
        _ => best,
    }
}

/// The value of the improved policy: win, draw and loss of each move by its share, where moves not tried have the mixed
/// value. The mean of the simulations is lower, because half of them visit each considered move once.
pub(super) fn improved_wdl(tree: &Tree, shares: &[f32]) -> [f32; 3] {
    let (node, mut mean, mut tried_share) = (tree.node(ROOT), [0.0; 3], 0.0);
    // The mixed value as win, draw and loss.
    let (mut visits, mut tried_prior, mut weighted) = (0, 0.0, [0.0; 3]);
    for (edge, &share) in tree.edges(ROOT).iter().zip(shares) {
        let Some(child) = tree.tried_child(edge).filter(|child| child.proof != Some(Proof::Win)) else { continue };
        let wdl = crate::tree::flip(child.wdl);
        for i in 0..3 {
            mean[i] += share * wdl[i];
            weighted[i] += edge.prior * wdl[i];
        }
        (tried_share, visits, tried_prior) = (tried_share + share, visits + child.visits, tried_prior + edge.prior);
    }
    let untried_share = (1.0 - tried_share).max(0.0);
    for i in 0..3 {
        let mixed = match visits {
            0 => node.net_wdl[i],
            n => (node.net_wdl[i] + n as f32 * (weighted[i] / tried_prior)) / (n + 1) as f32,
        };
        mean[i] += untried_share * mixed;
    }
    mean
}

/// Writes the improved policy, softmax(logits + σ(completed q)), for every root move; 0 for proven losses.
pub(super) fn improved_policy(tree: &Tree, plan: &RootPlan, config: &SearchConfig, out: &mut Vec<f32>) {
    let completion = Completion::with_floor(tree, ROOT, config, config.q_range_floor);
    out.clear();
    out.extend(tree.edges(ROOT).iter().zip(&plan.moves).map(|(edge, planned)| {
        if tree.is_proven_loss(edge) { f32::NEG_INFINITY } else { planned.logit + completion.term_of(tree, edge) }
    }));
    let highest = out.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for share in out.iter_mut() {
        *share = (*share - highest).exp();
        sum += *share;
    }
    out.iter_mut().for_each(|share| *share /= sum);
}
