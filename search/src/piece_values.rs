//! What pieces are worth by the rules, as far as random games show it.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, MoveList, Rules, SquareSet, Variant};

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

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Notated, Xiangqi};

    #[test]
    fn values_stand_in_a_sensible_order() {
        let values = piece_values::<Xiangqi>();
        let value = |code: &str| values[Xiangqi::CODES.iter().position(|&c| c == code).unwrap()];
        let order: Vec<f32> = ["R", "N", "P"].map(value).to_vec();
        assert!(order.is_sorted_by(|a, b| a > b), "chariot, horse, soldier: {order:?}");
    }
}
