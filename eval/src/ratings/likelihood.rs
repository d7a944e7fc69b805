//! The likelihood of all games under ratings, the first player's advantage and the share of draws, and its maximum.

use super::counts::Wdl;
use super::davidson;
use super::graph;
use data::Cholesky;

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
pub(super) struct MaximumLikelihood {
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

impl MaximumLikelihood {
    /// The maximum of the likelihood for so many players, whom `pairings` number from 0; `None` if it is not found.
    pub fn new(players: usize, pairings: &[Pairing]) -> Option<MaximumLikelihood> {
        let (games, prior) = weighted(players, pairings);
        climb(&games, players + 1).map(|(parameters, covariance)| MaximumLikelihood { parameters, covariance, prior })
    }
}

/// The games with what the prior adds, and which players needed it.
fn weighted(players: usize, pairings: &[Pairing]) -> (Vec<Weighted>, Vec<bool>) {
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
    (games, prior)
}

/// The parameters at the maximum and the inverse of Fisher's information there; `None` if it is not found.
///
/// Fisher scoring, with the length of each step fitted by the slope of the likelihood along it. A step that is too long is
/// halved: the likelihood falls, or the slope at its end is turned round, so that the next step would leap back across the
/// maximum, and so on for ever. A step that is too short, because the model fits badly, is doubled.
fn climb(games: &[Weighted], size: usize) -> Option<(Vec<f64>, Vec<f64>)> {
    let mut here = LikelihoodPoint::new(games, vec![0.0; size]);
    for number in 0..=MOST_STEPS {
        let solver = Cholesky::new(size, here.information.clone())?;
        let mut step = here.gradient.clone();
        solver.solve(&mut step);
        let longest = step.iter().fold(0.0f64, |longest, s| longest.max(s.abs()));
        let slope = dot(&here.gradient, &step);
        // Where rounding keeps the steps from shrinking further, a tenth of a standard error is near enough.
        if longest < 1e-9 || number == MOST_STEPS && slope < 1e-2 {
            return Some((here.parameters, solver.inverse()));
        }
        let at = |scale: f64| {
            LikelihoodPoint::new(games, here.parameters.iter().zip(&step).map(|(p, s)| p + scale * s).collect())
        };
        let is_short_enough = |point: &LikelihoodPoint| {
            point.value >= here.value - 1e-9 * here.value.abs() && dot(&point.gradient, &step) > -TURNED * slope
        };
        let mut scale = (LONGEST_STEP / longest).min(1.0);
        let mut next = at(scale);
        while !is_short_enough(&next) && scale > 1e-12 {
            scale *= 0.5;
            next = at(scale);
        }
        while scale >= 1.0 && 2.0 * scale * longest < LONGEST_STEP && dot(&next.gradient, &step) > TURNED * slope {
            scale *= 2.0;
            let further = at(scale);
            if !is_short_enough(&further) {
                break;
            }
            next = further;
        }
        here = next;
    }
    None
}

/// Most steps to the maximum; it takes 5 to 60.
const MOST_STEPS: usize = 1_000;
/// Longest step of one parameter, in natural units.
const LONGEST_STEP: f64 = 2.0;
/// How much of the slope may be left after a step, in either direction.
const TURNED: f64 = 0.5;

/// The likelihood at a point and its derivatives.
struct LikelihoodPoint {
    parameters: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    information: Vec<f64>,
}

impl LikelihoodPoint {
    fn new(games: &[Weighted], parameters: Vec<f64>) -> LikelihoodPoint {
        let (gradient, information) = scores(games, &parameters);
        LikelihoodPoint { value: log_likelihood(games, &parameters), gradient, information, parameters }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
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
        let davidson::GameProbabilities { p, by_difference, by_draws } =
            davidson::game(difference(game, parameters), ln_nu);
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

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Fisher scoring as it was before steps were damped by the slope; `None` where it did not converge.
    fn undamped(games: &[Weighted], size: usize) -> Option<Vec<f64>> {
        let mut parameters = vec![0.0; size];
        let mut value = log_likelihood(games, &parameters);
        for _ in 0..200 {
            let (mut step, information) = scores(games, &parameters);
            Cholesky::new(size, information)?.solve(&mut step);
            let longest = step.iter().fold(0.0f64, |longest, s| longest.max(s.abs()));
            if longest < 1e-9 {
                return Some(parameters);
            }
            let mut scale = (2.0 / longest).min(1.0);
            loop {
                let next: Vec<f64> = parameters.iter().zip(&step).map(|(p, s)| p + scale * s).collect();
                let reached = log_likelihood(games, &next);
                if reached >= value - 1e-9 * value.abs() {
                    (parameters, value) = (next, reached);
                    break;
                }
                scale *= 0.5;
                if scale < 1e-12 {
                    return None;
                }
            }
        }
        None
    }

    /// A tournament of 2 to 8 players: even or one-sided, many games or few, some pairs of players without games.
    fn tournament(rng: &mut ChaCha8Rng) -> (usize, Vec<Pairing>) {
        let players = rng.random_range(2..9);
        let most = [2, 4, 20, 300, 100_000][rng.random_range(0..5)];
        let sided = rng.random_range(0..3);
        let draws = rng.random_range(0..2) * most;
        let met = rng.random_range(20..101);
        let mut pairings = Vec::new();
        for first in 0..players {
            for second in 0..players {
                // Each player but the first meets the one before, so that games connect all.
                if first == second || (first != second + 1 && rng.random_range(0..100) >= met) {
                    continue;
                }
                let [wins, losses] = match sided {
                    0 => [rng.random_range(0..=most), rng.random_range(0..=most)],
                    _ if first < second => [most, rng.random_range(0..sided)],
                    _ => [rng.random_range(0..sided), most],
                };
                pairings.push(Pairing { first, second, results: Wdl::new(wins, rng.random_range(0..=draws), losses) });
            }
        }
        pairings.retain(|pairing| pairing.results.games() > 0);
        (players, pairings)
    }

    fn is_connected(players: usize, pairings: &[Pairing]) -> bool {
        let met: Vec<_> = pairings.iter().map(|pairing| (pairing.first, pairing.second)).collect();
        graph::components(players, &met).len() == 1
    }

    #[test]
    fn every_tournament_has_ratings_and_those_it_had_before() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let (mut rescued, mut compared) = (0, 0);
        for number in 0..6_000 {
            let (players, pairings) = tournament(&mut rng);
            // Players whom no games connect are not rated together (`rate`).
            if !is_connected(players, &pairings) {
                continue;
            }
            let (games, _) = weighted(players, &pairings);
            let (parameters, covariance) = climb(&games, players + 1).unwrap_or_else(|| panic!("tournament {number}"));
            assert!(parameters.iter().chain(&covariance).all(|n| n.is_finite()), "tournament {number}");
            let (gradient, _) = scores(&games, &parameters);
            let weight: f64 = games.iter().flat_map(|game| game.counts).sum();
            assert!(gradient.iter().all(|g| g.abs() < 1e-6 * weight.max(1.0)), "tournament {number}: {gradient:?}");
            match undamped(&games, players + 1) {
                None => rescued += 1,
                Some(before) => {
                    compared += 1;
                    let apart = parameters.iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                    assert!(ELO * apart < 1e-3, "tournament {number}: {apart}");
                }
            }
        }
        println!("{rescued} rescued, {compared} as before");
        assert!(rescued > 0 && compared > 5_000, "{rescued} {compared}");
    }
}
