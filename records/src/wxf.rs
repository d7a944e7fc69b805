//! WXF, the format of the World Xiangqi Federation: a header of names and values, then `START{ 1. C2.5 h8+7 … }END`.
//!
//! The reader takes `EVENT`, `SITE`, `DATE`, `ROUND`, `RED`, `BLACK` (up to the first semicolon), `RESULT`, `FEN`, and
//! the moves in the notation of that name. Comments in braces and variations in brackets are skipped, and so is
//! everything behind the moves.

use crate::encoding::plain;
use crate::moves;
use crate::pgn::movetext::{Token, tokens};
use crate::problem::Reason;
use crate::tags;
use crate::written::{WrittenGame, WrittenGames, WrittenResult, WrittenStart};

/// What stands before the moves, and behind them.
const OPEN: &str = "START{";
const CLOSE: &str = "}END";

/// The words of a line that says which format it is.
fn is_head(line: &str) -> bool {
    let mut words = line.trim().trim_start_matches('\u{feff}').split_whitespace();
    words.next() == Some("FORMAT") && words.next() == Some("WXF")
}

pub(crate) fn recognises(text: &str) -> bool {
    text.lines().take(200).any(|line| is_head(line) || line.trim_start().starts_with(OPEN))
}

pub(crate) fn read(text: &str) -> Vec<WrittenGame> {
    let mut games = WrittenGames::default();
    let mut game = WrittenGame::at(1);
    // The movetext of the present game and the line in which it begins, between its braces.
    let mut movetext: Option<(usize, String)> = None;
    for (line, text) in (1..).zip(text.lines()) {
        if is_head(text) {
            close(&mut game, movetext.take(), true);
            let last = std::mem::replace(&mut game, WrittenGame::at(line));
            games.extend((!last.is_empty()).then_some(last));
        } else if let Some((_, moves)) = &mut movetext {
            let (before, is_end) = text.split_once(CLOSE).map_or((text, false), |(before, _)| (before, true));
            moves.push_str(before);
            moves.push('\n');
            if is_end {
                close(&mut game, movetext.take(), false);
                let last = std::mem::replace(&mut game, WrittenGame::at(line + 1));
                games.push(last);
            }
        } else if let Some(moves) = text.trim_start().strip_prefix(OPEN) {
            let (moves, is_end) = moves.split_once(CLOSE).map_or((moves, false), |(moves, _)| (moves, true));
            movetext = Some((line, format!("{moves}\n")));
            if is_end {
                close(&mut game, movetext.take(), false);
                games.push(std::mem::replace(&mut game, WrittenGame::at(line + 1)));
            }
        } else {
            header(&mut game, line, text.trim());
        }
    }
    close(&mut game, movetext, true);
    // Text behind the last game is ignored.
    games.extend((!game.moves.is_empty() || game.fault.is_some()).then_some(game));
    games.into()
}

fn header(game: &mut WrittenGame, line: usize, text: &str) {
    let (key, value) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let said = tags::value(value);
    let name = || said.as_deref().and_then(|value| tags::value(value.split(';').next().unwrap_or_default()));
    match key {
        "EVENT" => game.tags.event = said,
        "SITE" | "PLACE" => game.tags.site = said,
        "DATE" => game.tags.date = said,
        "ROUND" => game.tags.round = said,
        "OPEN" | "OPENING" => game.tags.opening = said,
        "RED" => game.tags.first = name(),
        "BLACK" => game.tags.second = name(),
        "RESULT" => {
            game.verdict = moves::verdict(&plain(value.trim()));
            game.tags.result = said;
        }
        "FEN" if said.is_some() => game.start = (line, WrittenStart::Text(value.trim().to_owned())),
        _ => {} // GAME, AUTHOR, remarks
    }
}

/// Takes over the movetext, whose end may be missing.
fn close(game: &mut WrittenGame, movetext: Option<(usize, String)>, is_open: bool) {
    let Some((line, text)) = movetext else { return };
    for (line, token) in tokens(&text, line) {
        match token {
            Token::Number(_) => {}
            Token::Move(text) => game.add_move(line, plain(text)),
            Token::Result(text) => {
                game.tags.result.get_or_insert_with(|| text.to_owned());
                if game.verdict == WrittenResult::Unknown {
                    game.verdict = moves::verdict(&plain(text));
                }
            }
            Token::Open(bracket) => game.refuse(line, Reason::Broken, format!("the {bracket} is not closed")),
        }
    }
    game.drop_last_words();
    if is_open {
        game.refuse(line, Reason::Broken, format!("the moves begin with {OPEN} and lack {CLOSE} behind them"));
    }
}
