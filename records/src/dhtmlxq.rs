//! DhtmlXQ, the format of Chinese sites, alone or inside a page: `[DhtmlXQ_movelist]7747…[/DhtmlXQ_movelist]`.
//!
//! A move is four digits: file from the left and rank from the top, both from 0, of the source and of the destination.
//! The reader takes the main line, the names, event, date, place and result, and the start position `binit`. Variations
//! (`DhtmlXQ_move_…`) and comments are skipped.

use rules::{GameResult, Side};

use crate::points::{BoardPoint, PIECES, PointBoard, name};
use crate::problem::Reason;
use crate::tags;
use crate::written::{WrittenGame, WrittenGames, WrittenResult, win};

const OPEN: &str = "[DhtmlXQ_";

pub(crate) fn recognises(text: &str) -> bool {
    text.contains(OPEN)
}

pub(crate) fn read(text: &str) -> Vec<WrittenGame> {
    let mut games = WrittenGames::default();
    let mut game = DhtmlxqGame::at(1);
    let mut seen: Vec<&str> = Vec::new();
    let mut rest = text;
    let mut line = 1;
    while let Some(at) = rest.find(OPEN) {
        line += rest[..at].matches('\n').count();
        let inner = &rest[at + OPEN.len()..];
        let Some((key, after)) = inner.split_once(']').filter(|(key, _)| key.len() < 40 && !key.contains(['[', '\n']))
        else {
            rest = inner;
            continue;
        };
        // A key that comes again belongs to the next game.
        if seen.contains(&key) {
            games.extend(game.finish());
            game = DhtmlxqGame::at(line);
            seen.clear();
        }
        seen.push(key);
        let close = format!("[/DhtmlXQ_{key}]");
        // No value holds another key, which also bounds the search.
        let value = &after[..after.find(OPEN).unwrap_or(after.len())];
        match value.split_once(close.as_str()) {
            Some((value, _)) => {
                game.set(line, key, value);
                line += value.matches('\n').count();
                rest = &after[value.len() + close.len()..];
            }
            None => {
                game.written.refuse(line, Reason::Broken, format!("[DhtmlXQ_{key}] is not closed"));
                rest = after;
            }
        }
    }
    games.extend(game.finish());
    games.into()
}

struct DhtmlxqGame {
    written: WrittenGame,
    /// Whether there was a list of moves, even an empty one.
    has_moves: bool,
    /// The line of the start position, and the position.
    board: Option<(usize, PointBoard)>,
    /// The point that the first move leaves.
    first_source: Option<BoardPoint>,
}

impl DhtmlxqGame {
    fn at(line: usize) -> DhtmlxqGame {
        DhtmlxqGame { written: WrittenGame::at(line), has_moves: false, board: None, first_source: None }
    }

    fn set(&mut self, line: usize, key: &str, text: &str) {
        let said = tags::value(text);
        let tags = &mut self.written.tags;
        match key {
            "movelist" => self.moves(line, text),
            "binit" => self.board(line, text),
            "redname" | "red" => tags.first = said.or(tags.first.take()),
            "blackname" | "black" => tags.second = said.or(tags.second.take()),
            "event" => tags.event = said,
            "place" => tags.site = said,
            "date" => tags.date = said,
            "round" => tags.round = said,
            "open" => tags.opening = said,
            "result" => {
                tags.result = said;
                self.written.verdict = verdict(text);
            }
            _ => {} // the title, comments, variations, the looks of the board
        }
    }

    fn moves(&mut self, line: usize, text: &str) {
        let digits: Vec<usize> =
            text.chars().filter_map(|digit| digit.to_digit(10)).map(|digit| digit as usize).collect();
        let is_list = text.chars().all(|character| character.is_ascii_digit() || character.is_whitespace());
        if !is_list || !digits.len().is_multiple_of(4) {
            return self.written.refuse(line, Reason::Broken, "the list of moves is not made of four digits each");
        }
        self.has_moves = true;
        for step in digits.chunks_exact(4) {
            let (source, to) = ((step[0], step[1]), (step[2], step[3]));
            self.first_source.get_or_insert(source);
            self.written.add_move(line, name(source) + &name(to));
        }
    }

    fn board(&mut self, line: usize, text: &str) {
        let digits: Vec<usize> =
            text.trim().chars().filter_map(|digit| digit.to_digit(10)).map(|digit| digit as usize).collect();
        if digits.is_empty() {
            return;
        }
        let mut board = PointBoard::default();
        if digits.len() != 2 * PIECES.len() {
            let why = format!("binit has {} digits instead of {}", digits.len(), 2 * PIECES.len());
            return self.written.refuse(line, Reason::Start, why);
        }
        for (piece, point) in PIECES.chars().zip(digits.chunks_exact(2)) {
            // File 9 does not exist: the piece is not on the board.
            board.put((point[0], point[1]), piece);
        }
        self.board = Some((line, board));
    }

    /// The game, if there was a list of moves.
    fn finish(mut self) -> Option<WrittenGame> {
        if let Some((line, board)) = self.board {
            self.written.start = (line, board.start(self.first_source, Side::First));
        }
        (self.has_moves || self.written.fault.is_some()).then_some(self.written)
    }
}

/// A result in Chinese: 红胜, 黑方胜, 和棋, 红先负; a win of 红先 is one of Red.
pub(crate) fn verdict(text: &str) -> WrittenResult {
    let has = |words: &[char]| text.contains(words);
    let red = has(&['红', '紅']) || (text.contains('先') && !text.contains('后') && !text.contains('後'));
    let black = has(&['黑']);
    match (red, black) {
        _ if has(&['和', '平']) => WrittenResult::Result(GameResult::Draw),
        (true, false) if has(&['胜', '勝']) => win(Side::First),
        (true, false) if has(&['负', '負']) => win(Side::Second),
        (false, true) if has(&['胜', '勝']) => win(Side::Second),
        (false, true) if has(&['负', '負']) => win(Side::First),
        _ => crate::written::result(text).map_or(WrittenResult::Unknown, WrittenResult::Result),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_in_chinese() {
        for (text, wanted) in [
            ("红胜", win(Side::First)),
            ("紅方勝", win(Side::First)),
            ("红先负", win(Side::Second)),
            ("先胜", win(Side::First)),
            ("黑胜", win(Side::Second)),
            ("和棋", WrittenResult::Result(GameResult::Draw)),
            ("0-1", win(Side::Second)),
            ("未知", WrittenResult::Unknown),
            ("", WrittenResult::Unknown),
        ] {
            assert_eq!(verdict(text), wanted, "{text}");
        }
    }
}
