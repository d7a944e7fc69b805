//! `kirin openings`: an opening explorer over self-play games, in the terminal.

use super::data::{
    FilterArguments, FolderArguments, OpenFolders, doubled_line, filter_json, left_out_lines, none_left,
};
use crate::{out, table, terminal};
use anyhow::Context;
use clap::Args;
use data::{GameFilter, OpeningQuery, OpeningRow, OpeningTable};
use eval::openings::OpeningNames;
use report::lines::{
    continuations, counted_games, last_move, lines_after, most_played, move_number, opening_names, opening_title,
    setups,
};
use report::number::{ABSENT, count, counted, fixed, percent, share};
use rules::{Position, Rules, Variant};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Show which openings were played, how often and with what success.
///
/// The first table lists the moves that were played in the start position, or in the position after --moves. Its column
/// "games" counts the games that arrived by exactly these moves, and "reaching" those that arrived by any moves. Games that
/// begin with random moves, near the end of an earlier game or from another position do not show which moves players choose
/// at the start, so only "reaching" counts them, from their first searched position on. Then follow the shares of games that
/// the first player won, that were drawn and that the second player won. The score is that of the player who makes the move,
/// in per cent with its 95 % interval; a draw counts one half.
///
/// The second table shows the most played lines as a tree. On a wide terminal both tables name the openings of the players,
/// in the native language and in English.
///
/// A narrow terminal shows fewer columns; --json gives all figures.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    folders: FolderArguments,
    /// Moves to play first, in UCI and separated by spaces.
    #[arg(long, default_value = "", hide_default_value = true)]
    moves: String,
    /// Length of the lines in plies, counted from the position shown.
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=200))]
    depth: u32,
    /// Leave out lines that were played in fewer games.
    #[arg(long, default_value_t = 1)]
    min_games: u64,
    /// Rows of the table of lines. The moves of the position are all listed in any case.
    #[arg(long, default_value_t = 24)]
    limit: usize,
    /// Write a book to this file: the lines of exactly --depth plies that were played in at least --min-games games, the
    /// most played first. `kirin eval match --openings book:FILE` reads it, and so do other programs.
    #[arg(long, value_name = "FILE", conflicts_with_all = BOOK_HAS_NO)]
    book: Option<PathBuf>,
    /// The format of a line of the book: moves (`startpos moves …` in UCI) or epd (the position after them).
    #[arg(long, default_value = "moves", value_parser = ["moves", "epd"], requires = "book", value_name = "FORMAT")]
    book_format: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    games: FilterArguments,
}

/// Options that a book does not have: it is made from all games.
const BOOK_HAS_NO: [&str; 11] = [
    "moves",
    "json",
    "from_generation",
    "to_generation",
    "ruleset",
    "source",
    "network",
    "player",
    "result",
    "min_plies",
    "max_plies",
];

/// Runs the command.
///
/// # Errors
/// The folders cannot be read or are damaged, a condition or a move is wrong, the filter leaves no game, or the book
/// cannot be made or written.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let open = arguments.folders.open()?;
    match &arguments.book {
        Some(file) => rules::dispatch!(open.variant, V => write_book::<V>(arguments, &open, file)),
        None => rules::dispatch!(open.variant, V => run::<V>(arguments, &open)),
    }
}

/// Writes the most played lines as a book.
fn write_book<V: Variant>(arguments: &Arguments, open: &OpenFolders, file: &Path) -> anyhow::Result<()> {
    let out = out::file_or_stream("--book", file, &[])?;
    let (plies, games) = (arguments.depth, arguments.min_games.max(1));
    let lines = eval::openings::lines_in::<V>(&open.folders, &open.name, Rules::default(), plies, games)
        .with_context(|| format!("no book with --depth {plies} and --min-games {games}"))?;
    let text: String = lines
        .iter()
        .map(|(opening, games)| match arguments.book_format.as_str() {
            "epd" => opening.epd(&format!("{games} games: {}", opening.line())) + "\n",
            _ => opening.line() + "\n",
        })
        .collect();
    out.write(|out| out.write_all(text.as_bytes()))?;
    let openings = counted(lines.len() as u64, "opening", "openings");
    println!("{openings} of {}: {}", counted(plies.into(), "ply", "plies"), file.display());
    Ok(())
}

fn run<V: Variant>(arguments: &Arguments, open: &OpenFolders) -> anyhow::Result<()> {
    let (after, position) = line::<V>(&arguments.moves)?;
    let plies = after.split_whitespace().count() as u32;
    let query = OpeningQuery {
        depth: plies + arguments.depth,
        min_games: arguments.min_games.max(1),
        filter: arguments.games.filter::<V>()?,
        ..OpeningQuery::new(V::ID)
    };
    let table = open.folders.openings(&query)?;
    if table.games + table.other_starts == 0 && query.filter.criteria().next().is_some() {
        return Err(none_left::<V>(open, &query.filter)?);
    }
    let lines = most_played(&table, &after, arguments.limit);
    let lines_left_out = lines_after(&table, &after).count() - lines.len();
    if arguments.json {
        // With setups a line may have several rows.
        let here = table.rows.iter().filter(|row| row.moves == after).map(|row| row.games).sum::<u64>();
        let value = serde_json::json!({
            "variant": V::ID,
            "moves": after,
            "games": if after.is_empty() { table.games } else { here },
            "other_starts": table.other_starts,
            "unchosen": table.unchosen,
            "doubled": table.doubled,
            "filter": filter_json(&query.filter, &table.excluded),
            "depth": query.depth,
            "min_games": query.min_games,
            "rare_lines": table.rare_lines,
            "lines_left_out": lines_left_out,
            "continuations": named::<V>(continuations(&table, &after)),
            "lines": named::<V>(lines),
        });
        println!("{value}");
        return Ok(());
    }
    head(&table, &after, &position, &query.filter);
    print::<V>(&table, &after, usize::MAX, &lines);
    if lines_left_out > 0 {
        println!("and {} (--limit)", counted(lines_left_out as u64, "more line", "more lines"));
    }
    if table.rare_lines > 0 {
        println!(
            "and {} of fewer than {} games each, with what continues them (--min-games)",
            counted(table.rare_lines, "line", "lines"),
            count(query.min_games)
        );
    }
    Ok(())
}

/// A row in JSON, with the names of the first and of the second player's opening.
#[derive(Serialize)]
struct NamedRow<'a> {
    #[serde(flatten)]
    row: &'a OpeningRow,
    names: [Option<&'static OpeningNames>; 2],
}

fn named<V: Variant>(rows: Vec<&OpeningRow>) -> Vec<NamedRow<'_>> {
    rows.into_iter().map(|row| NamedRow { row, names: opening_names::<V>(row).unwrap_or_default() }).collect()
}

/// Prints what was played after a line: its continuations (at most `most_moves`), then `lines`, the most played ones.
pub fn print<V: Variant>(table: &OpeningTable, after: &str, most_moves: usize, lines: &[&OpeningRow]) {
    let moves = continuations(table, after);
    if moves.is_empty() {
        println!("No game continues from here.");
        return;
    }
    explorer::<V>(&moves, most_moves);
    println!("\nMost played lines");
    tree::<V>(lines, after.split_whitespace().count() as u32);
}

/// The moves, checked and separated by one space, and the position after them: from the first start position in which all
/// of them are legal.
fn line<V: Variant>(moves: &str) -> anyhow::Result<(String, Position<V>)> {
    let after = |mut position: Position<V>| {
        for (at, text) in moves.split_whitespace().enumerate() {
            let mv = position.parse_move(text).with_context(|| format!("--moves, move {}", at + 1))?;
            position.play(mv);
        }
        Ok(position)
    };
    let of_start = after(Position::start());
    let position = of_start.or_else(|error: anyhow::Error| {
        let names = || V::SETUPS.iter().map(|setup| setup.name);
        let chosen = names().flat_map(|first| names().map(move |second| [first, second]));
        chosen.filter_map(|setups| Position::start_with(setups).ok()).find_map(|start| after(start).ok()).ok_or(error)
    })?;
    Ok((moves.split_whitespace().collect::<Vec<_>>().join(" "), position))
}

fn head<V: Variant>(table: &OpeningTable, after: &str, position: &Position<V>, filter: &GameFilter) {
    let lines = counted_games(table, "column \"reaching\"");
    println!("{}: {}", V::TITLE, lines[0]);
    lines[1..].iter().for_each(|line| println!("{line}"));
    left_out_lines(filter, &table.excluded).iter().for_each(|line| println!("{line}"));
    doubled_line(table.doubled).iter().for_each(|line| println!("{line}"));
    if after.is_empty() {
        println!();
        return;
    }
    let games: u64 = table.rows.iter().filter(|row| row.moves == after).map(|row| row.games).sum();
    println!("after {after}: {}\n\n{}", counted(games, "game", "games"), position.draw());
}

/// The last columns of both tables; the bar comes after them.
const OUTCOME: [&str; 5] = [">first█", ">drawn▒", ">second░", ">score", "95 %"];

fn explorer<V: Variant>(moves: &[&OpeningRow], most: usize) {
    let all: u64 = moves.iter().map(|row| row.games).sum();
    let shown = &moves[..moves.len().min(most)];
    let header: Vec<&str> = ["move", ">games", ">reaching", ">share"].into_iter().chain(OUTCOME).collect();
    let row = |row: &&OpeningRow| {
        let reaching = row.position_games.map_or_else(|| ABSENT.to_owned(), count);
        [label(row), count(row.games), reaching, share(row.games, all)].into_iter().chain(outcome(row)).collect()
    };
    let rows: Vec<Vec<String>> = shown.iter().map(row).collect();
    // Games are known to have reached a position only if somebody searched it or the one after it. After moves that were
    // played at random that is rarely so, and a column of dashes tells nothing.
    let known = shown.iter().filter(|row| row.position_games.is_some()).count();
    let (header, rows) = match 2 * known < shown.len() {
        true => table::fit(&header, &rows, &["reaching"], 0),
        false => (header, rows),
    };
    print_with_bars::<V>(&header, &rows, shown, &["reaching", "share"]);
    if moves.len() > most {
        println!("and {}", counted((moves.len() - most) as u64, "more move", "more moves"));
    }
}

fn tree<V: Variant>(lines: &[&OpeningRow], plies: u32) {
    let header: Vec<&str> = ["line", ">games"].into_iter().chain(OUTCOME).collect();
    let row = |row: &&OpeningRow| {
        // A line is listed below the one that it continues, whose setups it shares.
        let deeper = (row.ply - plies - 1) as usize;
        let name = if deeper == 0 { label(row) } else { last_move(row).to_owned() };
        let line = format!("{}{} {name}", "  ".repeat(deeper), move_number(row.ply));
        [line, count(row.games)].into_iter().chain(outcome(row)).collect()
    };
    print_with_bars::<V>(&header, &lines.iter().map(row).collect::<Vec<_>>(), lines, &[]);
}

/// Title of the column of names.
const NAME: &str = "opening";
/// Fewest and most characters of a bar.
const BAR: [usize; 2] = [6, 24];

/// Prints a table with a bar at the end of each row, as long as the terminal has room for, and behind it what the openings
/// are called. Columns in `spare` make way for the bar, and so do the names.
fn print_with_bars<V: Variant>(header: &[&str], rows: &[Vec<String>], lines: &[&OpeningRow], spare: &[&str]) {
    let [least, most] = BAR;
    let titles: Vec<Option<String>> = lines.iter().map(|row| opening_title::<V>(row)).collect();
    let (mut header, mut rows) = (header.to_vec(), rows.to_vec());
    if titles.iter().any(Option::is_some) {
        header.push(NAME);
        rows.iter_mut().zip(titles).for_each(|(row, title)| row.push(title.unwrap_or_default()));
    }
    let spare: Vec<&str> = [NAME].into_iter().chain(spare.iter().copied()).collect();
    let room = terminal::width().saturating_sub(table::GAP.len());
    let (mut header, mut rows) = table::fit(&header, &rows, &spare, room.saturating_sub(least));
    let length = room.saturating_sub(table::width(&header, &rows)).min(most);
    if length >= least {
        header.push("");
        for (row, line) in rows.iter_mut().zip(lines) {
            row.push(bar(line.first_wins, line.draws, line.games, length));
        }
    }
    table::print(&header, &rows, &[]);
}

fn label(row: &OpeningRow) -> String {
    match setups(row) {
        Some(setups) => format!("{} ({setups})", last_move(row)),
        None => last_move(row).to_owned(),
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
    use rules::{Janggi, Wangqi};

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
    fn a_wrong_move_is_named_with_its_place() {
        let first = Position::<Wangqi>::start().perft_divide(1)[0].0;
        let text = Position::<Wangqi>::start().format_move(first);
        assert_eq!(line::<Wangqi>(&format!("  {text} ")).unwrap().0, text);
        let error = format!("{:#}", line::<Wangqi>(&format!("{text} {text}")).unwrap_err());
        assert!(error.starts_with("--moves, move 2: "), "{error}");
    }

    #[test]
    fn a_move_that_only_other_set_ups_allow_is_no_mistake() {
        // The elephant stands on b1 only in setups other than the first.
        let moves = "b1d4 b10c8";
        assert!(Position::<Janggi>::start().parse_move("b1d4").is_err());
        let (text, position) = line::<Janggi>(moves).unwrap();
        assert_eq!((text.as_str(), position.fen().contains(" w - - ")), (moves, true));
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
