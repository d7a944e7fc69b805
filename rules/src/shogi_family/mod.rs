//! What the games of the shogi family share: drops, promotion, pawns that may not be doubled, and with
//! them one move generator. A game gives its geometry ([`Board`]) and its lists of kinds ([`Family`]);
//! nothing here names a game.

mod attacks;
mod drop_mate;
mod encoding;
mod ends;
mod generate;
pub(crate) mod geometry;
mod setup;
mod sinks;
mod win;

pub(crate) use ends::repetition;
pub(crate) use generate::{count, generate, is_check};
pub(crate) use setup::validate;
pub(crate) use win::win_in_one;

use crate::piece::Kind;
use crate::rulebook::Rulebook;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;

/// The hooks that every game of the family has in common, for its `impl Rulebook`; `PROMOTED` is the face each kind
/// turns to, itself where it has none.
macro_rules! shared_rules {
    ($variant:ty, Set = $set:ty, PROMOTED = $promoted:ident) => {
        const HAND_KINDS: usize = crate::shogi_family::HAND_KINDS;
        const HAND_FIRST: Kind = crate::shogi_family::PAWN;

        crate::rulebook::storage!($variant, Set = $set);

        fn generate(position: &Position<Self>, moves: &mut MoveList) {
            crate::shogi_family::generate(position, moves);
        }

        fn count(position: &Position<Self>, _scratch: &mut MoveList) -> usize {
            crate::shogi_family::count(position)
        }

        fn is_check(position: &Position<Self>) -> bool {
            crate::shogi_family::is_check(position)
        }

        #[inline(always)]
        fn promoted(kind: Kind) -> Kind {
            $promoted[kind]
        }

        #[inline(always)]
        fn captured_slot(kind: Kind) -> Option<usize> {
            const SLOTS: [Option<usize>; $promoted.len()] = crate::shogi_family::captured_slots($promoted);
            SLOTS[kind]
        }

        fn validate(position: &Position<Self>) -> Result<(), FenError> {
            crate::shogi_family::validate(position)
        }

        fn win_in_one(position: &Position<Self>, legal: &[Move], _scratch: &mut MoveList) -> Option<Move> {
            crate::shogi_family::win_in_one(position, legal)
        }
    };
}

pub(crate) use shared_rules;

/// Kinds that can be held in hand: pawn to the seventh after it.
pub(crate) const HAND_KINDS: usize = 7;

/// The hand slot of each kind when captured, whichever face it shows.
pub(crate) const fn captured_slots<const KINDS: usize>(promoted: [Kind; KINDS]) -> [Option<usize>; KINDS] {
    let mut slots = [None; KINDS];
    let mut slot = 0;
    while slot < HAND_KINDS {
        slots[PAWN + slot] = Some(slot);
        slots[promoted[PAWN + slot]] = Some(slot);
        slot += 1;
    }
    slots
}

/// The king's kind.
pub(crate) const KING: Kind = 0;
/// The unpromoted pawn's kind.
pub(crate) const PAWN: Kind = 1;
/// The unpromoted lance's kind.
pub(crate) const LANCE: Kind = 2;
/// The unpromoted knight's kind.
pub(crate) const KNIGHT: Kind = 3;
/// The unpromoted silver's kind.
pub(crate) const SILVER: Kind = 4;

/// The geometry of a game's board.
pub(crate) trait Board: Rulebook {
    /// Every square.
    const BOARD: Self::Set;

    /// The set one rank forward for `side`.
    fn forward(side: Side, set: Self::Set) -> Self::Set;
    /// The left and right neighbours of the squares of a set.
    fn sideways(set: Self::Set) -> Self::Set;
    /// All squares of the files on which the set has a square.
    fn files(set: Self::Set) -> Self::Set;
    /// Steps of a gold of `side`.
    fn gold(side: Side, from: Square) -> Self::Set;
    /// Steps of a silver of `side`.
    fn silver(side: Side, from: Square) -> Self::Set;
    /// Leaps of a (forward) knight of `side`.
    fn knight(side: Side, from: Square) -> Self::Set;
    /// Steps of a king.
    fn king(from: Square) -> Self::Set;
    /// Leaps of a chess knight.
    fn leaps(from: Square) -> Self::Set;
    /// Squares a lance of `side` attacks, own and enemy blockers included.
    fn lance(side: Side, from: Square, occupied: Self::Set) -> Self::Set;
    /// Squares a bishop attacks.
    fn bishop(from: Square, occupied: Self::Set) -> Self::Set;
    /// Squares a rook attacks.
    fn rook(from: Square, occupied: Self::Set) -> Self::Set;
    /// The diagonal lines through a square.
    fn diagonals(from: Square) -> Self::Set;
    /// The file and the rank of a square.
    fn orthogonals(from: Square) -> Self::Set;
    /// The diagonal lines through the neighbours of a square.
    fn near_diagonals(from: Square) -> Self::Set;
    /// The files and the ranks of the neighbours of a square.
    fn near_orthogonals(from: Square) -> Self::Set;
    /// Squares strictly between two squares of one line; empty if they are on none.
    fn between(a: Square, b: Square) -> Self::Set;
}

/// A game of the family: kinds 0–4 are king, pawn, lance, knight, silver; every other kind moves as the
/// lists say, and its moves are the union of the lists it is in.
pub(crate) trait Family: Board + Rulebook<KindSets: AsRef<[<Self as Rulebook>::Set]>> {
    /// Kinds that move as a gold.
    const GOLDS: &'static [Kind];
    /// Kinds that slide diagonally.
    const DIAGONALS: &'static [Kind];
    /// Kinds that slide along files and ranks. No kind slides both ways.
    const ORTHOGONALS: &'static [Kind];
    /// Kinds with the eight steps of a king, the king among them.
    const STEPPERS: &'static [Kind];
    /// Kinds with the eight leaps of a chess knight.
    const LEAPERS: &'static [Kind];
    /// Whether a move that touches the zone may also not promote, unless the piece could never move again;
    /// otherwise it has to promote.
    const PROMOTION_BY_CHOICE: bool;
    /// Whether a dropped pawn may mate (打ち歩詰め).
    const PAWN_DROP_MAY_MATE: bool;

    /// The promotion zone of each side.
    const ZONES: [Self::Set; 2];
    /// The rank furthest from each side.
    const LAST_RANK: [Self::Set; 2];
    /// The two ranks furthest from each side.
    const LAST_TWO_RANKS: [Self::Set; 2];

    /// The promotion zone of `side`.
    #[inline(always)]
    fn zone(side: Side) -> Self::Set {
        Self::ZONES[side.index()]
    }

    /// Squares on which an unpromoted piece of this kind could never move again.
    #[inline(always)]
    fn dead(side: Side, kind: Kind) -> Self::Set {
        match kind {
            PAWN | LANCE => Self::LAST_RANK[side.index()],
            KNIGHT => Self::LAST_TWO_RANKS[side.index()],
            _ => Self::Set::EMPTY,
        }
    }
}
