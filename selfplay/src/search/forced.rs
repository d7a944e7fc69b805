//! PUCT's policy to learn: forced playouts, and taking them out again (Wu 2019, "Accelerating Self-Play Learning
//! in Go", section 3.2).
//!
//! At the root every move that was tried at all is visited at least √(k · prior · N) times, N being the visits
//! of all moves, so that noise can find a good move the network thinks little of. That would spoil the policy to
//! learn, so those visits are taken out of it again as far as the search, knowing what it knows in the end, would not
//! have made them; the most visited move keeps all.

use super::gumbel::{is_refuted, tried_child};
use super::puct::Scale;
use super::q_for_parent;
use super::root::RootPlan;
use crate::config::SearchConfig;
use crate::tree::{Edge, ROOT, Tree};

/// Visits that a tried root move is owed: √(k · prior · visits of all moves).
#[inline(always)]
pub(super) fn forced_playouts(k: f32, prior: f32, all_visits: f32) -> f32 {
    (k * prior * all_visits).sqrt()
}

/// Writes the visits of each root move that count in the policy to learn; 0 for refuted moves.
pub(super) fn target_visits(tree: &Tree, plan: &RootPlan, config: &SearchConfig, out: &mut Vec<f32>) {
    let edges = tree.edges(ROOT);
    out.clear();
    out.extend(edges.iter().map(|edge| match tried_child(tree, edge) {
        Some(child) if !is_refuted(tree, edge) => child.visits as f32,
        _ => 0.0,
    }));
    if plan.forced_playouts <= 0.0 {
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
        let least = (made - forced_playouts(plan.forced_playouts, edges[i].prior, scale.visits).ceil()).max(0.0);
        while *visits > least && score(&edges[i], *visits - 1.0) < best_score {
            *visits -= 1.0;
        }
        // What is left of a move cut down to one visit is chance.
        if *visits < made && *visits <= 1.0 {
            *visits = 0.0;
        }
    }
}

/// Writes each root move's share of the visits that count in the policy to learn, and returns their sum. Without
/// any the shares are the network's policy.
pub(super) fn visit_shares(tree: &Tree, plan: &RootPlan, config: &SearchConfig, out: &mut Vec<f32>) -> f32 {
    target_visits(tree, plan, config, out);
    let visits: f32 = out.iter().sum();
    if out.iter().all(|&visits| visits == 0.0) {
        out.clear();
        out.extend(tree.edges(ROOT).iter().map(|edge| if is_refuted(tree, edge) { 0.0 } else { edge.prior }));
    }
    let sum: f32 = out.iter().sum();
    out.iter_mut().for_each(|share| *share /= sum);
    visits
}
