//! Which players meet.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Which pairs of players meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// Each player meets each other player.
    RoundRobin,
    /// The first so many players each meet all the others, and not one another.
    Gauntlet(usize),
    /// Each player meets so many of those before it. This is for the versions of a network, in their order.
    Ladder(usize),
}

impl Schedule {
    /// The encounters of so many players, by their numbers. Results are those of the first player of each; in a ladder that
    /// is the later version.
    ///
    /// ```
    /// use eval::Schedule;
    ///
    /// assert_eq!(Schedule::RoundRobin.encounters(3), [(0, 1), (0, 2), (1, 2)]);
    /// assert_eq!(Schedule::Gauntlet(1).encounters(3), [(0, 1), (0, 2)]);
    /// assert_eq!(Schedule::Ladder(1).encounters(4), [(1, 0), (2, 1), (3, 2)]);
    /// ```
    pub fn encounters(self, players: usize) -> Vec<(usize, usize)> {
        match self {
            Schedule::RoundRobin => (0..players).flat_map(|a| (a + 1..players).map(move |b| (a, b))).collect(),
            Schedule::Gauntlet(leaders) => {
                let leaders = leaders.min(players);
                (0..leaders).flat_map(|a| (leaders..players).map(move |b| (a, b))).collect()
            }
            Schedule::Ladder(reach) => {
                (1..players).flat_map(|a| (a.saturating_sub(reach)..a).rev().map(move |b| (a, b))).collect()
            }
        }
    }

    /// What is wrong with it for so many players.
    pub(super) fn complaint(self, players: usize) -> Option<String> {
        match self {
            _ if players < 2 => Some(format!("a tournament needs 2 players or more, not {players}")),
            Schedule::Gauntlet(leaders) if !(1..players).contains(&leaders) => {
                Some(format!("{leaders} of {players} players cannot each meet the others: 1 to {}", players - 1))
            }
            Schedule::Ladder(0) => Some("a ladder without matches; each player must meet 1 or more".to_owned()),
            _ => None,
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::RoundRobin => f.write_str("round robin"),
            Schedule::Gauntlet(1) => f.write_str("gauntlet of the first player"),
            Schedule::Gauntlet(leaders) => write!(f, "gauntlet of the first {leaders} players"),
            Schedule::Ladder(1) => f.write_str("ladder, each against the one before"),
            Schedule::Ladder(reach) => write!(f, "ladder, each against the {reach} before"),
        }
    }
}

/// How many pairs each encounter has after each pass, so that all of them progress together: 2 pairs, then twice as many,
/// but never more than 32 or an eighth of all in one pass.
pub(super) fn passes(pairs: u32) -> impl Iterator<Item = u32> {
    let most = (pairs / 8).max(32);
    std::iter::successors(Some(pairs.min(2)), move |&done| (done < pairs).then(|| pairs.min(done + done.min(most))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn everybody_meets_whom_they_should_once() {
        for players in 2..8 {
            let all = Schedule::RoundRobin.encounters(players);
            assert_eq!(all.len(), players * (players - 1) / 2);
            for leaders in 1..players {
                let met = Schedule::Gauntlet(leaders).encounters(players);
                assert_eq!(met.len(), leaders * (players - leaders));
                assert!(met.iter().all(|&(a, b)| a < leaders && b >= leaders));
            }
            for reach in 1..=players {
                let met: BTreeSet<_> = Schedule::Ladder(reach).encounters(players).into_iter().collect();
                assert!(met.iter().all(|&(a, b)| b < a && a - b <= reach));
                let expected: usize = (1..players).map(|a| a.min(reach)).sum();
                assert_eq!(met.len(), expected);
            }
            let met: BTreeSet<_> = Schedule::Ladder(players).encounters(players).into_iter().collect();
            assert_eq!(met, all.into_iter().map(|(a, b)| (b, a)).collect(), "a ladder of full reach is a round robin");
        }
    }

    #[test]
    fn schedules_without_games_are_refused() {
        assert!(Schedule::RoundRobin.complaint(1).is_some());
        assert!(Schedule::Gauntlet(0).complaint(3).is_some() && Schedule::Gauntlet(3).complaint(3).is_some());
        assert!(Schedule::Ladder(0).complaint(3).is_some());
        assert!(
            [Schedule::RoundRobin, Schedule::Gauntlet(2), Schedule::Ladder(9)]
                .iter()
                .all(|schedule| schedule.complaint(3).is_none())
        );
    }

    #[test]
    fn passes_grow_and_end_with_all_pairs() {
        assert_eq!(passes(1).collect::<Vec<_>>(), [1]);
        assert_eq!(passes(20).collect::<Vec<_>>(), [2, 4, 8, 16, 20]);
        assert_eq!(passes(200).collect::<Vec<_>>(), [2, 4, 8, 16, 32, 64, 96, 128, 160, 192, 200]);
        assert_eq!(passes(80_000).last(), Some(80_000));
        assert!(passes(80_000).count() < 25);
    }
}
