//! The table of a tournament while it is played: on a terminal a line for each player, drawn again in its place; elsewhere
//! a plain line now and then.

use crate::console::{Console, Meter};
use crate::table;
use eval::tournament::TournamentProgress;
use eval::{Contender, Ladder};

/// The live table.
pub struct Live<'a> {
    players: &'a [Contender],
    meter: Meter,
}

impl Live<'_> {
    /// A table of these players in a tournament of `total` games.
    pub fn new<'a>(console: &Console, players: &'a [Contender], total: u64) -> Live<'a> {
        Live { players, meter: console.stage("tournament", total) }
    }

    /// Shows how the tournament stands.
    pub fn update(&self, now: &TournamentProgress) {
        let table = |width| {
            let (header, rows) = table::fit(&HEADER, &rows(now.ladder().as_ref(), self.players), &SPARE, width);
            table::lines(&header, &rows)
        };
        self.meter.update_with(now.games, || leaders(now), table);
    }
}

const HEADER: [&str; 9] = [">", "player", ">Elo", ">±", ">games", ">score", ">won", ">drawn", ">lost"];
/// The columns that a narrow terminal does without.
const SPARE: [&str; 4] = ["drawn", "won", "lost", "games"];

/// One row a player: the rated ones by their rating, then those whom no games connect with them yet.
fn rows(ladder: Option<&Ladder>, players: &[Contender]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let rated = ladder.map_or(&[][..], |ladder| &ladder.ratings.rows);
    for (place, row) in rated.iter().enumerate() {
        let results = ladder.map(|ladder| ladder.results_of(&row.player)).unwrap_or_default();
        let error = if row.error > 0.0 { format!("{:.0}", row.error) } else { "-".to_owned() };
        rows.push(vec![
            (place + 1).to_string(),
            row.player.clone(),
            format!("{:.0}", row.elo),
            error,
            row.games.to_string(),
            format!("{:.1} %", 100.0 * row.score),
            results.wins.to_string(),
            results.draws.to_string(),
            results.losses.to_string(),
        ]);
    }
    for player in players.iter().filter(|player| rated.iter().all(|row| row.player != player.name)) {
        let results = ladder.map(|ladder| ladder.results_of(&player.name)).unwrap_or_default();
        let score = results.score().map_or_else(|| "n/a".to_owned(), |score| format!("{:.1} %", 100.0 * score));
        let mut row = vec![String::new(), player.name.clone(), "n/a".to_owned(), "n/a".to_owned()];
        row.extend([results.games().to_string(), score]);
        row.extend([results.wins, results.draws, results.losses].map(|count| count.to_string()));
        rows.push(row);
    }
    rows
}

/// The standings in a line: the encounter of the last game, and who leads.
fn leaders(now: &TournamentProgress) -> String {
    let [a, b] = now.encounter;
    let encounter = format!("{a} against {b}: {}", now.results);
    let Some(ladder) = now.ladder() else { return encounter };
    let place = |row: &eval::ratings::RatingRow| format!("{} {:+.0} ± {:.0}", row.player, row.elo, row.error);
    let best: Vec<String> = ladder.ratings.rows.iter().take(5).map(place).collect();
    format!("{encounter}; {}", best.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use eval::{MatchConfig, Schedule, Tournament};
    use rules::VariantId;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn every_player_has_a_line_from_the_first_game_on() {
        let folder = tempfile::tempdir().unwrap();
        let players = [Contender::greedy(), Contender::random(), Contender::mcts(2)];
        let config = MatchConfig { pairs: 3, max_plies: 30, ..MatchConfig::default() };
        let tournament = Tournament {
            variant: VariantId::Wangqi,
            config: &config,
            players: &players,
            schedule: Schedule::RoundRobin,
            folder: folder.path(),
            anchor: None,
        };
        let mut first = true;
        tournament
            .play(&AtomicBool::new(false), |now| {
                let rows = rows(now.ladder().as_ref(), &players);
                assert_eq!(rows.len(), 3);
                assert!(rows.iter().all(|row| row.len() == HEADER.len()));
                if std::mem::take(&mut first) {
                    assert_eq!(rows[2][1..6], ["mcts:2", "n/a", "n/a", "0", "n/a"]);
                    assert!(leaders(now).starts_with("greedy against random: +"), "{}", leaders(now));
                }
            })
            .unwrap();
        assert_eq!(rows(None, &players)[0][1], "greedy");
    }
}
