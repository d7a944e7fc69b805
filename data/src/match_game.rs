//! A game of a match as a row, for other programs. Matches themselves are stored in their logs.

use rules::{GameResult, Termination};
use serde::Serialize;

use crate::column::{Column, Flag, Int, Maybe, MaybeInts, TableSchema, Text, Unsigned, Unsigned64, Unsigneds, since};
use crate::error::DataError;
use crate::output::Output;
use crate::writer::write_table;

/// One game of a match: a row of the table that [`write_match_games`] writes. Fields have the
/// names of the columns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatchGame {
    /// Name of the match's log, without its ending.
    pub match_name: String,
    /// Variant id.
    pub variant: String,
    /// Rule-set preset.
    pub ruleset: String,
    /// Ply limit.
    pub max_plies: u32,
    /// How the openings were made.
    pub openings: String,
    /// Seed of the match.
    pub seed: u64,
    /// The thinking limit that the players share.
    pub time_limit: String,
    /// Number of the pair, from 0.
    pub pair: u32,
    /// Whether the player named first in the match moved first.
    pub first_named_first: bool,
    /// The player who moved first.
    pub first: String,
    /// The opponent.
    pub second: String,
    /// Key of the first player: it identifies the player in all games.
    pub first_player: String,
    /// Key of the second player.
    pub second_player: String,
    /// What the first player is: the digest of a network, or a name.
    pub first_identity: String,
    /// What the second player is.
    pub second_identity: String,
    /// Settings of the first player's search or engine as JSON.
    pub first_settings: Option<String>,
    /// Settings of the second player's.
    pub second_settings: Option<String>,
    /// Start position; `None` for the variant's own.
    pub start_fen: Option<String>,
    /// How many of the moves belong to the opening.
    pub opening_plies: u32,
    /// All moves in UCI, separated by spaces.
    pub moves_text: String,
    /// Number of moves.
    pub plies: u32,
    /// The result.
    pub result: GameResult,
    /// Why it ended.
    pub termination: Termination,
    /// What a player did wrong, or by which rule it was adjudicated, where that ended it.
    pub reason: Option<String>,
    /// Milliseconds that each move took; `None` where no time was measured.
    pub spent_ms: Option<Vec<u32>>,
    /// The score reported with each move, centipawns for the player who moved; `None` where no player gave any.
    pub scores: Option<Vec<Option<i32>>>,
    /// Which run of the program finished it, from 1.
    pub session: u32,
    /// Milliseconds since that run began.
    pub elapsed_ms: u64,
}

impl MatchGame {
    /// Names of the columns, in their order.
    pub fn columns() -> impl Iterator<Item = &'static str> {
        MatchGameTable::columns().into_iter().map(|column| column.name)
    }
}

/// The table of games of matches, by match, pair and side. It is written and not read.
pub(crate) struct MatchGameTable;

impl TableSchema for MatchGameTable {
    type Row<'a> = MatchGame;
    type Draft = ();
    const SORTED: bool = false;

    fn columns() -> Vec<Column<Self>> {
        since(
            1,
            vec![
                Column::derived::<Text>("match_name", "name of the match's log, without its ending", |game| {
                    (&game.match_name).into()
                }),
                Column::derived::<Text>("variant", "the id of the variant, as commands take it", |game| {
                    (&game.variant).into()
                }),
                Column::derived::<Text>("ruleset", "name of the rule set", |game| (&game.ruleset).into()),
                Column::derived::<Unsigned>("max_plies", "ply limit", |game| game.max_plies),
                Column::derived::<Text>("openings", "how the openings were made", |game| (&game.openings).into()),
                Column::<Self>::derived::<Unsigned64>("seed", "seed of the match", |game| game.seed).varied(),
                Column::derived::<Text>("time_limit", "limit of thinking that the players have in common", |game| {
                    (&game.time_limit).into()
                }),
                Column::derived::<Unsigned>("pair", "number of the pair, from 0", |game| game.pair),
                Column::derived::<Flag>(
                    "first_named_first",
                    "whether the player named first in the match moved first",
                    |game| game.first_named_first,
                ),
                Column::derived::<Text>("first", "name of the player who moved first", |game| (&game.first).into()),
                Column::derived::<Text>("second", "name of the opponent", |game| (&game.second).into()),
                Column::derived::<Text>(
                    "first_player",
                    "who the first player is: equal for all its games, and for no other player",
                    |game| (&game.first_player).into(),
                ),
                Column::derived::<Text>("second_player", "who the second player is", |game| {
                    (&game.second_player).into()
                }),
                Column::derived::<Text>(
                    "first_identity",
                    "what the first player is: digest of a network, or a name",
                    |game| (&game.first_identity).into(),
                ),
                Column::derived::<Text>("second_identity", "what the second player is", |game| {
                    (&game.second_identity).into()
                }),
                Column::derived::<Maybe<Text>>(
                    "first_settings",
                    "settings of the first player's search or engine, JSON",
                    |game| game.first_settings.as_ref().map(Into::into),
                ),
                Column::derived::<Maybe<Text>>("second_settings", "settings of the second player's", |game| {
                    game.second_settings.as_ref().map(Into::into)
                }),
                Column::derived::<Maybe<Text>>("start_fen", "start position; null is the variant's own", |game| {
                    game.start_fen.as_ref().map(Into::into)
                }),
                Column::derived::<Unsigned>("opening_plies", "how many of the moves belong to the opening", |game| {
                    game.opening_plies
                }),
                Column::<Self>::derived::<Text>("moves_text", "moves in UCI, separated by spaces", |game| {
                    (&game.moves_text).into()
                })
                .varied(),
                Column::derived::<Unsigned>("plies", "number of moves", |game| game.plies),
                Column::derived::<Int>(
                    "result",
                    "+1 the first player won, 0 draw, −1 the second player won",
                    |game| game.result.into(),
                ),
                Column::derived::<Text>("termination", "why it ended: `checkmate`, `repetition`, …", |game| {
                    game.termination.name().into()
                }),
                Column::derived::<Maybe<Text>>(
                    "reason",
                    "what a player did wrong, or by which rule it was adjudicated, where that ended it",
                    |game| game.reason.as_ref().map(Into::into),
                ),
                Column::derived::<Maybe<Unsigneds>>(
                    "spent_ms",
                    "ms that each move took; null where no time was measured",
                    |game| game.spent_ms.as_deref(),
                ),
                Column::derived::<Maybe<MaybeInts>>(
                    "scores",
                    "the score reported with each move, centipawns for the player who moved; null where no score was given",
                    |game| game.scores.as_deref(),
                ),
                Column::derived::<Unsigned>("session", "which run of the program finished it, from 1", |game| {
                    game.session
                }),
                Column::derived::<Unsigned64>("elapsed_ms", "ms since that run began", |game| game.elapsed_ms),
            ],
        )
    }

    fn draft() {}
}

/// Writes games of matches as a Parquet file.
///
/// # Errors
/// The file cannot be written.
pub fn write_match_games(out: &Output, games: &[MatchGame]) -> Result<(), DataError> {
    out.write(|file| write_table::<MatchGameTable>(Vec::new(), file, games).map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int32Type, UInt32Type, UInt64Type};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use rules::{GameResult, Termination};

    fn match_game() -> MatchGame {
        MatchGame {
            match_name: "m".into(),
            variant: "wangqi".into(),
            ruleset: "standard".into(),
            max_plies: 300,
            openings: "random 4 plies".into(),
            seed: u64::MAX,
            time_limit: "own".into(),
            pair: 0,
            first_named_first: true,
            first: "a".into(),
            second: "b".into(),
            first_player: "0123456789abcdef".into(),
            second_player: "fedcba9876543210".into(),
            first_identity: "random".into(),
            second_identity: "greedy".into(),
            first_settings: None,
            second_settings: None,
            start_fen: None,
            opening_plies: 0,
            moves_text: String::new(),
            plies: 0,
            result: GameResult::SecondWins,
            termination: Termination::Checkmate,
            reason: None,
            spent_ms: None,
            scores: None,
            session: 1,
            elapsed_ms: 0,
        }
    }

    #[test]
    fn games_of_matches_come_back_with_their_lists_and_gaps() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.parquet");
        let timed = MatchGame {
            spent_ms: Some(vec![0, 12]),
            scores: Some(vec![None, Some(-29_997)]),
            start_fen: Some("4k4/9 w".into()),
            ..match_game()
        };
        write_match_games(&Output::new(&path).unwrap(), &[match_game(), timed]).unwrap();
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
        let value = serde_json::to_value(match_game()).unwrap();
        let mut fields: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
        let mut columns: Vec<_> = MatchGame::columns().collect();
        fields.sort_unstable();
        columns.sort_unstable();
        assert_eq!(fields, columns);
    }
}
