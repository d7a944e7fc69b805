//! Logs of JSON lines: what was promised is read back, a torn tail is dropped and reported, damage is named, and what is
//! not such a log stays as it is.

use std::fs;
use std::path::{Path, PathBuf};

use data::durable::fault::{self, Kind};
use data::{DataError, LineFault, LineLog, LogEntry};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Note {
    number: u64,
    text: String,
}

impl LogEntry for Note {
    const TAG: &'static str = "note";
    const ONCE_UNSEALED: bool = true;
}

/// The same lines in a log that never had any without a seal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
struct Strict(Note);

impl LogEntry for Strict {
    const TAG: &'static str = "note";
}

fn note(number: u64) -> Note {
    Note { number, text: format!("ply {number}, \"五\"\n") }
}

fn in_folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    (folder, path)
}

/// Three lines, and where each ends.
fn three(path: &Path) -> (Vec<u8>, Vec<usize>) {
    let (mut log, _) = LineLog::<Note>::open(path).unwrap();
    log.append_all(&[note(0), note(1)]).unwrap();
    log.append(&note(2)).unwrap();
    let bytes = fs::read(path).unwrap();
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    (bytes, ends)
}

#[test]
fn a_line_is_what_it_always_was() {
    let (_folder, path) = in_folder();
    LineLog::open(&path).unwrap().0.append(&Note { number: 1, text: "a".into() }).unwrap();
    let json = r#"{"number":1,"text":"a"}"#;
    let digest = &blake3::hash(json.as_bytes()).to_hex()[..16];
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{{\"blake3\":\"{digest}\",\"note\":{json}}}\n"));
}

#[test]
fn a_tail_torn_anywhere_is_left_out_then_cut_off() {
    let (_folder, path) = in_folder();
    let (bytes, ends) = three(&path);
    for length in 0..=bytes.len() {
        fs::write(&path, &bytes[..length]).unwrap();
        let whole = ends.iter().filter(|&&end| end <= length).count();
        let torn = length - ends[..whole].last().copied().unwrap_or(0);
        let contents = LineLog::<Note>::read(&path).unwrap();
        assert_eq!(contents.entries, (0..whole as u64).map(note).collect::<Vec<_>>());
        assert_eq!(contents.torn_bytes, torn as u64);
        assert_eq!(fs::read(&path).unwrap().len(), length, "a reader changes nothing");

        let (mut log, again) = LineLog::<Note>::open(&path).unwrap();
        assert_eq!(again, contents);
        assert_eq!(fs::read(&path).unwrap(), bytes[..length - torn]);
        log.append(&note(whole as u64)).unwrap();
        assert_eq!(LineLog::<Note>::read(&path).unwrap().entries.len(), whole + 1);
    }
}

/// A power cut may leave the newline of an append without the blocks before it.
#[test]
fn a_last_line_with_blocks_that_were_never_stored_is_torn() {
    let (_folder, path) = in_folder();
    let (bytes, ends) = three(&path);
    for (from, to) in [(ends[1], ends[2] - 1), (ends[1] + 20, ends[2] - 1), (ends[1], ends[1] + 30), (ends[1], ends[2])]
    {
        let mut lost = bytes.clone();
        lost[from..to].fill(0);
        fs::write(&path, &lost).unwrap();
        let (_, contents) = LineLog::<Note>::open(&path).unwrap();
        assert_eq!((contents.entries.len(), contents.torn_bytes as usize), (2, ends[2] - ends[1]));
        assert_eq!(fs::read(&path).unwrap(), bytes[..ends[1]]);
    }
    // The first line of all.
    let mut lost = bytes[..ends[0]].to_vec();
    lost[..ends[0] - 1].fill(0);
    fs::write(&path, &lost).unwrap();
    assert_eq!(LineLog::<Note>::open(&path).unwrap().1.entries, []);
    // Zeros in the middle are damage: somebody has read what stood there.
    let mut lost = bytes.clone();
    lost[ends[0]..ends[0] + 9].fill(0);
    fs::write(&path, &lost).unwrap();
    assert!(matches!(LineLog::<Note>::open(&path), Err(DataError::Line { line: 2, .. })));
}

#[test]
fn every_flipped_bit_before_the_end_is_named() {
    let (_folder, path) = in_folder();
    let (bytes, ends) = three(&path);
    for place in 0..bytes.len() {
        let mut bad = bytes.clone();
        bad[place] ^= 0x04;
        if ends.contains(&(place + 1)) || bad[place] == b'\n' || bad[place] == 0 {
            continue;
        }
        fs::write(&path, &bad).unwrap();
        let damaged = 1 + ends.iter().filter(|&&end| end <= place).count();
        let error = LineLog::<Strict>::open(&path).unwrap_err();
        assert!(matches!(error, DataError::Line { line, .. } if line == damaged), "{error}");
        assert!(error.to_string().contains(&format!("log.jsonl, line {damaged}: ")), "{error}");
        assert_eq!(fs::read(&path).unwrap(), bad, "what is damaged stays as it is");
    }
    let wrong = format!("{}{}", String::from_utf8_lossy(&bytes[..ends[0]]), "{\"number\":1,\"text\":\"a\"}\n");
    fs::write(&path, wrong).unwrap();
    let error = LineLog::<Strict>::read(&path).unwrap_err();
    assert!(matches!(error, DataError::Line { line: 2, fault: LineFault::Foreign, .. }), "{error}");
}

/// Logs of earlier versions had no seals. A sealed log may begin with such lines, and no longer has them afterwards.
#[test]
fn lines_of_before_are_read_until_the_first_sealed_one() {
    let (_folder, path) = in_folder();
    let bare = |number| serde_json::to_string(&note(number)).unwrap() + "\n";
    fs::write(&path, bare(0) + &bare(1) + &bare(2)[..9]).unwrap();
    assert!(matches!(LineLog::<Strict>::read(&path), Err(DataError::Line { line: 1, .. })));
    let (mut log, contents) = LineLog::<Note>::open(&path).unwrap();
    assert_eq!((contents.entries, contents.torn_bytes), (vec![note(0), note(1)], 9));
    log.append(&note(2)).unwrap();
    assert_eq!(LineLog::<Note>::read(&path).unwrap().entries, [note(0), note(1), note(2)]);
    let mixed = fs::read_to_string(&path).unwrap() + &bare(3);
    fs::write(&path, mixed).unwrap();
    assert!(matches!(LineLog::<Note>::read(&path), Err(DataError::Line { line: 4, .. })));
}

#[test]
fn a_file_that_is_no_log_stays_as_it_is() {
    let (folder, path) = in_folder();
    let texts: [&[u8]; 6] = [
        b"{\"my\":\"only copy\"}",
        b"{\"my\":\"only copy\"}\n",
        b"a thesis\nof two lines\n",
        b"\xff\xfe\0\x01",
        b"{\"blake3\":\"thesis",
        b"\n",
    ];
    for text in texts {
        fs::write(&path, text).unwrap();
        let errors = [
            LineLog::<Note>::read(&path).unwrap_err(),
            LineLog::<Note>::open(&path).unwrap_err(),
            LineLog::<Strict>::open_locked(&path).unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, DataError::NotALog { .. } | DataError::Line { line: 1, .. }), "{error}");
            assert!(error.to_string().contains("log.jsonl"), "{error}");
        }
        assert_eq!(fs::read(&path).unwrap(), text);
    }
    assert!(matches!(LineLog::<Note>::read(folder.path()), Err(DataError::NotALog { .. })));
    assert!(matches!(LineLog::<Note>::read(Path::new("/dev/zero")), Err(DataError::NotALog { .. })));
    assert_eq!(LineLog::<Note>::read(&folder.path().join("none")).unwrap().entries, []);
}

#[test]
fn a_locked_log_has_one_writer_and_any_readers() {
    let (_folder, path) = in_folder();
    let (mut log, _) = LineLog::<Note>::open_locked(&path).unwrap();
    assert!(matches!(LineLog::<Note>::open_locked(&path), Err(DataError::InUse { .. })));
    log.append(&note(7)).unwrap();
    assert_eq!(LineLog::<Note>::read(&path).unwrap().entries, [note(7)]);
    drop(log);
    LineLog::<Note>::open_locked(&path).unwrap();
}

#[test]
fn replacing_a_log_leaves_the_old_one_or_the_new_one() {
    for kind in [Kind::DiskFull, Kind::Kill] {
        for n in 1.. {
            let (_folder, path) = in_folder();
            three(&path);
            let fault = fault::install(kind, n);
            let replaced = LineLog::replace(&path, &[note(5)]).and_then(|mut log| log.append(&note(6)));
            let happened = fault.happened();
            drop(fault);
            let entries = LineLog::<Note>::read(&path).unwrap().entries;
            let numbers: Vec<u64> = entries.iter().map(|note| note.number).collect();
            assert!([&[0, 1, 2][..], &[5], &[5, 6]].contains(&&numbers[..]), "{numbers:?}");
            assert!(replaced.is_err() || numbers == [5, 6]);
            if !happened {
                assert!(replaced.is_ok());
                break;
            }
        }
    }
}

/// Each append writes its own line and nothing else, whatever the log holds by then.
#[test]
fn a_failed_append_is_taken_back_and_can_be_repeated() {
    for n in 1.. {
        let (_folder, path) = in_folder();
        let (bytes, _) = three(&path);
        let (mut log, _) = LineLog::<Note>::open(&path).unwrap();
        let fault = fault::install(Kind::DiskFull, n);
        let appended = log.append(&note(3));
        let happened = fault.happened();
        drop(fault);
        if !happened {
            assert!(appended.is_ok());
            break;
        }
        assert!(appended.is_err());
        assert_eq!(fs::read(&path).unwrap(), bytes);
        log.append(&note(3)).unwrap();
        assert_eq!(LineLog::<Note>::read(&path).unwrap().entries.len(), 4);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn any_text_comes_back(texts in proptest::collection::vec(any::<String>(), 0..6)) {
        let (_folder, path) = in_folder();
        let notes: Vec<Note> = texts.into_iter().map(|text| Note { number: u64::MAX, text }).collect();
        LineLog::open(&path).unwrap().0.append_all(&notes).unwrap();
        let contents = LineLog::<Note>::read(&path).unwrap();
        prop_assert_eq!((contents.entries, contents.torn_bytes), (notes, 0));
    }

    #[test]
    fn junk_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let (_folder, path) = in_folder();
        fs::write(&path, &bytes).unwrap();
        if LineLog::<Note>::open(&path).is_err() {
            prop_assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    }
}
