//! The chance that the material on the board gives the first player: what a game that was cut off is taken for. Between
//! players who cannot win yet the side with more wins hardly more often, so a fit to their games teaches nothing
//! (docs/research/2026-11-28-koshogi-material.md). It is better players who win with it.

use data::{logistic, material_difference, material_features};
use rules::{Position, Variant};
use search::piece_values;

/// Log-odds of a lead that is the root mean square of the leads of all games that were cut off: 82 %.
const LOG_ODDS: f64 = 1.5;

/// The first player's pieces less the second's, of each kind on the board and in hand.
pub(crate) fn difference<V: Variant>(position: &Position<V>) -> Box<[i16]> {
    let mut difference = Vec::with_capacity(material_features::<V>());
    material_difference(position, &mut Vec::new(), &mut difference);
    // No more pieces than a board has squares.
    difference.into_iter().map(|pieces| pieces as i16).collect()
}

/// What a piece of each kind counts, in logits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MaterialJudge {
    weights: Vec<f64>,
}

impl MaterialJudge {
    /// The judge of these games that were cut off, by the [`difference`] at their end.
    pub fn of<'a, V: Variant>(cut_off: impl Iterator<Item = &'a [i16]>) -> MaterialJudge {
        let board = piece_values::<V>();
        let hand = board[V::HAND_FIRST..].iter().take(V::HAND_KINDS);
        let mut weights: Vec<f64> = board.iter().chain(hand).map(|&value| f64::from(value)).collect();
        let (mut squares, mut games) = (0.0, 0.0);
        for difference in cut_off {
            let lead: f64 = columns(difference).zip(&weights).map(|(pieces, value)| pieces * value).sum();
            squares += lead * lead;
            games += 1.0;
        }
        // Where no side leads in any game, nothing counts.
        let scale = if squares > 0.0 { LOG_ODDS / (squares / games).sqrt() } else { 0.0 };
        weights.iter_mut().for_each(|weight| *weight *= scale);
        MaterialJudge { weights }
    }

    /// The first player's chance to win a game that was cut off.
    pub fn first_wins(&self, difference: &[i16]) -> f32 {
        logistic(&columns(difference).collect::<Vec<_>>(), &self.weights) as f32
    }
}

fn columns(difference: &[i16]) -> impl Iterator<Item = f64> {
    difference.iter().map(|&pieces| f64::from(pieces))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Xiangqi;

    fn of(fen: &str) -> Box<[i16]> {
        difference(&Position::<Xiangqi>::from_fen(fen).expect("a position"))
    }

    #[test]
    fn the_side_with_more_has_the_better_chance() {
        let rook_up = of("3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1");
        let rook_down = of("r3k4/9/9/9/9/9/9/9/9/3K5 b - - 0 1");
        let pawn_up = of("3k5/9/9/9/9/9/9/9/P8/4K4 b - - 0 1");
        let level = of("3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1");
        let judge = MaterialJudge::of::<Xiangqi>([&*rook_up, &rook_down].into_iter());
        let [up, down, little, none] =
            [&rook_up, &rook_down, &pawn_up, &level].map(|difference| judge.first_wins(difference));
        let expected = 1.0 / (1.0 + (-LOG_ODDS as f32).exp());
        assert!((up - expected).abs() < 1e-5 && (up + down - 1.0).abs() < 1e-5, "{up} and {down}");
        assert!(0.5 < little && little < 0.6, "{little}");
        assert_eq!(none, 0.5);
        // Where no side leads in any game, nothing can be said.
        assert_eq!(MaterialJudge::of::<Xiangqi>([&*level].into_iter()).first_wins(&rook_up), 0.5);
    }
}
