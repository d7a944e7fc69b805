use crate::chance;
use rules::{MoveError, Notation, Position, PositionFormat, UnknownNotation, Variant};
use std::collections::HashSet;

pub fn moves<V: Variant>() {
    assert_eq!(V::NOTATIONS[0].name, "uci");
    for notation in V::NOTATIONS {
        assert_eq!(Notation::<V>::named(notation.name).map(|found| found.name), Ok(notation.name));
        chance::positions::<V>(2, |game, legal| {
            if game.ply() % 4 != 0 {
                return;
            }
            let position = game.position();
            let mut texts = HashSet::new();
            for &mv in legal {
                let text = notation.write(position, mv);
                let at = || format!("{} {}: {text} in {}", V::ID, notation.name, position.fen());
                assert_eq!(notation.read(position, &text), Ok(mv), "{}", at());
                assert!(texts.insert(text.clone()), "{}: stands for two moves", at());
            }
        });
        let start = Position::<V>::start();
        for text in ["", "?", "王王王王王王", "--++", &"一".repeat(1_000)] {
            let error = notation.read(&start, text).expect_err("nonsense");
            assert!(matches!(error, MoveError::Malformed(..)), "{} {}: {text:?}: {error}", V::ID, notation.name);
            assert!(error.to_string().len() < 300, "{error}");
        }
    }
    let start = Position::<V>::start();
    assert!(matches!(start.parse_move("a1z99"), Err(MoveError::Malformed(..))));
    let far = format!("a1{}{}", (b'a' + V::FILES as u8 - 1) as char, V::RANKS);
    assert!(matches!(start.parse_move(&far), Err(MoveError::Illegal { .. })), "{}: {far}", V::ID);
    let error = Notation::<V>::named("smoke").expect_err("no notation");
    assert!(error.to_string().contains("uci"), "{error}");
}

pub fn positions<V: Variant>() {
    assert_eq!(V::POSITION_FORMATS[0].name, "fen");
    for format in V::POSITION_FORMATS {
        assert_eq!(PositionFormat::<V>::named(format.name).map(|found| found.name), Ok(format.name));
        chance::positions::<V>(4, |game, _| {
            let text = format.write(game.position());
            for read in [format.read(&text), Position::from_text(&text)] {
                let read = read.unwrap_or_else(|error| panic!("{} {}: {text}: {error}", V::ID, format.name));
                assert_eq!(format.write(&read), text, "{} {}", V::ID, format.name);
                assert_eq!(read.key(), game.position().key(), "{} {}: {text}", V::ID, format.name);
            }
        });
        assert!(format.read("").is_err() && format.read(&"9".repeat(10_000)).is_err());
    }
    assert!(matches!(PositionFormat::<V>::named("smoke"), Err(UnknownNotation { .. })));
}
