use crate::chance;
use rules::encode::{self, Features, Shape};
use rules::{Actions, Move, Position, Side, SquareSet, Variant};
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

pub fn actions_are_moves<V: Variant>() {
    let table = Actions::<V>::table();
    assert_eq!(table.is_some(), V::NUMBERED, "{}", V::ID);
    let Some(table) = table else { return };
    assert!(table.count() < usize::from(u16::MAX), "{}: {} actions", V::ID, table.count());
    chance::positions::<V>(4, |game, legal| {
        let side = game.side();
        let found: Vec<usize> =
            (0..table.count()).filter(|&number| table.find(side, number, legal).is_some()).collect();
        let mut numbers: Vec<usize> = legal.iter().map(|&mv| table.number(side, mv)).collect();
        for (&mv, &number) in legal.iter().zip(&numbers) {
            assert_eq!(table.find(side, number, legal), Some(mv), "{}: {mv:?} in {}", V::ID, game.position().fen());
        }
        numbers.sort_unstable();
        assert_eq!(numbers, found, "{}: {}", V::ID, game.position().fen());
    });
}

/// Every way in which a network may be shown a position.
pub fn all_features() -> impl Iterator<Item = Features> {
    [false, true].into_iter().map(|attacks| Features { attacks })
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
        for (plane, &count) in (2 * V::KINDS..).zip(position.hand(position.side())) {
            assert_eq!(planes[plane * squares], f32::from(count) / 8.0, "{}: {}", V::ID, position.fen());
        }
        let mut newest = planes.chunks_exact(squares).rev();
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
