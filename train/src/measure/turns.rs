//! Choosing the fastest of several settings on a machine that others use, too.
//!
//! Other load makes a setting slower and never faster. So all settings are timed in short turns, again and again, and
//! each is judged by its best turn: a disturbance of some seconds affects all of them alike, and one of a moment spoils a
//! turn or two.

use crate::error::Result;

/// A setting must be this many times as fast as the best one so far: smaller differences are noise.
const NOISE_MARGIN: f64 = 1.03;
/// Turns that each setting has.
pub(super) const TURNS: u32 = 4;

/// The best speed of each candidate; `None` for one that failed, which has no further turn. `speed` times a candidate
/// for a moment.
pub(crate) fn best_speeds<C>(candidates: &[C], mut speed: impl FnMut(&C) -> Result<f64>) -> Vec<Option<f64>> {
    let mut best: Vec<Option<f64>> = vec![Some(0.0); candidates.len()];
    for turn in 0..TURNS {
        for place in 0..candidates.len() {
            // Forwards and backwards, so that none always follows the same one.
            let at = if turn % 2 == 0 { place } else { candidates.len() - 1 - place };
            best[at] = best[at].and_then(|before| Some(before.max(speed(&candidates[at]).ok()?)));
        }
    }
    best
}

/// The fastest candidate and its speed. An earlier one, which is preferred for other reasons, stays unless a later one
/// is faster by more than noise. `None` if all have failed.
pub(super) fn fastest<C>(candidates: &[C], speed: impl FnMut(&C) -> Result<f64>) -> Option<(&C, f64)> {
    let mut best: Option<(&C, f64)> = None;
    for (candidate, speed) in candidates.iter().zip(best_speeds(candidates, speed)) {
        if let Some(speed) = speed
            && best.is_none_or(|(_, fastest)| speed > NOISE_MARGIN * fastest)
        {
            best = Some((candidate, speed));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::TrainError;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// A machine with a clock of its own, on which another program works now and then, for some seconds at a time.
    struct BusyMachine {
        now: f64,
        /// From when to when it works.
        others: Vec<(f64, f64)>,
    }

    impl BusyMachine {
        fn new(seed: u64) -> BusyMachine {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let (mut others, mut at) = (Vec::new(), 0.0);
            while at < 60.0 {
                at += rng.random_range(0.05..2.0);
                let until = at + rng.random_range(0.05..1.0);
                others.push((at, until));
                at = until;
            }
            BusyMachine { now: 0.0, others }
        }

        /// Times a setting for `seconds`; the other program takes most of the machine.
        fn time(&mut self, speed: f64, seconds: f64) -> f64 {
            let (from, to) = (self.now, self.now + seconds);
            self.now = to;
            let shared: f64 = self.others.iter().map(|&(a, b)| (b.min(to) - a.max(from)).max(0.0)).sum();
            speed * (seconds - 0.7 * shared) / seconds
        }
    }

    /// What was chosen once on a busy machine: 1,028 evaluations a second where there were 3,834.
    const SPEEDS: [f64; 4] = [1028.0, 2900.0, 3834.0, 3500.0];

    #[test]
    fn the_fastest_is_chosen_on_a_machine_that_others_use() {
        let mut once_wrong = 0;
        for seed in 0..200 {
            let mut machine = BusyMachine::new(seed);
            let chosen = fastest(&SPEEDS, |&speed| Ok(machine.time(speed, 0.09))).expect("a choice");
            assert_eq!(*chosen.0, 3834.0, "seed {seed}");
            // The same total time for each, in one piece.
            let mut machine = BusyMachine::new(seed);
            let times = SPEEDS.map(|speed| machine.time(speed, 0.36));
            once_wrong += u32::from(times.iter().any(|&time| time > times[2]));
        }
        assert!(once_wrong > 20, "the machine is not busy enough to prove anything: {once_wrong} of 200");
    }

    #[test]
    fn equals_are_decided_by_their_order_and_what_fails_is_left_out() {
        let speed = |&speed: &f64| if speed < 0.0 { Err(TrainError::Thread("measures")) } else { Ok(speed) };
        assert_eq!(fastest(&[100.0, 102.0, 101.0], speed), Some((&100.0, 100.0)), "within the noise");
        assert_eq!(fastest(&[-1.0, 50.0, 100.0], speed), Some((&100.0, 100.0)));
        assert_eq!(fastest(&[-1.0], speed), None);
        assert_eq!(fastest(&[] as &[f64], speed), None);
    }
}
