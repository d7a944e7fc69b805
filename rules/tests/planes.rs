//! What a network sees of a game of every variant, plane by plane, to be read: `planes/ID.txt`. `UPDATE_EXPECT=1`
//! rewrites the files.

use expect_test::expect_file;
use rules::encode::{self, Features, Shape};
use rules::{Game, MoveList, Rules, Variant, VariantId, dispatch};
use std::fmt::Write;

/// Plies before the position that is shown: an odd number, so that the second player sees the board turned.
const PLIES: usize = 25;

/// A plane with one value on all squares as that number, another one as a board with the far rank on top.
fn drawn(plane: &[f32], files: usize) -> String {
    let first = plane[0];
    if plane.iter().all(|&value| value == first) {
        return format!(" {first}\n");
    }
    let mut text = "\n".to_owned();
    for rank in plane.chunks_exact(files).rev() {
        let cells: Vec<String> =
            rank.iter().map(|&value| if value == 0.0 { ".".to_owned() } else { value.to_string() }).collect();
        let _ = writeln!(text, "  {}", cells.join(" "));
    }
    text
}

/// What each plane of a selection is, in the order of `encode::planes`.
fn titles<V: Variant>(features: Features) -> Vec<String> {
    let mut titles = Vec::new();
    for side in ["own", "opponent's"] {
        titles.extend((0..V::KINDS).map(|kind| format!("{side} pieces of kind {kind}")));
    }
    for side in ["own", "opponent's"] {
        titles.extend((0..V::HAND_KINDS).map(|slot| format!("{side} hand, slot {slot}, count / 8")));
    }
    let counters = ["first player to move", "repeated once", "repeated more often", "quiet plies / 120"];
    titles.extend(counters.map(str::to_owned));
    titles.extend(["share of the ply limit", "share of its last quarter"].map(str::to_owned));
    titles.extend((0..V::MASK_PLANES).map(|mask| format!("mask {mask}")));
    if features.attacks && V::KNOWS_ATTACKS {
        for side in ["own", "opponent's"] {
            titles.extend((1..=3).map(|times| format!("{side} attacks, at least {times}")));
        }
        titles.push("in check".to_owned());
    }
    titles
}

/// All planes of a position in a game of arbitrary moves.
fn planes<V: Variant>() -> String {
    let features = Features::ALL;
    let shape = Shape::of::<V>(features);
    let titles = titles::<V>(features);
    assert_eq!(titles.len(), shape.planes, "{}: a title for every plane", V::ID);
    let mut game = Game::<V>::start(Rules::default());
    let mut legal = MoveList::new();
    for ply in 0..PLIES {
        game.legal_moves(&mut legal);
        // The game must not depend on the order in which a generator lists moves.
        legal.sort_unstable();
        assert_eq!(game.outcome(&legal), None, "{}: over after {ply} plies", V::ID);
        game.play(legal[(ply * ply * 7 + 3) % legal.len()]);
    }
    let mut planes = vec![0.0; shape.input_len()];
    encode::planes(&game, features, &mut planes);
    let mut text =
        format!("{}, {} planes after {PLIES} plies, seen by the {} player\n", V::TITLE, shape.planes, game.side());
    let _ = writeln!(text, "{}\n", game.position().fen());
    for ((number, title), plane) in titles.iter().enumerate().zip(planes.chunks_exact(shape.squares())) {
        let _ = write!(text, "{number} {title}:{}", drawn(plane, shape.files));
    }
    text
}

#[test]
fn planes_are_what_they_were() {
    for &id in VariantId::ALL {
        expect_file![format!("planes/{id}.txt")].assert_eq(&dispatch!(id, V => planes::<V>()));
    }
}
