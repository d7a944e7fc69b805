//! The events that a role reports, and how a role ends.

use lab::Opponent;
use selfplay::generator::GenerationCounts;
use std::fmt;
use std::time::Duration;

/// Why a role has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// The run is finished.
    Over,
    /// A stop was asked for; resume with the same command.
    Stopped,
}

/// An event of a role, for monitoring.
#[derive(Clone, Debug)]
pub enum RunEvent {
    /// The trainer has not begun the run.
    Waiting,
    /// It plays with another network from now on.
    Network {
        /// The generation that made it.
        generation: u32,
        /// Its name in game records.
        id: String,
    },
    /// A shard is in the store.
    Shard {
        /// Its name there.
        key: String,
        /// Its size in bytes.
        bytes: u64,
    },
    /// Another task with the same number has uploaded a shard of the same name.
    Doubled {
        /// The name.
        key: String,
    },
    /// The store does not answer; finished work waits on the disk.
    Away {
        /// The reason.
        reason: String,
        /// Shards that wait.
        waiting: usize,
    },
    /// An object that it waits for was lost.
    Gap {
        /// The store.
        url: String,
        /// The object that is missing.
        key: String,
        /// A later one, which is there.
        later: String,
    },
    /// Total games played, reported when it ends.
    Played {
        /// What was counted.
        counts: Box<GenerationCounts>,
        /// The time since it began to play.
        time: Duration,
    },
    /// A pair of games of a match is in the store.
    Pair {
        /// Its name there.
        key: String,
    },
    /// A match is complete.
    Match {
        /// The network whose score it is.
        network: u32,
        /// Its opponent.
        opponent: Opponent,
        /// Games won, drawn and lost.
        results: [u64; 3],
    },
}

impl fmt::Display for RunEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunEvent::Waiting => f.write_str("waiting for the trainer to begin the run"),
            RunEvent::Network { generation, id } => write!(f, "playing with network {generation} ({id})"),
            RunEvent::Shard { key, bytes } => write!(f, "uploaded {key}, {bytes} bytes"),
            RunEvent::Doubled { key } => write!(f, "another worker of this number has uploaded {key}"),
            RunEvent::Away { reason, waiting } => write!(f, "{waiting} shards wait on the disk: {reason}"),
            RunEvent::Gap { url, key, later } => {
                write!(f, "{key} is missing in {url}, and {later} is there, so it was lost; bring it back from a copy")
            }
            RunEvent::Played { counts: done, time } => write!(
                f,
                "played {} games, {} positions and {} evaluations in {:.1} s",
                done.games,
                done.positions,
                done.evaluations,
                time.as_secs_f64()
            ),
            RunEvent::Pair { key } => write!(f, "uploaded {key}"),
            RunEvent::Match { network, opponent, results: [wins, draws, losses] } => {
                write!(f, "network {network} against {opponent}: {wins} won, {draws} drawn, {losses} lost")
            }
        }
    }
}
