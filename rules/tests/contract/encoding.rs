use crate::chance;
use rules::encode::{self, Features, Shape};
use rules::{Move, Position, Side, Square, SquareSet, Variant};
use std::collections::HashMap;

pub fn tokens_tell_moves_apart<V: Variant>() {
    let shape = Shape::of::<V>(Features::default());
    chance::positions::<V>(4, |game, legal| {
        let position = game.position();
        let mut seen = HashMap::new();
        for &mv in legal {
            let tokens = encode::tokens(position, mv);
            if let Some(other) = seen.insert(tokens, mv) {
                panic!("{}: {mv:?} and {other:?} have the tokens {tokens:?} in {}", V::ID, position.fen());
            }
            assert!((tokens.source as usize) < shape.tokens() && (tokens.target as usize) < shape.tokens());
            let via = &tokens.via[..tokens.via_len as usize];
            assert!(via.iter().all(|&token| (token as usize) < shape.squares()), "{}: {tokens:?}", V::ID);
            assert!(tokens.via[tokens.via_len as usize..].iter().all(|&token| token == 0), "{}: {tokens:?}", V::ID);
            assert_eq!(mv.hand_slot().is_some(), (shape.squares()..shape.pass_token()).contains(&tokens.source.into()));
            let general_pass = mv.is_pass() && !V::PASSES_BY_PIECE;
            assert_eq!(general_pass, tokens.source as usize == shape.pass_token(), "{}: {mv:?}", V::ID);
        }
    });
}

/// Every way in which a network may be shown a position.
pub fn all_features() -> impl Iterator<Item = Features> {
    (0..8).map(|bits| Features { hand_steps: bits & 1 != 0, attacks: bits & 2 != 0, last_move: bits & 4 != 0 })
}

pub fn planes_show_the_position<V: Variant>() {
    all_features().for_each(shown_with::<V>);
}

fn shown_with<V: Variant>(features: Features) {
    let shape = Shape::of::<V>(features);
    let squares = shape.squares();
    let (mut planes, mut material) = (vec![f32::NAN; shape.input_len()], vec![f32::NAN; shape.material]);
    chance::positions::<V>(2, |game, legal| {
        let position = game.position();
        encode::planes(game, features, &mut planes);
        encode::material(position, &mut material);
        assert!(planes.iter().all(|value| (0.0..=4.0).contains(value)), "{}: {}", V::ID, position.fen());
        // The planes of pieces hold as many ones as there are pieces, kind by kind as the material says.
        for kind in 0..2 * V::KINDS {
            let ones: f32 = planes[kind * squares..(kind + 1) * squares].iter().sum();
            assert_eq!(ones, material[kind], "{}: plane {kind} of {}", V::ID, position.fen());
        }
        let pieces: usize = Side::BOTH.iter().map(|&side| position.pieces(side).len()).sum();
        assert_eq!(material[..2 * V::KINDS].iter().sum::<f32>(), pieces as f32);
        let mut plane = 2 * V::KINDS;
        for (slot, &count) in position.hand(position.side()).iter().enumerate() {
            if features.hand_steps {
                let steps = usize::from(V::HAND_STEPS[slot]);
                let shown: f32 = (plane..plane + steps).map(|plane| planes[plane * squares]).sum();
                assert_eq!(shown, f32::from(count.min(V::HAND_STEPS[slot])), "{}: {}", V::ID, position.fen());
                plane += steps;
            } else {
                assert_eq!(planes[plane * squares], f32::from(count) / 8.0);
                plane += 1;
            }
        }
        let mut newest = planes.chunks_exact(squares).rev();
        if features.last_move {
            let shown = |plane: &[f32]| plane.iter().position(|&value| value == 1.0);
            let [reached, left] = [0, 1].map(|_| newest.next().and_then(shown));
            // The opponent's move, from our side of the board.
            let ours = |square: Square| match position.side() {
                Side::First => square.index(),
                Side::Second => squares - 1 - square.index(),
            };
            let last = game.moves().last();
            assert_eq!(reached, last.map(|mv| ours(mv.destination())), "{}: {}", V::ID, position.fen());
            assert_eq!(left, last.and_then(|mv| mv.source_square()).map(ours), "{}: {}", V::ID, position.fen());
        }
        if features.attacks && V::KNOWS_ATTACKS {
            let check = if position.is_check() { 1.0 } else { 0.0 };
            assert!(newest.next().is_some_and(|plane| plane.iter().all(|&value| value == check)));
            let levels: Vec<&[f32]> = newest.take(6).collect();
            captures_are_attacks(position, legal, levels[5]);
            // At least three times is at least twice, and that at least once.
            for pair in [[0, 1], [1, 2], [3, 4], [4, 5]] {
                assert!(levels[pair[0]].iter().zip(levels[pair[1]]).all(|(more, fewer)| more <= fewer));
            }
        }
    });
}

/// Move generation and attacks know the same captures: each legal one goes to a square that its piece attacks, and the
/// plane of attacked squares has it.
fn captures_are_attacks<V: Variant>(position: &Position<V>, legal: &[Move], attacked: &[f32]) {
    let us = position.side();
    for mv in legal {
        let (Some(from), to) = (mv.source_square(), mv.destination()) else { continue };
        if position.pieces(us.other()).has(to) {
            assert!(V::attacks(position, from).has(to), "{}: {mv:?} in {}", V::ID, position.fen());
            let seen = if us == Side::First { to.index() } else { V::SQUARES - 1 - to.index() };
            assert_eq!(attacked[seen], 1.0, "{}: {mv:?} in {}", V::ID, position.fen());
        }
    }
}

/// There are not more planes for a hand than pieces of the kind in a game, and no slot is without one.
pub fn hands_have_planes<V: Variant>() {
    assert_eq!(V::HAND_STEPS.len(), V::HAND_KINDS, "{}", V::ID);
    let start = Position::<V>::start();
    let there_are =
        |slot: usize| Side::BOTH.iter().map(|&side| start.pieces_of(side, V::HAND_FIRST + slot).len()).sum::<usize>();
    for (slot, &steps) in V::HAND_STEPS.iter().enumerate() {
        assert!((1..=there_are(slot)).contains(&usize::from(steps)), "{}: slot {slot}", V::ID);
    }
}
