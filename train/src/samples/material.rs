//! The chance that the material on the board gives the first player: what a game that was cut off would probably have come
//! to. What pieces are worth is fitted from the decided games of the window, so it is learned from the run alone.

use data::{GameRecord, logistic, logistic_fit, material_difference, material_features};
use rules::{GameResult, Position, Variant};

/// Positions taken of a decided game, at equal distances.
const OF_A_GAME: usize = 8;
/// Decided games that are enough: newer ones say more of the present players.
const ENOUGH_GAMES: usize = 1000;
/// Decided games below which nothing is fitted.
const FEWEST_GAMES: usize = 50;

/// Differences in material of some positions of a game, the first player's less the second's: of a decided game several,
/// of one that was cut off the last.
#[derive(Clone, Debug, Default)]
pub(crate) struct GameMaterial {
    /// The numbers of a position one after another; a difference has at most as many pieces as a board has squares.
    differences: Box<[i16]>,
}

/// Takes the positions of a game while it is replayed.
pub(crate) struct MaterialSampler {
    /// Plies between two positions; `None` if only the last one is wanted.
    every: Option<usize>,
    counts: Vec<f32>,
    differences: Vec<f32>,
}

impl MaterialSampler {
    /// A sampler for this game.
    pub fn of<V: Variant>(game: &GameRecord<V>) -> MaterialSampler {
        let is_decided = game.sheet.outcome.winner().is_some();
        // An odd distance, so that both sides are to move in turn.
        let every = is_decided.then(|| (game.plies() / OF_A_GAME) | 1);
        MaterialSampler { every, counts: Vec::new(), differences: Vec::new() }
    }

    /// Shows the position after so many plies.
    pub fn see<V: Variant>(&mut self, ply: usize, position: &Position<V>) {
        if self.every.is_some_and(|every| ply > 0 && ply.is_multiple_of(every)) {
            material_difference(position, &mut self.counts, &mut self.differences);
        }
    }

    /// Shows the last position.
    pub fn finish<V: Variant>(mut self, last: &Position<V>) -> GameMaterial {
        if self.every.is_none() {
            material_difference(last, &mut self.counts, &mut self.differences);
        }
        GameMaterial { differences: self.differences.iter().map(|&difference| difference as i16).collect() }
    }
}

/// What pieces are worth, in logits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PieceValues {
    /// The worth of a piece of each kind; the last number is that of moving first.
    weights: Vec<f64>,
}

impl PieceValues {
    /// The values by these games, the newest first; `None` if too few are decided.
    pub fn of<'a, V: Variant>(games: impl Iterator<Item = (&'a GameMaterial, GameResult)>) -> Option<PieceValues> {
        let (mut rows, mut won, mut begins) = (Vec::new(), Vec::new(), Vec::new());
        let decided = games.filter(|(_, result)| *result != GameResult::Draw);
        for (material, result) in decided.take(ENOUGH_GAMES) {
            begins.push(rows.len());
            for differences in material.differences.chunks_exact(material_features::<V>()) {
                rows.push(columns(differences));
                won.push(result == GameResult::FirstWins);
            }
        }
        if begins.len() < FEWEST_GAMES {
            return None;
        }
        Some(PieceValues { weights: logistic_fit(&rows, &won, &begins)?.weights })
    }

    /// The first player's chance to win a game that was cut off.
    pub fn first_wins(&self, cut_off: &GameMaterial) -> f32 {
        logistic(&columns(&cut_off.differences), &self.weights) as f32
    }
}

#[cfg(test)]
impl PieceValues {
    /// No piece is worth anything, and the first player wins three of four games.
    pub fn of_first_player<V: Variant>() -> PieceValues {
        let mut weights = vec![0.0; material_features::<V>()];
        weights.push(3f64.ln());
        PieceValues { weights }
    }
}

/// The columns of the regression: the differences and the constant.
fn columns(differences: &[i16]) -> Vec<f64> {
    differences.iter().map(|&difference| f64::from(difference)).chain([1.0]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use data::PositionRecord;
    use rules::{Game, Outcome, Rules, Side, Termination, Xiangqi};

    /// A game from this position, without moves.
    fn game(fen: &str, outcome: Outcome) -> GameRecord<Xiangqi> {
        let start = Position::<Xiangqi>::from_fen(fen).expect("a position");
        let game = Game::from_position(Rules::default(), start);
        GameRecord { positions: vec![PositionRecord::default()], ..GameRecord::of(&game, outcome) }
    }

    fn material(fen: &str, outcome: Outcome) -> GameMaterial {
        let game = game(fen, outcome);
        let mut sampler = MaterialSampler::of(&game);
        // Ply 1 of a game this short is always taken.
        sampler.see(1, &game.sheet.start);
        sampler.finish(&game.sheet.start)
    }

    const ROOK_UP: &str = "3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1";
    const ROOK_DOWN: &str = "r3k4/9/9/9/9/9/9/9/9/3K5 b - - 0 1";

    #[test]
    fn the_side_with_more_has_the_better_chance() {
        let won = |side| Outcome::win(side, Termination::Checkmate);
        let (up, down) = (material(ROOK_UP, won(Side::First)), material(ROOK_DOWN, won(Side::Second)));
        let upset = material(ROOK_UP, won(Side::Second));
        // Nine of ten games are won by the side with the rook.
        let games: Vec<_> = (0..100)
            .map(|number| match number % 10 {
                0 => (&upset, GameResult::SecondWins),
                1..=4 => (&up, GameResult::FirstWins),
                _ => (&down, GameResult::SecondWins),
            })
            .collect();
        let values = PieceValues::of::<Xiangqi>(games.iter().copied()).expect("enough games");
        let cut_off = Outcome::draw(Termination::MaxPlies);
        let [ahead, behind] = [ROOK_UP, ROOK_DOWN].map(|fen| values.first_wins(&material(fen, cut_off)));
        assert!((0.75..0.95).contains(&ahead) && behind < 0.1, "{ahead} and {behind}");
        // A draw says nothing, and forty games are too few.
        let drawn = games.iter().map(|&(material, _)| (material, GameResult::Draw));
        assert_eq!(PieceValues::of::<Xiangqi>(drawn), None);
        assert_eq!(PieceValues::of::<Xiangqi>(games.iter().copied().take(40)), None);
    }
}
