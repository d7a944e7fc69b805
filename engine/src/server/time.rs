//! How much of the clock a move may take.

use crate::protocol::{Go, PlayerTime};
use rules::Side;
use std::time::Duration;

/// Moves over which the remaining time is spread if the GUI does not say how many there are.
const MOVES: u32 = 30;

/// Time for one move, counted from the moment `go` was received; `None` if no clock runs.
///
/// With T left on the clock, M moves to go (30 if not stated), increment I, byoyomi B and overhead O (time that may get
/// lost between engine and clock):
///
/// ```text
/// min(T / M + ¾·I + B, T + B) − O
/// ```
///
/// `movetime` is one move to go. The increment counts for the share but not for the limit, because it is added after
/// the move. So the clock is never overstepped as long as O covers the way to the GUI. [`super::deadline`] makes the
/// search stop one batch early rather than late.
pub fn budget(go: &Go, side: Side, overhead: Duration) -> Option<Duration> {
    if let Some(time) = go.movetime {
        return Some(time.saturating_sub(overhead));
    }
    let PlayerTime { left, increment } = go.clocks.of(side);
    let byoyomi = go.byoyomi.unwrap_or_default();
    if left.is_none() && byoyomi.is_zero() {
        return None;
    }
    let (left, increment) = (left.unwrap_or_default(), increment.unwrap_or_default());
    let share = left / go.moves_to_go.filter(|&moves| moves > 0).unwrap_or(MOVES) + increment * 3 / 4;
    Some((share + byoyomi).min(left + byoyomi).saturating_sub(overhead))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Clocks;

    const SIDE: Side = Side::Second;

    fn go(left: u64, increment: u64, byoyomi: u64, moves_to_go: Option<u32>) -> Go {
        let ms = |ms| Some(Duration::from_millis(ms));
        let first = PlayerTime { left: None, increment: ms(9) };
        let second = PlayerTime { left: ms(left), increment: ms(increment) };
        Go { clocks: Clocks::BySide([first, second]), byoyomi: ms(byoyomi), moves_to_go, ..Go::default() }
    }

    fn milliseconds(go: &Go) -> Option<u128> {
        budget(go, SIDE, Duration::from_millis(20)).map(|time| time.as_millis())
    }

    #[test]
    fn the_formula_holds() {
        assert_eq!(milliseconds(&go(60_000, 0, 0, None)), Some(1_980));
        assert_eq!(milliseconds(&go(60_000, 1_000, 0, None)), Some(2_730));
        assert_eq!(milliseconds(&go(60_000, 0, 0, Some(10))), Some(5_980));
        assert_eq!(milliseconds(&go(5_000, 0, 0, Some(1))), Some(4_980));
        assert_eq!(milliseconds(&go(0, 0, 3_000, None)), Some(2_980));
        assert_eq!(milliseconds(&go(60_000, 0, 3_000, None)), Some(4_980));
        assert_eq!(milliseconds(&go(100, 10_000, 0, None)), Some(80), "the increment is not there yet");
        assert_eq!(milliseconds(&go(10, 0, 0, None)), Some(0), "no time left: the first evaluation decides");
        assert_eq!(milliseconds(&Go { movetime: Some(Duration::from_millis(500)), ..Go::default() }), Some(480));
        assert_eq!(milliseconds(&Go { nodes: Some(5), ..Go::default() }), None);
        assert_eq!(
            budget(&go(60_000, 0, 0, None), Side::First, Duration::ZERO),
            None,
            "only the other player's clock is stated"
        );
    }

    #[test]
    fn a_game_never_oversteps_its_clock() {
        for (main, increment, byoyomi) in [(60_000, 0, 0), (5_000, 100, 0), (0, 0, 1_000), (9_000, 0, 500)] {
            let mut left = Duration::from_millis(main);
            for ply in 0..400 {
                let wanted = go(left.as_millis() as u64, increment, byoyomi, None);
                let taken = budget(&wanted, SIDE, Duration::from_millis(5)).expect("a clock");
                assert!(taken <= left + Duration::from_millis(byoyomi), "ply {ply}");
                left = left.saturating_sub(taken) + Duration::from_millis(increment);
            }
        }
    }
}
