//! Move texts against those of pyffish: what it writes is read as the same move.

use crate::play;
use peers::or_skip;
use peers::pyffish::Pyffish;
use rules::{Janggi, Notation, Position, Rules, Variant, Xiangqi};

/// Positions compared, from random games.
const POSITIONS: usize = 60;

/// Reads every text of pyffish in `ours`; returns how many it reads, and how many of them we write just so.
fn compare<V: Variant>(theirs: &str, ours: &str) -> Option<(usize, usize)> {
    let oracle = or_skip(Pyffish::find())?;
    let mut fens = Vec::new();
    play::games(Rules::<V>::default(), |game, legal, _, _| {
        if game.ply() % 8 == 0 && game.outcome(legal).is_none() {
            fens.push(game.position().fen());
        }
    });
    let fens = play::sample(fens, POSITIONS);
    let answers = oracle.notation(V::ID, theirs, &fens).unwrap_or_else(|error| panic!("{error}"));
    let notation = Notation::<V>::named(ours).expect("a notation");
    let (mut read, mut alike) = (0, 0);
    for (fen, moves) in fens.iter().zip(answers) {
        let position = Position::<V>::from_fen(fen).expect("our own FEN");
        for (uci, text) in moves {
            // Check and mate are marked at the end.
            let text = text.trim_end_matches(['+', '#']);
            let mv = position.parse_move(&uci).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(notation.read(&position, text), Ok(mv), "{fen}: {text}");
            read += 1;
            alike += usize::from(notation.write(&position, mv) == text);
        }
    }
    println!("{} {ours}: {read} texts of {} positions read, {alike} written alike", V::ID, fens.len());
    Some((read, alike))
}

#[test]
fn xiangqi() {
    if let Some((read, alike)) = compare::<Xiangqi>("NOTATION_XIANGQI_WXF", "wxf") {
        // What differs is front and rear: see `docs/reference/rules/`.
        assert!(read > 1_000 && alike * 10 > read * 9, "{alike} of {read} texts are alike");
    }
}

#[test]
fn janggi() {
    if let Some((read, _)) = compare::<Janggi>("NOTATION_JANGGI", "janggi") {
        assert!(read > 800, "{read} texts");
    }
}
