//! Files of runs, and those that others may hand over: settings, networks, logs, shards.
//!
//! Checksums reject nearly all damage before it is parsed. To reach the parsers, each line of the input gets a valid
//! checksum, as a forged file would have it.

use super::variant;
use data::{DataStore, FileEntry, Journal, LineLog, MANIFEST, SCHEMA_VERSION, ShardEntry};
use eval::matches::MatchReport;
use lab::health::Health;
use lab::{About, Config, Plan, RunFolder};
use network::{Blueprint, HostTensor, NetworkConfig, NetworkFile, Numbers, Weights};
use rules::{Rulebook, Rules, Variant, Wangqi};
use search::Evaluations;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// These bytes as a file.
fn file(bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("file");
    fs::write(&path, bytes).expect("written");
    (folder, path)
}

/// Each line checksummed as a line of the log with this tag; other bytes as they are.
fn with_checksum(tag: &str, bytes: &[u8]) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(bytes) else { return bytes.to_vec() };
    let mut lines = String::new();
    for line in text.lines() {
        let digest = blake3::hash(line.as_bytes()).to_hex();
        let _ = writeln!(lines, "{{\"blake3\":\"{}\",\"{tag}\":{line}}}", &digest[..16]);
    }
    lines.into_bytes()
}

/// A configuration. What is accepted is read again as it is written.
pub fn config(data: &[u8]) {
    let (_folder, path) = file(data);
    let Ok(config) = Config::load(&path, &[]) else { return };
    let text = config.to_toml().expect("written");
    let (_folder, again) = file(text.as_bytes());
    assert_eq!(Config::load(&again, &[]).expect("what is written is read"), config);
}

/// A network.
pub fn network(data: &[u8]) {
    if let Ok(network) = NetworkFile::of_bytes(Path::new("file"), data) {
        let _ = network.require::<Wangqi>(Path::new("file"));
    }
}

/// The measurements of a small network in its file, with the right digest, as a forger would write them. What is accepted
/// evaluates positions.
pub fn calibration(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(network) = NetworkFile::of_bytes(Path::new("file"), &with_calibration(text)) else { return };
    let leaves = search::random_leaves::<Wangqi>(2, 1, network.blueprint().config.features);
    let mut evaluator = network.evaluator(Numbers::Int8, 1).expect("accepted measurements suffice for integers");
    let mut out = Evaluations::default();
    evaluator.evaluate_leaves(&leaves, &mut out).expect("its own positions");
}

/// The file of a small network with this text as its measurements.
fn with_calibration(text: &str) -> Vec<u8> {
    let size = NetworkConfig { blocks: 1, channels: 8, se_hidden: 4, policy_dim: 4, ..NetworkConfig::default() };
    let size = NetworkConfig { value_channels: 2, value_hidden: 8, ..size };
    let blueprint = Blueprint::of::<Wangqi>(size);
    let tensors = blueprint.tensors().into_iter().map(|(name, shape)| {
        let values = vec![0.125; shape.iter().product()];
        (name, HostTensor { shape, values })
    });
    let weights = Weights::new(blueprint.clone(), tensors.collect()).expect("weights of the blueprint");
    let network = NetworkFile::new(weights, 1, 1).expect("a network");
    let (_folder, path) = file(b"");
    network.write(&path).expect("written");
    let whole = fs::read(&path).expect("a file");

    // Eight bytes with the length of the header, the header, and the tensors.
    let length = u64::from_le_bytes(whole[..8].try_into().expect("eight bytes")) as usize;
    let mut header: Value = serde_json::from_slice(&whole[8..8 + length]).expect("a header");
    let ours = &mut header["__metadata__"]["kirin"];
    let mut inner: Value = serde_json::from_str(ours.as_str().expect("text")).expect("our part of it");
    let digest = blake3::Hasher::new().update(network.id().as_bytes()).update(text.as_bytes()).finalize().to_hex();
    inner["calibration"] = format!("{} {text}", &digest[..16]).into();
    *ours = inner.to_string().into();
    let header = header.to_string();
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &whole[8 + length..]].concat()
}

/// A checkpoint of a small network.
pub fn checkpoint(data: &[u8]) {
    let config = NetworkConfig { blocks: 1, channels: 8, se_hidden: 4, policy_dim: 4, ..NetworkConfig::default() };
    let config = NetworkConfig { value_channels: 2, value_hidden: 8, ..config };
    let _ = train::check_checkpoint_bytes(Path::new("file"), data, &Blueprint::of::<Wangqi>(config));
}

/// A journal: checksummed, and as it is. What is accepted is written and read again. The first byte chooses the variant.
pub fn journal(data: &[u8]) {
    let Some((id, lines)) = variant(data) else { return };
    rules::dispatch!(id, V => {
        check_journal::<V>(lines);
        check_journal::<V>(&with_checksum("game", lines));
    });
}

fn check_journal<V: Variant>(bytes: &[u8]) {
    let (folder, path) = file(bytes);
    let Ok((_, recovered)) = Journal::<V>::open(&path) else { return };
    let again = folder.path().join("again");
    let (mut journal, _) = Journal::<V>::open(&again).expect("a journal begins");
    if journal.append_all(&recovered.games).is_ok() {
        drop(journal);
        assert_eq!(Journal::<V>::open(&again).expect("what is written is read").1.games, recovered.games);
    }
}

/// The slots of a run. The first byte chooses the variant.
pub fn slots(data: &[u8]) {
    let Some((id, line)) = variant(data) else { return };
    for bytes in [line.to_vec(), with_checksum("slots", line), with_checksum("snapshot", line)] {
        let (_folder, path) = file(&bytes);
        rules::dispatch!(id, V => {
            let _ = selfplay::generator::check_slots::<V>(&path, 1, Rules::default());
        });
    }
}

/// The events of a run with the health that follows from them, its metrics and its plans.
pub fn run_logs(data: &[u8]) {
    for bytes in
        [data.to_vec(), with_checksum("event", data), with_checksum("metrics", data), with_checksum("plan", data)]
    {
        let (_folder, path) = file(&bytes);
        if let Ok(events) = lab::events::read(&path) {
            Health::of(&events);
        }
        let _ = train::MetricsEntry::read(&path);
        let _ = LineLog::<Plan>::read(&path);
    }
}

/// What a run says of itself (`run.json`), with the checksum that it has and without one. What is accepted is written and read
/// again.
pub fn about(data: &[u8]) {
    let unchecked = serde_json::from_slice::<Value>(data).ok().and_then(|mut value| {
        value.as_object_mut()?.remove("blake3");
        serde_json::to_vec(&value).ok()
    });
    for bytes in [Some(data.to_vec()), unchecked].into_iter().flatten() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = RunFolder::new(folder.path());
        fs::write(run.about(), bytes).expect("written");
        if let Ok(Some(about)) = About::read(&run) {
            about.write(&run).expect("written");
            assert_eq!(About::read(&run).expect("what is written is read"), Some(about));
        }
    }
}

/// The manifest of a data folder that has no other file: what it lists is looked for, inside of the folder only.
pub fn manifest(data: &[u8]) {
    for bytes in [data.to_vec(), with_checksum("shard", data)] {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(MANIFEST), bytes).expect("written");
        let found = data::verify::verify(folder.path(), &|_| ());
        let Ok(shards) = DataStore::open_read_only(folder.path()).and_then(|store| store.all_shards()) else {
            continue;
        };
        assert!(shards.is_empty() || !found.is_clean(), "shards without files");
    }
}

/// The log of a match, from which its report is made.
pub fn match_log(data: &[u8]) {
    for bytes in [data.to_vec(), with_checksum("match", data)] {
        let (_folder, path) = file(&bytes);
        let Ok(recorded) = eval::log::read(&path) else { continue };
        let Some(header) = recorded.header.clone() else { continue };
        let _ = eval::log::check_games(&path, &header, &recorded.games);
        let _ = MatchReport::new(&header, &recorded.games, 10, recorded.test).to_string();
    }
}

/// A Parquet file as the games, and as the positions, of a shard that a manifest lists with its true digest. The first
/// byte is its number of rows there.
pub fn shard(data: &[u8]) {
    let Some((&rows, bytes)) = data.split_first() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("shard.parquet"), bytes).expect("written");
    let entry = FileEntry {
        path: "shard.parquet".to_owned(),
        rows: rows.into(),
        bytes: bytes.len() as u64,
        blake3: blake3::hash(bytes).to_hex().to_string(),
    };
    let entry = ShardEntry {
        variant: Wangqi::ID.to_owned(),
        generation: 1,
        shard: "w0".to_owned(),
        schema_version: SCHEMA_VERSION,
        games: entry.clone(),
        positions: entry,
        parts: Vec::new(),
    };
    LineLog::replace(&folder.path().join(MANIFEST), [&entry]).expect("a manifest");
    let store = DataStore::open_read_only(folder.path()).expect("a store");
    let _ = store.read_games::<Wangqi>(&entry);
    // Positions alone make no game, but every row of them is read first.
    let _ = store.read_shard::<Wangqi>(&entry);
}
