//! Lines of games that began from different setups.

use std::collections::{BTreeMap, HashSet};

use super::lines::{score, sort};
use super::{OpeningRow, OpeningStart, OpeningTable};

impl OpeningTable {
    /// Sums the lines over the setups that the games began from: the same moves are one line. The setups of a player
    /// that differ between the starts are `None` in all lines. The starts stay apart. Lines with fewer than `min_games`
    /// games in all are left out, so the table has to have been made with all lines, or with this `min_games` and
    /// [`OpeningQuery::over_setups`](super::OpeningQuery::over_setups).
    ///
    /// The games that reached the positions after a line are summed, too; `None` where those of one setup are not
    /// known.
    pub fn sum_setups(&mut self, min_games: u64) {
        let several = |setup: fn(&OpeningStart) -> &Option<String>| {
            self.starts.iter().any(|start| setup(start) != setup(&self.starts[0]))
        };
        let differ = [several(|start| &start.setup_first), several(|start| &start.setup_second)];
        let mut sums: BTreeMap<String, OpeningRow> = BTreeMap::new();
        for mut row in self.rows.drain(..) {
            for (setup, differ) in [&mut row.setup_first, &mut row.setup_second].into_iter().zip(differ) {
                setup.take_if(|_| differ);
            }
            match sums.get_mut(&row.moves) {
                None => drop(sums.insert(row.moves.clone(), row)),
                Some(sum) => add(sum, &row),
            }
        }
        self.rows = sums.into_values().collect();
        sort(&mut self.rows);
        self.leave_out_rare(min_games);
    }

    /// Leaves out lines with fewer games, and counts those whose shorter line stays.
    fn leave_out_rare(&mut self, min_games: u64) {
        let frequent: HashSet<LineFromSetups> =
            self.rows.iter().filter(|row| row.games >= min_games).map(|row| from_setups(&row.moves, row)).collect();
        let continues = |row: &&OpeningRow| {
            row.moves.rsplit_once(' ').is_none_or(|(line, _)| frequent.contains(&from_setups(line, row)))
        };
        let rare = self.rows.iter().filter(|row| row.games < min_games).filter(continues).count();
        self.rare_lines += rare as u64;
        self.rows.retain(|row| row.games >= min_games);
    }
}

/// Moves, and the setups that they began from.
type LineFromSetups<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

fn from_setups<'a>(moves: &'a str, row: &'a OpeningRow) -> LineFromSetups<'a> {
    (moves, row.setup_first.as_deref(), row.setup_second.as_deref())
}

/// Adds the games of a line to those of the same moves from other setups.
fn add(sum: &mut OpeningRow, row: &OpeningRow) {
    let by_first = sum.ply % 2 == 1;
    sum.games += row.games;
    sum.share += row.share;
    sum.first_wins += row.first_wins;
    sum.draws += row.draws;
    sum.first_losses += row.first_losses;
    sum.position_games = sum.position_games.zip(row.position_games).map(|(a, b)| a + b);
    let won = if by_first { sum.first_wins } else { sum.first_losses };
    (sum.score, [sum.score_low, sum.score_high]) = score(won, sum.draws, sum.games);
}
