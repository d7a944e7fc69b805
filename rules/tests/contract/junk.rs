//! No outside input causes a panic.

use proptest::prelude::*;
use rules::encode::{self, Features, Shape};
use rules::{Game, Move, MoveList, Position, Rulebook, Rules, Termination, Variant, VariantId, dispatch, read_suite};

/// Characters that mean something somewhere, and some that mean nothing anywhere.
const ALPHABET: &str = "KABNRCPLSIGkabnrcplsig+/[]-wb0123456789 ,@x王é\u{0}\u{feff}🀄";

fn variant() -> impl Strategy<Value = VariantId> {
    prop::sample::select(VariantId::ALL)
}

fn character() -> impl Strategy<Value = char> {
    prop_oneof![prop::sample::select(ALPHABET.chars().collect::<Vec<_>>()), any::<char>()]
}

/// Changes to a text: at a place (share of the length), leave out some characters and insert others.
fn edits() -> impl Strategy<Value = Vec<(f64, usize, Vec<char>)>> {
    prop::collection::vec((0.0..1.0, 0_usize..3, prop::collection::vec(character(), 0..3)), 0..4)
}

fn edited(text: &str, edits: &[(f64, usize, Vec<char>)]) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for (share, leave_out, put) in edits {
        let at = (share * (text.len() + 1) as f64) as usize;
        let end = (at + leave_out).min(text.len());
        text.splice(at.min(end)..end, put.iter().copied());
    }
    text.into_iter().collect()
}

/// A position some plies into a game, by a stream of numbers.
fn position_after<V: Variant>(choices: &[usize]) -> Position<V> {
    let mut position = Position::<V>::start();
    let mut legal = MoveList::new();
    for choice in choices {
        position.legal_moves(&mut legal);
        let Some(&mv) = legal.get(choice % legal.len().max(1)) else { break };
        position.play(mv);
    }
    position
}

/// Does everything that can be done with a position.
fn exercise<V: Variant>(position: &Position<V>) {
    let fen = position.fen();
    assert_eq!(Position::<V>::from_fen(&fen).as_ref(), Ok(position), "{}: {fen}", V::ID);
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    assert_eq!(position.perft(1), legal.len() as u64, "{}: {fen}", V::ID);
    for &mv in &*legal {
        assert_eq!(position.parse_move(&position.format_move(mv)), Ok(mv));
        let mut next = position.clone();
        next.play(mv);
        assert_eq!(next.key(), next.fresh_key(), "{}: {fen} {mv:?}", V::ID);
        next.perft(1);
        encode::tokens(position, mv);
    }
    position.win_in_one(&legal, &mut MoveList::new());
    position.draw();
    let shape = Shape::of::<V>(Features::ALL);
    encode::material(position, &mut vec![0.0; shape.material]);
    let game = Game::from_position(Rules::default(), position.clone());
    encode::planes(&game, Features::ALL, &mut vec![0.0; shape.input_len()]);
    game.outcome(&legal);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(id in variant(), text in prop_oneof![any::<String>(), prop::collection::vec(character(), 0..120).prop_map(|text| text.into_iter().collect())]) {
        dispatch!(id, V => {
            let _ = Position::<V>::from_fen(&text).map(|position| exercise(&position));
            let _ = Position::<V>::start().parse_move(&text);
            let _ = Rules::<V>::named(&text);
        });
        let _ = text.parse::<VariantId>();
        let _ = text.parse::<Termination>();
        let _ = read_suite(&text);
    }

    #[test]
    fn almost_a_fen(id in variant(), choices in prop::collection::vec(0_usize..1000, 0..60), edits in edits()) {
        dispatch!(id, V => {
            let text = edited(&position_after::<V>(&choices).fen(), &edits);
            let _ = Position::<V>::from_fen(&text).map(|position| exercise(&position));
        });
    }

    #[test]
    fn almost_a_move(id in variant(), choices in prop::collection::vec(0_usize..1000, 1..60), edits in edits()) {
        dispatch!(id, V => {
            let position = position_after::<V>(&choices);
            let mut legal = MoveList::new();
            position.legal_moves(&mut legal);
            if let Some(&mv) = legal.get(choices[0] % legal.len().max(1)) {
                let text = edited(&position.format_move(mv), &edits);
                if let Ok(read) = position.parse_move(&text) {
                    prop_assert!(legal.contains(&read));
                }
            }
        });
    }

    #[test]
    fn any_code(id in variant(), raw in any::<u32>()) {
        dispatch!(id, V => {
            let (position, mv) = (Position::<V>::start(), Move::from_raw(raw));
            prop_assert_eq!(position.is_legal(mv), position.parse_move(&position.format_move(mv)) == Ok(mv));
        });
    }
}

#[test]
fn long_texts_are_refused_shortly() {
    for &id in VariantId::ALL {
        dispatch!(id, V => {
            let long = "王".repeat(100_000);
            let error = Position::<V>::from_fen(&long).expect_err("far too long").to_string();
            assert!(error.len() < 200, "{error}");
            let error = Position::<V>::start().parse_move(&long).expect_err("far too long").to_string();
            assert!(error.len() < 300, "{error}");
            // More of a kind than a hand may hold, were all of it captured.
            let overfull = V::START.replace("[]", &format!("[{}]", "P".repeat(17)));
            assert_eq!(Position::<V>::from_fen(&overfull).is_ok(), overfull == V::START, "{overfull}");
        });
    }
}
