//! Greedy by material.

use super::MovePolicy;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Rules, SquareSet, Variant, encode};
use std::sync::Arc;

/// Number of random games, and plies of each, that the values come from.
const GAMES: u64 = 60;
const PLIES: u32 = 80;

/// The value of each kind of piece: the mean number of moves that such a piece has in random games. So the values come from
/// the rules, for every variant (in Xiangqi about 8 for a chariot, 3 for a horse, 1 for a soldier).
pub fn piece_values<V: Variant>() -> Vec<f32> {
    let mut moves = vec![0u32; V::KINDS];
    let mut pieces = vec![0u32; V::KINDS];
    let mut legal = MoveList::new();
    for seed in 0..GAMES {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut game = Game::<V>::start(Rules::default());
        for _ in 0..PLIES {
            game.legal_moves(&mut legal);
            if game.outcome(&legal).is_some() {
                break;
            }
            let position = game.position();
            for (kind, pieces) in pieces.iter_mut().enumerate() {
                *pieces += position.pieces_of(position.side(), kind).len() as u32;
            }
            for source in legal.iter().filter_map(|mv| mv.source_square()) {
                if let Some((_, kind)) = position.cell(source).piece() {
                    moves[kind] += 1;
                }
            }
            game.play(legal[rng.random_range(0..legal.len())]);
        }
    }
    // One extra move and piece keep the value of a piece that was never seen above 0.
    moves.iter().zip(&pieces).map(|(&m, &p)| (m + 1) as f32 / (p + 1) as f32).collect()
}

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
    use rules::{Notated, Position, Side, Xiangqi};

    #[test]
    fn values_stand_in_a_sensible_order() {
        let values = piece_values::<Xiangqi>();
        let value = |code: &str| values[Xiangqi::CODES.iter().position(|&c| c == code).unwrap()];
        let order: Vec<f32> = ["R", "N", "P"].map(value).to_vec();
        assert!(order.is_sorted_by(|a, b| a > b), "chariot, horse, soldier: {order:?}");
    }

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
