//! One simulation: select a path down the tree, expand a leaf, have it evaluated, back its value up.

use super::pending_leaves::PendingLeaf;
use super::puct::Alone;
use super::root::RootPlan;
use super::{TreeSearch, backup, gumbel, puct};
use crate::config::{Algorithm, SearchConfig};
use crate::evaluator::{EvaluationError, Evaluations, LeafBatch};
use crate::state::GameState;
use crate::tree::{EndingMove, NO_NODE, NodeId, Proof, ROOT, Tree, q_of};
use rules::{Move, MoveList};

/// The state of a simulation on its way down. On return the game is at the leaf.
struct Walk<'a, S> {
    tree: &'a mut Tree,
    game: &'a mut S,
    /// Nodes passed and the edges taken from them.
    path: &'a mut Vec<(NodeId, u32)>,
    /// The legal moves of a new leaf.
    legal: &'a mut MoveList,
    replies: &'a mut MoveList,
    /// The moves of a new leaf that end the game.
    ends: &'a mut Vec<EndingMove>,
    config: &'a SearchConfig,
}

/// How a descent ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DescentOutcome {
    /// At a node that needs an evaluation.
    New(NodeId),
    /// At an end of the game or a win in one, which has been backed up.
    Known,
    /// At a node whose evaluation is pending.
    Awaited,
}

impl<S: GameState> Walk<'_, S> {
    /// Descends from the root by the edges that `select` chooses.
    #[inline(always)]
    fn descend(&mut self, mut select: impl FnMut(&mut Tree, NodeId) -> usize) -> DescentOutcome {
        self.path.clear();
        let mut node = ROOT;
        loop {
            let edge = select(self.tree, node);
            self.path.push((node, edge as u32));
            let taken = *self.tree.edge(node, edge);
            self.game.play(taken.mv);
            if taken.child == NO_NODE {
                let leaf = self.tree.add_child(node, edge);
                self.game.legal_moves(self.legal);
                let known = known_end(self.game, self.legal, self.replies, self.ends, self.config);
                let Some((proof, distance)) = known else { return DescentOutcome::New(leaf) };
                backup::settle(self.tree, leaf, proof, distance);
                backup::back_up(self.tree, self.path, leaf, proof.wdl(), true);
                return DescentOutcome::Known;
            }
            let child = *self.tree.node(taken.child);
            if let Some(proof) = child.proof {
                backup::back_up(self.tree, self.path, taken.child, proof.wdl(), false);
                return DescentOutcome::Known;
            }
            if !child.expanded {
                return DescentOutcome::Awaited;
            }
            node = taken.child;
        }
    }
}

impl<S: GameState> TreeSearch<S> {
    /// Makes at most `most` simulations, until `wanted` leaves wait for the network and have been appended to `batch`, the
    /// search needs no more, or all paths lead to waiting leaves. With Gumbel search one leaf waits at a time. Returns the
    /// number of leaves, which are supplied in their order; 0 of fewer than `most` means that the search is finished.
    #[inline]
    pub(crate) fn next_leaves(&mut self, wanted: usize, most: u32, batch: &mut LeafBatch) -> usize {
        assert_eq!(self.pending.len(), 0, "supply() comes before the next leaf");
        if !self.root.planned {
            let game = self.game.as_ref().expect("begin() comes first");
            let Some(wdl) = expand_known(&mut self.tree, ROOT, game, &self.legal, &self.ends, batch) else {
                self.pending.push(ROOT, &[], &self.legal, &self.ends, false);
                return 1;
            };
            self.root_is_evaluated(wdl);
            self.tally.recalled += 1;
        }
        let wanted = if self.order.algorithm.allows_pending_leaves() { wanted } else { 1 };
        for _ in 0..most {
            let is_full = self.pending.len() >= wanted || self.pending.collisions() >= wanted;
            if is_full || self.is_over(self.pending.len() as u32) {
                break;
            }
            self.simulate(batch, wanted > 1);
        }
        self.pending.drop_collisions();
        self.pending.len()
    }

    /// Descends the tree once: to a leaf for the network, which is appended to `batch`, or to one whose value is known,
    /// which is backed up. `others` says whether other leaves may be pending.
    #[inline]
    fn simulate(&mut self, batch: &mut LeafBatch, others: bool) {
        let (simulation, algorithm) = (self.simulations(), self.order.algorithm);
        let TreeSearch { root, weights, pending, tally, config, .. } = self;
        let (root, config): (&RootPlan, &SearchConfig) = (root, config);
        let mut walk = Walk {
            tree: &mut self.tree,
            game: self.game.as_mut().expect("begin() comes first"),
            path: &mut self.path,
            legal: &mut self.legal,
            replies: &mut self.replies,
            ends: &mut self.ends,
            config,
        };
        let outcome = match (algorithm, others) {
            (Algorithm::Gumbel, _) => walk.descend(|tree, node| match node {
                ROOT => gumbel::select_root(tree, root, simulation, config),
                _ => gumbel::select_interior(tree, node, weights, config),
            }),
            (Algorithm::Puct, false) => walk.descend(|tree, node| match node {
                ROOT => puct::select_root(tree, &Alone, root.forced_playouts, config),
                _ => puct::select_interior(tree, node, &Alone, config),
            }),
            (Algorithm::Puct, true) => walk.descend(|tree, node| match node {
                ROOT => puct::select_root(tree, &pending.virtual_loss, root.forced_playouts, config),
                _ => puct::select_interior(tree, node, &pending.virtual_loss, config),
            }),
        };
        let Walk { tree, game, path, legal, ends, .. } = walk;
        match outcome {
            DescentOutcome::New(leaf) => match expand_known(tree, leaf, game, legal, ends, batch) {
                Some(wdl) => {
                    backup::back_up(tree, path, leaf, wdl, false);
                    tally.add(path.len());
                    tally.recalled += 1;
                }
                None => pending.push(leaf, path, legal, ends, others),
            },
            DescentOutcome::Known => tally.add(path.len()),
            DescentOutcome::Awaited => {
                let &(parent, edge) = path.last().expect("the root has been evaluated");
                pending.push_collision(tree.edge(parent, edge as usize).child, path);
            }
        }
        path.iter().for_each(|_| game.undo());
    }

    /// Evaluates the leaf that has waited longest: it is `leaf` of `batch`, and `answers` belong to `batch`.
    ///
    /// # Errors
    /// A value is NaN or infinite, or the probabilities are no distribution. The search must then be restarted.
    ///
    /// # Panics
    /// If no leaf is pending.
    pub fn supply(&mut self, batch: &mut LeafBatch, leaf: usize, answers: &Evaluations) -> Result<(), EvaluationError> {
        let (logits, wdl) = answers.of(batch, leaf);
        if let Err(error) = check(logits, wdl) {
            self.forget();
            return Err(error);
        }
        batch.keep(leaf, logits, wdl);
        let PendingLeaf { node, path, legal, ends, .. } = self.pending.take_first();
        let node = *node;
        expand(&mut self.tree, node, legal, logits, wdl, ends);
        self.tally.evaluations += 1;
        if node == ROOT {
            self.root_is_evaluated(wdl);
        } else {
            backup::back_up(&mut self.tree, path, node, wdl, false);
            self.tally.add(path.len());
        }
        Ok(())
    }

    /// Begins the root's statistics and fixes its plan.
    pub(super) fn root_is_evaluated(&mut self, wdl: [f32; 3]) {
        let root = self.tree.node_mut(ROOT);
        if root.proof.is_none() {
            (root.wdl, root.visits, root.q_squared) = (wdl, 1, q_of(wdl).powi(2));
        }
        self.plan_root();
    }
}

/// Expands a node with the cached evaluation of the present position of `game`, and returns win, draw, loss. If none
/// is cached, the position is appended to `batch`.
#[inline]
fn expand_known<S: GameState>(
    tree: &mut Tree,
    id: NodeId,
    game: &S,
    legal: &[Move],
    ends: &[EndingMove],
    batch: &mut LeafBatch,
) -> Option<[f32; 3]> {
    let key = if batch.has_cache() { game.input_key() } else { None };
    if let Some((logits, wdl)) = batch.recall(key, legal.len()) {
        expand(tree, id, legal, logits, wdl, ends);
        return Some(wdl);
    }
    game.push_to(legal, batch);
    batch.set_key(key);
    None
}

/// What the rules prove of the present position: its end, a win in one, or that every move ends the game. If they prove
/// nothing, `ends` has the moves that end the game without a win.
#[inline]
fn known_end<S: GameState>(
    game: &mut S,
    legal: &MoveList,
    replies: &mut MoveList,
    ends: &mut Vec<EndingMove>,
    config: &SearchConfig,
) -> Option<(Proof, u16)> {
    if let Some(score) = game.final_score(legal) {
        return Some((Proof::of_score(score), 0));
    }
    if config.win_in_one && game.win_in_one(legal, replies).is_some() {
        return Some((Proof::Win, 1));
    }
    find_ends(game, legal, replies, ends, config);
    Some((best_end(ends, legal.len())?, 1))
}

/// Fills `ends` with the moves of `legal` that end the game otherwise than by mate.
#[inline]
pub(super) fn find_ends<S: GameState>(
    game: &mut S,
    legal: &[Move],
    replies: &mut MoveList,
    ends: &mut Vec<EndingMove>,
    config: &SearchConfig,
) {
    ends.clear();
    if config.ends_in_one {
        game.ends_in_one(legal, replies, |mv, score| ends.push((mv, Proof::of_score(score))));
    }
}

/// What `ends` prove of a position with so many legal moves: a win if one of them wins; if there are no other moves,
/// the best of them.
fn best_end(ends: &[EndingMove], legal: usize) -> Option<Proof> {
    let has = |wanted: Proof| ends.iter().any(|&(_, proof)| proof == wanted);
    if has(Proof::Win) {
        Some(Proof::Win)
    } else if ends.len() < legal {
        None
    } else {
        Some(if has(Proof::Draw) { Proof::Draw } else { Proof::Loss })
    }
}

/// Adds nodes without visits for the moves that end the game, in a node that has just got its edges.
/// They come before the moves not tried, except at the root, where the order of moves is fixed.
pub(super) fn settle_ends(tree: &mut Tree, id: NodeId, ends: &[EndingMove]) {
    for &(mv, proof) in ends {
        let edges = tree.edges(id);
        let mut edge = edges.iter().position(|edge| edge.mv == mv).expect("an end is a legal move");
        if id != ROOT {
            let front = usize::from(tree.node(id).explored);
            tree.edges_mut(id).swap(front, edge);
            edge = front;
        }
        let child = match tree.edge(id, edge).child {
            NO_NODE => tree.add_child(id, edge),
            child => child,
        };
        backup::settle(tree, child, proof.flip(), 0);
        tree.node_mut(id).proven_losses += u16::from(proof == Proof::Loss);
    }
    if let (ROOT, Some(proof)) = (id, best_end(ends, tree.edges(id).len())) {
        backup::settle(tree, ROOT, proof, 1);
    }
}

/// The smallest prior of a move, so that no product with it becomes 0.
const LEAST_PRIOR: f32 = 1e-30;

/// Gives a node its edges with the softmax of the logits, the network's value, and the known results of the moves that
/// end the game.
#[inline]
fn expand(tree: &mut Tree, id: NodeId, legal: &[Move], logits: &[f32], wdl: [f32; 3], ends: &[EndingMove]) {
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
    settle_ends(tree, id, ends);
}

fn check(logits: &[f32], wdl: [f32; 3]) -> Result<(), EvaluationError> {
    let name = |i: usize| ["win", "draw", "loss"][i].to_owned();
    if let Some(i) = wdl.iter().position(|x| !x.is_finite()) {
        return Err(EvaluationError::NotFinite { what: name(i), value: wdl[i] });
    }
    // The tolerance is wide enough for a softmax in bf16.
    if wdl.iter().any(|&part| part < 0.0) || (wdl.iter().sum::<f32>() - 1.0).abs() > 0.02 {
        return Err(EvaluationError::Distribution(wdl));
    }
    match logits.iter().position(|x| !x.is_finite()) {
        Some(i) => Err(EvaluationError::NotFinite { what: format!("logit of move {i}"), value: logits[i] }),
        None => Ok(()),
    }
}
