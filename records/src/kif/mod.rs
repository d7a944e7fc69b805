//! KIF, the format of most Japanese programs.
//!
//! Read are the header (`先手`, `後手`, `上手`, `下手`, `棋戦`, `場所`, `開始日時`, `手合割`), diagrams, the moves with 同, the
//! words that end a game, and the line that begins with まで. Comments (`*`, `#`), bookmarks (`&`), times and variations
//! (`変化`) are skipped. Several games may follow each other in a file.

mod ends;
mod header;
mod write;

pub use write::write;

pub(crate) use ends::until;
pub(crate) use header::Header;

use crate::encoding::plain;
use crate::note;
use crate::written::Written;

pub(crate) fn recognises(text: &str) -> bool {
    text.lines().take(200).map(plain).any(|line| {
        line.contains("手数--")
            || line.trim().starts_with("手合割")
            || movement(&line).is_some_and(|text| text.contains('('))
    })
}

/// The text behind the number of a line that is a move or the end of a game.
fn movement(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let text = line.trim_start_matches(|character: char| character.is_ascii_digit());
    let rest = text.trim_start();
    // The line over a diagram has the numbers of all files.
    let is_files = rest.starts_with(|first: char| first.is_ascii_digit()) && rest[1..].starts_with([' ', '　']);
    (text.len() < line.len() && rest.len() < text.len() && !is_files).then_some(rest)
}

/// `同` and the square of the move before it. Both readers of Japanese moves need it: the position alone does not always
/// tell which square is meant.
#[derive(Default)]
pub(crate) struct Same {
    last: String,
}

impl Same {
    /// The move with its square, if the one before is known.
    pub fn resolved(&mut self, text: &str) -> String {
        let text: String = text.chars().filter(|character| !character.is_whitespace()).collect();
        if let Some(rest) = text.strip_prefix('同') {
            return format!("{}{rest}", if self.last.is_empty() { "同" } else { &self.last });
        }
        self.last = text.chars().take(2).collect();
        text
    }

    /// Forgets the move before.
    pub fn begin(&mut self) {
        self.last.clear();
    }
}

pub(crate) fn read(text: &str) -> Vec<Written> {
    let mut games = Vec::new();
    let mut header = Header::at(1);
    let mut same = Same::default();
    // Whether moves of the main line are over: a variation has begun, or the game is at its end.
    let mut is_over = false;
    for (line, raw) in (1..).zip(text.lines()) {
        let line_text = plain(raw);
        let text = line_text.trim();
        if let Some(comment) = text.strip_prefix(['#', '*', '&']) {
            note::read(comment, &mut header.game);
        } else if let Some(text) = movement(&line_text) {
            if is_over {
                continue;
            }
            if ends::word(text, &mut header.game) {
                is_over = true;
            } else if !text.starts_with("封じ手") {
                header.game.moves.push((line, same.resolved(one_move(text))));
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

/// The move at the beginning of a text, without the time and the sign of a branch: `7六歩(77) ( 0:01/00:00:01)+`.
fn one_move(text: &str) -> &str {
    let after_same = text.strip_prefix('同').map_or(text, str::trim_start);
    let begins = text.len() - after_same.len();
    let length = after_same.find(|character: char| character.is_whitespace()).unwrap_or(after_same.len());
    let mut end = begins + length;
    if let Some(open) = text[..end].find('(') {
        // A source has two digits, a time has a colon or begins with a space.
        let digits = text[open + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let is_source = digits == 2 && text[open + 3..].starts_with(')');
        end = if is_source { open + 4 } else { open };
    }
    text[..end].trim_end_matches('+')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_ends_before_its_time() {
        for (text, wanted) in [
            ("7六歩(77) ( 0:01/00:00:01)", "7六歩(77)"),
            ("同 歩(44)( 0:01/00:00:01)+", "同 歩(44)"),
            ("5五角打( 0:01/00:00:01)", "5五角打"),
            ("5五角打+", "5五角打"),
            ("2二角成(88)", "2二角成(88)"),
            ("(", ""),
            ("同", "同"),
        ] {
            assert_eq!(one_move(text), wanted, "{text}");
        }
    }
}
