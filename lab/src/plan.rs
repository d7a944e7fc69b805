//! What one generation does. It is written down before the generation begins, so a resumed run continues with the same
//! numbers and gets the same weights.

use data::LogEntry;
use serde::{Deserialize, Serialize};

/// The plan of one generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The generation, from 1.
    pub generation: u32,
    /// Moves each slot of self-play plays.
    pub plies_per_slot: u32,
    /// Random-play games that are played in place of self-play; 0 where a network plays.
    #[serde(default, skip_serializing_if = "is_none")]
    pub rules_games: u32,
    /// Optimiser steps.
    pub steps: u64,
    /// Part of the run done when its training begins, 0–1; the learning rate depends on it.
    pub progress_from: f64,
    /// Part of the run done when its training ends.
    pub progress_to: f64,
    /// Whether the run ends with this generation.
    pub last: bool,
    /// Most pairs of the match after this generation; absent where the clock sets no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_pairs: Option<u32>,
    /// Most pairs of the last match; absent where the clock sets no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_pairs: Option<u32>,
    /// The budget of the whole run under which this was planned, seconds; absent without one, and in plans of programs
    /// that did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_seconds: Option<f64>,
}

/// Most plans have none, and do not write it.
fn is_none(games: &u32) -> bool {
    *games == 0
}

impl Plan {
    /// Whether a part of the run is done with this generation, where it has so many parts of equal length.
    pub fn completes_part(&self, parts: u32) -> bool {
        // A sum of shares may be below the whole in the last bits.
        let part = |progress: f64| (progress * f64::from(parts) + 1e-6).floor();
        part(self.progress_to) > part(self.progress_from)
    }
}

impl LogEntry for Plan {
    const TAG: &'static str = "plan";
    const ONCE_WITHOUT_CHECKSUM: bool = true;
    const CHAINED: bool = true;
}
