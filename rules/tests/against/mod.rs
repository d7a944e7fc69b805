//! A variant against a slow reference that shares nothing with the crate: moves, the positions after them, check, and
//! wins in one.

#![allow(dead_code)] // not every variant needs all of it

use rules::{Move, MoveList, Position, Variant};
use std::collections::BTreeMap;

/// Board, hands and side of a FEN.
pub fn without_counters(fen: &str) -> String {
    fen.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

/// Compares a position with what the reference says of it: the position as text, check, and each legal move with the
/// position after it.
pub fn compare<V: Variant>(
    position: &Position<V>,
    text: &str,
    is_check: bool,
    after: impl Iterator<Item = (String, String)>,
) {
    let fen = position.fen();
    assert_eq!(text, without_counters(&fen));
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    let expected: BTreeMap<String, String> = after.collect();
    let found: BTreeMap<String, String> = legal
        .iter()
        .map(|&mv| (position.format_move(mv), without_counters(&position_after(position, mv).fen())))
        .collect();
    assert_eq!(found, expected, "{fen}\n{}", position.draw());
    assert_eq!((legal.len(), position.perft(1)), (expected.len(), expected.len() as u64), "{fen}");
    assert_eq!(position.is_check(), is_check, "{fen}");
    compare_wins(position, &legal);
}

/// Wins in one against trying every move: the first of the list is found, and each by itself, so that no kind of win
/// hides behind another. Returns how many win by mate and by stalemate.
pub fn compare_wins<V: Variant>(position: &Position<V>, legal: &[Move]) -> (usize, usize) {
    let win_of = |moves: &[Move]| position.win_in_one(moves, &mut MoveList::new());
    let (mut mates, mut stalemates) = (0, 0);
    let mut first = None;
    for &mv in legal {
        let next = position_after(position, mv);
        if next.perft(1) == 0 {
            *(if next.is_check() { &mut mates } else { &mut stalemates }) += 1;
            first = first.or(Some(mv));
            assert_eq!(win_of(&[mv]), Some(mv), "{}", position.fen());
        }
    }
    assert_eq!(win_of(legal), first, "{}\n{}", position.fen(), position.draw());
    (mates, stalemates)
}

/// The position after a move.
pub fn position_after<V: Variant>(position: &Position<V>, mv: Move) -> Position<V> {
    let mut next = position.clone();
    next.play(mv);
    next
}

/// The ranks of a board as FEN has them, from the codes on the squares, the top rank first; an empty code is no piece.
pub fn ranks<T: AsRef<str>>(squares: &[T], files: usize) -> String {
    let rank = |codes: &[T]| {
        let row: String =
            codes.iter().map(|code| Some(code.as_ref()).filter(|code| !code.is_empty()).unwrap_or(" ")).collect();
        (1..=files).rev().fold(row, |row, run| row.replace(&" ".repeat(run), &run.to_string()))
    };
    squares.chunks(files).map(rank).collect::<Vec<_>>().join("/")
}
