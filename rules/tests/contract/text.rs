use crate::chance;
use rules::{MoveError, Position, Variant};
use std::collections::HashSet;

pub fn fen_round_trip<V: Variant>() {
    assert_eq!(Position::<V>::start().fen(), V::START, "{}", V::ID);
    chance::positions::<V>(6, |game, _| {
        let fen = game.position().fen();
        let read = Position::<V>::from_fen(&fen).unwrap_or_else(|error| panic!("{}: {fen}: {error}", V::ID));
        assert_eq!(read.fen(), fen);
        // Sets, mailbox, counters and key; a variant's own state may hold history, which a FEN does not.
        assert_eq!((read.key(), read.side()), (game.position().key(), game.position().side()));
        // Fields after the side may be left out.
        let short: Vec<&str> = fen.split_whitespace().take(2).collect();
        let short = Position::<V>::from_fen(&short.join(" ")).expect("a FEN of two fields");
        assert_eq!(short.key(), read.key());
    });
}

pub fn move_text_round_trip<V: Variant>() {
    chance::positions::<V>(2, |game, legal| {
        if game.ply() % 4 != 0 {
            return;
        }
        let position = game.position();
        let mut texts = HashSet::new();
        for &mv in legal {
            let text = position.format_move(mv);
            assert_eq!(position.parse_move(&text), Ok(mv), "{}: {text}", V::ID);
            assert!(texts.insert(text.clone()), "{}: {text} stands for two moves in {}", V::ID, position.fen());
        }
    });
    let start = Position::<V>::start();
    assert!(matches!(start.parse_move("a1z99"), Err(MoveError::Malformed(..))));
    let far = format!("a1{}{}", (b'a' + V::FILES as u8 - 1) as char, V::RANKS);
    assert!(matches!(start.parse_move(&far), Err(MoveError::Illegal { .. })), "{}: {far}", V::ID);
}

/// Columns a text takes: native characters are two columns wide.
fn columns(line: &str) -> usize {
    line.chars().map(|character| if character.is_ascii() { 1 } else { 2 }).sum()
}

pub fn drawing_is_aligned<V: Variant>() {
    chance::positions::<V>(1, |game, _| {
        let drawn = game.position().draw();
        let board: Vec<&str> = drawn.lines().filter(|line| !line.contains("hand")).collect();
        assert_eq!(board.len(), V::RANKS + 1, "{}:\n{drawn}", V::ID);
        for line in &board[..V::RANKS] {
            assert_eq!(columns(line), 3 + (1 + V::GLYPH_COLUMNS) * V::FILES, "{}: {line:?}", V::ID);
        }
    });
}
