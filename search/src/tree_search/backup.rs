//! Backing up values and proofs.
//!
//! Values are means over visits, as in every Monte Carlo search, but proofs are exact: a proven node's value replaces
//! the mean of its past visits in all nodes above it, and a move proven to lose no longer counts in the value of a node
//! that has other moves.

use crate::tree::{NO_NODE, Node, NodeId, Proof, Tree, flip, q_of};

/// Records that a node is proven, `distance` plies before the end of the game.
pub(super) fn settle(tree: &mut Tree, id: NodeId, proof: Proof, distance: u16) {
    let node = tree.node_mut(id);
    node.proof = Some(proof);
    node.distance = distance;
    node.wdl = proof.wdl();
    if !node.expanded {
        node.net_wdl = proof.wdl();
    }
}

/// Adds one visit with this value to `leaf` and to all nodes of the path that led to it. `proven` says that the leaf has
/// just been settled, so that its parents may be settled too.
pub(super) fn back_up(tree: &mut Tree, path: &[(NodeId, u32)], leaf: NodeId, wdl: [f32; 3], mut proven: bool) {
    let node = tree.node_mut(leaf);
    let mut added = wdl;
    if node.proof.is_none() {
        add(node, node.visits, wdl);
    }
    let squared = q_of(wdl).powi(2);
    count_visit(node, squared);
    for &(parent, edge) in path.iter().rev() {
        // The change in the sum of the child's values, for the parent.
        added = flip(added);
        let before = *tree.node(parent);
        let proven_loss = proven && tree.node(tree.edge(parent, edge as usize).child).proof == Some(Proof::Win);
        // With several leaves in flight, the node may have been proven in the meantime.
        let settled = before.proof.is_some();
        let node = tree.node_mut(parent);
        count_visit(node, squared);
        node.proven_losses += u16::from(proven_loss);
        proven = proven && prove(tree, parent, edge as usize);
        if proven || settled || tree.node(parent).proven_losses > 0 {
            if !proven && !settled {
                tree.node_mut(parent).wdl = mean_without_proven_losses(tree, parent);
            }
            let after = *tree.node(parent);
            let change = |i: usize| after.wdl[i] * after.visits as f32 - before.wdl[i] * before.visits as f32;
            added = std::array::from_fn(change);
        } else {
            add(tree.node_mut(parent), before.visits, added);
        }
    }
}

/// Adds a value to a node's mean over `visits` values.
#[inline(always)]
fn add(node: &mut Node, visits: u32, wdl: [f32; 3]) {
    let share = 1.0 / (visits + 1) as f32;
    node.wdl.iter_mut().zip(wdl).for_each(|(mean, value)| *mean += (value - *mean) * share);
}

/// Counts a simulation whose leaf has a value with this square, for either player.
#[inline(always)]
fn count_visit(node: &mut Node, squared: f32) {
    node.visits += 1;
    node.q_squared += (squared - node.q_squared) / node.visits as f32;
}

/// Settles `parent` if the proof of the child behind `edge` settles it.
fn prove(tree: &mut Tree, parent: NodeId, edge: usize) -> bool {
    let child = *tree.node(tree.edge(parent, edge).child);
    if child.proof == Some(Proof::Loss) {
        settle(tree, parent, Proof::Win, child.distance + 1);
        return true;
    }
    let node = tree.node(parent);
    if node.explored < node.edge_count {
        return false;
    }
    let (mut all_lose, mut longest, mut longest_draw) = (true, 0, 0);
    for edge in tree.edges(parent) {
        if edge.child == NO_NODE {
            return false;
        }
        let child = tree.node(edge.child);
        match child.proof {
            None => return false,
            Some(Proof::Win) => longest = longest.max(child.distance + 1),
            Some(Proof::Draw | Proof::Loss) => {
                all_lose = false;
                longest_draw = longest_draw.max(child.distance + 1);
            }
        }
    }
    if all_lose {
        settle(tree, parent, Proof::Loss, longest);
    } else {
        settle(tree, parent, Proof::Draw, longest_draw);
    }
    true
}

/// The mean of a node's own evaluation and of all children that are not proven to lose.
fn mean_without_proven_losses(tree: &Tree, id: NodeId) -> [f32; 3] {
    let node = tree.node(id);
    let mut sum = node.net_wdl;
    let mut visits = 1;
    for edge in &tree.edges(id)[..usize::from(node.explored)] {
        if edge.child == NO_NODE {
            continue;
        }
        let child = tree.node(edge.child);
        if child.proof != Some(Proof::Win) && child.visits > 0 {
            sum.iter_mut().zip(flip(child.wdl)).for_each(|(sum, value)| *sum += value * child.visits as f32);
            visits += child.visits;
        }
    }
    sum.map(|sum| sum / visits as f32)
}
