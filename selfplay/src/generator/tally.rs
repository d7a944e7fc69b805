//! What a generation has found, counted from its records and not while they were made: a generation that was interrupted
//! comes to the same figures as one that was not.

use super::choice;
use crate::config::SelfplayConfig;
use data::{GameRecord, PositionRecord};
use rules::Variant;

/// Figures of a whole generation, whoever played its parts and in how many calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Positions searched, those of games that go on included.
    pub searched: u64,
    /// Those of them whose outcome was proven.
    pub proven: u64,
    /// Finished games in which a player would have resigned but played on.
    pub played_through: u64,
    /// Those of them which that player did not lose.
    pub wrong_resignations: u64,
}

impl Tally {
    /// Counts what a generation's records say: those of its finished games, and of `unfinished` ones each its records.
    /// Positions that an earlier generation searched do not count. `resign_below` is the winning chance below which a
    /// player resigned.
    pub(super) fn of<'a, V: Variant>(
        generation: u32,
        games: &'a [GameRecord<V>],
        unfinished: impl Iterator<Item = &'a [PositionRecord]>,
        config: &SelfplayConfig,
        resign_below: f32,
    ) -> Tally {
        let mut tally = Tally::default();
        for records in games.iter().map(|game| &game.positions[..]).chain(unfinished) {
            let here = records.iter().filter(|record| record.generation == generation);
            let [searched, proven] =
                here.fold([0, 0], |[all, proven], record| [all + 1, proven + u64::from(record.proven)]);
            tally.searched += searched;
            tally.proven += proven;
        }
        for game in games.iter().filter(|game| game.resigned_playthrough) {
            let doubter = choice::doubter(&game.positions, resign_below, config.resign_after);
            let is_wrong = doubter.is_some_and(|loser| game.sheet.outcome.winner() != Some(loser.other()));
            tally.played_through += 1;
            tally.wrong_resignations += u64::from(is_wrong);
        }
        tally
    }
}
