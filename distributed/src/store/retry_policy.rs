//! How long transient errors are retried.

use std::time::Duration;

/// How often and how long a request is retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Pause after the first failure; each later pause is twice the one before.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
    /// Sum of the pauses after which the request is given up.
    pub all_pauses: Duration,
    /// Time for one try.
    pub one_try: Duration,
    /// Tries in all, once a stop was asked for.
    pub tries_after_stop: u32,
}

impl Default for RetryPolicy {
    /// Ten minutes, with pauses of 0.1 to 20 seconds.
    fn default() -> RetryPolicy {
        RetryPolicy {
            first_pause: Duration::from_millis(100),
            longest_pause: Duration::from_secs(20),
            all_pauses: Duration::from_secs(600),
            one_try: Duration::from_secs(120),
            tries_after_stop: 5,
        }
    }
}

impl RetryPolicy {
    /// The default pauses, limited to this total.
    pub fn of(all_pauses: Duration) -> RetryPolicy {
        RetryPolicy { all_pauses, ..RetryPolicy::default() }
    }

    /// The pauses, one after another. Programs that failed together should not retry together: each pause is shortened
    /// by up to a half, by a number derived from the key and the process.
    pub(crate) fn pauses(&self, key: &str) -> impl Iterator<Item = Duration> + use<> {
        let RetryPolicy { first_pause, longest_pause, all_pauses, .. } = *self;
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
        let retry_policy = RetryPolicy::of(Duration::from_secs(60));
        let pauses: Vec<Duration> = retry_policy.pauses("a").collect();
        let sum: Duration = pauses.iter().sum();
        assert!(
            sum >= retry_policy.all_pauses && sum <= retry_policy.all_pauses + retry_policy.longest_pause,
            "{sum:?}"
        );
        assert!(pauses[0] <= retry_policy.first_pause && pauses[0] * 2 >= retry_policy.first_pause);
        assert!(pauses.iter().all(|pause| *pause <= retry_policy.longest_pause));
        assert!(pauses.iter().any(|pause| *pause > retry_policy.longest_pause / 2));
        assert_ne!(pauses, retry_policy.pauses("b").collect::<Vec<_>>(), "other keys, other pauses");
        assert_eq!(RetryPolicy::of(Duration::ZERO).pauses("a").count(), 0);
    }
}
