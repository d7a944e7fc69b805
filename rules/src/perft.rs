//! Perft: the number of move sequences of a given length. Ends other than "no legal move" are ignored.

use crate::moves::{Move, MoveList};
use crate::position::Position;
use crate::variant::Variant;

impl<V: Variant> Position<V> {
    /// Number of sequences of `depth` legal moves. Leaves are counted in bulk.
    pub fn perft(&self, depth: u32) -> u64 {
        let mut lists = vec![MoveList::new(); depth as usize + 1];
        count(self, &mut lists, depth)
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

fn count<V: Variant>(position: &Position<V>, lists: &mut [MoveList], depth: u32) -> u64 {
    let Some((moves, deeper)) = lists.split_first_mut().filter(|_| depth > 0) else { return 1 };
    if depth == 1 {
        return V::count(position, moves) as u64;
    }
    position.legal_moves(moves);
    moves
        .iter()
        .map(|&mv| {
            let mut next = position.clone();
            next.play(mv);
            count(&next, deeper, depth - 1)
        })
        .sum()
}
