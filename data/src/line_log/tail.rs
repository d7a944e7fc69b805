//! How far a log is whole: where the torn tail begins that a kill or a power cut leaves of an append that had not returned.
//!
//! Nothing has relied on such an append. Its end may be missing, and an earlier one of its lines may have blocks that
//! were never stored while a later one is whole. Everything appended before it was synced, so damage there is no torn
//! tail.

use super::LogEntry;
use super::checksum::{AppendPosition, is_alone, opened, place};

/// Bytes of the whole lines. The torn tail follows them: the first line of the last append that has blocks that were
/// never stored, or no newline, and everything after it.
pub(crate) fn length_of_lines<T: LogEntry>(bytes: &[u8]) -> usize {
    let mut start = last_append::<T>(bytes);
    for piece in bytes[start..].split_inclusive(|&byte| byte == b'\n') {
        if !is_stored(piece) {
            return start;
        }
        start += piece.len();
    }
    bytes.len()
}

/// Where the last append begins, or a place after which nothing is torn. Lines are read from the last one backwards;
/// those whose beginning was never stored are skipped.
fn last_append<T: LogEntry>(bytes: &[u8]) -> usize {
    let mut end = bytes.len();
    while end > 0 {
        let start = end_of_lines(&bytes[..end - 1]);
        let piece = &bytes[start..end];
        let AppendPosition { before, total } = match place::<T>(piece) {
            // The line is whole, or its damage is for the reader to report.
            None if is_stored(piece) => return end,
            Some(_) if is_stored(piece) && opened::<T>(&piece[..piece.len() - 1]).is_err() => return end,
            Some(place) => place,
            None if is_alone::<T>(piece) => AppendPosition { before: 0, total: piece.len() },
            None => {
                end = start;
                continue;
            }
        };
        let is_start = |at: usize| at == 0 || bytes[at - 1] == b'\n';
        let begin = start.checked_sub(before).filter(|&at| is_start(at)).unwrap_or(start);
        let stated_end = begin.saturating_add(total);
        // Everything after an append was begun when that append was synced.
        let is_last = stated_end >= bytes.len();
        return if is_last { begin } else { Some(stated_end).filter(|&at| at > end && is_start(at)).unwrap_or(end) };
    }
    0
}

/// Whether a line has its newline and no blocks that were never stored, which read as zeros. JSON has no zero bytes.
fn is_stored(piece: &[u8]) -> bool {
    piece.ends_with(b"\n") && !piece.contains(&0)
}

/// Where the last of these lines ends.
fn end_of_lines(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1)
}
