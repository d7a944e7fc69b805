//! Strength from counted results: `kirin.elo`, `kirin.sprt`, `kirin.ratings`.

use crate::refusal::Refusal;
use eval::ratings::{Estimate, RatingRow, Sample, Sprt, SprtDecision, Strength, Wdl};
use eval::{Ladder, ladder_of};
use pyo3::prelude::*;
use rules::VariantId;
use settings::Complaints;
use std::path::PathBuf;

/// The results of games (win, draw, loss) or of pairs of games (five or six counts).
fn sample(results: &[i64]) -> Result<Sample, Refusal> {
    let text = results.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    match results.len() {
        3 => Ok(Sample::Games(text.parse()?)),
        5 | 6 => Ok(Sample::Pairs(text.parse()?)),
        other => Err(Refusal::new(format!(
            "results are {other} numbers; expected 3 (wins, draws, losses), or 5 or 6 of pairs of games"
        ))),
    }
}

/// The strength of a player against another, from results as that player sees them: (wins, draws, losses) of games; or of
/// pairs of games from the same opening with sides exchanged, (two losses, loss and draw, level, draw and win, two wins).
/// Pairs give the narrower interval.
///
/// >>> import kirin
/// >>> games = kirin.elo((60, 20, 40))
/// >>> round(games.elo, 1), round(games.elo_error, 1), round(games.los, 3)
/// (58.5, 58.0, 0.979)
/// >>> kirin.elo((10, 0, 0)).elo is None and kirin.elo((10, 0, 0)).elo_low > 150
/// True
#[pyfunction]
pub(crate) fn elo(results: Vec<i64>) -> Result<Elo, Refusal> {
    let strength = match sample(&results)? {
        Sample::Games(games) => Strength::of_games(games),
        Sample::Pairs(pairs) => Strength::of_pairs(pairs),
    };
    Ok(Elo(strength))
}

/// A difference in strength. Intervals are 95 %. What the results cannot tell is None.
///
/// >>> import kirin
/// >>> kirin.elo((2, 10, 2)).score
/// 0.5
#[pyclass(module = "kirin", frozen)]
pub(crate) struct Elo(Strength);

#[pymethods]
impl Elo {
    /// Mean score of a game, 0 to 1.
    #[getter]
    fn score(&self) -> Option<f64> {
        self.0.score
    }

    /// Elo difference.
    #[getter]
    fn elo(&self) -> Option<f64> {
        self.0.elo
    }

    /// Half the width of its interval; None where an end is unbounded.
    #[getter]
    fn elo_error(&self) -> Option<f64> {
        self.0.elo_error
    }

    /// Lower end of its interval; None where it is unbounded.
    #[getter]
    fn elo_low(&self) -> Option<f64> {
        self.0.elo_low
    }

    /// Upper end of its interval; None where it is unbounded.
    #[getter]
    fn elo_high(&self) -> Option<f64> {
        self.0.elo_high
    }

    /// Normalised Elo: the mean over the standard deviation of a game.
    #[getter]
    fn nelo(&self) -> Option<f64> {
        self.0.nelo
    }

    /// Likelihood, 0 to 1, that the player is the stronger one.
    #[getter]
    fn los(&self) -> Option<f64> {
        self.0.los
    }

    fn __repr__(&self) -> String {
        format!("<{}>", self.0.elo_text())
    }
}

/// A sequential test (GSPRT) of whether a player is stronger by `elo1` rather than by `elo0`. `results` are as those of
/// kirin.elo(). `model` is 'normalized' (normalised Elo) or 'logistic'; `alpha` and `beta` are the probabilities, below ½, of
/// accepting the wrong one.
///
/// >>> import kirin
/// >>> test = kirin.sprt((120, 60, 60), elo0=0, elo1=10)
/// >>> test.decision, round(test.llr, 2), test.llr < test.upper
/// ('continue', 1.9, True)
/// >>> kirin.sprt((1200, 600, 600), elo0=0, elo1=10).decision
/// 'H1'
#[pyfunction]
#[pyo3(signature = (results, elo0=0.0, elo1=5.0, *, alpha=0.05, beta=0.05, model="normalized"))]
pub(crate) fn sprt(
    results: Vec<i64>,
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: &str,
) -> Result<SequentialTest, Refusal> {
    let test = Sprt { model: model.parse()?, elo0, elo1, alpha, beta };
    let mut complaints = Complaints::default();
    test.check(&mut complaints);
    complaints.into_result()?;
    let sample = sample(&results)?;
    let [lower, upper] = test.bounds();
    let decision = match test.decide(sample) {
        SprtDecision::Continue => "continue",
        SprtDecision::H0 => "H0",
        SprtDecision::H1 => "H1",
    };
    Ok(SequentialTest { llr: test.llr(sample), lower, upper, decision })
}

/// The state of a sequential test.
///
/// >>> import kirin
/// >>> kirin.sprt((0, 0, 0)).llr is None
/// True
#[pyclass(module = "kirin", frozen, get_all)]
pub(crate) struct SequentialTest {
    /// The log-likelihood ratio; None without results.
    llr: Option<f64>,
    /// The ratio at which H0 is accepted.
    lower: f64,
    /// The ratio at which H1 is accepted.
    upper: f64,
    /// 'continue', 'H0' (the difference is elo0 or less) or 'H1' (it is elo1 or more).
    decision: &'static str,
}

#[pymethods]
impl SequentialTest {
    fn __repr__(&self) -> String {
        let llr = self.llr.map_or("n/a".to_owned(), |llr| format!("{llr:.2}"));
        format!("<SequentialTest {}: llr {llr} in [{:.2}, {:.2}]>", self.decision, self.lower, self.upper)
    }
}

/// The ratings of the players of all match logs (`*.jsonl`) in a folder, by maximum likelihood with an advantage of the first
/// move and draws, as `kirin eval table` prints them. `anchor` is the player at 0 Elo; `variant` chooses the logs of one
/// variant where there are several.
///
/// >>> import kirin
/// >>> kirin.ratings("no/such/folder")
/// Traceback (most recent call last):
///   ...
/// ValueError: no finished games to rate players by
#[pyfunction]
#[pyo3(signature = (folder, *, variant=None, anchor=None))]
pub(crate) fn ratings(
    py: Python<'_>,
    folder: PathBuf,
    variant: Option<&str>,
    anchor: Option<&str>,
) -> Result<Ratings, Refusal> {
    let variant = variant.map(str::parse::<VariantId>).transpose()?;
    Ok(Ratings(py.detach(|| ladder_of(&folder, variant, anchor))?))
}

/// The ratings of the players of a folder of matches.
///
/// >>> import kirin
/// >>> kirin.Ratings.rows.__doc__
/// 'The rated players, best first.'
#[pyclass(module = "kirin", frozen)]
pub(crate) struct Ratings(Ladder);

#[pymethods]
impl Ratings {
    /// The variant.
    #[getter]
    fn variant(&self) -> &str {
        &self.0.variant
    }

    /// Number of matches.
    #[getter]
    fn matches(&self) -> usize {
        self.0.matches
    }

    /// The player at 0 Elo.
    #[getter]
    fn anchor(&self) -> &str {
        &self.0.ratings.anchor
    }

    /// The rated players, best first.
    #[getter]
    fn rows(&self) -> Vec<Rating> {
        self.0.ratings.rows.iter().map(Rating::of).collect()
    }

    /// What moving first is worth, in Elo, and half the width of its 95 % interval.
    #[getter]
    fn first_advantage(&self) -> (f64, f64) {
        pair(self.0.ratings.first_advantage)
    }

    /// The share of draws between equals, and half the width of its 95 % interval.
    #[getter]
    fn draws(&self) -> (f64, f64) {
        pair(self.0.ratings.draws)
    }

    /// Wins, draws and losses of `player` against `opponent`.
    ///
    /// >>> import kirin
    /// >>> kirin.ratings("../../eval/tests/data/logs").between("greedy", "run 0")
    /// (0, 4, 0)
    fn between(&self, player: &str, opponent: &str) -> Result<(u64, u64, u64), Refusal> {
        for name in [player, opponent] {
            if !self.0.players.iter().any(|known| known.name == name) {
                let names = self.0.players.iter().map(|known| known.name.as_str()).collect::<Vec<_>>().join(", ");
                return Err(Refusal::new(format!("no player is called {name:?}; there are: {names}")));
            }
        }
        let Wdl { wins, draws, losses } = self.0.between(player, opponent);
        Ok((wins, draws, losses))
    }

    fn __repr__(&self) -> String {
        format!("<Ratings of {}: {} players in {} matches>", self.0.variant, self.0.ratings.rows.len(), self.0.matches)
    }
}

fn pair(estimate: Estimate) -> (f64, f64) {
    (estimate.value, estimate.error)
}

/// One rated player.
///
/// >>> import kirin
/// >>> kirin.Rating.elo.__doc__
/// 'Elo above the anchor.'
#[pyclass(module = "kirin", frozen, get_all)]
pub(crate) struct Rating {
    /// Name.
    player: String,
    /// Elo above the anchor.
    elo: f64,
    /// Half the width of the 95 % interval of `elo`.
    error: f64,
    /// Games that count.
    games: u64,
    /// Mean score in them, 0 to 1.
    score: f64,
    /// Number of opponents.
    opponents: usize,
    /// Whether all points against some opponent went one way, so that the rating understates the distance.
    prior: bool,
    /// Likelihood, 0 to 1, that the player is stronger than the next one; None for the last.
    los_next: Option<f64>,
}

impl Rating {
    fn of(row: &RatingRow) -> Rating {
        Rating {
            player: row.player.clone(),
            elo: row.elo,
            error: row.error,
            games: row.games,
            score: row.score,
            opponents: row.opponents,
            prior: row.prior,
            los_next: row.los_next,
        }
    }
}

#[pymethods]
impl Rating {
    fn __repr__(&self) -> String {
        format!("<Rating {}: {:+.0} ± {:.0} in {} games>", self.player, self.elo, self.error, self.games)
    }
}
