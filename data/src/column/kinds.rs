//! The kinds of columns: how values of a type stand in a Parquet file.
//!
//! Whole numbers are at least 32 bits wide: Parquet stores narrower ones in 32 bits anyway, and what is computed from
//! 8-bit columns wraps around in most data frame libraries. Texts are plain text columns over Parquet's dictionary
//! encoding, which every reader undoes by itself.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::builder::{FixedSizeBinaryBuilder, Int32Builder, ListBuilder, UInt32Builder};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Int32Type, TimestampMillisecondType, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, BooleanArray, ListArray, PrimitiveArray, StringArray, UInt32Array};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, FieldRef, TimeUnit};
use rules::Move;

use crate::position_key::PositionKey;

/// A kind of column that can be written.
pub(crate) trait ColumnKind: 'static {
    /// A value on its way into a file.
    type Value<'a>;
    /// The type, for people.
    const NAME: &'static str;
    /// Whether values may be missing.
    const NULLABLE: bool = false;

    fn data_type() -> DataType;

    fn array<'a>(values: impl ExactSizeIterator<Item = Self::Value<'a>> + Clone) -> ArrayRef;
}

/// A kind of column that can be read as well.
pub(crate) trait Readable: ColumnKind {
    /// A value out of a file.
    type Owned;

    /// The values of an array by row; `None` if it has another type.
    fn values(array: &dyn Array) -> Option<impl Fn(usize) -> Self::Owned + '_>;
}

/// A kind whose values can be read without copying them.
pub(crate) trait Borrowable: ColumnKind {
    /// A value inside the array.
    type Borrowed<'a>;

    /// The values of an array by row; `None` if it has another type.
    fn borrowed<'a>(array: &'a dyn Array) -> Option<impl Fn(usize) -> Self::Borrowed<'a> + 'a>;
}

/// A kind that may be missing, too.
pub(crate) struct Maybe<K>(std::marker::PhantomData<K>);

macro_rules! numbers {
    ($($(#[$doc:meta])* $kind:ident: $native:ty = $arrow:ty as $name:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $kind;

        impl ColumnKind for $kind {
            type Value<'a> = $native;
            const NAME: &'static str = $name;

            fn data_type() -> DataType {
                <$arrow>::DATA_TYPE
            }

            fn array<'a>(values: impl ExactSizeIterator<Item = Self::Value<'a>> + Clone) -> ArrayRef {
                Arc::new(PrimitiveArray::<$arrow>::from_iter_values(values))
            }
        }

        impl Readable for $kind {
            type Owned = $native;

            fn values(array: &dyn Array) -> Option<impl Fn(usize) -> $native + '_> {
                let values = array.as_primitive_opt::<$arrow>()?.values();
                Some(|row: usize| values[row])
            }
        }
    )*};
}

numbers! {
    /// A whole number from 0.
    Unsigned: u32 = UInt32Type as "u32";
    /// A large whole number from 0.
    Unsigned64: u64 = UInt64Type as "u64";
    /// A whole number.
    Int: i32 = Int32Type as "i32";
    /// A measured number.
    Float: f32 = Float32Type as "f32";
}

impl ColumnKind for Maybe<Float> {
    type Value<'a> = Option<f32>;
    const NAME: &'static str = "f32, null";
    const NULLABLE: bool = true;

    fn data_type() -> DataType {
        Float::data_type()
    }

    fn array<'a>(values: impl ExactSizeIterator<Item = Self::Value<'a>> + Clone) -> ArrayRef {
        Arc::new(values.collect::<PrimitiveArray<Float32Type>>())
    }
}

impl Readable for Maybe<Float> {
    type Owned = Option<f32>;

    fn values(array: &dyn Array) -> Option<impl Fn(usize) -> Option<f32> + '_> {
        let array = array.as_primitive_opt::<Float32Type>()?;
        Some(|row: usize| array.is_valid(row).then(|| array.value(row)))
    }
}

/// Milliseconds since 1970, UTC.
pub(crate) struct Milliseconds;

impl ColumnKind for Milliseconds {
    type Value<'a> = i64;
    const NAME: &'static str = "timestamp, ms, UTC";

    fn data_type() -> DataType {
        DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()))
    }

    fn array<'a>(values: impl ExactSizeIterator<Item = Self::Value<'a>> + Clone) -> ArrayRef {
        Arc::new(PrimitiveArray::<TimestampMillisecondType>::from_iter_values(values).with_timezone("UTC"))
    }
}

impl Readable for Milliseconds {
    type Owned = i64;

    fn values(array: &dyn Array) -> Option<impl Fn(usize) -> i64 + '_> {
        let values = array.as_primitive_opt::<TimestampMillisecondType>()?.values();
        Some(|row: usize| values[row])
    }
}

/// Yes or no.
pub(crate) struct Flag;

impl ColumnKind for Flag {
    type Value<'a> = bool;
    const NAME: &'static str = "bool";

    fn data_type() -> DataType {
        DataType::Boolean
    }

    fn array<'a>(values: impl ExactSizeIterator<Item = Self::Value<'a>> + Clone) -> ArrayRef {
        Arc::new(values.map(Some).collect::<BooleanArray>())
    }
}

impl Readable for Flag {
    type Owned = bool;

    fn values(array: &dyn Array) -> Option<impl Fn(usize) -> bool + '_> {
        let array = array.as_boolean_opt()?;
        Some(|row| array.value(row))
    }
}

/// A text.
pub(crate) struct Text;

impl ColumnKind for Text {
    type Value<'a> = Cow<'a, str>;
    const NAME: &'static str = "text";

    fn data_type() -> DataType {
        DataType::Utf8
    }

    fn array<'a>(values: impl ExactSizeIterator<Item = Self::Value<'a>> + Clone) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(values))
    }
}

impl Readable for Text {
    type Owned = String;

    fn values(array: &dyn Array) -> Option<impl Fn(usize) -> String + '_> {
        let text = Text::borrowed(array)?;
        Some(move |row| text(row).to_owned())
    }
}

impl Borrowable for Text {
    type Borrowed<'a> = &'a str;

    fn borrowed<'a>(array: &'a dyn Array) -> Option<impl Fn(usize) -> &'a str + 'a> {
        let array = array.as_string_opt::<i32>()?;
        Some(|row| array.value(row))
    }
}

impl ColumnKind for Maybe<Text> {
    type Value<'a> = Option<Cow<'a, str>>;
    const NAME: &'static str = "text, null";
    const NULLABLE: bool = true;

    fn data_type() -> DataType {
        DataType::Utf8
    }

    fn array<'a>(values: impl ExactSizeIterator<Item = Self::Value<'a>> + Clone) -> ArrayRef {
        Arc::new(values.collect::<StringArray>())
    }
}

impl Readable for Maybe<Text> {
    type Owned = Option<String>;

    fn values(array: &dyn Array) -> Option<impl Fn(usize) -> Option<String> + '_> {
        let text = Maybe::<Text>::borrowed(array)?;
        Some(move |row| text(row).map(str::to_owned))
    }
}

impl Borrowable for Maybe<Text> {
    type Borrowed<'a> = Option<&'a str>;

    fn borrowed<'a>(array: &'a dyn Array) -> Option<impl Fn(usize) -> Option<&'a str> + 'a> {
        let array = array.as_string_opt::<i32>()?;
        Some(|row| array.is_valid(row).then(|| array.value(row)))
    }
}

/// The key of a position.
pub(crate) struct KeyBytes;

const KEY_BYTES: i32 = size_of::<PositionKey>() as i32;

fn keys<'a>(keys: impl ExactSizeIterator<Item = Option<&'a PositionKey>>) -> ArrayRef {
    let mut array = FixedSizeBinaryBuilder::with_capacity(keys.len(), KEY_BYTES);
    for key in keys {
        match key {
            Some(key) => array.append_value(key).expect("a key has the length of the column"),
            None => array.append_null(),
        }
    }
    Arc::new(array.finish())
}

impl ColumnKind for KeyBytes {
    type Value<'a> = &'a PositionKey;
    const NAME: &'static str = "12 bytes";

    fn data_type() -> DataType {
        DataType::FixedSizeBinary(KEY_BYTES)
    }

    fn array<'a>(values: impl ExactSizeIterator<Item = Self::Value<'a>> + Clone) -> ArrayRef {
        keys(values.map(Some))
    }
}

impl Readable for KeyBytes {
    type Owned = PositionKey;

    fn values(array: &dyn Array) -> Option<impl Fn(usize) -> PositionKey + '_> {
        let value = Maybe::<KeyBytes>::values(array)?;
        Some(move |row| value(row).unwrap_or_default())
    }
}

impl ColumnKind for Maybe<KeyBytes> {
    type Value<'a> = Option<&'a PositionKey>;
    const NAME: &'static str = "12 bytes, null";
    const NULLABLE: bool = true;

    fn data_type() -> DataType {
        KeyBytes::data_type()
    }

    fn array<'a>(values: impl ExactSizeIterator<Item = Self::Value<'a>> + Clone) -> ArrayRef {
        keys(values)
    }
}

impl Readable for Maybe<KeyBytes> {
    type Owned = Option<PositionKey>;

    fn values(array: &dyn Array) -> Option<impl Fn(usize) -> Option<PositionKey> + '_> {
        let array = array.as_fixed_size_binary_opt().filter(|array| array.value_length() == KEY_BYTES)?;
        Some(|row| array.is_valid(row).then(|| array.value(row).try_into().ok()).flatten())
    }
}

fn item(kind: DataType, nullable: bool) -> FieldRef {
    Arc::new(Field::new("element", kind, nullable))
}

/// The values of a list column of u32 by row.
fn slices<'a>(array: &'a dyn Array) -> Option<impl Fn(usize) -> &'a [u32]> {
    let array = array.as_list_opt::<i32>()?;
    let values = array.values().as_primitive_opt::<UInt32Type>().filter(|values| values.null_count() == 0)?.values();
    let offsets = array.value_offsets();
    Some(|row: usize| &values[offsets[row] as usize..offsets[row + 1] as usize])
}

fn lists<I: Iterator<Item = u32>>(lists: impl ExactSizeIterator<Item = (usize, I)> + Clone) -> ArrayRef {
    let lengths = OffsetBuffer::from_lengths(lists.clone().map(|(length, _)| length));
    let values = UInt32Array::from_iter_values(lists.flat_map(|(_, values)| values));
    Arc::new(ListArray::new(item(DataType::UInt32, false), lengths, Arc::new(values), None))
}

/// Whole numbers from 0, any number of them.
pub(crate) struct Unsigneds;

impl ColumnKind for Unsigneds {
    type Value<'a> = &'a [u32];
    const NAME: &'static str = "list of u32";

    fn data_type() -> DataType {
        DataType::List(item(DataType::UInt32, false))
    }

    fn array<'a>(values: impl ExactSizeIterator<Item = Self::Value<'a>> + Clone) -> ArrayRef {
        lists(values.map(|list| (list.len(), list.iter().copied())))
    }
}

impl Readable for Unsigneds {
    type Owned = Vec<u32>;

    fn values(array: &dyn Array) -> Option<impl Fn(usize) -> Vec<u32> + '_> {
        let list = slices(array)?;
        Some(move |row| list(row).to_vec())
    }
}

impl ColumnKind for Maybe<Unsigneds> {
    type Value<'a> = Option<&'a [u32]>;
    const NAME: &'static str = "list of u32, null";
    const NULLABLE: bool = true;

    fn data_type() -> DataType {
        Unsigneds::data_type()
    }

    fn array<'a>(values: impl ExactSizeIterator<Item = Self::Value<'a>> + Clone) -> ArrayRef {
        let mut lists = ListBuilder::new(UInt32Builder::new()).with_field(item(DataType::UInt32, false));
        values.for_each(|list| lists.append_option(list.map(|list| list.iter().copied().map(Some))));
        Arc::new(lists.finish())
    }
}

/// A list of measured numbers. It is not read.
pub(crate) struct Floats;

impl ColumnKind for Floats {
    type Value<'a> = &'a [f32];
    const NAME: &'static str = "list of f32";

    fn data_type() -> DataType {
        DataType::List(item(DataType::Float32, false))
    }

    fn array<'a>(values: impl ExactSizeIterator<Item = Self::Value<'a>> + Clone) -> ArrayRef {
        let offsets = OffsetBuffer::from_lengths(values.clone().map(<[f32]>::len));
        let numbers = PrimitiveArray::<Float32Type>::from_iter_values(values.flatten().copied());
        Arc::new(ListArray::new(item(DataType::Float32, false), offsets, Arc::new(numbers), None))
    }
}

/// Moves, as their codes.
pub(crate) struct Codes;

impl ColumnKind for Codes {
    type Value<'a> = &'a [Move];
    const NAME: &'static str = Unsigneds::NAME;

    fn data_type() -> DataType {
        Unsigneds::data_type()
    }

    fn array<'a>(values: impl ExactSizeIterator<Item = Self::Value<'a>> + Clone) -> ArrayRef {
        lists(values.map(|list| (list.len(), list.iter().map(|mv| mv.raw()))))
    }
}

impl Readable for Codes {
    type Owned = Vec<Move>;

    fn values(array: &dyn Array) -> Option<impl Fn(usize) -> Vec<Move> + '_> {
        let list = slices(array)?;
        Some(move |row| list(row).iter().map(|&code| Move::from_raw(code)).collect())
    }
}

impl Borrowable for Codes {
    type Borrowed<'a> = &'a [u32];

    fn borrowed<'a>(array: &'a dyn Array) -> Option<impl Fn(usize) -> &'a [u32] + 'a> {
        slices(array)
    }
}

/// Whole numbers, any number of them; each may be missing.
pub(crate) struct MaybeInts;

impl ColumnKind for Maybe<MaybeInts> {
    type Value<'a> = Option<&'a [Option<i32>]>;
    const NAME: &'static str = "list of i32 or null, null";
    const NULLABLE: bool = true;

    fn data_type() -> DataType {
        DataType::List(item(DataType::Int32, true))
    }

    fn array<'a>(values: impl ExactSizeIterator<Item = Self::Value<'a>> + Clone) -> ArrayRef {
        let mut lists = ListBuilder::new(Int32Builder::new()).with_field(item(DataType::Int32, true));
        values.for_each(|list| lists.append_option(list.map(|list| list.iter().copied())));
        Arc::new(lists.finish())
    }
}
