//! Merging many small shards into few large ones.
//!
//! The merged shard is written whole, then the manifest is replaced by one that names it in the place of its parts, and
//! only then are the files of the parts removed. So the manifest names every game once at any moment. A kill leaves files
//! that it does not name, either the merged ones or the parts. The next opening for writing moves them to `orphans`, as
//! after any interrupted commit.

use std::collections::BTreeSet;
use std::path::PathBuf;

use rules::Variant;

use super::{DataStore, sorted};
use crate::durable;
use crate::error::{DataError, Result};
use crate::line_log::LineLog;
use crate::manifest::ShardEntry;
use crate::writer::Provenance;

/// What merging has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compaction {
    /// Shards before.
    pub shards_before: u64,
    /// Shards after.
    pub shards_after: u64,
    /// Games in all of them.
    pub games: u64,
    /// Bytes of the Parquet files before.
    pub bytes_before: u64,
    /// Bytes after.
    pub bytes_after: u64,
}

impl DataStore {
    /// Merges the shards of each generation of a variant into shards of at most `most_rows` rows of both tables together.
    /// A shard that has more by itself stays as it is, and so do the generations before `from`.
    ///
    /// The games stay the same, and within a merged shard they are in the order of their ids. When this returns, the change
    /// survives a kill and a power cut.
    ///
    /// # Errors
    /// The store is open for reading only; a shard cannot be read; two shards of a generation hold games of the same id;
    /// the files cannot be written. What was merged before stays merged, and no game is lost.
    pub fn compact<V: Variant>(&self, most_rows: u64, from: u32) -> Result<Compaction> {
        if self.lock.is_none() {
            return Err(DataError::ReadOnly { path: self.root.clone() });
        }
        let before = self.shards(V::ID)?;
        let merged = groups(&before, most_rows).into_iter().filter(|parts| parts[0].generation >= from);
        for parts in merged.filter(|parts| parts.len() > 1) {
            self.merge::<V>(parts)?;
        }
        let after = self.shards(V::ID)?;
        Ok(Compaction {
            shards_before: before.len() as u64,
            shards_after: after.len() as u64,
            games: after.iter().map(|shard| shard.games.rows).sum(),
            bytes_before: bytes(&before),
            bytes_after: bytes(&after),
        })
    }

    /// Replaces several shards of a generation with one.
    fn merge<V: Variant>(&self, parts: &[ShardEntry]) -> Result<()> {
        let (mut games, mut names) = (Vec::new(), Vec::new());
        let (mut digests, mut revisions) = (BTreeSet::new(), BTreeSet::new());
        for part in parts {
            games.extend(self.read_shard::<V>(part)?);
            let provenance = self.provenance(&part.games)?;
            digests.extend(provenance.config_digest.split(',').map(str::to_owned));
            revisions.extend(provenance.git_revision.split(',').map(str::to_owned));
            names.push(part.shard.clone());
            names.extend(part.parts.iter().cloned());
        }
        let joined =
            |set: BTreeSet<String>| set.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(",");
        let provenance = Provenance { config_digest: joined(digests), git_revision: joined(revisions) };
        let generation = parts[0].generation;
        // The name follows from the parts, so an interrupted merge is repeated in the same way.
        let digests: Vec<&str> = parts.iter().map(|part| part.games.blake3.as_str()).collect();
        let name = format!("merged-{}", &blake3::hash(digests.join(",").as_bytes()).to_hex()[..16]);
        let merged = ShardEntry {
            parts: names,
            ..self.write_shard(generation, &name, &sorted(generation, &games)?, &provenance)?
        };

        let mut entries = LineLog::<ShardEntry>::read(&self.manifest_path())?.entries;
        let first = entries.iter().position(|entry| parts.contains(entry));
        entries.insert(first.unwrap_or_default(), merged);
        entries.retain(|entry| !parts.contains(entry));
        LineLog::replace(&self.manifest_path(), &entries)?;
        self.remove(parts)
    }

    /// Removes the files of shards that the manifest no longer names.
    fn remove(&self, shards: &[ShardEntry]) -> Result<()> {
        let files = shards.iter().flat_map(|shard| [&shard.games.path, &shard.positions.path]);
        let paths: Vec<PathBuf> = files.map(|path| self.root.join(path)).collect();
        for path in &paths {
            durable::remove(path).map_err(DataError::io("remove", path))?;
        }
        let folders: BTreeSet<_> = paths.iter().filter_map(|path| path.parent()).collect();
        folders.into_iter().try_for_each(durable::sync_folder)
    }
}

/// Neighbouring shards of a generation, as many together as the limit of rows allows.
fn groups(shards: &[ShardEntry], most_rows: u64) -> Vec<&[ShardEntry]> {
    let mut groups = Vec::new();
    for mut left in shards.chunk_by(|a, b| a.generation == b.generation) {
        while !left.is_empty() {
            let mut rows = 0;
            let fits = left.iter().take_while(|shard| {
                rows += shard.games.rows + shard.positions.rows;
                rows <= most_rows
            });
            let (group, rest) = left.split_at(fits.count().max(1));
            groups.push(group);
            left = rest;
        }
    }
    groups
}

fn bytes(shards: &[ShardEntry]) -> u64 {
    shards.iter().map(|shard| shard.games.bytes + shard.positions.bytes).sum()
}
