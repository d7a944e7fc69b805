//! Damaged logs and junk for Parquet files: always a message that names the place, never a panic.

mod synthetic;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::panic::catch_unwind;
use std::path::Path;

use data::{DataError, DataStore, Journal, MANIFEST, Provenance};
use synthetic::{Numbers, games};

fn store_with(root: &Path, generations: u32) -> DataStore {
    let (store, _) = DataStore::open(root).unwrap();
    for generation in 0..generations {
        store.commit_shard("wangqi", generation, "local", &games(generation, 4, 12), &Provenance::default()).unwrap();
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
        store.commit_shard("wangqi", 2, "local", &games(2, 4, 12), &Provenance::default()).unwrap();
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
    let (_, recovered) = Journal::open(&path).unwrap();
    assert_eq!((recovered.games.len(), recovered.torn_bytes), (3, 40));
    assert_eq!(fs::read(&path).unwrap(), whole);

    let second = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    for length in (0..whole.len()).step_by(37).chain([second - 1, second]) {
        fs::write(&path, &whole[..length]).unwrap();
        let (_, recovered) = Journal::open(&path).unwrap();
        assert_eq!(recovered.games, all[..whole[..length].iter().filter(|&&byte| byte == b'\n').count()]);
    }

    for place in [second, second + 12, second + 35, second + 200] {
        let mut bad = whole.clone();
        bad[place] ^= 1;
        fs::write(&path, &bad).unwrap();
        let message = Journal::open(&path).unwrap_err().to_string();
        assert!(message.contains("gen=0000.jsonl, line 2"), "{message}");
    }
}

/// Reads a file both ways; the readers may refuse it, not panic.
fn read_both(path: &Path) -> bool {
    let read = catch_unwind(|| (data::read_games_file(path), data::read_positions_file(path)));
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
    let path = folder.path().join("junk.parquet");
    let mut numbers = Numbers(7);
    for good in [&shard.games, &shard.positions] {
        let good = fs::read(folder.path().join(&good.path)).unwrap();
        fs::write(&path, &good).unwrap();
        assert!(read_both(&path));
        for length in (0..good.len()).step_by(53) {
            fs::write(&path, &good[..length]).unwrap();
            assert!(!read_both(&path), "cut to {length} bytes");
        }
        // Flipped bits, the footer above all: without a manifest they may go unnoticed, but nothing panics.
        for round in 0..500 {
            let mut bad = good.clone();
            for _ in 0..1 + round % 3 {
                let from = if round % 2 == 0 { bad.len() - bad.len() / 3 } else { 0 };
                let place = from + numbers.below((bad.len() - from) as u64) as usize;
                bad[place] ^= 1 << numbers.below(8);
            }
            fs::write(&path, &bad).unwrap();
            read_both(&path);
        }
    }
    for length in [0, 1, 4, 8, 12, 64, 4096] {
        let mut junk: Vec<u8> = (0..length).map(|_| numbers.next() as u8).collect();
        fs::write(&path, &junk).unwrap();
        assert!(!read_both(&path));
        junk.extend(*b"PAR1");
        fs::write(&path, &junk).unwrap();
        assert!(!read_both(&path));
    }
}

#[test]
fn a_file_of_another_program_is_refused() {
    use parquet::arrow::ArrowWriter;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.parquet");
    let batch = arrow::array::RecordBatch::new_empty(data::schema::GAMES.clone());
    let mut writer = ArrowWriter::try_new(fs::File::create(&path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let message = data::read_games_file(&path).unwrap_err().to_string();
    assert!(message.contains("kirin did not write it"), "{message}");

    let mut writer = ArrowWriter::try_new(fs::File::create(&path).unwrap(), batch.schema(), None).unwrap();
    let version = parquet::file::metadata::KeyValue::new("kirin.schema_version".to_owned(), "99".to_owned());
    writer.append_key_value_metadata(version);
    writer.close().unwrap();
    let message = data::read_games_file(&path).unwrap_err().to_string();
    assert!(message.contains("schema version 99") && message.contains("newer kirin"), "{message}");
}
