//! The files themselves: committed old ones stay readable, any records survive the way through, and polars reads
//! every column without our code.

mod synthetic;

use std::fs;
use std::path::{Path, PathBuf};

use data::{DataStore, GameRecord, Journal, PositionRecord, Provenance};
use polars::prelude::{DataType, HiveOptions, LazyFrame, PlRefPath, ScanArgsParquet};
use proptest::prelude::*;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// Four games with every optional field filled and empty; what `fixtures/schema-1` holds.
fn four_games() -> Vec<GameRecord> {
    let mut games = synthetic::games(3, 4, 12);
    games[0].setup_first = Some("inner elephant".into());
    games[0].setup_second = Some("outer elephant".into());
    games[0].points_second = Some(71.0);
    games[1].start_fen = Some("4k3/8/8/8/8/8/8/4K3[] w 0 1".into());
    games
}

#[test]
fn committed_old_data_is_readable() {
    let entries = fs::read_dir(fixtures()).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    assert!(!folders.is_empty());
    for folder in folders {
        let store = DataStore::open_read_only(&folder.join("data")).unwrap();
        assert_eq!(store.verify().unwrap(), 2);
        // The same games as JSON lines; a copy, since opening a journal may cut it.
        let scratch = tempfile::tempdir().unwrap();
        let journal = scratch.path().join("games.jsonl");
        fs::copy(folder.join("games.jsonl"), &journal).unwrap();
        let mut expected = Journal::open(&journal).unwrap().1.games;
        assert_eq!(expected.len(), 4);
        expected.sort_by_key(|game| game.game_id);
        let shard = store.shards("wangqi").unwrap().remove(0);
        assert_eq!(store.read_shard(&shard).unwrap(), expected, "{}", folder.display());
        assert_eq!(store.read_training(&shard).unwrap().len(), 4);
        assert_eq!(store.summary("wangqi", 0..=9).unwrap()[0].games, 4);
    }
}

/// Run once for each schema version: `cargo test --release -p data --test files -- --ignored`.
#[test]
#[ignore = "writes the fixture of the present schema version, once"]
fn write_the_fixture() {
    let folder = fixtures().join(format!("schema-{}", data::schema::SCHEMA_VERSION));
    assert!(!folder.exists(), "{} is there; committed data is not rewritten", folder.display());
    let games = four_games();
    Journal::open(&folder.join("games.jsonl")).unwrap().0.append_all(&games).unwrap();
    let (store, _) = DataStore::open(&folder.join("data")).unwrap();
    let provenance = Provenance { config_digest: "0123456789abcdef".into(), git_revision: "a2f4469".into() };
    store.commit_shard("wangqi", 3, "local", &games, &provenance).unwrap();
    drop(store);
    fs::remove_file(folder.join("data/.lock")).unwrap();
}

#[test]
fn the_writer_still_writes_the_fixture() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = DataStore::open(folder.path()).unwrap();
    let provenance = Provenance { config_digest: "0123456789abcdef".into(), git_revision: "a2f4469".into() };
    let shard = store.commit_shard("wangqi", 3, "local", &four_games(), &provenance).unwrap();
    // Other columns or types without a new schema version would be noticed here. Not the bytes: those may change
    // with the Parquet library, whose version is in the footer.
    let name = format!("schema-{}/data", data::schema::SCHEMA_VERSION);
    let old = DataStore::open_read_only(&fixtures().join(name)).unwrap();
    let old_shard = old.shards("wangqi").unwrap().remove(0);
    assert_eq!(store.read_shard(&shard).unwrap(), old.read_shard(&old_shard).unwrap());
    let schema = |root: &Path, path: &str| scan(&root.join(path)).collect_schema().unwrap();
    for (new, old_file) in [(&shard.games, &old_shard.games), (&shard.positions, &old_shard.positions)] {
        assert_eq!(schema(store.root(), &new.path), schema(old.root(), &old_file.path));
    }
}

fn scan(path: &Path) -> LazyFrame {
    let hive_options = HiveOptions { enabled: Some(false), ..HiveOptions::default() };
    let options = ScanArgsParquet { glob: false, hive_options, ..ScanArgsParquet::default() };
    LazyFrame::scan_parquet(PlRefPath::try_from_path(path).unwrap(), options).unwrap()
}

#[test]
fn polars_reads_every_column() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = DataStore::open(folder.path()).unwrap();
    let shard = store.commit_shard("wangqi", 3, "local", &four_games(), &Provenance::default()).unwrap();
    let games = scan(&folder.path().join(&shard.games.path)).collect().unwrap();
    assert_eq!((games.height(), games.width()), (4, data::schema::GAMES.fields().len()));
    assert_eq!(games.column("moves").unwrap().dtype(), &DataType::List(Box::new(DataType::UInt32)));
    assert_eq!(games.column("start_fen").unwrap().null_count(), 3);
    assert!(matches!(games.column("started_at").unwrap().dtype(), DataType::Datetime(_, Some(_))));

    let positions = scan(&folder.path().join(&shard.positions.path)).collect().unwrap();
    assert_eq!(positions.width(), data::schema::POSITIONS.fields().len());
    let mut games = four_games();
    games.sort_by_key(|game| game.game_id);
    let expected: Vec<&PositionRecord> = games.iter().flat_map(|game| &game.positions).collect();
    let keys: Vec<_> = positions.column("pos_key").unwrap().binary().unwrap().iter().map(Option::unwrap).collect();
    assert_eq!(keys, expected.iter().map(|at| &at.pos_key[..]).collect::<Vec<_>>());
    let visits = positions.column("policy_visits").unwrap().list().unwrap();
    let lengths: Vec<_> = visits.amortized_iter().map(|list| list.unwrap().as_ref().len()).collect();
    assert_eq!(lengths, expected.iter().map(|at| at.policy_visits.len()).collect::<Vec<_>>());
}

fn finite() -> impl Strategy<Value = f32> {
    any::<f32>().prop_filter("finite", |value| value.is_finite())
}

fn a_position(mv: u32, ply: usize) -> impl Strategy<Value = PositionRecord> {
    let policy = proptest::collection::vec((any::<u32>(), 1..=u32::MAX), 1..6);
    let keys = (any::<[u8; 12]>(), any::<Option<[u8; 12]>>());
    let values = (finite(), finite(), finite(), finite(), 0f32..=1f32);
    let counts = (any::<u32>(), any::<bool>(), 0f32..1e9, any::<u32>(), 0..2u8);
    (policy, keys, values, counts).prop_map(move |(policy, keys, values, counts)| {
        let (policy_move, policy_visits) = policy.into_iter().unzip();
        PositionRecord {
            ply: ply as u16,
            side: counts.4,
            pos_key: keys.0,
            parent_key: keys.1,
            mv,
            policy_move,
            policy_visits,
            root_wdl: [values.4, 1.0 - values.4, 0.0],
            root_q: values.0,
            net_q: values.1,
            net_policy_entropy: values.2,
            policy_kld: values.3,
            visits: counts.0,
            full_search: counts.1,
            target_weight: counts.2,
            generation: counts.3,
        }
    })
}

fn a_game() -> impl Strategy<Value = GameRecord> {
    let moves = proptest::collection::vec(any::<u32>(), 0..8);
    let texts = (any::<String>(), any::<Option<String>>(), any::<Option<String>>(), "[ -~]{1,20}");
    let numbers = (any::<u64>(), any::<i64>(), -1..=1i8, proptest::option::of(finite()), any::<bool>(), any::<u32>());
    (moves, texts, numbers).prop_flat_map(|(moves, texts, numbers)| {
        let positions: Vec<_> = moves.iter().enumerate().map(|(ply, &mv)| a_position(mv, ply)).collect();
        positions.prop_map(move |positions| GameRecord {
            run_id: texts.0.clone(),
            generation: 5,
            variant: "wangqi".into(),
            ruleset: texts.3.clone(),
            seed: numbers.0,
            start_fen: texts.1.clone(),
            setup_first: texts.2.clone(),
            moves: moves.clone(),
            moves_text: moves.iter().map(|mv| format!("m{mv}")).collect::<Vec<_>>().join(" "),
            result: numbers.2,
            termination: texts.3.clone(),
            points_first: numbers.3,
            visits: numbers.5,
            resigned_playthrough: numbers.4,
            started_at: numbers.1,
            wall_ms: numbers.5,
            positions,
            ..GameRecord::default()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn any_records_survive_journal_and_shard(mut games in proptest::collection::vec(a_game(), 0..6)) {
        for (index, game) in games.iter_mut().enumerate() {
            game.game_id = u64::MAX - index as u64;
        }
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = DataStore::open(folder.path()).unwrap();
        store.journal("wangqi", 5).unwrap().0.append_all(&games).unwrap();
        let journaled = store.journal("wangqi", 5).unwrap().1.games;
        prop_assert_eq!(&journaled, &games);
        let shard = store.commit_shard("wangqi", 5, "local", &journaled, &Provenance::default()).unwrap();
        games.reverse();
        prop_assert_eq!(store.read_shard(&shard).unwrap(), games);
    }
}

#[test]
fn the_readme_explains_every_column() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    for schema in [&*data::schema::GAMES, &*data::schema::POSITIONS] {
        for field in schema.fields() {
            assert!(readme.contains(&format!("`{}`", field.name())), "{} is not in README.md", field.name());
        }
    }
}
