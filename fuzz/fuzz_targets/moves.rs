//! Any text as a move of any variant in any of its notations. The first byte chooses the variant, the second a
//! notation, the third how many moves are played from the start, and which; the rest is the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rules::{MoveList, Position, Variant, VariantId};

fn check<V: Variant>(notation: u8, plies: u8, text: &str) {
    let mut position = Position::<V>::start();
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    for ply in 0..usize::from(plies % 64) {
        let Some(&mv) = legal.get((ply * 7 + usize::from(plies)) % legal.len().max(1)) else { break };
        position.play(mv);
        position.legal_moves(&mut legal);
    }
    let notation = &V::NOTATIONS[usize::from(notation) % V::NOTATIONS.len()];
    match notation.read(&position, text) {
        Ok(mv) => {
            assert!(legal.contains(&mv));
            assert_eq!(notation.read(&position, &notation.write(&position, mv)), Ok(mv));
        }
        Err(error) => assert!(error.to_string().len() < 20_000),
    }
}

fuzz_target!(|data: &[u8]| {
    let &[variant, notation, plies, ref text @ ..] = data else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let id = VariantId::ALL[usize::from(variant) % VariantId::ALL.len()];
    rules::dispatch!(id, V => check::<V>(notation, plies, text));
});
