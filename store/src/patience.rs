//! How long what passes by itself is waited for.

use std::time::Duration;

/// How often and how long a request is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Pause after the first failure; each later pause is twice the one before.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
    /// Sum of the pauses after which it is given up.
    pub all_pauses: Duration,
    /// Time for one try.
    pub one_try: Duration,
    /// Tries in all, once a stop was asked for.
    pub tries_after_stop: u32,
}

impl Default for Patience {
    /// Ten minutes, with pauses of 0.1 to 20 seconds.
    fn default() -> Patience {
        Patience {
            first_pause: Duration::from_millis(100),
            longest_pause: Duration::from_secs(20),
            all_pauses: Duration::from_secs(600),
            one_try: Duration::from_secs(120),
            tries_after_stop: 5,
        }
    }
}

impl Patience {
    /// The default pauses, given up after this time.
    pub fn of(all_pauses: Duration) -> Patience {
        Patience { all_pauses, ..Patience::default() }
    }

    /// The pauses, one after another. Programs that failed together do not come back together: a pause is shortened by up
    /// to a half, by a number made from the key and the process.
    pub(crate) fn pauses(&self, key: &str) -> impl Iterator<Item = Duration> + use<> {
        let Patience { first_pause, longest_pause, all_pauses, .. } = *self;
        let mut hasher = blake3::Hasher::new();
        hasher.update(key.as_bytes()).update(&std::process::id().to_le_bytes());
        let bytes = *hasher.finalize().as_bytes();
        let (mut pause, mut sum, mut at) = (first_pause, Duration::ZERO, 0);
        std::iter::from_fn(move || {
            if sum >= all_pauses {
                return None;
            }
            let shortened = pause.mul_f64(1.0 - f64::from(bytes[at % bytes.len()]) / 512.0);
            (pause, sum, at) = ((2 * pause).min(longest_pause), sum + shortened, at + 1);
            Some(shortened)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_the_longest_and_end() {
        let patience = Patience::of(Duration::from_secs(60));
        let pauses: Vec<Duration> = patience.pauses("a").collect();
        let sum: Duration = pauses.iter().sum();
        assert!(sum >= patience.all_pauses && sum <= patience.all_pauses + patience.longest_pause, "{sum:?}");
        assert!(pauses[0] <= patience.first_pause && pauses[0] * 2 >= patience.first_pause);
        assert!(pauses.iter().all(|pause| *pause <= patience.longest_pause));
        assert!(pauses.iter().any(|pause| *pause > patience.longest_pause / 2));
        assert_ne!(pauses, patience.pauses("b").collect::<Vec<_>>(), "other keys, other pauses");
        assert_eq!(Patience::of(Duration::ZERO).pauses("a").count(), 0);
    }
}
