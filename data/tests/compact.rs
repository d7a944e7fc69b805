//! Merging shards: the same games and statistics, a kill or a full disk at every step, readers at the same time.

use crate::synthetic;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread;

use data::{DataError, DataStore, GameRecord, OpeningQuery, OpeningTable, Provenance};
use rules::Wangqi;
use testkit::fault::{self, FaultKind};

/// Shards of generation 0, whose games do not come in the order of their ids, and one shard of generation 1.
fn folder_of_shards(root: &Path, shards: usize) -> Vec<GameRecord<Wangqi>> {
    let (store, _) = DataStore::open(root).unwrap();
    let games = synthetic::games(0, 12, 14);
    for shard in 0..shards {
        let games: Vec<_> = games.iter().skip(shard).step_by(shards).cloned().collect();
        let provenance = Provenance { config_digest: format!("config{shard}"), git_revision: "1234".into() };
        store.commit_shard(0, &format!("import-{shard}"), &games, &provenance).unwrap();
    }
    let later = synthetic::games(1, 3, 14);
    store.commit_shard(1, "local", &later, &Provenance::default()).unwrap();
    games.into_iter().chain(later).collect()
}

/// Copies the files of a folder to another one. Nothing is synced: hundreds of synced copies take most of a busy
/// machine's time.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// All games that the manifest names, by id, each seen once.
fn games(store: &DataStore) -> BTreeMap<u64, GameRecord<Wangqi>> {
    let mut found = BTreeMap::new();
    for shard in store.shards("wangqi").unwrap() {
        for game in store.read_shard::<Wangqi>(&shard).unwrap() {
            assert!(found.insert(game.game_id, game).is_none(), "a game is there twice");
        }
    }
    found
}

fn by_id(games: &[GameRecord<Wangqi>]) -> BTreeMap<u64, GameRecord<Wangqi>> {
    games.iter().map(|game| (game.game_id, game.clone())).collect()
}

fn openings(store: &DataStore) -> OpeningTable {
    store.openings(&OpeningQuery { depth: 4, ..OpeningQuery::new("wangqi") }).unwrap()
}

/// Parquet files that a pattern finds in the two tables.
fn files(root: &Path) -> usize {
    let count = |table: &str| {
        let folders = fs::read_dir(root.join(table).join("variant=wangqi")).unwrap();
        folders.map(|folder| fs::read_dir(folder.unwrap().path()).unwrap().count()).sum::<usize>()
    };
    count("games") + count("positions")
}

#[test]
fn few_large_shards_hold_the_same_games() {
    let folder = tempfile::tempdir().unwrap();
    let all = folder_of_shards(folder.path(), 4);
    let (store, _) = DataStore::open(folder.path()).unwrap();
    let (before, summary) = (openings(&store), store.summary("wangqi", 0..=9).unwrap());
    let done = store.compact::<Wangqi>(1_000_000, 0).unwrap();
    assert_eq!((done.shards_before, done.shards_after, done.games), (5, 2, 15));
    assert!(done.bytes_after < done.bytes_before, "{done:?}");
    assert_eq!((games(&store), files(folder.path())), (by_id(&all), 4));
    assert_eq!((openings(&store), store.summary("wangqi", 0..=9).unwrap()), (before, summary));
    let shards = store.shards("wangqi").unwrap();
    assert_eq!(shards[0].parts, ["import-0", "import-1", "import-2", "import-3"]);
    assert_eq!((shards[1].shard.as_str(), shards[1].parts.len()), ("local", 0), "alone in its generation");
    let ids: Vec<u64> = store.read_games::<Wangqi>(&shards[0]).unwrap().iter().map(|game| game.game_id).collect();
    assert!(ids.is_sorted());

    // What was committed is known to be there; other games under its name are refused.
    let part: Vec<_> = all[..12].iter().skip(1).step_by(4).cloned().collect();
    let again = store.commit_shard(0, "import-1", &part, &Provenance::default()).unwrap();
    assert_eq!(again, shards[0]);
    let other = synthetic::games(0, 13, 14);
    let refused = store.commit_shard(0, "import-1", &other, &Provenance::default());
    assert!(matches!(refused, Err(DataError::ShardExists { .. })), "{refused:?}");

    // Again: nothing is left to merge.
    let manifest = fs::read(folder.path().join(data::MANIFEST)).unwrap();
    let done = store.compact::<Wangqi>(1_000_000, 0).unwrap();
    assert_eq!((done.shards_before, done.shards_after), (2, 2));
    assert_eq!(fs::read(folder.path().join(data::MANIFEST)).unwrap(), manifest);
}

#[test]
fn generations_before_the_first_one_stay_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    folder_of_shards(folder.path(), 4);
    let (store, _) = DataStore::open(folder.path()).unwrap();
    let before = store.shards("wangqi").unwrap();
    assert_eq!(store.compact::<Wangqi>(1_000_000, 1).unwrap().shards_after, 5);
    assert_eq!(store.shards("wangqi").unwrap(), before);
}

#[test]
fn a_shard_does_not_outgrow_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let all = folder_of_shards(folder.path(), 6);
    let (store, _) = DataStore::open(folder.path()).unwrap();
    let rows = |shard: &data::ShardEntry| shard.games.rows + shard.positions.rows;
    let largest = store.shards("wangqi").unwrap().iter().map(rows).max().unwrap();
    let done = store.compact::<Wangqi>(2 * largest, 0).unwrap();
    assert!((3..=4).contains(&(done.shards_after - 1)), "{done:?}");
    assert!(store.shards("wangqi").unwrap().iter().all(|shard| rows(shard) <= 2 * largest));
    assert_eq!(games(&store), by_id(&all));
    // Nothing fits together, so nothing changes.
    assert_eq!(store.compact::<Wangqi>(1, 0).unwrap().shards_after, done.shards_after);
}

/// What every step of a merge begins from: a folder, and what it holds.
struct Template {
    folder: tempfile::TempDir,
    games: BTreeMap<u64, GameRecord<Wangqi>>,
    openings: OpeningTable,
    /// Makes two groups, so that the first is merged when the second fails.
    most_rows: u64,
}

impl Template {
    fn new() -> Template {
        let folder = tempfile::tempdir().unwrap();
        let games = by_id(&folder_of_shards(folder.path(), 4));
        let store = DataStore::open_read_only(folder.path()).unwrap();
        let shards = store.shards("wangqi").unwrap();
        let rows: Vec<u64> = shards.iter().map(|shard| shard.games.rows + shard.positions.rows).collect();
        let most_rows = (rows[0] + rows[1]).max(rows[2] + rows[3]);
        Template { games, openings: openings(&store), most_rows, folder }
    }

    /// Lets the `n`-th step of a merge fail. Returns whether there is such a step.
    fn fails_at(&self, kind: FaultKind, n: u64) -> bool {
        let folder = tempfile::tempdir().unwrap();
        copy(self.folder.path(), folder.path());
        let (store, _) = DataStore::open(folder.path()).unwrap();
        let fault = fault::install(kind, n);
        let done = store.compact::<Wangqi>(self.most_rows, 0);
        let happened = fault.happened();
        drop(fault);
        drop(store);
        // A reader at this moment, which follows the manifest.
        let reader = DataStore::open_read_only(folder.path()).unwrap();
        assert_eq!((&games(&reader), &openings(&reader)), (&self.games, &self.openings), "{kind:?}, step {n}");
        // The next writer.
        let (store, recovery) = DataStore::open(folder.path()).unwrap();
        assert_eq!(files(folder.path()), 2 * store.all_shards().unwrap().len(), "{kind:?}, step {n}: {recovery:?}");
        store.compact::<Wangqi>(self.most_rows, 0).unwrap();
        assert_eq!((&games(&store), &openings(&store)), (&self.games, &self.openings), "{kind:?}, step {n}");
        assert_eq!((store.all_shards().unwrap().len(), files(folder.path())), (3, 6), "{kind:?}, step {n}");
        assert!(happened || done.is_ok());
        happened
    }
}

/// Steps in flight: they mostly wait for the disk, which syncs several files together nearly as fast as one.
const SIDE_BY_SIDE: u64 = 16;

#[test]
fn a_kill_at_any_step_loses_nothing_and_doubles_nothing() {
    let template = &Template::new();
    for kind in [FaultKind::DiskFull, FaultKind::Kill] {
        let mut steps = 0;
        loop {
            // Faults are counted by thread.
            let happened: Vec<bool> = thread::scope(|scope| {
                let step = |n| scope.spawn(move || template.fails_at(kind, n));
                let started: Vec<_> = (steps + 1..=steps + SIDE_BY_SIDE).map(step).collect();
                started.into_iter().map(|step| step.join().unwrap()).collect()
            });
            let failed = happened.iter().take_while(|&&happened| happened).count() as u64;
            steps += failed;
            if failed < SIDE_BY_SIDE {
                assert!(happened[failed as usize..].iter().all(|happened| !happened), "steps come one after the other");
                break;
            }
        }
        assert!(steps >= 20, "only {steps} steps were tried");
    }
}

#[test]
fn who_has_read_the_manifest_before_is_told_to_run_again() {
    let folder = tempfile::tempdir().unwrap();
    folder_of_shards(folder.path(), 2);
    let reader = DataStore::open_read_only(folder.path()).unwrap();
    let shards = reader.shards("wangqi").unwrap();
    let (store, _) = DataStore::open(folder.path()).unwrap();
    assert!(matches!(reader.compact::<Wangqi>(1000, 0), Err(DataError::ReadOnly { .. })));
    store.compact::<Wangqi>(1_000_000, 0).unwrap();
    let error = reader.read_shard::<Wangqi>(&shards[0]).unwrap_err();
    assert!(matches!(error, DataError::Merged { .. }) && error.to_string().contains("again"), "{error}");
}

#[test]
fn two_games_of_one_id_are_not_merged() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = DataStore::open(folder.path()).unwrap();
    let games = synthetic::games(0, 3, 14);
    store.commit_shard(0, "a", &games, &Provenance::default()).unwrap();
    store.commit_shard(0, "b", &games[..1], &Provenance::default()).unwrap();
    let before = store.all_shards().unwrap();
    assert!(matches!(store.compact::<Wangqi>(1_000_000, 0), Err(DataError::InvalidRecord { .. })));
    assert_eq!((store.all_shards().unwrap(), files(folder.path())), (before, 4));
}
