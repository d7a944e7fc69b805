//! One simulation: a way down the tree, a new node at its end, and the way up.

use super::{Step, TreeSearch, Waiting, backup, gumbel, puct};
use crate::config::{Algorithm, SearchConfig};
use crate::evaluator::{EvaluationError, LeafBatch};
use crate::state::GameState;
use crate::tree::{NO_NODE, NodeId, Proof, ROOT, Tree};
use rules::{Move, MoveList};

impl<S: GameState> TreeSearch<S> {
    /// One way down the tree, to a leaf for the network (pending) or to a known end, which is backed up.
    pub(super) fn simulate(&mut self, batch: &mut LeafBatch) -> Step {
        let simulation = self.simulations();
        let game = self.game.as_mut().expect("begin() comes first");
        self.path.clear();
        let mut node = ROOT;
        loop {
            let edge = match (self.order.algorithm, node) {
                (Algorithm::Gumbel, ROOT) => gumbel::select_root(&self.tree, &self.root, simulation, &self.config),
                (Algorithm::Gumbel, _) => {
                    gumbel::select_interior(&mut self.tree, node, &mut self.weights, &self.config)
                }
                (Algorithm::Puct, ROOT) => puct::select_root(&self.tree, &self.config),
                (Algorithm::Puct, _) => puct::select_interior(&mut self.tree, node, &self.config),
            };
            self.path.push((node, edge as u32));
            let taken = *self.tree.edge(node, edge);
            game.play(taken.mv);
            if taken.child == NO_NODE {
                let leaf = self.tree.add_child(node, edge);
                game.legal_moves(&mut self.legal);
                if let Some((proof, distance)) = known_end(game, &self.legal, &mut self.replies, &self.config) {
                    backup::settle(&mut self.tree, leaf, proof, distance);
                    backup::back_up(&mut self.tree, &self.path, leaf, proof.wdl(), true);
                    break;
                }
                game.push_to(&self.legal, batch);
                self.waiting = Waiting::Leaf(leaf);
                return Step::Pending;
            }
            let child = *self.tree.node(taken.child);
            if child.dormant {
                self.tree.wake(node, edge);
            }
            if child.proof != Proof::Open {
                backup::back_up(&mut self.tree, &self.path, taken.child, child.proof.wdl(), child.dormant);
                break;
            }
            if child.dormant {
                // The network has been asked about it in an earlier search.
                backup::back_up(&mut self.tree, &self.path, taken.child, child.net_wdl, false);
                break;
            }
            node = taken.child;
        }
        self.path.iter().for_each(|_| game.undo());
        Step::Done
    }

    /// Answers the pending leaf: one logit for each of its legal moves, in their order, and the mover's win,
    /// draw and loss probabilities.
    ///
    /// # Errors
    /// A value is NaN or infinite, or the probabilities are none. The search can only be begun anew then.
    pub fn supply(&mut self, logits: &[f32], wdl: [f32; 3]) -> Result<(), EvaluationError> {
        check(logits, wdl)?;
        let node = match self.waiting {
            Waiting::Nothing => panic!("no evaluation was asked for"),
            Waiting::Root => ROOT,
            Waiting::Leaf(leaf) => leaf,
        };
        expand(&mut self.tree, node, &self.legal, logits, wdl);
        if node == ROOT {
            let root = self.tree.node_mut(ROOT);
            if root.proof == Proof::Open {
                (root.wdl, root.visits) = (wdl, 1);
            }
            self.plan_root();
        } else {
            backup::back_up(&mut self.tree, &self.path, node, wdl, false);
            let game = self.game.as_mut().expect("a simulation has a game");
            self.path.iter().for_each(|_| game.undo());
        }
        self.waiting = Waiting::Nothing;
        Ok(())
    }
}

/// What the rules know of the present position: its end, or a win in one.
#[inline]
fn known_end<S: GameState>(
    game: &S,
    legal: &MoveList,
    replies: &mut MoveList,
    config: &SearchConfig,
) -> Option<(Proof, u16)> {
    if let Some(score) = game.final_score(legal) {
        return Some((Proof::of_score(score), 0));
    }
    (config.win_in_one && game.win_in_one(legal, replies).is_some()).then_some((Proof::Win, 1))
}

/// The smallest prior a move is given, so that no product with it vanishes.
const LEAST_PRIOR: f32 = 1e-30;

/// Gives a node its edges with the softmax of the logits, and the network's opinion of it.
#[inline]
fn expand(tree: &mut Tree, id: NodeId, legal: &[Move], logits: &[f32], wdl: [f32; 3]) {
    tree.node_mut(id).net_wdl = wdl;
    let edges = tree.add_edges(id, legal);
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for (edge, logit) in edges.iter_mut().zip(logits) {
        edge.prior = (logit - highest).exp();
        sum += edge.prior;
    }
    for edge in edges {
        edge.prior = (edge.prior / sum).max(LEAST_PRIOR);
    }
}

fn check(logits: &[f32], wdl: [f32; 3]) -> Result<(), EvaluationError> {
    let name = |i: usize| ["win", "draw", "loss"][i].to_owned();
    if let Some(i) = wdl.iter().position(|x| !x.is_finite()) {
        return Err(EvaluationError::NotFinite { what: name(i), value: wdl[i] });
    }
    // Generous enough for a softmax in bf16.
    if wdl.iter().any(|&part| part < 0.0) || (wdl.iter().sum::<f32>() - 1.0).abs() > 0.02 {
        return Err(EvaluationError::Distribution(wdl));
    }
    match logits.iter().position(|x| !x.is_finite()) {
        Some(i) => Err(EvaluationError::NotFinite { what: format!("logit of move {i}"), value: logits[i] }),
        None => Ok(()),
    }
}
