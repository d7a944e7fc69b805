//! Repair of logs and data folders: nothing is deleted, what is intact stays, and what cannot be believed is not.

use crate::synthetic::games;
use data::repair::{Aside, Repair, list_of, lost, repair, salvage};
use data::verify::verify;
use data::{DataStore, GameRecord, LineLog, LogEntry, MANIFEST, Provenance};
use rules::{GameResult, Outcome, Termination, Wangqi};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct RepairNote {
    text: String,
}

impl LogEntry for RepairNote {
    const TAG: &'static str = "note";
    const ONCE_WITHOUT_CHECKSUM: bool = true;
}

fn notes() -> Vec<RepairNote> {
    ["one", "two", "three"].map(|text| RepairNote { text: text.to_owned() }).to_vec()
}

/// Whichever bit of a line flips, that line is lost, and no bit is guessed.
#[test]
fn a_line_with_a_flipped_bit_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("notes.jsonl");
    LineLog::replace(&path, &notes()).expect("written");
    let whole = fs::read(&path).expect("a log");
    let second = whole.iter().position(|&byte| byte == b'\n').expect("a line") + 1;
    let end = second + whole[second..].iter().position(|&byte| byte == b'\n').expect("a line");
    let mut tried = 0;
    for at in second..end {
        for bit in 0..8 {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << bit;
            // It would be two lines.
            if flipped[at] == b'\n' {
                continue;
            }
            fs::write(&path, flipped).expect("written");
            let salvaged = salvage::<RepairNote>(&path).expect("readable");
            assert_eq!(salvaged.lost, [2], "byte {at}, bit {bit}");
            let [one, _, three] = notes().try_into().expect("three notes");
            assert_eq!(salvaged.entries, [(1, one), (3, three)], "byte {at}, bit {bit}");
            tried += 1;
        }
    }
    assert!(tried > 400, "{tried}");
    assert_eq!(salvage::<RepairNote>(&folder.path().join("nothing.jsonl")).expect("empty").what(), "");
}

#[test]
fn a_changed_line_and_a_file_that_is_no_log_are_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("notes.jsonl");
    LineLog::replace(&path, &notes()).expect("written");
    let text = fs::read_to_string(&path).expect("a log").replace("\"one\"", "\"ten\"");
    fs::write(&path, text).expect("written");
    let salvaged = salvage::<RepairNote>(&path).expect("readable");
    assert_eq!((salvaged.what().as_str(), salvaged.entries.len()), ("line 1 is damaged", 2));
    fs::write(&path, "no log\n").expect("written");
    assert_eq!(salvage::<RepairNote>(&path).expect("readable").lost, [1]);
}

/// A folder with a shard for each of these generations.
fn store(root: &Path, generations: u32) {
    let (store, _) = DataStore::open(root).expect("a store");
    for generation in 0..generations {
        let mut games: Vec<GameRecord<Wangqi>> = games(generation, 4, 12);
        // An end that the rules do not refute.
        let drawn = Outcome { result: GameResult::Draw, termination: Termination::Adjudicated, points: None };
        games.iter_mut().for_each(|game| game.sheet.outcome = drawn);
        store.commit_shard(generation, "w0", &games, &Provenance::default()).expect("committed");
    }
}

fn repaired(root: &Path) -> Vec<Repair> {
    let mut aside = Aside::new(root);
    repair(root, false, &mut aside).expect("a repair");
    aside.into_repairs()
}

#[test]
fn a_manifest_is_made_again_from_its_shards_and_from_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    store(root, 3);
    let manifest = root.join(MANIFEST);
    let before = LineLog::read(&manifest).expect("a manifest").entries;
    // A copy of a shard under another name has the same games; a file cut short has none.
    let shard = |table: &str, name: &str| root.join(format!("{table}/variant=wangqi/gen=0001/{name}.parquet"));
    for table in ["games", "positions"] {
        fs::copy(shard(table, "w0"), shard(table, "w1")).expect("a copy");
        let bytes = fs::read(shard(table, "w0")).expect("a shard");
        fs::write(shard(table, "w2"), &bytes[..bytes.len() / 2]).expect("written");
    }
    fs::remove_file(&manifest).expect("removed");
    assert!(!verify(root, &|_| ()).is_clean());
    let repairs = repaired(root);
    assert_eq!(repairs.len(), 1, "{repairs:#?}");
    assert_eq!(repairs[0].done, "0 shards stayed listed, 3 were found and listed again");
    assert_eq!(LineLog::<data::ShardEntry>::read(&manifest).expect("a manifest").entries, before);
    assert_eq!(verify(root, &|_| ()).problems, []);
    assert_eq!(repaired(root), []);
}

/// A kill leaves at most one shard that is not listed, so an empty manifest next to several was not emptied by a kill.
#[test]
fn an_emptied_manifest_is_named_and_its_shards_are_listed_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    store(root, 3);
    let manifest = root.join(MANIFEST);
    let before = LineLog::<data::ShardEntry>::read(&manifest).expect("a manifest").entries;
    fs::write(&manifest, "").expect("emptied");
    let problems = verify(root, &|_| ()).problems;
    assert!(problems.len() == 1 && problems[0].file == manifest, "{problems:#?}");
    let error = DataStore::open(root).expect_err("no list of shards");
    assert!(matches!(&error, data::DataError::ManifestMissing { path } if *path == manifest), "{error}");
    assert!(!root.join("orphans").exists(), "nothing is moved");
    assert_eq!(repaired(root)[0].done, "0 shards stayed listed, 3 were found and listed again");
    assert_eq!(LineLog::<data::ShardEntry>::read(&manifest).expect("a manifest").entries, before);
    assert_eq!(verify(root, &|_| ()).problems, []);

    // What a kill leaves before the first shard is listed.
    let folder = tempfile::tempdir().expect("a folder");
    store(folder.path(), 1);
    fs::write(folder.path().join(MANIFEST), "").expect("emptied");
    assert_eq!(verify(folder.path(), &|_| ()).problems, []);
    let (_, recovery) = DataStore::open(folder.path()).expect("a store");
    assert_eq!(recovery.orphans.len(), 2);
}

/// A forger who can write a shard can end its games in any way; without a digest only the rules can refute it.
#[test]
fn shards_that_the_rules_refute_are_not_listed_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (made, _) = DataStore::open(folder.path()).expect("a store");
    made.commit_shard(0, "w0", &games(0, 4, 12), &Provenance::default()).expect("committed");
    drop(made);
    fs::remove_file(folder.path().join(MANIFEST)).expect("removed");
    assert_eq!(repaired(folder.path())[0].done, "0 shards stayed listed, 0 were found and listed again");
    assert!(folder.path().join("games/variant=wangqi/gen=0000/w0.parquet").exists());
}

#[test]
fn a_damaged_shard_goes_with_its_games_and_the_others_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    store(root, 3);
    let path = root.join("positions/variant=wangqi/gen=0001/w0.parquet");
    let mut bytes = fs::read(&path).expect("a shard");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, &bytes).expect("written");
    let repairs = repaired(root);
    assert_eq!(repairs.len(), 3, "both files and the manifest: {repairs:#?}");
    assert_eq!(fs::read(root.join("damaged/positions/variant=wangqi/gen=0001/w0.parquet")).expect("kept"), bytes);
    assert_eq!(verify(root, &|_| ()).problems, []);
    let (store, recovery) = DataStore::open(root).expect("a store");
    assert!(recovery.is_clean(), "{recovery:?}");
    assert_eq!(store.all_shards().expect("a manifest").len(), 2);
    let lost = lost(root).expect("a list");
    assert_eq!((lost.len(), lost[0].generation, lost[0].games), (1, 1, 4));
    assert_eq!(LineLog::<Repair>::read(&list_of(root)).expect("a list").entries, repairs);
}

/// A process that works in the folder is not disturbed.
#[test]
fn a_folder_in_use_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_store, _) = DataStore::open(folder.path()).expect("a store");
    let refused = repair(folder.path(), false, &mut Aside::new(folder.path())).expect_err("in use").to_string();
    assert!(refused.contains("in use"), "{refused}");
}
