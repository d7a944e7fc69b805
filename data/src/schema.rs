//! The tables: names, types and order of their columns.
//!
//! Whole numbers are 32 bits wide at least: Parquet stores narrower ones in 32 bits anyway, and what is computed
//! from `u8` or `i8` columns wraps around in most data frame libraries. Texts are plain text columns with
//! Parquet's dictionary encoding below, which every reader undoes by itself.

use std::sync::{Arc, LazyLock};

use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef, TimeUnit};

/// Version of the tables of a data folder. It grows when columns are added or change their meaning; old ones stay readable.
pub const SCHEMA_VERSION: u32 = 1;

/// Rows of a Parquet row group, at most.
pub(crate) const ROW_GROUP_ROWS: usize = 65_536;

/// Bytes of a position key.
pub(crate) const KEY_BYTES: i32 = 12;

/// Footer key of the schema version.
pub(crate) const FOOTER_SCHEMA_VERSION: &str = "kirin.schema_version";

/// One row a game, by `game_id`.
pub static GAMES: LazyLock<SchemaRef> = LazyLock::new(|| {
    Arc::new(Schema::new(vec![
        needed("game_id", DataType::UInt64),
        needed("run_id", DataType::Utf8),
        needed("generation", DataType::UInt32),
        needed("variant", DataType::Utf8),
        needed("ruleset", DataType::Utf8),
        needed("worker", DataType::Utf8),
        needed("seed", DataType::UInt64),
        needed("net_first", DataType::Utf8),
        needed("net_second", DataType::Utf8),
        optional("start_fen", DataType::Utf8),
        optional("opening_id", DataType::Utf8),
        optional("setup_first", DataType::Utf8),
        optional("setup_second", DataType::Utf8),
        needed("moves", list()),
        needed("moves_text", DataType::Utf8),
        needed("plies", DataType::UInt32),
        needed("result", DataType::Int32),
        needed("termination", DataType::Utf8),
        optional("points_first", DataType::Float32),
        optional("points_second", DataType::Float32),
        needed("visits", DataType::UInt32),
        needed("resigned_playthrough", DataType::Boolean),
        needed("started_at", DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()))),
        needed("wall_ms", DataType::UInt32),
        needed("engine_version", DataType::Utf8),
        needed("schema_version", DataType::UInt32),
    ]))
});

/// One row a searched position, by `game_id` and `ply`.
pub static POSITIONS: LazyLock<SchemaRef> = LazyLock::new(|| {
    Arc::new(Schema::new(vec![
        needed("game_id", DataType::UInt64),
        needed("ply", DataType::UInt32),
        needed("side", DataType::UInt32),
        needed("pos_key", DataType::FixedSizeBinary(KEY_BYTES)),
        optional("parent_key", DataType::FixedSizeBinary(KEY_BYTES)),
        needed("move", DataType::UInt32),
        needed("policy_move", list()),
        needed("policy_visits", list()),
        needed("root_win", DataType::Float32),
        needed("root_draw", DataType::Float32),
        needed("root_loss", DataType::Float32),
        needed("root_q", DataType::Float32),
        needed("net_q", DataType::Float32),
        needed("net_policy_entropy", DataType::Float32),
        needed("policy_kld", DataType::Float32),
        needed("visits", DataType::UInt32),
        needed("full_search", DataType::Boolean),
        needed("target_weight", DataType::Float32),
        needed("result_stm", DataType::Int32),
        needed("plies_left", DataType::UInt32),
        needed("generation", DataType::UInt32),
        needed("schema_version", DataType::UInt32),
    ]))
});

/// One row a game of a match, by match, pair and side.
pub static MATCH_GAMES: LazyLock<SchemaRef> = LazyLock::new(|| {
    Arc::new(Schema::new(vec![
        needed("match_name", DataType::Utf8),
        needed("variant", DataType::Utf8),
        needed("ruleset", DataType::Utf8),
        needed("max_plies", DataType::UInt32),
        needed("openings", DataType::Utf8),
        needed("seed", DataType::UInt64),
        needed("time_limit", DataType::Utf8),
        needed("pair", DataType::UInt32),
        needed("first_named_first", DataType::Boolean),
        needed("first", DataType::Utf8),
        needed("second", DataType::Utf8),
        needed("first_identity", DataType::Utf8),
        needed("second_identity", DataType::Utf8),
        optional("first_settings", DataType::Utf8),
        optional("second_settings", DataType::Utf8),
        optional("start_fen", DataType::Utf8),
        needed("opening_plies", DataType::UInt32),
        needed("moves_text", DataType::Utf8),
        needed("plies", DataType::UInt32),
        needed("result", DataType::Int32),
        needed("termination", DataType::Utf8),
        optional("reason", DataType::Utf8),
        optional("spent_ms", list()),
        optional("scores", DataType::List(score_item())),
        needed("session", DataType::UInt32),
        needed("elapsed_ms", DataType::UInt64),
    ]))
});

/// The element of the column of scores.
pub(crate) fn score_item() -> FieldRef {
    Arc::new(Field::new("element", DataType::Int32, true))
}

/// The element of the list columns.
pub(crate) fn list_item() -> FieldRef {
    Arc::new(Field::new("element", DataType::UInt32, false))
}

fn list() -> DataType {
    DataType::List(list_item())
}

fn needed(name: &str, kind: DataType) -> Field {
    Field::new(name, kind, false)
}

fn optional(name: &str, kind: DataType) -> Field {
    Field::new(name, kind, true)
}
