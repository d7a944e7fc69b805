//! Columns of tables. A column is declared once, and the schema of its files, their writer, their reader and the tables
//! in README.md follow from the declaration.

use std::error::Error;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, UInt32Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use rules::{GameResult, UnknownResult};

use crate::error::{ColumnFault, FileFault};

mod kinds;

pub(crate) use kinds::{
    Borrowable, Codes, ColumnKind, Flag, Float, Floats, Int, KeyBytes, Maybe, MaybeInts, Milliseconds, Readable, Text,
    Unsigned, Unsigned64, Unsigneds,
};

/// The column with the version of the file's columns.
pub(crate) const VERSION: &str = "schema_version";

/// A table of a data folder.
pub(crate) trait TableSchema: Sized + 'static {
    /// A row on its way into a file.
    type Row<'a>;
    /// A row out of a file, filled column by column.
    type Draft: Clone;

    /// Whether the rows are in the order of the first column.
    const SORTED: bool;

    /// The columns in their order. Those of later schema versions come last.
    fn columns() -> Vec<Column<Self>>;

    /// A row to be filled. Its values are the defaults for columns that files of earlier schema versions lack.
    fn draft() -> Self::Draft;
}

/// Reads the value of a column from a row.
pub(crate) type Get<T, K> = for<'a> fn(&'a <T as TableSchema>::Row<'a>) -> <K as ColumnKind>::Value<'a>;

/// Reads the value of a column of this number from a row.
type GetNumbered<T, K> = for<'a> fn(&'a <T as TableSchema>::Row<'a>, usize) -> <K as ColumnKind>::Value<'a>;

/// Stores the value of a column in a row, if it is valid.
type TrySet<T, K> =
    fn(&mut <T as TableSchema>::Draft, <K as Readable>::Owned) -> Result<(), Box<dyn Error + Send + Sync>>;

type Write<T> = Box<dyn for<'a> Fn(&'a [<T as TableSchema>::Row<'a>]) -> ArrayRef>;
type Read<T> = Box<dyn Fn(&dyn Array, &mut [<T as TableSchema>::Draft]) -> Result<(), ColumnFault>>;

/// A column of table `T`.
pub(crate) struct Column<T: TableSchema> {
    /// Its name in files.
    pub name: &'static str,
    /// Its type, for people.
    #[cfg_attr(not(test), expect(dead_code, reason = "README.md is made of it"))]
    pub kind: &'static str,
    /// What it says, for people.
    #[cfg_attr(not(test), expect(dead_code, reason = "README.md is made of it"))]
    pub meaning: &'static str,
    /// The schema version that introduced it.
    pub since: u32,
    /// Whether a dictionary saves nothing: values hardly ever repeat, or zstd does as well without.
    pub varied: bool,
    /// Whether its numbers are split into byte streams: all lowest bytes, all next ones and so on. zstd compresses these
    /// better where the upper bytes vary less than the lower ones.
    pub split: bool,
    data_type: DataType,
    nullable: bool,
    write: Write<T>,
    read: Option<Read<T>>,
}

impl<T: TableSchema> Column<T> {
    /// A column that is written and read.
    pub fn new<K: Readable>(
        name: &'static str,
        meaning: &'static str,
        get: Get<T, K>,
        set: fn(&mut T::Draft, K::Owned),
    ) -> Self {
        let read = move |array: &dyn Array, drafts: &mut [T::Draft]| {
            let value = values::<K>(array)?;
            drafts.iter_mut().enumerate().for_each(|(row, draft)| set(draft, value(row)));
            Ok(())
        };
        Column { read: Some(Box::new(read)), ..Column::derived::<K>(name, meaning, get) }
    }

    /// A column whose values may be invalid.
    pub fn checked<K: Readable>(name: &'static str, meaning: &'static str, get: Get<T, K>, set: TrySet<T, K>) -> Self {
        let read = move |array: &dyn Array, drafts: &mut [T::Draft]| {
            let value = values::<K>(array)?;
            let mut rows = drafts.iter_mut().enumerate();
            rows.try_for_each(|(row, draft)| {
                set(draft, value(row)).map_err(|source| ColumnFault::Value { row, source })
            })
        };
        Column { read: Some(Box::new(read)), ..Column::derived::<K>(name, meaning, get) }
    }

    /// A column that follows from the others: it is written for other programs and not read.
    pub fn derived<K: ColumnKind>(name: &'static str, meaning: &'static str, get: Get<T, K>) -> Self {
        Column {
            name,
            kind: K::NAME,
            meaning,
            since: 1,
            varied: false,
            // Measured values share exponents, not mantissas.
            split: K::data_type().is_floating(),
            data_type: K::data_type(),
            nullable: K::NULLABLE,
            write: Box::new(move |rows| K::array(rows.iter().map(get))),
            read: None,
        }
    }

    /// Like [`derived`](Column::derived), for one of several columns that are known by their number.
    pub fn numbered<K: ColumnKind>(name: &'static str, number: usize, get: GetNumbered<T, K>) -> Self {
        Column {
            name,
            kind: K::NAME,
            meaning: "",
            since: 1,
            varied: false,
            split: K::data_type().is_floating(),
            data_type: K::data_type(),
            nullable: K::NULLABLE,
            write: Box::new(move |rows| K::array(rows.iter().map(|row| get(row, number)))),
            read: None,
        }
    }

    /// This column, marked as [varied](Column::varied).
    pub fn varied(self) -> Self {
        Column { varied: true, ..self }
    }

    /// This column, marked as [split](Column::split).
    pub fn split(self) -> Self {
        Column { split: true, ..self }
    }

    /// The names that lead to its values in a file.
    pub fn path(&self) -> Vec<String> {
        let of_list: &[&str] = if matches!(self.data_type, DataType::List(_)) { &["list", "element"] } else { &[] };
        [&[self.name], of_list].concat().into_iter().map(str::to_owned).collect()
    }

    /// The type of its values in files.
    pub fn data_type(&self) -> &DataType {
        &self.data_type
    }

    /// Whether it is read where games are; a derived one is only checked.
    pub fn is_read(&self) -> bool {
        self.read.is_some()
    }
}

fn values<K: Readable>(array: &dyn Array) -> Result<impl Fn(usize) -> K::Owned + '_, ColumnFault> {
    sound::<K, _>(array, K::values(array))
}

/// The values of an array by row, if it has the type of the kind, and nulls only where the kind has them.
fn sound<K: ColumnKind, F>(array: &dyn Array, values: Option<F>) -> Result<F, ColumnFault> {
    if !K::NULLABLE && array.null_count() > 0 {
        return Err(ColumnFault::Nulls);
    }
    values.ok_or_else(|| ColumnFault::Type { found: Box::new(array.data_type().clone()), wanted: K::NAME })
}

/// The schema of a table's files.
pub(crate) fn schema<T: TableSchema>(columns: &[Column<T>]) -> SchemaRef {
    let field = |column: &Column<T>| Field::new(column.name, column.data_type.clone(), column.nullable);
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

/// Rows as a batch of these columns.
pub(crate) fn batch<'a, T: TableSchema>(
    schema: &SchemaRef,
    columns: &[Column<T>],
    rows: &'a [T::Row<'a>],
) -> Result<RecordBatch, ArrowError> {
    RecordBatch::try_new(schema.clone(), columns.iter().map(|column| (column.write)(rows)).collect())
}

/// A batch from a file of schema version `version` as rows.
pub(crate) fn drafts<T: TableSchema>(
    columns: &[Column<T>],
    batch: &RecordBatch,
    version: u32,
) -> Result<Vec<T::Draft>, FileFault> {
    let mut drafts = vec![T::draft(); batch.num_rows()];
    for column in columns.iter().filter(|column| column.since <= version) {
        let Some(read) = &column.read else { continue };
        let array = batch.column_by_name(column.name).ok_or(ColumnFault::Missing);
        array
            .and_then(|array| read(&**array, &mut drafts))
            .map_err(|fault| FileFault::Column { column: column.name, fault })?;
    }
    Ok(drafts)
}

/// Requires that the values of the derived columns, which other programs read, follow from the rows, and reports the
/// first that does not. `version` is the file's.
pub(crate) fn require_derived<'a, T: TableSchema>(
    columns: &[Column<T>],
    batch: &RecordBatch,
    version: u32,
    rows: &'a [T::Row<'a>],
) -> Result<(), FileFault> {
    for column in columns.iter().filter(|column| !column.is_read() && column.since <= version) {
        let fault = |fault| FileFault::Column { column: column.name, fault };
        let found = batch.column_by_name(column.name).ok_or_else(|| fault(ColumnFault::Missing))?;
        let follows: ArrayRef = match column.name {
            // Files of earlier versions have their own.
            VERSION => Arc::new(UInt32Array::from_value(version, rows.len())),
            _ => (column.write)(rows),
        };
        if **found != *follows {
            let differs = |&row: &usize| *found.slice(row, 1) != *follows.slice(row, 1);
            let row = (0..rows.len()).find(differs).unwrap_or_default();
            let source = "it does not follow from the other columns".into();
            return Err(fault(ColumnFault::Value { row, source }));
        }
    }
    Ok(())
}

/// Some rows of a file, whose columns are looked up one by one.
pub(crate) struct Columns<'a>(pub &'a RecordBatch);

impl Columns<'_> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.0.num_rows()
    }

    /// Whether the file has this column. Files of earlier schema versions lack some.
    pub fn has(&self, column: &str) -> bool {
        self.0.column_by_name(column).is_some()
    }

    /// The values of a column by row.
    ///
    /// # Errors
    /// The column is missing, has another type, or has nulls where it must have values.
    pub fn values<K: Readable>(&self, column: &'static str) -> Result<impl Fn(usize) -> K::Owned + '_, FileFault> {
        let array = self.0.column_by_name(column).ok_or(ColumnFault::Missing);
        array.and_then(|array| values::<K>(&**array)).map_err(|fault| FileFault::Column { column, fault })
    }

    /// Like [`values`](Self::values), without copying them.
    ///
    /// # Errors
    /// As for [`values`](Self::values).
    pub fn borrowed<'a, K: Borrowable>(
        &'a self,
        column: &'static str,
    ) -> Result<impl Fn(usize) -> K::Borrowed<'a> + 'a, FileFault> {
        let array = self.0.column_by_name(column).ok_or(ColumnFault::Missing);
        let values = array.and_then(|array| sound::<K, _>(&**array, K::borrowed(&**array)));
        values.map_err(|fault| FileFault::Column { column, fault })
    }

    /// The results of games in a column by row.
    ///
    /// # Errors
    /// As for [`values`](Self::values), or a number stands for no result.
    pub fn results(&self, column: &'static str) -> Result<Vec<GameResult>, FileFault> {
        let number = self.values::<Int>(column)?;
        let result = |row| {
            let source = |error: UnknownResult| ColumnFault::Value { row, source: error.into() };
            GameResult::try_from(number(row)).map_err(|error| FileFault::Column { column, fault: source(error) })
        };
        (0..self.rows()).map(result).collect()
    }
}

/// Columns that a schema version has introduced.
pub(crate) fn since<T: TableSchema>(version: u32, columns: Vec<Column<T>>) -> Vec<Column<T>> {
    columns.into_iter().map(|column| Column { since: version, ..column }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table that got its second column in version 2.
    struct Grown;

    impl TableSchema for Grown {
        type Row<'a> = (u32, u32);
        type Draft = (u32, u32);
        const SORTED: bool = false;

        fn columns() -> Vec<Column<Self>> {
            let first = Column::<Self>::new::<Unsigned>("first", "", |row| row.0, |row, value| row.0 = value);
            let second = Column::<Self>::new::<Unsigned>("second", "", |row| row.1, |row, value| row.1 = value);
            [since(1, vec![first]), since(2, vec![second])].into_iter().flatten().collect()
        }

        fn draft() -> (u32, u32) {
            (0, 77)
        }
    }

    #[test]
    fn files_of_before_have_the_drafts_value_for_a_new_column() {
        let columns = Grown::columns();
        let new = batch(&schema(&columns), &columns, &[(1, 2), (3, 4)]).unwrap();
        assert_eq!(drafts(&columns, &new, 2).unwrap(), [(1, 2), (3, 4)]);
        let old = new.project(&[0]).unwrap();
        assert_eq!(drafts(&columns, &old, 1).unwrap(), [(1, 77), (3, 77)]);
        let error = drafts(&columns, &old, 2).unwrap_err();
        assert_eq!(error.to_string(), "column second: it is missing");
    }
}
