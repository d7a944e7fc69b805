//! The board of KIF and CSA: nine files from 9 to 1, nine ranks from the top, and hands. The rules read it as SFEN.

/// A board to be written as SFEN.
#[derive(Clone, Debug)]
pub(crate) struct Diagram {
    /// Ranks from the top, files from 9 to 1. A code of SFEN, upper case for the first player; empty for no piece.
    pub cells: [[String; SIZE]; SIZE],
    /// How many of each of [`HAND`] the first and the second player hold.
    pub hands: [[usize; 7]; 2],
    /// Whether the second player is to move.
    pub second_moves: bool,
}

/// Files and ranks.
pub(crate) const SIZE: usize = 9;
/// Pieces in hand, in the order of SFEN, and how many of each there are in a game.
pub(crate) const HAND: [(char, usize); 7] = [('R', 2), ('B', 2), ('G', 4), ('S', 4), ('N', 4), ('L', 4), ('P', 18)];
/// The start position from the top.
pub(crate) const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";

impl Diagram {
    /// An empty board.
    pub fn empty() -> Diagram {
        Diagram { cells: Default::default(), hands: [[0; 7]; 2], second_moves: false }
    }

    /// The start position.
    pub fn start() -> Diagram {
        Diagram::of_sfen(&format!("{START} b - 1"))
    }

    /// The board of an SFEN that the rules engine has written.
    pub fn of_sfen(sfen: &str) -> Diagram {
        let mut diagram = Diagram::empty();
        let mut fields = sfen.split(' ');
        for (cells, text) in diagram.cells.iter_mut().zip(fields.next().unwrap_or_default().split('/')) {
            let mut cells = cells.iter_mut();
            let mut sign = "";
            for character in text.chars() {
                match (character, character.to_digit(10)) {
                    ('+', _) => sign = "+",
                    (_, Some(run)) => cells.by_ref().take(run as usize).for_each(drop),
                    (letter, None) => {
                        cells.by_ref().take(1).for_each(|cell| *cell = format!("{sign}{letter}"));
                        sign = "";
                    }
                }
            }
        }
        diagram.second_moves = fields.next() == Some("w");
        let mut count = 0;
        for character in fields.next().unwrap_or_default().chars() {
            if let Some(digit) = character.to_digit(10) {
                count = 10 * count + digit as usize;
            } else if let Some(slot) = Diagram::slot(&character.to_string()) {
                diagram.hands[usize::from(character.is_ascii_lowercase())][slot] += count.max(1);
                count = 0;
            }
        }
        diagram
    }

    /// The slot of [`HAND`] for the code of a piece, promoted or not.
    pub fn slot(code: &str) -> Option<usize> {
        let letter = code.trim_start_matches('+').to_ascii_uppercase();
        HAND.iter().position(|(known, _)| *known.to_string() == letter)
    }

    /// Gives a player all pieces that are neither on the board nor in a hand.
    pub fn take_the_rest(&mut self, side: usize) {
        for (slot, (_, all)) in HAND.iter().enumerate() {
            let on_board = self.cells.iter().flatten().filter(|code| Diagram::slot(code) == Some(slot)).count();
            let held = self.hands[0][slot] + self.hands[1][slot];
            self.hands[side][slot] += all.saturating_sub(on_board + held);
        }
    }

    /// The position as SFEN.
    pub fn sfen(&self) -> String {
        let board: Vec<String> = self.cells.iter().map(|cells| fen_rank(cells.iter().cloned())).collect();
        let mut hands = String::new();
        for (side, held) in self.hands.iter().enumerate() {
            for ((letter, _), &count) in HAND.iter().zip(held) {
                let letter = if side == 0 { *letter } else { letter.to_ascii_lowercase() };
                match count {
                    0 => {}
                    1 => hands.push(letter),
                    _ => hands += &format!("{count}{letter}"),
                }
            }
        }
        let hands = if hands.is_empty() { "-" } else { &hands };
        format!("{} {} {hands} 1", board.join("/"), if self.second_moves { 'w' } else { 'b' })
    }
}

/// A rank as FEN and SFEN have it; an empty code is no piece.
pub(crate) fn fen_rank(codes: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    let mut empty = 0;
    for code in codes {
        if code.is_empty() {
            empty += 1;
            continue;
        }
        if empty > 0 {
            text += &std::mem::take(&mut empty).to_string();
        }
        text += &code;
    }
    if empty > 0 { text + &empty.to_string() } else { text }
}
