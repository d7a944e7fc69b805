//! A calculator for `kirin eval stats`: from counts to strength and the state of a test.

use crate::ratings::{Sample, Sprt, SprtDecision, Strength};
use serde::{Deserialize, Serialize};

/// Strength and sequential test of counted results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// Elo difference; `None` if all points went one way.
    pub elo: Option<f64>,
    /// Half the width of its 95 % interval; `None` where an end is unbounded.
    pub elo_error: Option<f64>,
    /// Normalised Elo; `None` where all results were equal.
    pub nelo: Option<f64>,
    /// Half the width of its 95 % interval.
    pub nelo_error: Option<f64>,
    /// Likelihood of superiority, 0 to 1.
    pub los: Option<f64>,
    /// Log-likelihood ratio of the test.
    pub llr: Option<f64>,
    /// The ratios at which the test accepts H0 and H1.
    pub llr_bounds: [f64; 2],
    /// What the test decides: `continue`, `h0` or `h1`.
    pub decision: SprtDecision,
    /// Share of drawn games; `None` for pairs, whose level ones may be a win each.
    pub draw_ratio: Option<f64>,
    /// Share of level pairs: a win each, or two draws; `None` for single games.
    #[serde(default)]
    pub level_ratio: Option<f64>,
    /// Pairs won over pairs lost; `None` for single games and where none was lost.
    pub pairs_ratio: Option<f64>,
    /// The strength in full.
    pub strength: Strength,
}

/// Strength of the first player and the state of a test.
///
/// ```
/// use eval::ratings::{Model, Sample, Sprt};
///
/// let pairs = Sample::Pairs("34,54,31,32,64,75".parse()?);
/// let stats = eval::stats::stats(pairs, &Sprt { elo1: 5.0, ..Sprt::default() });
/// assert_eq!(format!("{:.2} ± {:.2}", stats.elo.unwrap(), stats.elo_error.unwrap()), "55.58 ± 27.65");
/// # Ok::<(), eval::ratings::CountsError>(())
/// ```
pub fn stats(sample: Sample, test: &Sprt) -> Stats {
    let (strength, draw_ratio, level_ratio, pairs_ratio) = match sample {
        Sample::Games(games) => (Strength::of_games(games), games.draw_ratio(), None, None),
        Sample::Pairs(pairs) => {
            let level = (pairs.pairs() > 0).then(|| pairs.0[2] as f64 / pairs.pairs() as f64);
            (Strength::of_pairs(pairs), None, level, pairs.pairs_ratio())
        }
    };
    Stats {
        elo: strength.elo,
        elo_error: strength.elo_error,
        nelo: strength.nelo,
        nelo_error: strength.nelo_error,
        los: strength.los,
        llr: test.llr(sample),
        llr_bounds: test.bounds(),
        decision: test.decide(sample),
        draw_ratio,
        level_ratio,
        pairs_ratio,
        strength,
    }
}
