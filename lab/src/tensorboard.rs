//! Event files of TensorBoard, the format in which its scalars are kept: records of TFRecord, each of them a message
//! `Event` of Protocol Buffers. Sources: `tensorflow/core/lib/io/record_writer.h` and `tensorflow/core/util/event.proto`.
//!
//! # Examples
//! ```
//! use lab::tensorboard::{Scalar, encode};
//!
//! let scalar = Scalar { tag: "loss/policy".to_owned(), step: 3, at_ms: 1_790_000_000_000, value: 1.5 };
//! let file = encode(&[scalar]);
//! assert!(file.windows(13).any(|bytes| bytes == b"brain.Event:2") && file.windows(11).any(|bytes| bytes == b"loss/policy"));
//! ```

/// A value of a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    /// Name of the curve; what stands before the first slash is its group.
    pub tag: String,
    /// Where on the curve: the generation, or the optimiser step.
    pub step: i64,
    /// When it was measured, milliseconds since 1970, UTC.
    pub at_ms: i64,
    /// The value.
    pub value: f32,
}

/// The version that readers ask for in the first record.
const VERSION: &str = "brain.Event:2";

/// The bytes of an event file with these values.
pub fn encode(scalars: &[Scalar]) -> Vec<u8> {
    let mut file = Vec::new();
    let began = scalars.first().map_or(0, |scalar| scalar.at_ms);
    // Event.file_version = 3.
    record(&mut file, &event(began, 0, 3, VERSION.as_bytes()));
    for scalar in scalars {
        // Summary.Value.tag = 1, Summary.Value.simple_value = 2.
        let mut value = Vec::new();
        bytes(&mut value, 1, scalar.tag.as_bytes());
        key(&mut value, 2, FIXED_32);
        value.extend(scalar.value.to_le_bytes());
        // Summary.value = 1, Event.summary = 5.
        let mut summary = Vec::new();
        bytes(&mut summary, 1, &value);
        record(&mut file, &event(scalar.at_ms, scalar.step, 5, &summary));
    }
    file
}

/// A message `Event`: wall_time = 1 in seconds, step = 2, and one field of what happened.
fn event(at_ms: i64, step: i64, what: u64, content: &[u8]) -> Vec<u8> {
    let mut event = Vec::new();
    key(&mut event, 1, FIXED_64);
    event.extend((at_ms as f64 / 1000.0).to_le_bytes());
    key(&mut event, 2, VARINT);
    // A negative number takes ten bytes; none is written.
    varint(&mut event, step.max(0) as u64);
    bytes(&mut event, what, content);
    event
}

const VARINT: u64 = 0;
const FIXED_64: u64 = 1;
const LENGTH: u64 = 2;
const FIXED_32: u64 = 5;

fn key(out: &mut Vec<u8>, field: u64, wire_type: u64) {
    varint(out, field << 3 | wire_type);
}

fn bytes(out: &mut Vec<u8>, field: u64, content: &[u8]) {
    key(out, field, LENGTH);
    varint(out, content.len() as u64);
    out.extend(content);
}

/// Seven bits a byte, the lowest first; all bytes but the last have the highest bit.
fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A record: its length and the checksum of the length, its content and the checksum of the content.
fn record(file: &mut Vec<u8>, content: &[u8]) {
    let length = (content.len() as u64).to_le_bytes();
    file.extend(length);
    file.extend(masked(crc32c(&length)).to_le_bytes());
    file.extend(content);
    file.extend(masked(crc32c(content)).to_le_bytes());
}

/// A checksum as TFRecord stores it, masked so that checksums of data that contains checksums stay reliable.
fn masked(sum: u32) -> u32 {
    sum.rotate_right(15).wrapping_add(0xa282_ead8)
}

/// CRC-32C (Castagnoli), bit by bit: an event file is small.
fn crc32c(content: &[u8]) -> u32 {
    const REVERSED_POLYNOMIAL: u32 = 0x82f6_3b78;
    let mut sum = !0_u32;
    for &byte in content {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ REVERSED_POLYNOMIAL } else { sum >> 1 };
        }
    }
    !sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3720, appendix B.4, and the check value of the catalogue of CRCs.
    #[test]
    fn the_sum_is_crc_32c() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
    }

    /// The first record of every file that TensorFlow writes, but for its time.
    #[test]
    fn a_file_is_records_of_events() {
        let scalar = Scalar { tag: "a/b".to_owned(), step: 300, at_ms: 1500, value: 0.5 };
        let file = encode(&[scalar]);
        let record = |at: usize| {
            let length = u64::from_le_bytes(file[at..at + 8].try_into().expect("8 bytes")) as usize;
            let sum = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("4 bytes"));
            let content = &file[at + 12..at + 12 + length];
            assert_eq!(sum(at + 8), masked(crc32c(&file[at..at + 8])));
            assert_eq!(sum(at + 12 + length), masked(crc32c(content)));
            (content, at + 16 + length)
        };
        let time = 1.5_f64.to_le_bytes();
        let (first, next) = record(0);
        assert_eq!(first, [&[9][..], &time, &[16, 0, 26, 13], b"brain.Event:2"].concat());
        let (second, end) = record(next);
        let value = [&[10, 3][..], b"a/b", &[21], &0.5_f32.to_le_bytes()].concat();
        assert_eq!(second, [&[9][..], &time, &[16, 0xac, 2, 42, 12, 10, 10], &value].concat());
        assert_eq!(end, file.len());
    }
}
