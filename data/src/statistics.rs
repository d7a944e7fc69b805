//! Statistics over committed games: which openings are played, and how games end.
//!
//! A table is read column by column, with every check of the reader. Openings are counted by putting the games in order;
//! summaries are grouped by polars, whose data frames stay inside this module.

use polars::prelude::*;

use crate::error::{DataError, Result};
use crate::store::DataStore;

mod interval;
mod openings;
mod samples;
mod summary;

pub use interval::wilson;
pub use openings::{OpeningQuery, OpeningRow, OpeningStart, OpeningTable};
pub use samples::SampleGame;
pub use summary::GenerationSummary;

impl DataStore {
    fn statistics<T>(&self, computed: PolarsResult<T>) -> Result<T> {
        computed.map_err(|error| DataError::Statistics { path: self.root().to_owned(), source: Box::new(error) })
    }
}

/// The rows of each distinct value in a column, in ascending order.
fn groups<T, S: ?Sized>(name: &str, values: T) -> PolarsResult<Vec<Vec<IdxSize>>>
where
    Series: NamedFrom<T, S>,
{
    let column = Column::new(name.into(), values);
    let frame = DataFrame::new(column.len(), vec![column])?;
    let groups = frame.group_by([name])?.into_groups();
    let rows = |group| match group {
        GroupsIndicator::Idx((_, rows)) => rows.to_vec(),
        GroupsIndicator::Slice([first, length]) => (first..first + length).collect(),
    };
    Ok(groups.iter().map(rows).collect())
}
