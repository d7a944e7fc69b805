//! Small Parquet files that become large.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

/// A file of so many rows, with a page of one value of so many bytes in each.
pub fn unfolding(rows: usize, bytes: usize) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_write_batch_size(1)
        .set_data_page_row_count_limit(1)
        .set_key_value_metadata(Some(vec![KeyValue::new("kirin.schema_version".to_owned(), "1".to_owned())]))
        .build();
    let value: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(bytes)]));
    let row = RecordBatch::try_from_iter([("moves_text", value)]).unwrap();
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, row.schema(), Some(properties)).unwrap();
    for _ in 0..rows {
        writer.write(&row).unwrap();
    }
    writer.close().unwrap();
    file
}

/// A file of one row whose page claims to have so many bytes when it is unpacked.
pub fn claiming(bytes: u32) -> Vec<u8> {
    let mut file = unfolding(1, 100);
    // After the magic number and the kind of the page, a field of its own each: the size, a zigzag number.
    assert_eq!(file[4..7], [0x15, 0, 0x15], "a data page");
    let end = 8 + file[7..].iter().position(|&byte| byte < 0x80).unwrap();
    let mut left = u64::from(bytes) * 2;
    let mut size = Vec::new();
    while left >= 0x80 {
        size.push(left as u8 | 0x80);
        left >>= 7;
    }
    size.push(left as u8);
    // What lies behind the page is found from the end of the file.
    file.splice(7..end, size);
    file
}
