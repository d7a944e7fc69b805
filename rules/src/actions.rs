//! Numbers of moves: a fixed table of the moves of a variant, for policies that have one output for each.

use crate::encoded::Encoded;
use crate::moves::Move;
use crate::side::Side;
use crate::square::Square;
use std::marker::PhantomData;

/// The fixed table of a variant's moves, from the point of view of the side to move (as in [`crate::encode`]). It holds
/// a number for each source, destination and promotion that some piece may make on some board, for each drop, and last
/// one for the pass, which is never legal in variants that have none.
///
/// # Examples
/// ```
/// use rules::{Actions, MoveList, Position, Xiangqi};
///
/// let actions = Actions::<Xiangqi>::table().expect("two squares tell the moves of Xiangqi apart");
/// let position = Position::<Xiangqi>::start();
/// let mut legal = MoveList::new();
/// position.legal_moves(&mut legal);
/// let number = actions.number(position.side(), legal[0]);
/// assert!(number < actions.count());
/// assert_eq!(actions.find(position.side(), number, &legal), Some(legal[0]));
/// ```
#[derive(Clone, Debug)]
pub struct Actions<V> {
    /// Of source token, destination and promotion: the number.
    numbers: Vec<u16>,
    /// Of a number but the last: the first player's move.
    moves: Vec<Move>,
    variant: PhantomData<V>,
}

/// No move has this number.
const NONE: u16 = u16::MAX;

impl<V: Encoded> Actions<V> {
    /// The table; `None` in a variant whose moves are not told apart by source, destination and promotion.
    pub fn table() -> Option<Self> {
        if !V::NUMBERED {
            return None;
        }
        let mut table = Actions {
            numbers: vec![NONE; (V::SQUARES + V::HAND_KINDS) * V::SQUARES * 2],
            moves: Vec::new(),
            variant: PhantomData,
        };
        let squares = || (0..V::SQUARES).map(Square::new);
        for from in squares() {
            for to in squares().filter(|&to| to != from && V::may_go(from, to)) {
                table.add(Move::board(from, to));
                if V::may_promote(from, to) {
                    table.add(Move::board(from, to).promoting());
                }
            }
        }
        for slot in 0..V::HAND_KINDS {
            squares().for_each(|to| table.add(Move::drop(slot, to)));
        }
        Some(table)
    }

    fn add(&mut self, mv: Move) {
        self.numbers[Self::place(mv)] = self.moves.len() as u16;
        self.moves.push(mv);
    }

    /// Where the number of the first player's move stands.
    #[inline(always)]
    fn place(mv: Move) -> usize {
        let source = match mv.source_square() {
            Some(square) => square.index(),
            None => V::SQUARES + mv.hand_slot().unwrap_or_default(),
        };
        (source * V::SQUARES + mv.destination().index()) * 2 + usize::from(mv.promotes())
    }

    /// A move as the other player would make it, on the board turned by 180°.
    #[inline(always)]
    fn turned(mv: Move) -> Move {
        let turn = |square: Square| Square::new(V::SQUARES - 1 - square.index());
        let turned = match mv.source_square() {
            Some(source) => Move::board(turn(source), turn(mv.destination())),
            None => Move::drop(mv.hand_slot().unwrap_or_default(), turn(mv.destination())),
        };
        if mv.promotes() { turned.promoting() } else { turned }
    }

    /// How many numbers there are.
    pub fn count(&self) -> usize {
        self.moves.len() + 1
    }

    /// The number of a legal move of `side`.
    #[inline]
    pub fn number(&self, side: Side, mv: Move) -> usize {
        if mv.is_pass() {
            return self.moves.len();
        }
        let seen = if side == Side::First { mv } else { Self::turned(mv) };
        usize::from(self.numbers[Self::place(seen)])
    }

    /// The move of `legal`, the legal moves of `side`, that has this number.
    pub fn find(&self, side: Side, number: usize, legal: &[Move]) -> Option<Move> {
        let Some(&seen) = self.moves.get(number) else {
            return legal.iter().copied().find(|mv| number == self.moves.len() && mv.is_pass());
        };
        let mv = if side == Side::First { seen } else { Self::turned(seen) };
        legal.contains(&mv).then_some(mv)
    }
}
