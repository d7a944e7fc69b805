//! Formats of answers that are tables: one for people, the others for programs.

use crate::commands::data::rows;
use crate::failure::input;
use crate::out;
use anyhow::Result;
use clap::ValueEnum;
use data::{FigureColumn, Output, write_figures};
use serde_json::Value;
use std::path::Path;

/// A format of an answer.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Table,
    /// With a line of column names. What is missing is empty.
    Csv,
    /// An object in each line.
    Jsonl,
    /// For other programs.
    Parquet,
}

impl Format {
    /// Where an answer in this format goes; `None` for a table, which is printed.
    ///
    /// # Errors
    /// A table was to go into a file, or the file cannot be written.
    pub fn output(self, path: &Path) -> Result<Option<Output>> {
        match self {
            Format::Table if path != Path::new("-") => {
                Err(input("a file has the format csv, jsonl or parquet: add --to"))
            }
            Format::Table => Ok(None),
            _ => out::file_or_stream("--out", path, &[]).map(Some),
        }
    }

    /// Writes columns of equal length, each with its name.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn write(self, out: &Output, columns: Vec<(&str, FigureColumn)>) -> Result<()> {
        if self == Format::Parquet {
            let named: Vec<(String, FigureColumn)> =
                columns.into_iter().map(|(name, column)| (name.to_owned(), column)).collect();
            return Ok(write_figures(out, &named)?);
        }
        let names: Vec<&str> = columns.iter().map(|&(name, _)| name).collect();
        let rows = columns.first().map_or(0, |(_, column)| column.rows());
        let row = |row: usize| columns.iter().map(|(_, column)| column.value(row)).collect();
        self.write_text(out, &names, (0..rows).map(row))
    }

    /// Writes rows as CSV or JSON lines.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn write_text(self, out: &Output, names: &[&str], mut rows: impl Iterator<Item = Vec<Value>>) -> Result<()> {
        Ok(out.write(|file| {
            if self == Format::Jsonl {
                let line = |row: Vec<Value>| rows::json_line(&names.iter().zip(row).collect::<Vec<_>>());
                return rows.try_for_each(|row| file.write_all(line(row).as_bytes()));
            }
            let titles: Vec<Value> = names.iter().map(|&name| name.into()).collect();
            file.write_all(rows::csv_line(titles.iter()).as_bytes())?;
            rows.try_for_each(|row| file.write_all(rows::csv_line(row.iter()).as_bytes()))
        })?)
    }
}
