//! PUCT's policy target: forced playouts, and their removal (Wu 2019, "Accelerating Self-Play Learning in Go",
//! section 3.2).
//!
//! At the root every tried move is visited at least √(k · prior · N) times, N being the visits of all moves, so that
//! noise can find a good move to which the network gives a low prior. That would distort the policy target, so these
//! visits are removed again as far as the search, with its final knowledge, would not have made them; the most visited
//! move keeps all.

use super::puct::{Scale, forced_playouts};
use super::q_for_parent;
use crate::config::SearchConfig;
use crate::tree::{Edge, ROOT, Tree};

/// Writes the visits of each root move that count in the policy target, without those forced by the factor `k`; 0 for
/// proven losses.
pub(super) fn target_visits(tree: &Tree, k: f32, config: &SearchConfig, out: &mut Vec<f32>) {
    let edges = tree.edges(ROOT);
    out.clear();
    out.extend(edges.iter().map(|edge| match tree.tried_child(edge) {
        Some(child) if !tree.is_proven_loss(edge) => child.visits as f32,
        _ => 0.0,
    }));
    if k <= 0.0 {
        return;
    }
    let Some(best) = (0..out.len()).max_by(|&a, &b| out[a].total_cmp(&out[b]).then(b.cmp(&a))) else { return };
    let scale = Scale::of_root(tree, config);
    let score = |edge: &Edge, visits: f32| scale.score(q_for_parent(tree, edge.child), edge.prior, visits);
    if out[best] == 0.0 {
        return;
    }
    let best_score = score(&edges[best], out[best]);
    for (i, visits) in out.iter_mut().enumerate() {
        if i == best || *visits == 0.0 {
            continue;
        }
        let made = *visits;
        let least = (made - forced_playouts(k, edges[i].prior, scale.visits).ceil()).max(0.0);
        while *visits > least && score(&edges[i], *visits - 1.0) < best_score {
            *visits -= 1.0;
        }
        // A single remaining visit of a reduced move is chance.
        if *visits < made && *visits <= 1.0 {
            *visits = 0.0;
        }
    }
}

/// Writes each root move's share of the visits that count in the policy target, and returns their sum. If the sum is
/// 0, the shares are the network's policy.
pub(super) fn visit_shares(tree: &Tree, k: f32, config: &SearchConfig, out: &mut Vec<f32>) -> f32 {
    target_visits(tree, k, config, out);
    let visits: f32 = out.iter().sum();
    if out.iter().all(|&visits| visits == 0.0) {
        out.clear();
        out.extend(tree.edges(ROOT).iter().map(|edge| if tree.is_proven_loss(edge) { 0.0 } else { edge.prior }));
    }
    let sum: f32 = out.iter().sum();
    out.iter_mut().for_each(|share| *share /= sum);
    visits
}

#[cfg(test)]
mod tests {
    use super::super::puct::{self, Alone};
    use super::*;
    use crate::tree::{NO_NODE, Proof, flip};
    use rules::Move;

    /// A root whose moves have these priors, visits and Q-values for the side to move.
    fn root(moves: &[(f32, u32, f32)]) -> Tree {
        let mut tree = Tree::default();
        tree.reset();
        let codes: Vec<Move> = (0..moves.len() as u32).map(Move::from_raw).collect();
        tree.add_edges(ROOT, &codes);
        for (i, &(prior, visits, q)) in moves.iter().enumerate() {
            tree.edges_mut(ROOT)[i].prior = prior;
            if visits > 0 {
                let child = tree.add_child(ROOT, i);
                let node = tree.node_mut(child);
                (node.visits, node.wdl) = (visits, flip([(1.0 + q) / 2.0, 0.0, (1.0 - q) / 2.0]));
            }
        }
        tree
    }

    fn config() -> SearchConfig {
        SearchConfig { cpuct: 1.0, cpuct_log: 0.0, fpu_reduction: 0.2, ..SearchConfig::default() }
    }

    fn target(tree: &Tree, k: f32) -> Vec<f32> {
        let mut out = Vec::new();
        target_visits(tree, k, &config(), &mut out);
        out
    }

    #[test]
    fn a_tried_move_is_owed_the_square_root() {
        assert_eq!(forced_playouts(2.0, 0.02, 100.0), 2.0);
        // N = 100: the second move is due √(2 · 0.02 · 100) = 2 visits and has 1; the third has not been tried.
        let tree = root(&[(0.9, 99, 0.5), (0.02, 1, -0.9), (0.08, 0, 0.0)]);
        assert_eq!(puct::select_root(&tree, &Alone, 2.0, &config()), 1);
        assert_eq!(puct::select_root(&tree, &Alone, 0.0, &config()), 2, "without forcing the move not tried");
        // With 2 visits no visit is due: √(2 · 0.02 · 101) = 2.01 would require another one, √(2 · 0.0198 · 101) = 2
        // does not.
        assert_eq!(
            puct::select_root(&root(&[(0.9, 99, 0.5), (0.0198, 2, -0.9), (0.08, 0, 0.0)]), &Alone, 2.0, &config()),
            2
        );
    }

    /// N = 100, √(100.01) ≈ 10. The best move's score is 0.2 + 10 · 0.5 / 81 = 0.2617.
    #[test]
    fn forced_visits_are_taken_out_as_far_as_the_best_stays_best() {
        let tree = root(&[(0.5, 80, 0.2), (0.08, 15, 0.1), (0.1, 5, -0.5)]);
        // The second is owed √(2 · 0.08 · 100) = 4 visits. With one visit taken its score would be
        // 0.1 + 10 · 0.08 / 15 = 0.1533, with four 0.1 + 0.8 / 12 = 0.1667: all four go, though more could.
        // The third is owed √20, rounded up 5: −0.5 + 10 · 0.1 / 1 = 0.5 with none left is above 0.2617, with one
        // left −0.5 + 0.5 = 0 is not. That one is chance, so nothing is left.
        assert_eq!(target(&tree, 2.0), [80.0, 11.0, 0.0]);
        assert_eq!(target(&tree, 0.0), [80.0, 15.0, 5.0]);
        // With a Q of 0.19 the second's score with n visits is 0.19 + 0.8 / (n + 1), below 0.2617 from n = 11 on;
        // at 0.2 from 12 on (0.8 / 0.0617 = 12.96 = n + 1).
        assert_eq!(target(&root(&[(0.5, 80, 0.2), (0.08, 15, 0.2), (0.1, 5, -0.5)]), 2.0)[1], 12.0);
    }

    #[test]
    fn a_visit_that_was_not_forced_stays() {
        // One visit each: neither could lose it and stay below the best.
        let tree = root(&[(0.5, 2, 0.0), (0.3, 1, 0.0), (0.2, 1, 0.9)]);
        assert_eq!(target(&tree, 2.0), [2.0, 1.0, 1.0]);
    }

    #[test]
    fn proven_losses_and_empty_roots_have_no_visits_to_learn() {
        let mut tree = root(&[(0.5, 10, 0.0), (0.5, 6, -1.0)]);
        let child = tree.edges(ROOT)[1].child;
        tree.node_mut(child).proof = Some(Proof::Win);
        assert_eq!(target(&tree, 2.0), [10.0, 0.0]);
        let untried = root(&[(0.25, 0, 0.0), (0.75, 0, 0.0)]);
        assert_eq!(untried.edges(ROOT)[0].child, NO_NODE);
        let mut shares = Vec::new();
        assert_eq!(visit_shares(&untried, 2.0, &config(), &mut shares), 0.0);
        assert_eq!(shares, [0.25, 0.75], "the network's policy");
    }
}
