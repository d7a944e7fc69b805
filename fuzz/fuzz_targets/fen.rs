//! Any text as a position of any variant. The first byte chooses the variant, the rest is the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rules::{Game, MoveList, Position, Rules, Variant, VariantId};

fn check<V: Variant>(text: &str) {
    let Ok(position) = Position::<V>::from_text(text) else { return };
    assert_eq!(Position::from_fen(&position.fen()).as_ref(), Ok(&position));
    for format in V::POSITION_FORMATS {
        let written = format.write(&position);
        let read = format.read(&written).expect("what is written is read");
        assert_eq!((read.key(), format.write(&read)), (position.key(), written));
    }
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    assert_eq!(position.perft(1), legal.len() as u64);
    position.draw();
    Game::from_position(Rules::default(), position.clone()).outcome(&legal);
    // Any move will do; the length of the text chooses it, so that the same text plays the same one.
    if let Some(&mv) = legal.get(text.len() % legal.len().max(1)) {
        let mut next = position;
        next.play(mv);
        assert_eq!(next.key(), next.fresh_key());
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let id = VariantId::ALL[usize::from(choice) % VariantId::ALL.len()];
    rules::dispatch!(id, V => check::<V>(text));
});
