//! `kirin openings`: an opening explorer over self-play games, in the terminal.

use crate::failure::input;
use crate::report::lines::{continuations, last_move, most_played, move_number, setups};
use crate::report::number::{count, fixed, percent, share};
use crate::table;
use anyhow::Context;
use clap::Args;
use data::{DataStore, OpeningQuery, OpeningRow, OpeningTable};
use rules::{Position, Rules, Variant, VariantId};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Show which openings were played, how often and with what success.
///
/// First the moves played in the start position (or after --moves): games that came by exactly these moves, games
/// that reached the resulting position by any moves, results seen by the first player, and the score of the player
/// who makes the move, in per cent with its 95 % interval, a draw counting one half. Then the most played lines.
#[derive(Args)]
pub struct Arguments {
    /// A run folder, or a data folder.
    folder: PathBuf,
    /// The variant; needed only where the folder holds several.
    #[arg(long, value_parser = super::variant)]
    variant: Option<VariantId>,
    /// Moves to play first, in UCI, separated by spaces.
    #[arg(long, default_value = "")]
    moves: String,
    /// Plies of the lines, counted from the position shown.
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=200))]
    depth: u32,
    /// Count games of this generation and later ones only.
    #[arg(long, default_value_t = 0)]
    from_generation: u32,
    /// Leave out lines with fewer games.
    #[arg(long, default_value_t = 1)]
    min_games: u64,
    /// Rows of the table of lines; all moves of the position are listed in any case.
    #[arg(long, default_value_t = 24)]
    limit: usize,
    /// Write the lines of exactly --depth plies that at least --min-games games were played by to this file, the most
    /// played first: a book for `kirin eval match --openings book:FILE` and for other programs.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["moves", "from_generation", "json"])]
    book: Option<PathBuf>,
    /// Of the book: moves (`startpos moves …` in UCI) or epd (the positions after them).
    #[arg(long, default_value = "moves", value_parser = ["moves", "epd"], requires = "book", value_name = "FORMAT")]
    book_format: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let store = DataStore::open_read_only(&data_folder(&arguments.folder)?)?;
    let variant = match arguments.variant {
        Some(variant) => variant,
        None => only_variant(&store)?,
    };
    match &arguments.book {
        Some(file) => rules::dispatch!(variant, V => write_book::<V>(arguments, store.root(), file)),
        None => rules::dispatch!(variant, V => run::<V>(arguments, &store)),
    }
}

/// Writes the most played lines as a book.
fn write_book<V: Variant>(arguments: &Arguments, folder: &Path, file: &Path) -> anyhow::Result<()> {
    let lines = eval::openings::lines::<V>(folder, Rules::default(), arguments.depth, arguments.min_games.max(1))?;
    let text: String = lines
        .iter()
        .map(|(opening, games)| match arguments.book_format.as_str() {
            "epd" => opening.epd(&format!("{games} games: {}", opening.line())) + "\n",
            _ => opening.line() + "\n",
        })
        .collect();
    data::durable::write_atomically(file, |out| out.write_all(text.as_bytes()))?;
    println!("{} openings of {} plies: {}", lines.len(), arguments.depth, file.display());
    Ok(())
}

/// The data of a run, or the folder itself.
fn data_folder(folder: &Path) -> anyhow::Result<PathBuf> {
    DataStore::folder_of(folder).ok_or_else(|| {
        input(format!("{} holds no games: it has neither data/{1} nor {1}", folder.display(), data::MANIFEST))
    })
}

fn only_variant(store: &DataStore) -> anyhow::Result<VariantId> {
    let mut names: Vec<String> = store.all_shards()?.into_iter().map(|shard| shard.variant).collect();
    names.dedup();
    match names.as_slice() {
        [name] => name.parse().with_context(|| format!("games in {}", store.root().display())),
        [] => Err(input(format!("{} holds no games yet", store.root().display()))),
        several => {
            let known = several.join(", ");
            Err(input(format!("{} holds games of {known}; choose one with --variant", store.root().display())))
        }
    }
}

fn run<V: Variant>(arguments: &Arguments, store: &DataStore) -> anyhow::Result<()> {
    let after = line::<V>(&arguments.moves)?;
    let plies = after.split_whitespace().count() as u32;
    let query = OpeningQuery {
        depth: plies + arguments.depth,
        min_games: arguments.min_games.max(1),
        generations: arguments.from_generation..=u32::MAX,
        ..OpeningQuery::new(V::ID)
    };
    let table = store.openings(&query)?;
    if arguments.json {
        let here = table.rows.iter().find(|row| row.moves == after);
        let value = serde_json::json!({
            "variant": V::ID,
            "moves": after,
            "games": if after.is_empty() { table.games } else { here.map_or(0, |row| row.games) },
            "other_starts": table.other_starts,
            "continuations": continuations(&table, &after),
            "lines": most_played(&table, &after, arguments.limit),
        });
        println!("{value}");
        return Ok(());
    }
    head::<V>(&table, &after, arguments);
    print(&table, &after, usize::MAX, arguments.limit);
    Ok(())
}

/// Prints what was played after a line: its continuations (at most so many), then the most played lines.
pub fn print(table: &OpeningTable, after: &str, most_moves: usize, most_lines: usize) {
    let moves = continuations(table, after);
    if moves.is_empty() {
        println!("No game goes on from here.");
        return;
    }
    explorer(&moves, most_moves);
    println!("\nMost played lines");
    tree(&most_played(table, after, most_lines), after.split_whitespace().count() as u32);
}

/// The moves, checked and separated by one space.
fn line<V: Variant>(moves: &str) -> anyhow::Result<String> {
    let mut position = Position::<V>::start();
    let mut texts = Vec::new();
    for text in moves.split_whitespace() {
        let mv = position.parse_move(text).with_context(|| format!("--moves, move {}", texts.len() + 1))?;
        position.play(mv);
        texts.push(text);
    }
    Ok(texts.join(" "))
}

fn head<V: Variant>(table: &OpeningTable, after: &str, arguments: &Arguments) {
    let since = match arguments.from_generation {
        0 => String::new(),
        generation => format!(" of generation {generation} and later"),
    };
    println!("{}: {} games from the start position{since}", V::TITLE, count(table.games));
    if table.other_starts > 0 {
        println!("{} games that began from other positions are not counted", count(table.other_starts));
    }
    if after.is_empty() {
        println!();
        return;
    }
    let mut position = Position::<V>::start();
    for text in after.split_whitespace() {
        if let Ok(mv) = position.parse_move(text) {
            position.play(mv);
        }
    }
    let games: u64 = table.rows.iter().filter(|row| row.moves == after).map(|row| row.games).sum();
    println!("after {after}: {} games\n\n{}", count(games), position.draw());
}

fn explorer(moves: &[&OpeningRow], most: usize) {
    let all: u64 = moves.iter().map(|row| row.games).sum();
    let rows: Vec<Vec<String>> = moves
        .iter()
        .take(most)
        .map(|row| {
            let mut cells = vec![
                label(row),
                count(row.games),
                row.position_games.map_or_else(|| "–".to_owned(), count),
                share(row.games, all),
            ];
            cells.extend(outcome(row));
            cells
        })
        .collect();
    table::print(
        &[
            "move",
            ">games",
            ">reaching",
            ">share",
            ">first",
            ">drawn",
            ">second",
            ">score",
            "95 %",
            "first █ drawn ▒ second ░",
        ],
        &rows,
    );
    if moves.len() > most {
        println!("and {} more moves", moves.len() - most);
    }
}

fn tree(lines: &[&OpeningRow], plies: u32) {
    let rows: Vec<Vec<String>> = lines
        .iter()
        .map(|row| {
            let indent = "  ".repeat((row.ply - plies - 1) as usize);
            let mut cells = vec![format!("{indent}{} {}", move_number(row.ply), label(row)), count(row.games)];
            cells.extend(outcome(row));
            cells
        })
        .collect();
    table::print(
        &["line", ">games", ">first", ">drawn", ">second", ">score", "95 %", "first █ drawn ▒ second ░"],
        &rows,
    );
}

fn label(row: &OpeningRow) -> String {
    match setups(row) {
        Some(setups) => format!("{} ({setups})", last_move(row)),
        None => last_move(row).to_owned(),
    }
}

/// Results, score of the mover with its interval, and a bar.
fn outcome(row: &OpeningRow) -> [String; 6] {
    [
        percent(row.first_wins as f64 / row.games as f64, 0),
        percent(row.draws as f64 / row.games as f64, 0),
        percent(row.first_losses as f64 / row.games as f64, 0),
        fixed(100.0 * row.score, 1),
        format!("{}–{}", fixed(100.0 * row.score_low, 0), fixed(100.0 * row.score_high, 0)),
        bar(row.first_wins, row.draws, row.games),
    ]
}

/// Characters of a bar.
const BAR: u64 = 24;

/// Shares of the results as characters.
fn bar(first: u64, draws: u64, games: u64) -> String {
    let cells = |part: u64| ((part * BAR * 2 + games) / (games * 2).max(1)) as usize;
    let (white, grey) = (cells(first), cells(first + draws));
    format!("{}{}{}", "█".repeat(white), "▒".repeat(grey - white), "░".repeat(BAR as usize - grey))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Wangqi;

    #[test]
    fn a_folder_without_games_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = data_folder(folder.path()).unwrap_err().to_string();
        assert!(error.contains(&folder.path().display().to_string()) && error.contains("no games"), "{error}");
    }

    #[test]
    fn bars_are_always_as_wide() {
        for (first, draws, games) in [(0, 0, 1), (1, 0, 1), (1, 1, 3), (5, 90, 1000), (999, 1, 1000)] {
            assert_eq!(bar(first, draws, games).chars().count() as u64, BAR);
        }
        assert_eq!(bar(2, 1, 4), "████████████▒▒▒▒▒▒░░░░░░");
    }

    #[test]
    fn a_wrong_move_is_named_with_its_place() {
        let first = Position::<Wangqi>::start().perft_divide(1)[0].0;
        let text = Position::<Wangqi>::start().format_move(first);
        assert_eq!(line::<Wangqi>(&format!("  {text} ")).unwrap(), text);
        let error = format!("{:#}", line::<Wangqi>(&format!("{text} {text}")).unwrap_err());
        assert!(error.starts_with("--moves, move 2: "), "{error}");
    }

    #[test]
    fn a_row_of_the_explorer_reads_from_left_to_right() {
        let table = crate::report::lines::tests::table(&[("c2c3", 40)]);
        assert_eq!(outcome(&table.rows[0])[..5], ["100 %", "0 %", "0 %", "100.0", "90–100"]);
    }
}
