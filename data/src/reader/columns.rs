//! Columns of a record batch by name and type.
//!
//! A column of a later schema version that old files lack gets its default here, and nowhere else.

use arrow::array::{
    Array, AsArray, BooleanArray, FixedSizeBinaryArray, ListArray, PrimitiveArray, RecordBatch, StringArray,
};
use arrow::datatypes::{ArrowPrimitiveType, Float32Type, Int32Type, TimestampMillisecondType, UInt32Type, UInt64Type};

use crate::record::PositionKey;

/// The columns of a few thousand rows.
pub(crate) struct Columns<'a>(pub &'a RecordBatch);

impl<'a> Columns<'a> {
    pub fn rows(&self) -> usize {
        self.0.num_rows()
    }

    pub fn u32s(&self, name: &str) -> Result<impl Fn(usize) -> u32, String> {
        let values = self.numbers::<UInt32Type>(name)?;
        Ok(|row: usize| values[row])
    }

    pub fn u64s(&self, name: &str) -> Result<impl Fn(usize) -> u64, String> {
        let values = self.numbers::<UInt64Type>(name)?;
        Ok(|row: usize| values[row])
    }

    pub fn f32s(&self, name: &str) -> Result<impl Fn(usize) -> f32, String> {
        let values = self.numbers::<Float32Type>(name)?;
        Ok(|row: usize| values[row])
    }

    pub fn milliseconds(&self, name: &str) -> Result<impl Fn(usize) -> i64, String> {
        let values = self.numbers::<TimestampMillisecondType>(name)?;
        Ok(|row: usize| values[row])
    }

    /// Results: 1, 0 or −1.
    pub fn results(&self, name: &'static str) -> Result<impl Fn(usize) -> Result<i8, String>, String> {
        let values = self.numbers::<Int32Type>(name)?;
        Ok(move |row: usize| match values[row] {
            value @ -1..=1 => Ok(value as i8),
            value => Err(format!("{name} {value} is not 1, 0 or -1")),
        })
    }

    pub fn flags(&self, name: &str) -> Result<impl Fn(usize) -> bool, String> {
        let array: &BooleanArray = self.filled(name, |array| array.as_boolean_opt())?;
        Ok(|row| array.value(row))
    }

    pub fn texts(&self, name: &str) -> Result<impl Fn(usize) -> String, String> {
        let array: &StringArray = self.filled(name, |array| array.as_string_opt())?;
        Ok(|row| array.value(row).to_owned())
    }

    pub fn optional_texts(&self, name: &str) -> Result<impl Fn(usize) -> Option<String>, String> {
        let array: &StringArray = self.array(name, |array| array.as_string_opt())?;
        Ok(|row| array.is_valid(row).then(|| array.value(row).to_owned()))
    }

    pub fn optional_f32s(&self, name: &str) -> Result<impl Fn(usize) -> Option<f32>, String> {
        let array: &PrimitiveArray<Float32Type> = self.array(name, |array| array.as_primitive_opt())?;
        Ok(|row| array.is_valid(row).then(|| array.value(row)))
    }

    pub fn lists(&self, name: &str) -> Result<impl Fn(usize) -> Vec<u32>, String> {
        let array: &ListArray = self.filled(name, |array| array.as_list_opt())?;
        let values = array.values().as_primitive_opt::<UInt32Type>();
        let values = values.filter(|values| values.null_count() == 0);
        let values = values.ok_or_else(|| format!("column {name} is not a list of u32"))?.values();
        let offsets = array.value_offsets();
        Ok(|row| values[offsets[row] as usize..offsets[row + 1] as usize].to_vec())
    }

    pub fn keys(&self, name: &str) -> Result<impl Fn(usize) -> Option<PositionKey>, String> {
        let array: &FixedSizeBinaryArray = self.array(name, |array| array.as_fixed_size_binary_opt())?;
        if array.value_length() as usize != size_of::<PositionKey>() {
            return Err(format!("column {name} does not hold keys of 12 bytes"));
        }
        Ok(|row| array.is_valid(row).then(|| array.value(row).try_into().ok()).flatten())
    }

    fn numbers<T: ArrowPrimitiveType>(&self, name: &str) -> Result<&'a [T::Native], String> {
        let array: &PrimitiveArray<T> = self.filled(name, |array| array.as_primitive_opt())?;
        Ok(array.values())
    }

    fn filled<A: Array>(&self, name: &str, cast: fn(&'a dyn Array) -> Option<&'a A>) -> Result<&'a A, String> {
        let array = self.array(name, cast)?;
        if array.null_count() > 0 {
            return Err(format!("column {name} has nulls"));
        }
        Ok(array)
    }

    fn array<A: Array>(&self, name: &str, cast: fn(&'a dyn Array) -> Option<&'a A>) -> Result<&'a A, String> {
        let array = self.0.column_by_name(name).ok_or_else(|| format!("column {name} is missing"))?;
        cast(&**array).ok_or_else(|| format!("column {name} has the unexpected type {}", array.data_type()))
    }
}

/// A number into the narrower type that records use.
pub(crate) fn narrow<T: TryFrom<u32>>(name: &str, value: u32) -> Result<T, String> {
    value.try_into().map_err(|_| format!("{name} {value} is out of range"))
}

/// Moves `at` on to the game of this id; both tables are sorted by it.
pub(crate) fn advance<'g, G>(
    games: &'g mut [G],
    at: &mut usize,
    game_id: u64,
    id_of: impl Fn(&G) -> u64,
) -> Result<&'g mut G, String> {
    while games.get(*at).is_some_and(|game| id_of(game) < game_id) {
        *at += 1;
    }
    let game = games.get_mut(*at).filter(|game| id_of(game) == game_id);
    game.ok_or_else(|| format!("game {game_id:016x} has positions and no row in the games table"))
}
