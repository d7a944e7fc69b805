//! One line of a book.

use super::super::Opening;
use rules::{MoveList, Notation, Position, Rules, Variant};

/// Moves of a line, at most.
const MOST_MOVES: usize = 1_000;
/// Characters of a word that a message repeats.
const SHOWN: usize = 32;

/// A line taken apart; its moves are not yet read.
pub(super) struct BookLine<'a, V: Variant> {
    /// Where it begins; `None` for the variant's own start.
    position: Option<Position<V>>,
    /// Its moves.
    moves: Vec<&'a str>,
}

impl<'a, V: Variant> BookLine<'a, V> {
    /// Takes a line apart.
    ///
    /// # Errors
    /// What is wrong, in words: a position that is none, a word where none belongs, a counter without its number, or
    /// more than `MOST_MOVES` moves.
    pub fn read(text: &'a str) -> Result<BookLine<'a, V>, String> {
        let mut segments = segments(text).into_iter();
        let head: Vec<&str> = segments.next().unwrap_or_default().split_whitespace().collect();
        let head = head.strip_prefix(&["position"]).unwrap_or(&head);
        let (fields, rest) = match head.first() {
            Some(&"startpos") => head.split_at(1),
            Some(&"fen") => split_position::<V>(&head[1..])?,
            Some(word) if *word == "sfen" || word.contains('/') => split_position::<V>(head)?,
            _ => head.split_at(0),
        };
        let mut moves = None;
        let mut counters = [None; 2];
        match rest.split_first() {
            None => {}
            Some((&"moves", rest)) => moves = Some(rest.to_vec()),
            Some(_) if fields.is_empty() => moves = Some(rest.to_vec()),
            Some((word, operands)) if is_opcode(word) => operation(word, operands, &mut counters)?,
            Some((word, _)) => {
                return Err(format!(
                    "{:?} after the position; there, `moves` or `;` begins the moves, or an EPD operation follows",
                    shown(word)
                ));
            }
        }
        for segment in segments {
            let words: Vec<&str> = segment.split_whitespace().collect();
            match words.split_first() {
                None => {}
                Some((word, operands)) if is_opcode(word) => operation(word, operands, &mut counters)?,
                Some(_) if moves.is_some() => {
                    return Err(format!("{:?} after the moves, where the line should end", shown(words[0])));
                }
                Some((word, rest)) => moves = Some(if *word == "moves" { rest.to_vec() } else { words }),
            }
        }
        let position = if fields.is_empty() || fields == ["startpos"] {
            None
        } else {
            Some(with_counters(fields, counters)?).filter(|position| *position != Position::start())
        };
        let mut moves = moves.unwrap_or_default();
        moves.retain(|word| !is_number(word));
        if moves.len() > MOST_MOVES {
            return Err(format!("{} moves; at most {MOST_MOVES}", moves.len()));
        }
        Ok(BookLine { position, moves })
    }

    /// Reads the moves.
    ///
    /// # Errors
    /// What is wrong, in words: a move that cannot be read or is not legal, or a game that is over before or after its
    /// last move.
    pub fn opening(&self, notation: &Notation<V>, rules: Rules<V>) -> Result<Opening<V>, String> {
        let mut opening = Opening { position: self.position.clone(), moves: Vec::with_capacity(self.moves.len()) };
        let mut game = opening.game(rules);
        let mut legal = MoveList::new();
        for (ply, word) in self.moves.iter().enumerate() {
            game.legal_moves(&mut legal);
            if let Some(outcome) = game.outcome(&legal) {
                return Err(format!(
                    "the game is over before move {} ({}); shorten the line",
                    ply + 1,
                    outcome.termination
                ));
            }
            let mv = notation.read(game.position(), word).map_err(|error| format!("move {}: {error}", ply + 1))?;
            game.play(mv);
            opening.moves.push(mv);
        }
        game.legal_moves(&mut legal);
        match game.outcome(&legal) {
            Some(outcome) => Err(format!("the game is over ({}); there is nothing to play", outcome.termination)),
            None => Ok(opening),
        }
    }
}

/// The parts between semicolons; one inside quotation marks divides nothing.
fn segments(text: &str) -> Vec<&str> {
    let mut quoted = false;
    text.split(|c| {
        quoted ^= c == '"';
        c == ';' && !quoted
    })
    .collect()
}

/// Divides words after the position they begin with.
fn split_position<'w, 'a, V: Variant>(words: &'w [&'a str]) -> Result<(&'w [&'a str], &'w [&'a str]), String> {
    let (_, count) = super::position::<V>(words)?;
    Ok(words.split_at(count))
}

/// The position of these fields, with counters that EPD gives elsewhere.
fn with_counters<V: Variant>(fields: &[&str], [quiet, number]: [Option<&str>; 2]) -> Result<Position<V>, String> {
    let (position, _) = super::position(fields)?;
    let is_counter = |field: &&&str| field.bytes().all(|byte| byte.is_ascii_digit());
    if (quiet, number) == (None, None) || fields.iter().skip(2).any(|field| is_counter(&field)) {
        return Ok(position);
    }
    let text = format!("{} {} - - {} {}", fields[0], fields[1], quiet.unwrap_or("0"), number.unwrap_or("1"));
    Position::from_fen(&text).map_err(|error| error.to_string())
}

/// Keeps the operands of `hmvc` and `fmvn`, and ignores other operations.
fn operation<'a>(opcode: &str, operands: &[&'a str], counters: &mut [Option<&'a str>; 2]) -> Result<(), String> {
    let counter = match opcode {
        "hmvc" => &mut counters[0],
        "fmvn" => &mut counters[1],
        _ => return Ok(()),
    };
    *counter = Some(operands.first().ok_or_else(|| format!("{opcode} without its number"))?);
    Ok(())
}

/// The opcodes of EPD, and those of perft suites (`D1`, `D2`, …).
fn is_opcode(word: &str) -> bool {
    const OPCODES: &[&str] = &[
        "acd",
        "acn",
        "acs",
        "am",
        "bm",
        "ce",
        "dm",
        "draw_accept",
        "draw_claim",
        "draw_offer",
        "draw_reject",
        "eco",
        "fmvn",
        "hmvc",
        "id",
        "nic",
        "noop",
        "pm",
        "pv",
        "rc",
        "resign",
        "sm",
        "tcgs",
        "tcri",
        "tcsi",
    ];
    let numbered = |first: &str| {
        word.strip_prefix(first).is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    OPCODES.contains(&word) || word.len() <= 3 && ["c", "v", "D"].into_iter().any(numbered)
}

/// A move number: `1.`, `1...`.
fn is_number(word: &str) -> bool {
    let digits = word.trim_end_matches('.');
    digits.len() < word.len() && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn shown(word: &str) -> String {
    word.chars().take(SHOWN).collect()
}
