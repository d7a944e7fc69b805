//! The table of checks: what is measured, where it is healthy, and what to do where it is not.

use super::{Measured, Seconds, Seen};
use crate::continuation;
use crate::events::{Ends, Selfplay, Train};
use serde::Serialize;

/// What a figure is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// A share, 0 to 1, or a ratio to another measured value.
    Share,
    /// Natural units of information.
    Nats,
}

/// An end of a healthy range.
#[derive(Debug)]
pub struct Bound {
    /// Where it is.
    pub at: f64,
    /// What is wrong beyond it; empty where the figure's title already says it.
    pub cause: &'static str,
    /// What to do beyond it. [`Bound::remedy`] makes a sentence of them.
    pub steps: &'static [&'static str],
}

impl Bound {
    /// The cause and the steps as a sentence without its full stop, with keys of the configuration between backticks. It says
    /// which steps apply to this run when it is resumed, and which only to the next run.
    pub fn remedy(&self) -> String {
        let (resumed, next): (Vec<&str>, Vec<&str>) =
            self.steps.iter().partition(|step| keys(step).all(continuation::may_change));
        let parts = [("when this run is resumed", resumed), ("in the next run", next)];
        let told = parts.iter().filter(|(_, steps)| !steps.is_empty());
        let told: Vec<String> = told.map(|(when, steps)| format!("{when}, {}", steps.join(", or "))).collect();
        let cause = if self.cause.is_empty() { String::new() } else { format!("{}: ", self.cause) };
        cause + &told.join("; ")
    }

    /// Every key that the steps name, in their order.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.steps.iter().flat_map(|step| keys(step))
    }
}

/// The keys of the configuration that a text names between backticks.
fn keys(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split('`').skip(1).step_by(2)
}

/// A figure with its healthy range.
#[derive(Debug)]
pub struct Check {
    /// Its short name.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// What it is measured in.
    pub unit: Unit,
    /// The lower end of its range, if it has one.
    pub low: Option<Bound>,
    /// The upper end of its range, if it has one.
    pub high: Option<Bound>,
    pub(super) measure: fn(&Seen<'_>) -> Option<Measured>,
}

const fn bound(at: f64, cause: &'static str, steps: &'static [&'static str]) -> Option<Bound> {
    Some(Bound { at, cause, steps })
}

/// All checks. The ranges are our own; `docs/research/2026-11-22-health-ranges.md` has the runs that they come from.
pub const CHECKS: &[Check] = &[
    Check {
        name: "capped",
        title: "games cut off at the ply limit",
        unit: Unit::Share,
        low: None,
        high: bound(0.15, "", &[LONGER_GAMES, MORE_ENDINGS]),
        measure: |seen| of_games(seen, |ends| ends.capped.saturating_sub(ends.by_points)),
    },
    Check {
        name: "by_points",
        title: "games decided by points at the ply limit",
        unit: Unit::Share,
        low: None,
        high: bound(0.8, "the network rarely sees a game that ends on the board", &[LONGER_GAMES, MORE_ENDINGS]),
        measure: |seen| of_games(seen, |ends| ends.by_points),
    },
    Check {
        name: "resigned",
        title: "games resigned",
        unit: Unit::Share,
        low: None,
        high: bound(
            0.8,
            "the network rarely sees a game to its end",
            &["lower `selfplay.resign_below` or raise `selfplay.resign_playthrough`"],
        ),
        measure: |seen| of_games(seen, |ends| ends.resigned),
    },
    Check {
        name: "wrong_resignations",
        title: "resignations that were wrong",
        unit: Unit::Share,
        low: None,
        high: bound(
            0.05,
            "",
            &["lower `selfplay.resign_false_rate`", "allow resignations later in the run with `selfplay.resign_from`"],
        ),
        measure: |seen| {
            let ends = ends(seen)?;
            Measured::share(ends.wrong_resignations as f64, ends.played_through)
        },
    },
    Check {
        name: "repeated",
        title: "games ended by repetition",
        unit: Unit::Share,
        low: None,
        high: bound(
            0.25,
            "",
            &[
                "vary the play with `selfplay.sample_plies` and `selfplay.opening_share`",
                "begin more games near an end with `selfplay.ending_share`",
            ],
        ),
        measure: |seen| of_games(seen, |ends| ends.repeated),
    },
    Check {
        name: "first_score",
        title: "score of the first player",
        unit: Unit::Share,
        low: bound(0.3, ONE_SIDED, OTHER_STARTS),
        high: bound(0.7, ONE_SIDED, OTHER_STARTS),
        measure: |seen| {
            let stage = searched(seen)?;
            Measured::share(stage.first_wins as f64 + stage.draws as f64 / 2.0, stage.games)
        },
    },
    Check {
        name: "proven",
        title: "positions whose result the search proved",
        unit: Unit::Share,
        low: bound(
            0.005,
            "few games come near their end",
            &["raise `selfplay.max_plies`, `selfplay.ending_share` or `search.visits`"],
        ),
        high: bound(
            0.4,
            "many searched positions are decided already",
            &["resign with `selfplay.resign_below`", "lower `selfplay.ending_share`"],
        ),
        measure: |seen| {
            let (ends, stage) = (ends(seen)?, seen.selfplay?);
            Measured::share(ends.proven as f64, if ends.searched > 0 { ends.searched } else { stage.searched })
        },
    },
    Check {
        name: "policy_entropy",
        title: "entropy of the network's policy",
        unit: Unit::Nats,
        low: bound(
            0.5,
            "the network considers little more than one move",
            &["raise `selfplay.temperature`, `selfplay.sample_plies` or `selfplay.opening_share`"],
        ),
        high: None,
        measure: |seen| {
            searched(seen)?;
            seen.train?.policy_entropy.map(Measured::exact)
        },
    },
    Check {
        name: "policy_divergence",
        title: "KL divergence of the policy from the network before",
        unit: Unit::Nats,
        low: None,
        high: bound(
            MOST_DIVERGENCE,
            "a generation changes the network more than its games justify",
            &["lower `training.optimiser.learning_rate` or `run.uses`"],
        ),
        measure: |seen| {
            searched(seen)?;
            seen.train?.policy_divergence.map(Measured::exact)
        },
    },
    Check {
        name: "policy_gap",
        title: "policy loss, validation over training",
        unit: Unit::Nats,
        low: None,
        high: bound(
            0.25,
            "the policy overfits",
            &["lower `run.uses`", "train on more games with `training.data.window_minimum`"],
        ),
        measure: |seen| gap(seen, |train| train.validation_policy_loss, |train| train.trained_policy_loss),
    },
    Check {
        name: "value_gap",
        title: "value loss, validation over training",
        unit: Unit::Nats,
        low: None,
        high: bound(
            0.2,
            "the value overfits",
            &["lower `run.uses` or `training.loss.value`", "set `training.data.value_plies` to 16 where it is less"],
        ),
        measure: |seen| gap(seen, |train| train.validation_value_loss, |train| train.trained_value_loss),
    },
    Check {
        name: "network_speed",
        title: "speed of the network in self-play, of that measured when the run began",
        unit: Unit::Share,
        low: bound(
            LEAST_SPEED,
            "other programs slow the machine down, or did so when the run began and its settings were measured",
            &["with libtorch, set `evaluator.batch` and `evaluator.threads` to what kirin bench net finds fastest"],
        ),
        high: None,
        measure: |seen| {
            let speed = seen.selfplay?.speed?;
            (speed.measured > 0.0).then(|| Measured::exact(speed.in_selfplay / speed.measured))
        },
    },
    Check {
        name: "selfplay_time",
        title: "time for self-play, of the run so far",
        unit: Unit::Share,
        low: bound(
            0.3,
            "",
            &["train less with `run.uses`", "play more in a generation with `selfplay.plies_per_generation`"],
        ),
        high: None,
        measure: |seen| of_time(seen, |seconds| seconds.selfplay),
    },
    Check {
        name: "training_time",
        title: "time for training, of the run so far",
        unit: Unit::Share,
        low: bound(0.1, "the games could teach more", &["raise `run.uses`"]),
        high: None,
        measure: |seen| of_time(seen, |seconds| seconds.training),
    },
    Check {
        name: "match_time",
        title: "time for matches, of the run so far",
        unit: Unit::Share,
        low: None,
        high: bound(
            0.2,
            "",
            &[
                "play fewer with `evaluation.matches` and `evaluation.pairs`",
                "limit their share of a budget with `evaluation.budget_share`",
            ],
        ),
        measure: |seen| of_time(seen, |seconds| seconds.matches),
    },
    Check {
        name: "time_between",
        title: "time between stages, of the run so far",
        unit: Unit::Share,
        low: None,
        high: bound(
            0.15,
            "generations are too short for their overhead",
            &["raise `run.round_seconds` under a budget", "raise `selfplay.plies_per_generation` without a budget"],
        ),
        measure: |seen| of_time(seen, |seconds| seconds.between),
    },
];

/// Most that the policy may move in a generation, nats.
const MOST_DIVERGENCE: f64 = 0.5;

/// Lowest healthy speed of the network in self-play, as a part of the speed measured at the start.
const LEAST_SPEED: f64 = 0.5;

const ONE_SIDED: &str = "one player wins nearly always";

const OTHER_STARTS: &[&str] =
    &["begin more games elsewhere with `selfplay.opening_share` and `selfplay.opening_plies`"];

const LONGER_GAMES: &str = "give games more room with `selfplay.max_plies`";

const MORE_ENDINGS: &str = "show more of how games end with `selfplay.ending_share` and `selfplay.rules_games`";

/// Self-play with searches. Random-play games are not judged: the only moves worth choosing in them are immediate wins,
/// and a network overfits the little they teach under any settings.
fn searched<'a>(seen: &Seen<'a>) -> Option<&'a Selfplay> {
    seen.selfplay.filter(|stage| stage.undecided.is_none())
}

fn ends<'a>(seen: &Seen<'a>) -> Option<&'a Ends> {
    seen.selfplay?.ends.as_ref()
}

fn of_games(seen: &Seen<'_>, part: fn(&Ends) -> u64) -> Option<Measured> {
    Measured::share(part(ends(seen)?) as f64, seen.selfplay?.games)
}

/// Not judged while random-play games are more than one half of the window.
fn gap(seen: &Seen<'_>, held_out: fn(&Train) -> Option<f64>, trained: fn(&Train) -> Option<f64>) -> Option<Measured> {
    searched(seen)?;
    let train = seen.train.filter(|train| train.window >= 2 * seen.by_the_rules)?;
    Some(Measured::exact(held_out(train)? - trained(train)?))
}

fn of_time(seen: &Seen<'_>, part: fn(&Seconds) -> f64) -> Option<Measured> {
    let all = seen.seconds.together();
    (seen.has_trained && all > 0.0).then(|| Measured::exact(part(&seen.seconds) / all))
}
