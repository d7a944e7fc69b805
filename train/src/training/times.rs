//! Where the time of training goes.

use serde::Serialize;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

/// Shares of the time of all parts of a step, 0 to 1; they sum to 1. What one thread does while all parts wait for it
/// counts for each of them. A GPU works asynchronously, so that there only `data` and `tensors` are what they say, and
/// the rest is where the program happened to wait for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TrainShares {
    /// Waiting for batches, or making them where the parts do so themselves.
    pub data: f64,
    /// Copying batches into tensors.
    pub tensors: f64,
    /// Forward pass without the losses.
    pub forward: f64,
    /// Losses, the logits of moves among them, and metrics.
    pub loss: f64,
    /// Backward pass.
    pub backward: f64,
    /// Parts that wait for the slowest one.
    pub uneven: f64,
    /// Gradients of all parts added up, and new weights copied to all parts.
    pub parts: f64,
    /// The optimiser's step.
    pub optimiser: f64,
    /// The moving average of the weights.
    pub average: f64,
    /// The rest: metrics, reports, beginning and end.
    pub rest: f64,
}

/// What one part has done in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PartTimes {
    pub data: Duration,
    pub tensors: Duration,
    pub forward: Duration,
    pub loss: Duration,
    pub backward: Duration,
}

impl PartTimes {
    fn total(&self) -> Duration {
        self.data + self.tensors + self.forward + self.loss + self.backward
    }
}

impl AddAssign for PartTimes {
    fn add_assign(&mut self, other: PartTimes) {
        self.data += other.data;
        self.tensors += other.tensors;
        self.forward += other.forward;
        self.loss += other.loss;
        self.backward += other.backward;
    }
}

/// What was measured so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Times {
    /// All parts together.
    pub parts: PartTimes,
    /// The time from a step's order to the parts until the last of them has answered.
    pub descent: Duration,
    /// The time to add up gradients and to copy weights.
    pub joining: Duration,
    /// The time of the optimiser.
    pub optimiser: Duration,
    /// The time of the average of the weights.
    pub average: Duration,
}

impl Times {
    /// The shares of `whole` seconds of each of `parts` parts.
    pub fn shares(&self, parts: usize, whole: f64) -> TrainShares {
        let all = (parts as f64 * whole).max(1e-9);
        let of_parts = |time: Duration| time.as_secs_f64() / all;
        let of_one = |time: Duration| parts as f64 * time.as_secs_f64() / all;
        let outside = self.descent + self.joining + self.optimiser + self.average;
        TrainShares {
            data: of_parts(self.parts.data),
            tensors: of_parts(self.parts.tensors),
            forward: of_parts(self.parts.forward),
            loss: of_parts(self.parts.loss),
            backward: of_parts(self.parts.backward),
            uneven: of_one(self.descent) - of_parts(self.parts.total()),
            parts: of_one(self.joining),
            optimiser: of_one(self.optimiser),
            average: of_one(self.average),
            rest: 1.0 - of_one(outside),
        }
    }
}

/// Time between two readings.
pub(crate) struct Lap(Instant);

impl Lap {
    /// Begins now.
    pub fn start() -> Lap {
        Lap(Instant::now())
    }

    /// Time since the last reading, or since the start.
    pub fn read(&mut self) -> Duration {
        let now = Instant::now();
        let time = now - self.0;
        self.0 = now;
        time
    }
}
