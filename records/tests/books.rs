//! Books of other programs: what is written is read, rows as other programs store them, and what is no book.

use records::book::{BookError, BookLine, BookMove, BookPosition, obk, yaneuraou};
use rules::{Game, Move, Position, Rules, Shogi, Variant, Wangqi, Xiangqi};
use rusqlite::{Connection, MAIN_DB};
use std::collections::BTreeSet;

/// The positions of these lines with their moves, the first line's first.
fn book<V: Variant>(lines: &[&str], score: Option<f64>) -> Vec<BookPosition<V>> {
    let mut book: Vec<BookPosition<V>> = Vec::new();
    for line in lines {
        let mut position = Position::<V>::start();
        let moves: Vec<Move> = line
            .split(' ')
            .scan(position.clone(), |position, word| {
                let mv = position.parse_move(word).unwrap();
                position.play(mv);
                Some(mv)
            })
            .collect();
        for (ply, &mv) in moves.iter().enumerate() {
            let reply = moves.get(ply + 1).copied();
            let entry = book.iter().position(|of| of.position.key() == position.key()).unwrap_or_else(|| {
                book.push(BookPosition { position: position.clone(), moves: Vec::new() });
                book.len() - 1
            });
            if !book[entry].moves.iter().any(|of| of.mv == mv) {
                book[entry].moves.push(BookMove { mv, reply, results: [3, 2, 1], score });
            }
            position.play(mv);
        }
    }
    book
}

fn texts<V: Variant>(lines: &[BookLine<V>]) -> BTreeSet<String> {
    let text =
        |line: &BookLine<V>| Game::from_moves(Rules::default(), line.start.clone(), &line.moves).unwrap().moves_text();
    lines.iter().map(text).collect()
}

fn lines_of(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

const SHOGI: [&str; 4] = ["c3c4 g7g6 b2h8+", "c3c4 c7c6", "h3h4 c7c6 h4h5", "f1e2"];
const XIANGQI: [&str; 4] = ["h3e3 h10g8 h1g3 i10h10", "h3e3 h8e8", "c4c5 g7g6 b3c3", "b1c3"];

#[test]
fn a_book_for_yaneuraou_is_read_as_it_was_written() {
    let text = yaneuraou::write(&book::<Shogi>(&SHOGI, None)).unwrap();
    let start = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n\
                 7g7f 3c3d 0 32 6\n2g2f 7c7d 0 32 6\n4i5h none 0 32 6\n";
    assert!(text.starts_with("#YANEURAOU-DB2016 1.00\nsfen ") && text.contains(start), "{text}");
    let sfens: Vec<&str> = text.lines().filter(|line| line.starts_with("sfen ")).collect();
    assert!(sfens.is_sorted() && sfens.len() == 5, "{sfens:?}");
    assert_eq!(texts(&yaneuraou::read::<Shogi>(&text, Rules::default()).unwrap()), lines_of(&SHOGI));
    // Scores are values in hundredths of a pawn: 600 ln(p / (1 - p)).
    let valued = yaneuraou::write(&book::<Shogi>(&["c3c4"], Some(0.75))).unwrap();
    assert!(valued.ends_with("\n7g7f none 659 32 6\n"), "{valued}");
    for (score, value) in [(0.5, "0"), (0.0, "-30000"), (1.0, "30000")] {
        let text = yaneuraou::write(&book::<Shogi>(&["c3c4"], Some(score))).unwrap();
        assert!(text.contains(&format!("none {value} 32")), "{text}");
    }
}

#[test]
fn a_book_of_another_program_for_shogi_is_read() {
    // A byte order mark, comments, fields that are missing, a position that no move reaches, and one that ends there.
    let text = "\u{feff}#YANEURAOU-DB2016 1.00\r\n# NOTE: made by hand\r\n\
                sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\r\n7g7f\r\n7g7f none 5\r\n\r\n\
                // the second\r\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2\r\n3c3d none 0 0
                // 0\r\n\
                sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1\r\n5a6b none 0 32 1\r\nresign none 0 0 0\r\n";
    let lines = yaneuraou::read::<Shogi>(text, Rules::default()).unwrap();
    assert_eq!(texts(&lines), lines_of(&["c3c4 g7g6", "e9d8"]));
    assert!(lines.iter().any(|line| line.start != Position::<Shogi>::start()));
}

#[test]
fn what_is_no_book_for_yaneuraou_is_named_by_its_line() {
    let start = "#YANEURAOU-DB2016 1.00\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n";
    for (text, wanted) in [
        ("", "line 1: \"\" in place of"),
        ("#YANEURAOU-DB2016 2.00\n", "line 1: \"#YANEURAOU-DB2016 2.00\" in place of"),
        ("7g7f none 0 32 1\n", "line 1: \"7g7f none 0 32 1\" in place of"),
        ("#YANEURAOU-DB2016 1.00\n# nothing\n", "line 1: no position follows"),
        ("#YANEURAOU-DB2016 1.00\n7g7f none 0 32 1\n", "line 2: \"7g7f none 0 32 1\" stands before the first position"),
        ("#YANEURAOU-DB2016 1.00\nsfen 9/9 b - 1\n", "line 2: "),
        (&format!("{start}7g7e none 0 32 1\n"), "line 3: \"7g7e\" is not legal"),
        (&format!("{start}7g7f none 0 32 1\n7g"), "line 4: \"7g\" is not a move"),
        (&start[..60], "line 2: "),
    ] {
        let error = yaneuraou::read::<Shogi>(text, Rules::default()).unwrap_err().to_string();
        assert!(error.starts_with(wanted), "{error}");
    }
    assert!(matches!(yaneuraou::read::<Wangqi>(start, Rules::default()), Err(BookError::OtherGame(_))));
    assert!(yaneuraou::write::<Wangqi>(&[]).is_err());
}

fn obk_of(lines: &[&str]) -> Vec<u8> {
    obk::write(&book::<Xiangqi>(lines, None)).unwrap()
}

fn error_of(bytes: &[u8]) -> String {
    obk::read::<Xiangqi>(bytes, Rules::default()).unwrap_err().to_string()
}

/// A database made by these statements.
fn database(statements: &str) -> Vec<u8> {
    let mut database = Connection::open_in_memory().unwrap();
    database.execute_batch(statements).unwrap();
    database.serialize(MAIN_DB).unwrap().to_vec()
}

/// A book after some more statements.
fn changed(bytes: &[u8], statements: &str) -> Vec<u8> {
    let mut database = Connection::open_in_memory().unwrap();
    database.deserialize_read_exact(MAIN_DB, bytes, bytes.len(), false).unwrap();
    database.execute_batch(statements).unwrap();
    database.serialize(MAIN_DB).unwrap().to_vec()
}

#[test]
fn an_obk_book_is_read_as_it_was_written() {
    let bytes = obk_of(&XIANGQI);
    assert_eq!(bytes, obk_of(&XIANGQI), "the same moves give the same bytes");
    assert_eq!(texts(&obk::read::<Xiangqi>(&bytes, Rules::default()).unwrap()), lines_of(&XIANGQI));
    // 炮二平五 in the start position, as other programs look it up.
    let mut found = Connection::open_in_memory().unwrap();
    found.deserialize_read_exact(MAIN_DB, bytes.as_slice(), bytes.len(), true).unwrap();
    let query =
        "SELECT vscore, vwin, vdraw, vlost, vvalid FROM bhobk WHERE vkey = 7101337512282506414 AND vmove = 43687";
    let row = found.query_row(query, [], |row| Ok([0, 1, 2, 3, 4].map(|at| row.get::<_, i64>(at).unwrap())));
    assert_eq!(row.unwrap(), [6, 3, 2, 1, 1]);
    let black = "SELECT count(*) FROM bhobk WHERE typeof(vkey) = 'real' AND cast(vkey AS double) = ?1";
    let key = f64::from_bits(0xa1ea_d1f6_470e_07ee);
    assert_eq!(found.query_row(black, [key], |row| row.get::<_, i64>(0)).unwrap(), 2, "two replies to it");
    let scored = obk::write(&book::<Xiangqi>(&["h3e3"], Some(0.5432))).unwrap();
    let mut found = Connection::open_in_memory().unwrap();
    found.deserialize_read_exact(MAIN_DB, scored.as_slice(), scored.len(), true).unwrap();
    assert_eq!(found.query_row("SELECT vscore FROM bhobk", [], |row| row.get::<_, i64>(0)).unwrap(), 5432);
}

#[test]
fn rows_are_read_as_other_programs_store_them() {
    let bytes = obk_of(&["h3e3 h10g8"]);
    // Keys as negative whole numbers, and a row that is switched off, whose move is none.
    let signed = changed(
        &bytes,
        &format!(
            "UPDATE bhobk SET vkey = {} WHERE typeof(vkey) = 'real'; \
             INSERT INTO bhobk(vkey, vmove, vvalid) VALUES (7101337512282506414, 1, 0)",
            0xa1ea_d1f6_470e_07ee_u64 as i64
        ),
    );
    assert_eq!(texts(&obk::read::<Xiangqi>(&signed, Rules::default()).unwrap()), lines_of(&["h3e3 h10g8"]));
    // With a write-ahead log, as programs leave books behind that they had open.
    let mut logged = bytes.clone();
    logged[18..20].copy_from_slice(&[2, 2]);
    assert_eq!(texts(&obk::read::<Xiangqi>(&logged, Rules::default()).unwrap()), lines_of(&["h3e3 h10g8"]));
    // The mirror image of a position is found, and its moves are mirrored.
    let mirrored = changed(&bytes, "UPDATE bhobk SET vmove = 0xa4a7 WHERE vkey = 7101337512282506414");
    assert_eq!(texts(&obk::read::<Xiangqi>(&mirrored, Rules::default()).unwrap()), lines_of(&["b3e3 b10c8"]));
}

#[test]
fn what_is_no_obk_book_is_refused() {
    let bytes = obk_of(&XIANGQI);
    for length in (0..bytes.len()).step_by(97) {
        let error = error_of(&bytes[..length]);
        let is_said = ["no SQLite", "damaged or cut off", "is cut off: ", "no table bhobk"];
        assert!(is_said.iter().any(|words| error.contains(words)), "{length}: {error}");
    }
    assert!(error_of(b"startpos moves h3e3\n").contains("no SQLite database"));
    for statements in [
        "CREATE TABLE book(key BLOB, move INTEGER)",
        "CREATE TABLE bhobk(vkey INTEGER, vmove INTEGER)",
        "CREATE VIEW bhobk AS SELECT 1 AS vkey, 1 AS vmove, 1 AS vvalid",
        "CREATE TABLE bhobk(vkey INTEGER, vvalid INTEGER, vmove INTEGER AS (vkey + 1))",
    ] {
        let error = error_of(&database(statements));
        assert!(error.contains("no table bhobk with the columns of an .obk book"), "{statements}: {error}");
    }
    let empty = error_of(&database("CREATE TABLE bhobk(vkey INTEGER, vmove INTEGER, vvalid INTEGER)"));
    assert!(empty.contains("no move of the start position"), "{empty}");
    for vmove in ["0x3333", "-1", "'炮二平五'", "NULL", "99999999999", "0xaaac"] {
        let insert = format!("INSERT INTO bhobk(id, vkey, vmove, vvalid) VALUES (77, 7101337512282506414, {vmove}, 1)");
        let error = error_of(&changed(&bytes, &insert));
        assert!(
            error.starts_with("table bhobk, row 77: vmove ") && error.contains(" is no legal move in rnbakabnr/"),
            "{error}"
        );
    }
    assert!(matches!(obk::read::<Shogi>(&bytes, Rules::default()), Err(BookError::OtherGame(_))));
}

#[test]
fn no_changed_byte_panics() {
    let bytes = obk_of(&XIANGQI);
    // The head with the list of tables in full, and some of the rest.
    for at in (0..1_024).chain((1_024..bytes.len()).step_by(23)) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1 << (at % 8);
        // An error or a book with other rows.
        let _ = obk::read::<Xiangqi>(&bytes, Rules::default());
    }
}
