//! Strength of one player against another from counted results, with error bars.

use super::counts::{Pentanomial, Wdl};
use super::normal::{Z95, normal_cdf};
use serde::{Deserialize, Serialize};

/// Elo difference at which a player scores `score`; `None` at 0 and 1 and outside of them.
///
/// ```
/// assert_eq!(eval::ratings::elo_of_score(0.5), Some(0.0));
/// assert_eq!(eval::ratings::elo_of_score(1.0), None);
/// ```
pub fn elo_of_score(score: f64) -> Option<f64> {
    // Written so that the sign of zero comes out as +0.
    (score > 0.0 && score < 1.0).then(|| 400.0 * (score / (1.0 - score)).log10())
}

/// Expected score at an Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Normalised Elo of one standard deviation of a game's result.
pub(super) const NELO_PER_SIGMA: f64 = 800.0 / std::f64::consts::LN_10;

/// Strength of the first named player relative to the other. All intervals are 95 %.
///
/// The interval of the score is the normal one, mean ± 1.96 standard errors. If that makes no sense, because all
/// results were equal or because it leaves the range 0 to 1, it is Wilson's score interval for as many yes–no trials as
/// carry the information of the sample (see [`Strength::wilson`]).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Strength {
    /// Independent observations: games, or pairs of games.
    pub observations: u64,
    /// Mean score, 0 to 1.
    pub score: Option<f64>,
    /// Lower end of the score's interval.
    pub score_low: Option<f64>,
    /// Upper end of the score's interval.
    pub score_high: Option<f64>,
    /// Whether the interval is Wilson's.
    pub wilson: bool,
    /// Elo difference.
    pub elo: Option<f64>,
    /// Half the width of its interval; `None` where an end is unbounded.
    pub elo_error: Option<f64>,
    /// Lower end; `None` is unbounded.
    pub elo_low: Option<f64>,
    /// Upper end; `None` is unbounded.
    pub elo_high: Option<f64>,
    /// Normalised Elo: mean over standard deviation of a game, in units of 800 / ln 10, so that it says how
    /// many games it takes to see the difference, however many draws there are.
    pub nelo: Option<f64>,
    /// Half the width of its interval.
    pub nelo_error: Option<f64>,
    /// Likelihood of superiority: the probability, 0 to 1, that the first player is the stronger one.
    pub los: Option<f64>,
}

impl Strength {
    /// From single games, taken as independent.
    pub fn of_games(games: Wdl) -> Strength {
        let Wdl { wins, draws, losses } = games;
        Strength::new(&[(0.0, losses), (0.5, draws), (1.0, wins)], 1.0)
    }

    /// From complete pairs. Narrower than from single games, because what an opening gives to one side
    /// cancels within a pair.
    pub fn of_pairs(pairs: Pentanomial) -> Strength {
        let cells: Vec<(f64, u64)> = Pentanomial::SCORES.into_iter().zip(pairs.0).collect();
        Strength::new(&cells, 2.0)
    }

    /// `Elo +35 ± 20`; or its one-sided bound, `Elo above +250`, if all points went one way; or `Elo n/a`.
    pub fn elo_text(&self) -> String {
        let Strength { elo, elo_error, elo_low, elo_high, .. } = *self;
        match (elo, elo_error, elo_low, elo_high) {
            (Some(elo), Some(error), ..) => format!("Elo {elo:+.0} ± {error:.0}"),
            (_, _, Some(low), None) => format!("Elo above {low:+.0}"),
            (_, _, None, Some(high)) => format!("Elo below {high:+.0}"),
            _ => "Elo n/a".to_owned(),
        }
    }

    fn new(cells: &[(f64, u64)], games_each: f64) -> Strength {
        let observations: u64 = cells.iter().map(|cell| cell.1).sum();
        if observations == 0 {
            return Strength::default();
        }
        let n = observations as f64;
        let mean = cells.iter().map(|&(score, count)| score * count as f64).sum::<f64>() / n;
        let variance = cells.iter().map(|&(score, count)| (score - mean).powi(2) * count as f64).sum::<f64>() / n;
        let standard_error = (variance / n).sqrt();
        let (mut low, mut high) = (mean - Z95 * standard_error, mean + Z95 * standard_error);
        let wilson = variance == 0.0 || low <= 0.0 || high >= 1.0;
        if wilson {
            (low, high) = wilson_interval(mean, variance, n);
        }
        let [elo, elo_low, elo_high] = [mean, low, high].map(elo_of_score);
        let spread = (variance > 0.0).then(|| (games_each * variance).sqrt());
        Strength {
            observations,
            score: Some(mean),
            score_low: Some(low),
            score_high: Some(high),
            wilson,
            elo,
            elo_error: elo_low.zip(elo_high).map(|(low, high)| 0.5 * (high - low)),
            elo_low,
            elo_high,
            nelo: spread.map(|spread| NELO_PER_SIGMA * (mean - 0.5) / spread),
            nelo_error: spread.map(|_| NELO_PER_SIGMA * Z95 / (games_each * n).sqrt()),
            los: Some(superiority(mean, standard_error, n)),
        }
    }
}

/// Wilson's score interval for a mean of results between 0 and 1. Such results never vary more than yes–no
/// trials of the same mean; `n` of them with half the variance count as `2n` trials. Equal results say
/// nothing about the variance, so there the most it can be is assumed.
fn wilson_interval(mean: f64, variance: f64, n: f64) -> (f64, f64) {
    let most = mean * (1.0 - mean);
    let trials = if variance > 0.0 { n * most / variance } else { n };
    let z2 = Z95 * Z95;
    let centre = (mean + z2 / (2.0 * trials)) / (1.0 + z2 / trials);
    let half = Z95 / (1.0 + z2 / trials) * (most / trials + z2 / (4.0 * trials * trials)).sqrt();
    // At mean 0 and 1 one end is that bound itself; keep rounding from blurring it.
    let low = if mean == 0.0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if mean == 1.0 { 1.0 } else { (centre + half).min(1.0) };
    (low, high)
}

/// P(true score > ½). With equal results there is no spread to compare with: then it is the posterior of
/// yes–no trials that all came out alike, from an even prior (Laplace).
fn superiority(mean: f64, standard_error: f64, n: f64) -> f64 {
    if standard_error > 0.0 {
        return normal_cdf((mean - 0.5) / standard_error);
    }
    let doubt = 0.5f64.powf(n + 1.0);
    match mean {
        m if m > 0.5 => 1.0 - doubt,
        m if m < 0.5 => doubt,
        _ => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_played_says_nothing() {
        assert_eq!(Strength::of_games(Wdl::default()), Strength::default());
        assert_eq!(Strength::of_pairs(Pentanomial::default()).los, None);
    }

    #[test]
    fn a_clean_sweep_is_bounded_on_one_side() {
        let s = Strength::of_pairs(Pentanomial([0, 0, 0, 0, 20]));
        assert!(s.wilson);
        assert_eq!((s.score, s.score_high, s.elo, s.elo_error, s.elo_high), (Some(1.0), Some(1.0), None, None, None));
        let low = s.score_low.unwrap();
        assert!((low - 20.0 / (20.0 + Z95 * Z95)).abs() < 1e-12, "Wilson's lower end at 20 of 20: {low}");
        assert!(s.elo_low.unwrap() > 250.0);
        assert_eq!(s.elo_text(), format!("Elo above {:+.0}", s.elo_low.unwrap()));
        assert!(s.los.unwrap() > 0.999_999 && s.los.unwrap() < 1.0);
    }

    #[test]
    fn all_drawn_is_even_and_uncertain() {
        let s = Strength::of_games(Wdl::new(0, 8, 0));
        assert_eq!((s.elo, s.los, s.nelo), (Some(0.0), Some(0.5), None));
        assert!(s.elo_error.unwrap() > 100.0);
    }

    #[test]
    fn every_small_sample_is_finite_or_none() {
        for code in 0..4usize.pow(5) {
            let counts = std::array::from_fn(|i| (code / 4usize.pow(i as u32) % 4) as u64);
            let s = Strength::of_pairs(Pentanomial(counts));
            let numbers =
                [s.score, s.score_low, s.score_high, s.elo, s.elo_error, s.elo_low, s.elo_high, s.nelo, s.los];
            assert!(numbers.iter().flatten().all(|x| x.is_finite()), "{counts:?}: {s:?}");
            if let (Some(score), Some(low), Some(high)) = (s.score, s.score_low, s.score_high) {
                assert!(0.0 <= low && low <= score && score <= high && high <= 1.0, "{counts:?}: {s:?}");
            }
        }
    }
}
