//! Material and results: the difference in material of a position, and the logistic regression that tells what a piece is
//! worth.

use crate::cholesky::Cholesky;
use rules::{Position, Side, Variant, encode};

/// Steps of Newton's method at most; it has converged long before.
const STEPS: usize = 50;
/// Standard deviation of the prior of a value in logits. It keeps values finite where all games went one way.
const PRIOR: f64 = 5.0;

/// Numbers in the difference in material of a position: the kinds of piece on the board, then those in hand.
pub const fn material_features<V: Variant>() -> usize {
    V::KINDS + V::HAND_KINDS
}

/// Appends to `differences` the material of the first player less that of the second. `counts` is overwritten.
pub fn material_difference<V: Variant>(position: &Position<V>, counts: &mut Vec<f32>, differences: &mut Vec<f32>) {
    counts.resize(2 * material_features::<V>(), 0.0);
    encode::material(position, counts);
    let sign = if position.side() == Side::First { 1.0 } else { -1.0 };
    let (board, hands) = counts.split_at(2 * V::KINDS);
    for (counts, kinds) in [(board, V::KINDS), (hands, V::HAND_KINDS)] {
        differences.extend((0..kinds).map(|kind| sign * (counts[kind] - counts[kinds + kind])));
    }
}

/// What a logistic regression has found.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The weight of each column.
    pub weights: Vec<f64>,
    /// Half the widths of their 95 % intervals.
    pub errors: Vec<f64>,
}

/// The maximum of the posterior by Newton's method, and errors that are robust to what the rows of a game have in common
/// (the sandwich estimator, clustered by game). `won` has the result of each row, and `games` the row at which each game
/// begins. `None` without rows, or where the rows contradict the prior so much that there is no maximum.
pub fn logistic_fit(rows: &[Vec<f64>], won: &[bool], games: &[usize]) -> Option<Fit> {
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
    Some(Fit { errors: (0..size).map(error).collect(), weights })
}

/// The chance that these weights give a row.
pub fn logistic(row: &[f64], weights: &[f64]) -> f64 {
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
        let found = logistic_fit(&rows, &won, &games).unwrap();
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
        let found = logistic_fit(&rows, &[true; 60], &games).unwrap();
        assert!(found.weights.iter().chain(&found.errors).all(|value| value.is_finite()), "{:?}", found.weights);
    }
}
