//! Which shards exist: `manifest.jsonl`, one line a committed shard.

use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use crate::line_log::LogEntry;

/// Name of the manifest in the data folder.
pub const MANIFEST: &str = "manifest.jsonl";

/// A committed shard: the games of one generation, or of one worker in it, as a pair of files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardEntry {
    /// Variant id.
    pub variant: String,
    /// Generation.
    pub generation: u32,
    /// Name of the shard, unique in its variant and generation.
    pub shard: String,
    /// Schema version of both files.
    pub schema_version: u32,
    /// The games table.
    pub games: FileEntry,
    /// The positions table.
    pub positions: FileEntry,
    /// Names of the shards that were merged into this one; none for a shard that was written as it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
}

impl ShardEntry {
    /// Whether its files are in the folder of its variant. An entry elsewhere would be ignored silently.
    pub(crate) fn is_at_home(&self) -> bool {
        let home = format!("variant={}", self.variant);
        [&self.games, &self.positions].iter().all(|file| file.path.split('/').nth(1) == Some(home.as_str()))
    }

    /// Whether it is the shard of this name, or that shard was merged into it.
    pub fn holds(&self, name: &str) -> bool {
        self.shard == name || self.parts.iter().any(|part| part == name)
    }
}

/// One file of a shard, as it was when written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Relative to the data folder, with '/' between the parts.
    pub path: String,
    /// Rows of the table.
    pub rows: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// BLAKE3 of the contents, 64 hex digits.
    pub blake3: String,
}

impl FileEntry {
    /// Whether the path stays inside the data folder: names of folders and a name, nothing else.
    pub(crate) fn is_inside(&self) -> bool {
        let path = Path::new(&self.path);
        !self.path.is_empty() && path.components().all(|part| matches!(part, Component::Normal(_)))
    }
}

impl LogEntry for ShardEntry {
    const TAG: &'static str = "shard";
}
