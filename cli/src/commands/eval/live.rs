//! The table of a tournament while it is played: on a terminal a line for each player, drawn again a few times a second;
//! elsewhere a plain line now and then.

use crate::run::progress::{Meter, Progress};
use crate::table;
use eval::tournament::TournamentProgress;
use eval::{Contender, Ladder};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::Cell;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

/// Time between two drawings: each computes all ratings anew.
const EVERY: Duration = Duration::from_millis(300);
/// Most lines of players; the best are shown.
const MOST_LINES: usize = 30;

/// The live table.
pub struct Live<'a> {
    players: &'a [Contender],
    meter: Option<Meter>,
    screen: Option<Screen>,
    drawn: Cell<Option<Instant>>,
}

/// Lines on a terminal.
struct Screen {
    all: MultiProgress,
    status: ProgressBar,
    lines: Vec<ProgressBar>,
}

impl Live<'_> {
    /// A table of these players in a tournament of `total` games.
    pub fn new<'a>(progress: &Progress, players: &'a [Contender], total: u64) -> Live<'a> {
        let screen =
            (!progress.is_quiet() && std::io::stderr().is_terminal()).then(|| Screen::new(players.len(), total));
        let meter = screen.is_none().then(|| progress.stage("tournament", total));
        Live { players, meter, screen, drawn: Cell::new(None) }
    }

    /// Prints a line above the table.
    pub fn say(&self, progress: &Progress, text: &str) {
        match &self.screen {
            Some(screen) => screen.all.suspend(|| progress.line(text)),
            None => progress.line(text),
        }
    }

    /// Shows how the tournament stands.
    pub fn update(&self, now: &TournamentProgress) {
        if let Some(meter) = &self.meter {
            meter.update(now.games, || plain(now));
        }
        let Some(screen) = &self.screen else { return };
        if self.drawn.get().is_some_and(|drawn| drawn.elapsed() < EVERY) {
            return;
        }
        screen.status.set_position(now.games);
        let [a, b] = now.encounter;
        screen.status.set_message(format!("{a} against {b}: {}", now.results));
        let lines = table::lines(&HEADER, &rows(now.ladder().as_ref(), self.players));
        let shown = lines.len().min(screen.lines.len());
        for (bar, line) in screen.lines.iter().zip(&lines[..shown]) {
            bar.set_message(line.clone());
        }
        self.drawn.set(Some(Instant::now()));
    }
}

impl Screen {
    fn new(players: usize, total: u64) -> Screen {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(4));
        let plain = ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
        let status = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed_precise} · {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let line = || all.add(ProgressBar::new(1).with_style(plain.clone()));
        let lines = (0..=players.min(MOST_LINES)).map(|_| line()).collect();
        let status = all.add(ProgressBar::new(total).with_style(status));
        Screen { all, status, lines }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // The finished table is printed in its place.
        self.lines.iter().chain([&self.status]).for_each(ProgressBar::finish_and_clear);
        let _ = self.all.clear();
    }
}

const HEADER: [&str; 9] = [">", "player", ">Elo", ">±", ">games", ">score", ">won", ">drawn", ">lost"];

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

/// The standings in a line: who leads, and by how much.
fn plain(now: &TournamentProgress) -> String {
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
                    assert!(plain(now).starts_with("greedy against random: +"), "{}", plain(now));
                }
            })
            .unwrap();
        assert_eq!(rows(None, &players)[0][1], "greedy");
    }
}
