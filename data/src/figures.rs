//! Tables of figures: measurements of a program, as columns of numbers for others to read.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde_json::Value;

use crate::error::DataError;
use crate::output::Output;
use crate::writer::into_io;

/// The values of a column, one for each row; `None` where a row has none.
#[derive(Clone, Debug, PartialEq)]
pub enum FigureColumn {
    /// Counts.
    Whole(Vec<Option<u64>>),
    /// Measured numbers.
    Real(Vec<Option<f64>>),
    /// Names and other texts.
    Text(Vec<Option<String>>),
}

impl FigureColumn {
    /// Rows.
    pub fn rows(&self) -> usize {
        match self {
            FigureColumn::Whole(numbers) => numbers.len(),
            FigureColumn::Real(numbers) => numbers.len(),
            FigureColumn::Text(texts) => texts.len(),
        }
    }

    /// The value in a row; null where there is none.
    ///
    /// # Panics
    /// There is no such row.
    pub fn value(&self, row: usize) -> Value {
        match self {
            FigureColumn::Whole(numbers) => numbers[row].into(),
            FigureColumn::Real(numbers) => numbers[row].into(),
            FigureColumn::Text(texts) => texts[row].as_deref().into(),
        }
    }

    fn array(&self) -> ArrayRef {
        match self {
            FigureColumn::Whole(numbers) => Arc::new(UInt64Array::from(numbers.clone())),
            FigureColumn::Real(numbers) => Arc::new(Float64Array::from(numbers.clone())),
            FigureColumn::Text(texts) => Arc::new(StringArray::from(texts.clone())),
        }
    }
}

/// Writes columns of figures, each with its name, as a Parquet file. All columns must have the same number of rows, and
/// every column may have gaps.
///
/// # Errors
/// The file cannot be written, or the columns have different lengths.
///
/// ```
/// use data::FigureColumn;
///
/// # let folder = tempfile::tempdir()?;
/// let losses = FigureColumn::Real(vec![Some(2.5), None, Some(1.75)]);
/// let out = data::Output::new(&folder.path().join("losses.parquet"))?;
/// data::write_figures(&out, &[("policy_loss".to_owned(), losses)])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_figures(out: &Output, columns: &[(String, FigureColumn)]) -> Result<(), DataError> {
    out.write(|file| {
        let columns = columns.iter().map(|(name, figures)| (name, figures.array(), true));
        let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(io::Error::other)?;
        write_batch(&batch, file)
    })
}

/// Writes one batch as a whole file.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write_batch(batch: &RecordBatch, out: &mut (dyn Write + Send)) -> io::Result<()> {
    let level = ZstdLevel::try_new(3).expect("3 is a level of zstd");
    let properties = WriterProperties::builder().set_compression(Compression::ZSTD(level)).build();
    let mut writer = ArrowWriter::try_new(out, batch.schema(), Some(properties)).map_err(into_io)?;
    writer.write(batch).map_err(into_io)?;
    writer.close().map(drop).map_err(into_io)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, UInt64Type};
    use arrow_array::{Array, RecordBatchReader};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    #[test]
    fn figures_come_back_with_their_gaps() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("figures.parquet");
        let whole = FigureColumn::Whole(vec![Some(1), Some(2), None]);
        let real = FigureColumn::Real(vec![None, Some(0.25), Some(-1e300)]);
        let text = FigureColumn::Text(vec![None, Some("炮二平五".to_owned()), Some(String::new())]);
        let columns = [("generation".to_owned(), whole), ("loss".to_owned(), real), ("line".to_owned(), text)];
        write_figures(&Output::new(&path).expect("a name"), &columns).expect("written");
        let file = std::fs::File::open(&path).expect("the file");
        let mut reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").build().expect("a reader");
        let names: Vec<String> = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
        assert_eq!(names, ["generation", "loss", "line"]);
        let batch = reader.next().expect("a batch").expect("rows");
        let whole: Vec<Option<u64>> = batch.column(0).as_primitive::<UInt64Type>().iter().collect();
        let real: Vec<Option<f64>> = batch.column(1).as_primitive::<Float64Type>().iter().collect();
        assert_eq!((whole, real), (vec![Some(1), Some(2), None], vec![None, Some(0.25), Some(-1e300)]));
        assert_eq!(batch.column(0).null_count(), 1);
        let text: Vec<Option<&str>> = batch.column(2).as_string::<i32>().iter().collect();
        assert_eq!(text, [None, Some("炮二平五"), Some("")]);
    }

    #[test]
    fn columns_of_different_lengths_are_an_error_and_leave_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("figures.parquet");
        let columns =
            [FigureColumn::Whole(vec![Some(1)]), FigureColumn::Real(vec![None, None])].map(|f| (format!("{f:?}"), f));
        write_figures(&Output::new(&path).expect("a name"), &columns).expect_err("different lengths");
        assert!(!path.exists());
    }
}
