//! Ratings of many players from all their games at once: maximum likelihood with the first player's
//! advantage and the share of draws estimated along.

use super::cholesky::Cholesky;
use super::counts::Wdl;
use super::davidson;
use super::graph;
use super::normal::{Z95, normal_cdf};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Elo of one natural unit of difference.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Standard deviation of the prior of the first player's advantage (400 Elo), natural units. It matters only
/// where one side took every point.
const ADVANTAGE_PRIOR: f64 = 400.0 / ELO;
/// Standard deviation of the prior of ln ν: it matters only where nothing or everything was drawn.
const DRAWS_PRIOR: f64 = 5.0;

/// All games in which one named player moved first against another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Encounter {
    /// Who moved first.
    pub first: String,
    /// The opponent.
    pub second: String,
    /// Results seen by the player who moved first.
    pub results: Wdl,
}

/// A number with the half width of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Half the width of the 95 % interval.
    pub error: f64,
}

/// One rated player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingRow {
    /// Name.
    pub player: String,
    /// Elo above the anchor.
    pub elo: f64,
    /// Half the width of the 95 % interval of `elo`; 0 for the anchor itself.
    pub error: f64,
    /// Games that count.
    pub games: u64,
    /// Mean score in them, 0 to 1.
    pub score: f64,
    /// Number of opponents.
    pub opponents: usize,
    /// Whether the weak prior was needed for this player: against somebody all points went one way and
    /// nobody in between tells how far apart they are. The rating is then cautious rather than exact.
    pub prior: bool,
}

/// The ratings of all players that games connect with the anchor, best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingTable {
    /// The player at 0 Elo.
    pub anchor: String,
    /// The rated players.
    pub rows: Vec<RatingRow>,
    /// What moving first is worth, in Elo.
    pub first_advantage: Estimate,
    /// Share of draws between equals, 0 to 1.
    pub draws: Estimate,
    /// Groups of players without a chain of games to the anchor: they cannot be compared with the others.
    pub unrated: Vec<Vec<String>>,
    /// Covariance of the rows' ratings in Elo², row-major in the order of `rows`.
    #[serde(skip)]
    covariance: Vec<f64>,
}

impl RatingTable {
    /// How far `a` is above `b`, in Elo; `None` if one of them is not rated.
    pub fn difference(&self, a: &str, b: &str) -> Option<Estimate> {
        let find = |name: &str| self.rows.iter().position(|row| row.player == name);
        let (i, j, n) = (find(a)?, find(b)?, self.rows.len());
        if self.covariance.len() != n * n {
            return None; // read back from JSON, where the covariance is left out
        }
        let variance = self.covariance[i * n + i] + self.covariance[j * n + j] - 2.0 * self.covariance[i * n + j];
        Some(Estimate { value: self.rows[i].elo - self.rows[j].elo, error: Z95 * variance.max(0.0).sqrt() })
    }

    /// Likelihood, 0 to 1, that `a` is stronger than `b`.
    pub fn superiority(&self, a: &str, b: &str) -> Option<f64> {
        let Estimate { value, error } = self.difference(a, b)?;
        Some(if error > 0.0 { normal_cdf(value / (error / Z95)) } else { 0.5 })
    }
}

/// Why there are no ratings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RatingError {
    /// There is no finished game.
    #[error("no finished games to rate players by")]
    NoGames,
    /// The anchor has played nobody.
    #[error("the anchor {0:?} is not among the players")]
    UnknownAnchor(String),
    /// The likelihood could not be maximised; this is a defect of this program.
    #[error("the ratings did not converge")]
    Diverged,
}

/// Rates all players. `anchor` gets 0 Elo; without one it is the first player of the largest group (in the
/// order of their names).
///
/// Where a player, or a group of players, gave no point or got none, no finite rating is the likeliest. There
/// each pair of opponents concerned gets one more win, shared out half to each (Jeffreys' prior), and the
/// players are marked.
///
/// ```
/// use eval::ratings::{Encounter, Wdl, rate};
///
/// let games = |first: &str, second: &str, w, d, l| Encounter {
///     first: first.into(), second: second.into(), results: Wdl::new(w, d, l)
/// };
/// let table = rate(
///     &[games("new", "old", 30, 10, 10), games("old", "new", 14, 12, 24)],
///     Some("old"),
/// )?;
/// assert_eq!(table.rows[0].player, "new");
/// assert!((table.rows[0].elo - 107.5).abs() < 1.0 && table.rows[0].error < 70.0);
/// # Ok::<(), eval::ratings::RatingError>(())
/// ```
///
/// # Errors
/// There are no games, or the anchor is not among the players.
pub fn rate(encounters: &[Encounter], anchor: Option<&str>) -> Result<RatingTable, RatingError> {
    let played = || encounters.iter().filter(|e| e.results.games() > 0 && e.first != e.second);
    let numbers: BTreeMap<&str, usize> =
        played().flat_map(|e| [(e.first.as_str(), 0), (e.second.as_str(), 0)]).collect();
    let names: Vec<&str> = numbers.into_keys().collect();
    let number = |name: &str| names.binary_search(&name).ok();
    let pairings: Vec<Pairing> = played()
        .filter_map(|e| Some(Pairing { first: number(&e.first)?, second: number(&e.second)?, results: e.results }))
        .collect();
    if pairings.is_empty() {
        return Err(RatingError::NoGames);
    }
    let met: Vec<_> = pairings.iter().map(|p| (p.first, p.second)).collect();
    let groups = graph::components(names.len(), &met);
    let rated = match anchor {
        Some(name) => {
            let anchor = number(name).ok_or_else(|| RatingError::UnknownAnchor(name.to_owned()))?;
            groups.iter().position(|group| group.contains(&anchor))
        }
        // The largest group, of equal ones the first.
        None => (0..groups.len()).max_by_key(|&i| (groups[i].len(), std::cmp::Reverse(i))),
    }
    .unwrap_or_default();
    let mut order = groups[rated].clone();
    if let Some(place) = anchor.and_then(number).and_then(|a| order.iter().position(|&player| player == a)) {
        order[..=place].rotate_right(1);
    }
    let local = |player: usize| order.iter().position(|&other| other == player);
    let pairings: Vec<Pairing> = pairings
        .iter()
        .filter_map(|p| Some(Pairing { first: local(p.first)?, second: local(p.second)?, results: p.results }))
        .collect();
    let fit = Fit::new(order.len(), &pairings)?;
    let unrated = groups.iter().enumerate().filter(|&(i, _)| i != rated);
    Ok(RatingTable {
        unrated: unrated.map(|(_, group)| group.iter().map(|&player| names[player].to_owned()).collect()).collect(),
        ..table(&order.iter().map(|&player| names[player]).collect::<Vec<_>>(), &pairings, &fit)
    })
}

/// An encounter by player numbers.
struct Pairing {
    first: usize,
    second: usize,
    results: Wdl,
}

/// The table of a fit; player 0 is the anchor.
fn table(names: &[&str], pairings: &[Pairing], fit: &Fit) -> RatingTable {
    let n = names.len();
    let size = n + 1;
    let covariance = |i: usize, j: usize| {
        if i == 0 || j == 0 { 0.0 } else { ELO * ELO * fit.covariance[(i - 1) * size + j - 1] }
    };
    let rating = |i: usize| if i == 0 { 0.0 } else { ELO * fit.parameters[i - 1] };
    let mut best_first: Vec<usize> = (0..n).collect();
    best_first.sort_by(|&a, &b| rating(b).total_cmp(&rating(a)).then(names[a].cmp(names[b])));
    let row = |i: usize| {
        let mut results = Wdl::default();
        let mut opponents = std::collections::BTreeSet::new();
        for p in pairings {
            if p.first == i {
                results += p.results;
                opponents.insert(p.second);
            } else if p.second == i {
                results += p.results.reversed();
                opponents.insert(p.first);
            }
        }
        RatingRow {
            player: names[i].to_owned(),
            elo: rating(i),
            error: Z95 * covariance(i, i).max(0.0).sqrt(),
            games: results.games(),
            score: results.score().unwrap_or(0.5),
            opponents: opponents.len(),
            prior: fit.prior[i],
        }
    };
    let nuisance = |i: usize| (fit.parameters[i], Z95 * fit.covariance[i * size + i].max(0.0).sqrt());
    let (advantage, advantage_error) = nuisance(n - 1);
    let (ln_nu, ln_nu_error) = nuisance(n);
    let draws = davidson::even_draws(ln_nu);
    RatingTable {
        anchor: names[0].to_owned(),
        rows: best_first.iter().map(|&i| row(i)).collect(),
        first_advantage: Estimate { value: ELO * advantage, error: ELO * advantage_error },
        // d = ν/(2 + ν) has the derivative d(1 − d) by ln ν.
        draws: Estimate { value: draws, error: draws * (1.0 - draws) * ln_nu_error },
        unrated: Vec::new(),
        covariance: best_first.iter().flat_map(|&i| best_first.iter().map(move |&j| covariance(i, j))).collect(),
    }
}

/// The maximum of the likelihood. Parameters: ratings of players 1, 2, … above player 0, the first player's
/// advantage, ln ν; all in natural units.
struct Fit {
    parameters: Vec<f64>,
    covariance: Vec<f64>,
    /// Which players needed the prior.
    prior: Vec<bool>,
}

/// Wins, draws and losses of the first player, with fractions where the prior adds some.
struct Weighted {
    first: usize,
    second: usize,
    counts: [f64; 3],
}

impl Fit {
    fn new(players: usize, pairings: &[Pairing]) -> Result<Fit, RatingError> {
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
                let half = if one_way { 0.5 } else { 0.0 };
                let Wdl { wins, draws, losses } = p.results;
                let counts = [wins as f64 + half, draws as f64, losses as f64 + half];
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
