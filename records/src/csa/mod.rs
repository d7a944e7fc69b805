//! CSA, version 2 of the format of the Computer Shogi Association.
//!
//! The reader takes names (`N+`, `N-`), `$EVENT`, `$SITE`, `$OPENING`, `$START_TIME`, the start position in all three
//! ways (`PI`, `P1` to `P9`, `P+` and `P-`), the side to move, moves, and the special moves that begin with `%`.
//! Comments (`'`) other than Floodgate's ratings, times (`T`) and other keys are skipped. A `/` alone on a line
//! separates games.

mod write;

pub use write::write;

use rules::{GameResult, Side, Termination};

use crate::diagram::{Diagram, SIZE};
use crate::note;
use crate::problem::Reason;
use crate::tags;
use crate::written::{WrittenGame, WrittenGames, WrittenResult, WrittenStart, shown, win};

/// The code of each face, and its code in SFEN.
const PIECES: [(&str, &str); 14] = [
    ("OU", "K"),
    ("FU", "P"),
    ("KY", "L"),
    ("KE", "N"),
    ("GI", "S"),
    ("KI", "G"),
    ("KA", "B"),
    ("HI", "R"),
    ("TO", "+P"),
    ("NY", "+L"),
    ("NK", "+N"),
    ("NG", "+S"),
    ("UM", "+B"),
    ("RY", "+R"),
];

/// The special moves, with the winner and the reason.
const SPECIAL: &[(&str, WrittenResult, Option<Termination>)] = &[
    ("%TORYO", WrittenResult::SideToMoveLoses, Some(Termination::Resign)),
    ("%TSUMI", WrittenResult::SideToMoveLoses, Some(Termination::Checkmate)),
    ("%TIME_UP", WrittenResult::SideToMoveLoses, Some(Termination::Error)),
    ("%ILLEGAL_MOVE", WrittenResult::SideToMoveLoses, Some(Termination::Error)),
    ("%+ILLEGAL_ACTION", win(Side::Second), Some(Termination::Error)),
    ("%-ILLEGAL_ACTION", win(Side::First), Some(Termination::Error)),
    ("%KACHI", WrittenResult::SideToMoveWins, Some(Termination::Declaration)),
    ("%SENNICHITE", WrittenResult::Result(GameResult::Draw), Some(Termination::Repetition)),
    ("%JISHOGI", WrittenResult::Result(GameResult::Draw), Some(Termination::Impasse)),
    ("%HIKIWAKE", WrittenResult::Result(GameResult::Draw), None),
    ("%MAX_MOVES", WrittenResult::Result(GameResult::Draw), Some(Termination::MaxPlies)),
    ("%CHUDAN", WrittenResult::Unknown, None),
    ("%MATTA", WrittenResult::Unknown, None),
    ("%FUZUMI", WrittenResult::Unknown, None),
    ("%ERROR", WrittenResult::Unknown, None),
];

pub(crate) fn recognises(text: &str) -> bool {
    let is_piece = |text: &str| PIECES.iter().any(|(code, _)| text.starts_with(code));
    let is_move = |line: &str| {
        line.starts_with(['+', '-'])
            && line.len() >= 7
            && line.is_ascii()
            && line[1..5].bytes().all(|byte| byte.is_ascii_digit())
            && is_piece(&line[5..])
            && matches!(line.as_bytes().get(7), None | Some(b','))
    };
    let lines = || text.lines().map(|line| line.trim().trim_start_matches('\u{feff}')).take(200);
    // A move of WXF, such as P1+1, is no rank.
    let is_square =
        |text: &str| text.trim_start().starts_with('*') || text.strip_prefix(['+', '-']).is_some_and(is_piece);
    let is_rank = |line: &str| line.strip_prefix("P1").is_some_and(is_square);
    let is_head =
        |line: &str| ["PI", "V2", "V2.1", "V2.2", "V3.0"].contains(&line) || is_rank(line) || line.starts_with("PI,");
    lines().any(|line| is_head(line) || is_move(line))
}

/// A game as far as it has been read.
struct CsaGame {
    game: WrittenGame,
    board: Option<Diagram>,
    second_moves: bool,
    /// Whether a special move has ended it.
    is_over: bool,
}

impl CsaGame {
    fn at(line: usize) -> CsaGame {
        CsaGame { game: WrittenGame::at(line), board: None, second_moves: false, is_over: false }
    }

    fn finish(mut self) -> WrittenGame {
        if let Some(mut board) = self.board.or_else(|| self.second_moves.then(Diagram::start)) {
            board.second_moves = self.second_moves;
            self.game.start.1 = WrittenStart::Text(board.sfen());
        }
        self.game
    }
}

pub(crate) fn read(text: &str) -> Vec<WrittenGame> {
    let mut games = WrittenGames::default();
    let mut draft = CsaGame::at(1);
    let mut add = |draft: CsaGame| {
        let is_something = draft.board.is_some() || !draft.game.is_empty();
        games.extend(is_something.then(|| draft.finish()));
    };
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.trim_end().trim_start_matches('\u{feff}');
        if text == "/" {
            add(std::mem::replace(&mut draft, CsaGame::at(line + 1)));
        } else if let Some(comment) = text.strip_prefix('\'') {
            self::comment(&mut draft.game, comment);
        } else if text.starts_with(['N', '$']) {
            header(&mut draft, text);
        } else {
            statements(&mut draft, line, text);
        }
    }
    add(draft);
    games.into()
}

/// Takes over what a comment says: a note of Kirin, or the rating of a player as the server Floodgate writes it,
/// `black_rate:NAME:2450.0`.
fn comment(game: &mut WrittenGame, text: &str) {
    note::read(text, game);
    let rating = |rest: &str| tags::rating(rest.rsplit_once(':')?.1);
    if let Some(rest) = text.strip_prefix("black_rate:") {
        game.tags.first_rating = rating(rest);
    } else if let Some(rest) = text.strip_prefix("white_rate:") {
        game.tags.second_rating = rating(rest);
    }
}

fn header(draft: &mut CsaGame, text: &str) {
    let tags = &mut draft.game.tags;
    if let Some(name) = text.strip_prefix("N+") {
        tags.first = tags::value(name);
    } else if let Some(name) = text.strip_prefix("N-") {
        tags.second = tags::value(name);
    } else if let Some((key, value)) = text.split_once(':') {
        match key {
            "$EVENT" => tags.event = tags::value(value),
            "$SITE" => tags.site = tags::value(value),
            "$OPENING" => tags.opening = tags::value(value),
            "$START_TIME" => tags.date = tags::value(value),
            _ => {} // $TIME_LIMIT and others say nothing of the moves
        }
    }
}

/// The statements of a line, separated by commas. A comment behind them takes the rest of the line, commas included.
fn statements(draft: &mut CsaGame, line: usize, text: &str) {
    let mut left = Some(text);
    while let Some(text) = left {
        if let Some(comment) = text.trim_start().strip_prefix('\'') {
            return note::read(comment, &mut draft.game);
        }
        let (one, rest) = text.split_once(',').map_or((text, None), |(one, rest)| (one, Some(rest)));
        statement(draft, line, one.trim());
        left = rest;
    }
}

fn statement(draft: &mut CsaGame, line: usize, text: &str) {
    let game = &mut draft.game;
    match text.as_bytes() {
        [b'P', ..] => {
            game.start.0 = line;
            if let Err(why) = start(draft, text) {
                draft.game.refuse(line, Reason::Start, why);
            }
        }
        [] | [b'T' | b'V', ..] => {}
        [sign @ (b'+' | b'-')] => draft.second_moves = *sign == b'-',
        [b'+' | b'-', ..] => game.add_move(line, text.to_owned()),
        [b'%', ..] => {
            draft.is_over = true;
            match SPECIAL.iter().find(|(word, ..)| *word == text) {
                Some(&(word, verdict, termination)) => {
                    game.end_by_word(word, verdict, termination);
                    game.ends_illegally = word.contains("ILLEGAL");
                }
                // Servers have special moves of their own. The rules may tell the winner.
                None => game.end_by_word(&shown(text), WrittenResult::Unknown, None),
            }
        }
        // Lines after the end of a game are remarks.
        _ if draft.is_over => {}
        _ => game.broken(line, text, "a line of CSA"),
    }
}

/// Reads a line of the start position.
fn start(draft: &mut CsaGame, text: &str) -> Result<(), String> {
    let board = draft.board.get_or_insert_with(Diagram::empty);
    let not_ascii = || format!("{text:?} is not a line of a position");
    if !text.is_ascii() {
        return Err(not_ascii());
    }
    let (kind, rest) = text.split_at(text.len().min(2));
    match kind {
        "PI" => {
            *board = Diagram::start();
            for (file, rank, _) in placed(rest)? {
                let cell = cell(board, file, rank).ok_or_else(not_ascii)?;
                cell.clear();
            }
        }
        "P+" | "P-" => {
            let side = usize::from(kind == "P-");
            for (file, rank, code) in placed(rest)? {
                match (file, rank, code) {
                    (0, 0, "AL") => board.take_the_rest(side),
                    (0, 0, code) => {
                        let slot = sfen_code(code).filter(|code| !code.starts_with('+')).and_then(Diagram::slot);
                        board.hands[side][slot.ok_or_else(|| format!("{code} cannot be in hand"))?] += 1;
                    }
                    (file, rank, code) => {
                        let code = sfen_code(code).ok_or_else(|| format!("{code} is no piece"))?;
                        let cell = cell(board, file, rank).ok_or_else(not_ascii)?;
                        *cell = if side == 0 { code.to_owned() } else { code.to_ascii_lowercase() };
                    }
                }
            }
        }
        _ => {
            let rank =
                kind[1..].parse::<usize>().ok().filter(|rank| (1..=SIZE).contains(rank)).ok_or_else(not_ascii)?;
            board.cells[rank - 1] = match in_columns(rest) {
                Ok(cells) => cells,
                Err(text) => in_words(rest).ok_or_else(|| format!("{text:?} is no square of a rank"))?,
            };
        }
    }
    Ok(())
}

/// A rank with three characters for each square, or the first that are none. Blanks at the end of a line are often
/// lost.
fn in_columns(rank: &str) -> Result<[String; SIZE], &str> {
    let mut cells: [String; SIZE] = Default::default();
    for (file, cell) in cells.iter_mut().enumerate() {
        let text = rank.get(3 * file..(3 * file + 3).min(rank.len())).unwrap_or_default();
        *cell = square(text.trim()).ok_or(text)?;
    }
    Ok(cells)
}

/// A rank whose squares are separated by any blanks, as in `P2 * -HI * * *`, with a full stop behind it perhaps.
fn in_words(rank: &str) -> Option<[String; SIZE]> {
    let spaced = rank.replace('*', " * ").replace('+', " +").replace('-', " -");
    let words: Vec<&str> = spaced.trim_end_matches(['.', ' ']).split_whitespace().collect();
    let mut cells: [String; SIZE] = Default::default();
    for (at, word) in words.into_iter().enumerate() {
        *cells.get_mut(at)? = square(word)?;
    }
    Some(cells)
}

/// The code in SFEN of a square's text; empty for an empty square.
fn square(text: &str) -> Option<String> {
    match text.split_at(text.len().min(1)) {
        ("+", code) => sfen_code(code.trim()).map(str::to_owned),
        ("-", code) => sfen_code(code.trim()).map(str::to_ascii_lowercase),
        _ if text.is_empty() || text == "*" => Some(String::new()),
        _ => None,
    }
}

/// Squares and pieces written as `63FU00AL`.
fn placed(text: &str) -> Result<Vec<(usize, usize, &str)>, String> {
    let fault = || format!("{text:?} is not made of squares and pieces such as 63FU");
    let text = text.trim();
    if !text.len().is_multiple_of(4) {
        return Err(fault());
    }
    let each = (0..text.len() / 4).map(|at| {
        let item = &text[4 * at..4 * at + 4];
        let digit = |at: usize| item[at..at + 1].parse::<usize>().ok();
        Some((digit(0)?, digit(1)?, &item[2..]))
    });
    each.collect::<Option<Vec<_>>>().ok_or_else(fault)
}

fn cell(board: &mut Diagram, file: usize, rank: usize) -> Option<&mut String> {
    board.cells.get_mut(rank.checked_sub(1)?)?.get_mut(SIZE.checked_sub(file)?)
}

fn sfen_code(code: &str) -> Option<&'static str> {
    PIECES.iter().find(|(known, _)| *known == code).map(|(_, code)| *code)
}
