//! Lists of moves in any notation of the variant: UCI, UCCI, ICCS, Chinese, Western, Korean, USI.
//!
//! A paragraph whose moves are numbered is one game, whatever its lines: `1. 炮二平五 馬8進7`. So is one whose lines begin
//! with the numbers of moves without points, and one with a move in each line; a position may stand before them.
//! Otherwise each line is a game: moves separated by spaces or commas, perhaps after `startpos moves`, `position fen …
//! moves` or `FEN … moves`. A result may stand at the end, also in a line of its own. Lines that begin with `#` or `;`
//! are comments, and lines such as `红方：…` or `Red: …` give names.

use rules::{GameResult, Side};

use crate::dhtmlxq;
use crate::encoding::plain;
use crate::gib;
use crate::problem::Reason;
use crate::tags;
use crate::written::{WrittenGame, WrittenGames, WrittenResult, WrittenStart, is_word, result, win};

pub(crate) fn read(text: &str) -> Vec<WrittenGame> {
    let mut games = WrittenGames::default();
    let mut paragraph: Vec<(usize, String)> = Vec::new();
    // Names before a blank line belong to the game behind it.
    let mut header = WrittenGame::default();
    let lines = (1..).zip(text.lines().map(plain)).chain([(0, String::new())]);
    for (line, text) in lines {
        let text = text.trim().trim_start_matches('\u{feff}').to_owned();
        if text.starts_with(['#', ';']) {
            continue;
        }
        if !text.is_empty() {
            paragraph.push((line, text));
            continue;
        }
        self::paragraph(&std::mem::take(&mut paragraph), &mut header, &mut games);
    }
    games.into()
}

fn paragraph(lines: &[(usize, String)], header: &mut WrittenGame, games: &mut WrittenGames) {
    let mut moves: Vec<&(usize, String)> = Vec::new();
    for entry in lines {
        if !self::header(header, entry.0, &entry.1) {
            moves.push(entry);
        }
    }
    if moves.is_empty() {
        return;
    }
    let starts = |line: usize, header: &WrittenGame| WrittenGame { line, ..header.clone() };
    let is_numbered = |text: &str| text.split_whitespace().next().is_some_and(|word| numbered(word).is_some());
    // A result alone in a line belongs to the moves before it.
    let is_result = |text: &str| text.split_whitespace().all(|word| verdict(word) != WrittenResult::Unknown);
    let results = moves.iter().rev().take_while(|(_, text)| is_result(text)).count();
    let without_result = &moves[..moves.len() - results];
    // A list of games of one move each does not occur.
    let has_a_move_a_line =
        without_result.len() > 1 && without_result.iter().all(|(_, text)| text.split_whitespace().count() == 1);
    let is_one = has_a_move_a_line || counts_up(without_result) || moves.iter().any(|(_, text)| is_numbered(text));
    let mut add = |lines: &[&(usize, String)]| {
        let Some((first, _)) = lines.first() else { return };
        let mut game = starts(*first, header);
        let mut comment = Comment::default();
        lines.iter().for_each(|(line, text)| words(&mut game, *line, text, &mut comment));
        if comment.open > 0 {
            game.refuse(comment.line, Reason::Broken, "a bracket is not closed");
        }
        // Lines of text between games are no games.
        let is_text = game.moves.iter().all(|(_, text)| is_word(text)) && game.verdict == WrittenResult::Unknown;
        game.drop_last_words();
        games.extend((!is_text).then_some(game));
    };
    if is_one {
        add(&moves)
    } else {
        moves.chunk_by(|_, (_, next)| is_result(next)).for_each(&mut add)
    }
    *header = WrittenGame::default();
}

/// Whether each line begins with a number, the next one each time: `1 炮二平五 馬8進7`, `2 馬二進三 車9平8`.
fn counts_up(lines: &[&(usize, String)]) -> bool {
    let number = |text: &str| text.split_whitespace().next()?.parse::<usize>().ok();
    let numbers: Option<Vec<usize>> = lines.iter().map(|(_, text)| number(text)).collect();
    numbers.is_some_and(|numbers| numbers.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1])))
}

/// Takes over a line such as `红方：许某`, or a position that stands alone; `false` if it is none.
fn header(game: &mut WrittenGame, line: usize, text: &str) -> bool {
    let board = text.split_whitespace().next().unwrap_or_default();
    if board.matches('/').count() >= 7 && !text.contains(" moves ") {
        game.start = (line, WrittenStart::Text(text.to_owned()));
        return true;
    }
    let Some((key, value)) = text.split_once(':') else { return false };
    let key = key.trim().to_lowercase();
    let said = tags::value(value);
    match key.as_str() {
        "红方" | "紅方" | "red" | "white" | "first" | "초" | "先手" => game.tags.first = said,
        "黑方" | "black" | "second" | "한" | "後手" | "后手" => game.tags.second = said,
        "赛事" | "賽事" | "比赛" | "event" => game.tags.event = said,
        "地点" | "地點" | "site" => game.tags.site = said,
        "日期" | "date" => game.tags.date = said,
        "轮次" | "輪次" | "round" => game.tags.round = said,
        "布局" | "戦型" | "opening" => game.tags.opening = said,
        "fen" | "开局" => game.start = (line, WrittenStart::Text(value.trim().to_owned())),
        "结果" | "結果" | "result" => {
            game.verdict = verdict(value.trim());
            game.tags.result = said;
        }
        _ => return false,
    }
    true
}

/// The text behind the number of a move: of `12.` nothing, of `12.炮二平五` the move.
fn numbered(word: &str) -> Option<&str> {
    let after = word.trim_start_matches(|character: char| character.is_ascii_digit());
    let rest = after.trim_start_matches(['.', '、', ')']);
    // `15.4` is a move: the first of several soldiers on file 5 goes to file 4.
    let is_number = after.len() < word.len() && rest.len() < after.len();
    (is_number && !rest.starts_with(|character: char| character.is_ascii_digit() && rest.len() == 1)).then_some(rest)
}

/// The text behind one of these words, in small or in capital letters, if it begins with one.
fn without_word<'a>(text: &'a str, words: &[&str]) -> &'a str {
    match text.split_once(char::is_whitespace) {
        Some((first, rest)) if words.iter().any(|word| word.eq_ignore_ascii_case(first)) => rest.trim(),
        _ => text,
    }
}

/// A comment in brackets or braces, which may hold several words and lines.
#[derive(Default)]
struct Comment {
    /// Brackets that are open.
    open: usize,
    /// Where the first of them was opened.
    line: usize,
}

fn words(game: &mut WrittenGame, line: usize, text: &str, comment: &mut Comment) {
    let (before, list) = match text.split_once(" moves ") {
        Some((before, list)) => (before.trim(), list),
        None => ("", text),
    };
    let fen = without_word(without_word(before, &["position"]), &["fen", "sfen"]);
    if !fen.is_empty() && fen != "startpos" {
        game.start = (line, WrittenStart::Text(fen.to_owned()));
    }
    for word in list.split(|character: char| character.is_whitespace() || ",，;。".contains(character)) {
        let opens = word.starts_with(['{', '(', '[', '（', '【']);
        let skipped = opens || comment.open > 0;
        if skipped {
            if comment.open == 0 {
                comment.line = line;
            }
            let count = |brackets: &str| word.chars().filter(|&character| brackets.contains(character)).count();
            comment.open = (comment.open + count("{([（【")).saturating_sub(count("})]）】"));
        }
        if skipped || word.is_empty() || word == "startpos" {
            continue;
        }
        let result = verdict(word);
        if result != WrittenResult::Unknown || word == "*" {
            game.verdict = result;
            game.tags.result = Some(word.to_owned());
            continue;
        }
        let word = numbered(word).unwrap_or(word);
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number && !word.chars().all(|character| ".…".contains(character)) {
            game.add_move(line, gib::plain_move(word).unwrap_or_else(|| word.to_owned()));
        }
    }
}

/// A result that stands among moves.
pub(crate) fn verdict(word: &str) -> WrittenResult {
    match word {
        "和" | "和棋" | "draw" | "비김" | "무승부" => WrittenResult::Result(GameResult::Draw),
        "초승" => win(Side::First),
        "한승" => win(Side::Second),
        _ if result(word).is_some() => result(word).map_or(WrittenResult::Unknown, WrittenResult::Result),
        // Moves have numbers in them, results in Chinese have none.
        _ if word.contains(['胜', '勝', '负', '負']) && is_word(word) => dhtmlxq::verdict(word),
        _ => WrittenResult::Unknown,
    }
}
