//! XQF and CBL: what comes out of files with variations and comments, of damaged ones, and that none of them panics.

mod encoder;

use self::encoder::{EncodedGame, cbl, cbr, old_cbl, old_record, xqf};
use proptest::prelude::*;
use records::{ReadOptions, RecordContents, RecordFormat, TextEncoding, read};
use rules::{Position, Shogi, Xiangqi};

const OPENING: [&str; 6] = ["h2e2", "h9g7", "h0g2", "i9h9", "i0h0", "g6g5"];
/// The same moves as this engine counts ranks, from 1.
const OPENING_TEXT: &str = "h3e3 h10g8 h1g3 i10h10 i1h1 g7g6";
const SEEDS: [u8; 3] = [0x2e, 0x97, 0xd5];

fn opening(result: u8) -> EncodedGame {
    EncodedGame::line(&OPENING, result, ["许银川", "吕钦"])
}

fn games(file: &str, bytes: &[u8]) -> RecordContents<Xiangqi> {
    read(file, bytes, &ReadOptions::default()).expect("a record")
}

/// The messages about the games that were left out.
fn said(contents: &RecordContents<Xiangqi>) -> Vec<String> {
    contents.problems.iter().map(ToString::to_string).collect()
}

/// Checks that these are the games of [`opening`], with the results 1, 2, 3, ….
fn is_opening(contents: &RecordContents<Xiangqi>, format: &str, games: usize) {
    assert_eq!((contents.format.name, said(contents)), (format, vec![]));
    assert_eq!(contents.records.len(), games);
    for (number, record) in (1..).zip(&contents.records) {
        assert_eq!((record.game.moves_text().as_str(), record.line), (OPENING_TEXT, number));
        assert_eq!(record.game.start_position(), &Position::start());
        let tags = &record.tags;
        let tags = [&tags.first, &tags.second, &tags.event, &tags.site, &tags.date].map(Option::as_deref);
        assert_eq!(tags, [Some("许银川"), Some("吕钦"), Some("杯赛"), Some("北京"), Some("1997年5月1日")]);
        let result = record.outcome.map(|outcome| (outcome.result.number(), outcome.termination.name()));
        assert_eq!(result, [Some((1, "resign")), Some((-1, "resign")), Some((0, "adjudicated")), None][number - 1]);
    }
}

#[test]
fn xqf_of_all_versions() {
    for version in [1, 10, 11, 12, 13, 16, 18] {
        for seeds in [SEEDS, [0, 0, 0], [255, 128, 1]] {
            let file = xqf(&opening(1), version, seeds);
            // The name does not decide the format.
            is_opening(&games("game.bin", &file), "xqf", 1);
        }
    }
    let encoding = games("game.xqf", &xqf(&opening(1), 18, SEEDS)).encoding;
    assert_eq!(encoding, TextEncoding::named("gb18030").expect("an encoding"));
}

/// The texts of a file may be in another encoding, which is asked for.
#[test]
fn xqf_in_another_encoding() {
    let mut file = xqf(&opening(1), 18, SEEDS);
    let (name, _, _) = encoding_rs::BIG5.encode("許銀川");
    file[305..305 + name.len()].copy_from_slice(&name);
    let encoding = Some(TextEncoding::named("big5").expect("an encoding"));
    let contents =
        read::<Xiangqi>("game.xqf", &file, &ReadOptions { encoding, ..ReadOptions::default() }).expect("a record");
    assert_eq!(contents.records[0].tags.first.as_deref(), Some("許銀川"));
}

#[test]
fn cbr_and_cbl() {
    is_opening(&games("game.bin", &cbr(&opening(1))), "cbl", 1);
    let mut long = opening(2);
    // A comment that makes the record longer than a place of the library.
    long.root.comment = Box::leak("长".repeat(3000).into_boxed_str());
    let deleted = (cbr(&opening(3)), true);
    let file = cbl(&[(cbr(&opening(1)), false), deleted, (cbr(&long), false), (cbr(&opening(3)), false)]);
    is_opening(&games("library.bin", &file), "cbl", 3);
}

#[test]
fn old_libraries_of_every_compression() {
    let records = [old_record(&opening(1)), old_record(&opening(2)), old_record(&opening(3))];
    for way in 0..=4 {
        is_opening(&games("library.bin", &old_cbl(&records, way)), "cbl", 3);
    }
}

/// An ending from a position of its own, in which Black moves first though the file does not say so.
#[test]
fn positions() {
    let mut tree = EncodedGame::line(&["e9f9", "d0e0"], 0, ["", ""]);
    tree.pieces = [255; 32];
    (tree.pieces[4], tree.pieces[20], tree.pieces[11]) = (30, 49, 77);
    for file in [xqf(&tree, 18, SEEDS), xqf(&tree, 10, SEEDS), cbr(&tree), old_cbl(&[old_record(&tree)], 0)] {
        let contents = games("ending", &file);
        assert_eq!(said(&contents), Vec::<String>::new());
        let record = &contents.records[0];
        assert_eq!(record.game.start_position().fen(), "4k4/9/7P1/9/9/9/9/9/9/3K5 b - - 0 1");
        assert_eq!((record.game.moves_text().as_str(), record.outcome), ("e10f10 d1e1", None));
        assert_eq!(record.tags.first, None);
    }
}

/// Each damage is named with its place, and affects no other game.
#[test]
fn damaged_files_are_named() {
    let whole = xqf(&opening(1), 18, SEEDS);
    let with = |at: usize, byte: u8| [&whole[..at], &[byte], &whole[at + 1..]].concat();
    let one = |bytes: &[u8]| match said(&games("a.xqf", bytes)).as_slice() {
        [problem] => problem.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(one(&whole[..900]), "a.xqf:1: broken record: it ends at byte 900, within the head of 1024");
    let cut = one(&whole[..1024 + 10]);
    assert!(cut.starts_with("a.xqf:1: broken record: ") && cut.contains("at byte 1024"), "{cut}");
    let keys = one(&with(13, 1));
    assert_eq!(keys, "a.xqf:1: broken record: the keys in bytes 12 to 15 do not add up to 0");
    let twice = one(&[&whole[..16], &[whole[17]], &whole[17..]].concat());
    assert!(twice.starts_with("a.xqf:1: start position: byte "), "{twice}");
    assert_eq!(one(b"no game"), "a.xqf:1: broken record: it does not begin with XQ");
    assert_eq!(one(b"\0\0\0\0"), "a.xqf:1: broken record: it does not begin with XQ");
    let illegal = EncodedGame::line(&["h2e2", "h9h5"], 1, ["", ""]);
    let illegal = one(&xqf(&illegal, 18, SEEDS));
    assert!(illegal.starts_with("a.xqf:1: illegal move: move 2: "), "{illegal}");

    let record = cbr(&opening(1));
    let mut no_piece = record.clone();
    no_piece[2120] = 0x18;
    let mut outside = record.clone();
    let moves = outside.len() - 4;
    outside[moves + 2] = 90;
    let mut library = cbl(&[(record.clone(), false), (no_piece, false), (record.clone(), false), (outside, false)]);
    let contents = games("a.cbl", &library);
    assert_eq!(contents.records.iter().map(|record| record.line).collect::<Vec<_>>(), [1, 3, 4], "a variation is off");
    assert_eq!(said(&contents), ["a.cbl:2: start position: byte 75600 is 24, which is no piece"]);
    let first = 66_624 + 10 * 276;
    library.truncate(first + 4096 + 2000);
    let contents = games("a.cbl", &library);
    assert_eq!(contents.records.len(), 1);
    assert_eq!(
        said(&contents),
        ["a.cbl:2: broken record: the record at byte 73480 ends at byte 75480, before its moves"]
    );
    let empty = &cbl(&[])[..];
    assert_eq!(said(&games("a.cbl", empty)), ["a.cbl:1: broken record: the library has no record"]);
}

/// A file of a few kilobytes may claim millions of records; each one would take memory.
#[test]
fn records_that_hold_nothing_end_the_library() {
    let bomb = |record: &[u8], count: usize| old_cbl(&vec![record.to_vec(); count], 3);
    let file = bomb(&[5, 0, 0, 0, 0], 2_000_000);
    assert!(file.len() < 100_000);
    let problems = said(&games("a.cbl", &file));
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].contains("record 1 at byte") && problems[0].contains("has 5 bytes; a record has at least"),
        "{problems:?}"
    );
    // The smallest record there can be, more often than is read.
    let mut record = vec![0_u8; 143];
    record[0] = 143;
    let mut count = 0;
    let mut last = String::new();
    let options = ReadOptions::<Xiangqi>::default();
    records::read_each("a.cbl", &bomb(&record, 600_000), &options, |game| {
        count += 1;
        last = game.map_or_else(|problem| problem.to_string(), |_| String::new());
    })
    .expect("a record");
    assert_eq!(count, 500_001);
    assert!(last.starts_with("a.cbl:500001: too many games in a file: "), "{last}");
}

#[test]
fn damaged_old_libraries_are_named() {
    let record = old_record(&opening(1));
    let with = |at: usize, byte: u8| [&record[..at], &[byte], &record[at + 1..]].concat();
    // Two pieces on a point; a first move that ends in hand.
    let first_move = record.windows(6).position(|bytes| bytes == [1, 0, 0x77, 0x47, 0, 0]).expect("the first move");
    let records = [record.clone(), with(5, record[4]), with(first_move + 3, 0x4a), record.clone()];
    let library = old_cbl(&records, 0);
    let contents = games("a.cbl", &library);
    assert_eq!(contents.records.iter().map(|record| record.line).collect::<Vec<_>>(), [1, 4]);
    let start = library.len() - 20 - 3 * record.len();
    let wrong_piece =
        format!("a.cbl:2: start position: byte {} is {:#04x}, which is no free point", start + 5, record[4]);
    let beside = start + record.len() + first_move;
    let wrong_move =
        format!("a.cbl:3: broken record: the move at byte {beside} names a point that is not on the board");
    assert_eq!(said(&contents), [wrong_piece, wrong_move]);

    let cut = games("a.cbl", &library[..library.len() - 1]);
    assert_eq!(cut.records.len(), 1);
    assert!(said(&cut)[2].starts_with("a.cbl:4: broken record: record 4 at byte "), "{:?}", said(&cut));
    let mut newer = library.clone();
    newer[8] = 0x16;
    let newer = said(&games("a.cbl", &newer));
    assert_eq!(newer, ["a.cbl:1: broken record: the library has version 22 of the format, and only 21 is known"]);
    let packed = old_cbl(&records, 3);
    let torn = said(&games("a.cbl", &packed[..packed.len() / 2]));
    assert!(torn.len() == 1 && torn[0].contains("it cannot be decompressed"), "{torn:?}");
    let mut large = packed.clone();
    large[16..20].copy_from_slice(&[0xff; 4]);
    let large = said(&games("a.cbl", &large));
    assert!(large.len() == 1 && large[0].contains("4294967295 bytes without compression"), "{large:?}");
    assert_eq!(said(&games("a.cbl", &old_cbl(&[], 1))), ["a.cbl:1: broken record: the library has no record"]);
}

#[test]
fn other_games_are_refused() {
    for file in [xqf(&opening(1), 18, SEEDS), cbr(&opening(1))] {
        let error = read::<Shogi>("a", &file, &ReadOptions::default()).unwrap_err().to_string();
        assert!(error.contains("which records no games of shogi"), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Bytes that are turned over, left out and cut off: no panic, and each game is read or named.
    #[test]
    fn damaged_bytes(
        which in 0_usize..6,
        edits in prop::collection::vec((0.0..1.0, any::<u8>(), 0_usize..3), 1..8),
        kept in prop_oneof![3 => Just(1.0), 1 => 0.0..1.0],
    ) {
        let tree = opening(1);
        let mut bytes = match which {
            0 => xqf(&tree, 10, SEEDS),
            1 => xqf(&tree, 18, SEEDS),
            2 => cbr(&tree),
            3 => cbl(&[(cbr(&tree), false), (cbr(&opening(2)), false)]),
            which => old_cbl(&[old_record(&tree), old_record(&opening(2))], which as u8 - 4),
        };
        for (share, byte, leave_out) in edits {
            // Most of a library is its index, which is not read.
            let from = if which == 3 { 66_624_usize } else { 0 };
            let at = from + (share * (bytes.len() - from) as f64) as usize;
            let end = (at + leave_out).min(bytes.len());
            bytes.splice(at..end, [byte]);
        }
        bytes.truncate((kept * bytes.len() as f64) as usize);
        let name = ["xqf", "xqf", "cbl", "cbl", "cbl", "cbl"][which];
        let format = Some(RecordFormat::named(name).expect("a format"));
        let contents = read::<Xiangqi>("x", &bytes, &ReadOptions { format, ..ReadOptions::default() }).expect("read");
        let found = contents.records.len() + contents.problems.len();
        // A damaged number of records asks for a third one.
        prop_assert!((1..=3).contains(&found), "{contents:?}");
        let _ = read::<Xiangqi>("x", &bytes, &ReadOptions::default());
    }
}
