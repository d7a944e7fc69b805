//! FEN: `board[hands] side - - quiet fullmove`, as Fairy-Stockfish writes it.
//!
//! Board: ranks from the top, `/` between them, numbers for empty squares, `+` before a promoted piece;
//! hands in brackets where the variant has them. On input the fields after the side may be missing
//! (they mean `- - 0 1`), the two dashes may be left out (`[-] w 0 1`), and the hand may be `[-]`, missing, or
//! in any order. In Xiangqi the first player may be `r` (red), as Chinese programs write it.

use crate::key::MAX_IN_HAND;
use crate::notated::Notated;
use crate::position::Position;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;
use std::fmt::Write;

/// What is wrong with a FEN: the field, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("FEN {field}: {problem}")]
pub struct FenError {
    /// The field's name.
    pub field: &'static str,
    /// What is wrong with it.
    pub problem: String,
}

impl FenError {
    pub(crate) fn new(field: &'static str, problem: impl Into<String>) -> FenError {
        FenError { field, problem: problem.into() }
    }
}

/// Longest FEN read: the fullest Kō shogi board takes under 1,500 bytes.
const MAX_LEN: usize = 4096;

/// Reads a position from FEN.
///
/// # Errors
/// A field is missing, malformed, or describes an impossible position.
pub(crate) fn read<V: Notated>(text: &str) -> Result<Position<V>, FenError> {
    if text.len() > MAX_LEN {
        return Err(FenError::new("length", format!("{} bytes; at most {MAX_LEN}", text.len())));
    }
    let fields: Vec<&str> = text.split_whitespace().collect();
    let (&board, rest) = fields.split_first().ok_or_else(|| FenError::new("board", "the text is empty"))?;
    let side = match rest.first() {
        Some(side) if V::FIRST_SIDE.contains(side) => Side::First,
        Some(&"b") => Side::Second,
        Some(other) => return Err(FenError::new("side", format!("{other:?}; expected w or b"))),
        None => return Err(FenError::new("side", "missing; expected w or b after the board")),
    };
    if rest.len() > 5 {
        return Err(FenError::new("length", format!("{} fields; at most 6", rest.len() + 1)));
    }
    let counters_follow = rest.len() == 3 && rest[1].bytes().all(|byte| byte.is_ascii_digit());
    let rest = &if counters_follow { vec![rest[0], "-", "-", rest[1], rest[2]] } else { rest.to_vec() };
    for (at, name) in [(1, "third field"), (2, "fourth field")] {
        if let Some(&other) = rest.get(at).filter(|&&text| text != "-") {
            return Err(FenError::new(name, format!("{other:?}; expected -")));
        }
    }
    let mut position = Position::empty(side);
    let (board, hands) = match board.split_once('[') {
        Some((board, hands)) => (board, Some(hands)),
        None => (board, None),
    };
    read_board(&mut position, board)?;
    read_hands(&mut position, hands)?;
    position.quiet = read_counter(rest.get(3), "halfmove clock", 0)?;
    position.fullmove = read_counter(rest.get(4), "move number", 1)?.max(1);
    position.key = position.fresh_key().0;
    V::validate(&position)?;
    Ok(position)
}

fn read_counter(text: Option<&&str>, field: &'static str, missing: u16) -> Result<u16, FenError> {
    text.map_or(Ok(missing), |text| {
        text.parse().map_err(|_| FenError::new(field, format!("{text:?}; expected a number up to {}", u16::MAX)))
    })
}

fn read_board<V: Notated>(position: &mut Position<V>, board: &str) -> Result<(), FenError> {
    let ranks: Vec<&str> = board.split('/').collect();
    if ranks.len() != V::RANKS {
        return Err(FenError::new("board", format!("{} ranks; expected {}", ranks.len(), V::RANKS)));
    }
    for (from_top, text) in ranks.iter().enumerate() {
        let rank = V::RANKS - 1 - from_top;
        let fault = |problem: String| FenError::new("board", format!("rank {} ({text:?}): {problem}", rank + 1));
        let mut file = 0;
        let mut after_run = false;
        for item in Items::<V>::new(text) {
            let run = matches!(item, Item::Empty(_));
            if run && after_run {
                return Err(fault("two numbers side by side".into()));
            }
            after_run = run;
            match item {
                Item::Empty(count) => file += count,
                Item::Stone(side, kind) => {
                    if file < V::FILES {
                        position.put(side, kind, Square::new(rank * V::FILES + file));
                    }
                    file += 1;
                }
                Item::Unknown(code) => {
                    return Err(fault(format!("unknown piece {code:?}; known: {}", V::CODES.join(" "))));
                }
            }
            if file > V::FILES {
                break;
            }
        }
        if file != V::FILES {
            let amount = if file > V::FILES { "more than".to_owned() } else { format!("{file} of") };
            return Err(fault(format!("{amount} {} files", V::FILES)));
        }
    }
    Ok(())
}

enum Item<'a> {
    Empty(usize),
    Stone(Side, usize),
    Unknown(&'a str),
}

/// Splits a rank (or a hand) into stones and runs of empty squares.
struct Items<'a, V> {
    rest: &'a str,
    variant: std::marker::PhantomData<V>,
}

impl<'a, V: Notated> Items<'a, V> {
    fn new(rest: &'a str) -> Self {
        Items { rest, variant: std::marker::PhantomData }
    }

    /// Length in bytes of the next item.
    fn item_len(&self) -> usize {
        if V::COMMAS {
            return self.rest.find(',').unwrap_or(self.rest.len());
        }
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            return digits;
        }
        let sign = usize::from(self.rest.starts_with('+'));
        sign + self.rest[sign..].chars().next().map_or(0, char::len_utf8)
    }
}

impl<'a, V: Notated> Iterator for Items<'a, V> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let (item, rest) = self.rest.split_at(self.item_len());
        self.rest = rest;
        if let Some(after) = rest.strip_prefix(',').filter(|_| V::COMMAS) {
            if after.is_empty() {
                return Some(Item::Unknown(rest)); // a comma that separates nothing
            }
            self.rest = after;
        }
        if !item.is_empty() && item.bytes().all(|byte| byte.is_ascii_digit()) {
            // A run of 0, or one longer than any rank, is as wrong as a piece that does not exist.
            let run = item.parse().ok().filter(|run| (1..=V::FILES).contains(run));
            return Some(run.map_or(Item::Unknown(item), Item::Empty));
        }
        Some(stone::<V>(item).map_or(Item::Unknown(item), |(side, kind)| Item::Stone(side, kind)))
    }
}

fn stone<V: Notated>(code: &str) -> Option<(Side, usize)> {
    let letters = code.strip_prefix('+').unwrap_or(code);
    let side = if letters.bytes().all(|byte| byte.is_ascii_uppercase()) {
        Side::First
    } else if letters.bytes().all(|byte| byte.is_ascii_lowercase()) {
        Side::Second
    } else {
        return None;
    };
    let upper = code.to_ascii_uppercase();
    let upper = V::ALIASES.iter().find(|(alias, _)| *alias == upper).map_or(upper.as_str(), |(_, code)| code);
    V::CODES.iter().position(|&known| known == upper).map(|kind| (side, kind))
}

fn read_hands<V: Notated>(position: &mut Position<V>, hands: Option<&str>) -> Result<(), FenError> {
    let fault = |problem: String| FenError::new("hands", problem);
    let inner = match hands {
        None => "",
        Some(_) if V::HAND_KINDS == 0 => return Err(fault(format!("{} has no hands", V::ID))),
        Some(hands) => hands.strip_suffix(']').ok_or_else(|| fault("the closing ] is missing".into()))?,
    };
    let inner = if inner == "-" { "" } else { inner };
    for item in Items::<V>::new(inner) {
        let slot = match item {
            Item::Stone(side, kind) => {
                kind.checked_sub(V::HAND_FIRST).filter(|&slot| slot < V::HAND_KINDS).map(|slot| (side, slot))
            }
            _ => None,
        };
        let Some((side, slot)) = slot else {
            return Err(fault(format!("{inner:?} holds what cannot be in hand")));
        };
        let held = position.hand(side)[slot];
        if usize::from(held) == MAX_IN_HAND {
            return Err(too_many(V::CODES[V::HAND_FIRST + slot]));
        }
        position.set_hand(side, slot, held + 1);
    }
    // What stands on the board may be captured: all of a kind must fit into one hand.
    for slot in 0..V::HAND_KINDS {
        let held: usize = Side::BOTH.iter().map(|&side| usize::from(position.hand(side)[slot])).sum();
        let kinds = (0..V::KINDS).filter(|&kind| V::captured_slot(kind) == Some(slot));
        let on_board: usize =
            kinds.map(|kind| Side::BOTH.map(|side| position.pieces_of(side, kind).len()).iter().sum::<usize>()).sum();
        if held + on_board > MAX_IN_HAND {
            return Err(too_many(V::CODES[V::HAND_FIRST + slot]));
        }
    }
    Ok(())
}

fn too_many(code: &str) -> FenError {
    FenError::new("hands", format!("more than {MAX_IN_HAND} {code} on the board and in the hands"))
}

pub(crate) fn write<V: Notated>(position: &Position<V>) -> String {
    let mut text = String::new();
    for rank in (0..V::RANKS).rev() {
        let mut empty = 0;
        let mut items: Vec<String> = Vec::new();
        for file in 0..V::FILES {
            match position.cell(Square::new(rank * V::FILES + file)).piece() {
                None => empty += 1,
                Some((side, kind)) => {
                    if empty > 0 {
                        items.push(empty.to_string());
                        empty = 0;
                    }
                    items.push(code::<V>(side, kind));
                }
            }
        }
        if empty > 0 {
            items.push(empty.to_string());
        }
        text += &items.join(if V::COMMAS { "," } else { "" });
        if rank > 0 {
            text.push('/');
        }
    }
    if V::HAND_KINDS > 0 {
        text.push('[');
        for side in Side::BOTH {
            for &slot in V::HAND_ORDER {
                for _ in 0..position.hand(side)[slot] {
                    text += &code::<V>(side, V::HAND_FIRST + slot);
                }
            }
        }
        text.push(']');
    }
    let _ = write!(text, " {} - - {} {}", position.side.fen_letter(), position.quiet, position.fullmove);
    text
}

fn code<V: Notated>(side: Side, kind: usize) -> String {
    match side {
        Side::First => V::CODES[kind].to_owned(),
        Side::Second => V::CODES[kind].to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Janggi, Position, Xiangqi};

    #[test]
    fn red_moves_first_in_xiangqi_alone() {
        let start = Position::<Xiangqi>::start();
        let red = start.fen().replace(" w ", " r ");
        assert_eq!(Position::from_text(&red), Ok(start));
        let red = Position::<Janggi>::start().fen().replace(" w ", " r ");
        assert!(Position::<Janggi>::from_text(&red).is_err());
    }
}
