//! The stages of a run that have finished: one checksummed JSON line for each ([`data::LineLog`]). Resuming, the tables
//! and the report all use this record.

use crate::error::Result;
use crate::opponent::Opponent;
use data::{LineLog, LogEntry};
use eval::benchmark::ScalePlace;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// A finished stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When it finished, milliseconds since 1970, UTC.
    pub at_ms: i64,
    /// The generation it belongs to; self-play and training of generation `g` make network `g` (network 0 is untrained).
    pub generation: u32,
    /// Seconds it took.
    pub seconds: f64,
    /// Seconds between the previous stage, or the start of the program, and this stage. Opening a run includes
    /// measurements. 0 in records of programs that did not write it.
    #[serde(default)]
    pub seconds_before: f64,
    /// What it was.
    #[serde(flatten)]
    pub stage: Stage,
}

/// A kind of stage, with its figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "stage", rename_all = "lowercase")]
pub enum Stage {
    /// Self-play of one generation, or the random-play games in its place.
    Selfplay(Selfplay),
    /// Training of one generation.
    Train(Train),
    /// No training in a generation, because there was nothing new to train on; the previous network keeps playing.
    Untrained(Untrained),
    /// A match of a network of the run.
    Match(Match),
    /// A damaged checkpoint rebuilt from the one before it.
    Repaired(Repaired),
}

/// A damaged checkpoint that was rebuilt by repeating its training.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Repaired {
    /// The network whose checkpoint it is.
    pub network: u32,
    /// The network from whose checkpoint the training began; 0 is the run's initial network.
    pub from: u32,
    /// Optimiser steps.
    pub steps: u64,
    /// Whether the weights are the same as before.
    pub same: bool,
    /// What was wrong with the file.
    pub reason: String,
}

/// Figures of a generation of self-play.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Selfplay {
    /// Games finished in this generation.
    pub games: u64,
    /// Searched positions of these games.
    pub positions: u64,
    /// Positions searched in this generation, including those of unfinished games. This count, the evaluations and the
    /// batch fill cover the seconds of the event: after an interruption they leave out what was done before it.
    pub searched: u64,
    /// Evaluations by the network.
    pub evaluations: u64,
    /// Leaves evaluated over the room in the batches, 0–1.
    pub batch_fill: f64,
    /// Mean length of the finished games, plies.
    pub mean_plies: f64,
    /// Games won by the first player.
    pub first_wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games won by the second player.
    pub second_wins: u64,
    /// Size of the Parquet files, bytes.
    pub bytes: u64,
    /// Random-play games that reached the ply limit without a winner and are excluded; absent where a network played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undecided: Option<u64>,
    /// How the games ended and what the searches proved; absent for random-play games, and in records of programs
    /// that did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<Ends>,
    /// How fast the network was; absent for random-play games, for games of other machines, where nothing was measured
    /// when the run began, and in records of programs that did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<NetworkSpeed>,
}

/// Speed of the network in a generation of self-play and when the run began, in evaluations a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NetworkSpeed {
    /// In self-play: batch places divided by the time inside the network, all callers together. The time between calls
    /// does not count, so it can be compared with a measurement of calls alone. After a kill it covers only the time
    /// since the restart.
    pub in_selfplay: f64,
    /// Measured when the run began, with network 0 and the settings chosen then.
    pub measured: f64,
}

/// How the games of a generation ended, and what its searches proved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ends {
    /// Games that the ply limit ended, those decided by points there included.
    pub capped: u64,
    /// Those of them that points decided, so that they have a winner; 0 in records of programs that did not write it.
    #[serde(default)]
    pub by_points: u64,
    /// Games that a player resigned.
    pub resigned: u64,
    /// Games that ended by repetition, whichever player was at fault.
    pub repeated: u64,
    /// Games in which a player would have resigned but had to play on.
    pub played_through: u64,
    /// Those of `played_through` that the player did not lose.
    pub wrong_resignations: u64,
    /// Positions searched in the whole generation, including those before an interruption; 0 in records of programs
    /// that did not write it.
    #[serde(default)]
    pub searched: u64,
    /// Those of the searched positions whose result was proven.
    pub proven: u64,
}

/// Figures of a generation of training.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Train {
    /// Optimiser steps.
    pub steps: u64,
    /// Rows seen.
    pub samples: u64,
    /// Rows in the window.
    pub window: u64,
    /// Mean policy loss of the steps (cross-entropy, nats), with the weights and the norms of each batch.
    pub policy_loss: f64,
    /// Mean value loss of the steps (cross-entropy of win/draw/loss, nats).
    pub value_loss: f64,
    /// Policy loss of the new network on validation games; absent where these have too few positions.
    pub validation_policy_loss: Option<f64>,
    /// Value loss of the new network on validation games; absent where these have too few positions.
    pub validation_value_loss: Option<f64>,
    /// Policy loss of the new network on as many rows of training games; absent in runs of earlier versions.
    #[serde(default)]
    pub trained_policy_loss: Option<f64>,
    /// Value loss of the new network on as many rows of training games; absent in runs of earlier versions.
    #[serde(default)]
    pub trained_value_loss: Option<f64>,
    /// Mean entropy of the network's policy over the steps, nats; absent in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_entropy: Option<f64>,
    /// Kullback–Leibler divergence of the network's policy from that of the network before, Σ new · ln(new / old), mean
    /// over positions of validation games, nats; absent for the first network, where there are too few positions, and
    /// in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_divergence: Option<f64>,
    /// Learning rate of the last step.
    pub learning_rate: f64,
    /// Id of the new network.
    pub network: String,
    /// How well its 8-bit integers agree with fp32 on positions of the run; absent in runs of earlier versions. Where it does
    /// not suffice, the network is evaluated in fp32.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub int8_agreement: Option<Box<train::Agreement>>,
}

/// Figures of a generation without training.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Untrained {
    /// Games in the window.
    pub games: u64,
    /// Positions of the validation games.
    pub held_out: u64,
}

/// Figures of a match, from the point of view of the first-named network.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Match {
    /// Generation of the network whose score is given.
    pub network: u32,
    /// Its opponent: another network, by its generation, or a fixed player.
    pub opponent: Opponent,
    /// Pairs of games, sides exchanged.
    pub pairs: u64,
    /// Those of `pairs` that were in the log when this stage began, because it was interrupted or extends a match; 0 in
    /// records of programs that did not write it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pairs_before: u64,
    /// Games won, drawn, lost.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Mean score a game, 0–1.
    pub score: f64,
    /// Lower end of the 95 % interval of the score, from pairs.
    pub score_low: f64,
    /// Its upper end.
    pub score_high: f64,
    /// Elo difference; absent where the score is 0 or 1.
    pub elo: Option<f64>,
    /// Half the 95 % interval of the Elo difference.
    pub elo_error: Option<f64>,
    /// Digest of the settings of its games; empty in records of programs that did not write it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub settings: String,
    /// Who the opponent is ([`eval::PlayerId`]); empty in records of programs that did not write it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub opponent_id: String,
    /// The network's place on the fixed scale, by this match, those before it and the ladder's of that day; absent where
    /// there is no such scale, and in records of programs that did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Box<ScalePlace>>,
}

/// The pairs of the matches counted so far. A match that was extended is on record again, with all of its pairs.
#[derive(Default)]
pub(crate) struct CountedPairs(BTreeMap<(u32, Opponent), u64>);

impl CountedPairs {
    /// Counts a match, after those recorded before it: the pairs that its stage has played.
    pub fn count(&mut self, played: &Match) -> u64 {
        let before = self.0.insert((played.network, played.opponent), played.pairs).unwrap_or(0);
        played.pairs.saturating_sub(played.pairs_before.max(before))
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl LogEntry for Event {
    const TAG: &'static str = "event";
    const ONCE_WITHOUT_CHECKSUM: bool = true;
    const CHAINED: bool = true;
}

/// Reads the events of a run, in order; a run that has not begun has none. A last line torn by a crash is skipped.
///
/// # Errors
/// The file cannot be read, or a line is damaged.
pub fn read(file: &Path) -> Result<Vec<Event>> {
    Ok(LineLog::read(file)?.entries)
}
