//! The matches of a folder together: ratings, and results by match, opening, side and termination.

use crate::error::MatchError;
use crate::identity::PlayerId;
use crate::ladder::{Ladder, LadderResults};
use crate::log::{self, FinishedGames, MatchHeader};
use crate::matches::MatchReport;
use crate::ratings::{Pentanomial, Wdl};
use rules::VariantId;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The matches of a folder together.
#[derive(Clone, Debug)]
pub struct Standings {
    /// Ratings and the cross-table.
    pub ladder: Ladder,
    /// Each match by the name of its log without the extension.
    pub matches: Vec<(String, MatchReport)>,
    /// Results of all games that count, from the point of view of the player who moved first.
    pub first: Wdl,
    /// Complete pairs by the score of the player with more points; level pairs are in the middle.
    pub pairs: Pentanomial,
    /// Games by their termination.
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
/// As [`ladder`](crate::ladder()).
pub fn standings(folder: &Path, anchor: Option<&str>) -> Result<Standings, MatchError> {
    standings_of(folder, None, anchor)
}

/// Like [`standings`], of the logs of one variant alone.
///
/// # Errors
/// As [`ladder`](crate::ladder()).
pub fn standings_of(folder: &Path, variant: Option<VariantId>, anchor: Option<&str>) -> Result<Standings, MatchError> {
    let mut logs = log::read_folder(folder)?;
    logs.retain(|(_, header, _)| variant.is_none_or(|variant| header.variant == variant.id()));
    standings_in(logs, anchor)
}

/// Like [`standings`], of logs that have been read, each with its path.
///
/// # Errors
/// As [`ladder`](crate::ladder()).
pub fn standings_in(
    logs: Vec<(PathBuf, MatchHeader, FinishedGames)>,
    anchor: Option<&str>,
) -> Result<Standings, MatchError> {
    let mut standings = Standings {
        ladder: LadderResults::of(&logs, None)?.ladder(anchor)?,
        matches: Vec::new(),
        first: Wdl::default(),
        pairs: Pentanomial::default(),
        terminations: BTreeMap::new(),
        openings: Vec::new(),
    };
    let mut openings: HashMap<(String, String), Wdl> = HashMap::new();
    for (path, header, games) in logs {
        for game in games.values() {
            let result = game.result.number();
            standings.first.count(result);
            *standings.terminations.entry(game.termination.name().to_owned()).or_default() += 1;
            let start = game.start_fen.clone().unwrap_or_default();
            openings.entry((start, game.opening_moves())).or_default().count(result);
        }
        let mut report = MatchReport::new(&header, &games, 0, None);
        // The players' names in the table, which distinguishes more players than those of this match.
        for (shown, record) in report.players.iter_mut().zip(&header.players) {
            let name = standings.ladder.name_of(&PlayerId::of(record));
            *shown = name.map_or_else(|| std::mem::take(shown), str::to_owned);
        }
        standings.pairs = add(standings.pairs, report.pairs);
        standings.matches.push((match_name(&path), report));
    }
    standings.openings =
        openings.into_iter().map(|((fen, moves), results)| OpeningResults { fen, moves, results }).collect();
    standings.openings.sort_by(|a, b| {
        let games = |opening: &OpeningResults| std::cmp::Reverse(opening.results.games());
        games(a).cmp(&games(b)).then_with(|| (&a.fen, &a.moves).cmp(&(&b.fen, &b.moves)))
    });
    Ok(standings)
}

/// Adds the pairs of a match, from the point of view of the player with more points.
fn add(sum: Pentanomial, pairs: Pentanomial) -> Pentanomial {
    let reversed = pairs.reversed();
    Pentanomial(std::array::from_fn(|cell| match cell {
        0 | 1 => 0,
        2 => sum.0[2] + pairs.0[2],
        _ => sum.0[cell] + pairs.0[cell] + reversed.0[cell],
    }))
}

/// The name of a match: its log without the extension.
pub fn match_name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A text as a field of a CSV file (RFC 4180). Names come from files, and spreadsheets and terminals execute some texts: one
/// that a spreadsheet would take for a formula gets an apostrophe before it, and control characters become `\u{fffd}`.
///
/// ```
/// use eval::standings::csv_field;
///
/// assert_eq!(csv_field("say \"五\", twice"), "\"say \"\"五\"\", twice\"");
/// assert_eq!(csv_field("=cmd|' /c calc'!A1"), "'=cmd|' /c calc'!A1");
/// assert_eq!(csv_field("a\u{1b}[31m"), "a\u{fffd}[31m");
/// assert_eq!(csv_field("-1.5"), "-1.5");
/// ```
pub fn csv_field(text: &str) -> String {
    let text = text.replace(|c: char| c.is_control() && !"\n\r\t".contains(c), "\u{fffd}");
    let begins_a_formula = text.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    let is_numbers = text.bytes().all(|byte| b"0123456789+-. ".contains(&byte));
    let text = if begins_a_formula && !is_numbers { format!("'{text}") } else { text };
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

impl Ladder {
    /// The ratings as CSV: one row for each player, best first, then the players who are not rated. The last columns are
    /// the cross-table: games won, drawn and lost against each player, as `12-3-5`.
    pub fn csv(&self) -> String {
        let rated = self.ratings.rows.iter().map(|row| (row.player.as_str(), Some(row)));
        let unrated = self.ratings.unrated.iter().flatten().map(|player| (player.as_str(), None));
        let players: Vec<_> = rated.chain(unrated).collect();
        let mut out = "place,player,elo,elo_error,games,wins,draws,losses,score,opponents,los_next,prior,over_next,over_next_error".to_owned();
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
                    let over = row
                        .over_next
                        .map_or_else(|| ",".to_owned(), |over| format!("{:.1},{:.1}", over.value, over.error));
                    let _ = write!(out, "{},{los},{},{over}", row.opponents, row.prior);
                }
                None => out.push_str(",,,,"),
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
