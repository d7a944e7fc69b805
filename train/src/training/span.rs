//! A stretch of training.

use serde::Serialize;

/// One stretch of training, between two generations of self-play.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TrainingSpan {
    /// The generation whose games are the newest, for the log.
    pub generation: u32,
    /// Steps made before the round.
    pub first_step: u64,
    /// Steps made after it. A trainer that has already made them does nothing, so a round can be asked for again
    /// after a kill.
    pub last_step: u64,
    /// Share of the whole run (0 to 1) that is over before the round. Learning rate and value target depend on it.
    pub progress_before: f64,
    /// Share of the whole run that is over after the round.
    pub progress_after: f64,
}

impl TrainingSpan {
    /// Share of the whole run that is over after `step` steps.
    pub fn progress(&self, step: u64) -> f64 {
        let length = self.last_step.saturating_sub(self.first_step).max(1) as f64;
        let done = (step.saturating_sub(self.first_step) as f64 / length).clamp(0.0, 1.0);
        self.progress_before + done * (self.progress_after - self.progress_before)
    }
}
