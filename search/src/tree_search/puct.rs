//! PUCT: AlphaZero's selection with KataGo's first-play urgency, and its exploration constant that grows with the visits
//! and with how far the values below a node differ.

use super::q_for_parent;
use crate::config::SearchConfig;
use crate::tree::{Edge, NO_NODE, Node, NodeId, ROOT, Tree, q_of};

/// Simulations that have gone through a node and wait for the network: each counts as a visit that was lost
/// (*virtual loss*, Chaslot, Winands and van den Herik 2008), so that the next simulation goes elsewhere.
pub(super) trait VirtualLosses {
    /// Pending simulations through `node`, or to it.
    fn through(&self, node: NodeId) -> u32;
}

/// A search with one leaf at a time: no simulation is pending when it chooses.
pub(super) struct Alone;

impl VirtualLosses for Alone {
    #[inline(always)]
    fn through(&self, _: NodeId) -> u32 {
        0
    }
}

/// What the scores of all moves of a node have in common.
pub(super) struct Scale {
    /// Visits of all moves.
    pub visits: f32,
    /// Exploration factor: constant · √(visits of all moves).
    explore: f32,
    /// Q-value of moves not tried.
    first_play: f32,
}

impl Scale {
    #[inline]
    fn of(tree: &Tree, id: NodeId, pending: &impl VirtualLosses, fpu_reduction: f32, config: &SearchConfig) -> Scale {
        let node = tree.node(id);
        let (mut visits, mut tried_prior) = (0, 0.0);
        for edge in &tree.edges(id)[..usize::from(node.explored)] {
            if let Some(child) = chosen_child(tree, edge, pending) {
                visits += child;
                tried_prior += edge.prior;
            }
        }
        let visits = visits as f32;
        let constant = config.cpuct + config.cpuct_log * ((visits + CPUCT_BASE) / CPUCT_BASE).ln();
        Scale {
            visits,
            explore: constant * deviation_factor(node, config) * (visits + 0.01).sqrt(),
            first_play: q_of(node.wdl) - fpu_reduction * tried_prior.max(0.0).sqrt(),
        }
    }

    /// The scale of the finished search's root.
    pub(super) fn of_root(tree: &Tree, config: &SearchConfig) -> Scale {
        Scale::of(tree, ROOT, &Alone, ROOT_FPU_REDUCTION, config)
    }

    #[inline(always)]
    fn untried(&self, prior: f32) -> f32 {
        self.first_play + self.explore * prior
    }

    /// The score of a tried move with `virtual_losses` pending simulations through it.
    #[inline(always)]
    fn tried(&self, tree: &Tree, child: NodeId, prior: f32, virtual_losses: u32) -> f32 {
        let node = tree.node(child);
        let visits = node.visits;
        let mut q = -q_of(node.wdl);
        if virtual_losses > 0 {
            q = (q * visits as f32 - virtual_losses as f32) / (visits + virtual_losses) as f32;
        }
        self.score(q, prior, (visits + virtual_losses) as f32)
    }

    /// Q-value and exploration bonus of a move with so many visits.
    #[inline(always)]
    pub(super) fn score(&self, q: f32, prior: f32, visits: f32) -> f32 {
        q + self.explore * prior / (1.0 + visits)
    }
}

/// [`SearchConfig::fpu_reduction`] at the root (KataGo 0).
const ROOT_FPU_REDUCTION: f32 = 0.0;

/// Visits at which the constant begins to grow (KataGo 500; AlphaZero 19,652).
const CPUCT_BASE: f32 = 500.0;

/// Deviation of the values below a node that is expected, in units of q (KataGo 0.4).
const EXPECTED_DEVIATION: f32 = 0.4;

/// Visits that the expected deviation of values counts for, in addition to the real ones (KataGo: 2).
const EXPECTED_VISITS: f32 = 2.0;

/// Factor on exploration: larger if the values below a node differ more than expected, smaller if they differ less
/// (KataGo's *dynamic variance-scaled cPUCT*): if values hardly differ, a small advantage must suffice.
#[inline(always)]
fn deviation_factor(node: &Node, config: &SearchConfig) -> f32 {
    if config.cpuct_deviation_share == 0.0 {
        return 1.0;
    }
    let (visits, expected) = (node.visits as f32, EXPECTED_DEVIATION);
    let seen = visits * (node.q_squared - q_of(node.wdl).powi(2)).max(0.0);
    let variance = (seen + EXPECTED_VISITS * expected * expected) / (visits + EXPECTED_VISITS);
    1.0 + config.cpuct_deviation_share * (variance.sqrt() / expected - 1.0)
}

/// Visits of the child behind an edge, including pending ones; `None` if there has been none.
#[inline(always)]
fn chosen_child(tree: &Tree, edge: &Edge, pending: &impl VirtualLosses) -> Option<u32> {
    if edge.child == NO_NODE {
        return None;
    }
    let virtual_losses = pending.through(edge.child);
    match tree.tried_child(edge) {
        Some(child) => Some(child.visits + virtual_losses),
        None => (virtual_losses > 0).then_some(virtual_losses),
    }
}

/// Visits due to a tried root move: √(k · prior · visits of all moves).
#[inline(always)]
pub(super) fn forced_playouts(k: f32, prior: f32, all_visits: f32) -> f32 {
    (k * prior * all_visits).sqrt()
}

/// The root move of a simulation. The order of root moves is fixed, so all of them are examined. A move with forced
/// playouts due (`forced` is the factor k of [`forced`](super::forced)) goes first.
pub(super) fn select_root(tree: &Tree, pending: &impl VirtualLosses, forced: f32, config: &SearchConfig) -> usize {
    let scale = Scale::of(tree, ROOT, pending, ROOT_FPU_REDUCTION, config);
    let (mut best, mut best_score) = (0, f32::NEG_INFINITY);
    for (i, edge) in tree.edges(ROOT).iter().enumerate() {
        let score = match chosen_child(tree, edge, pending) {
            Some(_) if tree.is_proven_loss(edge) => continue,
            Some(visits) if (visits as f32) < forced_playouts(forced, edge.prior, scale.visits) => return i,
            Some(_) => scale.tried(tree, edge.child, edge.prior, pending.through(edge.child)),
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
pub(super) fn select_interior(
    tree: &mut Tree,
    id: NodeId,
    pending: &impl VirtualLosses,
    config: &SearchConfig,
) -> usize {
    let untried = tree.front_untried(id);
    let explored = usize::from(tree.node(id).explored);
    if explored == 0 {
        return 0;
    }
    let scale = Scale::of(tree, id, pending, config.fpu_reduction, config);
    let edges = tree.edges(id);
    let (mut best, mut best_score) = (explored, f32::NEG_INFINITY);
    for (i, edge) in edges[..explored].iter().enumerate() {
        let score = scale.tried(tree, edge.child, edge.prior, pending.through(edge.child));
        if score > best_score && !tree.is_proven_loss(edge) {
            (best, best_score) = (i, score);
        }
    }
    match untried {
        Some(front) if scale.untried(edges[front].prior) > best_score => front,
        _ => best,
    }
}

/// The root move to play: the most visited, of equals the one with the higher value. Proven losses only if
/// there is no other move.
pub(super) fn choose(tree: &Tree) -> usize {
    let edges = tree.edges(ROOT);
    let rank = |i: usize| {
        let edge = &edges[i];
        let visits = tree.tried_child(edge).map_or(0, |child| child.visits);
        let q = if visits > 0 { q_for_parent(tree, edge.child) } else { f32::NEG_INFINITY };
        (!tree.is_proven_loss(edge), visits, q, edge.prior)
    };
    // The first of equals: a later one must be better.
    (1..edges.len()).fold(0, |best, i| if rank(i) > rank(best) { i } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::flip;
    use rules::Move;

    /// A node with value 0.1 for the side to move and three moves, of which the first was tried 3 times (Q 0.2) and the
    /// second once (Q −0.4).
    fn node() -> Tree {
        let mut tree = Tree::default();
        tree.reset();
        let codes: Vec<Move> = (0..3).map(Move::from_raw).collect();
        for (edge, prior) in tree.add_edges(ROOT, &codes).iter_mut().zip([0.5, 0.14, 0.36]) {
            edge.prior = prior;
        }
        tree.node_mut(ROOT).wdl = [0.55, 0.0, 0.45];
        for (edge, visits, q) in [(0, 3, 0.2f32), (1, 1, -0.4)] {
            let child = tree.add_child(ROOT, edge);
            let node = tree.node_mut(child);
            (node.visits, node.wdl) = (visits, flip([(1.0 + q) / 2.0, 0.0, (1.0 - q) / 2.0]));
        }
        tree
    }

    fn config() -> SearchConfig {
        SearchConfig { cpuct: 1.5, cpuct_log: 0.0, fpu_reduction: 0.25, ..SearchConfig::default() }
    }

    fn close(a: f32, b: f32) {
        assert!((a - b).abs() < 1e-5, "{a} for {b}");
    }

    #[test]
    fn scores_by_hand() {
        let tree = node();
        let scale = Scale::of(&tree, ROOT, &Alone, 0.25, &config());
        assert_eq!(scale.visits, 4.0);
        // 1.5 · √4.01 = 3.003748; tried prior 0.64, its root 0.8.
        close(scale.explore, 3.003_748);
        close(scale.first_play, 0.1 - 0.25 * 0.8);
        close(scale.tried(&tree, tree.edge(ROOT, 0).child, 0.5, 0), 0.2 + 3.003_748 * 0.5 / 4.0);
        close(scale.tried(&tree, tree.edge(ROOT, 1).child, 0.14, 0), -0.4 + 3.003_748 * 0.14 / 2.0);
        close(scale.untried(0.36), -0.1 + 3.003_748 * 0.36);
        // The root uses its own reduction: an untried move gets the parent's value.
        close(Scale::of(&tree, ROOT, &Alone, ROOT_FPU_REDUCTION, &config()).first_play, 0.1);
    }

    #[test]
    fn the_constant_grows_with_the_logarithm_of_the_visits() {
        let config = SearchConfig { cpuct_log: 100.0, ..config() };
        // 1.5 + 100 · ln((4 + 500) / 500) = 2.296817; times √4.01.
        close(Scale::of(&node(), ROOT, &Alone, 0.0, &config).explore, 2.296_817 * 4.01f32.sqrt());
    }

    #[test]
    fn the_constant_follows_the_deviation_of_the_values() {
        let config = SearchConfig { cpuct_deviation_share: 0.5, ..config() };
        let mut tree = node();
        let root = tree.node_mut(ROOT);
        // Mean 0.1, mean square 0.26: a variance of 0.25 over 5 visits, and 2 visits of the expected 0.16.
        (root.visits, root.q_squared) = (5, 0.26);
        let deviation = (5.0f32 * 0.25 + 2.0 * 0.16).sqrt() / 7f32.sqrt();
        close(deviation_factor(tree.node(ROOT), &config), 1.0 + 0.5 * (deviation / 0.4 - 1.0));
        close(Scale::of(&tree, ROOT, &Alone, 0.0, &config).explore, 3.003_748 * (0.5 + 0.5 * deviation / 0.4));
        // Equal values: less exploration. Without a share nothing changes.
        tree.node_mut(ROOT).q_squared = 0.01;
        assert!(deviation_factor(tree.node(ROOT), &config) < 0.8);
        close(deviation_factor(tree.node(ROOT), &SearchConfig { cpuct_deviation_share: 0.0, ..config }), 1.0);
    }

    struct TwoPending(NodeId);

    impl VirtualLosses for TwoPending {
        fn through(&self, node: NodeId) -> u32 {
            if node == self.0 { 2 } else { 0 }
        }
    }

    #[test]
    fn leaves_in_flight_are_visits_that_lost() {
        let tree = node();
        let pending = TwoPending(tree.edge(ROOT, 0).child);
        let scale = Scale::of(&tree, ROOT, &pending, 0.25, &config());
        assert_eq!(scale.visits, 6.0);
        // (3 · 0.2 − 2) / 5 = −0.28.
        let explore = 1.5 * 6.01f32.sqrt();
        close(scale.tried(&tree, pending.0, 0.5, 2), -0.28 + explore * 0.5 / 6.0);
    }
}
