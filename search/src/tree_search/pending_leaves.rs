//! The simulations of a search that wait for the network: one, or several of the same tree.
//!
//! Several are kept apart by virtual losses. These are counted outside of the tree and affect only the choice of moves
//! ([`VirtualLosses`]), so the tree is the same as if each simulation had been made alone, and a virtual loss vanishes
//! once its leaf has been evaluated.

use super::puct::VirtualLosses;
use crate::tree::{EndingMove, NodeId, ROOT};
use rules::{Move, MoveList};

/// The pending leaves of a search. Memory is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct PendingLeaves {
    pub virtual_loss: VirtualLoss,
    /// The first `waiting` wait for the network, in the order of the batch; the next `collisions` reached one of these
    /// leaves and only keep others from doing the same; the rest is spare.
    leaves: Vec<PendingLeaf>,
    waiting: usize,
    /// Number of waiting leaves that have their evaluation.
    supplied: usize,
    collisions: usize,
}

/// A leaf that waits for the network.
#[derive(Clone, Debug)]
pub(super) struct PendingLeaf {
    pub node: NodeId,
    /// Nodes passed and the edges taken from them.
    pub path: Vec<(NodeId, u32)>,
    /// The legal moves there, and those of them that end the game; none for a collision.
    pub legal: MoveList,
    pub ends: Vec<EndingMove>,
    /// Whether the nodes on its path have a virtual loss.
    has_virtual_loss: bool,
}

/// Pending simulations through each node.
#[derive(Clone, Debug, Default)]
pub(super) struct VirtualLoss(Vec<u32>);

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

impl PendingLeaves {
    /// Forgets all pending leaves.
    pub fn clear(&mut self) {
        self.virtual_loss.0.clear();
        (self.waiting, self.supplied, self.collisions) = (0, 0, 0);
    }

    /// Leaves that wait for the network.
    pub fn len(&self) -> usize {
        self.waiting - self.supplied
    }

    /// Simulations that reached a leaf that is already waiting.
    pub fn collisions(&self) -> usize {
        self.collisions
    }

    /// The leaf whose evaluation comes next.
    pub fn first(&self) -> Option<&PendingLeaf> {
        self.leaves[..self.waiting].get(self.supplied)
    }

    /// Virtual losses in the whole tree.
    #[cfg(test)]
    pub fn virtual_losses(&self) -> u64 {
        self.virtual_loss.0.iter().map(|&n| u64::from(n)).sum()
    }

    /// Adds a leaf; `others` says whether more will wait at the same time.
    #[inline]
    pub fn push(&mut self, node: NodeId, path: &[(NodeId, u32)], legal: &[Move], ends: &[EndingMove], others: bool) {
        self.fill(node, path, legal, ends, others);
        // Collisions follow the leaves.
        self.leaves.swap(self.waiting, self.waiting + self.collisions);
        self.waiting += 1;
    }

    /// Adds the path to a leaf that is already waiting.
    pub fn push_collision(&mut self, node: NodeId, path: &[(NodeId, u32)]) {
        self.fill(node, path, &[], &[], true);
        self.collisions += 1;
    }

    #[inline]
    fn fill(
        &mut self,
        node: NodeId,
        path: &[(NodeId, u32)],
        legal: &[Move],
        ends: &[EndingMove],
        has_virtual_loss: bool,
    ) {
        let next = self.waiting + self.collisions;
        if next == self.leaves.len() {
            let (path, ends) = (Vec::new(), Vec::new());
            self.leaves.push(PendingLeaf { node: ROOT, path, legal: MoveList::new(), ends, has_virtual_loss });
        }
        let leaf = &mut self.leaves[next];
        (leaf.node, leaf.has_virtual_loss) = (node, has_virtual_loss);
        leaf.path.clear();
        leaf.path.extend_from_slice(path);
        leaf.legal.clear();
        leaf.legal.extend(legal.iter().copied());
        leaf.ends.clear();
        leaf.ends.extend_from_slice(ends);
        if has_virtual_loss {
            path.iter().map(|&(passed, _)| passed).chain([node]).for_each(|passed| self.virtual_loss.add(passed));
        }
    }

    /// Removes the virtual losses of a leaf.
    fn take_back(&mut self, leaf: usize) {
        let PendingLeaf { node, path, has_virtual_loss, .. } = &self.leaves[leaf];
        if *has_virtual_loss {
            let passed = path.iter().map(|&(passed, _)| passed).chain([*node]);
            passed.for_each(|passed| self.virtual_loss.remove(passed));
        }
    }

    /// Forgets the collisions.
    pub fn drop_collisions(&mut self) {
        (self.waiting..self.waiting + self.collisions).for_each(|collision| self.take_back(collision));
        self.collisions = 0;
    }

    /// Removes and returns the leaf whose evaluation has come.
    ///
    /// # Panics
    /// If none waits.
    #[inline]
    pub fn take_first(&mut self) -> &PendingLeaf {
        assert!(self.len() > 0, "no evaluation was asked for");
        let leaf = self.supplied;
        self.take_back(leaf);
        self.supplied += 1;
        if self.supplied == self.waiting {
            (self.waiting, self.supplied) = (0, 0);
        }
        &self.leaves[leaf]
    }
}
