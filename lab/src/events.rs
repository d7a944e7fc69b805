//! What happened in a run, one checksummed JSON line for each finished stage ([`data::LineLog`]). Resuming, the tables and the report all use this
//! record.

use crate::error::Result;
use crate::opponent::Opponent;
use data::{LineLog, LogEntry};
use serde::{Deserialize, Serialize};
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
    /// Seconds before it in which the program was at no stage: since the stage before, or since it opened the run. A run
    /// is opened with measurements. 0 in records of programs that did not write it.
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
    /// No training in a generation, because there was nothing new to train on; the network before plays on.
    Untrained(Untrained),
    /// A match of a network of the run.
    Match(Match),
    /// A damaged checkpoint made again, from the one before it.
    Repaired(Repaired),
}

/// A checkpoint that was damaged, and was made again by the training that had made it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Repaired {
    /// The network whose checkpoint it is.
    pub network: u32,
    /// The network from whose checkpoint the training began; 0 is the one that the run began with.
    pub from: u32,
    /// Optimiser steps.
    pub steps: u64,
    /// Whether the weights came out as they had been.
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
    /// Positions searched in this generation, those of games that go on included. This, the evaluations and the share of the
    /// batches are of the seconds of the event: where a program was interrupted, what it had done before is not in them.
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
    /// Of random-play games: those that reached the ply limit without a winner, and are not among the games.
    /// Absent where a network played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undecided: Option<u64>,
    /// How the games ended and what the searches proved; absent for random-play games, and in records of programs
    /// that did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<Ends>,
    /// How fast the network was; absent for random-play games and those of other machines, where nothing was measured
    /// when the run began, and in records of programs that did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<NetworkSpeed>,
}

/// How fast the network was in a generation of self-play, and how fast it was when the run began, in evaluations a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NetworkSpeed {
    /// In self-play: places of batches over the time inside the network, all callers together. The time between the calls
    /// does not count, so it can be compared with what calls alone were measured with. After a kill, since the program began
    /// again.
    pub in_selfplay: f64,
    /// Measured when the run began, with network 0 and the settings that were chosen then.
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
    /// Games that a repetition ended, whoever was to blame.
    pub repeated: u64,
    /// Games in which a player would have resigned but played on.
    pub played_through: u64,
    /// Those of them which that player did not lose.
    pub wrong_resignations: u64,
    /// Positions searched in the whole generation, also by programs that were interrupted; 0 in records of programs that
    /// did not write it.
    #[serde(default)]
    pub searched: u64,
    /// Those of them whose result was proven.
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
    /// Policy loss of the network made, on validation games; absent where their positions are too few to tell.
    pub validation_policy_loss: Option<f64>,
    /// Value loss of the network made, on validation games; absent where their positions are too few to tell.
    pub validation_value_loss: Option<f64>,
    /// Policy loss of the network made, on as many rows of games trained on; absent in runs of earlier versions.
    #[serde(default)]
    pub trained_policy_loss: Option<f64>,
    /// Value loss of the network made, on as many rows of games trained on; absent in runs of earlier versions.
    #[serde(default)]
    pub trained_value_loss: Option<f64>,
    /// Mean entropy of the network's policy over the steps, nats; absent in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_entropy: Option<f64>,
    /// Kullback–Leibler divergence of the network's policy from that of the network before, Σ new · ln(new / old), mean over
    /// positions of validation games, nats; absent for the first network, where these positions are too few to tell, and in
    /// runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_divergence: Option<f64>,
    /// Learning rate of the last step.
    pub learning_rate: f64,
    /// Id of the network made.
    pub network: String,
}

/// What there was in a generation without training.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Untrained {
    /// Games in the window.
    pub games: u64,
    /// Positions of those that are held out for validation.
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
    /// Games won, drawn, lost.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Mean score a game, 0–1.
    pub score: f64,
    /// 95 % interval of the score, from pairs.
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
}

impl LogEntry for Event {
    const TAG: &'static str = "event";
    const ONCE_WITHOUT_CHECKSUM: bool = true;
    const CHAINED: bool = true;
}

/// Reads the events of a run, in order; a run that has not begun has none. A last line torn by a crash is left out.
///
/// # Errors
/// The file cannot be read, or a line is damaged.
pub fn read(file: &Path) -> Result<Vec<Event>> {
    Ok(LineLog::read(file)?.entries)
}
