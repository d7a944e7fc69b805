//! The tables of openings.

use super::lines::{Origins, ShownLine};
use crate::{table, terminal};
use data::{OpeningQuery, OpeningRow, OpeningStart, OpeningTable};
use report::lines::{continuations, move_number, setups};
use report::number::{ABSENT, count, counted, fixed, percent, share};
use rules::{Notation, Position, Side, Variant};
use unicode_width::UnicodeWidthStr;

/// Prints what was played after a line: its continuations (at most `most_moves`), then `lines`, the most played ones.
pub fn print<V: Variant>(table: &OpeningTable, after: &str, most_moves: usize, lines: &[&OpeningRow]) {
    let origins = Origins::<V>::starts(&OpeningQuery::new(V::ID)).of(table);
    explored(table, after, most_moves, lines, &origins, const { &Notation::<V>::UCI });
}

/// Like [`print()`], from these origins and in this notation.
pub fn explored<V: Variant>(
    table: &OpeningTable,
    after: &str,
    most_moves: usize,
    lines: &[&OpeningRow],
    origins: &Origins<V>,
    notation: &Notation<V>,
) {
    let moves = continuations(table, after);
    if moves.is_empty() {
        println!("No game continues from here.");
        return;
    }
    let text = |row: &OpeningRow| ShownLine::of(row, origins, Notation::words, notation);
    explorer(&moves, most_moves, text);
    println!("\nMost played lines");
    // The number of the first move of a line from another position.
    let begun = u32::from(origins.only().map(Position::side) == Some(Side::Second));
    tree(lines, after.split_whitespace().count() as u32, begun, text);
}

/// The last columns of all tables; the bar and the names come after them.
const OUTCOME: [&str; 5] = [">first█", ">drawn▒", ">second░", ">score", "95 %"];

/// Prints the setups that games began from, before the moves from all of them. `chosen` says whether --setup chose them.
pub fn starts(table: &OpeningTable, chosen: bool) {
    match table.starts.as_slice() {
        [] => {}
        [start] => {
            if let Some(setups) = setups_of(start) {
                println!("Setups: {setups}\n");
            }
        }
        starts => {
            print_starts(starts);
            println!("\nMoves, from {} setups", if chosen { "these" } else { "all" });
        }
    }
}

/// Prints how the games from each pair of setups ended.
pub fn print_starts(starts: &[OpeningStart]) {
    let all = starts.iter().map(|start| start.games).sum();
    let header = ["setups", ">games", ">share", ">first█", ">drawn▒", ">second░"];
    let row = |start: &OpeningStart| {
        let part = |games: u64| percent(games as f64 / start.games as f64, 0);
        let results = [start.first_wins, start.draws, start.first_losses].map(part);
        let name = setups_of(start).unwrap_or_else(|| ABSENT.to_owned());
        [name, count(start.games), share(start.games, all)].into_iter().chain(results).collect()
    };
    let rows: Vec<Vec<String>> = starts.iter().map(row).collect();
    println!("Setups (first – second player)");
    with_bars(&header, &rows, &[], &["share"], |at| {
        let start = &starts[at];
        (start.first_wins, start.draws, start.games)
    });
}

fn setups_of(start: &OpeningStart) -> Option<String> {
    Some(format!("{} – {}", start.setup_first.as_ref()?, start.setup_second.as_ref()?))
}

fn explorer(moves: &[&OpeningRow], most: usize, text: impl Fn(&OpeningRow) -> ShownLine) {
    let all: u64 = moves.iter().map(|row| row.games).sum();
    let shown = &moves[..moves.len().min(most)];
    let lines: Vec<ShownLine> = shown.iter().map(|row| text(row)).collect();
    let header: Vec<&str> = ["move", ">games", ">reaching", ">share"].into_iter().chain(OUTCOME).collect();
    let row = |(row, line): (&&OpeningRow, &ShownLine)| {
        let reaching = row.position_games.map_or_else(|| ABSENT.to_owned(), count);
        [label(row, line), count(row.games), reaching, share(row.games, all)].into_iter().chain(outcome(row)).collect()
    };
    let rows: Vec<Vec<String>> = shown.iter().zip(&lines).map(row).collect();
    // Games are known to have reached a position only if somebody searched it or the one after it. After moves that
    // were played at random that is rarely so, and a column of dashes tells nothing.
    let known = shown.iter().filter(|row| row.position_games.is_some()).count();
    let (header, rows) = match 2 * known < shown.len() {
        true => table::fit(&header, &rows, &["reaching"], 0),
        false => (header, rows),
    };
    let titles: Vec<String> = lines.iter().map(ShownLine::title).collect();
    with_bars(&header, &rows, &titles, &["reaching", "share"], |at| results(shown[at]));
    if moves.len() > most {
        println!("and {}", counted((moves.len() - most) as u64, "more move", "more moves"));
    }
}

fn tree(rows: &[&OpeningRow], plies: u32, begun: u32, text: impl Fn(&OpeningRow) -> ShownLine) {
    let header: Vec<&str> = ["line", ">games"].into_iter().chain(OUTCOME).collect();
    let lines: Vec<ShownLine> = rows.iter().map(|row| text(row)).collect();
    let row = |(row, line): (&&OpeningRow, &ShownLine)| {
        // A line is listed below the one that it continues, whose setups it shares.
        let deeper = (row.ply - plies - 1) as usize;
        let name = if deeper == 0 { label(row, line) } else { line.last().to_owned() };
        let text = format!("{}{} {name}", "  ".repeat(deeper), move_number(row.ply + begun));
        [text, count(row.games)].into_iter().chain(outcome(row)).collect()
    };
    let texts: Vec<Vec<String>> = rows.iter().zip(&lines).map(row).collect();
    // A line that is called what the line above is called does not repeat it.
    let mut above: Vec<String> = Vec::new();
    let title = |(row, line): (&&OpeningRow, &ShownLine)| {
        let title = line.title();
        above.truncate((row.ply - plies - 1) as usize);
        let known = above.last() == Some(&title);
        above.push(title.clone());
        if known { String::new() } else { title }
    };
    let titles: Vec<String> = rows.iter().zip(&lines).map(title).collect();
    with_bars(&header, &texts, &titles, &[], |at| results(rows[at]));
}

fn results(row: &OpeningRow) -> (u64, u64, u64) {
    (row.first_wins, row.draws, row.games)
}

/// Fewest and most characters of a bar.
const BAR: [usize; 2] = [6, 24];

/// Prints a table with a bar at the end of each row, as long as there is room for, and then what the openings are
/// called: in the same line where there is room or the output is no terminal, else in a line below. Columns in `spare`
/// make way for the bar and for the names.
fn with_bars(
    header: &[&str],
    rows: &[Vec<String>],
    titles: &[String],
    spare: &[&str],
    results: impl Fn(usize) -> (u64, u64, u64),
) {
    for line in lines(header, rows, titles, spare, terminal::columns(), results) {
        println!("{line}");
    }
}

/// The lines of such a table on a terminal of so many columns, or in a file.
fn lines(
    header: &[&str],
    rows: &[Vec<String>],
    titles: &[String],
    spare: &[&str],
    columns: Option<usize>,
    results: impl Fn(usize) -> (u64, u64, u64),
) -> Vec<String> {
    let [least, most] = BAR;
    let names = titles.iter().map(|title| title.width()).max().unwrap_or(0);
    let width = columns.unwrap_or(terminal::PLAIN_WIDTH);
    let gap = table::GAP.len();
    let beside = |columns: usize| columns.saturating_sub(names + gap);
    let (narrow_header, narrow_rows) = table::fit(header, rows, spare, 0);
    let fits = table::width(&narrow_header, &narrow_rows) <= beside(width);
    let inline = names > 0 && (columns.is_none() || fits);
    let room = if inline && columns.is_some() { beside(width) } else { width };
    let (mut header, mut rows) = table::fit(header, rows, spare, room.saturating_sub(least + gap));
    let length = room.saturating_sub(table::width(&header, &rows) + gap).min(most);
    if length >= least {
        header.push("");
        for (at, row) in rows.iter_mut().enumerate() {
            let (first, draws, games) = results(at);
            row.push(bar(first, draws, games, length));
        }
    }
    if inline {
        header.push("opening");
        rows.iter_mut().zip(titles).for_each(|(row, title)| row.push(title.clone()));
    }
    let mut lines = table::lines(&header, &rows);
    if names > 0 && !inline {
        for (line, title) in lines.split_off(1).into_iter().zip(titles) {
            lines.push(line);
            if !title.is_empty() {
                lines.push(format!("    {title}"));
            }
        }
    }
    lines
}

fn label(row: &OpeningRow, line: &ShownLine) -> String {
    match setups(row).filter(|_| row.setup_first.is_some() && row.setup_second.is_some()) {
        Some(setups) => format!("{} ({setups})", line.last()),
        None => line.last().to_owned(),
    }
}

/// Results, and the score of the side to move with its interval.
fn outcome(row: &OpeningRow) -> [String; 5] {
    let part = |games: u64| percent(games as f64 / row.games as f64, 0);
    [
        part(row.first_wins),
        part(row.draws),
        part(row.first_losses),
        fixed(100.0 * row.score, 1),
        format!("{}–{}", fixed(100.0 * row.score_low, 0), fixed(100.0 * row.score_high, 0)),
    ]
}

/// Shares of the results as so many characters.
fn bar(first: u64, draws: u64, games: u64, length: usize) -> String {
    let characters = |part: u64| ((part * length as u64 * 2 + games) / (games * 2).max(1)) as usize;
    let (won, not_lost) = (characters(first), characters(first + draws));
    format!("{}{}{}", "█".repeat(won), "▒".repeat(not_lost - won), "░".repeat(length - not_lost))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_always_as_long() {
        for length in BAR {
            for (first, draws, games) in [(0, 0, 1), (1, 0, 1), (1, 1, 3), (5, 90, 1000), (999, 1, 1000)] {
                assert_eq!(bar(first, draws, games, length).chars().count(), length);
            }
        }
        assert_eq!(bar(2, 1, 4, 24), "████████████▒▒▒▒▒▒░░░░░░");
    }

    #[test]
    fn names_are_shown_at_every_width() {
        let header = ["move", ">games", ">share"];
        let rows = [["炮二平五", "12", "60 %"], ["俥九進一", "8", "40 %"]].map(|row| row.map(str::to_owned).to_vec());
        let titles = ["中炮 Central Cannon".to_owned(), String::new()];
        let at = |columns| lines(&header, &rows, &titles, &["share"], columns, |_| (1, 0, 2));
        assert_eq!(
            at(Some(60)),
            [
                "move      games  share                   opening",
                "炮二平五     12   60 %  ████████░░░░░░░  中炮 Central Cannon",
                "俥九進一      8   40 %  ████████░░░░░░░"
            ]
        );
        assert_eq!(at(Some(36))[1], "炮二平五     12  中炮 Central Cannon");
        assert_eq!(at(Some(30))[1..3], ["炮二平五     12   60 %  ███░░░", "    中炮 Central Cannon"]);
        let piped = at(None);
        assert!(piped[1].ends_with("░  中炮 Central Cannon") && piped.len() == 3, "{piped:?}");
    }

    #[test]
    fn a_row_of_the_explorer_reads_from_left_to_right() {
        let row = OpeningRow {
            ply: 1,
            moves: "c2c3".to_owned(),
            setup_first: None,
            setup_second: None,
            games: 40,
            share: 0.4,
            first_wins: 40,
            draws: 0,
            first_losses: 0,
            score: 1.0,
            score_low: 0.9,
            score_high: 1.0,
            position_games: None,
        };
        assert_eq!(outcome(&row), ["100 %", "0 %", "0 %", "100.0", "90–100"]);
    }
}
