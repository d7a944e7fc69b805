//! Logs whose order matters: each line is bound to the one before it, so a line that is missing, doubled or moved is named.

use crate::line_log::{Chained, alone, batches, in_folder, note, notes};
use data::{DataError, LineFault, LineLog};
use std::fs;

/// The first 16 hex digits of the BLAKE3.
fn checksum(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

/// A line of a chain, and its checksum.
fn chained(place: &str, json: &str) -> (String, String) {
    let hashed = format!(r#""line":"{place}","note":{json}"#);
    let digest = checksum(&hashed);
    (format!("{{\"blake3\":\"{digest}\",{hashed}}}\n"), digest)
}

#[test]
fn a_line_of_a_chain_has_its_number_and_the_checksum_of_the_line_before() {
    let (_folder, path) = in_folder();
    let json = |number: u64| serde_json::to_string(&note(number)).unwrap();
    let (mut log, _) = LineLog::open(&path).unwrap();
    log.append(&Chained(note(0))).unwrap();
    drop(log);
    LineLog::open(&path).unwrap().0.append(&Chained(note(1))).unwrap();
    let (first, digest) = chained("00000001/0000000000000000", &json(0));
    let (second, digest) = chained(&format!("00000002/{digest}"), &json(1));
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{first}{second}"));
    assert_eq!(LineLog::<Chained>::first(&path).unwrap(), Some(Chained(note(0))));
    // Appended together, they have their place in the batch as well.
    LineLog::open(&path).unwrap().0.append_all(&notes::<Chained>(2..4)).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let third = text.lines().nth(2).unwrap();
    assert!(third[29..].starts_with(&format!(r#""line":"00000003/{digest}","batch":"00000000/"#)), "{third}");
    assert_eq!(LineLog::<Chained>::read(&path).unwrap().entries, notes(0..4));
    LineLog::replace(&path, &notes::<Chained>(0..2)).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), first + &second);
}

/// Whatever line is missing before the last one, doubled or moved, the first that does not follow is named. Repair puts them
/// in the order in which they were written, each once.
#[test]
fn lines_that_are_missing_doubled_or_moved_are_named_and_put_in_order() {
    let (_folder, path) = in_folder();
    let (bytes, _) = batches::<Chained>(&path);
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let check = |changed: &[&[u8]], at: usize, lost: &[usize]| {
        fs::write(&path, changed.concat()).unwrap();
        for error in [LineLog::<Chained>::read(&path).unwrap_err(), LineLog::<Chained>::open(&path).unwrap_err()] {
            let is_named = matches!(error, DataError::Line { line, fault: LineFault::Order { .. }, .. } if line == at);
            assert!(is_named && error.to_string().contains("--repair"), "line {at}: {error}");
        }
        assert_eq!(fs::read(&path).unwrap(), changed.concat(), "what is damaged stays as it is");
        let salvaged = data::repair::salvage::<Chained>(&path).unwrap();
        assert!(!salvaged.is_clean() && !salvaged.what().is_empty());
        assert_eq!(salvaged.lost, lost, "line {at}: {}", salvaged.what());
        let kept: Vec<u64> = salvaged.entries.iter().map(|(_, note)| note.0.number).collect();
        let there: Vec<u64> = (0..6).filter(|number| !lost.contains(&(*number as usize + 1))).collect();
        assert_eq!(kept, there, "line {at}");
    };
    for at in 0..lines.len() {
        if at + 1 < lines.len() {
            check(&[&lines[..at], &lines[at + 1..]].concat(), at + 1, &[at + 1]);
            let mut moved = lines.clone();
            moved.swap(at, at + 1);
            check(&moved, at + 1, &[]);
        }
        check(&[&lines[..=at], &lines[at..]].concat(), at + 2, &[]);
    }
    check(&lines[1..], 1, &[1]);
    // A line without a number, as earlier versions wrote it, comes only before the others.
    let older = alone(&path.with_file_name("older.jsonl"), 9);
    check(&[&lines[..3], &[&older], &lines[3..]].concat(), 4, &[]);
    // A line of another log, in the place that it had there.
    let other = path.with_file_name("other.jsonl");
    LineLog::replace(&other, &notes::<Chained>(20..23)).unwrap();
    let others = fs::read(&other).unwrap();
    let third = others.split_inclusive(|&byte| byte == b'\n').nth(2).unwrap();
    check(&[&lines[..2], &[third], &lines[3..]].concat(), 3, &[3]);
    // Behind a damaged line only the number is known.
    let mut damaged = bytes.clone();
    damaged[40..60].fill(b'#');
    fs::write(&path, damaged).unwrap();
    let survey = LineLog::<Chained>::survey(&path).unwrap();
    assert_eq!(survey.damaged.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1]);
}

/// Logs of earlier versions have no chain. New lines count the old ones, and are bound to the last of them.
#[test]
fn lines_of_before_are_read_until_the_first_one_of_a_chain() {
    let (_folder, path) = in_folder();
    let bare = serde_json::to_string(&note(0)).unwrap() + "\n";
    let older = [bare.into_bytes(), alone(&path, 1), alone(&path, 2)].concat();
    fs::write(&path, &older).unwrap();
    let (mut log, contents) = LineLog::<Chained>::open(&path).unwrap();
    assert_eq!(contents.entries, notes(0..3));
    log.append_all(&notes(3..5)).unwrap();
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.starts_with(&older));
    assert_eq!(LineLog::<Chained>::read(&path).unwrap().entries, notes(0..5));
    // Any of the old lines missing.
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    for missing in 0..3 {
        fs::write(&path, [&lines[..missing], &lines[missing + 1..]].concat().concat()).unwrap();
        let error = LineLog::<Chained>::read(&path).unwrap_err();
        assert!(matches!(error, DataError::Line { line: 3, fault: LineFault::Order { .. }, .. }), "{error}");
        assert_eq!(data::repair::salvage::<Chained>(&path).unwrap().lost, [3], "which of them cannot be known");
    }
}
