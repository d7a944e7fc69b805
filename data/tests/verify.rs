//! Checking a data folder: a sound one is clean, and everything that can be wrong with it is named.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::FixedSizeBinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Int32Type, TimestampMillisecondType, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ListArray, PrimitiveArray, RecordBatch, StringArray, UInt32Array};
use arrow_buffer::OffsetBuffer;
use arrow_schema::DataType;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;

use data::verify::{Findings, verify};
use data::{DataStore, GameRecord, IMPORTED, LineLog, MANIFEST, PositionRecord, Provenance, ShardEntry};
use rules::{Game, GameResult, MoveList, Outcome, Rules, Side, Termination, Wangqi};

/// A game that takes every move by its number and ends by the rules, each position searched.
fn game(game_id: u64) -> GameRecord<Wangqi> {
    let mut game = Game::start(Rules::default().with_max_plies(24));
    let (mut legal, mut positions) = (MoveList::new(), Vec::new());
    let outcome = loop {
        game.legal_moves(&mut legal);
        if let Some(outcome) = game.outcome(&legal) {
            break outcome;
        }
        let ply = game.moves().len();
        let mv = legal[(game_id as usize * 7 + ply * 3) % legal.len()];
        let key = |ply: usize| game.positions()[ply].key().to_bytes();
        positions.push(PositionRecord {
            ply: ply as u16,
            side: game.side(),
            pos_key: key(ply),
            parent_key: ply.checked_sub(1).map(key),
            mv,
            policy_move: legal.iter().copied().take(2).collect(),
            policy_visits: vec![4; legal.len().min(2)],
            root_wdl: [0.25, 0.5, 0.25],
            visits: 4,
            ..PositionRecord::default()
        });
        game.play(mv);
    };
    let visits = 4 * positions.len() as u32;
    GameRecord { game_id, run_id: "a".into(), visits, positions, ..GameRecord::of(&game, outcome) }
}

/// A folder with these games in one shard, and what is found in it.
struct CheckedFolder {
    folder: tempfile::TempDir,
}

impl CheckedFolder {
    fn of(games: &[GameRecord<Wangqi>]) -> CheckedFolder {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = DataStore::open(folder.path()).unwrap();
        store.commit_shard(0, "w0", games, &Provenance::default()).unwrap();
        CheckedFolder { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn found(&self) -> Findings {
        verify(self.path(), &|_| ())
    }

    /// What is wrong, each as `FILE: text`, the file as in the folder.
    fn problems(&self) -> Vec<String> {
        let inside = |path: &PathBuf| path.strip_prefix(self.path()).unwrap_or(path).display().to_string();
        self.found().problems.iter().map(|problem| format!("{}: {}", inside(&problem.file), problem.what)).collect()
    }

    /// The one thing that is wrong.
    fn problem(&self) -> String {
        let problems = self.problems();
        assert_eq!(problems.len(), 1, "{problems:#?}");
        problems.into_iter().next().unwrap()
    }
}

const GAMES: &str = "games/variant=wangqi/gen=0000/w0.parquet";

#[test]
fn a_sound_folder_is_clean_and_counted() {
    let folder = CheckedFolder::of(&[game(1), game(2), game(3)]);
    let (mut journal, _) = DataStore::open(folder.path()).unwrap().0.journal::<Wangqi>(1).unwrap();
    journal.append(&GameRecord { generation: 1, ..game(4) }).unwrap();
    let told = std::sync::Mutex::new(0);
    let found = verify(folder.path(), &|games| *told.lock().unwrap() += games);
    assert_eq!(found.problems, []);
    assert_eq!(found.leftovers, []);
    assert_eq!((found.files, found.games), (4, 4));
    assert_eq!(found.positions, (1..=4).map(|id| game(id).positions.len() as u64).sum::<u64>());
    assert_eq!((*told.lock().unwrap(), data::verify::games_in(folder.path())), (3, 3));
}

/// Shards of earlier versions were true, too: keys and results have not changed their meaning.
#[test]
fn played_games_of_earlier_versions_are_clean() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/played-1/data");
    let found = verify(&folder, &|_| ());
    assert_eq!(found.problems, []);
    assert!(found.games > 0 && found.positions > 0, "{found:?}");
}

#[test]
fn files_that_changed_are_named() {
    let folder = CheckedFolder::of(&[game(1)]);
    let path = folder.path().join(GAMES);
    let whole = fs::read(&path).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    fs::write(&path, flipped).unwrap();
    assert!(folder.problem().starts_with(&format!("{GAMES}: it has changed since it was written (its blake3 is ")));
    fs::remove_file(&path).unwrap();
    assert_eq!(folder.problem(), format!("{GAMES}: it has changed since it was written (it is missing)"));
}

#[test]
fn each_damaged_line_of_the_manifest_is_named_and_the_other_shards_are_read() {
    let folder = CheckedFolder::of(&[game(1)]);
    let (store, _) = DataStore::open(folder.path()).unwrap();
    for generation in [1, 2] {
        let next = GameRecord { generation, ..game(10 + u64::from(generation)) };
        store.commit_shard(generation, "w0", &[next], &Provenance::default()).unwrap();
    }
    let manifest = folder.path().join(MANIFEST);
    let text = fs::read_to_string(&manifest).unwrap();
    let damaged: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(at, line)| if at < 2 { line.replace("w0", "w1") } else { line.into() })
        .collect();
    fs::write(&manifest, damaged.join("\n") + "\n{\"bl").unwrap();
    let found = folder.found();
    assert_eq!(found.games, 1);
    let problems = folder.problems();
    assert_eq!(problems.len(), 2, "{problems:#?}");
    for (line, problem) in (1..).zip(&problems) {
        assert!(problem.starts_with(&format!("{MANIFEST}: line {line}: its checksum")), "{problem}");
    }
    let leftovers: Vec<&str> = found.leftovers.iter().map(|leftover| leftover.what.as_str()).collect();
    assert_eq!(leftovers[0], "its last line was not finished (4 bytes)");
    assert_eq!(leftovers[1..], ["the manifest does not list it"; 4]);
    fs::remove_file(&manifest).unwrap();
    assert_eq!(folder.problem(), format!("{MANIFEST}: it is missing"));
}

#[test]
fn a_shard_that_is_listed_twice_is_named() {
    let folder = CheckedFolder::of(&[game(1)]);
    let manifest = folder.path().join(MANIFEST);
    let line = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, line.repeat(3)).unwrap();
    assert_eq!(folder.problem(), format!("{MANIFEST}: it lists the shard w0 of generation 0 of wangqi twice"));
    assert_eq!(folder.found().games, 1, "it is read once");
}

#[test]
fn a_game_that_is_in_two_shards_is_named() {
    let folder = CheckedFolder::of(&[game(1), game(2)]);
    let (store, _) = DataStore::open(folder.path()).unwrap();
    let of_another_run = GameRecord { run_id: "b".into(), ..game(1) };
    store.commit_shard(0, "w1", &[of_another_run], &Provenance::default()).unwrap();
    assert_eq!(folder.problems(), [] as [String; 0], "runs with the same seed have the same numbers");
    store.commit_shard(0, "w2", &[game(2)], &Provenance::default()).unwrap();
    let problem = folder.problem();
    assert!(problem.contains("w2.parquet: game 0000000000000002 of run a is in the folder twice"), "{problem}");
}

#[test]
fn paths_out_of_the_folder_are_named_and_not_followed() {
    let folder = CheckedFolder::of(&[game(1)]);
    let manifest = folder.path().join(MANIFEST);
    let sound = LineLog::<ShardEntry>::read(&manifest).unwrap().entries.remove(0);
    for stray in ["../elsewhere.parquet", "/etc/passwd", "games/../../up.parquet", ""] {
        let mut entry = sound.clone();
        stray.clone_into(&mut entry.games.path);
        LineLog::replace(&manifest, [&entry]).unwrap();
        let problems = folder.problems();
        assert_eq!(problems, [format!("{MANIFEST}: line 1: {stray} is no path inside the folder")]);
        let store = DataStore::open_read_only(folder.path()).unwrap();
        let error = store.read_games::<Wangqi>(&entry).unwrap_err();
        assert!(matches!(&error, data::DataError::Outside { path, .. } if path == stray), "{error}");
    }
}

/// A line with a valid checksum that names another variant would keep its games from being read, without any message.
#[test]
fn a_shard_under_another_variant_is_named_and_listed_again() {
    let folder = CheckedFolder::of(&[game(1)]);
    let manifest = folder.path().join(MANIFEST);
    let sound = LineLog::<ShardEntry>::read(&manifest).unwrap().entries;
    LineLog::replace(&manifest, [&ShardEntry { variant: "shogi".to_owned(), ..sound[0].clone() }]).unwrap();
    let store = DataStore::open_read_only(folder.path()).unwrap();
    let error = store.shards("wangqi").unwrap_err();
    assert!(matches!(&error, data::DataError::OtherVariant { variant, .. } if variant == "shogi"), "{error}");
    assert_eq!(folder.problem(), format!("{MANIFEST}: line 1: {GAMES} is not the path of a shard of shogi"));
    data::repair::repair(folder.path(), false, &mut data::repair::Aside::new(folder.path())).unwrap();
    assert_eq!(LineLog::<ShardEntry>::read(&manifest).unwrap().entries, sound);
    assert!(folder.found().is_clean());
}

/// What a record says that its own moves refute. Each is written with a right digest.
#[test]
fn what_the_rules_refute_is_named() {
    let sound = game(1);
    let outcome = sound.sheet.outcome;
    let ends = |outcome: Outcome| {
        let mut lie = sound.clone();
        lie.sheet.outcome = outcome;
        lie
    };
    let turned = match outcome.result {
        GameResult::FirstWins => GameResult::SecondWins,
        _ => GameResult::FirstWins,
    };
    let mut shorter = sound.clone();
    let plies = sound.plies() - 2;
    shorter.sheet.moves.truncate(plies);
    shorter.positions.truncate(plies);
    shorter.moves_text = sound.moves_text.split(' ').take(plies).collect::<Vec<_>>().join(" ");
    let mut other_text = sound.clone();
    other_text.moves_text = game(2).moves_text.split(' ').take(sound.plies()).collect::<Vec<_>>().join(" ");
    let mut longer = ends(Outcome::draw(Termination::MaxPlies));
    longer.sheet.rules = longer.sheet.rules.with_max_plies(10);
    let mut illegal = sound.clone();
    illegal.sheet.moves[3] = illegal.sheet.moves[2];
    illegal.positions.remove(3);
    let at_ply_4 = |change: fn(&mut PositionRecord)| {
        let mut lie = sound.clone();
        change(&mut lie.positions[4]);
        lie
    };
    let cases = [
        (ends(Outcome { result: turned, ..outcome }), "it is said to end by"),
        (ends(Outcome { termination: Termination::Bikjang, ..outcome }), "it is said to end by bikjang"),
        (shorter, "by the rules it is not over"),
        (other_text, "moves_text has other moves than the codes"),
        (longer, "the rules end it after 10 plies (max_plies), and it continues to ply"),
        (illegal, "move 4, code"),
        (at_ply_4(|row| row.side = row.side.other()), "position at ply 4: the other side is to move"),
        (at_ply_4(|row| row.pos_key[0] ^= 1), "position at ply 4: its key is that of another position"),
        (at_ply_4(|row| row.parent_key = Some([7; 12])), "position at ply 4: parent_key is that of another"),
        (at_ply_4(|row| row.generation = 1), "position at ply 4: a later generation searched it"),
    ];
    for (lie, text) in cases {
        let problem = CheckedFolder::of(&[game(2), lie]).problem();
        assert!(problem.starts_with(&format!("{GAMES}: game 0000000000000001: ")), "{problem}");
        assert!(problem.contains(text), "{problem}");
    }
}

/// Changes one value in a column of a shard's file, with the right digest in the manifest, as a bug or a user with a
/// Parquet library could.
fn with_value(folder: &CheckedFolder, table: &str, column: &str, row: usize, value: ChangedValue) {
    let manifest = folder.path().join(MANIFEST);
    let mut entry = LineLog::<ShardEntry>::read(&manifest).unwrap().entries.remove(0);
    let file = if table == "games" { &mut entry.games } else { &mut entry.positions };
    let path = folder.path().join(&file.path);
    let builder = ParquetRecordBatchReaderBuilder::try_new(fs::File::open(&path).unwrap()).unwrap();
    let footer = builder.metadata().file_metadata().key_value_metadata().cloned();
    let batch = builder.with_batch_size(1 << 20).build().unwrap().next().unwrap().unwrap();
    let at = batch.schema().index_of(column).unwrap();
    let mut columns = batch.columns().to_vec();
    columns[at] = value.put(&columns[at], row);
    let batch = RecordBatch::try_new(batch.schema(), columns).unwrap();
    let footer = footer.map(|pairs| pairs.into_iter().filter(|pair| pair.key != "ARROW:schema").collect());
    let properties = WriterProperties::builder().set_key_value_metadata(footer).build();
    let mut writer = ArrowWriter::try_new(fs::File::create(&path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let bytes = fs::read(&path).unwrap();
    (file.bytes, file.blake3) = (bytes.len() as u64, blake3::hash(&bytes).to_hex().to_string());
    LineLog::replace(&manifest, [&entry]).unwrap();
}

/// A value of a column.
#[derive(Clone, Debug)]
enum ChangedValue {
    Unsigned(u32),
    Unsigned64(u64),
    Int(i32),
    Float(f32),
    Text(&'static str),
    Time(i64),
    Key([u8; 12]),
    /// The list of a row, changed.
    List(fn(&mut Vec<u32>)),
}

impl ChangedValue {
    /// The array with this value in this row.
    fn put(self, array: &ArrayRef, row: usize) -> ArrayRef {
        fn numbers<T: ArrowPrimitiveType>(array: &ArrayRef, row: usize, value: T::Native) -> PrimitiveArray<T> {
            let old = array.as_primitive::<T>();
            (0..old.len())
                .map(|at| if at == row { Some(value) } else { old.is_valid(at).then(|| old.value(at)) })
                .collect()
        }
        match self {
            ChangedValue::Unsigned(value) => Arc::new(numbers::<UInt32Type>(array, row, value)),
            ChangedValue::Unsigned64(value) => Arc::new(numbers::<UInt64Type>(array, row, value)),
            ChangedValue::Int(value) => Arc::new(numbers::<Int32Type>(array, row, value)),
            ChangedValue::Float(value) => Arc::new(numbers::<Float32Type>(array, row, value)),
            ChangedValue::Time(value) => {
                Arc::new(numbers::<TimestampMillisecondType>(array, row, value).with_timezone("UTC"))
            }
            ChangedValue::Text(value) => {
                let old = array.as_string::<i32>();
                let texts = (0..old.len())
                    .map(|at| if at == row { Some(value) } else { old.is_valid(at).then(|| old.value(at)) });
                Arc::new(texts.collect::<StringArray>())
            }
            ChangedValue::Key(value) => {
                let old = array.as_fixed_size_binary();
                let mut keys = FixedSizeBinaryBuilder::new(12);
                for at in 0..old.len() {
                    match old.is_valid(at) {
                        _ if at == row => keys.append_value(value).unwrap(),
                        true => keys.append_value(old.value(at)).unwrap(),
                        false => keys.append_null(),
                    }
                }
                Arc::new(keys.finish())
            }
            ChangedValue::List(change) => {
                let old = array.as_list::<i32>();
                let mut lists: Vec<Vec<u32>> =
                    (0..old.len()).map(|at| old.value(at).as_primitive::<UInt32Type>().values().to_vec()).collect();
                change(&mut lists[row]);
                let DataType::List(item) = array.data_type() else { panic!("no list") };
                let lengths = OffsetBuffer::from_lengths(lists.iter().map(Vec::len));
                Arc::new(ListArray::new(item.clone(), lengths, Arc::new(UInt32Array::from(lists.concat())), None))
            }
        }
    }
}

/// Every column of both tables that says something of a game, each with a value that cannot be true, in row 1 of its file.
/// Not among them are names, versions, seeds and times that nothing else can contradict.
#[test]
fn no_column_says_what_cannot_be_true() {
    use ChangedValue::{Float, Int, Key, List, Text, Time, Unsigned, Unsigned64};
    let sound = [game(1), game(2), game(3)];
    // The place in the file of each value, and whether training must refuse it already when it reads the file.
    let cases = [
        ("games", "game_id", Unsigned64(7), true),
        ("games", "generation", Unsigned(3), false),
        ("games", "variant", Text("xiangqi"), true),
        ("games", "ruleset", Text("wild"), true),
        ("games", "ruleset", Text("standard max-plies=9"), false),
        ("games", "start_fen", Text("8/8 w"), true),
        ("games", "setup_first", Text("inner"), false),
        ("games", "setup_second", Text("inner"), false),
        ("games", "moves", List(|moves| moves[2] = moves[1]), true),
        ("games", "moves_text", Text("c3c4"), true),
        ("games", "plies", Unsigned(0), false),
        ("games", "result", Int(5), true),
        ("games", "result", Int(-1), false),
        ("games", "termination", Text("boredom"), true),
        ("games", "termination", Text("resign"), false),
        ("games", "points_first", Float(1e38), true),
        ("games", "visits", Unsigned(2), true),
        ("games", "started_at", Time(i64::MAX), true),
        ("games", "schema_version", Unsigned(1), false),
        ("games", "opening_plies", Unsigned(70_000), true),
        ("games", "rating_first", Float(f32::NAN), true),
        ("positions", "game_id", Unsigned64(9), true),
        ("positions", "ply", Unsigned(0), true),
        ("positions", "ply", Unsigned(70_000), true),
        ("positions", "side", Unsigned(0), false),
        ("positions", "side", Unsigned(2), true),
        ("positions", "pos_key", Key([7; 12]), false),
        ("positions", "parent_key", Key([7; 12]), false),
        ("positions", "move", Unsigned(0), true),
        ("positions", "policy_move", List(|moves| moves[0] ^= 1 << 20), false),
        ("positions", "policy_move", List(|moves| moves[1] = moves[0]), true),
        ("positions", "policy_move", List(|moves| moves.truncate(1)), true),
        ("positions", "policy_visits", List(|visits| visits.fill(0)), true),
        ("positions", "policy_visits", List(Vec::clear), true),
        ("positions", "root_win", Float(-5.0), true),
        ("positions", "root_win", Float(f32::NAN), true),
        ("positions", "root_draw", Float(0.9), true),
        ("positions", "root_loss", Float(f32::INFINITY), true),
        ("positions", "root_q", Float(1e38), true),
        ("positions", "root_q", Float(0.5), false),
        ("positions", "net_q", Float(-1.5), true),
        ("positions", "net_policy_entropy", Float(-1.0), true),
        ("positions", "net_policy_entropy", Float(9.0), false),
        ("positions", "policy_kld", Float(1e38), true),
        ("positions", "visits", Unsigned(4_000_000_000), true),
        ("positions", "target_weight", Float(-1.0), true),
        ("positions", "target_weight", Float(1e38), true),
        ("positions", "result_stm", Int(5), false),
        ("positions", "plies_left", Unsigned(0), false),
        ("positions", "generation", Unsigned(9), false),
        ("positions", "schema_version", Unsigned(2), false),
    ];
    for (table, column, value, is_refused) in cases {
        let case = format!("{table}.{column} {value:?}");
        let folder = CheckedFolder::of(&sound);
        assert_eq!(folder.problems(), [] as [String; 0]);
        with_value(&folder, table, column, 1, value);
        let problems = folder.problems();
        assert!(
            problems.iter().any(|problem| problem.starts_with("games/") || problem.starts_with("positions/")),
            "{case}: {problems:?}"
        );
        let store = DataStore::open_read_only(folder.path()).unwrap();
        let entry = store.all_shards().unwrap().remove(0);
        let read = store.read_shard::<Wangqi>(&entry);
        assert_eq!(read.is_err(), is_refused, "{case}: {problems:?}");
        let Err(error) = read else { continue };
        let named = error.to_string();
        assert!(
            named.contains(".parquet cannot be read: ")
                && (named.contains("row 1: ") || ["game_id", "moves", "visits"].contains(&column)),
            "{case}: {named}"
        );
    }
}

/// Rows are counted in the file, not in the batch that is decoded.
#[test]
fn a_row_far_behind_is_named_by_its_number() {
    let games: Vec<_> = (1..=60).map(game).collect();
    let folder = CheckedFolder::of(&games);
    let rows: usize = games.iter().map(|game| game.positions.len()).sum();
    assert!(rows > 1_200, "{rows} rows");
    with_value(&folder, "positions", "root_win", rows - 1, ChangedValue::Float(-5.0));
    let (found, wanted) = (folder.problem(), format!(": row {}: game ", rows - 1));
    assert!(found.contains(&wanted) && found.contains("is not a distribution"), "{found}");
}

#[test]
fn only_the_player_to_move_resigns_and_other_programs_end_games_as_they_like() {
    let sound = game(1);
    let cut = |outcome: Outcome, run_id: &str| {
        let mut record = GameRecord { run_id: run_id.into(), positions: Vec::new(), ..sound.clone() };
        record.sheet.moves.truncate(5);
        record.moves_text = sound.moves_text.split(' ').take(5).collect::<Vec<_>>().join(" ");
        record.sheet.outcome = outcome;
        CheckedFolder::of(&[record]).problems()
    };
    // After five plies the second player is to move.
    let resigns = |winner| Outcome::win(winner, Termination::Resign);
    assert_eq!(cut(resigns(Side::First), "a"), [] as [String; 0]);
    assert!(cut(resigns(Side::Second), "a")[0].contains("the player to move has not lost it"));
    assert_eq!(cut(Outcome::draw(Termination::Adjudicated), "a"), [] as [String; 0]);
    assert!(cut(Outcome::draw(Termination::Repetition), "a")[0].contains("by the rules it is not over"));
    assert_eq!(cut(Outcome::draw(Termination::Repetition), IMPORTED), [] as [String; 0]);
}

#[test]
fn the_lock_is_a_file_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (store, precious) = (folder.path().join("data"), folder.path().join("thesis.tex"));
    fs::write(&precious, "my only copy").unwrap();
    fs::create_dir(&store).unwrap();
    std::os::unix::fs::symlink(&precious, store.join(".lock")).unwrap();
    let error = DataStore::open(&store).unwrap_err();
    assert!(matches!(&error, data::DataError::NotALock { .. }), "{error}");
    assert_eq!(fs::read_to_string(&precious).unwrap(), "my only copy");
}
