//! The board drawn with native characters, for terminals and readable tests.

use crate::position::Position;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;
use crate::variant::Variant;
use std::fmt::Write;

/// Draws the board from the first player's side. A cell is a mark, one column wide, and a glyph of
/// [`Variant::GLYPH_COLUMNS`] columns (native characters take two), filled up with blanks. The mark is `v` before the second player's stones in the
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
                    text.push(mark);
                    push_glyph::<V>(&mut text, V::GLYPHS[kind][side.index()]);
                }
                None => {
                    let drawn = V::DRAWN_MASKS.iter().any(|&mask| V::mask(mask).has(square));
                    text.push(' ');
                    push_glyph::<V>(&mut text, if drawn { "＋" } else { "・" });
                }
            }
        }
        text.push('\n');
    }
    text.push_str("   ");
    for file in 0..V::FILES {
        let _ = write!(text, "{:>2}", (b'a' + file as u8) as char);
        text.push_str(&if file + 1 < V::FILES { " ".repeat(V::GLYPH_COLUMNS - 1) } else { "\n".to_owned() });
    }
    if V::HAND_KINDS > 0 {
        let _ = writeln!(text, "first's hand: {}", hand(Side::First));
    }
    text
}

/// Appends a glyph and the blanks that fill its cell.
fn push_glyph<V: Variant>(text: &mut String, glyph: &str) {
    let columns: usize = glyph.chars().map(|character| if character.is_ascii() { 1 } else { 2 }).sum();
    text.push_str(glyph);
    text.extend(std::iter::repeat_n(' ', V::GLYPH_COLUMNS.saturating_sub(columns)));
}
