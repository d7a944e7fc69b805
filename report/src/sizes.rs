//! Section: the Parquet files of the run.

use super::pieces::absent;
use crate::number::{ABSENT, bytes, count, fixed};
use data::ShardEntry;
use maud::{Markup, html};

/// Parquet files of a generation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSizes {
    /// The generation.
    pub generation: u32,
    /// Rows of the games files.
    pub games: u64,
    /// Size of the games files, bytes.
    pub games_bytes: u64,
    /// Rows of the positions files.
    pub positions: u64,
    /// Size of the positions files, bytes.
    pub positions_bytes: u64,
}

impl FileSizes {
    /// The sums by generation of shards, which come in that order.
    pub fn of(shards: &[ShardEntry]) -> Vec<FileSizes> {
        let mut sums: Vec<FileSizes> = Vec::new();
        for shard in shards {
            if sums.last().is_none_or(|last| last.generation != shard.generation) {
                sums.push(FileSizes { generation: shard.generation, ..FileSizes::default() });
            }
            if let Some(sum) = sums.last_mut() {
                sum.games += shard.games.rows;
                sum.games_bytes += shard.games.bytes;
                sum.positions += shard.positions.rows;
                sum.positions_bytes += shard.positions.bytes;
            }
        }
        sums
    }

    /// The sum over generations.
    pub fn total(files: &[FileSizes]) -> FileSizes {
        files.iter().fold(FileSizes::default(), |sum, file| FileSizes {
            generation: file.generation,
            games: sum.games + file.games,
            games_bytes: sum.games_bytes + file.games_bytes,
            positions: sum.positions + file.positions,
            positions_bytes: sum.positions_bytes + file.positions_bytes,
        })
    }
}

/// Rows and sizes by generation.
pub fn section(files: &Result<Vec<FileSizes>, String>) -> Markup {
    let files = match files {
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
    if rows == 0 { ABSENT.to_owned() } else { fixed(bytes as f64 / rows as f64, 1) }
}
