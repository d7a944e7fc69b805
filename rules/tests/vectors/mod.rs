//! Vectors of a rule text, read from text files: moves of single pieces, probes, ends of games, boards that cannot be.

#![allow(dead_code)] // not every variant has vectors of every kind

use rules::{Game, MoveList, Outcome, Position, Rules, Variant};

/// The lines that are neither empty nor comments.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

pub fn position<V: Variant>(fen: &str) -> Position<V> {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// Lines `FEN ; square n ; all ; +legal -illegal …`.
pub fn moves_of_single_pieces<V: Variant>(text: &str) {
    for line in lines(text) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let position = position::<V>(fields[0]);
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        let texts: Vec<String> = legal.iter().map(|&mv| position.format_move(mv)).collect();
        let (square, of_piece) = fields[1].split_once(' ').expect("square and number");
        // The second square begins with a letter, so `e1` is not found in `e10e9`.
        let from_square = |text: &str| text.strip_prefix(square).is_some_and(|to| !to.starts_with(char::is_numeric));
        let found = texts.iter().filter(|text| from_square(text)).count();
        assert_eq!(found.to_string(), of_piece, "{line}: moves of {square} in {texts:?}");
        assert_eq!(texts.len().to_string(), fields[2], "{line}: all moves {texts:?}");
        for wanted in fields.get(3).unwrap_or(&"").split_whitespace() {
            let (sign, mv) = wanted.split_at(1);
            assert_eq!(texts.iter().any(|text| text == mv), sign == "+", "{line}: {wanted} in {texts:?}");
        }
    }
}

/// `a (b c)2 d` → `a b c b c d`.
pub fn unrolled(moves: &str) -> Vec<&str> {
    let Some((before, rest)) = moves.split_once('(') else { return moves.split_whitespace().collect() };
    let (cycle, rest) = rest.split_once(')').expect("a closing bracket");
    let (times, after) = rest.split_once(' ').unwrap_or((rest, ""));
    let cycle: Vec<&str> = cycle.split_whitespace().collect();
    let cycles = cycle.repeat(times.parse().expect("how often"));
    before.split_whitespace().chain(cycles).chain(unrolled(after)).collect()
}

/// `first checkmate`, `draw points 30 : 30`.
pub fn described(outcome: Outcome) -> String {
    let winner = outcome.winner().map_or("draw".to_owned(), |side| side.to_string());
    let points = outcome.points.map_or(String::new(), |[first, second]| format!(" {first} : {second}"));
    format!("{winner} {}{points}", outcome.termination)
}

/// Plays the moves up to the end of the game; returns the game, and its end with its ply if it has ended.
fn played<V: Variant>(line: &str, rules: Rules<V>, fen: &str, moves: &str) -> (Game<V>, Option<String>) {
    let mut game = Game::from_position(rules, position(fen));
    let mut moves = unrolled(moves).into_iter();
    let mut legal = MoveList::new();
    loop {
        game.legal_moves(&mut legal);
        if let Some(outcome) = game.outcome(&legal) {
            let end = format!("{} {}", game.ply(), described(outcome));
            return (game, Some(end));
        }
        let Some(mv) = moves.next() else { return (game, None) };
        game.play(game.position().parse_move(mv).unwrap_or_else(|error| panic!("{line}: {error}")));
    }
}

/// Lines `name ; FEN ; moves ; expectations`: `ends=PLY WINNER REASON` or, of a game that has not ended, `fen=BOARD
/// SIDE`, `counters=QUIET NUMBER`, or words of `+legal`, `-illegal` and `legal=COUNT`, perhaps none.
pub fn probes<V: Variant>(text: &str) {
    for line in lines(text) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let [_, fen, moves, expectations] = fields[..] else { panic!("four fields: {line}") };
        let (game, end) = played(line, Rules::<V>::default(), fen, moves);
        let position = game.position();
        if let Some(expected) = expectations.strip_prefix("ends=") {
            assert_eq!(end.as_deref(), Some(expected), "{line}");
            continue;
        }
        assert_eq!(end, None, "{line}");
        let fen = position.fen();
        if let Some(expected) = expectations.strip_prefix("fen=") {
            assert!(fen.starts_with(&format!("{expected} - - ")), "{line}: {fen}");
        } else if let Some(expected) = expectations.strip_prefix("counters=") {
            assert!(fen.ends_with(&format!(" - - {expected}")), "{line}: {fen}");
        } else {
            for expectation in expectations.split_whitespace() {
                match expectation.split_at(1) {
                    ("+", text) => assert!(position.parse_move(text).is_ok(), "{line}: {text}\n{}", position.draw()),
                    ("-", text) => assert!(position.parse_move(text).is_err(), "{line}: {text}\n{}", position.draw()),
                    _ => assert_eq!(expectation, format!("legal={}", position.perft(1)), "{line}"),
                }
            }
        }
    }
}

/// Lines `name ; FEN ; moves ; preset: ply winner reason points ; …`.
pub fn ends_of_games<V: Variant>(text: &str) {
    let rules = |preset: &str| Rules::<V>::named(preset).expect("a preset");
    for line in lines(text) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        assert!(fields.len() > 3, "{line}: no verdict");
        for verdict in &fields[3..] {
            let (preset, expected) = verdict.split_once(": ").expect("preset and verdict");
            let (game, end) = played(line, rules(preset), fields[1], fields[2]);
            let found = end.as_deref().unwrap_or("none");
            assert_eq!(found, expected, "{line}\npreset {preset}\n{}", game.position().draw());
        }
    }
}

/// Each FEN is refused, with these words.
pub fn boards_that_cannot_be<V: Variant>(fens: &[(&str, &str)]) {
    for (fen, problem) in fens {
        let error = Position::<V>::from_fen(fen).expect_err(fen).to_string();
        assert!(error.contains(problem), "{fen}: {error}");
    }
}
