//! Rows into columns, in the order of the schema.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, FixedSizeBinaryBuilder, ListArray, PrimitiveArray, RecordBatch, StringArray, UInt32Array,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{ArrowPrimitiveType, Float32Type, Int32Type, TimestampMillisecondType, UInt32Type, UInt64Type};
use arrow::error::ArrowError;

use crate::record::{GameRecord, PositionKey, PositionRecord};
use crate::schema::{self, KEY_BYTES, SCHEMA_VERSION, list_item};

pub(super) fn games_batch(games: &[&GameRecord]) -> Result<RecordBatch, ArrowError> {
    let text = |of: fn(&GameRecord) -> &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(games.iter().map(|game| of(game))))
    };
    let optional_text = |of: fn(&GameRecord) -> &Option<String>| -> ArrayRef {
        Arc::new(games.iter().map(|game| of(game).as_deref()).collect::<StringArray>())
    };
    let points = |of: fn(&GameRecord) -> Option<f32>| -> ArrayRef {
        Arc::new(games.iter().map(|game| of(game)).collect::<PrimitiveArray<Float32Type>>())
    };
    let u32s = |of: fn(&GameRecord) -> u32| numbers::<UInt32Type, _>(games, |game| of(game));
    let u64s = |of: fn(&GameRecord) -> u64| numbers::<UInt64Type, _>(games, |game| of(game));
    let started = games.iter().map(|game| game.started_at);
    let started = PrimitiveArray::<TimestampMillisecondType>::from_iter_values(started);
    RecordBatch::try_new(
        schema::GAMES.clone(),
        vec![
            u64s(|game| game.game_id),
            text(|game| &game.run_id),
            u32s(|game| game.generation),
            text(|game| &game.variant),
            text(|game| &game.ruleset),
            text(|game| &game.worker),
            u64s(|game| game.seed),
            text(|game| &game.net_first),
            text(|game| &game.net_second),
            optional_text(|game| &game.start_fen),
            optional_text(|game| &game.opening_id),
            optional_text(|game| &game.setup_first),
            optional_text(|game| &game.setup_second),
            lists(games, |game| &game.moves),
            text(|game| &game.moves_text),
            u32s(|game| game.plies() as u32),
            numbers::<Int32Type, _>(games, |game| i32::from(game.result)),
            text(|game| &game.termination),
            points(|game| game.points_first),
            points(|game| game.points_second),
            u32s(|game| game.visits),
            flags(games, |game| game.resigned_playthrough),
            Arc::new(started.with_timezone("UTC")),
            u32s(|game| game.wall_ms),
            text(|game| &game.engine_version),
            u32s(|_| SCHEMA_VERSION),
        ],
    )
}

/// A position with the game it belongs to.
pub(super) type PositionRow<'a> = (&'a GameRecord, &'a PositionRecord);

pub(super) fn positions_batch(rows: &[PositionRow<'_>]) -> Result<RecordBatch, ArrowError> {
    let u32s = |of: fn(&PositionRecord) -> u32| numbers::<UInt32Type, _>(rows, |(_, at)| of(at));
    let f32s = |of: fn(&PositionRecord) -> f32| numbers::<Float32Type, _>(rows, |(_, at)| of(at));
    let result_stm = |(game, at): &PositionRow<'_>| {
        let first = i32::from(game.result);
        if at.side == 0 { first } else { -first }
    };
    RecordBatch::try_new(
        schema::POSITIONS.clone(),
        vec![
            numbers::<UInt64Type, _>(rows, |(game, _)| game.game_id),
            u32s(|at| u32::from(at.ply)),
            u32s(|at| u32::from(at.side)),
            keys(rows, |(_, at)| Some(&at.pos_key))?,
            keys(rows, |(_, at)| at.parent_key.as_ref())?,
            u32s(|at| at.mv),
            lists(rows, |(_, at)| &at.policy_move),
            lists(rows, |(_, at)| &at.policy_visits),
            f32s(|at| at.root_wdl[0]),
            f32s(|at| at.root_wdl[1]),
            f32s(|at| at.root_wdl[2]),
            f32s(|at| at.root_q),
            f32s(|at| at.net_q),
            f32s(|at| at.net_policy_entropy),
            f32s(|at| at.policy_kld),
            u32s(|at| at.visits),
            flags(rows, |(_, at)| at.full_search),
            f32s(|at| at.target_weight),
            numbers::<Int32Type, _>(rows, result_stm),
            numbers::<UInt32Type, _>(rows, |(game, at)| game.plies() as u32 - u32::from(at.ply)),
            u32s(|at| at.generation),
            u32s(|_| SCHEMA_VERSION),
        ],
    )
}

pub(super) fn numbers<T: ArrowPrimitiveType, Row>(rows: &[Row], of: impl Fn(&Row) -> T::Native) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::from_iter_values(rows.iter().map(of)))
}

pub(super) fn flags<Row>(rows: &[Row], of: impl Fn(&Row) -> bool) -> ArrayRef {
    Arc::new(rows.iter().map(|row| Some(of(row))).collect::<BooleanArray>())
}

fn lists<'a, Row: 'a>(rows: &'a [Row], of: impl Fn(&'a Row) -> &'a Vec<u32>) -> ArrayRef {
    let lengths = OffsetBuffer::from_lengths(rows.iter().map(|row| of(row).len()));
    let values = UInt32Array::from_iter_values(rows.iter().flat_map(|row| of(row).iter().copied()));
    Arc::new(ListArray::new(list_item(), lengths, Arc::new(values), None))
}

fn keys<'a, Row: 'a>(rows: &'a [Row], of: impl Fn(&'a Row) -> Option<&'a PositionKey>) -> Result<ArrayRef, ArrowError> {
    let mut keys = FixedSizeBinaryBuilder::with_capacity(rows.len(), KEY_BYTES);
    for row in rows {
        match of(row) {
            Some(key) => keys.append_value(key)?,
            None => keys.append_null(),
        }
    }
    Ok(Arc::new(keys.finish()))
}
