//! A power cut after every single step of writing, with any part of what was not synced: what was promised is there, no
//! half file is in sight, and repeating the work gives the same files.

use crate::synthetic::games;
use data::{DataStore, GameRecord, Journal, LineLog, LogEntry, Provenance};
use rules::Wangqi;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use testkit::crash;

/// Disks made after each step.
const SEEDS: u64 = 3;
/// Disks made after each step where a disk may keep many forms of one write.
const MORE_SEEDS: u64 = 60;

/// Games as a shard has them.
fn by_id(mut games: Vec<GameRecord<Wangqi>>) -> Vec<GameRecord<Wangqi>> {
    games.sort_by_key(|game| game.game_id);
    games
}

fn commit(store: &DataStore, generation: u32, games: &[GameRecord<Wangqi>]) -> data::ShardEntry {
    store.commit_shard(generation, "local", games, &Provenance::default()).expect("committed")
}

/// Does some work under a recording, then looks at what power cuts after each of its steps may leave of it. `work` gets a
/// function that notes a promise; `check` gets the number of promises made until the cut.
fn cut_after_each_step(work: impl Fn(&Path, &mut dyn FnMut()), check: impl Fn(&Path, usize, &str)) {
    cut_often(SEEDS, work, check);
}

/// Like [`cut_after_each_step`], with so many disks after each step.
fn cut_often(seeds: u64, work: impl Fn(&Path, &mut dyn FnMut()), check: impl Fn(&Path, usize, &str)) {
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("before");
    fs::create_dir(&base).expect("a folder");
    let recording = crash::record();
    let mut promises = Vec::new();
    work(&base, &mut || promises.push(recording.steps()));
    let steps = recording.steps();
    assert!(steps >= 8, "only {steps} steps");
    let disks: Vec<_> = (0..=steps).flat_map(|step| (0..seeds).map(move |seed| (step, seed))).collect();
    for &(step, seed) in &disks {
        let left = folder.path().join(format!("{step}-{seed}"));
        recording.leave(step, seed, &base, &left).expect("a folder");
    }
    // What the checks do with the folders is not recorded.
    drop(recording);
    for (step, seed) in disks {
        let case = format!("a power cut after step {step}, disk {seed}");
        let made = promises.iter().filter(|&&at| at <= step).count();
        check(&folder.path().join(format!("{step}-{seed}")), made, &case);
    }
}

#[test]
fn committed_shards_survive() {
    let all = [by_id(games(0, 4, 12)), by_id(games(1, 5, 12))];
    let work = |base: &Path, promise: &mut dyn FnMut()| {
        let (store, _) = DataStore::open(&base.join("data")).expect("a store");
        for (generation, games) in (0..).zip(&all) {
            commit(&store, generation, games);
            promise();
        }
    };
    cut_after_each_step(work, |left, promised, case| {
        let (store, _) = DataStore::open(&left.join("data")).unwrap_or_else(|error| panic!("{case}: {error}"));
        let found = store.all_shards().expect("a manifest");
        assert!(found.len() >= promised, "{case}: {} of {promised} shards", found.len());
        for shard in &found {
            let games = store.read_shard::<Wangqi>(shard).unwrap_or_else(|error| panic!("{case}: {error}"));
            assert!(games == all[shard.generation as usize], "{case}: generation {}", shard.generation);
        }
        for (generation, games) in (0..).zip(&all) {
            commit(&store, generation, games);
        }
        drop(store);
        let (store, recovery) = DataStore::open(&left.join("data")).expect("a store");
        assert!(recovery.is_clean(), "{case}: {recovery:?}");
        assert_eq!(store.all_shards().expect("a manifest").len(), 2, "{case}");
    });
}

#[test]
fn games_of_a_journal_survive_one_by_one() {
    let all = games(0, 5, 12);
    let work = |base: &Path, promise: &mut dyn FnMut()| {
        let (store, _) = DataStore::open(&base.join("data")).expect("a store");
        let (mut journal, _) = store.journal::<Wangqi>(0).expect("a journal");
        for game in &all {
            journal.append(game).expect("appended");
            promise();
        }
    };
    cut_after_each_step(work, |left, promised, case| {
        let (store, _) = DataStore::open(&left.join("data")).unwrap_or_else(|error| panic!("{case}: {error}"));
        let opened: data::Result<(Journal<Wangqi>, _)> = store.journal(0);
        let (mut journal, recovered) = opened.unwrap_or_else(|error| panic!("{case}: {error}"));
        let kept = recovered.games.len();
        assert!(kept == promised || kept == promised + 1, "{case}: {kept} of {promised} games");
        assert!(recovered.games == all[..kept], "{case}");
        journal.append_all(&all[kept..]).expect("appended");
    });
}

/// Games that end at the same time are appended with one sync, of which a later line may be kept and an earlier one lost.
#[test]
fn games_of_a_journal_survive_by_batches() {
    let all = games(0, 12, 12);
    const BATCH: usize = 4;
    let work = |base: &Path, promise: &mut dyn FnMut()| {
        let (store, _) = DataStore::open(&base.join("data")).expect("a store");
        let (mut journal, _) = store.journal::<Wangqi>(0).expect("a journal");
        for games in all.chunks(BATCH) {
            journal.append_all(games).expect("appended");
            promise();
        }
    };
    cut_often(MORE_SEEDS, work, |left, promised, case| {
        let (store, _) = DataStore::open(&left.join("data")).unwrap_or_else(|error| panic!("{case}: {error}"));
        let opened: data::Result<(Journal<Wangqi>, _)> = store.journal(0);
        let (mut journal, recovered) = opened.unwrap_or_else(|error| panic!("{case}: {error}"));
        let (kept, sure) = (recovered.games.len(), promised * BATCH);
        assert!((sure..=sure + BATCH).contains(&kept), "{case}: {kept} of {sure} games");
        assert!(recovered.games == all[..kept], "{case}");
        journal.append_all(&all[kept..]).expect("appended");
        drop(journal);
        let (_, whole) = store.journal::<Wangqi>(0).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert!(whole.games == all && whole.torn_bytes == 0, "{case}");
    });
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct CrashNote {
    text: String,
}

impl LogEntry for CrashNote {
    const TAG: &'static str = "note";
}

/// A log that is replaced is the old one or the new one.
#[test]
fn a_replaced_log_is_whole() {
    let of = |number: usize| vec![CrashNote { text: "a long line ".repeat(90) }; number];
    let work = |base: &Path, promise: &mut dyn FnMut()| {
        for number in 1..=4 {
            LineLog::replace(&base.join("notes.jsonl"), &of(number)).expect("written");
            promise();
        }
    };
    cut_after_each_step(work, |left, promised, case| {
        let (_, contents) =
            LineLog::<CrashNote>::open(&left.join("notes.jsonl")).unwrap_or_else(|e| panic!("{case}: {e}"));
        let kept = contents.entries.len();
        assert!(kept == promised || kept == promised + 1, "{case}: {kept} after {promised}");
        assert_eq!(contents.torn_bytes, 0, "{case}");
    });
}

/// Merging shards keeps every game at any moment.
#[test]
fn compaction_loses_no_game() {
    let all = by_id(games(0, 6, 12));
    let work = |base: &Path, promise: &mut dyn FnMut()| {
        let (store, _) = DataStore::open(&base.join("data")).expect("a store");
        for (name, games) in [("a", &all[..3]), ("b", &all[3..])] {
            store.commit_shard(0, name, games, &Provenance::default()).expect("committed");
        }
        promise();
        store.compact::<Wangqi>(1_000_000, 0).expect("merged");
    };
    cut_after_each_step(work, |left, promised, case| {
        let (store, _) = DataStore::open(&left.join("data")).unwrap_or_else(|error| panic!("{case}: {error}"));
        if promised == 1 {
            let shards = store.shards("wangqi").expect("a manifest");
            let games = shards.iter().flat_map(|shard| store.read_shard::<Wangqi>(shard).expect("games"));
            let games = by_id(games.collect());
            assert!(games == all, "{case}: {} games", games.len());
        }
    });
}
