//! A kill, a full disk or an error of the device at every single step of writing: nothing finished is lost, no half file is in sight.

use std::fs;
use std::path::{Path, PathBuf};

use crate::synthetic::games;
use data::durable::write_atomically;
use data::{DataError, DataStore, GameRecord, Journal, Provenance, Recovery};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use rules::Wangqi;
use std::io::ErrorKind::StorageFull;
use testkit::fault::{self, FaultKind};

const KINDS: [FaultKind; 3] = [FaultKind::DiskFull, FaultKind::Failing, FaultKind::Kill];

fn commit(store: &DataStore, generation: u32, games: &[GameRecord<Wangqi>]) -> data::Result<data::ShardEntry> {
    store.commit_shard(generation, "local", games, &Provenance::default())
}

fn is_disk_full(error: &DataError) -> bool {
    matches!(error, DataError::Io { source, .. } if source.kind() == StorageFull)
}

/// Whether the error is the one of this kind of fault, which was not a kill.
fn is_told(kind: FaultKind, error: &DataError) -> bool {
    let is_of_the_device = matches!(error, DataError::Io { source, .. } if source.raw_os_error() == Some(5));
    if kind == FaultKind::DiskFull { is_disk_full(error) } else { is_of_the_device }
}

/// Every file below a folder that a user's `**/*` pattern finds: no hidden ones, no orphans.
fn visible(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with('.') || name == "orphans" {
            continue;
        }
        if path.is_dir() { files.extend(visible(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

/// Every Parquet file in sight can be read whole, whether committed or not.
fn assert_no_half_file(root: &Path) {
    for path in visible(root) {
        if path.extension().is_some_and(|end| end == "parquet") {
            let file = fs::File::open(&path).unwrap();
            let reader = ParquetRecordBatchReaderBuilder::try_new(file).and_then(|builder| builder.build());
            let mut batches = reader.unwrap_or_else(|error| panic!("half a file: {error}"));
            batches.try_for_each(|batch| batch.map(drop)).unwrap();
        }
    }
}

#[test]
fn a_shard_is_there_whole_or_not_at_all() {
    let old = games(0, 4, 12);
    let new = games(1, 5, 12);
    for kind in KINDS {
        let mut steps = 0;
        for n in 1.. {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().join("data");
            let (store, _) = DataStore::open(&root).unwrap();
            commit(&store, 0, &old).unwrap();

            let fault = fault::install(kind, n);
            let committed = commit(&store, 1, &new);
            let happened = fault.happened();
            drop(fault);
            // The process is gone, and with it the lock.
            drop(store);
            assert_no_half_file(&root);
            let reader = DataStore::open_read_only(&root).unwrap();
            let listed = reader.all_shards().unwrap().len();
            assert!(listed == 1 || listed == 2);
            reader.all_shards().unwrap().iter().for_each(|shard| drop(reader.read_shard::<Wangqi>(shard).unwrap()));
            // What was promised is there. (After a failure it may be there too: the promise was only not made.)
            assert!(committed.is_err() || listed == 2);

            let (store, recovery) = DataStore::open(&root).unwrap();
            if kind != FaultKind::Kill {
                assert!(recovery.temporaries.is_empty(), "step {n}: a failed write leaves no temporary file");
                assert!(committed.as_ref().err().is_none_or(|error| is_told(kind, error)), "{committed:?}");
            }
            assert_eq!(visible(&root).len(), 1 + 2 * store.all_shards().unwrap().len(), "step {n}: {recovery:?}");
            let (first, again) = (store.shards("wangqi").unwrap().remove(0), commit(&store, 1, &new).unwrap());
            assert_eq!(store.read_shard::<Wangqi>(&first).unwrap().len(), old.len());
            assert_eq!(store.read_shard::<Wangqi>(&again).unwrap().len(), new.len());
            assert_eq!(visible(&root).len(), 5);
            drop(store);
            assert_eq!(DataStore::open(&root).unwrap().1, Recovery::default());
            if !happened {
                assert!(committed.is_ok());
                break;
            }
            steps = n;
        }
        assert!(steps >= 12, "only {steps} steps were tried");
    }
}

#[test]
fn a_failed_commit_can_be_repeated_at_once() {
    for n in 1..40 {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = DataStore::open(folder.path()).unwrap();
        let fault = fault::install(FaultKind::DiskFull, n);
        let _ = commit(&store, 0, &games(0, 3, 9));
        drop(fault);
        let entry = commit(&store, 0, &games(0, 3, 9)).unwrap();
        assert_eq!(store.all_shards().unwrap(), [entry]);
    }
}

#[test]
fn opening_a_store_can_be_killed_too() {
    for n in 1.. {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("a/b/data");
        let fault = fault::install(FaultKind::Kill, n);
        let opened = DataStore::open(&root);
        let happened = fault.happened();
        drop(fault);
        drop(opened);
        let (store, _) = DataStore::open(&root).unwrap();
        commit(&store, 0, &games(0, 2, 9)).unwrap();
        if !happened {
            break;
        }
    }
}

#[test]
fn a_journal_keeps_what_it_promised() {
    let all = games(0, 6, 12);
    for kind in KINDS {
        for n in 1.. {
            let folder = tempfile::tempdir().unwrap();
            let (store, _) = DataStore::open(folder.path()).unwrap();
            let open = || store.journal::<Wangqi>(0);
            let fault = fault::install(kind, n);
            let mut promised = 0;
            let written = (|| -> data::Result<()> {
                let (mut journal, _) = open()?;
                for game in &all {
                    journal.append(game)?;
                    promised += 1;
                }
                Ok(())
            })();
            let happened = fault.happened();
            drop(fault);
            let (mut journal, recovered) = open().unwrap();
            let kept = recovered.games.len();
            // One game more than promised may be there: killed between the write and the sync.
            assert!(kept == promised || kept == promised + 1, "step {n}: {kept} of {promised}");
            assert_eq!(recovered.games, all[..kept]);
            journal.append_all(&all[kept..]).unwrap();
            assert_eq!(open().unwrap().1.games, all);
            if !happened {
                assert!(written.is_ok());
                break;
            }
        }
    }
}

#[test]
fn a_journal_goes_on_after_a_full_disk() {
    let all = games(0, 5, 12);
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, _) = Journal::open(&folder.path().join("gen=0000.jsonl")).unwrap();
    for (index, game) in all.iter().enumerate() {
        let fault = fault::install(FaultKind::DiskFull, 1 + index as u64 % 2);
        assert!(is_disk_full(&journal.append(game).unwrap_err()));
        drop(fault);
        journal.append(game).unwrap();
    }
    let path = journal.path().to_owned();
    assert_eq!(Journal::open(&path).unwrap().1.games, all);
    journal.remove().unwrap();
    assert!(!path.exists());
}

#[test]
fn a_file_is_the_old_one_or_the_new_one() {
    for kind in KINDS {
        for n in 1.. {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("state.json");
            write_atomically(&path, |file| std::io::Write::write_all(file, b"old")).unwrap();
            let fault = fault::install(kind, n);
            let written = write_atomically(&path, |file| std::io::Write::write_all(file, b"the new one"));
            let happened = fault.happened();
            drop(fault);
            let found = fs::read(&path).unwrap();
            assert!(found == b"old" || found == b"the new one");
            assert!(written.is_err() || found == b"the new one");
            let left = data::durable::remove_stale_temporaries(folder.path()).unwrap();
            assert!(kind == FaultKind::Kill || left.is_empty());
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
            if !happened {
                break;
            }
        }
    }
}

#[test]
fn an_error_of_the_caller_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.json");
    let written = write_atomically(&path, |_| Err::<(), _>(std::io::Error::other("no more")));
    let message = written.unwrap_err().to_string();
    assert!(message.contains("no more") && message.contains("state.json"), "{message}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// In a container the program that was killed before had the same number, so what it left has the names that this one
/// would choose.
#[test]
fn what_a_program_of_the_same_number_left_is_in_nobodys_way() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.json");
    let stale: Vec<_> =
        (0..2000).map(|n| folder.path().join(format!(".state.json.tmp-{}-{n}", std::process::id()))).collect();
    stale.iter().for_each(|stale| fs::write(stale, "half").unwrap());
    let all_there = || stale.iter().all(|stale| fs::read(stale).is_ok_and(|bytes| bytes == b"half"));
    write_atomically(&path, |file| std::io::Write::write_all(file, b"whole")).unwrap();
    assert!(fs::read(&path).unwrap() == b"whole" && all_there());
    for n in 1..5 {
        let fault = fault::install(FaultKind::Failing, n);
        let written = write_atomically(&path, |file| std::io::Write::write_all(file, b"new"));
        drop(fault);
        assert!(written.is_err() && all_there(), "step {n}: a failed write removes its own file alone");
    }
    assert_eq!(data::durable::remove_stale_temporaries(folder.path()).unwrap().len(), stale.len());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
