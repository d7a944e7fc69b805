//! `kirin data head`: the first rows of a data folder.

use super::rows;
use crate::format::Format;
use clap::{Args, ValueEnum};
use data::{DataStore, Output};
use rules::{Variant, VariantId};
use std::path::{Path, PathBuf};

/// Print the first rows of a data folder, a JSON object in each line.
///
/// The columns are explained in docs/reference/files.md.
#[derive(Args)]
pub struct Arguments {
    /// A run folder or a data folder.
    folder: PathBuf,
    /// The variant; needed only if the folder holds games of several.
    #[arg(long, value_parser = crate::commands::variants())]
    variant: Option<VariantId>,
    /// How many rows.
    #[arg(long, default_value_t = 10)]
    rows: usize,
    /// The table.
    #[arg(long, value_enum, default_value_t = Table::Games)]
    table: Table,
}

/// A table of a data folder.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Table {
    /// One row a game.
    Games,
    /// One row a searched position.
    Positions,
}

/// Runs the command.
///
/// # Errors
/// The folder cannot be read, or its games are damaged.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let (store, variant) = super::open(&arguments.folder, arguments.variant)?;
    match arguments.table {
        Table::Games => rules::dispatch!(variant, V => games::<V>(arguments.rows, &store)),
        Table::Positions => positions(arguments.rows, store, variant),
    }
}

/// Prints the first positions, with the columns of their files.
fn positions(rows: usize, store: DataStore, variant: VariantId) -> anyhow::Result<()> {
    let folder = store.root().display().to_string();
    // Without a condition, so that no more is read than the first shards.
    let sql = format!("select * exclude (folder, variant) from positions limit {rows}");
    let answer = data::query(&[(folder, store)], Some(variant), &sql)?;
    let out = Output::new(Path::new("-"))?;
    Format::Jsonl.write_text(&out, &answer.columns(), (0..answer.rows()).map(|row| answer.row(row)))
}

/// Prints the first games.
fn games<V: Variant>(mut left: usize, store: &DataStore) -> anyhow::Result<()> {
    for shard in store.shards(V::ID)? {
        if left == 0 {
            break;
        }
        for game in store.read_games::<V>(&shard)?.iter().take(left) {
            print!("{}", rows::json(game));
            left -= 1;
        }
    }
    Ok(())
}
