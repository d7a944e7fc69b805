//! `kirin data compact`: few large files instead of many small ones.

use super::folder::data_folder;
use anyhow::Context;
use clap::Args;
use data::{Compaction, DataStore};
use lab::RunFolder;
use report::number::{bytes, count, counted};
use rules::VariantId;
use std::path::{Path, PathBuf};

/// Merge the files of a data folder into few large ones.
///
/// Many imports, or many workers, leave many small files, which are slow to read. The games stay the same: within a
/// generation files are merged, and their games are put into the order of their ids. A kill at any moment loses nothing.
///
/// Kirin's commands follow the manifest, which names each game once at any moment. A program that reads all files of the
/// folder may meet games twice until the command has ended. A folder that another process writes to is refused.
///
/// In a run that began from another one, the other's games stay as they are: the order of their files tells training which
/// are the newest.
#[derive(Args)]
pub struct Arguments {
    /// A run folder or a data folder.
    folder: PathBuf,
    /// Rows of both tables that a merged shard has at most. Merging keeps this many rows in memory.
    #[arg(long, default_value_t = 500_000, value_parser = clap::value_parser!(u64).range(1..))]
    rows: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// The folder has no data, another process works in it, its games are damaged, or a file cannot be written.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let folder = data_folder(&arguments.folder)?;
    // A run has its data folder open only while it writes there; its own lock says that it is in progress.
    let real = folder.canonicalize().with_context(|| format!("cannot find {}", folder.display()))?;
    let run = RunFolder::owner_of(&real);
    let _lock = run.map(|run| RunFolder::new(run).lock()).transpose()?;
    // Generation 0 of a run has the games of the run that it began from, a shard for each of their generations.
    let from = if run.is_some() { 1 } else { 0 };
    let (store, _) = DataStore::open(&folder)?;
    let mut variants: Vec<String> = store.all_shards()?.into_iter().map(|shard| shard.variant).collect();
    variants.dedup();
    let mut done = Vec::new();
    for name in variants {
        let variant: VariantId = name.parse().with_context(|| format!("games in {}", folder.display()))?;
        done.push((variant, rules::dispatch!(variant, V => store.compact::<V>(arguments.rows, from))?));
    }
    print(&folder, &done, arguments.json);
    Ok(())
}

fn print(folder: &Path, done: &[(VariantId, Compaction)], as_json: bool) {
    for (variant, Compaction { shards_before, shards_after, games, bytes_before, bytes_after }) in done {
        if as_json {
            let value = serde_json::json!({
                "folder": folder.display().to_string(),
                "variant": variant.id(),
                "games": games,
                "shards_before": shards_before,
                "shards_after": shards_after,
                "bytes_before": bytes_before,
                "bytes_after": bytes_after,
            });
            println!("{value}");
            continue;
        }
        println!(
            "{variant}: {} in {} instead of {}, {} instead of {}",
            counted(*games, "game", "games"),
            counted(*shards_after, "shard", "shards"),
            count(*shards_before),
            bytes(*bytes_after),
            bytes(*bytes_before)
        );
    }
}
