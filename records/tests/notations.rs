//! The same game in all notations that another program writes must be the same game.

use records::{ReadOptions, read};
use rules::{Game, Position, Rules, Variant, VariantId, dispatch};

const GAMES: &str = include_str!("fixtures/fairy-stockfish.txt");

fn lines() -> impl Iterator<Item = (VariantId, &'static str, &'static str)> {
    GAMES.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (head, moves) = line.split_once(": ").expect("a head");
        let (variant, notation) = head.split_once(' ').expect("a variant and a notation");
        (variant.parse().expect("a variant"), notation, moves)
    })
}

fn played<V: Variant>(moves: &str) -> Game<V> {
    Game::from_moves_text(Rules::default(), Position::start(), moves).expect("legal moves")
}

/// A PGN of these moves.
fn pgn(moves: &str) -> String {
    let words: Vec<&str> = moves.split(' ').collect();
    let numbered = words.chunks(2).enumerate().map(|(at, pair)| format!("{}. {}", at + 1, pair.join(" ")));
    let movetext: Vec<String> = numbered.collect();
    format!("[Event \"test\"]\n[Result \"0-1\"]\n\n{} 0-1\n", movetext.join("\n"))
}

#[test]
fn every_notation_of_fairy_stockfish_gives_the_same_game() {
    let mut checked = 0;
    for (variant, notation, moves) in lines() {
        let (_, _, uci) = lines().find(|line| (line.0, line.1) == (variant, "uci")).expect("the moves in UCI");
        dispatch!(variant, V => {
            let wanted = played::<V>(uci);
            for (file, text) in [("game.pgn", pgn(moves)), ("game.txt", format!("{moves}\n"))] {
                let contents = read::<V>(file, text.as_bytes(), &ReadOptions::default()).expect("a record");
                assert_eq!(contents.problems, [], "{variant} {notation} {file}");
                assert_eq!(contents.records.len(), 1, "{variant} {notation} {file}");
                assert_eq!(contents.records[0].game.moves_text(), wanted.moves_text(), "{variant} {notation} {file}");
            }
        });
        checked += 1;
    }
    assert_eq!(checked, 14);
}
