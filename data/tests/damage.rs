//! Damaged logs and junk for Parquet files: always a message that names the place, never a panic.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::panic::catch_unwind;
use std::path::Path;

use crate::synthetic::games;
use data::{DataError, DataStore, FileEntry, Journal, MANIFEST, Provenance, ShardEntry};
use rules::Wangqi;
use testkit::SplitMix64;

fn store_with(root: &Path, generations: u32) -> DataStore {
    let (store, _) = DataStore::open(root).unwrap();
    for generation in 0..generations {
        store.commit_shard(generation, "local", &games(generation, 4, 12), &Provenance::default()).unwrap();
    }
    store
}

fn append(path: &Path, bytes: &[u8]) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(bytes).unwrap();
}

#[test]
fn a_torn_manifest_line_is_ignored_then_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join(MANIFEST);
    drop(store_with(folder.path(), 3));
    let whole = fs::read(&manifest).unwrap();
    let last = whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
    for length in [last + 1, last + 30, whole.len() - 1] {
        fs::write(&manifest, &whole[..length]).unwrap();
        let reader = DataStore::open_read_only(folder.path()).unwrap();
        assert_eq!(reader.all_shards().unwrap().len(), 2);
        assert_eq!(fs::read(&manifest).unwrap().len(), length, "a reader changes nothing");

        let (store, recovery) = DataStore::open(folder.path()).unwrap();
        assert_eq!(recovery.torn_manifest_bytes as usize, length - last);
        assert_eq!(recovery.orphans.len(), 2, "{recovery:?}");
        assert!(recovery.orphans.iter().all(|path| path.starts_with(folder.path().join("orphans")) && path.exists()));
        assert_eq!(fs::read(&manifest).unwrap(), whole[..last]);
        // The generation is written again, byte for byte.
        store.commit_shard(2, "local", &games(2, 4, 12), &Provenance::default()).unwrap();
        assert_eq!(fs::read(&manifest).unwrap(), whole);
    }
}

#[test]
fn a_damaged_manifest_line_is_named_and_costs_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join(MANIFEST);
    let store = store_with(folder.path(), 3);
    let files: Vec<_> = store.all_shards().unwrap().into_iter().map(|shard| shard.games.path).collect();
    drop(store);
    let whole = fs::read(&manifest).unwrap();
    for place in (0..whole.len()).step_by(7) {
        let mut bad = whole.clone();
        bad[place] ^= 0x04;
        if bad[place] == b'\n' || whole[place] == b'\n' {
            continue;
        }
        fs::write(&manifest, &bad).unwrap();
        let line = whole[..place].iter().filter(|&&byte| byte == b'\n').count() + 1;
        let error = DataStore::open(folder.path()).unwrap_err();
        assert!(matches!(error, DataError::Line { line: named, .. } if named == line), "{error}");
        assert!(error.to_string().contains(&format!("{MANIFEST}, line {line}")), "{error}");
        assert!(files.iter().all(|file| folder.path().join(file).exists()));
    }
    fs::remove_file(&manifest).unwrap();
    let error = DataStore::open(folder.path()).unwrap_err();
    assert!(matches!(error, DataError::ManifestMissing { .. }), "{error}");
    assert!(files.iter().all(|file| folder.path().join(file).exists()));
}

#[test]
fn stale_temporaries_go_and_strangers_stay() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with(folder.path(), 1);
    let generation = folder.path().join("games/variant=wangqi/gen=0000");
    let stale = [generation.join(".local.parquet.tmp-77-0"), folder.path().join(".manifest.jsonl.tmp-77-3")];
    let stranger = generation.join("notes.txt");
    for path in stale.iter().chain([&stranger]) {
        fs::write(path, "…").unwrap();
    }
    drop(store);
    let (_store, recovery) = DataStore::open(folder.path()).unwrap();
    assert_eq!(recovery.temporaries.len(), 2);
    assert!(recovery.orphans.is_empty() && stranger.exists() && !stale[0].exists() && !stale[1].exists());
}

#[test]
fn a_journal_drops_its_torn_end_and_names_a_bad_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gen=0000.jsonl");
    let all = games(0, 3, 6);
    Journal::open(&path).unwrap().0.append_all(&all).unwrap();
    let whole = fs::read(&path).unwrap();

    append(&path, &whole[..40]);
    let (_, recovered) = Journal::<Wangqi>::open(&path).unwrap();
    assert_eq!((recovered.games.len(), recovered.torn_bytes), (3, 40));
    assert_eq!(fs::read(&path).unwrap(), whole);

    let second = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    for length in (0..whole.len()).step_by(37).chain([second - 1, second]) {
        fs::write(&path, &whole[..length]).unwrap();
        let (_, recovered) = Journal::<Wangqi>::open(&path).unwrap();
        assert_eq!(recovered.games, all[..whole[..length].iter().filter(|&&byte| byte == b'\n').count()]);
    }

    for place in [second, second + 12, second + 35, second + 200] {
        let mut bad = whole.clone();
        bad[place] ^= 1;
        fs::write(&path, &bad).unwrap();
        let message = Journal::<Wangqi>::open(&path).unwrap_err().to_string();
        assert!(message.contains("gen=0000.jsonl, line 2"), "{message}");
    }
}

/// Reads these bytes as both files of a shard whose manifest line fits them; the reader may refuse them, not panic.
fn read_both(root: &Path, bytes: &[u8], rows: [u64; 2]) -> bool {
    let path = root.join("junk.parquet");
    fs::write(&path, bytes).unwrap();
    let file = |rows| FileEntry {
        path: "junk.parquet".into(),
        rows,
        bytes: bytes.len() as u64,
        blake3: blake3::hash(bytes).to_hex().to_string(),
    };
    let store = DataStore::open_read_only(root).unwrap();
    let good = store.all_shards().unwrap().remove(0);
    let as_games = ShardEntry { games: file(rows[0]), ..good.clone() };
    let as_positions = ShardEntry { positions: file(rows[1]), ..good };
    let read = catch_unwind(|| (store.read_games::<Wangqi>(&as_games), store.read_shard::<Wangqi>(&as_positions)));
    let (games, positions) = read.expect("no panic comes out");
    for error in [games.as_ref().err(), positions.as_ref().err()].into_iter().flatten() {
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    }
    games.is_ok() || positions.is_ok()
}

#[test]
fn junk_never_panics() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with(folder.path(), 1);
    let shard = store.all_shards().unwrap().remove(0);
    let rows = [shard.games.rows, shard.positions.rows];
    let read = |bytes: &[u8]| read_both(folder.path(), bytes, rows);
    let mut numbers = SplitMix64(7);
    for good in [&shard.games, &shard.positions] {
        let good = fs::read(folder.path().join(&good.path)).unwrap();
        assert!(read(&good));
        for length in (0..good.len()).step_by(53) {
            assert!(!read(&good[..length]), "cut to {length} bytes");
        }
        // Flipped bits, the footer above all: with a digest that fits they may go unnoticed, but nothing panics.
        for round in 0..500 {
            let mut bad = good.clone();
            for _ in 0..1 + round % 3 {
                let from = if round % 2 == 0 { bad.len() - bad.len() / 3 } else { 0 };
                let place = from + numbers.below((bad.len() - from) as u64) as usize;
                bad[place] ^= 1 << numbers.below(8);
            }
            read(&bad);
        }
    }
    for length in [0, 1, 4, 8, 12, 64, 4096] {
        let mut junk: Vec<u8> = (0..length).map(|_| numbers.next_u64() as u8).collect();
        assert!(!read(&junk));
        junk.extend(*b"PAR1");
        assert!(!read(&junk));
    }
    // A file of ours with another number of rows than its line says.
    let good = fs::read(folder.path().join(&shard.games.path)).unwrap();
    assert!(!read_both(folder.path(), &good, [shard.games.rows + 1, 0]));
}

#[test]
fn a_file_of_another_program_is_refused() {
    use parquet::arrow::ArrowWriter;
    let folder = tempfile::tempdir().unwrap();
    let store = store_with(folder.path(), 1);
    let shard = store.all_shards().unwrap().remove(0);
    let refused = |version: Option<&str>| {
        let batch = arrow_array::RecordBatch::new_empty(std::sync::Arc::new(arrow_schema::Schema::empty()));
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        if let Some(version) = version {
            let key = "kirin.schema_version".to_owned();
            writer.append_key_value_metadata(parquet::file::metadata::KeyValue::new(key, version.to_owned()));
        }
        writer.close().unwrap();
        fs::write(folder.path().join("other.parquet"), &bytes).unwrap();
        let games = FileEntry {
            path: "other.parquet".into(),
            rows: 0,
            bytes: bytes.len() as u64,
            blake3: blake3::hash(&bytes).to_hex().to_string(),
        };
        store.read_games::<Wangqi>(&ShardEntry { games, ..shard.clone() }).map(drop)
    };
    let message = refused(None).unwrap_err().to_string();
    assert!(message.contains("kirin did not write it"), "{message}");
    let message = refused(Some("99")).unwrap_err().to_string();
    assert!(message.contains("schema version 99") && message.contains("newer kirin"), "{message}");
    let message = refused(Some("two")).unwrap_err().to_string();
    assert!(message.contains("\"two\" is not a number"), "{message}");
    assert!(refused(Some("1")).is_ok(), "no rows, so no column is missed");
}
