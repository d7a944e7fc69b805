//! Positions, moves and games as text.

use super::variant;
use records::{ReadOptions, RecordFormat};
use rules::{Game, MoveList, MoveReader, Position, Rules, Variant};

/// Any text as a position of any variant. The first byte chooses the variant, the rest is the text.
pub fn fen(data: &[u8]) {
    let Some((id, text)) = variant(data) else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    rules::dispatch!(id, V => check_position::<V>(text));
}

fn check_position<V: Variant>(text: &str) {
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

/// Any text as a move of any variant in any of its notations. The first byte chooses the variant, the second a
/// notation, the third how many moves are played from the start, and which; the rest is the text.
pub fn moves(data: &[u8]) {
    let Some((id, &[notation, plies, ref text @ ..])) = variant(data) else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    rules::dispatch!(id, V => check_move::<V>(notation, plies, text));
}

fn check_move<V: Variant>(notation: u8, plies: u8, text: &str) {
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
    match MoveReader::new(notation).read(&position, text) {
        Ok(mv) => assert!(legal.contains(&mv)),
        Err(error) => assert!(error.to_string().len() < 20_000),
    }
}

/// Any file as game records. The first byte chooses the variant, the second the format (or that it is to be found), the
/// rest is the file.
pub fn records(data: &[u8]) {
    let Some((id, &[format, ref file @ ..])) = variant(data) else { return };
    let format = RecordFormat::ALL.get(usize::from(format) % (RecordFormat::ALL.len() + 1));
    rules::dispatch!(id, V => check_records::<V>(format, file));
}

fn check_records<V: Variant>(format: Option<&'static RecordFormat>, file: &[u8]) {
    let Ok(contents) = records::read::<V>("x", file, &ReadOptions { format, ..ReadOptions::default() }) else { return };
    for record in &contents.records {
        // Replayed from its own text, the game is the same.
        let text = record.game.moves_text();
        let again = Game::<V>::from_moves_text(*record.game.rules(), record.game.start_position().clone(), &text);
        assert_eq!(again.expect("what was read is legal").moves(), record.game.moves());
    }
    for problem in &contents.problems {
        assert!(problem.to_string().len() < 100_000);
    }
}
