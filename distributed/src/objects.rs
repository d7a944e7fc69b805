//! The objects of a run in the store: their names, and the contents of the small ones.
//!
//! ```text
//! run.json                               the run: name, version, settings
//! workers/00003                          worker 3 has begun
//! shards/00003/00000017                  its 17th shard, counted from 0 (data::ShardBundle)
//! slots/00003/00000018                   its unfinished games, if it left before shard 18
//! slots/00003/00000018-0001              these, if it left again before shard 18
//! generations/00000012.json              what made network 12
//! longer/00000012                        the run continues after generation 12, which was to be its last
//! networks/00000012-ID.safetensors       that network
//! checkpoints/00000012-ID.safetensors    the training state after it
//! endings/00000012-ID.json               decided games, near whose ends workers begin some of theirs
//! matches/00000012-00000008/000007.jsonl pair 7 of a match between two networks, as a match log
//! ```

use crate::error::{Result, RoleError};
use crate::store::{Placed, Store, StoreError};
use lab::events::Event;
use lab::{About, Plan};
use lab::{Gathered, Opponent};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Version of all these objects.
pub const FORMAT: u32 = 1;

/// Most bytes that are read of an object with JSON: what the run is, a generation's record (a line of its list of shards has
/// about 100), the log of a pair.
pub const MOST_RECORD_BYTES: u64 = 64 << 20;

/// Most bytes that are read of a shard, and of a worker's unfinished games.
pub const MOST_SHARD_BYTES: u64 = 1 << 30;

/// Most bytes that are read of a network, a training state or endings; never more than the record states.
pub const MOST_FILE_BYTES: u64 = 8 << 30;

/// Name of the object that describes the run. It identifies the store ([`Store::identify`]).
pub const RUN: &str = "run.json";

/// Prefix of the workers that have begun.
pub const WORKERS: &str = "workers";

/// Name of the object that says that a worker has begun.
pub fn worker_key(worker: u32) -> String {
    format!("{WORKERS}/{worker:05}")
}

/// Name of a shard; `sequence` counts the worker's shards from 0.
pub fn shard_key(worker: u32, sequence: u64) -> String {
    format!("{}/{sequence:08}", shards_prefix(worker))
}

/// Prefix of a worker's shards.
pub fn shards_prefix(worker: u32) -> String {
    format!("shards/{worker:05}")
}

/// Name of the unfinished games that a worker left before its shard `sequence`, after it had left so many times before that
/// shard.
pub fn slots_key(worker: u32, sequence: u64, left_before: u64) -> String {
    match left_before {
        0 => format!("slots/{worker:05}/{sequence:08}"),
        times => format!("slots/{worker:05}/{sequence:08}-{times:04}"),
    }
}

/// Name of a generation's record.
pub fn generation_key(generation: u32) -> String {
    format!("generations/{generation:08}.json")
}

/// Name of the object that extends the run after a generation that was planned as its last.
pub fn longer_key(generation: u32) -> String {
    format!("longer/{generation:08}")
}

/// Name of a match: `00000004-00000002`, `00000004-greedy`.
pub fn match_name(network: u32, opponent: Opponent) -> String {
    match opponent {
        Opponent::Network(opponent) => format!("{network:08}-{opponent:08}"),
        fixed => format!("{network:08}-{}", fixed.file_name()),
    }
}

/// Prefix of the pairs of a match.
pub fn match_prefix(network: u32, opponent: Opponent) -> String {
    format!("matches/{}", match_name(network, opponent))
}

/// Name of a pair of games.
pub fn pair_key(network: u32, opponent: Opponent, pair: u32) -> String {
    format!("{}/{pair:06}.jsonl", match_prefix(network, opponent))
}

/// A large object, with its name and digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileObject {
    /// Its name.
    pub key: String,
    /// Size in bytes.
    pub bytes: u64,
    /// BLAKE3 of its content, 64 hex digits.
    pub blake3: String,
}

impl FileObject {
    /// The object that a generation's content becomes: `FOLDER/00000012-DIGEST.END`.
    pub fn of(folder: &str, generation: u32, end: &str, content: &[u8]) -> FileObject {
        let blake3 = blake3::hash(content).to_hex().to_string();
        let key = format!("{folder}/{generation:08}-{}.{end}", &blake3[..16]);
        FileObject { key, bytes: content.len() as u64, blake3 }
    }

    /// Its content, checked against the digest.
    ///
    /// # Errors
    /// The store cannot be reached; the object is missing or has another content.
    pub fn read(&self, store: &Store) -> Result<Vec<u8>> {
        let content = fetch(store, &self.key, self.bytes.min(MOST_FILE_BYTES))?;
        let content = content.ok_or_else(|| unusable(store, &self.key, "it is missing"))?;
        if blake3::hash(&content).to_hex().as_str() != self.blake3 {
            return Err(unusable(store, &self.key, "its digest is not that in the record"));
        }
        Ok(content)
    }
}

/// A network in the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkObject {
    /// The generation that made it; 0 is the run's initial network.
    pub generation: u32,
    /// Its name in game records.
    pub id: String,
    /// Its file.
    pub file: FileObject,
}

/// The description of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Begun {
    /// [`FORMAT`].
    pub format: u32,
    /// The contents of its folder's `run.json`.
    pub about: About,
    /// The settings, as TOML, with every open setting chosen.
    pub config: String,
    /// The newest network when the store was begun: 0, unless the run was begun on one machine.
    pub network: NetworkObject,
    /// Part of the run that was done then, 0 to 1.
    pub progress: f64,
}

impl Begun {
    /// Reads it; `None` if the run has not begun. From now on it identifies the store.
    ///
    /// # Errors
    /// The store cannot be reached; the object cannot be read.
    pub fn read(store: &Store) -> Result<Option<Begun>> {
        let Some(bytes) = fetch(store, RUN, MOST_RECORD_BYTES)? else { return Ok(None) };
        let begun = parsed(store, RUN, &bytes)?;
        store.identify(RUN, &bytes);
        Ok(Some(begun))
    }
}

/// A match that a generation asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchRequest {
    /// The network whose score is counted, by its generation.
    pub network: u32,
    /// Its opponent.
    pub opponent: Opponent,
    /// Pairs of games.
    pub pairs: u32,
}

/// What workers need from games of earlier generations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryHints {
    /// Winning chance below which a player resigns, 0 to 1; 0 is never.
    pub resign_below: f32,
    /// Decided games, near whose ends other games begin; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endings: Option<FileObject>,
}

/// The record of a generation: enough to rebuild the trainer's folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// [`FORMAT`].
    pub format: u32,
    /// The generation.
    pub generation: u32,
    /// Its plan.
    pub plan: Plan,
    /// Its stages, matches left out.
    pub events: Vec<Event>,
    /// Training steps before it and after it. These steps have seen the shards of this record and of earlier ones.
    pub steps: [u64; 2],
    /// The shards that it gathered.
    pub gathered: Gathered,
    /// The newest network after it: its own, unless there was nothing to train on.
    pub network: NetworkObject,
    /// The training state after it; absent if it trained nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<FileObject>,
    /// Hints from its games and earlier ones for the next self-play; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lessons: Option<HistoryHints>,
    /// Matches to be played.
    #[serde(default)]
    pub matches: Vec<MatchRequest>,
}

impl Generation {
    /// Reads a record; `None` if there is none.
    ///
    /// # Errors
    /// The store cannot be reached; the object cannot be read, or is the record of another generation.
    pub fn read(store: &Store, generation: u32) -> Result<Option<Generation>> {
        let key = generation_key(generation);
        let record: Option<Generation> = read_json(store, &key)?;
        match record {
            Some(record) if record.generation != generation => {
                Err(unusable(store, &key, &format!("it is the record of generation {}", record.generation)))
            }
            record => Ok(record),
        }
    }
}

/// A worker's note in a shard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShardNote {
    /// The run.
    pub run_id: String,
    /// Version of the program.
    pub version: String,
    /// Digest of the settings.
    pub config_digest: String,
    /// The worker.
    pub worker: u32,
    /// Generation of the newest network when the games ended.
    pub network: u32,
    /// For each slot the number of its next game, from which a worker without its own disk resumes.
    pub numbers: Vec<u64>,
    /// Positions searched since the shard before.
    pub searched: u64,
    /// Evaluations by the network since the shard before.
    pub evaluations: u64,
    /// Places in the batches of these evaluations.
    pub places: u64,
}

/// Uploads an object under a name that contains its digest, so repeated uploads by any process do no harm.
pub(super) fn put_file(store: &Store, object: FileObject, content: Vec<u8>) -> Result<FileObject> {
    match store.put_new(&object.key, content)? {
        Placed::New | Placed::Same => Ok(object),
        Placed::Taken => Err(unusable(store, &object.key, "its content is not what its name says")),
    }
}

/// Uploads a small object as JSON with its checksum ([`data::checked_json`]).
///
/// # Errors
/// The store cannot be reached.
pub fn put_json(store: &Store, key: &str, value: &impl Serialize) -> Result<Placed> {
    let text = data::checked_json::to_text(value).map_err(|error| unusable(store, key, &error.to_string()))?;
    Ok(store.put_new(key, text.into_bytes())?)
}

fn read_json<T: DeserializeOwned>(store: &Store, key: &str) -> Result<Option<T>> {
    fetch(store, key, MOST_RECORD_BYTES)?.map(|bytes| parsed(store, key, &bytes)).transpose()
}

fn parsed<T: DeserializeOwned>(store: &Store, key: &str, bytes: &[u8]) -> Result<T> {
    data::checked_json::from_slice(bytes).map_err(|error| unusable(store, key, &error.to_string()))
}

/// An object of at most `most` bytes; `None` if there is none.
///
/// # Errors
/// The store cannot be reached; the object is too large ([`RoleError::Object`]).
pub(super) fn fetch(store: &Store, key: &str, most: u64) -> Result<Option<Vec<u8>>> {
    match store.get(key, most) {
        Err(StoreError::Object { reason, .. }) => Err(unusable(store, key, &reason)),
        got => Ok(got?.map(Vec::from)),
    }
}

/// An object that cannot be used.
pub(super) fn unusable(store: &Store, key: &str, reason: &str) -> RoleError {
    RoleError::Object { url: store.url().to_owned(), key: key.to_owned(), reason: reason.to_owned() }
}
