//! Perft: the number of move sequences of a given length. Ends other than "no legal move" are ignored.

use crate::moves::{Move, MoveList};
use crate::position::Position;
use crate::variant::Variant;

impl<V: Variant> Position<V> {
    /// Number of sequences of `depth` legal moves. Leaves are counted in bulk.
    pub fn perft(&self, depth: u32) -> u64 {
        count(self, &mut Vec::new(), 0, depth)
    }

    /// Perft of each legal move, in the order of generation. Empty at depth 0.
    pub fn perft_divide(&self, depth: u32) -> Vec<(Move, u64)> {
        let Some(below) = depth.checked_sub(1) else { return Vec::new() };
        let mut legal = MoveList::new();
        self.legal_moves(&mut legal);
        legal
            .iter()
            .map(|&mv| {
                let mut next = self.clone();
                next.play(mv);
                (mv, next.perft(below))
            })
            .collect()
    }
}

/// `lists` holds one list a level, made when the level is first reached: a depth beyond reach costs nothing.
fn count<V: Variant>(position: &Position<V>, lists: &mut Vec<MoveList>, level: usize, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if lists.len() == level {
        lists.push(MoveList::new());
    }
    if depth == 1 {
        return V::count(position, &mut lists[level]) as u64;
    }
    let mut moves = std::mem::take(&mut lists[level]);
    position.legal_moves(&mut moves);
    let mut nodes = 0;
    for &mv in &*moves {
        let mut next = position.clone();
        next.play(mv);
        nodes += count(&next, lists, level + 1, depth - 1);
    }
    lists[level] = moves;
    nodes
}
