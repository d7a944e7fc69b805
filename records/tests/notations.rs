//! The same game in all notations that another program writes must be the same game.

use records::pgn::{notation_named, write_annotated};
use records::{Annotation, ReadOptions, TaggedGame, Tags, read};
use rules::{Game, Notation, Position, Rules, Shogi, Variant, VariantId, Wangqi, Xiangqi, dispatch};

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

/// The PGN of a game from a position, its moves in this notation.
fn written<V: Variant>(fen: &str, moves: &str, notation: &'static Notation<V>, said: &[Annotation]) -> String {
    let start = Position::from_fen(fen).expect("a position");
    let game = Game::from_moves_text(Rules::default(), start, moves).expect("legal moves");
    let mut text = String::new();
    write_annotated(&mut text, &TaggedGame { line: 1, tags: Tags::default(), game, outcome: None }, notation, said);
    text
}

#[test]
fn pgn_names_its_notation() {
    // b2c2 is a move of one chariot by UCI, and of the other by UCCI.
    let fen = "3k5/9/9/9/9/9/9/1R7/1R7/5K3 w - - 0 1";
    let moves = |text: &str| {
        let contents = read::<Xiangqi>("x.pgn", text.as_bytes(), &ReadOptions::default()).expect("a record");
        assert_eq!(contents.problems, [], "{text}");
        contents.records[0].game.moves_text()
    };
    for (name, tag, text) in [
        ("uci", "", "1. b3c3 *"),
        ("ucci", "[Format \"ICCS\"]\n", "1. b2c2 *"),
        ("chinese", "[Format \"Chinese\"]\n", "1. 前俥平七 *"),
        ("wxf", "[Format \"WXF\"]\n", "1. R+=7 *"),
    ] {
        let notation = notation_named::<Xiangqi>(name).expect("a notation of PGN");
        let mistake = Annotation { glyph: Some("$2"), comment: "better R-=7 (1. R+1".to_owned() };
        assert_eq!(moves(&written(fen, "b3c3", notation, &[mistake])), "b3c3", "{name} with a comment");
        let written = written(fen, "b3c3", notation, &[]);
        assert!(written.contains(&format!("[RuleSet \"full\"]\n{tag}[SetUp")), "{written}");
        let first = if name == "uci" { "[Event \"?\"]\n" } else { "[Game \"Chinese Chess\"]\n[Event \"?\"]\n" };
        assert!(written.starts_with(first), "{written}");
        assert_eq!(
            (written.contains("[Red \"?\"]"), written.contains("[White \"?\"]")),
            (name != "uci", name == "uci")
        );
        assert!(written.ends_with(&format!("\n\n{text}\n\n")), "{written}");
        assert_eq!(moves(&written), "b3c3", "{name}");
    }
    let pgn = |format: &str, text: &str| format!("[FEN \"{fen}\"]\n[Format \"{format}\"]\n\n1. {text} *\n");
    assert_eq!(moves(&pgn("iccs", "b2c2")), "b3c3");
    assert_eq!(moves(&pgn("unheard of", "b2c2")), "b2c2", "UCI comes before other notations");
    assert_eq!(moves(&pgn("WXF", "B2-C2")), "b3c3", "the tag may be wrong");
}

#[test]
fn what_pgn_cannot_have_is_refused() {
    let error = notation_named::<Wangqi>("wxf").unwrap_err().to_string();
    assert_eq!(error, "wangqi has no notation \"wxf\"; there are: uci");
    let error = notation_named::<Shogi>("wxf").unwrap_err().to_string();
    assert_eq!(error, "shogi has no notation \"wxf\"; there are: uci, usi, ki2, csa");
    let error = notation_named::<Shogi>("kif").unwrap_err().to_string();
    assert_eq!(
        error,
        "PGN cannot have moves in kif, because brackets as in ７六歩(77) begin a variation; there are: uci, usi, ki2, csa"
    );
    // Of three horses the middle one goes straight ahead, for which KI2 has no word: it needs a bracket.
    let fen = "1k7/9/9/9/9/3+B+B+B3/9/9/8K[] w - - 0 1";
    let ki2 = Notation::<Shogi>::named("ki2").expect("a notation");
    let text = written(fen, "e4e5", ki2, &[]);
    assert!(text.ends_with("\n\n1. e4e5 *\n\n") && !text.contains("Format"), "{text}");
    let text = written(fen, "d4e5", ki2, &[]);
    assert!(text.contains("[Format \"ki2\"]\n") && text.ends_with("1. ▲５五馬左 *\n\n"), "{text}");
}
