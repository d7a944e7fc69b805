//! KIF, the format of most Japanese programs.
//!
//! The reader takes the header (`先手`, `後手`, `上手`, `下手`, `棋戦`, `場所`, `戦型`, `開始日時`, `手合割`), diagrams, the moves with 同,
//! the words that end a game, and the line that begins with まで. Comments (`*`, `#`), bookmarks (`&`), times and
//! variations (`変化`) are skipped, with their ends; but a comment of 81Dojo's tells of an end (`*反則手にて終局`). An unknown
//! word in place of the last move ends the game without naming the winner. A file may hold several games.

mod ends;
mod header;
mod write;

pub use write::{write, write_annotated};

use ends::until;
use header::KifHeader;

use crate::encoding::plain;
use crate::note;
use crate::problem::Reason;
use crate::written::{WrittenGame, WrittenGames, WrittenResult, shown};

pub(crate) fn recognises(text: &str) -> bool {
    text.lines().take(200).map(plain).any(|line| {
        line.contains("手数--") || line.trim().starts_with("手合割") || movement(&line).is_some_and(has_source)
    })
}

/// Whether the square that a piece leaves is written behind the move: `７六歩(77)`. Remarks in brackets have other texts.
fn has_source(text: &str) -> bool {
    text.split('(').skip(1).any(|inner| matches!(inner.as_bytes(), [b'0'..=b'9', b'0'..=b'9', b')', ..]))
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
struct Same {
    last: String,
}

impl Same {
    /// The move with its square, if the one before is known.
    fn resolved(&mut self, text: &str) -> String {
        let text: String = text.chars().filter(|character| !character.is_whitespace()).collect();
        if let Some(rest) = text.strip_prefix('同') {
            return format!("{}{rest}", if self.last.is_empty() { "同" } else { &self.last });
        }
        self.last = text.chars().take(2).collect();
        text
    }
}

pub(crate) fn read(text: &str) -> Vec<WrittenGame> {
    read_with(text, |text| Some(vec![movement(text)?]))
}

/// The games of a text. `moves` gives the moves of a line, each with what stands behind it: KIF and KI2 differ only in
/// that.
pub(crate) fn read_with(text: &str, moves: fn(&str) -> Option<Vec<&str>>) -> Vec<WrittenGame> {
    let mut games = WrittenGames::default();
    let mut sheet = Sheet::at(1);
    for (line, raw) in (1..).zip(text.lines()) {
        let line_text = plain(raw);
        let text = line_text.trim();
        if let Some(comment) = text.strip_prefix(['#', '*', '&']) {
            sheet.comment(raw.trim().get(1..), comment);
        } else if let Some(moves) = moves(&line_text) {
            moves.into_iter().for_each(|text| sheet.movement(line, text));
        } else if text.starts_with("変化") {
            sheet.in_variation = true;
        } else if let Some(until) = until(text) {
            sheet.until(until);
        } else if !text.is_empty() && !text.starts_with("手数") {
            if sheet.is_begun() && !KifHeader::has(raw, text) {
                // Text after the end of a game is a remark.
                if !sheet.is_over && !sheet.in_variation {
                    sheet.header.game.broken(line, raw, "a move");
                }
                continue;
            }
            if sheet.is_begun() {
                games.extend(std::mem::replace(&mut sheet, Sheet::at(line)).finish());
            }
            sheet.header.read(line, raw.trim(), text);
        }
    }
    games.extend(sheet.finish());
    games.into()
}

/// A game as far as it has been read.
struct Sheet {
    header: KifHeader,
    same: Same,
    /// Whether a word or a line has said that the game is at its end.
    is_over: bool,
    /// Whether a variation has begun. Nothing from there on belongs to the game, not even an end: variations have their
    /// own.
    in_variation: bool,
    /// The line and a word in place of a move that is not known. Only the last move may be such a word.
    unknown_word: Option<(usize, String)>,
}

impl Sheet {
    fn at(line: usize) -> Sheet {
        Sheet {
            header: KifHeader::at(line),
            same: Same::default(),
            is_over: false,
            in_variation: false,
            unknown_word: None,
        }
    }

    fn is_begun(&self) -> bool {
        !self.header.game.moves.is_empty() || self.is_over || self.in_variation
    }

    /// Reads a comment: as it stands in the file, and in plain characters.
    fn comment(&mut self, raw: Option<&str>, comment: &str) {
        if !self.in_variation {
            // The sign of a foreign program's comment may be a wide one, which no note of Kirin has.
            note::read(raw.unwrap_or(comment), &mut self.header.game);
            ends::remark(comment, &mut self.header.game);
        }
    }

    fn until(&mut self, until: ends::Until) {
        if !self.in_variation {
            until.apply(&mut self.header.game);
            self.is_over = true;
        }
    }

    fn movement(&mut self, line: usize, text: &str) {
        let game = &mut self.header.game;
        let is_move = text
            .trim_start()
            .starts_with(|first: char| first == '同' || first.is_ascii_digit() || "一二三四五六七八九".contains(first));
        if self.in_variation || text.trim_start().starts_with("封じ手") {
            return;
        }
        if self.is_over {
            if let Some((line, word)) = self.unknown_word.take_if(|_| is_move) {
                game.refuse(line, Reason::UnreadableMove, format!("{word:?} is no move, and moves come after it"));
            }
        } else if ends::word(text, game) {
            self.is_over = true;
        } else if is_move {
            game.add_move(line, self.same.resolved(one_move(text)));
        } else if !game.moves.is_empty() {
            let word = text.split(['(', ' ']).find(|word| !word.is_empty()).unwrap_or_default();
            game.end_by_word(word, WrittenResult::Unknown, None);
            self.unknown_word = Some((line, shown(word)));
            self.is_over = true;
        }
    }

    fn finish(self) -> Option<WrittenGame> {
        let game = self.header.finish();
        (!game.is_empty()).then_some(game)
    }
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
