//! `kirin data head`: the first rows of a data folder.

use super::rows;
use clap::{Args, ValueEnum};
use data::DataStore;
use rules::{Variant, VariantId};
use std::path::PathBuf;

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
    rules::dispatch!(variant, V => run::<V>(arguments, &store))
}

fn run<V: Variant>(arguments: &Arguments, store: &DataStore) -> anyhow::Result<()> {
    let mut left = arguments.rows;
    for shard in store.shards(V::ID)? {
        if left == 0 {
            break;
        }
        match arguments.table {
            Table::Games => {
                for game in store.read_games::<V>(&shard)?.iter().take(left) {
                    print!("{}", rows::json(game));
                    left -= 1;
                }
            }
            Table::Positions => {
                for game in store.read_shard::<V>(&shard)? {
                    for position in game.positions.iter().take(left) {
                        let mut row = serde_json::to_value(position)?;
                        row["game_id"] = game.game_id.to_string().into();
                        println!("{row}");
                        left -= 1;
                    }
                }
            }
        }
    }
    Ok(())
}
