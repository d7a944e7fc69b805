//! `kirin query`: SQL over games and positions.

use super::data::{NamedStores, rows, stores};
use crate::format::Format;
use crate::table;
use clap::Args;
use report::number::{ABSENT, counted};
use serde_json::Value;
use std::path::PathBuf;

/// Rows that are printed as a table; the other formats have all.
const ROWS: usize = 1000;

/// Query the games and positions of runs, imports and matches in SQL.
///
/// The query is one `select` in the SQL of polars. There are two tables: `games`, with a row for each game, and `positions`,
/// with a row for each searched position; docs/reference/files.md explains the columns. Both have `folder` as well, the name given
/// here, and `variant`. A narrow terminal shows fewer columns; --to has all. A game is `game_id` within a run: where there are several runs, join by `folder` too.
#[derive(Args)]
pub struct Arguments {
    /// A run folder, a data folder, a match log (NAME.jsonl), or a folder with match logs.
    #[arg(required = true, value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// The query.
    #[arg(value_name = "SQL")]
    sql: String,
    /// The format of the result. A table has the first 1,000 rows, the others have all.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    to: Format,
    /// The file to write; `-` is standard output.
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// The query is wrong, the folders hold no games or are damaged, or the answer cannot be written.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let Arguments { folders, sql, to, out } = arguments;
    let file = to.output(out)?;
    let NamedStores { named, matches: _matches } = stores(folders)?;
    let named: Vec<_> = named.into_iter().map(|(folder, store)| (folder.display().to_string(), store)).collect();
    let answer = data::query(&named, None, sql)?;
    let names = answer.columns();
    let rows = (0..answer.rows()).map(|row| answer.row(row));
    match (to, file) {
        (Format::Parquet, Some(file)) => answer.write_parquet(&file)?,
        (to, Some(file)) => to.write_text(&file, &names, rows)?,
        (_, None) => print(&names, &rows.take(ROWS).collect::<Vec<_>>(), answer.rows()),
    }
    Ok(())
}

/// Prints the first rows of all as a table.
fn print(names: &[&str], first: &[Vec<Value>], all: usize) {
    let is_number = |at: usize| first.iter().any(|row| row[at].is_number());
    let mark = |(at, name): (usize, &&str)| format!("{}{name}", if is_number(at) { ">" } else { "" });
    let titles: Vec<String> = names.iter().enumerate().map(mark).collect();
    let cell = |value: &Value| if value.is_null() { ABSENT.to_owned() } else { rows::text(value) };
    let rows: Vec<Vec<String>> = first.iter().map(|row| row.iter().map(cell).collect()).collect();
    let spare: Vec<&str> = names.iter().copied().skip(1).rev().collect();
    table::print(&titles.iter().map(String::as_str).collect::<Vec<_>>(), &rows, &spare);
    if all > rows.len() {
        println!("{} more: add --to", counted((all - rows.len()) as u64, "row", "rows"));
    }
}
