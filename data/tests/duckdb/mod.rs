//! DuckDB, which shares no code with our reader, reads every column of both tables.
//!
//! `scripts/oracles` installs it. Where it is missing the test says so and passes; with `KIRIN_ORACLES=required` that is
//! a failure.

use crate::synthetic;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::oracle;

use data::{DataStore, GameRecord, PositionRecord, Provenance};
use rules::{Game, Outcome, Position, Rules, Side, Termination, Wangqi};
use serde_json::{Value, json};

/// A table as DuckDB sees it.
struct DuckDbTable(Value);

impl DuckDbTable {
    fn read(folder: &Path, file: &Path) -> DuckDbTable {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/duckdb/columns.py");
        let output = Command::new("python3").env("PYTHONPATH", folder).arg(script).arg(file).output().expect("python3");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        DuckDbTable(serde_json::from_slice(&output.stdout).expect("JSON"))
    }

    fn width(&self) -> usize {
        self.0.as_object().expect("an object of columns").len()
    }

    fn kind(&self, column: &str) -> &Value {
        &self.0[column]["type"]
    }

    fn values(&self, column: &str) -> Value {
        self.0[column]["values"].clone()
    }
}

/// Where `scripts/oracles` installs DuckDB.
fn duckdb() -> Option<PathBuf> {
    let version = include_str!("requirements.txt").trim().replace("==", "-");
    let folder = oracle::folder().map(|folder| folder.join(version)).filter(|folder| folder.is_dir());
    folder.or_else(|| oracle::missing("DuckDB is missing (scripts/oracles)"))
}

#[test]
fn duckdb_reads_every_column() {
    let Some(duckdb) = duckdb() else { return };
    let mut games = synthetic::games(3, 4, 12);
    games.sort_by_key(|game| game.game_id);
    let start = Position::from_fen("4k3/8/8/8/8/8/8/4K3[P] w - - 0 1").unwrap();
    let game = Game::from_moves_text(Rules::default(), start, "P@a4 e8d8 a4a5").unwrap();
    let outcome = Outcome::win(Side::Second, Termination::Resign);
    games[1] = GameRecord { game_id: games[1].game_id, generation: 3, ..GameRecord::of(&game, outcome) };
    (games[1].event, games[1].opening_plies, games[1].rating_first) = (Some("A cup".to_owned()), 2, Some(2450.5));
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = DataStore::open(folder.path()).unwrap();
    let shard = store.commit_shard(3, "local", &games, &Provenance::default()).unwrap();

    let table = DuckDbTable::read(&duckdb, &folder.path().join(&shard.games.path));
    let of = |value: fn(&GameRecord<Wangqi>) -> Value| games.iter().map(value).collect::<Value>();
    assert_eq!(table.width(), 32);
    assert_eq!(table.values("event"), of(|game| json!(game.event)));
    assert_eq!(table.values("rating_first"), of(|game| json!(game.rating_first)));
    assert_eq!(table.values("opening_plies"), of(|game| json!(game.opening_plies)));
    assert_eq!((table.kind("game_id"), table.kind("moves")), (&json!("UBIGINT"), &json!("UINTEGER[]")));
    assert_eq!(table.kind("started_at"), &json!("TIMESTAMP WITH TIME ZONE"));
    assert_eq!(table.values("game_id"), of(|game| json!(game.game_id)));
    assert_eq!(table.values("start_fen"), of(|game| json!(game.sheet.start.start_fen())));
    assert_eq!(table.values("moves"), of(|game| json!(game.sheet.moves)));
    assert_eq!(table.values("moves_text"), of(|game| json!(game.moves_text)));
    assert_eq!(table.values("result"), of(|game| json!(game.sheet.outcome.result)));
    assert_eq!(table.values("started_at"), of(|game| json!(game.started_at)));
    assert_eq!(table.values("resigned_playthrough"), of(|game| json!(game.resigned_playthrough)));

    let table = DuckDbTable::read(&duckdb, &folder.path().join(&shard.positions.path));
    let positions: Vec<&PositionRecord> = games.iter().flat_map(|game| &game.positions).collect();
    let of = |value: fn(&PositionRecord) -> Value| positions.iter().map(|at| value(at)).collect::<Value>();
    let hex = |key: &[u8; 12]| key.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(table.width(), 23);
    assert_eq!(table.values("proven"), of(|at| json!(at.proven)));
    assert_eq!(table.values("ply"), of(|at| json!(at.ply)));
    assert_eq!(table.values("pos_key"), positions.iter().map(|at| json!(hex(&at.pos_key))).collect::<Value>());
    assert_eq!(
        table.values("parent_key"),
        positions.iter().map(|at| json!(at.parent_key.as_ref().map(hex))).collect::<Value>()
    );
    assert_eq!(table.values("policy_visits"), of(|at| json!(at.policy_visits)));
    assert_eq!(table.values("root_q"), of(|at| json!(f64::from(at.root_q))));
}
