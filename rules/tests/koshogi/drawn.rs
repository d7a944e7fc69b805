//! The conditional rules on drawn boards: `drawn/*.txt`, one file a rule, one test a file.
//!
//! A file holds cases:
//!
//! ```text
//! == what the rule says
//! besides: G a1 g s19          stones outside the drawing; this is what stands there without the line
//! moves:   before | j10j11     the move played before each drawing; `white` as the first word: White moves
//!          i   j   k  | i  j  k
//!     11   .   p   .  | .  P  .
//!     10   .   P   .  | .  .  .
//! j10: j10i10 j10j9            exactly the moves of that point
//! shots j10k11: k14 n11        exactly the targets of a single shot after that move
//! may: …                       legal moves
//! may not: …                   moves that are not legal
//! after j10j11 may: …          and `may not:`, in the position after a move
//! ends: j10j11 first king_capture
//! ```
//!
//! Only the drawn files and ranks are looked at, and the rest must stay as it was. No game ends unless the
//! case says so, `ends: before …` for the position itself.

use crate::both;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Stones by point, as a FEN writes them.
type Stones = BTreeMap<String, String>;

fn fen(stones: &Stones, side: &str) -> String {
    let row = |rank: i32| {
        let mut items = Vec::new();
        let mut empty = 0;
        for file in 'a'..='s' {
            match stones.get(&format!("{file}{rank}")) {
                None => empty += 1,
                Some(stone) => {
                    if empty > 0 {
                        items.push(empty.to_string());
                    }
                    items.push(stone.clone());
                    empty = 0;
                }
            }
        }
        if empty > 0 {
            items.push(empty.to_string());
        }
        items.join(",")
    };
    let rows: Vec<String> = (1..=19).rev().map(row).collect();
    format!("{} {side} - - 0 1", rows.join("/"))
}

/// `G a1 g s19`.
pub fn listed(text: &str) -> Stones {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.chunks(2).map(|pair| (pair[1].to_owned(), pair[0].to_owned())).collect()
}

/// The FEN of a few stones, Black to move.
pub fn fen_of(stones: &str) -> String {
    fen(&listed(stones), "w")
}

struct Case<'a> {
    title: &'a str,
    besides: Stones,
    white: bool,
    /// The moves at the head of the drawings after the first.
    played: Vec<&'a str>,
    drawings: Vec<Stones>,
    /// Points that are drawn.
    region: BTreeSet<String>,
    /// Everything with a colon: what is asked, and the answer.
    claims: Vec<(&'a str, &'a str)>,
}

fn read_case(text: &str) -> Case<'_> {
    let (title, body) = text.split_once('\n').expect("a title and a body");
    let mut case = Case {
        title: title.trim(),
        besides: listed("G a1 g s19"),
        white: false,
        played: Vec::new(),
        drawings: Vec::new(),
        region: BTreeSet::new(),
        claims: Vec::new(),
    };
    let mut files: Vec<Vec<&str>> = Vec::new();
    for line in body.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        if let Some((asked, answer)) = line.split_once(':') {
            match asked.trim() {
                "besides" => case.besides = listed(answer),
                "moves" => {
                    let mut heads = answer.split('|').map(str::trim);
                    case.white = heads.next().expect("the position before").starts_with("white");
                    case.played = heads.collect();
                    case.drawings = vec![Stones::new(); 1 + case.played.len()];
                }
                asked => case.claims.push((asked, answer.trim())),
            }
            continue;
        }
        let mut columns: Vec<Vec<&str>> = line.split('|').map(|part| part.split_whitespace().collect()).collect();
        assert_eq!(columns.len(), case.drawings.len(), "{title}: {line}");
        if files.is_empty() {
            files = columns;
            continue;
        }
        let rank = columns[0].remove(0);
        for ((drawing, files), cells) in case.drawings.iter_mut().zip(&files).zip(columns) {
            assert_eq!(cells.len(), files.len(), "{title}: {line}");
            for (file, cell) in files.iter().zip(cells) {
                let point = format!("{file}{rank}");
                case.region.insert(point.clone());
                if cell != "." {
                    drawing.insert(point, cell.to_owned());
                }
            }
        }
    }
    case
}

/// The legal moves among some.
fn legal<'a>(moves: &BTreeMap<String, String>, asked: &'a str) -> Vec<&'a str> {
    asked.split_whitespace().filter(|&text| moves.contains_key(text)).collect()
}

fn all_of(text: &str) -> BTreeSet<&str> {
    text.split_whitespace().collect()
}

fn check(case: &Case<'_>) {
    let title = case.title;
    let whole = |drawing: &Stones| {
        let kept = case.besides.iter().filter(|(point, _)| !case.region.contains(*point));
        kept.chain(drawing).map(|(point, stone)| (point.clone(), stone.clone())).collect::<Stones>()
    };
    let (mover, other) = if case.white { ("b", "w") } else { ("w", "b") };
    let before = fen(&whole(&case.drawings[0]), mover);
    let moves = both::moves(&before);
    for (played, drawing) in case.played.iter().zip(&case.drawings[1..]) {
        let next = moves.get(*played).unwrap_or_else(|| panic!("{title}: {played} is not legal in {before}"));
        let board = |fen: &str| fen.split(' ').take(2).collect::<Vec<_>>().join(" ");
        assert_eq!(board(next), board(&fen(&whole(drawing), other)), "{title}: after {played} in {before}");
    }

    let mut ends = BTreeMap::new();
    for &(asked, answer) in &case.claims {
        if asked == "ends" {
            let (when, how) = answer.split_once(' ').expect("a move and an end");
            ends.insert(when, how);
            continue;
        }
        let later = asked.strip_prefix("after ").map(|rest| rest.split_once(' ').expect("a move and a question"));
        let (moves, asked) = match later {
            Some((played, question)) => (&both::moves(&moves[played]), question),
            None => (&moves, asked),
        };
        if asked == "may" {
            assert_eq!(legal(moves, answer).join(" "), answer, "{title}: may, in {before}");
        } else if asked == "may not" {
            assert_eq!(legal(moves, answer), [""; 0], "{title}: may not, in {before}");
        } else if let Some(start) = asked.strip_prefix("shots ") {
            let target = |text: &'_ str| text.strip_prefix(start)?.strip_prefix('x').map(str::to_owned);
            let single = |target: &String| !target.contains('x') && !target.ends_with('+');
            let targets: BTreeSet<String> = moves.keys().filter_map(|text| target(text)).filter(single).collect();
            assert_eq!(targets.iter().map(String::as_str).collect::<BTreeSet<_>>(), all_of(answer), "{title}: {asked}");
        } else {
            // A second point begins with a letter, so `e1` is not found in `e10e9`.
            let of_point = |text: &&str| text.strip_prefix(asked).is_some_and(|to| !to.starts_with(char::is_numeric));
            let found: BTreeSet<&str> = moves.keys().map(String::as_str).filter(of_point).collect();
            assert_eq!(found, all_of(answer), "{title}: moves of {asked} in {before}");
        }
    }
    for when in case.played.iter().chain(ends.keys()).chain(&["before"]) {
        let played: Vec<&str> = if *when == "before" { Vec::new() } else { vec![when] };
        let expected = ends.get(when).map(|&how| how.to_owned());
        let found = both::end(&before, &played).map(|(_, how)| how);
        assert_eq!(found, expected, "{title}: end after {when} in {before}");
    }
}

fn check_file(rule: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/koshogi/drawn").join(format!("{rule}.txt"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cases: Vec<Case<'_>> = text.split("\n== ").skip(1).map(read_case).collect();
    assert!(!cases.is_empty(), "{}: no case", path.display());
    for case in &cases {
        assert!(!case.played.is_empty() || !case.claims.is_empty(), "{}: {} asks nothing", path.display(), case.title);
        check(case);
    }
}

macro_rules! rules_on_boards {
    ($($rule:ident)*) => {
        $(#[test]
        fn $rule() {
            check_file(stringify!($rule));
        })*

        #[test]
        fn every_file_has_its_test() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/koshogi/drawn");
            let files: BTreeSet<String> = std::fs::read_dir(folder)
                .expect("the folder of drawings")
                .map(|file| file.expect("a file").path().file_stem().expect("a name").to_string_lossy().into_owned())
                .collect();
            assert_eq!(files, [$(stringify!($rule).to_owned()),*].into());
        }
    };
}

rules_on_boards! {
    drum priest lamp clerk flame zone killing movers shooting immunity capture winning
}
