//! The files themselves: committed old ones stay readable, and any records survive the way through.

use crate::synthetic;
use std::fs;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt32Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::SchemaRef;
use data::{DataStore, GameRecord, Journal, OpeningQuery, PositionRecord, Provenance, ShardEntry};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::schema::types::SchemaDescriptor;
use proptest::prelude::*;
use rules::{
    Game, GameResult, Janggi, Move, Outcome, Position, Rulebook, Rules, Scoresheet, Side, Termination, Variant,
    VariantId, Wangqi,
};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Four games with every optional value present and absent; what the fixture of each schema version holds.
fn four_games() -> Vec<GameRecord<Wangqi>> {
    let mut games = synthetic::games(3, 4, 12);
    let start = Position::from_fen("4k3/8/8/8/8/8/8/4K3[P] w - - 0 1").unwrap();
    let game = Game::from_moves_text(Rules::default(), start, "P@a4 e8d8 a4a5").unwrap();
    let outcome = Outcome { points: None, ..Outcome::win(Side::Second, Termination::Resign) };
    games[1] = GameRecord { game_id: games[1].game_id, generation: 3, ..GameRecord::of(&game, outcome) };
    games
}

/// The shards of a fixture, read as games of `V`, are what its JSON lines say.
fn read_as_written<V: Variant>(folder: &Path, shard: &ShardEntry) {
    let store = DataStore::open_read_only(&folder.join("data")).unwrap();
    // A copy, since opening a journal may cut it.
    let scratch = tempfile::tempdir().unwrap();
    let journal = scratch.path().join("games.jsonl");
    fs::copy(folder.join(format!("{}.jsonl", V::ID)), &journal).unwrap();
    let mut expected = Journal::<V>::open(&journal).unwrap().1.games;
    expected.sort_by_key(|game| game.game_id);
    assert_eq!(expected.len() as u64, shard.games.rows);
    assert_eq!(store.read_shard(shard).unwrap(), expected, "{}", folder.display());
    for game in &expected {
        let replayed = game.sheet.replay().finish().unwrap();
        assert_eq!(replayed.moves_text(), game.moves_text);
        for at in &game.positions {
            let position = &replayed.positions()[usize::from(at.ply)];
            assert_eq!((position.key().to_bytes(), position.side()), (at.pos_key, at.side));
        }
    }
    assert_eq!(store.summary(V::ID, 0..=9).unwrap()[0].games, expected.len() as u64);
}

/// `played-1` was written by self-play with schema version 1.
#[test]
fn committed_old_data_is_readable() {
    for name in ["played-1", "schema-2", "schema-3", "schema-4"] {
        let store = DataStore::open_read_only(&fixture(name).join("data")).unwrap();
        for shard in store.all_shards().unwrap() {
            let id: VariantId = shard.variant.parse().unwrap();
            rules::dispatch!(id, V => read_as_written::<V>(&fixture(name), &shard));
        }
    }
    let store = DataStore::open_read_only(&fixture("played-1").join("data")).unwrap();
    let games = store.read_games::<Janggi>(&store.shards("janggi").unwrap()[0]).unwrap();
    assert!(games.iter().any(|game| game.sheet.start.setups().is_some()), "setups");
    assert!(games.iter().all(|game| game.sheet.outcome.points.is_some()), "points");
}

/// The games of `schema-1` are made up: neither their moves nor the name of their rule set is real. As tables they can be
/// read, and as games they are refused with the reason.
#[test]
fn made_up_games_of_before_are_tables_still() {
    let store = DataStore::open_read_only(&fixture("schema-1").join("data")).unwrap();
    let shard = store.shards("wangqi").unwrap().remove(0);
    let games = rows(&store.root().join(&shard.games.path));
    assert_eq!((games.num_rows(), games.column_by_name("opening_id").unwrap().null_count()), (4, 3));
    assert_eq!(rows(&store.root().join(&shard.positions.path)).num_rows() as u64, shard.positions.rows);
    assert_eq!(store.summary("wangqi", 0..=9).unwrap()[0].games, 4);
    let table = store.openings(&OpeningQuery::new("wangqi")).unwrap();
    assert_eq!((table.games, table.other_starts), (3, 1));
    let error = store.read_shard::<Wangqi>(&shard).unwrap_err().to_string();
    assert!(error.contains("column ruleset: row 0: wangqi has no rule set \"full\""), "{error}");
}

/// A run that was continued with a later version has shards of both.
#[test]
fn statistics_span_schema_versions() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("data");
    let old = DataStore::open_read_only(&fixture("played-1").join("data")).unwrap();
    let shard = old.shards("wangqi").unwrap().remove(0);
    for file in [&shard.games, &shard.positions] {
        fs::create_dir_all(root.join(&file.path).parent().unwrap()).unwrap();
        fs::copy(old.root().join(&file.path), root.join(&file.path)).unwrap();
    }
    data::LineLog::replace(&root.join(data::MANIFEST), [&shard]).unwrap();
    let (store, _) = DataStore::open(&root).unwrap();
    store.commit_shard(3, "local", &four_games(), &Provenance::default()).unwrap();
    let shards = store.shards("wangqi").unwrap();
    assert_eq!(shards.iter().map(|shard| shard.schema_version).collect::<Vec<_>>(), [1, data::SCHEMA_VERSION]);
    let summary = store.summary("wangqi", 0..=9).unwrap();
    assert_eq!(summary.iter().map(|row| row.games).collect::<Vec<_>>(), [shard.games.rows, 4]);
    let table = store.openings(&OpeningQuery::new("wangqi")).unwrap();
    assert_eq!((table.games, table.other_starts), (shard.games.rows + 3, 1));
}

/// Writes the fixture of the present schema version, which is done once.
fn write_the_fixture(folder: &Path, provenance: &Provenance) {
    let games = four_games();
    let (store, _) = DataStore::open(&folder.join("data")).unwrap();
    Journal::open(&folder.join("wangqi.jsonl")).unwrap().0.append_all(&games).unwrap();
    store.commit_shard(3, "local", &games, provenance).unwrap();
    drop(store);
    fs::remove_file(folder.join("data/.lock")).unwrap();
}

/// With `UPDATE_EXPECT=1` a fixture that is not there is written. Committed data is not rewritten.
#[test]
fn the_writer_still_writes_the_fixture() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = DataStore::open(folder.path()).unwrap();
    let provenance = Provenance { config_digest: "0123456789abcdef".into(), git_revision: "a2f4469".into() };
    let shard = store.commit_shard(3, "local", &four_games(), &provenance).unwrap();
    let old = fixture(&format!("schema-{}", data::SCHEMA_VERSION));
    if !old.exists() && std::env::var_os("UPDATE_EXPECT").is_some() {
        write_the_fixture(&old, &provenance);
    }
    // Other columns or types without a new schema version would be noticed here. Bytes are not compared: they may change
    // with the Parquet library, whose version is in the footer.
    let old = DataStore::open_read_only(&old.join("data")).unwrap();
    let old_shard = old.shards("wangqi").unwrap().remove(0);
    assert_eq!(store.read_shard::<Wangqi>(&shard).unwrap(), old.read_shard(&old_shard).unwrap());
    for (new, old_file) in [(&shard.games, &old_shard.games), (&shard.positions, &old_shard.positions)] {
        assert_eq!(schema(&store.root().join(&new.path)), schema(&old.root().join(&old_file.path)));
    }
}

/// The columns of a Parquet file, and how they are stored.
fn schema(path: &Path) -> (SchemaRef, SchemaDescriptor) {
    let file = ParquetRecordBatchReaderBuilder::try_new(fs::File::open(path).unwrap()).unwrap();
    (file.schema().clone(), file.parquet_schema().clone())
}

/// All rows of a small Parquet file.
fn rows(path: &Path) -> RecordBatch {
    let file = ParquetRecordBatchReaderBuilder::try_new(fs::File::open(path).unwrap()).unwrap();
    file.build().unwrap().next().unwrap().unwrap()
}

/// Columns that are written for others and not read here.
#[test]
fn derived_columns_follow_from_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = DataStore::open(folder.path()).unwrap();
    let shard = store.commit_shard(3, "local", &four_games(), &Provenance::default()).unwrap();
    let positions = rows(&folder.path().join(&shard.positions.path));
    let column = |name: &str| positions.column_by_name(name).unwrap();
    let (results, left) = (column("result_stm").as_primitive::<Int32Type>(), column("plies_left"));
    let left = left.as_primitive::<UInt32Type>();
    let mut games = four_games();
    games.sort_by_key(|game| game.game_id);
    let searched = games.iter().flat_map(|game| game.positions.iter().map(move |at| (game, at)));
    for (row, (game, at)) in searched.enumerate() {
        assert_eq!(results.value(row), i32::from(game.sheet.outcome.result.for_side(at.side)));
        assert_eq!(left.value(row) as usize, game.plies() - usize::from(at.ply));
    }
    let games = rows(&folder.path().join(&shard.games.path));
    let versions = games.column_by_name("schema_version").unwrap().as_primitive::<UInt32Type>();
    assert!(versions.values().iter().all(|&version| version == data::SCHEMA_VERSION));
}

fn finite() -> impl Strategy<Value = f32> {
    any::<f32>().prop_filter("finite", |value| value.is_finite())
}

fn a_position(mv: u32, ply: usize) -> impl Strategy<Value = PositionRecord> {
    // Each move once.
    let policy = proptest::collection::btree_map(any::<u32>(), 1..=u32::MAX, 1..6);
    let keys = (any::<[u8; 12]>(), any::<Option<[u8; 12]>>());
    let values = (-1f32..=1f32, -1f32..=1f32, 0f32..1e3, 0f32..1e3, 0f32..=1f32);
    let counts = (0..1u32 << 28, any::<bool>(), 0f32..65_536.0, any::<u32>(), 0..2usize, any::<bool>());
    (policy, keys, values, counts).prop_map(move |(policy, keys, values, counts)| {
        let (policy_move, policy_visits) = policy.into_iter().map(|(mv, weight)| (Move::from_raw(mv), weight)).unzip();
        PositionRecord {
            ply: ply as u16,
            side: Side::BOTH[counts.4],
            pos_key: keys.0,
            parent_key: keys.1,
            mv: Move::from_raw(mv),
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
            proven: counts.5,
        }
    })
}

/// A rule set's ply limit, a start, a result, a termination, points.
fn a_sheet() -> impl Strategy<Value = Scoresheet<Janggi>> {
    let start = proptest::option::of(0..Janggi::SETUPS.len()).prop_map(|setup| {
        setup.map_or_else(Position::start, |setup| {
            Position::start_with([Janggi::SETUPS[0].name, Janggi::SETUPS[setup].name]).unwrap()
        })
    });
    let outcome = (0..3usize, 0..Termination::ALL.len(), proptest::option::of([finite(), finite()]));
    let outcome = outcome.prop_map(|(result, termination, points)| Outcome {
        result: GameResult::ALL[result],
        termination: Termination::ALL[termination],
        points,
    });
    let rules = any::<u32>().prop_map(|plies| Rules::default().with_max_plies(plies));
    let moves = proptest::collection::vec(any::<u32>().prop_map(Move::from_raw), 0..8);
    (rules, start, moves, outcome).prop_map(|(rules, start, moves, outcome)| Scoresheet {
        rules,
        start,
        moves,
        outcome,
    })
}

fn a_game() -> impl Strategy<Value = GameRecord<Janggi>> {
    let texts = (any::<String>(), any::<String>(), any::<String>(), "[ -~]{1,20}");
    // Enough for the visits of all positions, and a date.
    let numbers = (any::<u64>(), -62_135_596_800_000..253_402_300_800_000i64, any::<bool>(), 1u32 << 31..=u32::MAX);
    (a_sheet(), texts, numbers).prop_flat_map(|(sheet, texts, numbers)| {
        let positions: Vec<_> = sheet.moves.iter().enumerate().map(|(ply, mv)| a_position(mv.raw(), ply)).collect();
        positions.prop_map(move |positions| GameRecord {
            game_id: 0,
            run_id: texts.0.clone(),
            generation: 5,
            worker: texts.1.clone(),
            seed: numbers.0,
            net_first: texts.2.clone(),
            net_second: texts.3.clone(),
            sheet: sheet.clone(),
            moves_text: sheet.moves.iter().map(|mv| format!("m{}", mv.raw())).collect::<Vec<_>>().join(" "),
            visits: numbers.3,
            resigned_playthrough: numbers.2 && sheet.outcome.termination != Termination::Resign,
            started_at: numbers.1,
            wall_ms: numbers.3,
            engine_version: texts.0.clone(),
            event: Some(texts.1.clone()),
            site: None,
            round: Some(texts.3.clone()),
            opening: Some(texts.2.clone()),
            opening_plies: sheet.moves.len() as u32 / 2,
            rating_first: Some(numbers.3 as f32 / 8.0),
            rating_second: None,
            positions,
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
        store.journal(5).unwrap().0.append_all(&games).unwrap();
        let journaled = store.journal::<Janggi>(5).unwrap().1.games;
        prop_assert_eq!(&journaled, &games);
        let shard = store.commit_shard(5, "local", &journaled, &Provenance::default()).unwrap();
        games.reverse();
        prop_assert_eq!(store.read_shard(&shard).unwrap(), games);
    }
}

#[test]
fn a_file_where_a_folder_is_wanted_is_named() {
    let place = tempfile::tempdir().expect("a folder");
    let file = place.path().join("taken");
    fs::write(&file, "mine").expect("written");
    for wanted in [file.clone(), file.join("below")] {
        let error = data::durable::create_folder(&wanted).expect_err("a file is in the way").to_string();
        assert!(error.contains("taken"), "{error}");
    }
    assert_eq!(fs::read_to_string(&file).expect("read"), "mine");
}
