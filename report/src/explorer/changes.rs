//! Positions as what differs from the position before.

use rules::{Kind, Position, Side, Square, Variant};
use serde::Serialize;

/// What a move changed.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// Squares by index, and what stands there now: the FEN code of a piece, or nothing.
    squares: Vec<(usize, String)>,
    /// What the first and the second player hold now, if that changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    hands: Option<[Hand; 2]>,
}

/// FEN codes in upper case with their numbers, most valuable pieces first.
type Hand = Vec<(&'static str, u8)>;

impl Changes {
    /// A whole position: what differs from an empty board.
    pub fn whole<V: Variant>(position: &Position<V>) -> Changes {
        let squares = (0..V::SQUARES).map(|square| (square, code(position, square)));
        Changes { squares: squares.filter(|(_, code)| !code.is_empty()).collect(), hands: Some(hands(position)) }
    }

    /// What differs between two positions.
    pub fn between<V: Variant>(before: &Position<V>, after: &Position<V>) -> Changes {
        let differs = |&square: &usize| before.cell(Square::new(square)) != after.cell(Square::new(square));
        let squares = (0..V::SQUARES).filter(differs).map(|square| (square, code(after, square)));
        let same_hands = Side::BOTH.iter().all(|&side| before.hand(side) == after.hand(side));
        Changes { squares: squares.collect(), hands: (!same_hands).then(|| hands(after)) }
    }
}

/// A whole position, as scripts show it.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct View {
    /// The FEN code of the piece on each square, by index (rank × files + file); empty without one.
    cells: Vec<String>,
    /// What the first and the second player hold.
    hands: [Hand; 2],
    /// The side to move: 0 for the first player, 1 for the second.
    side: usize,
    /// The move that led here, in UCI.
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<String>,
}

impl View {
    /// The view of a position to which the move `last` led, if one did.
    pub fn of<V: Variant>(position: &Position<V>, last: Option<String>) -> View {
        let cells = (0..V::SQUARES).map(|square| code(position, square)).collect();
        View { cells, hands: hands(position), side: position.side().index(), last }
    }
}

fn code<V: Variant>(position: &Position<V>, square: usize) -> String {
    match position.cell(Square::new(square)).piece() {
        None => String::new(),
        Some((Side::First, kind)) => V::CODES[kind].to_owned(),
        Some((Side::Second, kind)) => V::CODES[kind].to_ascii_lowercase(),
    }
}

fn hands<V: Variant>(position: &Position<V>) -> [Hand; 2] {
    Side::BOTH.map(|side| {
        let held = position.hand(side).iter().enumerate().rev().filter(|&(_, &number)| number > 0);
        held.map(|(slot, &number)| (V::CODES[V::HAND_FIRST + slot as Kind], number)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Wangqi;

    #[test]
    fn a_capture_changes_two_squares_and_a_hand() {
        let before = Position::<Wangqi>::from_fen("4k3/8/8/8/3p4/3P4/8/4K3[] w - - 0 1").unwrap();
        let mut after = before.clone();
        after.play(before.parse_move("d3d4").unwrap());
        let squares = vec![(19, String::new()), (27, "P".to_owned())];
        assert_eq!(Changes::between(&before, &after), Changes { squares, hands: Some([vec![("P", 1)], vec![]]) });
    }

    #[test]
    fn a_quiet_move_leaves_the_hands_alone() {
        let before = Position::<Wangqi>::start();
        let mut after = before.clone();
        after.play(before.parse_move("d3d4").unwrap());
        assert_eq!(Changes::between(&before, &after).hands, None);
        assert_eq!(Changes::whole(&before).squares.len(), 36);
    }
}
