//! The scores that players report with their moves, on one scale.

use serde::{Deserialize, Serialize};

/// The score that a player reports with a move, in centipawns from its own point of view.
///
/// A network's expected result q (win − loss, −1 to 1) becomes 400 · log₁₀((1 + q) / (1 − q)): the difference in Elo at
/// which that result is expected. So does an engine's win, draw and loss. An engine's centipawns are taken as they are, on
/// the engine's own scale. A certain win in n moves is 30,000 − n, a certain loss −30,000 + n; nothing else is above
/// 29,000.
///
/// ```
/// use engine::Score;
///
/// assert_eq!(Score::of_expected(0.5).centipawns(), 191);
/// assert_eq!(Score::of_mate(-3).centipawns(), -29_997);
/// assert_eq!((Score::of_mate(2).mate(), Score::of_centipawns(-35).mate()), (Some(2), None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Score(i32);

impl Score {
    /// A certain win now.
    pub const WIN: i32 = 30_000;
    /// The greatest score of a game that is not decided.
    pub const OPEN: i32 = 29_000;

    /// Of an expected result, win − loss, −1 to 1: at most ±2,520.
    pub fn of_expected(q: f32) -> Score {
        let q = f64::from(q).clamp(-0.999_999, 0.999_999);
        Score((400.0 * ((1.0 + q) / (1.0 - q)).log10()).round() as i32)
    }

    /// Of an engine's centipawns.
    pub fn of_centipawns(centipawns: i64) -> Score {
        Score(centipawns.clamp(-i64::from(Score::OPEN), Score::OPEN.into()) as i32)
    }

    /// Mate in so many moves; if negative or 0, the player is mated.
    pub fn of_mate(moves: i64) -> Score {
        let away = moves.unsigned_abs().min((Score::WIN - Score::OPEN - 1) as u64) as i32;
        Score(if moves > 0 { Score::WIN - away } else { away - Score::WIN })
    }

    /// In centipawns.
    pub fn centipawns(self) -> i32 {
        self.0
    }

    /// In how many moves the player mates (positive) or is mated (negative, or 0 for now); `None` if the score is not
    /// that of a mate.
    pub fn mate(self) -> Option<i32> {
        (self.0.abs() > Score::OPEN).then(|| self.0.signum() * (Score::WIN - self.0.abs()))
    }

    /// This score from the opponent's point of view.
    #[must_use]
    pub fn reversed(self) -> Score {
        Score(-self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_has_no_gaps_and_no_overlaps() {
        assert_eq!([0.0, 0.5, -0.5, 1.0, -1.0].map(|q| Score::of_expected(q).0), [0, 191, -191, 2_520, -2_520]);
        assert_eq!(Score::of_centipawns(i64::MAX).0, Score::OPEN);
        assert_eq!(Score::of_centipawns(i64::MIN).0, -Score::OPEN);
        for moves in [1, 2, 500, -1, -500] {
            assert_eq!(Score::of_mate(moves).mate(), Some(moves as i32));
        }
        assert_eq!(Score::of_mate(0).0, -Score::WIN);
        assert!(Score::of_mate(i64::MAX) > Score::of_centipawns(i64::MAX));
        assert!(Score::of_mate(i64::MIN) < Score::of_centipawns(i64::MIN));
        assert_eq!(Score::of_mate(7).reversed(), Score::of_mate(-7));
    }
}
