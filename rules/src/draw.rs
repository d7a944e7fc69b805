//! The board drawn with native characters, for terminals and readable tests. No board is wider than 80 columns.

use crate::notated::Notated;
use crate::notation::Coordinates;
use crate::position::Position;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;
use std::fmt::Write;

/// Columns of the labels to the left of the ranks, the blank behind them included.
const LEFT: usize = 3;

/// How the stones of a variant are drawn. A cell is a mark of one column and a native character of two. A name of
/// several characters is written from the top down, as on the stone, so that a cell has several lines. Where faces
/// are marked as promoted, a column behind the character has the `+`.
struct Cells {
    /// Lines of a cell: the characters of the longest name.
    lines: usize,
    /// Whether a cell has the column for the `+`.
    promoted: bool,
    /// The mark of the second player's stones: `v` in the variants where the sides write any kind alike.
    second: char,
}

impl Cells {
    fn of<V: Notated>() -> Cells {
        let glyphs = || V::GLYPHS.iter().flatten();
        Cells {
            lines: glyphs().map(|glyph| name(glyph).chars().count()).max().unwrap_or(1),
            promoted: glyphs().any(|glyph| glyph.starts_with('+')),
            second: if V::GLYPHS.iter().any(|[first, second]| first == second) { 'v' } else { ' ' },
        }
    }

    /// Appends one line of a cell.
    fn push(&self, text: &mut String, line: usize, mark: char, glyph: &str) {
        text.push(if line == 0 { mark } else { ' ' });
        match name(glyph).chars().nth(line) {
            Some(character) => text.push(character),
            None => text.push_str("  "),
        }
        if self.promoted {
            text.push(if line == 0 && glyph.starts_with('+') { '+' } else { ' ' });
        }
    }

    /// Appends a line with the labels of the files, if there are any.
    fn push_files(&self, text: &mut String, labels: &[&str], indent: usize) {
        if labels.is_empty() {
            return;
        }
        let mut line = " ".repeat(indent);
        for label in labels {
            line.push(' ');
            line.push_str(label);
            line.push_str(&" ".repeat(2_usize.saturating_sub(columns(label)) + usize::from(self.promoted)));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

/// The characters of a glyph.
fn name(glyph: &str) -> &str {
    glyph.strip_prefix('+').unwrap_or(glyph)
}

/// Columns of a terminal that a text takes: native characters take two.
fn columns(text: &str) -> usize {
    text.chars().map(|character| if character.is_ascii() { 1 } else { 2 }).sum()
}

/// Draws the board as the first player sees it, with hands above and below in the variants that have them.
pub(crate) fn board<V: Notated>(position: &Position<V>, coordinates: &Coordinates) -> String {
    let cells = Cells::of::<V>();
    let indent = if coordinates.left.is_empty() { 0 } else { LEFT };
    let mut text = String::new();
    if V::HAND_KINDS > 0 {
        let _ = writeln!(text, "second's hand: {}", hand(position, Side::Second));
    }
    cells.push_files(&mut text, coordinates.above, indent);
    for from_top in 0..V::RANKS {
        for line in 0..cells.lines {
            let label = |labels: &[&'static str]| labels.get(from_top).filter(|_| line == 0).copied().unwrap_or("");
            if indent > 0 {
                let left = label(coordinates.left);
                let _ = write!(text, "{}{left} ", " ".repeat((LEFT - 1).saturating_sub(columns(left))));
            }
            for file in 0..V::FILES {
                let square = Square::new((V::RANKS - 1 - from_top) * V::FILES + file);
                match position.cell(square).piece() {
                    Some((Side::First, kind)) => cells.push(&mut text, line, ' ', V::GLYPHS[kind][0]),
                    Some((Side::Second, kind)) => cells.push(&mut text, line, cells.second, V::GLYPHS[kind][1]),
                    None => {
                        let marked = V::MARKED_SQUARES.has(square);
                        cells.push(&mut text, line, ' ', if marked { "＋" } else { "・" });
                    }
                }
            }
            let right = label(coordinates.right);
            if right.is_empty() {
                text.truncate(text.trim_end_matches(' ').len());
            } else {
                let _ = write!(text, " {right}");
            }
            text.push('\n');
        }
    }
    cells.push_files(&mut text, coordinates.below, indent);
    if V::HAND_KINDS > 0 {
        let _ = writeln!(text, "first's hand: {}", hand(position, Side::First));
    }
    text
}

/// What a player holds, `-` for nothing.
fn hand<V: Notated>(position: &Position<V>, side: Side) -> String {
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
}
