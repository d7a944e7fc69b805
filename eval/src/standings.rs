//! All that the matches of a folder say: ratings, and how the games went by match, opening, side and end.

use crate::error::MatchError;
use crate::ladder::{Ladder, ladder};
use crate::log::{self, GameEntry};
use crate::matches::MatchReport;
use crate::ratings::{Pentanomial, Wdl};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::Path;

/// What the matches of a folder say.
#[derive(Clone, Debug)]
pub struct Standings {
    /// Ratings and the cross-table.
    pub ladder: Ladder,
    /// Each match by the name of its log, without its ending.
    pub matches: Vec<(String, MatchReport)>,
    /// Results of all games that count, seen by the player who moved first.
    pub first: Wdl,
    /// Complete pairs by what the player with more points scored: drawn ones in the middle.
    pub pairs: Pentanomial,
    /// Games by the reason they ended.
    pub terminations: BTreeMap<String, u64>,
    /// Results by opening, those with the most games first.
    pub openings: Vec<OpeningResults>,
}

/// The games of one opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningResults {
    /// Start position if it is not the variant's own; else empty.
    pub fen: String,
    /// The moves of the opening in UCI, separated by spaces.
    pub moves: String,
    /// Results of the player who moved first.
    pub results: Wdl,
}

/// Reads the match logs of a folder.
///
/// # Errors
/// As [`ladder`].
pub fn standings(folder: &Path, anchor: Option<&str>) -> Result<Standings, MatchError> {
    let mut standings = Standings {
        ladder: ladder(folder, anchor)?,
        matches: Vec::new(),
        first: Wdl::default(),
        pairs: Pentanomial::default(),
        terminations: BTreeMap::new(),
        openings: Vec::new(),
    };
    let mut openings: HashMap<(String, String), Wdl> = HashMap::new();
    for (path, header, games) in log::read_folder(folder)? {
        for game in games.values() {
            standings.first.count(game.result);
            *standings.terminations.entry(game.termination.clone()).or_default() += 1;
            openings.entry((game.fen.clone(), opening_moves(game))).or_default().count(game.result);
        }
        let report = MatchReport::new(&header, &games, 0, None);
        standings.pairs = add(standings.pairs, report.pairs);
        standings.matches.push((log_name(&path), report));
    }
    standings.openings =
        openings.into_iter().map(|((fen, moves), results)| OpeningResults { fen, moves, results }).collect();
    standings.openings.sort_by(|a, b| {
        let games = |opening: &OpeningResults| std::cmp::Reverse(opening.results.games());
        games(a).cmp(&games(b)).then_with(|| (&a.fen, &a.moves).cmp(&(&b.fen, &b.moves)))
    });
    Ok(standings)
}

fn opening_moves(game: &GameEntry) -> String {
    game.moves.split_whitespace().take(game.opening_plies as usize).collect::<Vec<_>>().join(" ")
}

/// Adds the pairs of a match without regard to who was named first.
fn add(sum: Pentanomial, pairs: Pentanomial) -> Pentanomial {
    let reversed = pairs.reversed();
    Pentanomial(std::array::from_fn(|cell| match cell {
        0 | 1 => 0,
        2 => sum.0[2] + pairs.0[2],
        _ => sum.0[cell] + pairs.0[cell] + reversed.0[cell],
    }))
}

/// Name of a log without its ending.
pub fn log_name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A text as a field of a CSV file (RFC 4180).
pub(crate) fn csv_field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

impl Ladder {
    /// The ratings as CSV: a row a player, best first, then the players who are not rated. The last columns are the
    /// cross-table: won, drawn and lost games against each player, as `12-3-5`.
    pub fn csv(&self) -> String {
        let rated = self.ratings.rows.iter().map(|row| (row.player.as_str(), Some(row)));
        let unrated = self.ratings.unrated.iter().flatten().map(|player| (player.as_str(), None));
        let players: Vec<_> = rated.chain(unrated).collect();
        let mut out = "place,player,elo,elo_error,games,wins,draws,losses,score,opponents,los_next,cautious".to_owned();
        for (player, _) in &players {
            let _ = write!(out, ",{}", csv_field(&format!("against {player}")));
        }
        out.push('\n');
        for (place, &(player, row)) in players.iter().enumerate() {
            let all = self.results_of(player);
            let place = row.map_or_else(String::new, |_| (place + 1).to_string());
            let _ = write!(out, "{place},{},", csv_field(player));
            match row {
                Some(row) => {
                    let _ = write!(out, "{:.1},{:.1},", row.elo, row.error);
                }
                None => out.push_str(",,"),
            }
            let score = all.score().map_or_else(String::new, |score| format!("{score:.4}"));
            let _ = write!(out, "{},{},{},{},{score},", all.games(), all.wins, all.draws, all.losses);
            match row {
                Some(row) => {
                    let los = row.los_next.map_or_else(String::new, |los| format!("{los:.4}"));
                    let _ = write!(out, "{},{los},{}", row.opponents, row.prior);
                }
                None => out.push_str(",,"),
            }
            for (opponent, _) in &players {
                let Wdl { wins, draws, losses } = self.between(player, opponent);
                out.push(',');
                if wins + draws + losses > 0 {
                    let _ = write!(out, "{wins}-{draws}-{losses}");
                }
            }
            out.push('\n');
        }
        out
    }
}
