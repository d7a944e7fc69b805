//! The table of checks: what is measured, where it is healthy, and what to do where it is not.

use super::{Measured, Seconds, Seen};
use crate::events::{Ends, Selfplay, Train};
use serde::Serialize;

/// What a figure is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// A part of a whole, 0 to 1, or of something else that was measured.
    Share,
    /// Natural units of information.
    Nats,
}

/// An end of a healthy range.
#[derive(Debug)]
pub struct Bound {
    /// Where it is.
    pub at: f64,
    /// What to do beyond it, as a sentence without its full stop. Keys of the configuration stand between backticks.
    pub remedy: &'static str,
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

const fn bound(at: f64, remedy: &'static str) -> Option<Bound> {
    Some(Bound { at, remedy })
}

/// All checks. The ranges are our own; `docs/health.md` has the figures of the runs that they come from.
pub const CHECKS: &[Check] = &[
    Check {
        name: "capped",
        title: "games at the limit of plies",
        unit: Unit::Share,
        low: None,
        high: bound(
            0.15,
            "give games more room with `selfplay.max_plies`, or show more of how games end with `selfplay.ending_share` \
             and `selfplay.rules_games`",
        ),
        measure: |seen| of_games(seen, |ends| ends.capped),
    },
    Check {
        name: "resigned",
        title: "games resigned",
        unit: Unit::Share,
        low: None,
        high: bound(
            0.8,
            "the network hardly sees games to their end: lower `selfplay.resign_below` or raise \
             `selfplay.resign_playthrough`",
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
            "lower `selfplay.resign_false_rate`, or let nobody resign so early with `selfplay.resign_from`",
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
            "vary the play with `selfplay.sample_plies` and `selfplay.opening_share`, and let more of the games begin near \
             an end with `selfplay.ending_share`",
        ),
        measure: |seen| of_games(seen, |ends| ends.repeated),
    },
    Check {
        name: "first_score",
        title: "score of the first player",
        unit: Unit::Share,
        low: bound(0.3, ONE_SIDED),
        high: bound(0.7, ONE_SIDED),
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
            "hardly a game comes near its end: raise `selfplay.max_plies`, `selfplay.ending_share` or `search.visits`",
        ),
        high: bound(
            0.4,
            "much is searched that is decided: resign with `selfplay.resign_below`, or lower `selfplay.ending_share`",
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
            "the network sees hardly more than one move: raise `selfplay.temperature`, `selfplay.sample_plies` or \
             `selfplay.opening_share`",
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
            "a generation changes the network more than its games can vouch for: lower `training.optimiser.learning_rate` \
             or `run.uses`",
        ),
        measure: |seen| {
            searched(seen)?;
            seen.train?.policy_divergence.map(Measured::exact)
        },
    },
    Check {
        name: "policy_gap",
        title: "policy loss, held out over trained on",
        unit: Unit::Nats,
        low: None,
        high: bound(
            0.25,
            "the network learns games by heart: lower `run.uses`, or keep more of them with `training.data.window_minimum`",
        ),
        measure: |seen| gap(seen, |train| train.validation_policy_loss, |train| train.trained_policy_loss),
    },
    Check {
        name: "value_gap",
        title: "value loss, held out over trained on",
        unit: Unit::Nats,
        low: None,
        high: bound(
            0.2,
            "the network learns results by heart: set `training.data.value_plies` (16 to 24), or lower `run.uses` or \
             `training.loss.value`",
        ),
        measure: |seen| gap(seen, |train| train.validation_value_loss, |train| train.trained_value_loss),
    },
    Check {
        name: "network_speed",
        title: "speed of the network in self-play, of that measured when the run began",
        unit: Unit::Share,
        low: bound(
            LEAST_SPEED,
            "something else takes the machine's time, or did so when the run began, and then what was chosen, such as \
             `evaluator.batch` and `evaluator.threads`, may be the wrong settings, which a run keeps: compare them with what \
             kirin bench net says",
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
            "train less with `run.uses`, or play more in a generation with `selfplay.plies_per_generation`",
        ),
        high: None,
        measure: |seen| of_time(seen, |seconds| seconds.selfplay),
    },
    Check {
        name: "training_time",
        title: "time for training, of the run so far",
        unit: Unit::Share,
        low: bound(0.1, "the games could teach more: raise `run.uses`"),
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
            "play fewer with `evaluation.matches` and `evaluation.pairs`; under a budget `evaluation.budget_share` limits \
             them",
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
            "generations are too short for their overhead: raise `run.round_seconds`, or without a budget \
             `selfplay.plies_per_generation`",
        ),
        measure: |seen| of_time(seen, |seconds| seconds.between),
    },
];

/// Most that the policy may move in a generation, nats.
const MOST_DIVERGENCE: f64 = 0.5;

/// Least speed of the network in self-play, as a part of what was measured.
const LEAST_SPEED: f64 = 0.5;

const ONE_SIDED: &str = "one player wins nearly always: begin more games elsewhere with `selfplay.opening_share` and `selfplay.opening_plies`";

/// Self-play with searches. Games by the rules alone are not judged: their players have one good move, or none, and what
/// little there is to learn of them is learned by heart whatever one does.
fn searched<'a>(seen: &Seen<'a>) -> Option<&'a Selfplay> {
    seen.selfplay.filter(|stage| stage.undecided.is_none())
}

fn ends<'a>(seen: &Seen<'a>) -> Option<&'a Ends> {
    seen.selfplay?.ends.as_ref()
}

fn of_games(seen: &Seen<'_>, part: fn(&Ends) -> u64) -> Option<Measured> {
    Measured::share(part(ends(seen)?) as f64, seen.selfplay?.games)
}

fn gap(seen: &Seen<'_>, held_out: fn(&Train) -> Option<f64>, trained: fn(&Train) -> Option<f64>) -> Option<Measured> {
    searched(seen)?;
    Some(Measured::exact(held_out(seen.train?)? - trained(seen.train?)?))
}

fn of_time(seen: &Seen<'_>, part: fn(&Seconds) -> f64) -> Option<Measured> {
    let all = seen.seconds.together();
    (seen.has_trained && all > 0.0).then(|| Measured::exact(part(&seen.seconds) / all))
}
