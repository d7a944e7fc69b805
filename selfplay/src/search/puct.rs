//! PUCT: AlphaZero's selection with KataGo's first-play urgency and growth of the exploration constant.

use super::gumbel::{is_refuted, tried_child};
use super::q_for_parent;
use crate::config::SearchConfig;
use crate::tree::{NodeId, Proof, ROOT, Tree, q_of};

/// What all moves of a node share in their scores.
struct Scale {
    /// Exploration factor: constant · √(visits of all moves).
    explore: f32,
    /// Q-value of moves not tried.
    first_play: f32,
}

impl Scale {
    #[inline]
    fn of(tree: &Tree, id: NodeId, fpu_reduction: f32, config: &SearchConfig) -> Scale {
        let node = tree.node(id);
        let (mut visits, mut tried_prior) = (0, 0.0);
        for edge in &tree.edges(id)[..usize::from(node.explored)] {
            if let Some(child) = tried_child(tree, edge) {
                visits += child.visits;
                tried_prior += edge.prior;
            }
        }
        let visits = visits as f32;
        let constant = config.cpuct + config.cpuct_log * ((visits + config.cpuct_base) / config.cpuct_base).ln();
        Scale {
            explore: constant * (visits + 0.01).sqrt(),
            first_play: q_of(node.wdl) - fpu_reduction * tried_prior.max(0.0).sqrt(),
        }
    }

    #[inline(always)]
    fn untried(&self, prior: f32) -> f32 {
        self.first_play + self.explore * prior
    }

    #[inline(always)]
    fn tried(&self, tree: &Tree, child: NodeId, prior: f32) -> f32 {
        q_for_parent(tree, child) + self.explore * prior / (1 + tree.node(child).visits) as f32
    }
}

/// The root move of a simulation. The order of root moves is fixed, so all of them are looked at.
pub(super) fn select_root(tree: &Tree, config: &SearchConfig) -> usize {
    let scale = Scale::of(tree, ROOT, config.root_fpu_reduction, config);
    let (mut best, mut best_score) = (0, f32::NEG_INFINITY);
    for (i, edge) in tree.edges(ROOT).iter().enumerate() {
        let score = match tried_child(tree, edge) {
            Some(child) if child.proof == Proof::Win => continue,
            Some(_) => scale.tried(tree, edge.child, edge.prior),
            None => scale.untried(edge.prior),
        };
        if score > best_score {
            (best, best_score) = (i, score);
        }
    }
    best
}

/// The move below the root. Of the moves not tried only the one with the highest prior can be chosen.
#[inline]
pub(super) fn select_interior(tree: &mut Tree, id: NodeId, config: &SearchConfig) -> usize {
    let untried = tree.front_untried(id);
    let explored = usize::from(tree.node(id).explored);
    if explored == 0 {
        return 0;
    }
    let scale = Scale::of(tree, id, config.fpu_reduction, config);
    let edges = tree.edges(id);
    let (mut best, mut best_score) = (explored, f32::NEG_INFINITY);
    for (i, edge) in edges[..explored].iter().enumerate() {
        let score = scale.tried(tree, edge.child, edge.prior);
        if score > best_score && !is_refuted(tree, edge) {
            (best, best_score) = (i, score);
        }
    }
    match untried {
        Some(front) if scale.untried(edges[front].prior) > best_score => front,
        _ => best,
    }
}

/// The root move to play: the most visited, of equals the one with the higher value. Refuted moves only if
/// there is no other.
pub(super) fn choose(tree: &Tree) -> usize {
    let edges = tree.edges(ROOT);
    let rank = |i: usize| {
        let edge = &edges[i];
        let visits = tried_child(tree, edge).map_or(0, |child| child.visits);
        let q = if visits > 0 { q_for_parent(tree, edge.child) } else { f32::NEG_INFINITY };
        (!is_refuted(tree, edge), visits, q, edge.prior)
    };
    // The first of equals: a later one must be better.
    (1..edges.len()).fold(0, |best, i| if rank(i) > rank(best) { i } else { best })
}

/// Writes each root move's share of the visits; 0 for refuted ones.
pub(super) fn visit_shares(tree: &Tree, out: &mut Vec<f32>) {
    out.clear();
    out.extend(tree.edges(ROOT).iter().map(|edge| match tried_child(tree, edge) {
        Some(child) if child.proof != Proof::Win => child.visits as f32,
        _ => 0.0,
    }));
    if out.iter().all(|&visits| visits == 0.0) {
        let not_refuted = |edge| if is_refuted(tree, edge) { 0.0 } else { edge.prior };
        out.clear();
        out.extend(tree.edges(ROOT).iter().map(not_refuted));
    }
    let sum: f32 = out.iter().sum();
    out.iter_mut().for_each(|share| *share /= sum);
}
