//! What pieces are worth: logistic regression of the result on the difference in material.

use crate::cholesky::Cholesky;
use rules::{Game, GameResult, Scoresheet, Side, Variant, encode};
use serde::Serialize;
use std::marker::PhantomData;

/// Positions taken of a game, at equal distances.
const OF_A_GAME: usize = 16;
/// Steps of Newton's method at most; it has converged long before.
const STEPS: usize = 50;
/// Standard deviation of the prior of a value in logits. It keeps values finite where all games went one way.
const PRIOR: f64 = 5.0;
/// Decided games below which nothing is fitted.
const FEWEST_GAMES: usize = 50;

/// The value of a piece.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PieceValue {
    /// FEN code of the kind; of a piece in hand with `@` behind it.
    pub kind: String,
    /// Native name, as the first player's piece shows it.
    pub native: String,
    /// By how much one such piece more raises the logarithm of the odds of winning.
    pub logit: f64,
    /// Half the width of its 95 % interval, which allows for the positions of a game having one result.
    pub error: f64,
    /// The value in Elo: 400 / ln 10 × `logit`.
    pub elo: f64,
}

/// Positions of decided games, with the material of the first player less that of the second.
pub(super) struct MaterialSamples<V: Variant> {
    /// Differences, `features` numbers a position.
    differences: Vec<f32>,
    /// Whether the first player won.
    won: Vec<bool>,
    /// Where each game's positions begin.
    games: Vec<usize>,
    variant: PhantomData<V>,
}

impl<V: Variant> Default for MaterialSamples<V> {
    fn default() -> Self {
        MaterialSamples { differences: Vec::new(), won: Vec::new(), games: Vec::new(), variant: PhantomData }
    }
}

/// Chooses positions of one game.
pub(super) struct Sampler {
    /// Plies between two positions; `None` if the game has no winner.
    every: Option<usize>,
    first_won: bool,
    counts: Vec<f32>,
}

impl Sampler {
    /// Adds the present position of the game to `positions` if it is one of those to take.
    pub fn see<V: Variant>(&mut self, game: &Game<V>, positions: &mut MaterialSamples<V>) {
        let ply = game.moves().len();
        // The first positions are alike in all games.
        if !self.every.is_some_and(|every| ply > 0 && ply.is_multiple_of(every)) {
            return;
        }
        let position = game.position();
        encode::material(position, &mut self.counts);
        let sign = if position.side() == Side::First { 1.0 } else { -1.0 };
        let (board, hands) = self.counts.split_at(2 * V::KINDS);
        for (counts, kinds) in [(board, V::KINDS), (hands, V::HAND_KINDS)] {
            positions.differences.extend((0..kinds).map(|kind| sign * (counts[kind] - counts[kinds + kind])));
        }
        positions.won.push(self.first_won);
    }
}

impl<V: Variant> MaterialSamples<V> {
    const FEATURES: usize = V::KINDS + V::HAND_KINDS;

    /// Begins a game, and returns what chooses its positions: none of a drawn game.
    pub fn of_game(&mut self, sheet: &Scoresheet<V>) -> Sampler {
        let decided = sheet.outcome.result != GameResult::Draw;
        if decided {
            self.games.push(self.won.len());
        }
        // An odd distance, so that both sides are to move in turn.
        let every = decided.then(|| (sheet.plies() / OF_A_GAME) | 1);
        let counts = vec![0.0; 2 * Self::FEATURES];
        Sampler { every, first_won: sheet.outcome.result == GameResult::FirstWins, counts }
    }

    /// Adds the positions of other games.
    pub fn add(&mut self, other: Self) {
        let before = self.won.len();
        self.games.extend(other.games.iter().map(|at| before + at));
        self.differences.extend(other.differences);
        self.won.extend(other.won);
    }

    /// The kinds whose number ever differed, with their values.
    pub fn values(&self) -> Vec<PieceValue> {
        let differ = |&feature: &usize| self.differences.chunks_exact(Self::FEATURES).any(|row| row[feature] != 0.0);
        let features: Vec<usize> = (0..Self::FEATURES).filter(differ).collect();
        if self.games.len() < FEWEST_GAMES || features.is_empty() {
            return Vec::new();
        }
        let rows: Vec<Vec<f64>> = self
            .differences
            .chunks_exact(Self::FEATURES)
            .map(|row| features.iter().map(|&feature| f64::from(row[feature])).chain([1.0]).collect())
            .collect();
        let Some(PieceValueFit { weights, errors }) = fit(&rows, &self.won, &self.games) else { return Vec::new() };
        let value = |(at, &feature): (usize, &usize)| {
            let (kind, behind) = match feature.checked_sub(V::KINDS) {
                Some(slot) => (V::HAND_FIRST + slot, "@"),
                None => (feature, ""),
            };
            PieceValue {
                kind: format!("{}{behind}", V::CODES[kind]),
                native: V::GLYPHS[kind][0].to_owned(),
                logit: weights[at],
                error: errors[at],
                elo: 400.0 / std::f64::consts::LN_10 * weights[at],
            }
        };
        features.iter().enumerate().map(value).collect()
    }
}

struct PieceValueFit {
    weights: Vec<f64>,
    /// Half the widths of the 95 % intervals.
    errors: Vec<f64>,
}

/// The maximum of the posterior by Newton's method, and errors that are robust to what the rows of a game have in common
/// (the sandwich estimator, clustered by game). The last column is the constant.
fn fit(rows: &[Vec<f64>], won: &[bool], games: &[usize]) -> Option<PieceValueFit> {
    let size = rows.first()?.len();
    let mut weights = vec![0.0; size];
    let mut curvature = Cholesky::new(0, Vec::new())?;
    for _ in 0..STEPS {
        let mut gradient: Vec<f64> = weights.iter().map(|weight| -weight / (PRIOR * PRIOR)).collect();
        let mut hessian = vec![0.0; size * size];
        for at in 0..size {
            hessian[at * size + at] = 1.0 / (PRIOR * PRIOR);
        }
        for (row, &won) in rows.iter().zip(won) {
            let expected = logistic(row, &weights);
            let (rest, spread) = (f64::from(u8::from(won)) - expected, expected * (1.0 - expected));
            for (i, &x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                gradient[i] += rest * x;
                for (sum, y) in hessian[i * size..=i * size + i].iter_mut().zip(row) {
                    *sum += spread * x * y;
                }
            }
        }
        for i in 0..size {
            for j in 0..i {
                hessian[j * size + i] = hessian[i * size + j];
            }
        }
        curvature = Cholesky::new(size, hessian)?;
        curvature.solve(&mut gradient);
        weights.iter_mut().zip(&gradient).for_each(|(weight, step)| *weight += step);
        if gradient.iter().all(|step| step.abs() < 1e-8) {
            break;
        }
    }
    let mut between = vec![0.0; size * size];
    for (number, &begin) in games.iter().enumerate() {
        let end = games.get(number + 1).copied().unwrap_or(rows.len());
        let mut score = vec![0.0; size];
        for (row, &won) in rows[begin..end].iter().zip(&won[begin..end]) {
            let rest = f64::from(u8::from(won)) - logistic(row, &weights);
            score.iter_mut().zip(row).for_each(|(sum, x)| *sum += rest * x);
        }
        for i in 0..size {
            for j in 0..size {
                between[i * size + j] += score[i] * score[j];
            }
        }
    }
    let inverse = curvature.inverse();
    let error = |at: usize| {
        let row = &inverse[at * size..(at + 1) * size];
        let variance: f64 =
            (0..size).map(|i| row[i] * (0..size).map(|j| between[i * size + j] * row[j]).sum::<f64>()).sum();
        1.96 * variance.sqrt()
    };
    Some(PieceValueFit { errors: (0..size).map(error).collect(), weights })
}

fn logistic(row: &[f64], weights: &[f64]) -> f64 {
    let sum: f64 = row.iter().zip(weights).map(|(x, weight)| x * weight).sum();
    1.0 / (1.0 + (-sum).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Games of five positions with one material difference each, whose results come from known values.
    #[test]
    fn known_values_are_found_again_within_their_errors() {
        let truth = [1.5, 0.4, 0.2];
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let (mut rows, mut won, mut games) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..4000 {
            let row = vec![f64::from(rng.random_range(-2..=2)), f64::from(rng.random_range(-3..=3)), 1.0];
            let wins = rng.random::<f64>() < logistic(&row, &truth);
            games.push(rows.len());
            for _ in 0..5 {
                rows.push(row.clone());
                won.push(wins);
            }
        }
        let found = fit(&rows, &won, &games).unwrap();
        for ((weight, error), truth) in found.weights.iter().zip(&found.errors).zip(truth) {
            assert!((weight - truth).abs() < 1.5 * error, "{weight} ± {error}, not {truth}");
            // Five equal positions tell no more than one: the error is that of 4,000 rows, not of 20,000.
            assert!((0.03..0.3).contains(error), "{error}");
        }
    }

    #[test]
    fn games_that_all_went_one_way_have_finite_values() {
        let rows: Vec<Vec<f64>> = (0..60).map(|_| vec![1.0, 1.0]).collect();
        let games: Vec<usize> = (0..60).collect();
        let found = fit(&rows, &[true; 60], &games).unwrap();
        assert!(found.weights.iter().chain(&found.errors).all(|value| value.is_finite()), "{:?}", found.weights);
    }
}
