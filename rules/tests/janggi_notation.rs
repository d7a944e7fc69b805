//! The Korean notations of Janggi.

use rules::{Janggi, MoveError, Notation, Position};

fn notation(name: &str) -> &'static Notation<Janggi> {
    Notation::named(name).expect("a notation")
}

/// Position, UCI, Korean, old Korean, other texts. The third row is the example of the Janggi article (Chinese
/// Wikipedia); the letters are Fairy-Stockfish's.
const TABLE: &[(&str, &str, &str, &str, &[&str])] = &[
    ("3k5/9/9/9/5B3/9/9/9/4K4/9 w", "f6c8", "56象33", "五6象三3", &["E56-33"]),
    ("3k5/9/5b3/9/9/9/9/9/4K4/9 b", "f8d5", "36象64", "三6象六4", &["E36-64", " 36 象 64 "]),
    ("3k5/9/9/9/9/9/5B3/9/4K4/9 w", "f4c6", "76象53", "七6象五3", &["E76-53", "E76x53"]),
    ("4k4/9/9/9/9/9/9/9/3K5/R8 w", "a1a10", "01車11", "十1車一1", &["R01-11", "01车11"]),
    ("4k4/9/9/9/9/9/9/9/3K5/R8 w", "d2d2", "94楚94", "九4楚九4", &["K94-94", "한수쉼", "虛手", "94將94"]),
    ("3k5/9/9/9/9/9/9/9/4K4/R8 b", "d10d10", "14漢14", "一4漢一4", &["pass", "14楚14"]),
    ("4k4/9/9/p8/9/9/P8/9/3K5/9 w", "a4b4", "71卒72", "七1卒七2", &["71兵72", "P71-72"]),
    ("4k4/9/9/p8/9/9/P8/9/3K5/9 b", "a7a6", "41兵51", "四1兵五1", &["41卒51"]),
];

#[test]
fn the_table_holds() {
    for &(fen, uci, new, old, others) in TABLE {
        let position = Position::<Janggi>::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let mv = position.parse_move(uci).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(notation("janggi").write(&position, mv), new);
        assert_eq!(notation("janggi-old").write(&position, mv), old);
        for text in [new, old].iter().chain(others) {
            for name in ["janggi", "janggi-old"] {
                assert_eq!(notation(name).read(&position, text), Ok(mv), "{name} {text}");
            }
        }
    }
}

#[test]
fn refusals_tell_what_was_wrong() {
    let start = Position::<Janggi>::start();
    let read = |text| notation("janggi").read(&start, text).expect_err(text);
    assert!(matches!(read("71象72"), MoveError::Illegal { .. }), "a soldier stands there");
    assert!(matches!(read("71卒81"), MoveError::Illegal { .. }), "backwards");
    assert!(matches!(read("70卒72"), MoveError::Malformed(..)), "no file 0");
    assert!(read("h3h5").to_string().contains("expected something like 95楚05"), "{}", read("h3h5"));
}
