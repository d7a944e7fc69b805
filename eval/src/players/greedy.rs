//! Greedy by material.

use super::MovePolicy;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Variant, encode};
use search::piece_values;
use std::sync::Arc;

/// Plays a winning move if there is one. Otherwise it plays one of the moves after which its material exceeds the opponent's
/// the most, without looking at the reply.
pub(super) struct Greedy {
    values: Arc<[f32]>,
    counts: Vec<f32>,
    best: Vec<Move>,
    replies: MoveList,
}

impl Greedy {
    pub(super) fn new<V: Variant>(values: Arc<[f32]>) -> Greedy {
        let counts = vec![0.0; 2 * V::KINDS + 2 * V::HAND_KINDS];
        Greedy { values, counts, best: Vec::new(), replies: MoveList::new() }
    }

    /// Material of the side to move less that of the opponent.
    fn balance<V: Variant>(&mut self, position: &rules::Position<V>) -> f32 {
        encode::material(position, &mut self.counts);
        let (board, hands) = self.counts.split_at(2 * V::KINDS);
        let worth = |counts: &[f32], values: &[f32]| counts.iter().zip(values).map(|(n, v)| n * v).sum::<f32>();
        let held = &self.values[V::HAND_FIRST..];
        worth(&board[..V::KINDS], &self.values) - worth(&board[V::KINDS..], &self.values)
            + worth(&hands[..V::HAND_KINDS], held)
            - worth(&hands[V::HAND_KINDS..], held)
    }
}

impl<V: Variant> MovePolicy<V> for Greedy {
    fn choose(&mut self, game: &Game<V>, legal: &[Move], rng: &mut ChaCha8Rng) -> Move {
        let position = game.position();
        if let Some(win) = position.win_in_one(legal, &mut self.replies) {
            return win;
        }
        self.best.clear();
        let mut highest = f32::NEG_INFINITY;
        for &mv in legal {
            let mut next = position.clone();
            next.play(mv);
            debug_assert_ne!(next.side(), position.side());
            let balance = -self.balance(&next);
            // Sums of the same values in another order may differ in the last bits.
            if balance > highest + 1e-3 {
                self.best.clear();
            }
            if balance > highest - 1e-3 {
                self.best.push(mv);
                highest = highest.max(balance);
            }
        }
        self.best[rng.random_range(0..self.best.len())]
    }
}

/// The values of a variant, found once for all games of a match.
pub(crate) fn shared_values<V: Variant>() -> Arc<[f32]> {
    piece_values::<V>().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rules::{Position, Rules, Side, Xiangqi};

    #[test]
    fn takes_what_hangs() {
        let position = Position::<Xiangqi>::from_fen("4k4/9/9/9/r3P4/9/9/9/9/R2K5 w - - 0 1").unwrap();
        let game = Game::from_position(Rules::default(), position);
        let mut legal = MoveList::new();
        game.legal_moves(&mut legal);
        let mut greedy = Greedy::new::<Xiangqi>(shared_values::<Xiangqi>());
        let mv = greedy.choose(&game, &legal, &mut ChaCha8Rng::seed_from_u64(1));
        assert_eq!(game.position().format_move(mv), "a1a6");
        assert_eq!(game.side(), Side::First);
    }
}
