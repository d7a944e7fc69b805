//! A board as SVG, for notebooks: native characters, UCI's coordinates, the last move marked.

use rules::{Move, Notation, Position, Side, Square, SquareSet, Variant};
use std::fmt::Write;

/// Width of a cell, in pixels.
const CELL: usize = 40;
/// Room around the board for coordinates, in pixels.
const MARGIN: usize = 24;
/// Height of the line with the pieces in hand, in pixels.
const HAND: usize = 34;
/// The first player's pieces, and the second player's.
const INK: [&str; 2] = ["#a4161a", "#12355b"];

/// The board as the first player sees it, with the hands above and below in the variants that have them.
pub(crate) fn board<V: Variant>(position: &Position<V>, last: Option<Move>) -> String {
    let hand = if V::HAND_KINDS > 0 { HAND } else { 0 };
    let (width, height) = (V::FILES * CELL + 2 * MARGIN, V::RANKS * CELL + 2 * (MARGIN + hand));
    let top = MARGIN + hand;
    let corner = |square: Square| {
        let from_top = V::RANKS - 1 - square.rank(V::FILES);
        (MARGIN + square.file(V::FILES) * CELL, top + from_top * CELL)
    };
    let mut svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" text-anchor="middle"><rect width="{width}" height="{height}" fill="#f2deb4"/>"##
    );
    let touched = last.map(|mv| (mv.source_square(), mv.destination()));
    for square in (0..V::SQUARES).map(Square::new) {
        let (x, y) = corner(square);
        let fill = if touched.is_some_and(|(from, to)| from == Some(square) || to == square) {
            "#f4a940"
        } else if V::MARKED_SQUARES.has(square) {
            "#e4c68c"
        } else {
            "none"
        };
        let _ =
            write!(svg, r##"<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{fill}" stroke="#6b5636"/>"##);
    }
    coordinates::<V>(&mut svg, top);
    for square in (0..V::SQUARES).map(Square::new) {
        if let Some((side, kind)) = position.cell(square).piece() {
            let (x, y) = corner(square);
            piece::<V>(&mut svg, x + CELL / 2, y + CELL / 2, side, kind);
        }
    }
    if V::HAND_KINDS > 0 {
        let lines = [(Side::Second, HAND / 2 + 6), (Side::First, height - HAND / 2 + 6)];
        for (side, y) in lines {
            let ink = INK[side.index()];
            let held = held(position, side);
            let _ = write!(svg, r#"<text x="{}" y="{y}" font-size="20" fill="{ink}">{held}</text>"#, width / 2);
        }
    }
    svg + "</svg>"
}

/// A disc with the piece's name: the second player's is turned where both write it alike, and promoted faces are bold.
fn piece<V: Variant>(svg: &mut String, x: usize, y: usize, side: Side, kind: usize) {
    let glyph = V::GLYPHS[kind][side.index()];
    let name = glyph.strip_prefix('+').unwrap_or(glyph);
    let weight = if name.len() < glyph.len() { r#" font-weight="bold" text-decoration="underline""# } else { "" };
    let turn = side == Side::Second && V::GLYPHS.iter().any(|[first, second]| first == second);
    let turn = if turn { format!(r#" transform="rotate(180 {x} {y})""#) } else { String::new() };
    let ink = INK[side.index()];
    let _ = write!(svg, r##"<g{turn}><circle cx="{x}" cy="{y}" r="17" fill="#fff8e7" stroke="{ink}"/>"##);
    // A name of several characters is written from the top down.
    let lines = name.chars().count();
    let size = if lines > 1 { 15 } else { 22 };
    for (line, character) in name.chars().enumerate() {
        let middle = y + line * size + size / 2;
        let baseline = (middle + size * 36 / 100).saturating_sub(lines * size / 2);
        let _ =
            write!(svg, r#"<text x="{x}" y="{baseline}" font-size="{size}" fill="{ink}"{weight}>{character}</text>"#);
    }
    svg.push_str("</g>");
}

/// UCI's letters under the files and its numbers to the left of the ranks.
fn coordinates<V: Variant>(svg: &mut String, top: usize) {
    let labels = Notation::<V>::UCI.coordinates;
    for (file, label) in labels.below.iter().enumerate() {
        let (x, y) = (MARGIN + file * CELL + CELL / 2, top + V::RANKS * CELL + 17);
        let _ = write!(svg, r##"<text x="{x}" y="{y}" font-size="13" fill="#6b5636">{label}</text>"##);
    }
    for (from_top, label) in labels.left.iter().enumerate() {
        let (x, y) = (MARGIN / 2, top + from_top * CELL + CELL / 2 + 5);
        let _ = write!(svg, r##"<text x="{x}" y="{y}" font-size="13" fill="#6b5636">{label}</text>"##);
    }
}

/// What a player has in hand.
fn held<V: Variant>(position: &Position<V>, side: Side) -> String {
    let mut text = String::new();
    for &slot in V::HAND_ORDER {
        let count = position.hand(side)[slot];
        if count > 0 {
            let _ = write!(text, "{}{count} ", V::GLYPHS[V::HAND_FIRST + slot][side.index()]);
        }
    }
    text.trim_end().to_owned()
}
