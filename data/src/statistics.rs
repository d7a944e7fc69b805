//! Statistics over committed games: which openings are played, and how games end.
//!
//! Tables are read column by column, with every check of the reader. Polars groups and joins the columns; its data frames
//! stay inside this module.

use polars::prelude::*;
use rules::GameResult;

use crate::error::{DataError, Result};
use crate::folders::GameFolders;

mod interval;
mod openings;
mod samples;
mod summary;

pub use interval::wilson;
pub use openings::{CountedGame, OpeningOrigin, OpeningQuery, OpeningRow, OpeningStart, OpeningTable};
pub use samples::SampleGame;
pub use summary::GenerationSummary;

impl GameFolders {
    fn statistics<T>(&self, computed: PolarsResult<T>) -> Result<T> {
        computed.map_err(|error| DataError::Statistics { path: self.names().into(), source: Box::new(error) })
    }
}

/// How many games a group has, how many of them the first player won, and how many were drawn: the columns `games`,
/// `first_wins` and `draws`, from `result`.
fn outcomes() -> [Expr; 3] {
    let with = |result: GameResult| col("result").eq(lit(i32::from(result))).sum();
    [len().alias("games"), with(GameResult::FirstWins).alias("first_wins"), with(GameResult::Draw).alias("draws")]
}

/// The numbers of some columns without nulls, row by row.
fn numbers<const N: usize>(frame: &DataFrame, columns: [&str; N]) -> PolarsResult<Vec<[u64; N]>> {
    let mut rows = vec![[0; N]; frame.height()];
    for (at, name) in columns.into_iter().enumerate() {
        let column = frame.column(name)?.cast(&DataType::UInt64)?;
        rows.iter_mut().zip(column.u64()?.into_no_null_iter()).for_each(|(row, number)| row[at] = number);
    }
    Ok(rows)
}
