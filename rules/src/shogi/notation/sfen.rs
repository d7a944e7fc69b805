//! SFEN: `board side hands number`, where side `b` is sente (the `w` of FEN), hands are `RBGSNLP` with counts
//! before the letters, and the number counts plies from 1.
//!
//! Also accepted: the word `sfen` before it, a missing number, hands in any order.

use crate::fen::{self, FenError};
use crate::notated::Notated;
use crate::notation::PositionFormat;
use crate::position::Position;
use crate::rulebook::Rulebook;
use crate::shogi::Shogi;
use crate::side::Side;

pub(super) const SFEN: PositionFormat<Shogi> =
    PositionFormat { name: "sfen", about: "board side hands number, as shogi programs write", recognises, write, read };

/// Hand slots in SFEN's order: R B G S N L P.
const HAND_ORDER: [usize; 7] = [6, 5, 4, 3, 2, 1, 0];
/// More of a kind than this is in no hand; the FEN reader has the exact bound.
const MAX_COUNT: usize = 18;
/// Longest SFEN read, in bytes.
const MAX_LEN: usize = 512;

/// A FEN has brackets for the hands, or stops after the side, or has `- -` after it.
fn recognises(text: &str) -> bool {
    let mut fields = text.split_whitespace();
    let board = fields.next().unwrap_or_default();
    let (side, hands, number) = (fields.next(), fields.next(), fields.next());
    board == "sfen" || side.is_some() && !board.contains('[') && hands.is_some() && number != Some("-")
}

fn write(position: &Position<Shogi>) -> String {
    let fen = fen::write(position);
    let board = fen.split('[').next().unwrap_or_default();
    let mut hands = String::new();
    for side in Side::BOTH {
        for slot in HAND_ORDER {
            let count = position.hand(side)[slot];
            let letter = Shogi::CODES[Shogi::HAND_FIRST + slot];
            if count > 1 {
                hands += &count.to_string();
            }
            if count > 0 {
                hands += &if side == Side::First { letter.to_owned() } else { letter.to_ascii_lowercase() };
            }
        }
    }
    let hands = if hands.is_empty() { "-" } else { &hands };
    let side = if position.side == Side::First { 'b' } else { 'w' };
    let number = 2 * u32::from(position.fullmove - 1) + 1 + position.side.index() as u32;
    format!("{board} {side} {hands} {number}")
}

fn read(text: &str) -> Result<Position<Shogi>, FenError> {
    if text.len() > MAX_LEN {
        return Err(FenError::new("length (SFEN)", format!("{} bytes; at most {MAX_LEN}", text.len())));
    }
    let mut fields: Vec<&str> = text.split_whitespace().collect();
    if fields.first() == Some(&"sfen") {
        fields.remove(0);
    }
    let (board, side, hands, number) = match *fields {
        [board, side, hands] => (board, side, hands, "1"),
        [board, side, hands, number] => (board, side, hands, number),
        _ => return Err(FenError::new("length (SFEN)", format!("{} fields; expected 4", fields.len()))),
    };
    if board.contains('[') {
        return Err(FenError::new("board (SFEN)", "a [ in it; hands are a field of their own"));
    }
    let side = match side {
        "b" => 'w',
        "w" => 'b',
        other => return Err(FenError::new("side (SFEN)", format!("{other:?}; expected b or w"))),
    };
    let plies = number.parse().ok().filter(|&plies: &u32| plies < 2 * u32::from(u16::MAX));
    let fault = || FenError::new("move number (SFEN)", format!("{number:?}; expected a number below 131070"));
    let fullmove = plies.ok_or_else(fault)?.div_ceil(2).max(1);
    fen::read(&format!("{board}[{}] {side} - - 0 {fullmove}", expanded(hands)?))
}

/// Hands with every piece written out, as FEN has them.
fn expanded(hands: &str) -> Result<String, FenError> {
    let fault = |problem: String| FenError::new("hands (SFEN)", problem);
    let mut pieces = String::new();
    let mut rest = if hands == "-" { "" } else { hands };
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = rest.split_at(digits);
        let count = if digits == 0 { Some(1) } else { number.parse().ok() };
        let count = count.filter(|count| (1..=MAX_COUNT).contains(count));
        let count = count.ok_or_else(|| fault(format!("count {number}; expected 1 to {MAX_COUNT}")))?;
        let letter = after.chars().next().ok_or_else(|| fault(format!("{hands:?} ends with a count")))?;
        pieces.extend(std::iter::repeat_n(letter, count));
        rest = &after[letter.len_utf8()..];
    }
    Ok(pieces)
}
