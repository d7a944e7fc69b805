//! A position: board, hands, side to move, counters. No history; see [`crate::Game`] for that.

use crate::fen::{self, FenError};
use crate::key::{Key, MAX_IN_HAND};
use crate::moves::{Move, MoveList};
use crate::notated::Notated;
use crate::notation::{Notation, PositionFormat};
use crate::piece::{Cell, Kind};
use crate::piece_index::PieceIndex;
use crate::rulebook::Rulebook;
use crate::ruleset::Rules;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;
use crate::text::MoveError;

/// A position of variant `V`. Copying it is cheap (a few hundred bytes), so play is by copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position<V: Rulebook> {
    pub(crate) cells: V::Cells,
    pub(crate) sides: [V::Set; 2],
    pub(crate) kinds: V::KindSets,
    pub(crate) hands: [V::Hand; 2],
    pub(crate) side: Side,
    pub(crate) quiet: u16,
    pub(crate) fullmove: u16,
    pub(crate) key: u128,
    pub(crate) extra: V::Extra,
}

impl<V: Notated> Position<V> {
    /// The start position of the variant.
    ///
    /// # Panics
    /// Never for a variant whose `START` is a valid FEN, which the contract test checks.
    pub fn start() -> Self {
        Self::from_fen(V::START).expect("the start FEN is valid")
    }

    /// Reads a FEN: `board[hands] side - - quiet fullmove`. Fields after the side may be missing; they mean
    /// `- - 0 1`.
    ///
    /// # Errors
    /// The field that is wrong and why.
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        fen::read(text)
    }

    /// Reads a position in whichever of the variant's formats the text is written in
    /// ([`Notated::POSITION_FORMATS`]).
    ///
    /// # Errors
    /// The field that is wrong and why.
    pub fn from_text(text: &str) -> Result<Self, FenError> {
        PositionFormat::of(text).read(text)
    }

    /// The FEN, as Fairy-Stockfish writes it.
    pub fn fen(&self) -> String {
        fen::write(self)
    }

    /// How a record of a game writes the position that the game began from: its FEN, or `None` for the variant's own
    /// start.
    pub fn start_fen(&self) -> Option<String> {
        (*self != Self::start()).then(|| self.fen())
    }

    /// Reads a start position as [`start_fen`](Self::start_fen) writes it.
    ///
    /// # Errors
    /// The field of the FEN that is wrong and why.
    pub fn from_start_fen(fen: Option<&str>) -> Result<Self, FenError> {
        fen.map_or_else(|| Ok(Self::start()), Self::from_fen)
    }

    /// Reads a move in UCI notation.
    ///
    /// # Errors
    /// The text is no move, or the move is not legal here.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        Notation::UCI.read(self, text)
    }

    /// UCI text of a legal move.
    pub fn format_move(&self, mv: Move) -> String {
        V::move_text(self, mv)
    }

    /// The board drawn with native characters and UCI's coordinates; [`Notation::draw`] has the other notations'.
    pub fn draw(&self) -> String {
        Notation::UCI.draw(self)
    }
}

impl<V: Rulebook> Position<V> {
    /// An empty board with `side` to move.
    pub(crate) fn empty(side: Side) -> Self {
        let mut position = Position {
            cells: V::NO_CELLS,
            sides: [V::Set::EMPTY; 2],
            kinds: V::NO_KINDS,
            hands: [V::NO_HAND; 2],
            side,
            quiet: 0,
            fullmove: 1,
            key: 0,
            extra: V::Extra::default(),
        };
        position.key = position.fresh_key().0;
        position
    }

    /// The position as a game by these rules has it. Legal moves differ in a few rule sets; without a game they are
    /// those of the variant's default. The position stays equal to what it was.
    ///
    /// ```
    /// use rules::{Janggi, Position, Rules};
    ///
    /// // The generals face each other.
    /// let facing = Position::<Janggi>::from_fen("4k4/9/9/9/R8/9/9/9/4K4/9 w - - 0 1")?;
    /// assert!(facing.parse_move("a6a7").is_err());
    /// assert!(facing.under(&Rules::named("kakao")?).parse_move("a6a7").is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn under(mut self, rules: &Rules<V>) -> Self {
        V::adopt(&mut self, rules.preset());
        self
    }

    /// The position as if its last move had been irreversible.
    #[must_use]
    pub fn without_quiet_plies(self) -> Self {
        Position { quiet: 0, ..self }
    }

    /// The side to move.
    #[inline(always)]
    pub fn side(&self) -> Side {
        self.side
    }

    /// Plies since the last irreversible move (the FEN's fifth field; each variant says what resets it).
    #[inline(always)]
    pub fn quiet_plies(&self) -> u32 {
        u32::from(self.quiet)
    }

    /// The key: board, hands and side to move. Counters are not in it.
    #[inline(always)]
    pub fn key(&self) -> Key {
        Key(self.key)
    }

    /// What stands on a square.
    #[inline(always)]
    pub fn cell(&self, square: Square) -> Cell {
        self.cells.as_ref()[square.index()]
    }

    /// All pieces of a side.
    #[inline(always)]
    pub fn pieces(&self, side: Side) -> V::Set {
        self.sides[side.index()]
    }

    /// All pieces of one kind of a side.
    #[inline(always)]
    pub fn pieces_of(&self, side: Side, kind: Kind) -> V::Set {
        self.kinds.pieces_of(self.cells.as_ref(), &self.sides, side, kind)
    }

    /// All pieces of both sides.
    #[inline(always)]
    pub fn occupied(&self) -> V::Set {
        self.sides[0] | self.sides[1]
    }

    /// Pieces in hand: hand slot to count.
    #[inline(always)]
    pub fn hand(&self, side: Side) -> &[u8] {
        self.hands[side.index()].as_ref()
    }

    /// Whether the side to move is in check.
    #[inline(always)]
    pub fn is_check(&self) -> bool {
        V::is_check(self)
    }

    /// The legal moves of the side to move, into `moves`, which is cleared first.
    #[inline]
    pub fn legal_moves(&self, moves: &mut MoveList) {
        moves.clear();
        V::generate(self, moves);
    }

    /// Whether a move code is a legal move here.
    pub fn is_legal(&self, mv: Move) -> bool {
        V::is_legal(self, mv, &mut MoveList::default())
    }

    /// Like [`is_legal`](Self::is_legal), for many moves: `scratch` is overwritten, in place of a new list for each.
    pub fn is_legal_with(&self, mv: Move, scratch: &mut MoveList) -> bool {
        V::is_legal(self, mv, scratch)
    }

    /// Plays a move, which must be legal here.
    #[inline]
    pub fn play(&mut self, mv: Move) {
        let irreversible = V::apply(self, mv);
        self.quiet = if irreversible { 0 } else { self.quiet.saturating_add(1) };
        self.fullmove = self.fullmove.saturating_add(self.side.index() as u16);
        self.side = self.side.other();
        self.key ^= V::keys()[Self::side_key()];
    }

    /// A move of `legal` that wins immediately by the rules of the position alone (mate, stalemate,
    /// capture of the commanders), or `None`. `scratch` is overwritten.
    pub fn win_in_one(&self, legal: &[Move], scratch: &mut MoveList) -> Option<Move> {
        V::win_in_one(self, legal, scratch)
    }

    /// The key computed from the board, to check the incremental one against.
    pub fn fresh_key(&self) -> Key {
        let keys = V::keys();
        let mut key = if self.side == Side::Second { keys[Self::side_key()] } else { 0 };
        for (square, cell) in self.cells.as_ref().iter().enumerate() {
            if let Some((side, kind)) = cell.piece() {
                key ^= keys[Self::piece_key(side, kind, Square::new(square))];
            }
        }
        for side in Side::BOTH {
            for (slot, &count) in self.hand(side).iter().enumerate() {
                key ^= keys[Self::hand_key(side, slot, count)];
            }
        }
        Key(key)
    }

    #[inline(always)]
    const fn piece_key(side: Side, kind: Kind, square: Square) -> usize {
        (side.index() * V::KINDS + kind) * V::SQUARES + square.index()
    }

    #[inline(always)]
    const fn hand_key(side: Side, slot: usize, count: u8) -> usize {
        V::SQUARES * V::KINDS * 2 + (side.index() * V::HAND_KINDS + slot) * (MAX_IN_HAND + 1) + count as usize
    }

    #[inline(always)]
    const fn side_key() -> usize {
        V::SQUARES * V::KINDS * 2 + 2 * V::HAND_KINDS * (MAX_IN_HAND + 1)
    }

    /// Puts a piece on an empty square.
    #[inline(always)]
    pub(crate) fn put(&mut self, side: Side, kind: Kind, square: Square) {
        self.cells.as_mut()[square.index()] = Cell::new(side, kind);
        self.kinds.put(side, kind, square);
        self.toggle(side, kind, square);
    }

    /// Takes the piece away from an occupied square and returns it.
    #[inline(always)]
    pub(crate) fn take(&mut self, square: Square) -> (Side, Kind) {
        let cell = std::mem::take(&mut self.cells.as_mut()[square.index()]);
        let (side, kind) = (cell.side(), cell.kind());
        self.kinds.take(side, kind, square);
        self.toggle(side, kind, square);
        (side, kind)
    }

    #[inline(always)]
    fn toggle(&mut self, side: Side, kind: Kind, square: Square) {
        self.sides[side.index()] ^= V::Set::of(square);
        self.key ^= V::keys()[Self::piece_key(side, kind, square)];
    }

    /// Sets the number of pieces in a hand slot.
    #[inline(always)]
    pub(crate) fn set_hand(&mut self, side: Side, slot: usize, count: u8) {
        let keys = V::keys();
        let hand = &mut self.hands[side.index()].as_mut()[slot];
        self.key ^= keys[Self::hand_key(side, slot, *hand)] ^ keys[Self::hand_key(side, slot, count)];
        *hand = count;
    }

    /// A move as most variants know it: a drop, or one piece from source to destination, taking what
    /// stands there (into the hand where the variant has hands), perhaps promoting.
    /// Irreversible: captures, promotions and drops.
    #[inline(always)]
    pub(crate) fn apply_ordinary(&mut self, mv: Move) -> bool {
        let us = self.side;
        let destination = mv.destination();
        let Some(source) = mv.source_square() else {
            let slot = mv.hand_slot().unwrap_or_default();
            let left = self.hands[us.index()].as_ref()[slot] - 1;
            self.set_hand(us, slot, left);
            self.put(us, V::HAND_FIRST + slot, destination);
            return true;
        };
        if source == destination {
            return false; // a pass
        }
        let captures = !self.cell(destination).is_empty();
        if captures {
            let (_, taken) = self.take(destination);
            if let Some(slot) = V::captured_slot(taken) {
                let held = self.hands[us.index()].as_ref()[slot] + 1;
                self.set_hand(us, slot, held);
            }
        }
        let (_, kind) = self.take(source);
        let kind = if mv.promotes() { V::promoted(kind) } else { kind };
        self.put(us, kind, destination);
        captures || mv.promotes()
    }
}
