//! USI, SFEN, KIF, KI2 and CSA: a table from another program, and what the Japanese association's page says.

use rules::{Move, MoveError, Notation, Position, PositionFormat, Shogi};

/// Random moves, written by cshogi: SFEN, USI, CSA and KIF in columns.
const TABLE: &str = include_str!("notation.txt");

fn notation(name: &str) -> &'static Notation<Shogi> {
    Notation::named(name).expect("a notation")
}

fn read(name: &str, position: &Position<Shogi>, text: &str) -> Move {
    notation(name).read(position, text).unwrap_or_else(|error| panic!("{}: {name} {text}: {error}", position.fen()))
}

fn position(text: &str) -> Position<Shogi> {
    Position::from_text(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// cshogi writes the small promoted pieces in one character; KIF files have two.
fn in_full(text: &str) -> String {
    text.replace('杏', "成香").replace('圭', "成桂").replace('全', "成銀")
}

#[test]
fn another_program_writes_the_same() {
    let sfen = PositionFormat::<Shogi>::named("sfen").expect("a format");
    let mut rows = 0;
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [text, moves @ ..] = &columns[..] else { panic!("{line}") };
        let position = position(text);
        assert_eq!(sfen.write(&position), *text);
        let mv = read("usi", &position, moves[0]);
        for (name, text) in ["usi", "csa", "kif"].into_iter().zip(moves) {
            assert_eq!(notation(name).write(&position, mv), in_full(text), "{line}");
            assert_eq!(read(name, &position, text), mv, "{line}");
        }
        rows += 1;
    }
    assert!(rows > 60, "{rows} rows");
}

#[test]
fn sfen_is_fen_with_the_colours_changed() {
    for (sfen, fen) in [
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", Position::<Shogi>::start().fen().as_str()),
        ("4k4/9/9/9/9/9/9/9/4K4 w 2P2g3p 8", "4k4/9/9/9/9/9/9/9/4K4[PPggppp] b - - 0 4"),
        ("sfen 4k4/9/9/9/9/9/9/9/4K4 b R2Bgnlp 9", "4k4/9/9/9/9/9/9/9/4K4[RBBgnlp] w - - 0 5"),
        ("4k4/9/9/9/9/9/9/9/4K4 w -", "4k4/9/9/9/9/9/9/9/4K4[] b - - 0 1"),
    ] {
        assert_eq!(position(sfen), position(fen), "{sfen}");
    }
    // Two fields are a FEN, whose `b` is the second player.
    assert_eq!(position("4k4/9/9/9/9/9/9/9/4K4 b").side(), rules::Side::Second);
    for (text, names) in [
        ("4k4/9/9/9/9/9/9/9/4K4 x - 1", "side (SFEN)"),
        ("4k4/9/9/9/9/9/9/9/4K4 b 19P 1", "count 19"),
        ("4k4/9/9/9/9/9/9/9/4K4 b 2 1", "ends with a count"),
        ("4k4/9/9/9/9/9/9/9/4K4 b P -1", "move number (SFEN)"),
        ("4k4/9/9/9/9/9/9/9/4K4 b K 1", "hands"),
        ("4k4/9/9/9/9/9/9/9/4K4 b - 1 1", "5 fields"),
    ] {
        let error = Position::<Shogi>::from_text(text).expect_err(text).to_string();
        assert!(error.contains(names), "{text}: {error}");
    }
}

#[test]
fn usi_is_uci_turned() {
    let start = Position::<Shogi>::start();
    assert_eq!(start.format_move(read("usi", &start, "7g7f")), "c3c4");
    let drop = position("4k4/9/9/9/9/9/9/9/4K4 b P 1");
    assert_eq!(drop.format_move(read("usi", &drop, "P*5e")), "P@e5");
    assert!(matches!(notation("usi").read(&start, "7g7d"), Err(MoveError::Illegal { .. })));
    assert!(matches!(notation("usi").read(&start, "p*5e"), Err(MoveError::Malformed(..))));
    assert!(matches!(notation("csa").read(&start, "-7776FU"), Err(MoveError::Illegal { .. })), "not White's turn");
    assert_eq!(read("csa", &start, "7776FU"), read("usi", &start, "7g7f"));
}

/// Position (SFEN board, sente to move), moves in USI and how the association has them written
/// (shogi.or.jp/faq/kihuhyouki.html: the way of going before the side, 直 for golds and silvers alone, two far-moving
/// pieces told apart by the side from each other, 打 only where a piece on the board could go too).
const ASSOCIATION: &[(&str, &[(&str, &str)])] = &[
    // One forward, one sideways or back.
    ("4k4/9/G8/2G6/9/9/9/9/4K4 b - 1", &[("9c8b", "▲８二金"), ("9c9b", "▲９二金")]),
    ("4k4/G8/1G7/9/9/9/9/9/4K4 b - 1", &[("9b8b", "▲８二金寄"), ("8c8b", "▲８二金上")]),
    ("4k4/9/9/9/3S5/9/5S3/9/4K4 b - 1", &[("6e5f", "▲５六銀引"), ("4g5f", "▲５六銀上")]),
    // Both the same way: left and right, or straight.
    ("4k4/9/9/9/9/9/9/9/K2G1G3 b - 1", &[("6i5h", "▲５八金左"), ("4i5h", "▲５八金右")]),
    ("4k4/9/9/9/9/9/9/9/K2GG4 b - 1", &[("6i5h", "▲５八金左"), ("5i5h", "▲５八金直")]),
    ("k8/9/3GGG3/9/9/9/9/9/K8 b - 1", &[("6c5b", "▲５二金左"), ("5c5b", "▲５二金直"), ("4c5b", "▲５二金右")]),
    // Three and more: both.
    (
        "4k4/9/9/9/3S1S3/9/3S1S3/9/4K4 b - 1",
        &[("6e5f", "▲５六銀左引"), ("4e5f", "▲５六銀右引"), ("6g5f", "▲５六銀左上"), ("4g5f", "▲５六銀右上")],
    ),
    // Horses and dragons: never 直.
    ("+B+B2k4/9/9/9/9/9/9/9/4K4 b - 1", &[("9a8b", "▲８二馬左"), ("8a8b", "▲８二馬右")]),
    ("4k4/9/9/9/9/9/9/9/4K2+R+R b - 1", &[("2i2h", "▲２八龍左"), ("1i2h", "▲２八龍右")]),
    // Promoting or not, where there is the choice.
    ("4k4/9/9/4S4/9/9/9/9/4K4 b - 1", &[("5d5c", "▲５三銀不成"), ("5d5c+", "▲５三銀成"), ("5d4e", "▲４五銀")]),
    ("8k/P8/9/9/9/9/9/9/4K4 b - 1", &[("9b9a+", "▲９一歩成")]),
    // A drop where a piece on the board could go, and where none could.
    ("4k4/9/9/9/9/9/9/9/K2G5 b G 1", &[("G*6h", "▲６八金打"), ("6i6h", "▲６八金"), ("G*5e", "▲５五金")]),
    // Gote sees left and right from the other side.
    ("k2g1g3/9/9/9/9/9/9/9/4K4 w - 1", &[("6a5b", "△５二金右"), ("4a5b", "△５二金左")]),
];

#[test]
fn ki2_tells_pieces_apart_as_the_association_does() {
    for (sfen, moves) in ASSOCIATION {
        let position = position(sfen);
        for (usi, ki2) in *moves {
            let mv = read("usi", &position, usi);
            assert_eq!(notation("ki2").write(&position, mv), *ki2, "{sfen}");
            assert_eq!(read("ki2", &position, ki2), mv, "{sfen}");
        }
    }
}

#[test]
fn other_spellings_are_read() {
    let start = Position::<Shogi>::start();
    for text in ["７六歩(77)", "76歩(77)", "▲７六歩(77)", "七六歩(77)", " ☗７六 歩(77) "] {
        assert_eq!(read("kif", &start, text), read("usi", &start, "7g7f"), "{text}");
    }
    let dragons = position("4k4/9/9/9/9/9/9/9/4K2+R+R b - 1");
    assert_eq!(read("ki2", &dragons, "２八竜左"), read("usi", &dragons, "2i2h"));
    let taken = position("4k4/9/9/9/4p4/4P4/9/9/4K4 b - 1");
    assert_eq!(read("ki2", &taken, "▲同　歩"), read("usi", &taken, "5f5e"));
    assert_eq!(read("kif", &taken, "同　歩(56)"), read("usi", &taken, "5f5e"));
    let two = position("4k4/9/9/9/9/9/9/9/K2G1G3 b - 1");
    let error = notation("ki2").read(&two, "▲５八金").expect_err("two golds").to_string();
    assert!(error.contains("▲５八金左, ▲５八金右") || error.contains("▲５八金右, ▲５八金左"), "{error}");
}
