//! Ratings of many players from all their games together, by maximum likelihood. The advantage of moving first and the
//! share of draws are estimated too.

use super::counts::Wdl;
use super::davidson;
use super::graph;
use super::likelihood::{ELO, MaximumLikelihood, Pairing};
use super::normal::{Z95, normal_cdf};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// All games in which one named player moved first against another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Encounter {
    /// The player who moved first.
    pub first: String,
    /// The opponent.
    pub second: String,
    /// Results of the player who moved first.
    pub results: Wdl,
}

impl Encounter {
    /// The results from a player's point of view; `None` if it took no part.
    pub fn seen_by(&self, player: &str) -> Option<Wdl> {
        if self.first == player { Some(self.results) } else { (self.second == player).then(|| self.results.reversed()) }
    }
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
    /// Whether the weak prior was needed for this player: all points against some opponent went one way, and no other
    /// player connects the two. The rating then understates the distance.
    pub prior: bool,
    /// Likelihood, 0 to 1, that it is stronger than the next one in the table; `None` for the last.
    #[serde(default)]
    pub los_next: Option<f64>,
    /// How far it is above the next one in the table, in Elo; `None` for the last.
    #[serde(default)]
    pub over_next: Option<Estimate>,
}

/// The ratings of all players that games connect with the anchor, best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingTable {
    /// The player at 0 Elo.
    pub anchor: String,
    /// The rated players.
    pub rows: Vec<RatingRow>,
    /// What moving first is worth, in Elo, by all games between different players, rated or not.
    pub first_advantage: Estimate,
    /// Share of draws between equals, 0 to 1, by the same games.
    pub draws: Estimate,
    /// How many games these are.
    #[serde(default)]
    pub games: u64,
    /// Groups of players that no chain of games connects with the anchor. They cannot be compared with the others.
    pub unrated: Vec<Vec<String>>,
    /// Covariance of the rows' ratings in Elo², row-major in the order of `rows`.
    #[serde(skip)]
    covariance: Vec<f64>,
}

/// Half width of the 95 % interval, in Elo, beyond which games say nothing of what moving first is worth.
const LARGE_ERROR: f64 = 100.0;

impl RatingTable {
    /// What moving first is worth, in a sentence that says so where the games are too few to tell.
    pub fn first_advantage_text(&self) -> String {
        let Estimate { value, error } = self.first_advantage;
        if error <= LARGE_ERROR {
            return format!("Moving first is worth {value:+.0} ± {error:.0} Elo.");
        }
        let games = match self.games {
            1 => "1 game is".to_owned(),
            games => format!("{games} games are"),
        };
        format!("Moving first is worth an unknown number of Elo: {games} too few (± {error:.0}).")
    }

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

    /// A sum of ratings with weights whose own sum is 0, in Elo: how far some players are above others on average. `None` if
    /// one of them is not rated.
    ///
    /// ```
    /// use eval::ratings::{Encounter, Wdl, rate};
    ///
    /// let games = |first: &str, second: &str| Encounter {
    ///     first: first.into(), second: second.into(), results: Wdl::new(6, 2, 3)
    /// };
    /// let table = rate(&[games("a", "b"), games("b", "c"), games("a", "c")], None)?;
    /// let mean = table.contrast(&[("a", 0.5), ("b", 0.5), ("c", -1.0)]).expect("all are rated");
    /// let [a, b] = ["a", "b"].map(|name| table.difference(name, "c").expect("both are rated"));
    /// assert!((mean.value - (a.value + b.value) / 2.0).abs() < 1e-9);
    /// # Ok::<(), eval::ratings::RatingError>(())
    /// ```
    pub fn contrast(&self, weights: &[(&str, f64)]) -> Option<Estimate> {
        let n = self.rows.len();
        if self.covariance.len() != n * n {
            return None; // read back from JSON, where the covariance is left out
        }
        let find = |name: &str| self.rows.iter().position(|row| row.player == name);
        let places: Option<Vec<(usize, f64)>> = weights.iter().map(|&(name, w)| Some((find(name)?, w))).collect();
        let places = places?;
        let value = places.iter().map(|&(i, w)| w * self.rows[i].elo).sum();
        let pairs = places.iter().flat_map(|&(i, v)| places.iter().map(move |&(j, w)| (i, j, v * w)));
        let variance: f64 = pairs.map(|(i, j, w)| w * self.covariance[i * n + j]).sum();
        Some(Estimate { value, error: Z95 * variance.max(0.0).sqrt() })
    }

    /// The table of those of the players that `keep` chooses. The games of the others count as before.
    pub fn only(&self, keep: impl Fn(&str) -> bool) -> RatingTable {
        let n = self.rows.len();
        let kept: Vec<usize> = (0..n).filter(|&i| keep(&self.rows[i].player)).collect();
        let cells = kept.iter().flat_map(|&i| kept.iter().map(move |&j| i * n + j));
        let mut table = RatingTable {
            rows: kept.iter().map(|&i| self.rows[i].clone()).collect(),
            covariance: cells.filter_map(|cell| self.covariance.get(cell).copied()).collect(),
            ..self.clone()
        };
        table.compare_neighbours();
        table
    }

    /// Compares each player with the next one.
    fn compare_neighbours(&mut self) {
        for place in 0..self.rows.len() {
            let next = self.rows.get(place + 1).map(|row| row.player.clone());
            let compared = next.map(|next| {
                let player = &self.rows[place].player;
                (self.superiority(player, &next), self.difference(player, &next))
            });
            (self.rows[place].los_next, self.rows[place].over_next) = compared.unwrap_or_default();
        }
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
    /// The anchor has played no game.
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
/// two opponents concerned get half a win each on top (Jeffreys' prior) and are marked.
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
/// assert_eq!(format!("{:.0} ± {:.0}", table.rows[0].elo, table.rows[0].error), "109 ± 62");
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
    // However the games were reported, two players have at most two pairings, one for each that moved first.
    let mut merged: BTreeMap<(usize, usize), Wdl> = BTreeMap::new();
    for e in played() {
        if let (Some(first), Some(second)) = (number(&e.first), number(&e.second)) {
            *merged.entry((first, second)).or_default() += e.results;
        }
    }
    let pairings: Vec<Pairing> =
        merged.into_iter().map(|((first, second), results)| Pairing { first, second, results }).collect();
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
        // The largest group; of equal ones, the first.
        None => (0..groups.len()).max_by_key(|&i| (groups[i].len(), std::cmp::Reverse(i))),
    }
    .unwrap_or_default();
    let of_group = |order: &[usize]| -> Vec<Pairing> {
        let local = |player: usize| order.iter().position(|&other| other == player);
        let here = |p: &Pairing| Some(Pairing { first: local(p.first)?, second: local(p.second)?, results: p.results });
        pairings.iter().filter_map(here).collect()
    };
    let mut order = groups[rated].clone();
    if let Some(place) = anchor.and_then(number).and_then(|a| order.iter().position(|&player| player == a)) {
        order[..=place].rotate_right(1);
    }
    let played = of_group(&order);
    let fit = MaximumLikelihood::new(order.len(), &played).ok_or(RatingError::Diverged)?;
    let mut table = table(&order.iter().map(|&player| names[player]).collect::<Vec<_>>(), &played, &fit);
    // What moving first is worth, and how much is drawn, is the same in all groups, so the games of all groups count.
    let (mut advantages, mut draws) = (vec![fit.advantage()], vec![fit.ln_nu()]);
    for (_, group) in groups.iter().enumerate().filter(|&(i, _)| i != rated) {
        let fit = MaximumLikelihood::new(group.len(), &of_group(group)).ok_or(RatingError::Diverged)?;
        advantages.push(fit.advantage());
        draws.push(fit.ln_nu());
        table.unrated.push(group.iter().map(|&player| names[player].to_owned()).collect());
    }
    let Estimate { value, error } = together(&advantages);
    table.first_advantage = Estimate { value: ELO * value, error: ELO * error };
    let Estimate { value, error } = together(&draws);
    let share = davidson::even_draws(value);
    // d = ν/(2 + ν) has the derivative d(1 − d) by ln ν.
    table.draws = Estimate { value: share, error: share * (1.0 - share) * error };
    table.games = pairings.iter().map(|pairing| pairing.results.games()).sum();
    Ok(table)
}

/// Independent estimates of one number, weighted by their precision.
fn together(estimates: &[Estimate]) -> Estimate {
    if let [one] = estimates {
        return *one;
    }
    let weight = |estimate: &Estimate| 1.0 / estimate.error.max(f64::MIN_POSITIVE.sqrt()).powi(2);
    let sum: f64 = estimates.iter().map(weight).sum();
    let value = estimates.iter().map(|estimate| weight(estimate) * estimate.value).sum::<f64>() / sum;
    Estimate { value, error: sum.sqrt().recip() }
}

impl MaximumLikelihood {
    /// What moving first is worth, in natural units.
    fn advantage(&self) -> Estimate {
        self.nuisance(2)
    }

    /// ln ν, which decides the share of draws.
    fn ln_nu(&self) -> Estimate {
        self.nuisance(1)
    }

    /// A parameter, counted from the end.
    fn nuisance(&self, from_end: usize) -> Estimate {
        let size = self.parameters.len();
        let i = size - from_end;
        Estimate { value: self.parameters[i], error: Z95 * self.covariance[i * size + i].max(0.0).sqrt() }
    }
}

/// The players of a fit; player 0 is the anchor.
fn table(names: &[&str], pairings: &[Pairing], fit: &MaximumLikelihood) -> RatingTable {
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
            los_next: None,
            over_next: None,
        }
    };
    let mut table = RatingTable {
        anchor: names[0].to_owned(),
        rows: best_first.iter().map(|&i| row(i)).collect(),
        first_advantage: Estimate { value: 0.0, error: 0.0 },
        draws: Estimate { value: 0.0, error: 0.0 },
        games: 0,
        unrated: Vec::new(),
        covariance: best_first.iter().flat_map(|&i| best_first.iter().map(move |&j| covariance(i, j))).collect(),
    };
    table.compare_neighbours();
    table
}
