//! Games of matches into columns, in the order of the schema.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Builder, ListBuilder, RecordBatch, StringArray, UInt32Builder};
use arrow::datatypes::{Int32Type, UInt32Type, UInt64Type};
use arrow::error::ArrowError;

use super::batches::{flags, numbers};
use crate::match_game::MatchGame;
use crate::schema::{self, list_item, score_item};

pub(super) fn match_games_batch(games: &[MatchGame]) -> Result<RecordBatch, ArrowError> {
    let text =
        |of: fn(&MatchGame) -> &str| -> ArrayRef { Arc::new(StringArray::from_iter_values(games.iter().map(of))) };
    let optional_text = |of: fn(&MatchGame) -> &Option<String>| -> ArrayRef {
        Arc::new(games.iter().map(|game| of(game).as_deref()).collect::<StringArray>())
    };
    let u32s = |of: fn(&MatchGame) -> u32| numbers::<UInt32Type, _>(games, of);
    let u64s = |of: fn(&MatchGame) -> u64| numbers::<UInt64Type, _>(games, of);
    RecordBatch::try_new(
        schema::MATCH_GAMES.clone(),
        vec![
            text(|game| &game.match_name),
            text(|game| &game.variant),
            text(|game| &game.ruleset),
            u32s(|game| game.max_plies),
            text(|game| &game.openings),
            u64s(|game| game.seed),
            text(|game| &game.time_limit),
            u32s(|game| game.pair),
            flags(games, |game| game.first_named_first),
            text(|game| &game.first),
            text(|game| &game.second),
            text(|game| &game.first_identity),
            text(|game| &game.second_identity),
            optional_text(|game| &game.first_settings),
            optional_text(|game| &game.second_settings),
            optional_text(|game| &game.start_fen),
            u32s(|game| game.opening_plies),
            text(|game| &game.moves_text),
            u32s(|game| game.plies),
            numbers::<Int32Type, _>(games, |game| i32::from(game.result)),
            text(|game| &game.termination),
            optional_text(|game| &game.reason),
            times(games),
            scores(games),
            u32s(|game| game.session),
            u64s(|game| game.elapsed_ms),
        ],
    )
}

fn times(games: &[MatchGame]) -> ArrayRef {
    let mut lists = ListBuilder::new(UInt32Builder::new()).with_field(list_item());
    for game in games {
        lists.append_option(game.spent_ms.as_ref().map(|times| times.iter().copied().map(Some)));
    }
    Arc::new(lists.finish())
}

fn scores(games: &[MatchGame]) -> ArrayRef {
    let mut lists = ListBuilder::new(Int32Builder::new()).with_field(score_item());
    for game in games {
        lists.append_option(game.scores.as_ref().map(|scores| scores.iter().copied()));
    }
    Arc::new(lists.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write_match_games;
    use arrow::array::{Array, AsArray};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    #[test]
    fn rows_come_back_with_their_lists_and_gaps() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.parquet");
        let plain = MatchGame { first: "a".into(), result: -1, seed: u64::MAX, ..MatchGame::default() };
        let timed = MatchGame {
            spent_ms: Some(vec![0, 12]),
            scores: Some(vec![None, Some(-29_997)]),
            start_fen: Some("4k4/9 w".into()),
            ..plain.clone()
        };
        write_match_games(&path, &[plain, timed]).unwrap();
        let file = std::fs::File::open(&path).unwrap();
        let mut reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
        let rows = reader.next().unwrap().unwrap();
        assert_eq!(rows.num_rows(), 2);
        let column = |name: &str| rows.column_by_name(name).unwrap();
        assert_eq!(column("result").as_primitive::<Int32Type>().values(), &[-1, -1]);
        assert_eq!(column("seed").as_primitive::<UInt64Type>().value(1), u64::MAX);
        assert!(column("start_fen").is_null(0) && column("spent_ms").is_null(0) && column("scores").is_null(0));
        assert_eq!(column("spent_ms").as_list::<i32>().value(1).as_primitive::<UInt32Type>().values(), &[0, 12]);
        let scores = column("scores").as_list::<i32>().value(1);
        assert!(scores.is_null(0) && scores.as_primitive::<Int32Type>().value(1) == -29_997);
    }

    #[test]
    fn fields_have_the_names_of_the_columns() {
        let value = serde_json::to_value(MatchGame::default()).unwrap();
        let mut fields: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
        let mut columns: Vec<_> = MatchGame::columns().collect();
        fields.sort_unstable();
        columns.sort_unstable();
        assert_eq!(fields, columns);
    }
}
