//! PGN: games of all variants, with tags, comments and variations.
//!
//! The reader takes the main line and the tags `Event`, `Site`, `Date` and `Time` or `UTCDate` and `UTCTime`, `Round`,
//! `White` or `Red`, `Black`, `WhiteElo` or `RedElo`, `BlackElo`, `Variant`, `RuleSet`, `Format` (the notation of the
//! moves), `FEN`, `Opening`, `OpeningPlies` (of Kirin), `Result` and `Termination`. Comments, evaluations (NAGs) and
//! variations are skipped. White is the first player.

pub(crate) mod movetext;
mod notation;
mod write;

pub use crate::written::result_text;
pub(crate) use notation::named_by_tag;
pub use notation::{PgnNotationError, moves_in, notation_named};
pub use write::{OPENING_PLIES, PgnGame, game, write, write_annotated};

use crate::date;
use crate::encoding::plain;
use crate::moves;
use crate::problem::Reason;
use crate::tags::{self, Tags};
use crate::written::{WrittenGame, WrittenGames, WrittenResult, WrittenStart, is_word};
use movetext::Token;
use rules::Termination;

/// A line `[Name "value"]`.
fn tag(line: &str) -> Option<(&str, String)> {
    let inner = line.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
    let (name, rest) = inner.split_once(char::is_whitespace)?;
    let quotes = ['"', '“', '”', '＂'];
    let value = rest.trim().strip_prefix(quotes)?.strip_suffix(quotes)?;
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    let value =
        || if value.contains('\\') { value.replace("\\\"", "\"").replace("\\\\", "\\") } else { value.to_owned() };
    is_name.then(|| (name, value()))
}

pub(crate) fn recognises(text: &str) -> bool {
    let line = text.lines().map(|line| line.trim_start_matches('\u{feff}').trim()).find(|line| !line.is_empty());
    line.is_some_and(|line| tag(line).is_some())
}

/// A tag after movetext begins a game, whatever the movetext has left open: so a broken game does not affect others.
pub(crate) fn read(text: &str) -> Vec<WrittenGame> {
    let mut games = WrittenGames::default();
    let mut game: Option<WrittenGame> = None;
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
        set(game.get_or_insert_with(|| WrittenGame::at(line)), line, name, &value);
    }
    finish(game, &movetext, begins, &mut games);
    games.into()
}

fn set(game: &mut WrittenGame, line: usize, name: &str, text: &str) {
    let value = tags::value(text);
    match name {
        "Event" => game.tags.event = value,
        "Site" => game.tags.site = value,
        "Date" | "UTCDate" => game.tags.date = value.or(game.tags.date.take()),
        "Time" | "UTCTime" => game.tags.date = game.tags.date.take().map(|day| date::with_time(day, text)),
        "Round" => game.tags.round = value,
        "Opening" => game.tags.opening = value,
        OPENING_PLIES => game.tags.opening_plies = text.trim().parse().unwrap_or(0),
        "Red" if game.has_blue => game.tags.second = value,
        "RedElo" if game.has_blue => game.tags.second_rating = tags::rating(text),
        "White" | "Red" | "Sente" => game.tags.first = value,
        "Black" | "Gote" => game.tags.second = value,
        "WhiteElo" | "RedElo" => game.tags.first_rating = tags::rating(text),
        "BlackElo" => game.tags.second_rating = tags::rating(text),
        "Blue" | "BlueElo" => {
            if !std::mem::replace(&mut game.has_blue, true) {
                let Tags { first, first_rating, .. } = &mut game.tags;
                (game.tags.second, game.tags.second_rating) = (first.take(), first_rating.take());
            }
            match name {
                "Blue" => game.tags.first = value,
                _ => game.tags.first_rating = tags::rating(text),
            }
        }
        "Variant" => game.variant = value,
        "RuleSet" => game.rules = value,
        notation::FORMAT => game.notation = value,
        "FEN" if !text.trim().is_empty() => {
            game.start = (line, WrittenStart::Text(text.trim().to_owned()));
        }
        "Result" => {
            game.tags.result = value;
            match moves::verdict(&plain(text)) {
                WrittenResult::Unknown => {}
                verdict => game.verdict = verdict,
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

/// Adds the games of a movetext: one, or several where no tags stand between them. Behind a result only the number of a
/// move begins another game; everything else there is a remark.
fn finish(game: Option<WrittenGame>, movetext: &str, line: usize, games: &mut WrittenGames) {
    let mut game = match game {
        Some(game) => game,
        None if movetext.trim().is_empty() => return,
        None => WrittenGame::at(line),
    };
    let mut is_over = false;
    // The line of the number of a move behind a result, and whether the game in hand began with one.
    let (mut numbered_at, mut is_guess) = (None, false);
    for (at, token) in movetext::tokens(movetext, line) {
        match token {
            Token::Number(_) => numbered_at = is_over.then_some(at),
            Token::Move(_) if is_over && numbered_at.is_none() => {}
            Token::Move(text) => {
                if let Some(line) = numbered_at.take() {
                    add(std::mem::replace(&mut game, WrittenGame::at(line)), is_guess, games);
                    (is_over, is_guess) = (false, true);
                }
                // A move of a plain file takes no memory of its own.
                if text.is_ascii() { game.add_move(at, text) } else { game.add_move(at, plain(text)) }
            }
            Token::Result(_) | Token::Open(_) if is_over => {}
            Token::Result(text) => {
                is_over = true;
                game.tags.result.get_or_insert_with(|| text.to_owned());
                // The tag takes precedence if it names a result.
                if game.verdict == WrittenResult::Unknown {
                    game.verdict = moves::verdict(&plain(text));
                }
            }
            Token::Open(bracket) => {
                game.refuse(at, Reason::Broken, format!("the {bracket} is not closed before the next game"));
            }
        }
    }
    add(game, is_guess, games);
}

/// Adds a game, unless it was only guessed that one begins there and its first word cannot be a move.
fn add(mut game: WrittenGame, is_guess: bool, games: &mut WrittenGames) {
    let is_text = is_guess && game.moves.first().is_some_and(|(_, text)| is_word(text));
    game.drop_last_words();
    games.extend((!is_text).then_some(game));
}
