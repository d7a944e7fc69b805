//! Training samples as a table, for training with another program: `kirin data features`.

use std::path::Path;

use parquet::file::metadata::KeyValue;

use crate::column::{Column, Float, Floats, TableSchema, Unsigned, Unsigned64, Unsigneds, since};
use crate::durable;
use crate::error::DataError;
use crate::writer::write_columns;

/// A searched position as training sees it: the input of a network and its targets. Everything is from the point of view
/// of the side to move.
#[derive(Clone, Debug)]
pub struct FeatureRow<'a> {
    /// The game, unique within a run.
    pub game_id: u64,
    /// Moves played before the position.
    pub ply: u32,
    /// Input planes, plane by plane, rank by rank.
    pub planes: &'a [f32],
    /// Nine numbers for each legal move: source token, target token, 1 if it promotes, number of further tokens, and five
    /// of those, 0 where there are fewer.
    pub moves: &'a [u32],
    /// Target probability of each move.
    pub policy: &'a [f32],
    /// Weight of the policy in the loss; 0 after a fast search.
    pub policy_weight: f32,
    /// The further targets, in the order of their columns.
    pub targets: Vec<&'a [f32]>,
}

/// A column of further targets. Which there are is declared by the heads of the network, of which this package knows
/// nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetColumn {
    /// A column of this name with one number a row.
    Number(&'static str),
    /// A column of this name with a list of numbers a row.
    List(&'static str),
}

impl TargetColumn {
    /// The column of the table for the target with index `at`.
    fn column(self, at: usize) -> Column<FeatureTable> {
        match self {
            TargetColumn::Number(name) => Column::numbered::<Float>(name, at, |row, at| row.targets[at][0]),
            TargetColumn::List(name) => Column::numbered::<Floats>(name, at, |row, at| row.targets[at]),
        }
    }
}

/// The table of samples, without the columns of further targets. It is written and not read.
pub(crate) struct FeatureTable;

impl TableSchema for FeatureTable {
    type Row<'a> = FeatureRow<'a>;
    type Draft = ();
    const SORTED: bool = false;

    fn columns() -> Vec<Column<Self>> {
        let id = Column::<Self>::derived::<Unsigned64>("game_id", "the game, unique within a run", |row| row.game_id);
        let planes = "input of the network, plane by plane, rank by rank";
        let moves =
            "nine numbers for each legal move: source, target, 1 if it promotes, how many further tokens, those";
        let columns = vec![
            id.varied(),
            Column::derived::<Unsigned>("ply", "moves played before the position", |row| row.ply),
            Column::derived::<Floats>("planes", planes, |row| row.planes),
            Column::derived::<Unsigneds>("moves", moves, |row| row.moves),
            Column::derived::<Floats>("policy", "target probability of each move", |row| row.policy),
            Column::derived::<Float>("policy_weight", "weight of the policy in the loss", |row| row.policy_weight),
        ];
        since(1, columns)
    }

    fn draft() {}
}

/// Writes samples as a Parquet file, which is there whole or not at all. `targets` are the columns of further targets, and
/// `about` goes into the footer.
///
/// # Errors
/// The file cannot be written.
pub fn write_features(
    path: &Path,
    targets: &[TargetColumn],
    rows: &[FeatureRow],
    about: &[(&str, String)],
) -> Result<(), DataError> {
    let mut columns = FeatureTable::columns();
    columns.extend(targets.iter().enumerate().map(|(at, target)| target.column(at)));
    let footer = about.iter().map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone())).collect();
    durable::write_atomically(path, |file| write_columns(&columns, footer, file, rows).map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float32Type, UInt32Type};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    #[test]
    fn lists_of_any_length_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("features.parquet");
        let row = FeatureRow {
            game_id: u64::MAX,
            ply: 3,
            planes: &[0.0, 1.0, 0.015],
            moves: &[1, 2, 0, 0, 0, 0, 0, 0, 0],
            policy: &[1.0],
            policy_weight: 0.5,
            targets: vec![&[0.25, 0.5, 0.25], &[2.5]],
        };
        let other = FeatureRow { planes: &[2.0], targets: vec![&[], &[0.5]], ..row.clone() };
        let targets = [TargetColumn::List("wdl"), TargetColumn::Number("plies_left")];
        write_features(&path, &targets, &[row.clone(), other], &[("kirin.features", "{}".to_owned())]).unwrap();
        let file = ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(&path).unwrap()).unwrap();
        let about = file.metadata().file_metadata().key_value_metadata().unwrap();
        assert_eq!((about[0].key.as_str(), about[0].value.as_deref()), ("kirin.features", Some("{}")));
        let rows = file.build().unwrap().next().unwrap().unwrap();
        let list = |name: &str, at| rows.column_by_name(name).unwrap().as_list::<i32>().value(at);
        assert_eq!(list("planes", 0).as_primitive::<Float32Type>().values(), &[0.0, 1.0, 0.015]);
        assert_eq!(list("planes", 1).as_primitive::<Float32Type>().values(), &[2.0]);
        assert_eq!(list("moves", 1).as_primitive::<UInt32Type>().values(), row.moves);
        assert_eq!(list("wdl", 0).as_primitive::<Float32Type>().values(), row.targets[0]);
        assert_eq!(list("wdl", 1).len(), 0);
        let left = rows.column_by_name("plies_left").unwrap().as_primitive::<Float32Type>();
        assert_eq!(left.values(), &[2.5, 0.5]);
    }
}
