//! One simulation: a way down the tree, a new node at its end, and the way up.

use super::puct::Alone;
use super::root::RootPlan;
use super::{Step, TreeSearch, Waiting, backup, gumbel, puct};
use crate::cache::EvaluationCache;
use crate::config::{Algorithm, SearchConfig};
use crate::evaluator::{EvaluationError, LeafBatch};
use crate::state::GameState;
use crate::tree::{NO_NODE, NodeId, Proof, ROOT, Tree, q_of};
use rules::{Move, MoveList};

/// What a simulation works with on its way down. It leaves the game at the end of the way.
pub(super) struct Walk<'a, S> {
    pub tree: &'a mut Tree,
    pub game: &'a mut S,
    /// Nodes passed and the edges taken from them.
    pub path: &'a mut Vec<(NodeId, u32)>,
    /// The legal moves of a new leaf.
    pub legal: &'a mut MoveList,
    pub replies: &'a mut MoveList,
    /// The moves of a new leaf that end the game.
    pub ends: &'a mut Vec<End>,
    pub config: &'a SearchConfig,
    pub cache: &'a mut EvaluationCache,
}

/// Where a way down ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DescentOutcome {
    /// At a node that needs an evaluation.
    New(NodeId),
    /// At an end of the game or a win in one, which has been backed up.
    Known,
    /// At a node that an earlier search has asked the network about; it has been backed up.
    Recalled,
    /// At a node whose evaluation is awaited.
    Awaited,
}

impl<S: GameState> Walk<'_, S> {
    /// Goes down from the root by the edges that `select` names.
    #[inline(always)]
    pub(super) fn descend(&mut self, mut select: impl FnMut(&mut Tree, NodeId) -> usize) -> DescentOutcome {
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
            if child.dormant {
                self.tree.wake(node, edge);
            }
            if let Some(proof) = child.proof {
                backup::back_up(self.tree, self.path, taken.child, proof.wdl(), child.dormant);
                return DescentOutcome::Known;
            }
            if child.dormant {
                self.game.legal_moves(self.legal);
                find_ends(self.game, self.legal, self.replies, self.ends, self.config);
                settle_ends(self.tree, taken.child, self.ends);
                backup::back_up(self.tree, self.path, taken.child, child.net_wdl, false);
                return DescentOutcome::Recalled;
            }
            if !child.expanded {
                return DescentOutcome::Awaited;
            }
            node = taken.child;
        }
    }

    /// Gives a new leaf the evaluation that the cache has for it, if it has one.
    #[inline]
    pub(super) fn recall(&mut self, leaf: NodeId) -> bool {
        let Some((logits, wdl)) = look_up(self.cache, self.game, self.legal) else { return false };
        expand(self.tree, leaf, self.legal, logits, wdl, self.ends);
        backup::back_up(self.tree, self.path, leaf, wdl, false);
        true
    }
}

impl<S: GameState> TreeSearch<S> {
    /// What a simulation works with, the plan of the root, and room for the weights of moves.
    #[inline(always)]
    pub(super) fn walk<'a>(
        &'a mut self,
        cache: &'a mut EvaluationCache,
    ) -> (Walk<'a, S>, &'a RootPlan, &'a mut Vec<f32>) {
        let walk = Walk {
            tree: &mut self.tree,
            game: self.game.as_mut().expect("begin() comes first"),
            path: &mut self.path,
            legal: &mut self.legal,
            replies: &mut self.replies,
            ends: &mut self.ends,
            config: &self.config,
            cache,
        };
        (walk, &self.root, &mut self.weights)
    }

    /// One way down the tree, to a leaf for the network (pending) or to one whose value is known, which is
    /// backed up.
    pub(super) fn simulate(&mut self, batch: &mut LeafBatch, cache: &mut EvaluationCache) -> Step {
        let (simulation, order) = (self.simulations(), self.order);
        let (mut walk, root, weights) = self.walk(cache);
        let config = walk.config;
        let arrival = walk.descend(|tree, node| match (order.algorithm, node) {
            (Algorithm::Gumbel, ROOT) => gumbel::select_root(tree, root, simulation, config),
            (Algorithm::Gumbel, _) => gumbel::select_interior(tree, node, weights, config),
            (Algorithm::Puct, ROOT) => puct::select_root(tree, &Alone, root.forced_playouts, config),
            (Algorithm::Puct, _) => puct::select_interior(tree, node, &Alone, config),
        });
        let recalled = match arrival {
            DescentOutcome::New(leaf) if !walk.recall(leaf) => {
                walk.game.push_to(walk.legal, batch);
                self.waiting = Waiting::Leaf(leaf);
                return Step::Pending;
            }
            DescentOutcome::New(_) | DescentOutcome::Recalled => 1,
            DescentOutcome::Known => 0,
            DescentOutcome::Awaited => unreachable!("one leaf at a time"),
        };
        walk.path.iter().for_each(|_| walk.game.undo());
        self.recalled += recalled;
        Step::Done
    }

    /// Evaluates the pending leaf: one logit for each of its legal moves, in their order, and the mover's win, draw
    /// and loss probabilities. The evaluation goes to `cache` as well.
    ///
    /// # Errors
    /// A value is NaN or infinite, or the probabilities are no distribution. The search must be begun anew then.
    ///
    /// # Panics
    /// If no leaf is pending.
    pub fn supply(
        &mut self,
        logits: &[f32],
        wdl: [f32; 3],
        cache: &mut EvaluationCache,
    ) -> Result<(), EvaluationError> {
        check(logits, wdl)?;
        let game = self.game.as_mut().expect("a simulation has a game");
        if let Some(key) = cache_key(cache, game) {
            cache.insert(key, logits, wdl);
        }
        match self.waiting {
            Waiting::Nothing => panic!("no evaluation was asked for"),
            Waiting::Root => {
                expand(&mut self.tree, ROOT, &self.legal, logits, wdl, &self.ends);
                self.root_is_evaluated(wdl);
            }
            Waiting::Leaf(leaf) => {
                expand(&mut self.tree, leaf, &self.legal, logits, wdl, &self.ends);
                backup::back_up(&mut self.tree, &self.path, leaf, wdl, false);
                self.path.iter().for_each(|_| game.undo());
            }
        }
        self.waiting = Waiting::Nothing;
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

/// The key of the present position of `game`, unless nothing can be kept for it.
#[inline]
pub(super) fn cache_key<S: GameState>(cache: &EvaluationCache, game: &S) -> Option<u128> {
    if cache.has_room() { game.input_key() } else { None }
}

/// The evaluation that `cache` has for the present position of `game`.
#[inline]
pub(super) fn look_up<'c, S: GameState>(
    cache: &'c mut EvaluationCache,
    game: &S,
    legal: &[Move],
) -> Option<(&'c [f32], [f32; 3])> {
    cache.get(cache_key(cache, game)?, legal.len())
}

/// A move that ends the game, and what it brings the player who makes it.
pub(super) type End = (Move, Proof);

/// What the rules know of the present position: its end, a win in one, or that every move ends the game. Where they know
/// nothing, `ends` has the moves that end the game without a win.
#[inline]
fn known_end<S: GameState>(
    game: &mut S,
    legal: &MoveList,
    replies: &mut MoveList,
    ends: &mut Vec<End>,
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
    ends: &mut Vec<End>,
    config: &SearchConfig,
) {
    ends.clear();
    if config.ends_in_one {
        game.ends_in_one(legal, replies, |mv, score| ends.push((mv, Proof::of_score(score))));
    }
}

/// What `ends` prove of a position with so many legal moves: a win if one of them wins, their best if there is no other
/// move.
fn best_end(ends: &[End], legal: usize) -> Option<Proof> {
    let has = |wanted: Proof| ends.iter().any(|&(_, proof)| proof == wanted);
    if has(Proof::Win) {
        Some(Proof::Win)
    } else if ends.len() < legal {
        None
    } else {
        Some(if has(Proof::Draw) { Proof::Draw } else { Proof::Loss })
    }
}

/// Gives the moves that end the game their nodes, without a visit, in a node that has just got its edges or has been
/// woken. They stand before the moves not tried, except at the root, where the order of moves is fixed.
pub(super) fn settle_ends(tree: &mut Tree, id: NodeId, ends: &[End]) {
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
            child => {
                tree.wake(id, edge);
                child
            }
        };
        backup::settle(tree, child, proof.flip(), 0);
        tree.node_mut(id).refuted += u16::from(proof == Proof::Loss);
    }
    if let (ROOT, Some(proof)) = (id, best_end(ends, tree.edges(id).len())) {
        backup::settle(tree, ROOT, proof, 1);
    }
}

/// The smallest prior a move is given, so that no product with it vanishes.
const LEAST_PRIOR: f32 = 1e-30;

/// Gives a node its edges with the softmax of the logits, the network's opinion of it, and what is known of the moves that
/// end the game.
#[inline]
pub(super) fn expand(tree: &mut Tree, id: NodeId, legal: &[Move], logits: &[f32], wdl: [f32; 3], ends: &[End]) {
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

pub(super) fn check(logits: &[f32], wdl: [f32; 3]) -> Result<(), EvaluationError> {
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
