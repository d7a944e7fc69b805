//! What others read of Kirin's Parquet files: the queries of data/README.md that count openings, run by DuckDB, polars,
//! pandas and Spark, in a folder and in a bucket, against `kirin openings --json`, and the metrics of a run against its record.
//!
//! `scripts/oracles` installs them. Where they are missing the test says so and passes; with `KIRIN_ORACLES=required` that
//! is a failure.

mod polars;
mod spark;

use crate::kirin::kirin_in;
use crate::lab::Lab;
use crate::s3::{BUCKET, S3, environment};
use data::{DataStore, GameRecord, PositionRecord, Provenance};
use rules::{Game, Janggi, MoveList, Outcome, Position, Rulebook, Rules, Side, Termination, Variant, Wangqi};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use testkit::oracle;

/// Folders of `scripts/oracles` that hold DuckDB and the data frame libraries.
fn packages() -> Option<Vec<PathBuf>> {
    let oracles = oracle::folder()?;
    let duckdb = include_str!("../../../data/tests/duckdb/requirements.txt").trim().replace("==", "-");
    let wanted = include_str!("requirements.txt");
    let frames = oracles.join("dataframes");
    let installed = std::fs::read_to_string(frames.join("requirements.txt")).is_ok_and(|list| list == wanted);
    let duckdb = oracles.join(duckdb);
    if installed && duckdb.is_dir() {
        return Some(vec![duckdb, frames]);
    }
    oracle::missing("DuckDB, polars or pandas is missing (scripts/oracles)")
}

/// A game of six random moves, the first listed ones more likely. Of each seven games one has a start of its own, one has
/// first moves that no player chose, one has two moves only, and one has no searched position.
fn game<V: Variant>(number: u64) -> GameRecord<V> {
    let mut random = number + 1;
    let start = match (V::SETUPS, number % 7) {
        (_, 0) => Position::from_fen(&V::START.replace(" 0 1", " 4 3")).expect("a position"),
        ([], _) => Position::start(),
        (setups, _) => Position::start_with([setups[0].name, setups[number as usize % 2].name]).expect("setups"),
    };
    let mut game = Game::<V>::from_position(Rules::default(), start);
    let mut legal = MoveList::new();
    for _ in 0..if number % 7 == 2 { 2 } else { 6 } {
        game.legal_moves(&mut legal);
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = (random >> 40) as f64 / (1u64 << 24) as f64;
        game.play(legal[(share.powi(6) * legal.len() as f64) as usize]);
    }
    let position = |ply: usize| PositionRecord {
        ply: ply as u16,
        side: game.positions()[ply].side(),
        mv: game.moves()[ply],
        pos_key: game.positions()[ply].key().to_bytes(),
        policy_move: vec![game.moves()[ply]],
        policy_visits: vec![1],
        root_wdl: [0.0, 1.0, 0.0],
        ..PositionRecord::default()
    };
    let searched = match number % 7 {
        1 => 1..game.moves().len(),
        3 => 0..0,
        _ => 0..game.moves().len(),
    };
    let outcome = match number % 3 {
        0 => Outcome::win(Side::First, Termination::Resign),
        1 => Outcome::win(Side::Second, Termination::Resign),
        _ => Outcome::draw(Termination::Repetition),
    };
    GameRecord { game_id: number, positions: searched.map(position).collect(), ..GameRecord::of(&game, outcome) }
}

/// The blocks under a heading of data/README.md, with their languages.
fn blocks(heading: &str) -> Vec<(String, String)> {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../data/README.md")).expect("the page");
    let (_, rest) = page.split_once(&format!("\n### {heading}\n")).expect("the section");
    let section = rest.split("\n## ").flat_map(|part| part.split("\n### ")).next().unwrap_or_default();
    let blocks = section.split("```").skip(1).step_by(2);
    let of_block = |block: &str| block.split_once('\n').map(|(language, text)| (language.to_owned(), text.to_owned()));
    blocks.filter_map(of_block).collect()
}

/// What runs queries of this language.
fn runner(packages: &[PathBuf], language: &str) -> Command {
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", std::env::join_paths(packages).expect("paths"));
    python.args([concat!(env!("CARGO_MANIFEST_DIR"), "/tests/queries/run.py"), language]);
    python
}

/// What a program prints for this input.
fn output(mut program: Command, input: &str) -> Vec<u8> {
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("its output");
    assert!(output.status.success(), "{input}\n{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// The rows that a program prints for a query.
fn ask(program: Command, query: &str) -> BTreeSet<String> {
    let rows: Vec<Value> = serde_json::from_slice(&output(program, query)).expect("JSON");
    rows.iter().map(Value::to_string).collect()
}

/// Writes a data folder of 210 games, and gives the openings of two plies as `kirin openings` counts them.
fn openings<V: Variant>(folder: &Path) -> BTreeSet<String> {
    let (store, _) = DataStore::open(folder).expect("a data folder");
    for generation in 0..3 {
        let games = (0..70).map(|index| GameRecord { generation, ..game::<V>(u64::from(generation) * 70 + index) });
        let games: Vec<_> = games.collect();
        store.commit_shard(generation, "local", &games, &Provenance::default()).expect("a shard");
    }
    drop(store);
    let ran = kirin_in(folder, &["openings", ".", "--json", "--setup", "each", "--depth", "2", "--limit", "100000"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let table: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!((&table["games"], &table["other_starts"]), (&150.into(), &60.into()));
    let lines = table["lines"].as_array().expect("lines").iter().filter(|row| row["ply"] == 2);
    let wanted: BTreeSet<String> = lines
        .map(|row| {
            ["setup_first", "setup_second", "moves", "games", "first_wins", "draws"].map(|name| row[name].clone())
        })
        .map(|row| json!(row).to_string())
        .collect();
    assert!(wanted.len() > 10, "{wanted:?}");
    wanted
}

/// A query for the data of this variant.
fn query_for(query: &str, variant: &str, data: &str) -> String {
    query.replace("DATA", data).replace("variant=wangqi", &format!("variant={variant}"))
}

fn counts_agree<V: Variant>(packages: &[PathBuf], folder: &Path) {
    let wanted = openings::<V>(folder);
    for (language, query) in interpreted() {
        let query = query_for(&query, V::ID, &folder.display().to_string());
        assert_eq!(ask(runner(packages, &language), &query), wanted, "{query}");
    }
}

/// The queries that need no compiler, with their languages: for DuckDB, polars and pandas.
fn interpreted() -> Vec<(String, String)> {
    let mut queries = blocks("The openings, counted by others");
    queries.retain(|(language, _)| language != "rust");
    assert_eq!(queries.iter().map(|(language, _)| language.as_str()).collect::<Vec<_>>(), ["sql", "python", "python"]);
    queries
}

#[test]
fn others_count_the_same_openings() {
    let Some(packages) = packages() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    counts_agree::<Wangqi>(&packages, &folder.path().join("wangqi"));
    counts_agree::<Janggi>(&packages, &folder.path().join("janggi"));
}

/// The rows of a query that `kirin query` answers itself.
fn asked(folder: &Path, arguments: &[&str]) -> BTreeSet<String> {
    let ran = kirin_in(folder, &[&["query"], arguments, &["--to", "jsonl"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let names = ["setup_first", "setup_second", "line", "games", "first_wins", "draws"];
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("JSON");
        json!(names.map(|name| row[name].clone())).to_string()
    };
    ran.out.lines().map(row).collect()
}

#[test]
fn kirin_itself_counts_the_same_openings() {
    let blocks = blocks("With Kirin alone");
    let [(language, query)] = blocks.as_slice() else { panic!("{blocks:?}") };
    assert_eq!(language, "sql");
    let folder = tempfile::tempdir().expect("a folder");
    for (name, wanted) in [
        ("wangqi", openings::<Wangqi>(&folder.path().join("wangqi"))),
        ("janggi", openings::<Janggi>(&folder.path().join("janggi"))),
    ] {
        assert_eq!(asked(folder.path(), &[name, query]), wanted, "{query}");
    }
    // The column `folder` tells both apart.
    let both = query
        .replace("from games\n", "from games where variant = 'janggi' and folder = 'janggi'\n")
        .replace("where plies", "and plies");
    assert_ne!(both, *query);
    assert_eq!(asked(folder.path(), &["wangqi", "janggi", &both]), asked(folder.path(), &["janggi", query]));
    // A folder that is named twice counts once.
    assert_eq!(asked(folder.path(), &["janggi", "./janggi", query]), asked(folder.path(), &["janggi", query]));
}

#[test]
fn answers_have_every_format_and_wrong_queries_name_the_place() {
    let folder = tempfile::tempdir().expect("a folder");
    openings::<Wangqi>(&folder.path().join("data"));
    let ran = |words: &[&str]| kirin_in(folder.path(), &[&["query", "data"], words].concat());
    let games = "select game_id, result, moves, start_fen from games where game_id = 5";
    let csv = ran(&[games, "--to", "csv"]);
    let mut lines = csv.out.lines();
    assert_eq!(lines.next(), Some("game_id,result,moves,start_fen"));
    let cells: Vec<&str> = lines.next().expect("a game").split(',').collect();
    assert!(cells[..2] == ["5", "0"] && cells[2].split(' ').count() == 6 && cells[3].is_empty(), "{cells:?}");
    assert_eq!(lines.next(), None);
    let line: Value = serde_json::from_str(&ran(&[games, "--to", "jsonl"]).out).expect("JSON");
    assert_eq!(
        (&line["game_id"], &line["start_fen"], line["moves"].as_array().map(Vec::len)),
        (&5.into(), &Value::Null, Some(6))
    );
    // Each game has six plies.
    let times = "select cast(cast(86400000000 * plies as timestamp) as date) as day, \
                 cast(1000000 * plies as timestamp) as time from games where game_id = 5";
    let csv = ran(&[times, "--to", "csv"]);
    assert_eq!(csv.out, "day,time\n1970-01-07,1970-01-01 00:00:06\n", "{}", csv.err);
    assert_eq!(ran(&[times, "--to", "parquet", "--out", "times.parquet"]).code, Some(0));
    let file = std::fs::File::open(folder.path().join("times.parquet")).expect("the file");
    let mut rows = parquet::arrow::arrow_reader::ParquetRecordBatchReader::try_new(file, 10).expect("Parquet");
    let shown = format!("{:?}", rows.next().expect("rows").expect("a batch").column_by_name("time").expect("a column"));
    assert!(shown.contains("1970-01-01T00:00:06"), "{shown}");
    let key = ran(&["select pos_key from positions where ply = 0 and game_id = 5", "--to", "csv"]).out;
    assert!(key.lines().nth(1).is_some_and(|key| key.len() == 24 && u128::from_str_radix(key, 16).is_ok()), "{key}");
    let table = ran(&["select variant, count(*) as n, avg(plies) from games group by variant"]);
    assert!(table.out.contains("wangqi   210"), "{}", table.out);
    assert_eq!(ran(&["select count(*) from positions where ply > 99", "--to", "csv"]).out.lines().nth(1), Some("0"));
    // At 32 bits both would wrap around.
    let wide = "select min(ply - 1) as least, sum(ply + 4000000000) > 4294967295 as is_more from positions";
    assert_eq!(ran(&[wide, "--to", "csv"]).out, "least,is_more\n-1,true\n");
    for (query, rows) in [
        ("select game_id from games limit 2", 2),
        ("/* two */\n(SELECT game_id from games limit 2)", 2),
        ("with some as (select game_id from games limit 2) select * from some", 2),
        ("select game_id from games limit 0", 0),
        ("select game_id from games limit 2 offset 209", 1),
        ("select p.ply from positions p join (select game_id from games limit 1) g on p.game_id = g.game_id", 6),
    ] {
        assert_eq!(ran(&[query, "--to", "csv"]).out.lines().count(), 1 + rows, "{query}");
    }

    assert_eq!(ran(&["select * from games", "--to", "parquet", "--out", "games.parquet"]).code, Some(0));
    let file = std::fs::File::open(folder.path().join("games.parquet")).expect("the file");
    let rows = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
    assert_eq!(rows.metadata().file_metadata().num_rows(), 210);

    for (words, why) in [
        (&["select result from game"][..], "'game' was not found; there are games and positions"),
        (&["select reslut from games"], "unable to find column \"reslut\""),
        (&["select result\nfrm games where"], "Line: 2, Column:"),
        (&["select 1; select 2"], "one (and only one) statement"),
        (&["drop table games"], "it must be one select"),
        (&["/* all of */ -- games\ntruncate games"], "it must be one select"),
        (&["show tables"], "it must be one select"),
        (&[""], "it must be one select"),
        (&["select result from games", "--out", "x.csv"], "add --to"),
    ] {
        let refused = ran(words);
        assert!(refused.code == Some(78) && refused.err.contains(why), "{words:?}: {}", refused.err);
    }
    // A folder that is named twice counts once, whatever its name.
    let count = "select count(*) from games";
    for again in ["data", "./data", "."] {
        assert_eq!(ran(&[again, count, "--to", "csv"]).out, "len\n210\n", "{again}");
    }
    // A file in place of a folder.
    let refused = ran(&["games.parquet", count]);
    let why = "games.parquet is a file; name the folder that it is in";
    assert!(refused.code == Some(78) && refused.err.contains(why), "{}", refused.err);
    // What a query does not need is not read; what it needs must be what was written.
    let positions = folder.path().join("data/positions/variant=wangqi/gen=0001/local.parquet");
    let mut bytes = std::fs::read(&positions).expect("the positions");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&positions, bytes).expect("written");
    assert_eq!(ran(&["select count(*) from games", "--to", "csv"]).out, "len\n210\n");
    let refused = ran(&["select sum(visits) from positions"]);
    assert!(refused.code == Some(74) && refused.err.contains("has changed since it was written"), "{}", refused.err);
}

/// Uploads the files of a folder into the bucket, below a key.
fn upload(s3: &S3, folder: &Path, key: &str) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let key = format!("{key}/{}", path.file_name().expect("a name").to_string_lossy());
        if path.is_dir() {
            upload(s3, &path, &key);
        } else {
            assert!(s3.put(&key, &std::fs::read(&path).expect("a file")), "{key}");
        }
    }
}

/// DuckDB is left out: it reads buckets by an extension that it fetches itself.
#[test]
fn others_count_the_same_openings_in_a_bucket() {
    let (Some(packages), Some(s3)) = (packages(), S3::start()) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let wanted = openings::<Janggi>(folder.path());
    upload(&s3, folder.path(), "first/data");
    for (language, query) in interpreted().into_iter().filter(|(language, _)| language == "python") {
        let query = query_for(&query, Janggi::ID, &format!("s3://{BUCKET}/first/data"));
        let mut program = runner(&packages, &language);
        program.envs(environment(&s3.address));
        assert_eq!(ask(program, &query), wanted, "{query}");
    }
}

#[test]
fn others_read_the_metrics_of_a_run() {
    let Some(packages) = packages() else { return };
    let lab = Lab::new("wangqi");
    lab.succeed("run", &[]);
    let ran = kirin_in(lab.path(), &["report", "run", "--metrics", "metrics.parquet", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let told: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(told["metrics"], "metrics.parquet");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/queries/metrics.py");
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", std::env::join_paths(&packages).expect("paths"));
    let output = python.arg(script).arg(lab.path().join("metrics.parquet")).output().expect("python3");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(read["polars"], read["duckdb"]);

    let rows = read["polars"].as_array().expect("rows");
    let events = std::fs::read_to_string(lab.file("events.jsonl")).expect("events");
    let events = events.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["event"].take());
    let trained: Vec<Value> = events.filter(|event| event["stage"] == "train").collect();
    assert_eq!((rows.len(), trained.len()), (2, 2), "a row for each generation: {read}");
    for (row, train) in rows.iter().zip(&trained) {
        assert_eq!((&row["generation"], &row["samples"]), (&train["generation"], &train["samples"]), "{row}");
        assert_eq!(
            (&row["policy_loss"], &row["training_seconds"]),
            (&train["policy_loss"], &train["seconds"]),
            "{row}"
        );
        assert!(row["games"].as_u64().is_some_and(|games| games > 0), "{row}");
        assert!(row["health_first_score"].as_f64().is_some_and(|score| (0.0..=1.0).contains(&score)), "{row}");
    }
}
