//! Figures of a generation, counted from its records and not while they were made: an interrupted generation gets the
//! same figures as an uninterrupted one.

use super::choice;
use crate::config::SelfplayConfig;
use data::{GameRecord, PositionRecord};
use rules::Variant;

/// Figures of a whole generation, over all machines and calls that played it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GenerationTally {
    /// Positions searched, including those of unfinished games.
    pub searched: u64,
    /// Those of the searched positions whose outcome was proven.
    pub proven: u64,
    /// Finished games in which a player would have resigned but had to play on, except those that were cut off at a limit.
    pub played_through: u64,
    /// Those of `played_through` that the player did not lose.
    pub wrong_resignations: u64,
}

impl GenerationTally {
    /// Counts the records of a generation: those of its finished games, and those of each of its `unfinished` ones.
    /// Positions that an earlier generation searched do not count. `resign_below` is the winning chance below which a
    /// player resigned.
    pub(super) fn of<'a, V: Variant>(
        generation: u32,
        games: &'a [GameRecord<V>],
        unfinished: impl Iterator<Item = &'a [PositionRecord]>,
        config: &SelfplayConfig,
        resign_below: f32,
    ) -> GenerationTally {
        let mut tally = GenerationTally::default();
        for records in games.iter().map(|game| &game.positions[..]).chain(unfinished) {
            let here = records.iter().filter(|record| record.generation == generation);
            let [searched, proven] =
                here.fold([0, 0], |[all, proven], record| [all + 1, proven + u64::from(record.proven)]);
            tally.searched += searched;
            tally.proven += proven;
        }
        // As for the choice of the threshold, a game that was cut off does not show whether resigning would have been wrong.
        for game in games.iter().filter(|game| game.resigned_playthrough && !game.sheet.outcome.is_cut_off()) {
            let doubter = choice::doubter(&game.positions, resign_below, config.resign_after);
            let is_wrong = doubter.is_some_and(|loser| game.sheet.outcome.winner() != Some(loser.other()));
            tally.played_through += 1;
            tally.wrong_resignations += u64::from(is_wrong);
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Game, Outcome, Rules, Side, Termination, Wangqi};

    /// A position of this generation whose player has this winning chance.
    fn position(generation: u32, side: Side, win: f32, proven: bool) -> PositionRecord {
        PositionRecord { generation, side, root_wdl: [win, 0.0, 1.0 - win], proven, ..Default::default() }
    }

    /// The positions of a game in which only the first player would resign: below 0.1 in two searches in a row.
    fn despair_of_first() -> Vec<PositionRecord> {
        [(Side::First, 0.05), (Side::Second, 0.5), (Side::First, 0.02), (Side::Second, 0.5)]
            .map(|(side, win)| position(1, side, win, false))
            .to_vec()
    }

    fn game(positions: Vec<PositionRecord>, resigned_playthrough: bool, outcome: Outcome) -> GameRecord<Wangqi> {
        let start = Game::<Wangqi>::start(Rules::default());
        GameRecord { positions, resigned_playthrough, ..GameRecord::of(&start, outcome) }
    }

    #[test]
    fn only_the_generations_own_positions_count_and_those_of_unfinished_games_too() {
        let mixed = [(1, true), (2, true), (2, false), (2, true)];
        let finished = game(
            mixed.map(|(generation, proven)| position(generation, Side::First, 0.5, proven)).to_vec(),
            false,
            Outcome::draw(Termination::Repetition),
        );
        let unfinished = [vec![position(1, Side::First, 0.5, true)], vec![position(2, Side::Second, 0.5, true)]];
        let tally = GenerationTally::of(
            2,
            &[finished],
            unfinished.iter().map(|records| &records[..]),
            &SelfplayConfig::default(),
            0.0,
        );
        assert_eq!(tally, GenerationTally { searched: 4, proven: 3, ..GenerationTally::default() });
    }

    #[test]
    fn a_resignation_is_wrong_where_the_despairing_player_did_not_lose() {
        let config = SelfplayConfig { resign_after: 2, ..SelfplayConfig::default() };
        let mate = |winner| Outcome::win(winner, Termination::Checkmate);
        let games = [
            game(despair_of_first(), true, mate(Side::Second)),
            game(despair_of_first(), true, mate(Side::First)),
            game(despair_of_first(), true, Outcome::draw(Termination::Repetition)),
            // These do not show who would have won.
            game(despair_of_first(), true, Outcome::draw(Termination::MaxPlies)),
            // In this game resigning was on, so it is not counted.
            game(despair_of_first(), false, mate(Side::First)),
        ];
        let tally = GenerationTally::of(1, &games, std::iter::empty(), &config, 0.1);
        assert_eq!((tally.played_through, tally.wrong_resignations), (3, 2));
        // One search is not enough where three must agree.
        let patient = SelfplayConfig { resign_after: 3, ..config };
        let tally = GenerationTally::of(1, &games, std::iter::empty(), &patient, 0.1);
        assert_eq!((tally.played_through, tally.wrong_resignations), (3, 0));
    }
}
