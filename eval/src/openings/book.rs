//! Books of openings: text files with a position, or a line of moves, on each line, and books of other programs
//! ([`records::book`]). A book of another program has positions and their moves; each position in which it ends is an
//! opening, with the shortest line to it.
//!
//! | a line | is |
//! |---|---|
//! | `startpos moves h3e3 h8e8` | moves from the start position |
//! | `h3e3 h8e8`, `1. h3e3 h8e8` | the same |
//! | `4k4/9/9/9/9/9/9/9/9/R2K5 w - - 0 1` | a position: FEN, or a native format such as SFEN |
//! | `FEN moves a1a2`, `FEN ; a1a2` | moves from a position |
//! | `4k4/9/9/9/9/9/9/9/9/R2K5 w - - bm a1a2; id "x";` | EPD: counters may be missing, operations are passed over except `hmvc` and `fmvn`, which are the counters |
//! | `# …`, an empty line | nothing |
//!
//! The moves of a book are in one notation, which is found out by trying: UCI if all of them can be read in it, else
//! the first of the variant's notations in which they can.

use super::Opening;
use crate::error::MatchError;
use records::book::{self, BookError, obk, yaneuraou};
use rules::{Key, Notation, Position, Rules, Variant};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

mod line;

use line::BookLine;

/// Bytes of a book and of a line, at most.
const MOST_BYTES: u64 = 256 << 20;
const MOST_LINE_BYTES: usize = 64 << 10;
/// Bad lines named in a message, and lines named that repeat another.
const MOST_COMPLAINTS: usize = 20;
const MOST_REPEATS: usize = 5;

/// The openings of a book.
#[derive(Clone, Debug, PartialEq)]
pub struct Book<V: Variant> {
    /// In the order of the lines; no two lead to the same position.
    pub openings: Vec<Opening<V>>,
    /// Which lines were left out.
    pub notes: Vec<String>,
}

/// Reads a book.
///
/// # Errors
/// The file cannot be read, or some lines make no sense, each of which is named.
pub fn read<V: Variant>(path: &Path, rules: Rules<V>) -> Result<Book<V>, MatchError> {
    let name = path.display();
    let bytes = data::bounded::read_named(path, MOST_BYTES).map_err(|source| match source.kind() {
        std::io::ErrorKind::FileTooLarge => {
            MatchError::Config(vec![format!("{name}: more than {MOST_BYTES} bytes; split the book")])
        }
        _ => MatchError::Read { path: path.to_owned(), source },
    })?;
    let named = |texts: Vec<String>| texts.into_iter().map(|text| format!("{name}, {text}")).collect();
    let has_ending = |ending| path.extension().is_some_and(|of_file| of_file.eq_ignore_ascii_case(ending));
    let book = if has_ending("obk") {
        of_program(obk::read(&bytes, rules), rules)
    } else if has_ending("db") && !obk::recognises(&bytes) {
        text(&bytes).and_then(|text| of_program(yaneuraou::read(text, rules), rules))
    } else {
        of_bytes(&bytes, rules)
    };
    let book = book.map_err(|complaints| MatchError::Config(named(complaints)))?;
    Ok(Book { notes: named(book.notes), ..book })
}

/// Reads a book, whose format its contents show.
///
/// # Errors
/// Some lines or rows make no sense, each of which is named, up to a number.
pub fn of_bytes<V: Variant>(bytes: &[u8], rules: Rules<V>) -> Result<Book<V>, Vec<String>> {
    if obk::recognises(bytes) {
        return of_program(obk::read(bytes, rules), rules);
    }
    let text = text(bytes)?;
    if yaneuraou::recognises(text) { of_program(yaneuraou::read(text, rules), rules) } else { parse(text, rules) }
}

fn text(bytes: &[u8]) -> Result<&str, Vec<String>> {
    std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count();
        vec![format!("line {line}: not UTF-8; save the book as UTF-8 text")]
    })
}

/// The openings of a book of another program.
fn of_program<V: Variant>(
    read: Result<Vec<book::BookLine<V>>, BookError>,
    rules: Rules<V>,
) -> Result<Book<V>, Vec<String>> {
    let lines = read.map_err(|error| vec![error.to_string()])?;
    let all = lines.len();
    let opening = |line: book::BookLine<V>| Opening::unfinished(line.start, line.moves, rules);
    let openings: Vec<Opening<V>> = lines.into_iter().filter_map(opening).collect();
    if openings.is_empty() {
        return Err(vec!["there is no opening in the book".to_owned()]);
    }
    let over = all - openings.len();
    let notes = (over > 0).then(|| format!("{over} of its {all} lines end the game and are left out"));
    Ok(Book { openings, notes: notes.into_iter().collect() })
}

/// Reads the text of a book.
///
/// ```
/// use rules::{Rules, Xiangqi};
///
/// let text = "# two cannons\nstartpos moves h3e3 h8e8\n4k4/9/9/9/9/9/9/9/9/R2K5 w - - id \"chariot\";\n";
/// let book = eval::openings::book::parse::<Xiangqi>(text, Rules::default())?;
/// assert_eq!((book.openings[0].moves.len(), book.openings[1].moves.len()), (2, 0));
/// # Ok::<(), Vec<String>>(())
/// ```
///
/// # Errors
/// One message for each bad line, up to a number.
pub fn parse<V: Variant>(text: &str, rules: Rules<V>) -> Result<Book<V>, Vec<String>> {
    let mut complaints = Vec::new();
    let mut lines = Vec::new();
    for (index, text) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let number = index + 1;
        if text.len() > MOST_LINE_BYTES {
            complaints.push((number, format!("{} bytes long; at most {MOST_LINE_BYTES}", text.len())));
            continue;
        }
        match BookLine::<V>::read(text) {
            Ok(line) => lines.push((number, line)),
            Err(reason) => complaints.push((number, reason)),
        }
    }
    if lines.is_empty() && complaints.is_empty() {
        return Err(vec!["line 1: there is no opening in the book".to_owned()]);
    }
    let (notation, readings) = read_moves(&lines, rules);
    let mut openings = Vec::with_capacity(lines.len());
    for ((number, _), reading) in lines.iter().zip(readings) {
        match reading {
            Ok(opening) => openings.push((*number, opening)),
            Err(reason) if notation.name == Notation::<V>::UCI.name => complaints.push((*number, reason)),
            Err(reason) => complaints.push((*number, format!("{reason} (read as {}, like most lines)", notation.name))),
        }
    }
    if complaints.is_empty() { Ok(without_repeats(openings)) } else { Err(in_order(complaints)) }
}

/// Reads the moves of all lines in the notation that suits most of them, UCI before others.
fn read_moves<V: Variant>(
    lines: &[(usize, BookLine<V>)],
    rules: Rules<V>,
) -> (&'static Notation<V>, Vec<Result<Opening<V>, String>>) {
    let in_notation = |notation: &'static Notation<V>| -> (usize, Vec<_>) {
        let readings: Vec<_> = lines.iter().map(|(_, line)| line.opening(notation, rules)).collect();
        (readings.iter().filter(|reading| reading.is_err()).count(), readings)
    };
    let mut best = (const { &Notation::<V>::UCI }, in_notation(const { &Notation::<V>::UCI }));
    for notation in V::NOTATIONS.iter().filter(|notation| notation.name != Notation::<V>::UCI.name) {
        if best.1.0 == 0 {
            break;
        }
        let found = in_notation(notation);
        if found.0 < best.1.0 {
            best = (notation, found);
        }
    }
    (best.0, best.1.1)
}

/// The messages in the order of the lines.
fn in_order(mut complaints: Vec<(usize, String)>) -> Vec<String> {
    complaints.sort_by_key(|&(number, _)| number);
    let more = complaints.len().saturating_sub(MOST_COMPLAINTS);
    let mut out: Vec<String> = complaints
        .into_iter()
        .take(MOST_COMPLAINTS)
        .map(|(number, reason)| format!("line {number}: {reason}"))
        .collect();
    if more > 0 {
        out.push(format!("and {more} more bad lines"));
    }
    out
}

/// Leaves out openings whose last position an earlier one has: their games would be played twice.
fn without_repeats<V: Variant>(numbered: Vec<(usize, Opening<V>)>) -> Book<V> {
    let mut first: HashMap<Key, usize> = HashMap::new();
    let mut openings = Vec::with_capacity(numbered.len());
    let mut repeats = Vec::new();
    for (number, opening) in numbered {
        match first.entry(opening.end().key()) {
            Entry::Vacant(place) => {
                place.insert(number);
                openings.push(opening);
            }
            Entry::Occupied(place) => repeats.push((number, *place.get())),
        }
    }
    let mut notes = Vec::new();
    if let Some((number, earlier)) = repeats.first() {
        let others: Vec<String> = repeats[1..]
            .iter()
            .take(MOST_REPEATS - 1)
            .map(|(number, earlier)| format!("{number} (as {earlier})"))
            .collect();
        let more = repeats.len().saturating_sub(MOST_REPEATS);
        let mut text = format!("line {number} leads to the same position as line {earlier}");
        if !others.is_empty() {
            text += &format!(", so do lines {}", others.join(", "));
        }
        if more > 0 {
            text += &format!(" and {more} more");
        }
        notes.push(text + ": each position is played once");
    }
    Book { openings, notes }
}

/// The position at the beginning of a list of words, and how many of them it takes: the longest that is one.
fn position<V: Variant>(words: &[&str]) -> Result<(Position<V>, usize), String> {
    /// Fields of the longest format, with its name before it.
    const MOST_FIELDS: usize = 7;
    let most = words.len().min(MOST_FIELDS);
    let found = (1..=most).rev().find_map(|count| Some((Position::from_text(&words[..count].join(" ")).ok()?, count)));
    found.ok_or_else(|| {
        // The message is about the words that look like the fields of a position.
        let is_field = |word: &&&str| **word == "-" || word.bytes().all(|byte| byte.is_ascii_digit());
        let count = 2 + words.iter().skip(2).take_while(is_field).count();
        match Position::<V>::from_text(&words[..count.min(words.len())].join(" ")) {
            Err(error) => error.to_string(),
            Ok(_) => "no position".to_owned(),
        }
    })
}
