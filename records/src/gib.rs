//! GIB, the text format of Korean servers: tags such as `[초차림 "마상상마"]`, then `1. 79졸78 2. 41병42`.
//!
//! The reader takes the names (`초대국자`, `한대국자`), `대회명`, `대국일자`, `회전`, `대국결과`, the setups (`초차림`,
//! `한차림`, also `초포진`, `한포진`) or a `FEN`, and the moves. A move is rank and file, the piece in Hangul or Chinese
//! characters, perhaps after its side (`79楚卒78`), and rank and file again; captured pieces, 장군 and 멍군 behind it are
//! skipped, as are comments in braces.
//!
//! The record writes Han's setup as it looks along the board from Cho's left. A setup belongs to its player, so its
//! left and right are swapped here. Setups that are written by name (안상, 바깥상, 왼상, 오른상) are the player's own.

use rules::{GameResult, Side, Termination};

use crate::encoding::plain;
use crate::problem::Reason;
use crate::tags;
use crate::written::{WrittenGame, WrittenGames, WrittenResult, WrittenStart, is_word, shown, win};

/// Keys that no other format has.
const KEYS: [&str; 8] = ["초대국자", "한대국자", "초차림", "한차림", "초포진", "한포진", "대국결과", "총수"];
/// Setups as they stand on the board from Cho's left, with their names, Cho's and Han's.
const ROWS: [(&str, &str, &str); 4] = [
    ("마상상마", "inner", "inner"),
    ("상마마상", "outer", "outer"),
    ("상마상마", "left", "right"),
    ("마상마상", "right", "left"),
];
/// Setups by name.
const NAMES: [(&str, &str); 4] = [("안상", "inner"), ("바깥상", "outer"), ("왼상", "left"), ("오른상", "right")];
/// Pieces in Hangul, and the characters for them that the notation knows.
const PIECES: [(&str, char); 6] =
    [("졸병", '卒'), ("차", '車'), ("포", '包'), ("마", '馬'), ("상", '象'), ("사", '士')];
/// The generals.
const GENERALS: &str = "궁왕장초한";

pub(crate) fn recognises(text: &str) -> bool {
    let mut lines = text.lines().take(200).map(plain);
    lines.any(|line| tag(&line).is_some_and(|(key, _)| KEYS.contains(&key.as_str())))
}

fn tag(line: &str) -> Option<(String, String)> {
    let inner = line.trim().trim_start_matches('\u{feff}').strip_prefix('[')?;
    let (key, rest) = inner.split_once(['"', '“'])?;
    let value = rest.trim_end().trim_end_matches(']').trim_end().trim_end_matches(['"', '”']);
    Some((key.trim().to_owned(), value.to_owned()))
}

pub(crate) fn read(text: &str) -> Vec<WrittenGame> {
    let mut games = WrittenGames::default();
    let mut game = WrittenGame::at(1);
    let mut setups: [Option<&'static str>; 2] = [None; 2];
    let mut in_comment = false;
    // The line in which a comment was opened that has moves of the game in it.
    let mut hidden_from = None;
    let mut is_begun = false;
    for (line, raw) in (1..).zip(text.lines()) {
        let text = plain(raw);
        if let Some((key, value)) = tag(&text) {
            // A tag after moves begins the next game, whatever was left open before it.
            if is_begun || in_comment {
                refuse_hidden(&mut game, hidden_from.take());
                games.push(finish(std::mem::replace(&mut game, WrittenGame::at(line)), &mut setups));
                (is_begun, in_comment) = (false, false);
            }
            if game.is_empty() {
                game.line = line;
            }
            set(&mut game, &mut setups, line, &key, &value);
            continue;
        }
        let was_open = in_comment;
        let said = without_comments(&text, &mut in_comment);
        let inside = if was_open { text.as_str() } else { text.rsplit('{').next().unwrap_or_default() };
        if !in_comment {
            hidden_from = None;
        } else if moves(inside).into_iter().any(|word| plain_move(word).is_some()) {
            hidden_from.get_or_insert(line);
        }
        for word in moves(&said) {
            is_begun = true;
            match plain_move(word) {
                Some(text) => game.add_move(line, text),
                // A word in place of a move: it may be the end, unless moves come behind it.
                None if is_word(word) => game.add_move(line, word.to_owned()),
                None => {
                    game.refuse(line, Reason::UnreadableMove, format!("{:?} is not a move such as 79졸78", shown(word)))
                }
            }
        }
    }
    refuse_hidden(&mut game, hidden_from);
    let last = finish(game, &mut setups);
    games.extend((!last.is_empty()).then_some(last));
    games.into()
}

/// Refuses a game that has moves in a comment without an end, from this line on.
fn refuse_hidden(game: &mut WrittenGame, from: Option<usize>) {
    if let Some(line) = from {
        game.refuse(line, Reason::Broken, "a comment with moves in it is not closed");
    }
}

fn finish(mut game: WrittenGame, setups: &mut [Option<&'static str>; 2]) -> WrittenGame {
    if let [Some(first), Some(second)] = std::mem::take(setups) {
        game.start.1 = WrittenStart::Setups([first, second]);
    }
    game.drop_last_words();
    game
}

fn set(game: &mut WrittenGame, setups: &mut [Option<&'static str>; 2], line: usize, key: &str, text: &str) {
    // 미상: not known.
    let said = tags::value(text).filter(|text| text != "미상");
    match key {
        "초대국자" => game.tags.first = said,
        "한대국자" => game.tags.second = said,
        "대회명" | "대국명" => game.tags.event = said,
        "대국장" | "대국장소" => game.tags.site = said,
        "대국일자" => game.tags.date = said,
        "회전" => game.tags.round = said,
        "대국결과" => {
            game.tags.result = said;
            let (verdict, termination) = result(text);
            game.end(verdict, termination);
        }
        "FEN" => game.start = (line, WrittenStart::Text(text.trim().to_owned())),
        "초차림" | "초포진" | "한차림" | "한포진" => {
            let side = usize::from(key.starts_with('한'));
            game.start.0 = line;
            match setup(text, side) {
                Some(name) => setups[side] = Some(name),
                None if said.is_none() => {}
                None => {
                    let rows = ROWS.map(|(row, ..)| row).join(", ");
                    game.refuse(line, Reason::Start, format!("the setup {text:?} is not known; there are {rows}"));
                }
            }
        }
        _ => {} // limits of time, ranks of the players
    }
}

/// The setup that a player has, 0 for Cho and 1 for Han.
fn setup(text: &str, side: usize) -> Option<&'static str> {
    let text: String = text.chars().filter(|character| !character.is_whitespace()).collect();
    let row = ROWS.iter().find(|(row, ..)| text.contains(row)).map(|&(_, cho, han)| [cho, han][side]);
    row.or_else(|| NAMES.iter().find(|(name, _)| text.contains(name)).map(|&(_, name)| name))
}

/// The winner and the reason: `초 완승`, `한 시간승`, `무승부`.
pub(crate) fn result(text: &str) -> (WrittenResult, Option<Termination>) {
    let text = text.trim();
    let reasons = [
        ("기권", Termination::Resign),
        ("불계", Termination::Resign),
        ("외통", Termination::Checkmate),
        ("점수", Termination::Points),
        ("판정", Termination::Points),
        ("시간", Termination::Error),
        ("반칙", Termination::Error),
        ("빅장", Termination::Bikjang),
        ("반복", Termination::Repetition),
    ];
    let reason = reasons.iter().find(|(word, _)| text.contains(word)).map(|&(_, reason)| reason);
    let side = match text.chars().next() {
        Some('초' | '楚') => Some(Side::First),
        Some('한' | '漢') => Some(Side::Second),
        _ => None,
    };
    let verdict = match side {
        Some(side) if text.contains('승') || text.contains('勝') => win(side),
        Some(side) if text.contains('패') || text.contains('敗') => win(side.other()),
        _ if ["무승부", "비김", "빅장", "무"].iter().any(|word| text.starts_with(word)) => {
            WrittenResult::Result(GameResult::Draw)
        }
        _ => crate::written::result(text).map_or(WrittenResult::Unknown, WrittenResult::Result),
    };
    (verdict, reason)
}

/// The part of a line outside braces.
fn without_comments(text: &str, in_comment: &mut bool) -> String {
    let mut said = String::new();
    for character in text.chars() {
        match character {
            '{' => *in_comment = true,
            '}' => *in_comment = false,
            _ if *in_comment => {}
            _ => said.push(character),
        }
    }
    said
}

/// The texts between the numbers of moves: `1. 79졸78 2. 한수쉼` has two.
fn moves(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut parts = text.split('.').peekable();
    let Some(mut before) = parts.next() else { return found };
    while let Some(part) = parts.next() {
        // What stands before the point ends with the number of the move, as this part ends with the next one's.
        let is_numbered = before.ends_with(|character: char| character.is_ascii_digit());
        let without_number = part.trim_end_matches(|character: char| character.is_ascii_digit());
        let next_is_numbered = parts.peek().is_some() && without_number.ends_with(char::is_whitespace);
        let text = if next_is_numbered { without_number } else { part }.trim();
        found.extend((is_numbered && !text.is_empty()).then_some(text));
        before = part;
    }
    found
}

/// A move in the notation of the rules engine: `79楚卒78` and `79졸78 장군` become `79卒78`.
pub(crate) fn plain_move(text: &str) -> Option<String> {
    let text: String = text.chars().filter(|character| !character.is_whitespace()).collect();
    if ["한수쉼", "수쉼", "쉼", "虛手", "虚手"].iter().any(|pass| text.starts_with(pass)) {
        return Some("한수쉼".to_owned());
    }
    let is_number = |character: &char| character.is_ascii_digit() || "一二三四五六七八九十".contains(*character);
    let characters: Vec<char> = text.chars().collect();
    let [rank, file, rest @ ..] = characters.as_slice() else { return None };
    let names = rest.iter().take_while(|character| !is_number(character)).count();
    let ([first @ .., last], [to_rank, to_file, ..]) = (&rest[..names.min(2)], &rest[names..]) else { return None };
    let numbers = [rank, file, to_rank, to_file];
    let is_sided = matches!(first, [] | ['楚' | '漢' | '汉' | '초' | '한']);
    if names > 2 || !is_sided || !numbers.iter().all(|number| is_number(number)) {
        return None;
    }
    let hangul = PIECES.iter().find(|(names, _)| names.contains(*last)).map(|&(_, piece)| piece);
    let piece = hangul.unwrap_or(if GENERALS.contains(*last) { '楚' } else { *last });
    Some([*rank, *file, piece, *to_rank, *to_file].iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_found_between_their_numbers() {
        let line = "1. 79楚卒78 2. 41漢兵42 3.02초마83 4. 한수쉼 129. 35포15졸 장군 130. 94將84";
        let plain: Vec<Option<String>> = moves(line).into_iter().map(plain_move).collect();
        let wanted = ["79卒78", "41兵42", "02馬83", "한수쉼", "35包15", "94將84"];
        assert_eq!(plain, wanted.map(|text| Some(text.to_owned())));
        for junk in ["79", "79졸", "졸7978", "79졸졸졸78", "79x78x", ""] {
            assert!(plain_move(junk).is_none_or(|text| text == "79x78"), "{junk}");
        }
    }

    #[test]
    fn han_is_written_along_the_board_from_chos_left() {
        assert_eq!([0, 1].map(|side| setup("상마상마", side)), [Some("left"), Some("right")]);
        assert_eq!([0, 1].map(|side| setup("마상 마상", side)), [Some("right"), Some("left")]);
        assert_eq!([0, 1].map(|side| setup("마상상마", side)), [Some("inner"); 2]);
        assert_eq!([0, 1].map(|side| setup("왼상차림", side)), [Some("left"); 2]);
        assert_eq!(setup("귀마", 0), None);
    }

    #[test]
    fn results_in_korean() {
        assert_eq!(result("초 완승"), (win(Side::First), None));
        assert_eq!(result("한 시간승"), (win(Side::Second), Some(Termination::Error)));
        assert_eq!(result("초 기권패"), (win(Side::Second), Some(Termination::Resign)));
        assert_eq!(result("무승부").0, WrittenResult::Result(GameResult::Draw));
        assert_eq!(result("진행중").0, WrittenResult::Unknown);
    }
}
