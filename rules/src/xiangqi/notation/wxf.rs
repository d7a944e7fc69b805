//! Western notation as the World Xiangqi Federation and Fairy-Stockfish write it: `C2=5`, `H8+7`, `R+-1` (the
//! front chariot one back), `15=4` (the first of several soldiers on file 5). Files 1–9 from the right of the side
//! to move.
//!
//! Three or more of another kind on a file, which no game but a composed position has, get their number between
//! letter and file (`R25=4`): that is ours. Read as well: `.` for `=`, the sign before the letter (`+C=4`), small
//! letters, `B` for `E` and `N` for `H`.

use super::{Direction, Named, Pattern, Place, Rank};
use crate::moves::Move;
use crate::nine_by_ten::kinds::SOLDIER;
use crate::notation::coordinates::{DIGITS, DIGITS_DOWN};
use crate::notation::{Coordinates, Notation};
use crate::piece::Kind;
use crate::position::Position;
use crate::xiangqi::Xiangqi;

pub(super) const WXF: Notation<Xiangqi> = Notation {
    name: "wxf",
    example: "C2=5",
    about: "piece, file, direction, steps or file, from the right of the side to move, as the World Xiangqi Federation writes",
    coordinates: Coordinates { above: DIGITS, below: DIGITS_DOWN, ..Coordinates::NONE },
    write,
    read,
};

/// Letter of each kind.
const LETTERS: [char; 7] = ['K', 'A', 'E', 'H', 'R', 'C', 'P'];

fn write(position: &Position<Xiangqi>, mv: Move) -> String {
    let Some(named) = Named::of(position, mv) else { return String::new() };
    let (letter, file) = (LETTERS[named.kind], named.file);
    // A file of ten points has place for ten of a kind: the last is 0.
    let rank = (named.ahead + 1) % 10;
    let who = if named.file_is_enough(position) {
        format!("{letter}{file}")
    } else if named.alike == 2 && !named.crowded {
        format!("{letter}{}", if named.ahead == 0 { '+' } else { '-' })
    } else if named.kind == SOLDIER {
        format!("{rank}{file}")
    } else {
        format!("{letter}{rank}{file}")
    };
    let direction = match named.direction {
        Direction::Forward => '+',
        Direction::Back => '-',
        Direction::Sideways => '=',
    };
    format!("{who}{direction}{}", named.number)
}

fn read(position: &Position<Xiangqi>, legal: &[Move], text: &str) -> Option<Vec<Move>> {
    Some(pattern(text.as_bytes())?.candidates(position, legal))
}

fn pattern(text: &[u8]) -> Option<Pattern> {
    let (&count, text) = text.split_last()?;
    let (&way, who) = text.split_last()?;
    let direction = match way {
        b'+' => Direction::Forward,
        b'-' => Direction::Back,
        b'=' | b'.' => Direction::Sideways,
        _ => return None,
    };
    let (kind, place) = match *who {
        [letter, sign @ (b'+' | b'-')] | [sign @ (b'+' | b'-'), letter] => {
            (kind(letter)?, Place::Rank(if sign == b'+' { Rank::Front } else { Rank::Rear }, None))
        }
        [rank, file] if rank.is_ascii_digit() => (SOLDIER, Place::Rank(number(rank)?, Some(digit(file)?))),
        [letter, file] => (kind(letter)?, Place::File(digit(file)?)),
        [letter, rank, file] => (kind(letter)?, Place::Rank(number(rank)?, Some(digit(file)?))),
        _ => return None,
    };
    Some(Pattern { kind, place, direction, number: digit(count)? })
}

fn kind(letter: u8) -> Option<Kind> {
    let letter = match letter.to_ascii_uppercase() {
        b'B' => 'E',
        b'N' => 'H',
        other => char::from(other),
    };
    LETTERS.iter().position(|&known| known == letter)
}

fn digit(byte: u8) -> Option<u8> {
    matches!(byte, b'1'..=b'9').then(|| byte - b'0')
}

fn number(byte: u8) -> Option<Rank> {
    let last = (byte == b'0').then_some(10);
    Some(Rank::Number(digit(byte).or(last)?))
}
