//! KI2, the format of books and newspapers: the header of KIF, and moves without numbers and sources.
//!
//! Comments (`*`, `#`), bookmarks and variations (`変化`) are skipped.

use crate::kif::read_with;
use crate::written::WrittenGame;

/// The signs before moves.
const SIGNS: [char; 6] = ['▲', '△', '▼', '▽', '☗', '☖'];

pub(crate) fn recognises(text: &str) -> bool {
    text.lines().take(200).any(|line| line.trim_start().starts_with(SIGNS))
}

pub(crate) fn read(text: &str) -> Vec<WrittenGame> {
    read_with(text, |line| line.trim_start().starts_with(SIGNS).then(|| line.split(SIGNS).skip(1).collect()))
}
