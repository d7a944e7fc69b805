//! Which processes of a run need memory, and for what.

use std::fmt;

/// A part of the work of a run that takes memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Self-play.
    Selfplay,
    /// Matches.
    Matches,
    /// Training.
    Training,
    /// The games of a generation until they are written as a shard, in the process that plays or gathers them.
    Games,
}

/// A process that needs memory: a run on one machine, or one role of a run on many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worker {
    /// A run on one machine, which does everything.
    Run,
    /// Gathers games and trains.
    Trainer,
    /// Plays games, which it uploads in shards.
    Player,
    /// Plays the pairs of matches, one at a time.
    Referee,
}

impl Worker {
    /// Whether this process does that part of the work.
    pub(super) fn does(self, part: Part) -> bool {
        match self {
            Worker::Run => true,
            Worker::Trainer => matches!(part, Part::Training | Part::Games),
            Worker::Player => part == Part::Selfplay,
            Worker::Referee => part == Part::Matches,
        }
    }
}

impl fmt::Display for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Worker::Run => "the run",
            Worker::Trainer => "the trainer",
            Worker::Player => "the worker",
            Worker::Referee => "the referee",
        })
    }
}

/// Something that takes memory, and the key that makes it smaller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// What it is.
    pub what: String,
    /// The key of the configuration to lower.
    pub key: &'static str,
    /// Estimated bytes.
    pub bytes: u64,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (lower {})", self.what, Gigabytes(self.bytes), self.key)
    }
}

/// Bytes as people read them.
pub(crate) struct Gigabytes(pub u64);

impl fmt::Display for Gigabytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} GB", self.0 as f64 / 1e9)
    }
}
