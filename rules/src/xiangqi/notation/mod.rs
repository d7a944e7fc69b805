//! How Xiangqi is written, its own notations among them: Chinese (炮二平五) and Western (WXF, C2=5). Both name a piece
//! by its file or, where several of a kind share a file, by its rank among them, and then its step. [`Named`] is a move
//! as both name it, [`Pattern`] is what a text says of one.

mod chinese;
mod wxf;

use super::Xiangqi;
use crate::moves::{Move, MoveList};
use crate::nine_by_ten::PALACES;
use crate::nine_by_ten::kinds::{ALIASES, CODES, ELEPHANT, GUARD, HORSES};
use crate::notated::Notated;
use crate::notation::{Notation, ucci};
use crate::piece::Kind;
use crate::position::Position;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;

impl Notated for Xiangqi {
    const TITLE: &'static str = "Xiangqi 象棋";
    const CODES: &'static [&'static str] = CODES;
    const ALIASES: &'static [(&'static str, &'static str)] = ALIASES;
    const GLYPHS: &'static [[&'static str; 2]] =
        &[["帥", "將"], ["仕", "士"], ["相", "象"], ["傌", "馬"], ["俥", "車"], ["炮", "砲"], ["兵", "卒"]];
    const PGN_GAME: Option<&'static str> = Some("Chinese Chess");
    const FIRST_SIDE: &'static [&'static str] = &["w", "r"]; // 紅
    const NOTATIONS: &'static [Notation<Self>] = &[Notation::UCI, ucci::ucci(), chinese::CHINESE, wxf::WXF];
    /// The palaces.
    const MARKED_SQUARES: u128 = PALACES[0] | PALACES[1];
}

/// Where a piece goes, seen by its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    /// 進 `+`
    Forward,
    /// 退 `-`
    Back,
    /// 平 `=`
    Sideways,
}

/// A move as players name it, every number from its owner's own side.
#[derive(Clone, Copy, Debug)]
struct Named {
    kind: Kind,
    /// File, 1–9 from the owner's right.
    file: u8,
    /// Pieces of the kind on the file, this one included.
    alike: u8,
    /// Those of them in front of this one.
    ahead: u8,
    /// Whether another file holds two or more of the kind.
    crowded: bool,
    /// Where two or more files hold two or more of the kind: this one's number among all of those, from the front, and
    /// from right to left on a rank; 0 for one that is alone on its file.
    over_all: u8,
    direction: Direction,
    /// Steps along the file for pieces that move straight; else the destination file.
    number: u8,
}

impl Named {
    /// `None` for what is no board move of a piece.
    fn of(position: &Position<Xiangqi>, mv: Move) -> Option<Named> {
        let source = mv.source_square()?;
        let (side, kind) = position.cell(source).piece()?;
        let file = |file: usize| if side == Side::First { 9 - file as u8 } else { file as u8 + 1 };
        let advance = |from: usize, to: usize| {
            let up = to as i8 - from as i8;
            if side == Side::First { up } else { -up }
        };
        let (from, to) = ((source.file(9), source.rank(9)), (mv.destination().file(9), mv.destination().rank(9)));
        let mut on_file = [0_u8; 9];
        let mut ahead = 0;
        for square in position.pieces_of(side, kind).squares() {
            on_file[square.file(9)] += 1;
            ahead += u8::from(square.file(9) == from.0 && advance(from.1, square.rank(9)) > 0);
        }
        let place = |square: Square| (advance(square.rank(9), 0), file(square.file(9)));
        let over_all = match on_file[from.0] {
            0 | 1 => 0,
            _ => {
                let crowd = position.pieces_of(side, kind).squares().filter(|square| on_file[square.file(9)] > 1);
                crowd.filter(|&square| place(square) <= place(source)).count() as u8
            }
        };
        let steps = advance(from.1, to.1);
        let direction = match steps {
            1.. => Direction::Forward,
            0 => Direction::Sideways,
            _ => Direction::Back,
        };
        Some(Named {
            kind,
            file: file(from.0),
            alike: on_file[from.0],
            ahead,
            over_all,
            crowded: (0..9).any(|other| other != from.0 && on_file[other] > 1),
            direction,
            number: if is_straight(kind) && steps != 0 { steps.unsigned_abs() } else { file(to.0) },
        })
    }

    /// Whether the file, direction and number say which piece is meant. Guards and elephants need no more even
    /// where two share a file, for one goes forward and the other back (except in composed positions).
    fn file_is_enough(&self, position: &Position<Xiangqi>) -> bool {
        if self.alike == 1 {
            return true;
        }
        let pattern = Pattern { place: Place::File(self.file), ..Pattern::of(self) };
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        matches!(self.kind, GUARD | ELEPHANT) && pattern.candidates(position, &legal).len() == 1
    }
}

/// Whether a kind moves along files, so that its steps are counted.
fn is_straight(kind: Kind) -> bool {
    !matches!(kind, GUARD | ELEPHANT | HORSES)
}

/// How a text says which piece of a kind is meant.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// By its file.
    File(u8),
    /// By its rank among those on the file; and by the file too, where given.
    Rank(Rank, Option<u8>),
}

/// A place among pieces of a kind on one file.
#[derive(Clone, Copy, Debug)]
enum Rank {
    /// 前
    Front,
    /// 中
    Middle,
    /// 後
    Rear,
    /// Counted from the front, from 1.
    Number(u8),
}

/// What a text says of a move.
#[derive(Clone, Copy, Debug)]
struct Pattern {
    kind: Kind,
    place: Place,
    direction: Direction,
    number: u8,
}

impl Pattern {
    /// What is always said.
    fn of(named: &Named) -> Pattern {
        let place = Place::File(named.file);
        Pattern { kind: named.kind, place, direction: named.direction, number: named.number }
    }

    fn fits(&self, named: &Named) -> bool {
        let placed = match self.place {
            Place::File(file) => file == named.file,
            // The notation counts soldiers on several files as one crowd.
            Place::Rank(Rank::Number(number), None) if named.crowded && named.over_all > 0 => named.over_all == number,
            Place::Rank(rank, file) => {
                file.is_none_or(|file| file == named.file)
                    && named.alike > 1
                    && match rank {
                        Rank::Front => named.ahead == 0,
                        Rank::Middle => named.alike == 3 && named.ahead == 1,
                        Rank::Rear => named.ahead + 1 == named.alike,
                        Rank::Number(number) => named.ahead + 1 == number,
                    }
            }
        };
        placed && (self.kind, self.direction, self.number) == (named.kind, named.direction, named.number)
    }

    /// The legal moves that fit.
    fn candidates(&self, position: &Position<Xiangqi>, legal: &[Move]) -> Vec<Move> {
        // Most moves are told apart by their piece, without naming them.
        let pieces = position.pieces_of(position.side(), self.kind);
        let of_kind = |mv: Move| mv.source_square().is_some_and(|source| pieces.has(source));
        let fits = |&mv: &Move| of_kind(mv) && Named::of(position, mv).is_some_and(|named| self.fits(&named));
        legal.iter().copied().filter(fits).collect()
    }
}
