//! Games as PGN. Moves are in UCI, which is exact in every variant, or in another notation that is exact for the game.

use std::fmt::Write as _;

use rules::{Notation, Side, Variant};

use super::notation::moves_in;
use crate::annotation::Annotation;
use crate::date;
use crate::record::TaggedGame;
use crate::written::result_text;

/// The tag of Kirin that says how many moves at the beginning no player chose.
pub const OPENING_PLIES: &str = "OpeningPlies";

/// Longest line of movetext.
const WIDTH: usize = 80;

/// A game to be written. White is the first player.
#[derive(Clone, Copy, Debug)]
pub struct PgnGame<'a> {
    /// Names and values in their order. Those that PGN requires come first: `Event`, `Site`, `Date`, `Round`, `White`,
    /// `Black`, `Result`.
    pub tags: &'a [(&'a str, String)],
    /// Whether Black makes the first move.
    pub black_begins: bool,
    /// The moves, each with its comments (without braces).
    pub moves: &'a [(&'a str, Vec<String>)],
    /// A comment after the last move; empty for none.
    pub remark: &'a str,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: &'a str,
}

/// Appends a game.
pub fn game(out: &mut String, game: &PgnGame<'_>) {
    for (name, value) in game.tags {
        // A tag is one line, without control characters that a terminal would obey.
        let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace(char::is_control, " ");
        let _ = writeln!(out, "[{name} \"{value}\"]");
    }
    out.push('\n');
    let mut words = Vec::new();
    let offset = usize::from(game.black_begins);
    for (ply, (mv, comments)) in game.moves.iter().enumerate() {
        let number = (ply + offset) / 2 + 1;
        if (ply + offset) % 2 == 0 {
            words.push(format!("{number}."));
        } else if ply == 0 {
            words.push(format!("{number}..."));
        }
        words.push((*mv).to_owned());
        words.extend(comments.iter().map(|comment| braced(comment)));
    }
    if !game.remark.is_empty() {
        words.push(braced(game.remark));
    }
    words.push(game.result.to_owned());
    let mut column = 0;
    for word in words {
        if column + word.chars().count() + 1 > WIDTH {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(&word);
        column += word.chars().count();
    }
    out.push_str("\n\n");
}

/// A comment. A brace inside would end it.
fn braced(comment: &str) -> String {
    format!("{{{}}}", comment.replace(|c: char| "{}".contains(c) || c.is_control(), " "))
}

/// The day as PGN has it, and the time of day if the date has one.
fn day_and_time(date: &str) -> (String, Option<String>) {
    let date = date::with_separator(date, '.');
    match date.split_once(' ') {
        Some((day, time)) => (day.to_owned(), time.contains(':').then(|| time.to_owned())),
        None => (date, None),
    }
}

/// Appends a record, with the tags that PGN requires and `Variant`, `RuleSet`, `FEN` where it does not begin from the
/// variant's own start, `Time`, `WhiteElo`, `BlackElo`, `Opening` and `OpeningPlies` where they are known, `PlyCount`
/// and `Termination`.
pub fn write<V: Variant>(out: &mut String, record: &TaggedGame<V>) {
    write_annotated(out, record, &Notation::UCI, &[]);
}

/// Like [`write()`], with the moves in this notation ([`moves_in`]), the tag `Format` that names it, and what is said
/// about each move; later moves may be without. If the moves are not in UCI, PGN of Xiangqi has what Chinese programs
/// expect: it begins with the tag `Game`, and the first player is `Red`.
pub fn write_annotated<V: Variant>(
    out: &mut String,
    record: &TaggedGame<V>,
    notation: &'static Notation<V>,
    annotations: &[Annotation],
) {
    let known = |text: &Option<String>| text.clone().unwrap_or_else(|| "?".to_owned());
    let result = record.outcome.map_or("*", |outcome| result_text(outcome.result));
    let (tags, start) = (&record.tags, record.game.start_position());
    let (day, time) = tags.date.as_deref().map_or_else(|| (date::text(None), None), day_and_time);
    let (texts, format) = moves_in(&record.game, notation);
    // Programs that expect a notation of the variant may expect these tags too, `Game` before all others.
    let native = V::PGN_GAME.filter(|_| format.is_some());
    let [first, rating] = if native.is_some() { ["Red", "RedElo"] } else { ["White", "WhiteElo"] };
    let mut lines: Vec<(&str, String)> = native.map(|game| ("Game", game.to_owned())).into_iter().collect();
    lines.extend([
        ("Event", known(&tags.event)),
        ("Site", known(&tags.site)),
        ("Date", day),
        ("Round", known(&tags.round)),
        (first, known(&tags.first)),
        ("Black", known(&tags.second)),
        ("Result", result.to_owned()),
        ("Variant", V::ID.to_owned()),
        ("RuleSet", record.game.rules().to_string()),
    ]);
    lines.extend(format.map(|(name, value)| (name, value.to_owned())));
    if let Some(fen) = start.start_fen() {
        lines.extend([("SetUp", "1".to_owned()), ("FEN", fen)]);
    }
    lines.extend(time.map(|time| ("Time", time)));
    let ratings = [(rating, tags.first_rating), ("BlackElo", tags.second_rating)];
    lines.extend(ratings.into_iter().filter_map(|(name, rating)| Some((name, rating?.to_string()))));
    lines.extend(tags.opening.as_ref().map(|opening| ("Opening", opening.clone())));
    lines.extend((tags.opening_plies > 0).then(|| (OPENING_PLIES, tags.opening_plies.to_string())));
    lines.push(("PlyCount", record.game.ply().to_string()));
    lines.extend(record.outcome.map(|outcome| ("Termination", outcome.termination.name().to_owned())));
    let words: Vec<String> = (0..).zip(texts).map(|(at, mv)| with_glyph(mv, annotations.get(at))).collect();
    let comment = |at: usize| {
        let comment = annotations.get(at).map(|annotation| annotation.comment.clone());
        comment.filter(|comment| !comment.is_empty()).into_iter().collect()
    };
    let moves: Vec<(&str, Vec<String>)> = words.iter().enumerate().map(|(at, mv)| (mv.as_str(), comment(at))).collect();
    let black_begins = start.side() == Side::Second;
    game(out, &PgnGame { tags: &lines, black_begins, moves: &moves, remark: "", result });
}

/// A move and its Numeric Annotation Glyph, which stand in one line.
fn with_glyph(mv: String, annotation: Option<&Annotation>) -> String {
    match annotation.and_then(|annotation| annotation.glyph) {
        Some(glyph) => format!("{mv} {glyph}"),
        None => mv,
    }
}
