//! Perft: the number of move sequences of a given length. A sequence does not continue after "no legal move", nor after
//! an end that the last two moves cause immediately ([`Rulebook::immediate_end`]); other ends are ignored.
//! Fairy-Stockfish's perft counts in the same way.

use crate::moves::{Move, MoveList};
use crate::position::Position;
use crate::rulebook::Rulebook;

impl<V: Rulebook> Position<V> {
    /// Number of sequences of `depth` legal moves. Leaves are counted in bulk.
    pub fn perft(&self, depth: u32) -> u64 {
        count(self, None, &mut Vec::new(), 0, depth)
    }

    /// Perft of each legal move, in the order of generation. Empty at depth 0.
    pub fn perft_divide(&self, depth: u32) -> Vec<(Move, u64)> {
        let Some(below) = depth.checked_sub(1) else { return Vec::new() };
        let mut legal = MoveList::new();
        self.legal_moves(&mut legal);
        legal.iter().map(|&mv| (mv, after(self, None, mv, &mut Vec::new(), 0, below))).collect()
    }
}

/// Sequences of `depth` moves from `position`, to which the move `last` has led (`None`: unknown).
/// `lists` holds one list a level, made when the level is first reached: a depth beyond reach costs nothing.
fn count<V: Rulebook>(
    position: &Position<V>,
    last: Option<Move>,
    lists: &mut Vec<MoveList>,
    level: usize,
    depth: u32,
) -> u64 {
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
    let nodes = moves.iter().map(|&mv| after(position, last, mv, lists, level + 1, depth - 1)).sum();
    lists[level] = moves;
    nodes
}

/// Sequences of `depth` moves after `mv`.
fn after<V: Rulebook>(
    position: &Position<V>,
    last: Option<Move>,
    mv: Move,
    lists: &mut Vec<MoveList>,
    level: usize,
    depth: u32,
) -> u64 {
    if depth > 0 && V::immediate_end(position, last, mv).is_some() {
        return 0;
    }
    let mut next = position.clone();
    next.play(mv);
    count(&next, Some(mv), lists, level, depth)
}
