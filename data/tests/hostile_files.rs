//! Small files that would fill memory: refused before they do.

use crate::hostile;
use crate::synthetic;
use std::fs::{self, File};
use std::path::Path;

use data::{DataError, DataStore, FileEntry, FileFault, LineFault, LineLog, Provenance, ShardEntry};
use rules::Wangqi;

/// What reading a file as the games of a shard says, when the manifest has its true digest and so many rows.
fn refused(root: &Path, bytes: &[u8], rows: u64) -> FileFault {
    fs::write(root.join("hostile.parquet"), bytes).unwrap();
    let (store, _) = DataStore::open(root).unwrap();
    let good = store.commit_shard(0, "local", &synthetic::games(0, 1, 4), &Provenance::default()).unwrap();
    let blake3 = blake3::hash(bytes).to_hex().to_string();
    let games = FileEntry { path: "hostile.parquet".into(), rows, bytes: bytes.len() as u64, blake3 };
    let error = store.read_games::<Wangqi>(&ShardEntry { games, ..good }).unwrap_err();
    assert!(error.to_string().contains("hostile.parquet"), "{error}");
    match error {
        DataError::Malformed { fault, .. } => fault,
        other => panic!("{other}"),
    }
}

#[test]
fn pages_that_become_too_large_are_not_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |bytes: &[u8], rows| refused(folder.path(), bytes, rows);
    let large = refused(&hostile::claiming(2_000_000_000), 1);
    assert!(matches!(large, FileFault::Large { what: "bytes of a page", found: 2_000_000_000, .. }), "{large}");
    // Each of them may be, and together they are far more than the file.
    let pages = hostile::unfolding(6, 60 << 20);
    assert!(pages.len() < 1 << 20, "{} bytes", pages.len());
    let large = refused(&pages, 6);
    assert!(matches!(large, FileFault::Unfolds { found, .. } if found > 300 << 20), "{large}");
}

/// Rows that name one long word of a dictionary take a few bits each.
#[test]
fn rows_that_repeat_a_long_word_are_not_all_decoded() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = DataStore::open(folder.path()).unwrap();
    let mut games = synthetic::games(0, 500, 2);
    games.iter_mut().for_each(|game| game.engine_version = "x".repeat(600 << 10));
    let shard = store.commit_shard(0, "local", &games, &Provenance::default()).unwrap();
    drop(games);
    assert!(shard.games.bytes < 200_000, "{} bytes", shard.games.bytes);
    let error = store.read_games::<Wangqi>(&shard).unwrap_err();
    let unfolds = |fault: &FileFault| matches!(fault, FileFault::Unfolds { found, most } if found > most);
    assert!(matches!(&error, DataError::Malformed { fault, .. } if unfolds(fault)), "{error}");
}

#[test]
fn a_line_without_end_is_named_and_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(data::MANIFEST);
    let (store, _) = DataStore::open(folder.path()).unwrap();
    store.commit_shard(0, "local", &synthetic::games(0, 2, 4), &Provenance::default()).unwrap();
    let whole = fs::read(&path).unwrap();
    let long = |error: DataError, line: usize| {
        let text = error.to_string();
        assert!(text.contains(&format!("{}, line {line}: it has more than 16777216 bytes", path.display())), "{text}");
    };
    for (before, line) in [(&whole[..], 2), (b"", 1)] {
        fs::write(&path, before).unwrap();
        File::options().write(true).open(&path).unwrap().set_len(600 << 20).unwrap();
        long(LineLog::<ShardEntry>::read(&path).unwrap_err(), line);
        long(LineLog::<ShardEntry>::open(&path).unwrap_err(), line);
        assert_eq!(fs::metadata(&path).unwrap().len(), 600 << 20, "nothing is cut off");
        let survey = LineLog::<ShardEntry>::survey(&path).unwrap();
        assert_eq!((survey.entries.len(), survey.torn_bytes), (line - 1, 0));
        assert!(matches!(survey.damaged[..], [(at, LineFault::Long { .. })] if at == line), "{:?}", survey.damaged);
    }
}
