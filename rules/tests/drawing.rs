//! The start position of every variant, drawn with the coordinates of every notation: `drawing/ID.txt`.
//! `UPDATE_EXPECT=1` rewrites the files.

use expect_test::expect_file;
use rules::{MoveList, Notation, Position, Side, Square, Variant, VariantId, dispatch};
use std::fmt::Write;

fn drawings<V: Variant>() -> String {
    let mut text = String::new();
    for notation in V::NOTATIONS {
        let _ = writeln!(text, "{} {}\n{}", V::TITLE, notation.name, notation.draw(&Position::start()));
    }
    text
}

#[test]
fn every_notation_draws_its_own_coordinates() {
    for &id in VariantId::ALL {
        expect_file![format!("drawing/{id}.txt")].assert_eq(&dispatch!(id, V => drawings::<V>()));
    }
}

/// The labels drawn next to a square: those of its file, then those of its rank.
fn labels<V: Variant>(notation: &Notation<V>, square: Square) -> [Vec<&'static str>; 2] {
    let (file, from_top) = (square.file(V::FILES), V::RANKS - 1 - square.rank(V::FILES));
    let at = |lists: [&'static [&'static str]; 2], index: usize| {
        lists.iter().filter_map(|list| list.get(index).copied()).collect()
    };
    let drawn = &notation.coordinates;
    [at([drawn.above, drawn.below], file), at([drawn.left, drawn.right], from_top)]
}

/// The first moves of both sides: what the notation writes of a move stands in hand where the move goes, or
/// where it comes from in notations that name files alone.
fn moves_are_written_with_the_labels<V: Variant>() {
    for notation in V::NOTATIONS {
        let mut position = Position::<V>::start();
        let mut legal = MoveList::new();
        for side in Side::BOTH {
            position.legal_moves(&mut legal);
            for &mv in legal.iter() {
                let text = notation.write(&position, mv);
                let [files, ranks] = labels(notation, mv.destination());
                let named = if ranks.is_empty() {
                    let [files, _] = labels(notation, mv.source_square().expect("nothing is in hand at the start"));
                    // Each side counts from its own right: the first player's labels are below.
                    text.contains(files[1 - side.index()])
                } else {
                    [files, ranks].iter().all(|labels| labels.iter().any(|label| text.contains(label)))
                };
                assert!(named, "{} {}: {text} of {side}\n{}", V::ID, notation.name, notation.draw(&position));
            }
            position.play(legal[0]);
        }
    }
}

#[test]
fn labels_are_those_of_the_moves() {
    for &id in VariantId::ALL {
        dispatch!(id, V => moves_are_written_with_the_labels::<V>());
    }
}
