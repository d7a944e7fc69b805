//! Lines from bytes that come in pieces, with a bound on what is kept.

use std::io::{self, Read};

/// Longest line, bytes. Fairy-Stockfish's longest, the list of its variants, has about 3,000.
pub(super) const LONGEST: usize = 65_536;

/// Bytes per read.
const CHUNK: usize = 8_192;

/// Bytes read and not yet taken as lines: never more than [`LONGEST`] and a chunk.
#[derive(Default)]
pub(super) struct LineBuffer {
    bytes: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// Before this index there is no end of a line.
    searched: usize,
}

impl LineBuffer {
    /// Reads once and returns the number of bytes, 0 at the end of the input.
    ///
    /// # Errors
    /// Reading fails; what has been read so far stays.
    pub fn fill(&mut self, from: &mut impl Read) -> io::Result<usize> {
        self.bytes.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        let length = self.bytes.len();
        self.bytes.resize(length + CHUNK, 0);
        let read = from.read(&mut self.bytes[length..]);
        self.bytes.truncate(length + read.as_ref().unwrap_or(&0));
        read
    }

    /// The next whole line, without its end and the spaces around it. Invalid UTF-8 is replaced.
    pub fn line(&mut self) -> Option<String> {
        let Some(found) = self.bytes[self.searched..].iter().position(|&byte| byte == b'\n') else {
            self.searched = self.bytes.len();
            return None;
        };
        let end = self.searched + found;
        let line = String::from_utf8_lossy(&self.bytes[self.start..end]).trim().to_owned();
        self.start = end + 1;
        self.searched = self.start;
        Some(line)
    }

    /// Whether the unfinished line is already longer than any line may be.
    pub fn is_overlong(&self) -> bool {
        self.searched - self.start > LONGEST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_out_whole_however_they_come_in() {
        let text = b"uciok\r\n\n  bestmove e2e4 \nrest".as_slice();
        for size in 1..=text.len() {
            let mut buffer = LineBuffer::default();
            let mut lines = Vec::new();
            for mut piece in text.chunks(size) {
                let length = piece.len();
                assert_eq!(buffer.fill(&mut piece).unwrap(), length);
                lines.extend(std::iter::from_fn(|| buffer.line()));
            }
            assert_eq!(lines, ["uciok", "", "bestmove e2e4"], "pieces of {size}");
        }
    }

    #[test]
    fn an_endless_line_is_noticed_before_it_fills_the_memory() {
        let mut buffer = LineBuffer::default();
        let mut endless = io::repeat(b'x');
        let mut reads = 0;
        while !buffer.is_overlong() {
            buffer.fill(&mut endless).unwrap();
            assert_eq!(buffer.line(), None);
            reads += 1;
        }
        assert!(reads <= LONGEST / CHUNK + 1 && buffer.bytes.len() <= LONGEST + CHUNK);
    }
}
