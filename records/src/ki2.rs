//! KI2, the format of books and newspapers: the header of KIF, and moves without numbers and sources.
//!
//! Comments (`*`, `#`), bookmarks and variations (`変化`) are skipped.

use crate::encoding::plain;
use crate::kif::{Header, Same, until};
use crate::note;
use crate::written::Written;

/// The signs before moves.
const SIGNS: [char; 6] = ['▲', '△', '▼', '▽', '☗', '☖'];

pub(crate) fn recognises(text: &str) -> bool {
    text.lines().take(200).any(|line| line.trim_start().starts_with(SIGNS))
}

pub(crate) fn read(text: &str) -> Vec<Written> {
    let mut games = Vec::new();
    let mut header = Header::at(1);
    let mut same = Same::default();
    let mut is_over = false;
    for (line, raw) in (1..).zip(text.lines()) {
        let line_text = plain(raw);
        let text = line_text.trim();
        if let Some(comment) = text.strip_prefix(['#', '*', '&']) {
            note::read(comment, &mut header.game);
        } else if text.starts_with(SIGNS) {
            if !is_over {
                let moves = text.split(SIGNS).skip(1).map(|text| (line, same.resolved(text)));
                header.game.moves.extend(moves.collect::<Vec<_>>());
            }
        } else if text.starts_with("変化") {
            is_over = true;
        } else if let Some(until) = until(text) {
            until.apply(&mut header.game);
            is_over = true;
        } else if !text.is_empty() && !text.starts_with("手数") {
            let is_begun = !header.game.moves.is_empty() || is_over;
            if is_begun && !Header::has(raw, text) {
                header.game.broken(line, raw, "a move");
                continue;
            }
            if is_begun {
                games.push(std::mem::replace(&mut header, Header::at(line)).finish());
                same.begin();
                is_over = false;
            }
            header.read(line, raw.trim(), text);
        }
    }
    let last = header.finish();
    if !last.is_empty() {
        games.push(last);
    }
    games
}
