use crate::chance;
use rules::encode::{self, Shape};
use rules::{Side, SquareSet, Variant};
use std::collections::HashMap;

pub fn tokens_tell_moves_apart<V: Variant>() {
    let shape = Shape::of::<V>();
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

pub fn planes_show_the_position<V: Variant>() {
    let shape = Shape::of::<V>();
    let squares = shape.squares();
    let (mut planes, mut material) = (vec![f32::NAN; shape.input_len()], vec![f32::NAN; shape.material]);
    chance::positions::<V>(2, |game, _| {
        let position = game.position();
        encode::planes(game, &mut planes);
        encode::material(position, &mut material);
        assert!(planes.iter().all(|value| (0.0..=4.0).contains(value)), "{}: {}", V::ID, position.fen());
        // The planes of pieces hold as many ones as there are pieces, kind by kind as the material says.
        for kind in 0..2 * V::KINDS {
            let ones: f32 = planes[kind * squares..(kind + 1) * squares].iter().sum();
            assert_eq!(ones, material[kind], "{}: plane {kind} of {}", V::ID, position.fen());
        }
        let pieces: usize = Side::BOTH.iter().map(|&side| position.pieces(side).len()).sum();
        assert_eq!(material[..2 * V::KINDS].iter().sum::<f32>(), pieces as f32);
        for (slot, &count) in position.hand(position.side()).iter().enumerate() {
            assert_eq!(planes[(2 * V::KINDS + slot) * squares], f32::from(count) / 8.0);
        }
    });
}
