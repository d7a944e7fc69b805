//! The speed of a network's search, measured over its searches.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Visits of the first search, when nothing is known.
const FIRST: u32 = 32;
/// Weight of the latest search in the mean.
const NEW: f64 = 0.3;

/// Visits in a thousand seconds; 0 before the first search.
#[derive(Default)]
pub(crate) struct SearchPace(AtomicU64);

impl SearchPace {
    /// The visits that should fit into this time.
    pub fn visits_in(&self, time: Duration) -> u32 {
        match self.0.load(Ordering::Relaxed) {
            0 => FIRST,
            pace => (pace as f64 / 1_000.0 * time.as_secs_f64()).clamp(1.0, f64::from(u32::MAX)) as u32,
        }
    }

    /// Records that so many visits took this time.
    pub fn learn(&self, visits: u32, time: Duration) {
        if visits == 0 {
            return;
        }
        let now = 1_000.0 * f64::from(visits) / time.as_secs_f64().max(1e-6);
        let before = self.0.load(Ordering::Relaxed);
        let pace = if before == 0 { now } else { (1.0 - NEW) * before as f64 + NEW * now };
        self.0.store((pace as u64).max(1), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_settles_at_the_speed_there_is() {
        let pace = SearchPace::default();
        assert_eq!(pace.visits_in(Duration::from_secs(5)), FIRST);
        for _ in 0..20 {
            pace.learn(500, Duration::from_millis(250));
        }
        assert_eq!(pace.visits_in(Duration::from_millis(100)), 200);
        pace.learn(0, Duration::from_secs(9));
        assert_eq!(pace.visits_in(Duration::ZERO), 1);
    }
}
