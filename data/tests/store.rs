//! A store end to end: what goes in comes out, equal games give equal bytes, mistakes are named.

use std::fs;
use std::path::Path;

use crate::synthetic::games;
use data::{DataError, DataStore, GameRecord, Provenance};
use rules::{Move, Wangqi};

fn open(root: &Path) -> DataStore {
    let (store, recovery) = DataStore::open(root).unwrap();
    assert!(recovery.is_clean(), "{recovery:?}");
    store
}

fn commit(store: &DataStore, generation: u32, games: &[GameRecord<Wangqi>]) -> Result<data::ShardEntry, DataError> {
    let provenance = Provenance { config_digest: "c0ffee".into(), git_revision: "f00d".into() };
    store.commit_shard(generation, "local", games, &provenance)
}

#[test]
fn what_goes_in_comes_out() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    // Later generation first: shards come in the order of generations all the same.
    for generation in [1, 0] {
        commit(&store, generation, &games(generation, 50, 40)).unwrap();
    }
    let shards = store.shards("wangqi").unwrap();
    assert_eq!(shards.iter().map(|shard| shard.generation).collect::<Vec<_>>(), [0, 1]);
    assert!(store.shards("xiangqi").unwrap().is_empty());
    for shard in shards {
        let mut expected = games(shard.generation, 50, 40);
        expected.sort_by_key(|game| game.game_id);
        assert_eq!(store.read_shard(&shard).unwrap(), expected);
        assert_eq!(shard.positions.rows, expected.iter().map(|game| game.positions.len() as u64).sum::<u64>());
        for game in &mut expected {
            game.positions.clear();
        }
        assert_eq!(store.read_games(&shard).unwrap(), expected);
        let other = store.read_games::<rules::Xiangqi>(&shard).unwrap_err().to_string();
        assert!(other.contains("column variant: row 0: a game of wangqi, not of xiangqi"), "{other}");
    }
}

#[test]
fn equal_games_give_equal_bytes() {
    let shards: Vec<_> = [false, true]
        .map(|reversed| {
            let folder = tempfile::tempdir().unwrap();
            let store = open(folder.path());
            let mut games = games(7, 40, 60);
            if reversed {
                games.reverse();
            }
            let entry = commit(&store, 7, &games).unwrap();
            let bytes = [&entry.games, &entry.positions].map(|file| fs::read(folder.path().join(&file.path)).unwrap());
            (entry, bytes)
        })
        .into();
    assert!(shards[0] == shards[1]);
}

#[test]
fn committing_twice_is_committing_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let first = commit(&store, 0, &games(0, 5, 20)).unwrap();
    assert_eq!(commit(&store, 0, &games(0, 5, 20)).unwrap(), first);
    // Another build of the program resumes after a kill between the manifest's line and the journal's end.
    let rebuilt = Provenance { git_revision: "bead".into(), ..Provenance::default() };
    assert_eq!(store.commit_shard(0, "local", &games(0, 5, 20), &rebuilt).unwrap(), first);
    assert_eq!(store.all_shards().unwrap(), std::slice::from_ref(&first));
    let error = commit(&store, 0, &games(0, 6, 20)).unwrap_err();
    assert!(matches!(error, DataError::ShardExists { .. }), "{error}");
    assert_eq!(store.all_shards().unwrap(), [first]);
}

#[test]
fn a_generation_without_games_is_a_shard_too() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let entry = commit(&store, 0, &[]).unwrap();
    assert!(store.read_shard::<Wangqi>(&entry).unwrap().is_empty());
}

#[test]
fn one_writer_many_readers() {
    let folder = tempfile::tempdir().unwrap();
    assert!(DataStore::open_read_only(&folder.path().join("nowhere")).is_err());
    let writer = open(folder.path());
    assert!(matches!(DataStore::open(folder.path()), Err(DataError::InUse { .. })));
    let reader = DataStore::open_read_only(folder.path()).unwrap();
    commit(&writer, 0, &games(0, 3, 9)).unwrap();
    assert_eq!(reader.shards("wangqi").unwrap().len(), 1);
    assert!(matches!(commit(&reader, 1, &games(1, 3, 9)), Err(DataError::ReadOnly { .. })));
    drop(writer);
    open(folder.path());
}

#[test]
fn a_file_that_is_not_what_was_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let entry = commit(&store, 0, &games(0, 30, 30)).unwrap();
    let path = folder.path().join(&entry.positions.path);
    let good = fs::read(&path).unwrap();
    for place in (0..good.len()).step_by(good.len() / 97) {
        let mut bad = good.clone();
        bad[place] ^= 1 << (place % 8);
        fs::write(&path, &bad).unwrap();
        let error = store.read_shard::<Wangqi>(&entry).unwrap_err();
        assert!(matches!(&error, DataError::Changed { path: named, .. } if *named == path), "{error}");
    }
    fs::write(&path, &good[..good.len() - 1]).unwrap();
    assert!(store.read_shard::<Wangqi>(&entry).unwrap_err().to_string().contains("bytes instead of"));
    fs::remove_file(&path).unwrap();
    assert!(store.read_shard::<Wangqi>(&entry).unwrap_err().to_string().contains("it is missing"));
}

#[test]
fn contradictions_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let refused = |wanted: &str, spoil: fn(&mut GameRecord<Wangqi>)| {
        let mut games = games(0, 2, 20);
        spoil(&mut games[0]);
        let error = commit(&store, 0, &games).unwrap_err();
        assert!(error.to_string().contains(wanted), "{error}");
    };
    refused("in moves_text", |game| game.moves_text.push_str(" a1a2"));
    refused("points are not finite", |game| game.sheet.outcome.points = Some([1.0, f32::INFINITY]));
    refused("generation is 9", |game| game.generation = 9);
    refused("same id", |game| game.game_id = 0);
    refused("the policy is empty", |game| game.positions[0].policy_visits.fill(0));
    refused("differ in length", |game| game.positions[0].policy_move.push(Move::from_raw(1)));
    refused("not the game's move", |game| game.positions[0].mv = Move::from_raw(0));
    refused("not a distribution", |game| game.positions[0].root_wdl = [0.5, 0.5, 0.5]);
    refused("not finite", |game| game.positions[0].net_q = f32::NAN);
    assert!(store.all_shards().unwrap().is_empty());
    let error = store.commit_shard::<Wangqi>(0, "../local", &[], &Provenance::default()).unwrap_err();
    assert!(matches!(error, DataError::Name { .. }), "{error}");
}

/// A folder that is moved away or deleted under a writer is named, and nothing is begun in its place.
#[test]
fn a_vanished_folder_is_named_and_not_made_anew() {
    let above = tempfile::tempdir().unwrap();
    let (root, elsewhere) = (above.path().join("data"), above.path().join("elsewhere"));
    let store = open(&root);
    let games = games(0, 3, 10);
    let (mut journal, _) = store.journal::<Wangqi>(0).unwrap();
    journal.append(&games[0]).unwrap();
    fs::rename(&root, &elsewhere).unwrap();
    let lost = journal.append(&games[1]).unwrap_err();
    assert!(matches!(&lost, DataError::Vanished { path } if path == journal.path()), "{lost}");
    assert!(matches!(commit(&store, 0, &games), Err(DataError::NoFolder { .. })));
    assert!(matches!(store.journal::<Wangqi>(1), Err(DataError::NoFolder { .. })));
    let write = || data::durable::write_atomically(&root.join("state"), |_| Ok(()));
    assert!(matches!(write(), Err(DataError::NoFolder { path }) if path == root.join("state")));
    assert!(!root.exists());
    // With the folder back, writing continues with what was there.
    fs::rename(&elsewhere, &root).unwrap();
    journal.append(&games[1]).unwrap();
    commit(&store, 0, &games).unwrap();
    write().unwrap();
    drop(journal);
    assert_eq!(store.journal::<Wangqi>(0).unwrap().1.games, games[..2]);
    // A file in the same place that is not the same file.
    let (mut journal, _) = store.journal::<Wangqi>(0).unwrap();
    fs::remove_file(journal.path()).unwrap();
    fs::write(journal.path(), "").unwrap();
    assert!(matches!(journal.append(&games[2]), Err(DataError::Vanished { .. })));
}
