//! How Kō shogi is written. Move text: `from` `to`, then `x` and a point for every stone taken elsewhere, then `+`.

use super::board::SIZE;
use super::{Koshogi, kinds, via};
use crate::moves::Move;
use crate::notated::Notated;
use crate::position::Position;
use crate::square::Square;

impl Notated for Koshogi {
    const TITLE: &'static str = "Kō shogi 廣將棋";
    const CODES: &'static [&'static str] = kinds::CODES;
    const COMMAS: bool = true;
    const GLYPHS: &'static [[&'static str; 2]] = kinds::GLYPHS;

    /// The points taken are sorted by file, then by rank.
    fn move_text(position: &Position<Self>, mv: Move) -> String {
        let mut taken = [Square::new(0); 5];
        let len = via::taken(position, mv, &mut taken);
        let taken = &mut taken[..len];
        taken.sort_unstable_by_key(|square| (square.file(SIZE), square.rank(SIZE)));
        let mut text = crate::text::ordinary(position, mv);
        let promotes = text.ends_with('+');
        text.truncate(text.len() - usize::from(promotes));
        for square in taken {
            text.push('x');
            text += &square.text(SIZE);
        }
        if promotes {
            text.push('+');
        }
        text
    }
}
