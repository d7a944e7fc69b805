//! The table of a tournament while it is played: on a terminal a line for each player, drawn again in its place; elsewhere
//! a plain line now and then.

use crate::console::{Console, Meter};
use crate::table;
use engine::Limit;
use eval::tournament::TournamentProgress;
use eval::{Ladder, PlayerConfig, PlayerId};

/// The live table.
pub struct Live<'a> {
    players: Vec<Entrant<'a>>,
    meter: Meter,
}

/// A player of the tournament: its identity and its name.
type Entrant<'a> = (PlayerId, &'a str);

impl Live<'_> {
    /// A table of these players in a tournament of `total` games, in which those without a limit have the limit `common`.
    pub fn new<'a>(console: &Console, players: &'a [PlayerConfig], common: Limit, total: u64) -> Live<'a> {
        Live { players: entrants(players, common), meter: console.stage("tournament", total) }
    }

    /// Shows the standings.
    pub fn update(&self, now: &TournamentProgress) {
        let table = |width| {
            let (header, rows) = table::fit(&HEADER, &rows(now.ladder().as_ref(), &self.players), &SPARE, width);
            table::lines(&header, &rows)
        };
        self.meter.update_with(now.games, || leaders(now), table);
    }
}

const HEADER: [&str; 9] = [">", "player", ">Elo", ">±next", ">games", ">score", ">won", ">drawn", ">lost"];
/// The columns that a narrow terminal does not show.
const SPARE: [&str; 4] = ["drawn", "won", "lost", "games"];

fn entrants(players: &[PlayerConfig], common: Limit) -> Vec<Entrant<'_>> {
    players.iter().map(|player| (player.id(common), player.name.as_str())).collect()
}

/// One row a player: rated players by their rating, then players that no games connect with them yet.
fn rows(ladder: Option<&Ladder>, players: &[Entrant]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let rated = ladder.map_or(&[][..], |ladder| &ladder.ratings.rows);
    for (place, row) in rated.iter().enumerate() {
        let results = ladder.map(|ladder| ladder.results_of(&row.player)).unwrap_or_default();
        let error = row.over_next.map_or_else(|| "-".to_owned(), |over| format!("{:.0}", over.error));
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
    for (id, name) in players.iter().filter(|(id, _)| ladder.is_none_or(|ladder| ladder.row(id).is_none())) {
        let name = ladder.and_then(|ladder| ladder.name_of(id)).unwrap_or(name);
        let results = ladder.map(|ladder| ladder.results_of(name)).unwrap_or_default();
        let score = results.score().map_or_else(|| "n/a".to_owned(), |score| format!("{:.1} %", 100.0 * score));
        let mut row = vec![String::new(), name.to_owned(), "n/a".to_owned(), "n/a".to_owned()];
        row.extend([results.games().to_string(), score]);
        row.extend([results.wins, results.draws, results.losses].map(|count| count.to_string()));
        rows.push(row);
    }
    rows
}

/// The standings in a line: the encounter of the last game, and the leader.
fn leaders(now: &TournamentProgress) -> String {
    let [a, b] = now.encounter;
    let encounter = format!("{a} against {b}: {}", now.results);
    let Some(ladder) = now.ladder() else { return encounter };
    let place = |row: &eval::ratings::RatingRow| format!("{} {:+.0}", row.player, row.elo);
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
        let players = [PlayerConfig::greedy(), PlayerConfig::random(), PlayerConfig::mcts(2)];
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
        let entrants = entrants(&players, config.limit);
        tournament
            .play(&AtomicBool::new(false), |now| {
                let rows = rows(now.ladder().as_ref(), &entrants);
                assert_eq!(rows.len(), 3);
                assert!(rows.iter().all(|row| row.len() == HEADER.len()));
                if std::mem::take(&mut first) {
                    assert_eq!(rows[2][1..6], ["mcts:2", "n/a", "n/a", "0", "n/a"]);
                    assert!(leaders(now).starts_with("greedy against random: +"), "{}", leaders(now));
                }
            })
            .unwrap();
        assert_eq!(rows(None, &entrants)[0][1], "greedy");
    }
}
