//! Columns of files as columns of polars, and values of polars as JSON.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type as F32, Float64Type as F64, Int32Type as I32, Int64Type as I64,
    TimestampMillisecondType, UInt32Type as U32, UInt64Type as U64,
};
use arrow_array::{Array, ArrayRef, BinaryArray, BooleanArray, ListArray, PrimitiveArray, StringArray};
use arrow_schema::DataType as FileType;
use polars::prelude::*;
use serde_json::Value;

use crate::error::{ColumnFault, FileFault};

/// Values of a column that is being read.
pub(super) enum Values {
    U64(Vec<Option<u64>>),
    /// As 64 bits, because sums and differences of 32 bits wrap around in polars.
    U32(Vec<Option<i64>>),
    /// As 64 bits, too.
    I32(Vec<Option<i64>>),
    F32(Vec<Option<f32>>),
    Flag(Vec<Option<bool>>),
    Milliseconds(Vec<Option<i64>>),
    Text(Vec<Option<String>>),
    Bytes(BinaryChunkedBuilder),
    List(Box<ListPrimitiveChunkedBuilder<UInt32Type>>),
}

impl Values {
    /// What polars calls the type of a column of our files.
    pub fn kind(kind: &FileType) -> DataType {
        match kind {
            FileType::UInt64 => DataType::UInt64,
            FileType::UInt32 | FileType::Int32 => DataType::Int64,
            FileType::Float32 => DataType::Float32,
            FileType::Boolean => DataType::Boolean,
            FileType::Timestamp(..) => DataType::Datetime(TimeUnit::Milliseconds, None),
            FileType::FixedSizeBinary(_) => DataType::Binary,
            FileType::List(_) => DataType::List(Box::new(DataType::UInt32)),
            _ => DataType::String,
        }
    }

    /// No values yet. A manifest may claim any number of rows, so no memory is reserved for them.
    pub fn new(kind: &FileType) -> Values {
        match kind {
            FileType::UInt64 => Values::U64(Vec::new()),
            FileType::UInt32 => Values::U32(Vec::new()),
            FileType::Int32 => Values::I32(Vec::new()),
            FileType::Float32 => Values::F32(Vec::new()),
            FileType::Boolean => Values::Flag(Vec::new()),
            FileType::Timestamp(..) => Values::Milliseconds(Vec::new()),
            FileType::FixedSizeBinary(_) => Values::Bytes(BinaryChunkedBuilder::new("".into(), 0)),
            FileType::List(_) => {
                Values::List(Box::new(ListPrimitiveChunkedBuilder::new("".into(), 0, 0, DataType::UInt32)))
            }
            _ => Values::Text(Vec::new()),
        }
    }

    /// Adds a batch; nulls where the file lacks the column.
    ///
    /// # Errors
    /// The column has another type.
    pub fn extend(&mut self, name: &'static str, array: Option<&ArrayRef>, rows: usize) -> Result<(), FileFault> {
        let Some(array) = array else {
            self.extend_with_nulls(rows);
            return Ok(());
        };
        let read = match self {
            Values::U64(values) => numbers::<U64, _>(array, values),
            Values::U32(values) => numbers::<U32, _>(array, values),
            Values::I32(values) => numbers::<I32, _>(array, values),
            Values::F32(values) => numbers::<F32, _>(array, values),
            Values::Milliseconds(values) => numbers::<TimestampMillisecondType, _>(array, values),
            Values::Flag(values) => array.as_boolean_opt().map(|array| values.extend(array.iter())),
            Values::Text(values) => array
                .as_string_opt::<i32>()
                .map(|array| values.extend(array.iter().map(|text| text.map(str::to_owned)))),
            Values::Bytes(builder) => array
                .as_fixed_size_binary_opt()
                .map(|array| array.iter().for_each(|bytes| builder.append_option(bytes))),
            Values::List(builder) => array.as_list_opt::<i32>().and_then(|lists| {
                let values = lists.values().as_primitive_opt::<U32>()?.values();
                let ends = lists.value_offsets();
                for row in 0..lists.len() {
                    match lists.is_valid(row) {
                        true => builder.append_slice(&values[ends[row] as usize..ends[row + 1] as usize]),
                        false => builder.append_null(),
                    }
                }
                Some(())
            }),
        };
        read.ok_or_else(|| {
            let fault = ColumnFault::Type { found: Box::new(array.data_type().clone()), wanted: "that of its table" };
            FileFault::Column { column: name, fault }
        })
    }

    fn extend_with_nulls(&mut self, rows: usize) {
        fn nulls<T: Clone>(values: &mut Vec<Option<T>>, rows: usize) {
            values.resize(values.len() + rows, None);
        }
        match self {
            Values::U64(values) => nulls(values, rows),
            Values::U32(values) => nulls(values, rows),
            Values::I32(values) => nulls(values, rows),
            Values::F32(values) => nulls(values, rows),
            Values::Flag(values) => nulls(values, rows),
            Values::Milliseconds(values) => nulls(values, rows),
            Values::Text(values) => nulls(values, rows),
            Values::Bytes(builder) => (0..rows).for_each(|_| builder.append_null()),
            Values::List(builder) => (0..rows).for_each(|_| builder.append_null()),
        }
    }

    /// All of them as a column.
    pub fn finish(self, name: PlSmallStr) -> Column {
        let series = match self {
            Values::U64(values) => Series::new(name, values),
            Values::U32(values) => Series::new(name, values),
            Values::I32(values) => Series::new(name, values),
            Values::F32(values) => Series::new(name, values),
            Values::Flag(values) => Series::new(name, values),
            Values::Text(values) => Series::new(name, values),
            Values::Milliseconds(values) => Int64Chunked::from_iter_options(name, values.into_iter())
                .into_datetime(TimeUnit::Milliseconds, None)
                .into_series(),
            Values::Bytes(builder) => builder.finish().into_series().with_name(name),
            Values::List(mut builder) => builder.finish().into_series().with_name(name),
        };
        series.into_column()
    }
}

fn numbers<T: ArrowPrimitiveType, N: From<T::Native>>(array: &ArrayRef, values: &mut Vec<Option<N>>) -> Option<()> {
    let array = array.as_primitive_opt::<T>()?;
    match array.null_count() {
        0 => values.extend(array.values().iter().map(|&number| Some(number.into()))),
        _ => values.extend(array.iter().map(|number| number.map(N::from))),
    }
    Some(())
}

/// A value as JSON.
pub(super) fn plain(value: &AnyValue<'_>) -> Value {
    match value {
        AnyValue::Null => Value::Null,
        AnyValue::Boolean(yes) => (*yes).into(),
        AnyValue::String(text) => (*text).into(),
        AnyValue::StringOwned(text) => text.as_str().into(),
        AnyValue::Binary(bytes) => hex(bytes).into(),
        AnyValue::BinaryOwned(bytes) => hex(bytes).into(),
        // The digits of an f32, not those of its value as f64.
        AnyValue::Float32(number) => number.to_string().parse::<f64>().ok().into(),
        AnyValue::Float64(number) => (*number).into(),
        AnyValue::UInt64(number) => (*number).into(),
        AnyValue::Datetime(..) | AnyValue::DatetimeOwned(..) | AnyValue::Date(_) | AnyValue::Time(_) => {
            value.to_string().into()
        }
        AnyValue::List(values) => values.iter().map(|value| plain(&value)).collect(),
        value => value.extract::<i64>().map_or_else(|| value.to_string().into(), Value::from),
    }
}

/// A column of an answer for a file.
pub(super) fn array(column: &Column) -> ArrayRef {
    let values = || (0..column.len()).map(|row| column.get(row).unwrap_or(AnyValue::Null));
    match column.dtype() {
        DataType::Boolean => Arc::new(
            values()
                .map(|value| match value {
                    AnyValue::Boolean(yes) => Some(yes),
                    _ => None,
                })
                .collect::<BooleanArray>(),
        ),
        DataType::UInt32 => Arc::new(values().map(|value| value.extract()).collect::<PrimitiveArray<U32>>()),
        DataType::Int32 => Arc::new(values().map(|value| value.extract()).collect::<PrimitiveArray<I32>>()),
        DataType::Float32 => Arc::new(values().map(|value| value.extract()).collect::<PrimitiveArray<F32>>()),
        DataType::Float64 => Arc::new(values().map(|value| value.extract()).collect::<PrimitiveArray<F64>>()),
        DataType::UInt64 => Arc::new(values().map(|value| value.extract()).collect::<PrimitiveArray<U64>>()),
        kind if kind.is_integer() => Arc::new(values().map(|value| value.extract()).collect::<PrimitiveArray<I64>>()),
        DataType::Datetime(_, zone) => {
            let milliseconds = DataType::Datetime(TimeUnit::Milliseconds, zone.clone());
            let times = column.cast(&milliseconds).and_then(|times| times.cast(&DataType::Int64));
            let times = times.unwrap_or_else(|_| column.clone());
            let times = (0..times.len()).map(|row| times.get(row).ok().and_then(|time| time.extract()));
            Arc::new(times.collect::<PrimitiveArray<TimestampMillisecondType>>().with_timezone("UTC"))
        }
        DataType::Binary => Arc::new(
            values()
                .map(|value| match value {
                    AnyValue::Binary(bytes) => Some(bytes.to_vec()),
                    AnyValue::BinaryOwned(bytes) => Some(bytes),
                    _ => None,
                })
                .collect::<BinaryArray>(),
        ),
        DataType::List(inner) if **inner == DataType::UInt32 => {
            let numbers = |list: Series| list.iter().map(|value| value.extract::<u32>()).collect::<Vec<_>>();
            let lists = values().map(|value| match value {
                AnyValue::List(list) => Some(numbers(list)),
                _ => None,
            });
            Arc::new(ListArray::from_iter_primitive::<U32, _, _>(lists))
        }
        _ => {
            let text = |value: AnyValue<'_>| match plain(&value) {
                Value::Null => None,
                Value::String(text) => Some(text),
                other => Some(other.to_string()),
            };
            Arc::new(values().map(text).collect::<StringArray>())
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
