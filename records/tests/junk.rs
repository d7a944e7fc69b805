//! No file makes a reader panic, and broken games do not affect others.

use proptest::prelude::*;
use records::{ReadOptions, RecordFormat, read};
use rules::{VariantId, dispatch};

const FILES: [(&str, &str); 8] = [
    ("plain.kif", include_str!("fixtures/plain.kif")),
    ("handicap.kif", include_str!("fixtures/handicap.kif")),
    ("book.ki2", include_str!("fixtures/book.ki2")),
    ("two.csa", include_str!("fixtures/two.csa")),
    ("many.pgn", include_str!("fixtures/many.pgn")),
    ("server.gib", include_str!("fixtures/server.gib")),
    ("page.html", include_str!("fixtures/page.html")),
    ("lists.txt", include_str!("fixtures/lists.txt")),
];

/// Characters that mean something in some format.
const ALPHABET: &str = "[]{}();$%'\"#*&|+-=/\\.,:：・▲△同　歩成打(77)7六まで手投了変化先後上下持駒PIVN00AL\
                        炮二平五馬8進7前後졸병楚漢한쉼.19 abeh10@x!?\n\n\n\u{feff}\u{305}🀄１";

fn character() -> impl Strategy<Value = char> {
    prop_oneof![4 => prop::sample::select(ALPHABET.chars().collect::<Vec<_>>()), 1 => any::<char>()]
}

/// Reads a text as every variant and every format.
fn exercise(file: &str, bytes: &[u8]) {
    for &variant in VariantId::ALL {
        for format in RecordFormat::ALL.iter().map(Some).chain([None]) {
            dispatch!(variant, V => {
                let _ = read::<V>(file, bytes, &ReadOptions { format, ..ReadOptions::default() });
            });
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_text(characters in prop::collection::vec(character(), 0..200)) {
        exercise("x", characters.into_iter().collect::<String>().as_bytes());
    }

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        exercise("x.kif", &bytes);
        exercise("x.gib", &bytes);
    }

    #[test]
    fn damaged_files(
        file in prop::sample::select(FILES.to_vec()),
        edits in prop::collection::vec((0.0..1.0, 0_usize..4, prop::collection::vec(character(), 0..4)), 1..6),
    ) {
        let mut text: Vec<char> = file.1.chars().collect();
        for (share, leave_out, put) in edits {
            let at = (share * (text.len() + 1) as f64) as usize;
            let end = (at + leave_out).min(text.len());
            text.splice(at.min(end)..end, put);
        }
        exercise(file.0, text.into_iter().collect::<String>().as_bytes());
    }
}

#[test]
fn files_without_an_end_are_read_in_a_moment() {
    for piece in [
        "(",
        "{",
        "1.",
        "[",
        "▲",
        "|",
        "[DhtmlXQ_a]",
        "+",
        "9 ",
        "1 a1\n",
        "1-0 1. a1 ",
        "FORMAT WXF\nSTART{",
        "同",
        "%",
        "/\n",
        "\n",
    ] {
        exercise("x", piece.repeat(20_000).as_bytes());
    }
}
