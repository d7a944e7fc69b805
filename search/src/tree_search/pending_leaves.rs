//! Many leaves of one tree in flight: simulations that wait for the network at the same time.
//!
//! What is under way is counted beside the tree and enters nothing but the choice of moves ([`VirtualLosses`]), so the
//! tree holds what it would hold if each simulation had been made alone, and nothing is left of a virtual loss once
//! its leaf is back.

use super::puct::{self, VirtualLosses};
use super::simulation::{DescentOutcome, End, cache_key, check, expand};
use super::{TreeSearch, backup};
use crate::cache::EvaluationCache;
use crate::evaluator::{EvaluationError, Evaluations, LeafBatch};
use crate::state::GameState;
use crate::tree::{NodeId, ROOT};
use rules::{Move, MoveList};

/// The simulations under way of one search. Memory is reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct PendingLeaves {
    counts: VirtualLoss,
    /// The first `leaves` wait for the network, in the order of the batch; the next `collisions` met one of
    /// those on their way and only keep others from doing the same; the rest is spare.
    paths: Vec<Flight>,
    leaves: usize,
    collisions: usize,
    /// What the simulations since [`PendingLeaves::restart`] have met.
    pub tally: Tally,
}

/// Counts of simulations that are back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// All.
    pub simulations: u64,
    /// Plies from the root to their ends, in sum.
    pub plies: u64,
    /// Plies of the longest.
    pub deepest: usize,
    /// Positions the network was asked about.
    pub evaluations: u64,
    /// Positions it need not be asked about: known from the last search or from the cache.
    pub recalled: u64,
}

/// Simulations under way through each node.
#[derive(Clone, Debug, Default)]
struct VirtualLoss(Vec<u32>);

impl VirtualLosses for VirtualLoss {
    #[inline(always)]
    fn through(&self, node: NodeId) -> u32 {
        self.0.get(node as usize).copied().unwrap_or(0)
    }
}

impl VirtualLoss {
    fn add(&mut self, node: NodeId) {
        let node = node as usize;
        if node >= self.0.len() {
            self.0.resize(node + 1, 0);
        }
        self.0[node] += 1;
    }

    fn remove(&mut self, node: NodeId) {
        self.0[node as usize] -= 1;
    }
}

/// One simulation under way.
#[derive(Clone, Debug)]
struct Flight {
    /// The node it goes to.
    node: NodeId,
    path: Vec<(NodeId, u32)>,
    /// The legal moves there, those of them that end the game, and the key for the cache; empty for a collision.
    legal: MoveList,
    ends: Vec<End>,
    key: Option<u128>,
}

impl PendingLeaves {
    /// Forgets all that is under way and begins counting anew.
    pub(crate) fn restart(&mut self) {
        self.counts.0.clear();
        (self.leaves, self.collisions, self.tally) = (0, 0, Tally::default());
    }

    /// Leaves that wait for the network.
    pub(crate) fn leaves(&self) -> usize {
        self.leaves
    }

    /// Virtual losses in the whole tree.
    #[cfg(test)]
    pub(crate) fn virtual_losses(&self) -> u64 {
        self.counts.0.iter().map(|&n| u64::from(n)).sum()
    }

    /// A flight to `node`, behind those that are under way.
    fn take_off(&mut self, node: NodeId, path: &[(NodeId, u32)], (legal, ends): (&[Move], &[End]), key: Option<u128>) {
        let next = self.leaves + self.collisions;
        if next == self.paths.len() {
            self.paths.push(Flight { node, path: Vec::new(), legal: MoveList::new(), ends: Vec::new(), key });
        }
        let flight = &mut self.paths[next];
        (flight.node, flight.key) = (node, key);
        flight.path.clear();
        flight.path.extend_from_slice(path);
        flight.legal.clear();
        flight.legal.extend(legal.iter().copied());
        flight.ends.clear();
        flight.ends.extend_from_slice(ends);
        path.iter().map(|&(passed, _)| passed).chain([node]).for_each(|passed| self.counts.add(passed));
    }

    /// Takes the virtual losses of a flight back.
    fn come_back(&mut self, flight: usize) {
        let Flight { node, path, .. } = &self.paths[flight];
        path.iter().map(|&(passed, _)| passed).chain([*node]).for_each(|passed| self.counts.remove(passed));
    }
}

impl Tally {
    fn add(&mut self, plies: usize) {
        self.simulations += 1;
        self.plies += plies as u64;
        self.deepest = self.deepest.max(plies);
    }
}

impl<S: GameState> TreeSearch<S> {
    /// Starts simulations until `wanted` leaves wait for the network, the search needs no more, or all ways lead
    /// to leaves that are awaited already. Leaves are pushed to `batch`, which is empty before. PUCT only.
    pub(crate) fn gather(
        &mut self,
        pending_leaves: &mut PendingLeaves,
        wanted: usize,
        batch: &mut LeafBatch,
        cache: &mut EvaluationCache,
    ) {
        if !self.root.planned {
            if !self.recall_root(cache) {
                let game = self.game.as_ref().expect("begin() comes first");
                game.push_to(&self.legal, batch);
                pending_leaves.take_off(ROOT, &[], (&self.legal, &self.ends), cache_key(cache, game));
                pending_leaves.leaves = 1;
                return;
            }
            pending_leaves.tally.recalled += 1;
        }
        while pending_leaves.leaves < wanted
            && pending_leaves.collisions < wanted
            && !self.is_over(pending_leaves.leaves as u32)
        {
            let (mut walk, root, _) = self.walk(cache);
            let (counts, forced, config) = (&pending_leaves.counts, root.forced_playouts, walk.config);
            let arrival = walk.descend(|tree, node| match node {
                ROOT => puct::select_root(tree, counts, forced, config),
                _ => puct::select_interior(tree, node, counts, config),
            });
            let plies = walk.path.len();
            match arrival {
                DescentOutcome::New(leaf) if !walk.recall(leaf) => {
                    walk.game.push_to(walk.legal, batch);
                    // Collisions stand behind the leaves.
                    let key = cache_key(walk.cache, walk.game);
                    pending_leaves.take_off(leaf, walk.path, (walk.legal, walk.ends), key);
                    let last = pending_leaves.leaves + pending_leaves.collisions;
                    pending_leaves.paths.swap(pending_leaves.leaves, last);
                    pending_leaves.leaves += 1;
                }
                DescentOutcome::New(_) | DescentOutcome::Recalled => {
                    pending_leaves.tally.add(plies);
                    pending_leaves.tally.recalled += 1;
                }
                DescentOutcome::Known => pending_leaves.tally.add(plies),
                DescentOutcome::Awaited => {
                    let (parent, edge) = walk.path[plies - 1];
                    pending_leaves.take_off(walk.tree.edge(parent, edge as usize).child, walk.path, (&[], &[]), None);
                    pending_leaves.collisions += 1;
                }
            }
            walk.path.iter().for_each(|_| walk.game.undo());
        }
        for collision in pending_leaves.leaves..pending_leaves.leaves + pending_leaves.collisions {
            pending_leaves.come_back(collision);
        }
        pending_leaves.collisions = 0;
    }

    /// Answers all leaves that wait, in the order in which they were gathered.
    ///
    /// # Errors
    /// An answer is no good. The tree is forgotten then: the search can only be begun anew.
    pub(crate) fn land(
        &mut self,
        pending_leaves: &mut PendingLeaves,
        batch: &LeafBatch,
        answers: &Evaluations,
        cache: &mut EvaluationCache,
    ) -> Result<(), EvaluationError> {
        for leaf in 0..pending_leaves.leaves {
            let (logits, wdl) = (&answers.logits[batch.range_of(leaf)], answers.wdl[leaf]);
            if let Err(error) = check(logits, wdl) {
                self.forget();
                pending_leaves.restart();
                return Err(error);
            }
            pending_leaves.come_back(leaf);
            let Flight { node, path, legal, ends, key } = &pending_leaves.paths[leaf];
            expand(&mut self.tree, *node, legal, logits, wdl, ends);
            if let Some(key) = *key {
                cache.insert(key, logits, wdl);
            }
            pending_leaves.tally.evaluations += 1;
            if *node == ROOT {
                self.root_is_evaluated(wdl);
            } else {
                backup::back_up(&mut self.tree, path, *node, wdl, false);
                pending_leaves.tally.add(path.len());
            }
        }
        pending_leaves.leaves = 0;
        Ok(())
    }
}
