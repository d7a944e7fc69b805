//! Section: the Parquet files of the run.

use super::facts::{Facts, FileSizes};
use super::number::{bytes, count, fixed};
use super::page::absent;
use maud::{Markup, html};

/// Rows and sizes by generation.
pub fn section(facts: &Facts) -> Markup {
    let files = match &facts.files {
        Ok(files) if !files.is_empty() => files,
        Ok(_) => return absent("No Parquet file is committed yet."),
        Err(problem) => return absent(problem),
    };
    html! {
        div.scroll {
            table {
                thead {
                    tr {
                        th.n { "Generation" } th.n { "Games" } th.n { "Games file" } th.n { "Positions" }
                        th.n { "Positions file" } th.n { "Bytes a position" }
                    }
                }
                tbody { @for file in files { (row(&file.generation.to_string(), file)) } }
                @if files.len() > 1 { tfoot { (row("all", &FileSizes::total(files))) } }
            }
        }
        p.note { "In data/, readable by DuckDB, polars and pandas without Kirin." }
    }
}

fn row(name: &str, file: &FileSizes) -> Markup {
    html! {
        tr {
            td.n { (name) }
            td.n { (count(file.games)) }
            td.n { (bytes(file.games_bytes)) }
            td.n { (count(file.positions)) }
            td.n { (bytes(file.positions_bytes)) }
            td.n { (each(file.positions_bytes, file.positions)) }
        }
    }
}

fn each(bytes: u64, rows: u64) -> String {
    if rows == 0 { super::number::ABSENT.to_owned() } else { fixed(bytes as f64 / rows as f64, 1) }
}
