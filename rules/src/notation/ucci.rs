//! UCCI, and UCI-cyclone with it: as UCI, but ranks are counted from 0, so that ten ranks need one digit.

use super::{Coordinates, Notation};
use crate::moves::Move;
use crate::notated::Notated;
use crate::position::Position;
use crate::square::Square;

/// The notation, for boards of at most ten ranks whose moves are a source and a destination.
pub(crate) const fn ucci<V: Notated>() -> Notation<V> {
    assert!(V::RANKS <= 10 && V::HAND_KINDS == 0);
    Notation {
        name: "ucci",
        example: "a0a1",
        about: "as UCI, with ranks 0 to 9",
        coordinates: Coordinates::letters_and_digits::<V>(),
        write,
        read,
    }
}

fn write<V: Notated>(_: &Position<V>, mv: Move) -> String {
    let square = |square: Square| {
        let file = (b'a' + square.file(V::FILES) as u8) as char;
        format!("{file}{}", square.rank(V::FILES))
    };
    mv.source_square().map(square).unwrap_or_default() + &square(mv.destination())
}

fn read<V: Notated>(_: &Position<V>, legal: &[Move], text: &str) -> Option<Vec<Move>> {
    let &[from_file, from_rank, to_file, to_rank] = text.as_bytes() else { return None };
    let square = |file: u8, rank: u8| {
        let file = usize::from(file.checked_sub(b'a')?);
        let rank = usize::from(rank.checked_sub(b'0')?);
        (file < V::FILES && rank < V::RANKS).then(|| Square::new(rank * V::FILES + file))
    };
    let (from, to) = (square(from_file, from_rank)?, square(to_file, to_rank)?);
    Some(legal.iter().copied().filter(|mv| (mv.source_square(), mv.destination()) == (Some(from), to)).collect())
}
