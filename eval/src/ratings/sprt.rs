//! The generalised sequential probability ratio test: is the difference `elo1` rather than `elo0`?
//!
//! LLR = N Σ p̂ ln(p₁/p₀), where p₀ and p₁ are the distributions of results nearest to the observed p̂ (in
//! likelihood) among those with strength `elo0` and `elo1` (Van den Bergh). Empty cells count 10⁻³.

use super::counts::{Pentanomial, Wdl};
use super::elo::{NELO_PER_SIGMA, score_of_elo};
use serde::{Deserialize, Serialize};
use settings::Complaints;
use std::fmt;
use std::str::FromStr;

/// The unit of `elo0` and `elo1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Elo: the mean score alone.
    Logistic,
    /// Normalised Elo: the mean score over its standard deviation, so that a test takes about as long
    /// whatever the share of draws.
    #[default]
    Normalized,
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Model::Logistic => "logistic",
            Model::Normalized => "normalized",
        })
    }
}

impl FromStr for Model {
    type Err = UnknownModel;
    fn from_str(text: &str) -> Result<Model, UnknownModel> {
        match text {
            "logistic" => Ok(Model::Logistic),
            "normalized" => Ok(Model::Normalized),
            _ => Err(UnknownModel(text.to_owned())),
        }
    }
}

/// A text that names no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no model is called {0:?}; there are: logistic, normalized")]
pub struct UnknownModel(pub String);

/// The decision of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SprtDecision {
    /// Not enough games.
    Continue,
    /// The difference is `elo0` (or less).
    H0,
    /// The difference is `elo1` (or more).
    H1,
}

/// Counted results, by single games or by pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sample {
    /// Single games.
    Games(Wdl),
    /// Complete pairs: about 20 % fewer games until a decision.
    Pairs(Pentanomial),
}

/// Most linearisations of the constraint. It takes 5 to 50, and some hundred where nearly all results are alike.
const MOST_LINEARISATIONS: usize = 10_000;

/// A sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sprt {
    /// `logistic` or `normalized`.
    pub model: Model,
    /// Difference under H0, in Elo of the model.
    pub elo0: f64,
    /// Difference under H1, above `elo0`.
    pub elo1: f64,
    /// Greatest probability of accepting H1 although H0 is true, above 0 and below ½.
    pub alpha: f64,
    /// Greatest probability of accepting H0 although H1 is true, above 0 and below ½.
    pub beta: f64,
}

impl Default for Sprt {
    fn default() -> Self {
        Sprt { model: Model::Normalized, elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05 }
    }
}

impl Sprt {
    /// The greatest difference that can be tested, in Elo of the model. A score of 0.99999 is 2,000 Elo.
    pub const MOST_ELO: f64 = 2_000.0;

    /// Complains about each value that is not possible.
    pub fn check(&self, complaints: &mut Complaints) {
        for (name, value) in [("elo0", self.elo0), ("elo1", self.elo1)] {
            // A value that is no number is out of range too.
            if !(-Sprt::MOST_ELO..=Sprt::MOST_ELO).contains(&value) {
                complaints.say(name, format!("{value} is out of range; -{0} to {0}", Sprt::MOST_ELO));
            }
        }
        if self.elo0 >= self.elo1 {
            complaints.say("elo1", format!("{} must be greater than elo0, {}", self.elo1, self.elo0));
        }
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(value > 0.0 && value < 0.5) {
                complaints.say(name, format!("{value} must lie between 0 and 0.5"));
            }
        }
    }

    /// The log-likelihood ratios at which H0 and H1 are accepted.
    pub fn bounds(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
    }

    /// The log-likelihood ratio; `None` without results. It is a number for all bounds that [`check`](Sprt::check) accepts.
    pub fn llr(&self, sample: Sample) -> Option<f64> {
        let (counts, games_each): (Vec<u64>, f64) = match sample {
            Sample::Games(g) => (vec![g.losses, g.draws, g.wins], 1.0),
            Sample::Pairs(p) => (p.0.to_vec(), 2.0),
        };
        if counts.iter().all(|&count| count == 0) {
            return None;
        }
        let filled: Vec<f64> = counts.iter().map(|&n| if n == 0 { 1e-3 } else { n as f64 }).collect();
        let n: f64 = filled.iter().sum();
        let last = (counts.len() - 1) as f64;
        let observed: Vec<ScoreShare> = filled
            .iter()
            .enumerate()
            .map(|(i, count)| ScoreShare { score: i as f64 / last, share: count / n })
            .collect();
        let [p0, p1] = [self.elo0, self.elo1].map(|elo| match self.model {
            Model::Logistic => with_mean(&observed, score_of_elo(elo)),
            Model::Normalized => with_signal(&observed, elo / NELO_PER_SIGMA * games_each.sqrt()),
        });
        let llr =
            n * observed.iter().zip(p0.iter().zip(&p1)).map(|(o, (p0, p1))| o.share * (p1 / p0).ln()).sum::<f64>();
        llr.is_finite().then_some(llr)
    }

    /// What the results decide.
    pub fn decide(&self, sample: Sample) -> SprtDecision {
        self.decide_by(self.llr(sample))
    }

    /// What a log-likelihood ratio decides.
    pub(super) fn decide_by(&self, llr: Option<f64>) -> SprtDecision {
        let [lower, upper] = self.bounds();
        match llr {
            Some(llr) if llr >= upper => SprtDecision::H1,
            Some(llr) if llr <= lower => SprtDecision::H0,
            _ => SprtDecision::Continue,
        }
    }
}

/// One possible result and its share of the sample.
struct ScoreShare {
    score: f64,
    share: f64,
}

/// The distribution nearest to the observed one whose mean is `mean`.
fn with_mean(observed: &[ScoreShare], mean: f64) -> Vec<f64> {
    let deviations: Vec<f64> = observed.iter().map(|cell| cell.score - mean).collect();
    tilt(observed, &deviations)
}

/// The distribution nearest to the observed one whose mean is ½ + `signal` standard deviations. The constraint is not
/// linear, so it is linearised around the last solution until the solution stays as it is.
fn with_signal(observed: &[ScoreShare], signal: f64) -> Vec<f64> {
    let mut p = far_enough(observed, signal);
    for _ in 0..MOST_LINEARISATIONS {
        let (mean, sigma) = moments(observed, &p);
        let deviations: Vec<f64> = observed
            .iter()
            .map(|cell| cell.score - 0.5 - 0.5 * signal * sigma * (1.0 + ((cell.score - mean) / sigma).powi(2)))
            .collect();
        let next = tilt(observed, &deviations);
        let change = next.iter().zip(&p).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        p = next;
        if change < 1e-9 {
            break;
        }
    }
    p
}

/// A distribution whose mean is at least so many standard deviations beyond ½. The standard deviation is a concave function
/// of the distribution, so the constraint linearised around such a distribution can be met, and every solution is again
/// such a distribution. Linearised around the uniform distribution it cannot be met for 235 nElo and more.
fn far_enough(observed: &[ScoreShare], signal: f64) -> Vec<f64> {
    let uniform = 1.0 / observed.len() as f64;
    let end = if signal < 0.0 { 0 } else { observed.len() - 1 };
    let mut share = 1.0;
    loop {
        let mut p = vec![share * uniform; observed.len()];
        p[end] += 1.0 - share;
        let (mean, sigma) = moments(observed, &p);
        if (mean - 0.5).abs() >= signal.abs() * sigma || share < f64::EPSILON {
            return p;
        }
        share *= 0.5;
    }
}

/// Mean and standard deviation.
fn moments(observed: &[ScoreShare], p: &[f64]) -> (f64, f64) {
    let mean: f64 = observed.iter().zip(p).map(|(cell, p)| cell.score * p).sum();
    let variance: f64 = observed.iter().zip(p).map(|(cell, p)| (cell.score - mean).powi(2) * p).sum();
    (mean, variance.sqrt())
}

/// pᵢ = p̂ᵢ / (1 + θφᵢ) with the θ for which Σ pᵢφᵢ = 0: the sum falls monotonically between the two
/// poles −1/max φ and −1/min φ, so bisection cannot miss it.
fn tilt(observed: &[ScoreShare], deviations: &[f64]) -> Vec<f64> {
    let (least, most) = deviations.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), &d| (l.min(d), m.max(d)));
    if !(least < 0.0 && most > 0.0) {
        // No distribution on these results meets the constraint; the likelihood ratio is then undefined.
        return vec![f64::NAN; observed.len()];
    }
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    loop {
        let theta = 0.5 * (low + high);
        if theta <= low || theta >= high {
            break; // no number lies between them
        }
        let sum: f64 = observed.iter().zip(deviations).map(|(cell, d)| cell.share * d / (1.0 + theta * d)).sum();
        if sum > 0.0 { low = theta } else { high = theta }
    }
    let theta = 0.5 * (low + high);
    observed.iter().zip(deviations).map(|(cell, d)| cell.share / (1.0 + theta * d)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_walds() {
        let [lower, upper] = Sprt::default().bounds();
        assert!((upper - 2.944_438_979).abs() < 1e-9 && (lower + upper).abs() < 1e-12);
    }

    #[test]
    fn nothing_played_decides_nothing() {
        let empty = Sample::Pairs(Pentanomial::default());
        assert_eq!((Sprt::default().llr(empty), Sprt::default().decide(empty)), (None, SprtDecision::Continue));
    }

    #[test]
    fn complaints_name_the_value() {
        let mut complaints = Complaints::default();
        Sprt { elo0: 3.0, elo1: 1.0, alpha: 0.7, ..Sprt::default() }.check(&mut complaints);
        let expected = "elo1: 1 must be greater than elo0, 3\nalpha: 0.7 must lie between 0 and 0.5";
        assert_eq!(complaints.to_string(), expected);
        for elo1 in [2_001.0, f64::INFINITY, f64::NAN] {
            let mut complaints = Complaints::default();
            Sprt { elo1, ..Sprt::default() }.check(&mut complaints);
            assert_eq!(complaints.to_string(), format!("elo1: {elo1} is out of range; -2000 to 2000"));
        }
    }

    /// All lists of three or five counts out of these.
    fn samples() -> Vec<Sample> {
        const COUNTS: [u64; 4] = [0, 1, 59, 100_000];
        let count = |code: usize, cell: u32| COUNTS[code / 4usize.pow(cell) % 4];
        let games = (1..64).map(|code| Sample::Games(Wdl::new(count(code, 0), count(code, 1), count(code, 2))));
        let pairs = (1..1024).map(|code| Sample::Pairs(Pentanomial([0, 1, 2, 3, 4].map(|cell| count(code, cell)))));
        games.chain(pairs).collect()
    }

    fn reversed(sample: Sample) -> Sample {
        match sample {
            Sample::Games(games) => Sample::Games(games.reversed()),
            Sample::Pairs(pairs) => Sample::Pairs(pairs.reversed()),
        }
    }

    #[test]
    fn every_ratio_within_the_bounds_is_a_number_and_changes_its_sign_with_the_point_of_view() {
        let bounds = [(0.0, 5.0), (0.0, 230.0), (0.0, 235.0), (0.0, 300.0), (200.0, 240.0), (-2_000.0, 2_000.0)];
        for sample in samples() {
            for model in [Model::Logistic, Model::Normalized] {
                for (elo0, elo1) in bounds {
                    let test = Sprt { model, elo0, elo1, ..Sprt::default() };
                    let llr = test.llr(sample).unwrap_or_else(|| panic!("n/a: {sample:?} {test:?}"));
                    let back = Sprt { elo0: -elo1, elo1: -elo0, ..test }.llr(reversed(sample)).expect("a number");
                    assert!((llr + back).abs() < 1e-5 * llr.abs().max(1.0), "{llr} {back}: {sample:?} {test:?}");
                }
            }
        }
    }

    #[test]
    fn the_hypothesis_is_met_and_nothing_near_it_is_nearer_to_the_results() {
        for sample in samples().into_iter().step_by(7) {
            let Sample::Pairs(Pentanomial(counts)) = sample else { continue };
            let filled = counts.map(|n| (n as f64).max(1e-3));
            let n: f64 = filled.iter().sum();
            let observed: Vec<ScoreShare> =
                (0..5).map(|i| ScoreShare { score: i as f64 / 4.0, share: filled[i] / n }).collect();
            for signal in [-3.0, -0.9, -0.1, 0.0, 0.5, 0.95, 1.3, 8.0] {
                let p = with_signal(&observed, signal);
                let (mean, sigma) = moments(&observed, &p);
                assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-6 && p.iter().all(|&p| p > 0.0), "{counts:?} {p:?}");
                assert!((mean - 0.5 - signal * sigma).abs() < 1e-6, "{counts:?} {signal}: {mean} {sigma}");
                // Lagrange: p̂/p − 1 is in each cell the same multiple of the constraint's derivative.
                let slope = |i: usize| {
                    observed[i].score
                        - 0.5
                        - 0.5 * signal * sigma * (1.0 + ((observed[i].score - mean) / sigma).powi(2))
                };
                let excess = |i: usize| observed[i].share / p[i] - 1.0;
                let steepest = (0..5).max_by(|&a, &b| slope(a).abs().total_cmp(&slope(b).abs())).expect("five cells");
                let theta = excess(steepest) / slope(steepest);
                let most = (0..5).map(excess).fold(1.0f64, |most, excess| most.max(excess.abs()));
                for i in 0..5 {
                    assert!((excess(i) - theta * slope(i)).abs() < 1e-4 * most, "{counts:?} {signal}: {p:?}");
                }
            }
        }
    }

    #[test]
    fn a_sweep_decides_a_test_of_great_differences() {
        let test = Sprt { elo0: 0.0, elo1: 300.0, ..Sprt::default() };
        assert_eq!(test.decide(Sample::Pairs(Pentanomial([0, 0, 1, 0, 59]))), SprtDecision::H1);
        assert_eq!(test.decide(Sample::Pairs(Pentanomial([5, 5, 40, 5, 5]))), SprtDecision::H0);
    }
}
