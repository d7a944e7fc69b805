//! The labels next to a drawn board: each notation counts files and ranks in its own way.

use crate::rulebook::Rulebook;

/// How the files and ranks of a board are labelled. A side of the board whose list is empty has no labels.
///
/// Every list follows the drawing, which the first player sees from below: files from the left, ranks from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coordinates {
    /// Over the files.
    pub above: &'static [&'static str],
    /// Under the files.
    pub below: &'static [&'static str],
    /// To the left of the ranks.
    pub left: &'static [&'static str],
    /// To the right of the ranks.
    pub right: &'static [&'static str],
}

/// The largest board that can be labelled has as many files and ranks as the alphabet has letters.
const MOST: usize = 26;
const LETTERS: &[&str; MOST] = &[
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w",
    "x", "y", "z",
];
const NUMBERS_DOWN: &[&str; MOST] = &[
    "26", "25", "24", "23", "22", "21", "20", "19", "18", "17", "16", "15", "14", "13", "12", "11", "10", "9", "8",
    "7", "6", "5", "4", "3", "2", "1",
];
/// The ranks of UCCI, from the top.
const FROM_ZERO_DOWN: &[&str; 10] = &["9", "8", "7", "6", "5", "4", "3", "2", "1", "0"];

/// 1 to 9.
pub(crate) const DIGITS: &[&str] = &["1", "2", "3", "4", "5", "6", "7", "8", "9"];
/// 9 to 1.
pub(crate) const DIGITS_DOWN: &[&str] = &["9", "8", "7", "6", "5", "4", "3", "2", "1"];
/// a to i.
pub(crate) const NINE_LETTERS: &[&str] = LETTERS.split_at(9).0;

impl Coordinates {
    /// No labels, to be filled in.
    pub(crate) const NONE: Coordinates = Coordinates { above: &[], below: &[], left: &[], right: &[] };

    /// Files a, b, … and ranks 1, 2, … from the first player's left corner: UCI.
    pub(crate) const fn letters_and_numbers<V: Rulebook>() -> Coordinates {
        Coordinates {
            below: LETTERS.split_at(V::FILES).0,
            left: NUMBERS_DOWN.split_at(MOST - V::RANKS).1,
            ..Coordinates::NONE
        }
    }

    /// Files a, b, … and ranks 0, 1, …, on at most ten ranks: UCCI.
    pub(crate) const fn letters_and_digits<V: Rulebook>() -> Coordinates {
        let left = FROM_ZERO_DOWN.split_at(FROM_ZERO_DOWN.len() - V::RANKS).1;
        Coordinates { left, ..Self::letters_and_numbers::<V>() }
    }
}
