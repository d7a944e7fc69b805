//! Position keys are stored in data, so they never change. `keys.txt` holds some of every variant.
//!
//! Lines: `VARIANT ; FEN ; 24 hex digits`. With `UPDATE_EXPECT=1` lines are added for a variant that has none;
//! lines that are there are never rewritten.

use rules::{MoveList, Position, Variant, VariantId, dispatch};
use std::fmt::Write;
use std::path::PathBuf;

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/keys.txt")
}

fn hex<V: Variant>(position: &Position<V>) -> String {
    position.key().to_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Lines for a variant: the start, and every 25th position of a game by a fixed rule; where it ends, another one
/// begins.
fn lines<V: Variant>() -> String {
    let mut text = String::new();
    let mut position = Position::<V>::start();
    let mut legal = MoveList::new();
    for ply in 0..=200_usize {
        if ply % 25 == 0 {
            let _ = writeln!(text, "{} ; {} ; {}", V::ID, position.fen(), hex(&position));
        }
        position.legal_moves(&mut legal);
        match legal.get((ply * ply * 31 + 17 * ply + 7) % legal.len().max(1)) {
            Some(&mv) => position.play(mv),
            None => position = Position::start(),
        }
    }
    text
}

#[test]
fn keys_are_stable() {
    let mut text = std::fs::read_to_string(path()).unwrap_or_default();
    for &id in VariantId::ALL {
        let known = |text: &str| text.lines().filter(|line| line.starts_with(&format!("{id} ;"))).count();
        if known(&text) == 0 && std::env::var_os("UPDATE_EXPECT").is_some() {
            text += &dispatch!(id, V => lines::<V>());
            std::fs::write(path(), &text).expect("keys.txt is written");
        }
        assert!(known(&text) >= 5, "{id}: too few keys in {}", path().display());
    }
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let [id, fen, expected] = fields[..] else { panic!("three fields: {line}") };
        let id: VariantId = id.parse().expect("a known variant");
        let found = dispatch!(id, V => Position::<V>::from_fen(fen).map(|position| hex(&position)));
        assert_eq!(found.as_deref(), Ok(expected), "{line}");
    }
}
