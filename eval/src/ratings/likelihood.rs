//! The likelihood of all games under ratings, the first player's advantage and the share of draws, and its maximum.

use super::bradley_terry::RatingError;
use super::counts::Wdl;
use super::davidson;
use super::graph;
use crate::cholesky::Cholesky;

/// Elo of one natural unit of difference.
pub(super) const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Standard deviation of the prior of the first player's advantage (400 Elo), natural units. It matters only
/// where one side took every point.
const ADVANTAGE_PRIOR: f64 = 400.0 / ELO;
/// Standard deviation of the prior of ln ν: it matters only where nothing or everything was drawn.
const DRAWS_PRIOR: f64 = 5.0;

/// An encounter by player numbers.
pub(super) struct Pairing {
    pub first: usize,
    pub second: usize,
    pub results: Wdl,
}

/// The maximum of the likelihood. Parameters: ratings of players 1, 2, … above player 0, the first player's
/// advantage, ln ν; all in natural units.
pub(super) struct Fit {
    pub parameters: Vec<f64>,
    pub covariance: Vec<f64>,
    /// Which players needed the prior.
    pub prior: Vec<bool>,
}

/// Wins, draws and losses of the first player, with fractions where the prior adds some.
struct Weighted {
    first: usize,
    second: usize,
    counts: [f64; 3],
}

impl Fit {
    pub fn new(players: usize, pairings: &[Pairing]) -> Result<Fit, RatingError> {
        let took_points: Vec<_> = pairings
            .iter()
            .flat_map(|p| {
                let Wdl { wins, draws, losses } = p.results;
                [(wins + draws > 0).then_some((p.first, p.second)), (losses + draws > 0).then_some((p.second, p.first))]
            })
            .flatten()
            .collect();
        let class = graph::classes(players, &took_points);
        let mut prior = vec![false; players];
        let games: Vec<Weighted> = pairings
            .iter()
            .map(|p| {
                let one_way = class[p.first] != class[p.second];
                prior[p.first] |= one_way;
                prior[p.second] |= one_way;
                // Half a win each for two players, whether one or both of them moved first.
                let both = pairings.iter().any(|q| (q.first, q.second) == (p.second, p.first));
                let extra = if !one_way {
                    0.0
                } else if both {
                    0.25
                } else {
                    0.5
                };
                let Wdl { wins, draws, losses } = p.results;
                let counts = [wins as f64 + extra, draws as f64, losses as f64 + extra];
                Weighted { first: p.first, second: p.second, counts }
            })
            .collect();
        let mut parameters = vec![0.0; players + 1];
        let mut value = log_likelihood(&games, &parameters);
        for _ in 0..200 {
            let (gradient, information) = scores(&games, &parameters);
            let mut step = gradient;
            let information = Cholesky::new(players + 1, information).ok_or(RatingError::Diverged)?;
            information.solve(&mut step);
            let longest = step.iter().fold(0.0f64, |longest, s| longest.max(s.abs()));
            if longest < 1e-9 {
                return Ok(Fit { parameters, covariance: information.inverse(), prior });
            }
            // Fisher scoring goes uphill, but may overshoot: halve until it does not fall.
            let mut scale = (2.0 / longest).min(1.0);
            loop {
                let next: Vec<f64> = parameters.iter().zip(&step).map(|(p, s)| p + scale * s).collect();
                let reached = log_likelihood(&games, &next);
                if reached >= value - 1e-9 * value.abs() {
                    (parameters, value) = (next, reached);
                    break;
                }
                scale *= 0.5;
                if scale < 1e-12 {
                    return Err(RatingError::Diverged);
                }
            }
        }
        Err(RatingError::Diverged)
    }
}

/// The difference of a game and the numbers of its parameters.
fn difference(game: &Weighted, parameters: &[f64]) -> f64 {
    let advantage = parameters[parameters.len() - 2];
    let rating = |player: usize| if player == 0 { 0.0 } else { parameters[player - 1] };
    rating(game.first) - rating(game.second) + advantage
}

fn log_likelihood(games: &[Weighted], parameters: &[f64]) -> f64 {
    let (advantage, ln_nu) = (parameters[parameters.len() - 2], parameters[parameters.len() - 1]);
    let prior = -0.5 * (advantage / ADVANTAGE_PRIOR).powi(2) - 0.5 * (ln_nu / DRAWS_PRIOR).powi(2);
    let of_game = |game: &Weighted| -> f64 {
        let p = davidson::game(difference(game, parameters), ln_nu).p;
        game.counts.iter().zip(p).filter(|(n, _)| **n > 0.0).map(|(n, p)| n * p.ln()).sum()
    };
    prior + games.iter().map(of_game).sum::<f64>()
}

/// Gradient of the log-likelihood and Fisher's information (row-major).
fn scores(games: &[Weighted], parameters: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let size = parameters.len();
    let (advantage, ln_nu) = (parameters[size - 2], parameters[size - 1]);
    let mut gradient = vec![0.0; size];
    let mut information = vec![0.0; size * size];
    for (at, value, deviation) in [(size - 2, advantage, ADVANTAGE_PRIOR), (size - 1, ln_nu, DRAWS_PRIOR)] {
        gradient[at] = -value / (deviation * deviation);
        information[at * size + at] = 1.0 / (deviation * deviation);
    }
    for game in games {
        let davidson::Game { p, by_difference, by_draws } = davidson::game(difference(game, parameters), ln_nu);
        let played: f64 = game.counts.iter().sum();
        // What one unit of each parameter adds to the difference of this game.
        let mut touched = vec![(size - 2, 1.0)];
        touched.extend((game.first > 0).then(|| (game.first - 1, 1.0)));
        touched.extend((game.second > 0).then(|| (game.second - 1, -1.0)));
        let sum = |of: &dyn Fn(usize) -> f64| (0..3).map(of).sum::<f64>();
        let slope = sum(&|k| game.counts[k] * by_difference[k]);
        let by_x = played * sum(&|k| p[k] * by_difference[k].powi(2));
        let mixed = played * sum(&|k| p[k] * by_difference[k] * by_draws[k]);
        for &(i, sign) in &touched {
            gradient[i] += sign * slope;
            information[i * size + size - 1] += sign * mixed;
            information[(size - 1) * size + i] += sign * mixed;
            for &(j, other) in &touched {
                information[i * size + j] += sign * other * by_x;
            }
        }
        gradient[size - 1] += sum(&|k| game.counts[k] * by_draws[k]);
        information[size * size - 1] += played * sum(&|k| p[k] * by_draws[k].powi(2));
    }
    (gradient, information)
}
