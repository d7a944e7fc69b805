//! PGN: games of all variants, with tags, comments and variations.
//!
//! Read are the main line and the tags `Event`, `Site`, `Date`, `Round`, `White` or `Red`, `Black`, `Variant`, `RuleSet`,
//! `FEN`, `Result` and `Termination`. Comments, evaluations (NAGs) and variations are skipped. White is the player who moves
//! first in the variant's own start position.

mod movetext;
mod write;

pub use write::{Game, game, write};

use crate::encoding::plain;
use crate::problem::Reason;
use crate::tags;
use crate::written::{Start, Verdict, Written, result};
use movetext::Token;
use rules::{GameResult, Termination};

/// A line `[Name "value"]`.
fn tag(line: &str) -> Option<(&str, String)> {
    let inner = line.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
    let (name, rest) = inner.split_once(char::is_whitespace)?;
    let value = rest.trim().strip_prefix('"')?.strip_suffix('"')?;
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    is_name.then(|| (name, value.replace("\\\"", "\"").replace("\\\\", "\\")))
}

pub(crate) fn recognises(text: &str) -> bool {
    let line = text.lines().map(|line| line.trim_start_matches('\u{feff}').trim()).find(|line| !line.is_empty());
    line.is_some_and(|line| tag(line).is_some())
}

/// A tag after movetext begins a game, whatever the movetext has left open: so one broken game costs no other.
pub(crate) fn read(text: &str) -> Vec<Written> {
    let mut games = Vec::new();
    let mut game: Option<Written> = None;
    // The movetext of the present game, and the line in which it begins.
    let mut movetext = String::new();
    let mut begins = 0;
    for (line, text) in (1..).zip(text.lines()) {
        if text.starts_with('%') {
            movetext.push('\n');
            continue;
        }
        let Some((name, value)) = tag(text) else {
            if movetext.trim().is_empty() {
                movetext.clear();
                begins = line;
            }
            movetext += text;
            movetext.push('\n');
            continue;
        };
        if !movetext.trim().is_empty() {
            finish(game.take(), &movetext, begins, &mut games);
        }
        movetext.clear();
        set(game.get_or_insert_with(|| Written::at(line)), line, name, &value);
    }
    finish(game, &movetext, begins, &mut games);
    games
}

fn set(game: &mut Written, line: usize, name: &str, text: &str) {
    let value = tags::value(text);
    match name {
        "Event" => game.tags.event = value,
        "Site" => game.tags.site = value,
        "Date" | "UTCDate" => game.tags.date = value.or(game.tags.date.take()),
        "Round" => game.tags.round = value,
        "White" | "Red" | "Blue" | "Sente" => game.tags.first = value,
        "Black" | "Gote" => game.tags.second = value,
        "Variant" => game.variant = value,
        "RuleSet" => game.rules = value,
        "FEN" if !text.trim().is_empty() => {
            // Chinese programs call the side of the first player r.
            let fields: Vec<&str> = text.split_whitespace().collect();
            let fields =
                fields.iter().enumerate().map(|(at, &field)| if at == 1 && field == "r" { "w" } else { field });
            game.start = (line, Start::Text(fields.collect::<Vec<_>>().join(" ")));
        }
        "Result" => {
            game.tags.result = value;
            if let Some(result) = result(text) {
                game.verdict = Verdict::Result(result);
            }
        }
        "Termination" => {
            game.termination = match text {
                "time forfeit" | "rules infraction" | "illegal move" | "stalled connection" | "disconnect" => {
                    Some(Termination::Error)
                }
                "adjudication" => Some(Termination::Adjudicated),
                text => text.parse().ok(),
            }
        }
        _ => {}
    }
}

/// Adds the games of a movetext: one, or several where no tags stand between them.
fn finish(game: Option<Written>, movetext: &str, line: usize, games: &mut Vec<Written>) {
    let mut game = match game {
        Some(game) => game,
        None if movetext.trim().is_empty() => return,
        None => Written::at(line),
    };
    let mut is_over = false;
    for (at, token) in movetext::tokens(movetext, line) {
        if is_over && matches!(token, Token::Move(_)) {
            games.push(std::mem::replace(&mut game, Written::at(at)));
            is_over = false;
        }
        match token {
            Token::Move(text) => game.moves.push((at, plain(text))),
            Token::Result(text) => {
                is_over = true;
                game.tags.result.get_or_insert_with(|| text.to_owned());
                // The tag counts for more, but where it says nothing.
                if let (Verdict::Unknown, Some(result)) = (game.verdict, result(text)) {
                    game.verdict = Verdict::Result(result);
                }
            }
            Token::Open(bracket) => {
                game.refuse(at, Reason::Broken, format!("the {bracket} is not closed before the next game"));
            }
        }
    }
    games.push(game);
}

/// A result in PGN.
pub const fn result_text(result: GameResult) -> &'static str {
    match result {
        GameResult::FirstWins => "1-0",
        GameResult::Draw => "1/2-1/2",
        GameResult::SecondWins => "0-1",
    }
}
