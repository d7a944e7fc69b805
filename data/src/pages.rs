//! How large a Parquet file becomes when it is decoded, found without decoding it.
//!
//! Compression and run lengths expand a few bytes to any number of equal values, and a file's footer need not be true. So
//! the header of each page, which its decoder trusts, is read first. A header is a Thrift structure in the compact
//! protocol (`parquet.thrift` of the Parquet format, `PageHeader`).

use parquet::file::metadata::ParquetMetaData;

use crate::error::FileFault;

/// Largest page when unpacked, bytes. Those that Kirin writes have about 1 MB.
pub(crate) const MOST_PAGE_BYTES: u64 = 64 << 20;
/// Largest dictionary, bytes: each row of a batch may repeat all of it.
pub(crate) const MOST_DICTIONARY_BYTES: u64 = 4 << 20;
/// Most values of a column for each row of the table. A list has a value for each legal move of a position.
pub(crate) const MOST_VALUES_A_ROW: u64 = 4096;
/// Values that are allowed however few rows a file has.
const FEW_VALUES: u64 = 1 << 20;
/// Decoded bytes that are allowed however small a file is.
const FEW_BYTES: u64 = 256 << 20;
/// Most decoded bytes for each byte of the file.
const MOST_UNFOLDING: u64 = 256;
/// Most bytes of a column that are decoded at a time where a dictionary repeats its values.
const MOST_REPEATED_BYTES: u64 = 256 << 20;

/// How large a file becomes when it is decoded.
#[derive(Debug, Default)]
pub(crate) struct Unfolding {
    /// The most that all columns together may take.
    pub most: u64,
    /// Bytes of the largest dictionary.
    dictionary: u64,
}

impl Unfolding {
    /// Rows to decode at a time, at most `most`: few enough to stay small even if each repeats the whole dictionary.
    pub fn rows_at_once(&self, most: usize) -> usize {
        let fitting = MOST_REPEATED_BYTES / self.dictionary.max(1);
        usize::try_from(fitting).unwrap_or(most).clamp(1, most)
    }

    /// Checks a number of decoded bytes.
    ///
    /// # Errors
    /// It is more than the file may take.
    pub fn require(&self, found: u64) -> Result<(), FileFault> {
        if found > self.most { Err(FileFault::Unfolds { found, most: self.most }) } else { Ok(()) }
    }
}

/// Checks the pages of all columns of a file in memory.
///
/// # Errors
/// A page, a dictionary, a number of values or all of it is larger than any of ours, or a header makes no sense.
pub(crate) fn check(bytes: &[u8], metadata: &ParquetMetaData) -> Result<Unfolding, FileFault> {
    let most = (bytes.len() as u64).saturating_mul(MOST_UNFOLDING).saturating_add(FEW_BYTES);
    let (mut unfolding, mut unpacked) = (Unfolding { most, dictionary: 0 }, 0u64);
    for group in metadata.row_groups() {
        let rows = u64::try_from(group.num_rows()).unwrap_or(0);
        let most_values = FEW_VALUES.max(rows.saturating_mul(MOST_VALUES_A_ROW));
        for column in group.columns() {
            let (start, length) = column.byte_range();
            let end = start.checked_add(length).filter(|&end| end <= bytes.len() as u64).ok_or(FileFault::Pages)?;
            let chunk = &bytes[start as usize..end as usize];
            let sizes = pages_of(chunk, most_values).map_err(|what| match what {
                ChunkFault::Broken => FileFault::Pages,
                ChunkFault::Large { what, found, most } => {
                    FileFault::Large { column: column.column_path().string(), what, found, most }
                }
            })?;
            unfolding.dictionary = unfolding.dictionary.max(sizes.dictionary);
            unpacked = unpacked.saturating_add(sizes.unpacked);
            unfolding.require(unpacked)?;
        }
    }
    Ok(unfolding)
}

/// Sizes of a chunk of a column, bytes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Sizes {
    /// Bytes of all its pages when unpacked.
    unpacked: u64,
    /// Bytes of its largest dictionary.
    dictionary: u64,
}

/// What is wrong with a chunk of a column.
#[derive(Debug, PartialEq, Eq)]
enum ChunkFault {
    Broken,
    Large { what: &'static str, found: u64, most: u64 },
}

fn pages_of(chunk: &[u8], most_values: u64) -> Result<Sizes, ChunkFault> {
    let (mut at, mut values, mut sizes) = (0, 0u64, Sizes::default());
    while at < chunk.len() {
        let mut thrift = Thrift { bytes: chunk, at };
        let page = thrift.page()?;
        let within =
            |what, found, most| if found > most { Err(ChunkFault::Large { what, found, most }) } else { Ok(()) };
        if page.kind == DICTIONARY_PAGE {
            within("bytes of a dictionary", page.unpacked, MOST_DICTIONARY_BYTES)?;
            sizes.dictionary = sizes.dictionary.max(page.unpacked);
        } else {
            within("bytes of a page", page.unpacked, MOST_PAGE_BYTES)?;
            values = values.saturating_add(page.values);
            within("values", values, most_values)?;
        }
        // Each value may repeat the one before. Kirin never writes this encoding.
        if page.encoding == DELTA_BYTE_ARRAY {
            return Err(ChunkFault::Broken);
        }
        sizes.unpacked = sizes.unpacked.saturating_add(page.unpacked);
        let next = thrift.at as u64 + page.packed;
        at = usize::try_from(next).map_err(|_| ChunkFault::Broken)?;
    }
    Ok(sizes)
}

/// `PageType.DICTIONARY_PAGE`.
const DICTIONARY_PAGE: u64 = 2;
/// `Encoding.DELTA_BYTE_ARRAY`.
const DELTA_BYTE_ARRAY: u64 = 7;
/// Deepest nesting of structures that is read.
const DEEPEST: u32 = 16;

/// The parts of a page's header that are needed.
#[derive(Default)]
struct Page {
    kind: u64,
    unpacked: u64,
    packed: u64,
    values: u64,
    encoding: u64,
}

/// A reader of the compact protocol.
struct Thrift<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Thrift<'_> {
    fn byte(&mut self) -> Result<u8, ChunkFault> {
        let byte = *self.bytes.get(self.at).ok_or(ChunkFault::Broken)?;
        self.at += 1;
        Ok(byte)
    }

    fn varint(&mut self) -> Result<u64, ChunkFault> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(ChunkFault::Broken)
    }

    /// A signed number that must not be negative.
    fn count(&mut self) -> Result<u64, ChunkFault> {
        let zigzag = self.varint()?;
        if zigzag & 1 == 0 { Ok(zigzag >> 1) } else { Err(ChunkFault::Broken) }
    }

    fn page(&mut self) -> Result<Page, ChunkFault> {
        let mut page = Page::default();
        self.fields(|thrift, field, kind| {
            match (field, kind) {
                (1, 5) => page.kind = thrift.count()?,
                (2, 5) => page.unpacked = thrift.count()?,
                (3, 5) => page.packed = thrift.count()?,
                // The headers of data pages of versions 1 and 2; their first field is the number of values.
                (version @ (5 | 8), 12) => thrift.fields(|thrift, field, kind| {
                    match (version, field, kind) {
                        (_, 1, 5) => page.values = thrift.count()?,
                        (5, 2, 5) | (8, 4, 5) => page.encoding = thrift.count()?,
                        _ => thrift.skip(kind, 0)?,
                    }
                    Ok(())
                })?,
                _ => thrift.skip(kind, 0)?,
            }
            Ok(())
        })?;
        Ok(page)
    }

    /// Hands over the fields of a structure: number and type.
    fn fields(&mut self, mut each: impl FnMut(&mut Self, u64, u8) -> Result<(), ChunkFault>) -> Result<(), ChunkFault> {
        let mut field = 0u64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            field = match head >> 4 {
                0 => self.count()?,
                step => field + u64::from(step),
            };
            each(self, field, head & 15)?;
        }
    }

    /// Skips a value of this type.
    fn skip(&mut self, kind: u8, depth: u32) -> Result<(), ChunkFault> {
        if depth > DEEPEST {
            return Err(ChunkFault::Broken);
        }
        match kind {
            // A boolean is part of the type.
            1 | 2 => {}
            3 => drop(self.byte()?),
            4..=6 => drop(self.varint()?),
            7 => self.over(8)?,
            8 => {
                let length = self.varint()?;
                self.over(length)?;
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                for _ in 0..count {
                    match head & 15 {
                        1 | 2 => drop(self.byte()?),
                        kind => self.skip(kind, depth + 1)?,
                    }
                }
            }
            12 => self.fields(|thrift, _, kind| thrift.skip(kind, depth + 1))?,
            _ => return Err(ChunkFault::Broken),
        }
        Ok(())
    }

    fn over(&mut self, length: u64) -> Result<(), ChunkFault> {
        let left = (self.bytes.len() - self.at) as u64;
        if length > left {
            return Err(ChunkFault::Broken);
        }
        self.at += length as usize;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A data page header of version 1: kind, sizes, number of values; zigzag doubles each number.
    fn header(kind: u8, unpacked: u64, packed: u8, values: u64) -> Vec<u8> {
        let varint = |mut value: u64| {
            let mut bytes = Vec::new();
            while value >= 0x80 {
                bytes.push(value as u8 | 0x80);
                value >>= 7;
            }
            bytes.push(value as u8);
            bytes
        };
        let mut bytes = vec![0x15, 2 * kind, 0x15];
        bytes.extend(varint(2 * unpacked));
        bytes.extend([0x15, 2 * packed]);
        bytes.extend([0x2c, 0x15]);
        bytes.extend(varint(2 * values));
        bytes.extend([0x15, 0, 0, 0]);
        bytes
    }

    #[test]
    fn what_a_page_becomes_is_known_before_it_is_unpacked() {
        let mut chunk = header(0, 100, 3, 50);
        chunk.extend([1, 2, 3]);
        let sizes = Sizes { unpacked: 100, dictionary: 0 };
        assert_eq!(pages_of(&chunk, 50), Ok(sizes));
        assert_eq!(pages_of(&chunk, 49), Err(ChunkFault::Large { what: "values", found: 50, most: 49 }));
        let twice = [chunk.clone(), chunk.clone()].concat();
        assert_eq!(pages_of(&twice, 99), Err(ChunkFault::Large { what: "values", found: 100, most: 99 }));
        let page = header(0, 3 << 30, 0, 1);
        let large = ChunkFault::Large { what: "bytes of a page", found: 3 << 30, most: MOST_PAGE_BYTES };
        assert_eq!(pages_of(&page, 50), Err(large));
        let dictionary = header(2, 5 << 20, 0, 1);
        let large = ChunkFault::Large { what: "bytes of a dictionary", found: 5 << 20, most: MOST_DICTIONARY_BYTES };
        assert_eq!(pages_of(&dictionary, 50), Err(large));
    }

    #[test]
    fn rows_that_repeat_a_dictionary_are_decoded_few_at_a_time() {
        let sizes = pages_of(&header(2, 2 << 20, 0, 1), 50).unwrap();
        assert_eq!(sizes, Sizes { unpacked: 2 << 20, dictionary: 2 << 20 });
        let rows = |dictionary| Unfolding { most: 0, dictionary }.rows_at_once(1024);
        assert_eq!((rows(0), rows(100_000), rows(2 << 20), rows(1 << 40)), (1024, 1024, 128, 1));
    }

    #[test]
    fn headers_that_make_no_sense_end_the_reading() {
        for junk in [&[0xff; 40][..], &[0x15], &[0x1c; 200], &[0x19, 0xf9, 0xff, 0xff, 0xff, 0xff, 0x0f], &[0x15, 1, 0]]
        {
            assert_eq!(pages_of(junk, 50), Err(ChunkFault::Broken), "{junk:?}");
        }
    }
}
