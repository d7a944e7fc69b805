//! What a run reports while it works. This crate knows no terminal: the calling program decides what is shown, and how.

use crate::about::Ancestor;
use crate::events::Stage;
use crate::health::Figure;
use crate::opponent::Opponent;
use crate::plan::Plan;
use data::Recovery;
use selfplay::generator::GenerationCounts;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One piece of work of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Random-play games, before a network plays.
    RulesGames,
    /// Self-play.
    Selfplay,
    /// Training.
    Training,
    /// A match of a network of the run.
    Match {
        /// The network whose score is counted, by its generation.
        network: u32,
        /// Its opponent.
        opponent: Opponent,
        /// Pairs of games, sides exchanged.
        pairs: u32,
    },
}

/// A single event.
#[derive(Clone, Copy, Debug)]
pub enum Notice<'a> {
    /// A program was killed in this folder; its leftovers have been cleaned up.
    Recovered(&'a Recovery),
    /// The run has begun from another one.
    BegunFrom(&'a Ancestor),
    /// A generation has been planned.
    Planned {
        /// Its plan.
        plan: &'a Plan,
        /// Games played at the same time.
        slots: u32,
    },
    /// A network is evaluated in fp32, because int8 or bf16 does not agree with it closely enough.
    EvaluatedInFp32 {
        /// The network.
        network: u32,
        /// How far the other format is off.
        error: train::RoundingError,
    },
    /// Self-play runs without games of earlier generations, for this reason.
    EarlierGamesLeftOut(&'a str),
    /// Training leaves out a damaged shard, for this reason.
    ShardLeftOut(&'a str),
    /// A shard that a later one proves to exist is missing from the store; it is waited for.
    ShardLost(&'a str),
    /// The checkpoint that training was to resume from is damaged; it is rebuilt from the one before.
    CheckpointDamaged {
        /// The network whose checkpoint it is.
        network: u32,
        /// What is wrong with it.
        problem: &'a train::TrainError,
    },
    /// Training makes fewer steps than planned: the plan counts all positions searched, but training has only those of
    /// finished games.
    FewerSteps {
        /// The generation.
        generation: u32,
        /// Steps that will be made.
        steps: u64,
        /// Steps that were planned.
        planned: u64,
        /// New positions of finished games.
        positions: u64,
    },
    /// A warning about a match, before it or after it.
    MatchWarning(&'a str),
    /// A stage is finished.
    Finished {
        /// The generation it belongs to.
        generation: u32,
        /// Its figures.
        stage: &'a Stage,
        /// Time it took.
        time: Duration,
        /// Of training: samples a second, without reading the games and without validation.
        speed: Option<f64>,
    },
    /// A figure of the run's health has left its range for the first time in the run.
    Ill {
        /// The generation in which it did.
        generation: u32,
        /// The figure, with its range and the remedy.
        figure: &'a Figure,
    },
}

/// Progress of a task.
#[derive(Clone, Copy, Debug)]
pub enum Status<'a> {
    /// Random-play games: the counters so far.
    RulesGames {
        /// Games so far.
        counts: &'a GenerationCounts,
        /// Time since the task began.
        elapsed: Duration,
    },
    /// Self-play: the counters so far.
    Selfplay {
        /// Games, positions and evaluations so far.
        counts: &'a GenerationCounts,
        /// Time since the task began.
        elapsed: Duration,
    },
    /// Training: mean losses of the latest steps, `None` before the first report.
    Training(Option<&'a train::Metrics>),
    /// A match: the results so far.
    Match(&'a eval::MatchProgress),
}

/// Receives everything that happens in a run.
pub trait Observer: Send + Sync {
    /// Something happened.
    fn notice(&self, notice: &Notice<'_>);

    /// A task of `total` units (positions, steps or games) begins in this generation. It ends when the meter is dropped.
    fn begin(&self, generation: u32, task: Task, total: u64) -> Box<dyn Meter>;
}

/// Receives the progress of a task; called from any thread, several times a second.
pub trait Meter: Send + Sync {
    /// `done` units of the total are done.
    fn update(&self, done: u64, status: &Status<'_>);
}

/// An observer that ignores everything: for tests and for programs that only wait for the end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn notice(&self, _: &Notice<'_>) {}

    fn begin(&self, _: u32, _: Task, _: u64) -> Box<dyn Meter> {
        Box::new(Silent)
    }
}

impl Meter for Silent {
    fn update(&self, _: u64, _: &Status<'_>) {}
}
