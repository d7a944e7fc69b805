//! The board drawn with native characters, for terminals and readable tests.

use crate::position::Position;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;
use crate::variant::Variant;
use std::fmt::Write;

/// Draws the board from the first player's side. Native characters take two columns, so a cell is
/// three columns wide: a mark and the character. The mark is `v` before the second player's stones in the
/// variants where the sides write any kind alike.
pub(crate) fn board<V: Variant>(position: &Position<V>) -> String {
    let mut text = String::new();
    let second = if V::GLYPHS.iter().any(|[first, second]| first == second) { 'v' } else { ' ' };
    let hand = |side: Side| {
        let mut held = String::new();
        for &slot in V::HAND_ORDER {
            let count = position.hand(side)[slot];
            if count > 0 {
                held += V::GLYPHS[V::HAND_FIRST + slot][side.index()];
                if count > 1 {
                    let _ = write!(held, "{count}");
                }
            }
        }
        if held.is_empty() { "-".to_owned() } else { held }
    };
    if V::HAND_KINDS > 0 {
        let _ = writeln!(text, "second's hand: {}", hand(Side::Second));
    }
    for rank in (0..V::RANKS).rev() {
        let _ = write!(text, "{:>2} ", rank + 1);
        for file in 0..V::FILES {
            let square = Square::new(rank * V::FILES + file);
            match position.cell(square).piece() {
                Some((side, kind)) => {
                    let mark = if side == Side::Second { second } else { ' ' };
                    let _ = write!(text, "{mark}{}", V::GLYPHS[kind][side.index()]);
                }
                None => text.push_str(if V::DRAWN_MASKS.iter().any(|&mask| V::mask(mask).has(square)) {
                    " ＋"
                } else {
                    " ・"
                }),
            }
        }
        text.push('\n');
    }
    text.push_str("   ");
    for file in 0..V::FILES {
        let _ = write!(text, "{:>2}", (b'a' + file as u8) as char);
        text.push_str(if file + 1 < V::FILES { " " } else { "\n" });
    }
    if V::HAND_KINDS > 0 {
        let _ = writeln!(text, "first's hand: {}", hand(Side::First));
    }
    text
}
