//! `kirin query`: SQL over games and positions.

use super::data::stores;
use crate::{out, table};
use clap::{Args, ValueEnum};
use data::AnswerFormat;
use report::number::{ABSENT, counted};
use std::path::{Path, PathBuf};

/// Rows that are printed as a table; the other formats have all.
const ROWS: usize = 1000;

/// Ask the games and positions of runs, imports and matches in SQL.
///
/// The query is one `select` in the SQL of polars. There are two tables: `games`, with a row for each game, and `positions`,
/// with a row for each searched position; data/README.md explains the columns. Both have `folder` as well, the name given
/// here, and `variant`. A game is `game_id` within a run: where there are several runs, join by `folder` too.
///
/// For example: kirin query runs/one "select result, count(*) as games from games group by result"
#[derive(Args)]
pub struct Arguments {
    /// A run folder, a data folder, or a folder with logs of matches.
    #[arg(required = true, value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// The query.
    #[arg(value_name = "SQL")]
    sql: String,
    /// The format of the answer.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    to: Format,
    /// The file to write; `-` is standard output.
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: PathBuf,
}

/// A format of an answer.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people; the first 1,000 rows.
    Table,
    /// With a line of column names. What is missing is empty.
    Csv,
    /// An object in each line.
    Jsonl,
    /// For other programs.
    Parquet,
}

/// Runs the command.
///
/// # Errors
/// The query is wrong, the folders hold no games or are damaged, or the answer cannot be written.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let Arguments { folders, sql, to, out } = arguments;
    let format = match to {
        Format::Table => None,
        Format::Csv => Some(AnswerFormat::Csv),
        Format::Jsonl => Some(AnswerFormat::JsonLines),
        Format::Parquet => Some(AnswerFormat::Parquet),
    };
    if format.is_none() && out != Path::new("-") {
        return Err(crate::failure::input("a file has the format csv, jsonl or parquet: add --to"));
    }
    let file = format.map(|_| out::file_or_stream("--out", out, &[])).transpose()?;
    let (stores, _matches) = stores(folders)?;
    let named: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).zip(stores).collect();
    let answer = data::query(&named, sql)?;
    if let Some((file, format)) = file.zip(format) {
        return Ok(answer.write(&file, format)?);
    }
    let columns = answer.columns();
    let titles: Vec<String> =
        columns.iter().map(|(title, is_number)| format!("{}{title}", if *is_number { ">" } else { "" })).collect();
    let text = |cell: Option<String>| cell.unwrap_or_else(|| ABSENT.to_owned());
    let rows: Vec<Vec<String>> =
        answer.texts(ROWS).into_iter().map(|row| row.into_iter().map(text).collect()).collect();
    table::print(&titles.iter().map(String::as_str).collect::<Vec<_>>(), &rows, &[]);
    let more = answer.rows() - rows.len();
    if more > 0 {
        println!("{} more; --to csv, jsonl or parquet has all", counted(more as u64, "row", "rows"));
    }
    Ok(())
}
