//! Logs of JSON lines: what was promised is read back, a torn tail is dropped and reported, damage is named, and what is
//! not such a log stays as it is. The order of lines is tested in `line_chain`.

use std::fs;
use std::path::{Path, PathBuf};

use data::{DataError, LineFault, LineLog, LogEntry};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use testkit::fault::{self, FaultKind};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    pub number: u64,
    pub text: String,
}

impl LogEntry for Note {
    const TAG: &'static str = "note";
    const ONCE_WITHOUT_CHECKSUM: bool = true;
}

/// The same lines in a log that never had any without a checksum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
struct Strict(Note);

impl LogEntry for Strict {
    const TAG: &'static str = "note";
}

/// The same lines in a log whose order matters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Chained(pub Note);

impl LogEntry for Chained {
    const TAG: &'static str = "note";
    const ONCE_WITHOUT_CHECKSUM: bool = true;
    const CHAINED: bool = true;
}

impl From<Note> for Chained {
    fn from(note: Note) -> Chained {
        Chained(note)
    }
}

pub fn note(number: u64) -> Note {
    Note { number, text: format!("ply {number}, \"五\"\n") }
}

pub fn in_folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    (folder, path)
}

pub fn notes<T: From<Note>>(numbers: std::ops::Range<u64>) -> Vec<T> {
    numbers.map(|number| T::from(note(number))).collect()
}

/// Where each line ends.
fn ends_of(bytes: &[u8]) -> Vec<usize> {
    bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect()
}

/// Three lines, and where each ends.
fn three(path: &Path) -> (Vec<u8>, Vec<usize>) {
    let (mut log, _) = LineLog::<Note>::open(path).unwrap();
    log.append_all(&[note(0), note(1)]).unwrap();
    log.append(&note(2)).unwrap();
    let bytes = fs::read(path).unwrap();
    let ends = ends_of(&bytes);
    (bytes, ends)
}

/// A line, two that were appended together, and three more.
pub fn batches<T: LogEntry + From<Note>>(path: &Path) -> (Vec<u8>, Vec<usize>) {
    let (mut log, _) = LineLog::<T>::open(path).unwrap();
    for numbers in [0..1, 1..3, 3..6] {
        log.append_all(&notes(numbers)).unwrap();
    }
    let bytes = fs::read(path).unwrap();
    let ends = ends_of(&bytes);
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
fn lines_that_are_appended_together_say_where_they_lie() {
    let (_folder, path) = in_folder();
    let notes = ["a", "bc"].map(|text| Note { number: 1, text: text.into() });
    LineLog::open(&path).unwrap().0.append_all(&notes).unwrap();
    let line = |place: &str, text: &str| {
        let hashed = format!(r#""batch":"{place}","note":{{"number":1,"text":"{text}"}}"#);
        format!("{{\"blake3\":\"{}\",{hashed}}}\n", &blake3::hash(hashed.as_bytes()).to_hex()[..16])
    };
    let first = line("00000000/000000b3", "a");
    assert_eq!(first.len(), 0x59);
    assert_eq!(fs::read_to_string(&path).unwrap(), first + &line("00000059/000000b3", "bc"));
    assert_eq!(LineLog::<Note>::first(&path).unwrap(), Some(notes[0].clone()));
    assert_eq!(LineLog::<Note>::read(&path).unwrap().entries, notes);
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
    // Zeros in the middle are damage, because the program may have read what was there.
    let mut lost = bytes.clone();
    lost[ends[0]..ends[0] + 9].fill(0);
    fs::write(&path, &lost).unwrap();
    assert!(matches!(LineLog::<Note>::open(&path), Err(DataError::Line { line: 2, .. })));
}

/// Of lines that were appended together, a power cut may store a later one and lose an earlier one.
#[test]
fn an_append_of_several_lines_is_torn_from_its_first_unstored_block_on() {
    append_is_torn_from_its_first_unstored_block_on::<Note>(1);
    append_is_torn_from_its_first_unstored_block_on::<Chained>(5);
}

fn append_is_torn_from_its_first_unstored_block_on<T>(step: usize)
where
    T: LogEntry + From<Note> + std::fmt::Debug + PartialEq,
{
    let (_folder, path) = in_folder();
    let (bytes, ends) = batches::<T>(&path);
    for from in (ends[2]..bytes.len()).step_by(step) {
        for to in (from + 1..bytes.len()).step_by(3 * step).chain([bytes.len()]) {
            let mut lost = bytes.clone();
            lost[from..to].fill(0);
            fs::write(&path, &lost).unwrap();
            let whole = ends.iter().filter(|&&end| end <= from).count();
            let (mut log, contents) = LineLog::<T>::open(&path).unwrap_or_else(|e| panic!("{from}..{to}: {e}"));
            assert_eq!(contents.entries, notes(0..whole as u64), "{from}..{to}");
            assert_eq!(fs::read(&path).unwrap(), bytes[..ends[whole - 1]], "{from}..{to}");
            log.append_all(&notes(7..9)).unwrap();
            assert_eq!(LineLog::<T>::read(&path).unwrap().entries.len(), whole + 2, "{from}..{to}");
        }
    }
    // Two places at the same time.
    let mut lost = bytes.clone();
    lost[ends[2] + 9..ends[2] + 12].fill(0);
    lost[ends[4] + 9..ends[4] + 12].fill(0);
    fs::write(&path, &lost).unwrap();
    assert_eq!(LineLog::<T>::read(&path).unwrap().entries.len(), 3);
}

/// What was appended before was synced: there zeros are damage, whatever became of the last append.
#[test]
fn lines_that_were_promised_are_never_taken_for_torn_ones() {
    promised_lines_are_never_taken_for_torn_ones::<Note>();
    promised_lines_are_never_taken_for_torn_ones::<Chained>();
    // The last line of an older log, whose lines have no places.
    let (_folder, path) = in_folder();
    let older: Vec<u8> = [0, 1, 2].map(|number| alone(&path, number)).concat();
    let ends = ends_of(&older);
    let mut lost = older.clone();
    lost[ends[0] + 40..ends[0] + 44].fill(0);
    lost[ends[1] + 40..ends[1] + 44].fill(0);
    fs::write(&path, &lost).unwrap();
    let error = LineLog::<Note>::open(&path).map(drop).unwrap_err();
    assert!(matches!(error, DataError::Line { line: 2, .. }), "only the last one may be torn: {error}");
}

fn promised_lines_are_never_taken_for_torn_ones<T: LogEntry + From<Note>>() {
    let (_folder, path) = in_folder();
    let (bytes, ends) = batches::<T>(&path);
    for end in [bytes.len(), bytes.len() - 9, ends[3], ends[2] + 60] {
        for from in 0..ends[2] - 1 {
            let mut lost = bytes[..end].to_vec();
            lost[from] = 0;
            fs::write(&path, &lost).unwrap();
            let line = 1 + ends.iter().filter(|&&end| end <= from).count();
            let error = LineLog::<T>::open(&path).map(drop).unwrap_err();
            assert!(matches!(error, DataError::Line { line: at, .. } if at == line), "{end}, {from}: {error}");
            assert_eq!(fs::read(&path).unwrap(), lost, "what is damaged stays as it is");
        }
    }
}

/// What is wrong with a line is told of a log of that kind only. Advice about its lines would harm another file.
#[test]
fn a_log_of_another_kind_is_not_called_damaged() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Other(u64);
    impl LogEntry for Other {
        const TAG: &'static str = "other";
        const ONCE_WITHOUT_CHECKSUM: bool = true;
    }
    let (_folder, path) = in_folder();
    let pgn = "[Event \"a game\"]\n\n1. e4 *\n".to_owned();
    let (mut log, _) = LineLog::<Note>::open(&path).unwrap();
    log.append_all(&[note(0), note(1)]).unwrap();
    for text in [fs::read_to_string(&path).unwrap(), pgn] {
        fs::write(&path, &text).unwrap();
        for error in [
            LineLog::<Other>::read(&path).map(drop).unwrap_err(),
            LineLog::<Other>::survey(&path).map(drop).unwrap_err(),
            LineLog::<Other>::open(&path).map(drop).unwrap_err(),
        ] {
            assert!(matches!(error, DataError::NotALog { .. }), "{error}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    // One flipped bit in the beginning of its only line does not make it another file.
    let line = alone(&path, 0);
    for (at, bit) in (0..40).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
        let mut flipped = line.clone();
        flipped[at] ^= 1 << bit;
        fs::write(&path, &flipped).unwrap();
        let error = LineLog::<Strict>::read(&path).map(drop).unwrap_err();
        assert!(matches!(error, DataError::Line { line: 1, .. }), "byte {at}, bit {bit}: {error}");
        assert_eq!(LineLog::<Strict>::survey(&path).unwrap().damaged.len(), 1);
    }
}

/// The line of a note that was appended alone.
pub fn alone(path: &Path, number: u64) -> Vec<u8> {
    drop(LineLog::replace(path, &[note(number)]).unwrap());
    fs::read(path).unwrap()
}

/// Lines of which few go into one append.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
struct Short(Note);

impl LogEntry for Short {
    const TAG: &'static str = "note";
    const LONGEST_LINE: usize = 250;
}

#[test]
fn an_append_that_is_longer_than_any_line_has_several_syncs_and_is_there_whole_or_not() {
    let all: Vec<Short> = (0..5).map(|number| Short(note(number))).collect();
    for n in 1.. {
        let (_folder, path) = in_folder();
        let (mut log, _) = LineLog::<Short>::open(&path).unwrap();
        log.append(&all[0]).unwrap();
        let fault = fault::install(FaultKind::DiskFull, n);
        let appended = log.append_all(&all);
        let happened = fault.happened();
        drop(fault);
        assert_eq!(LineLog::<Short>::read(&path).unwrap().entries.len(), if appended.is_ok() { 6 } else { 1 });
        if !happened {
            assert!(n > 6, "{n} steps are one append");
            let text = fs::read_to_string(&path).unwrap();
            let totals: Vec<&str> =
                text.lines().filter_map(|line| line.split_once("\"batch\":\"0")).map(|l| l.1).collect();
            assert_eq!(totals.len(), 4, "two pairs and one line alone: {text}");
            break;
        }
        log.append_all(&all).unwrap();
        assert_eq!(LineLog::<Short>::read(&path).unwrap().entries.len(), 6);
    }
}

#[test]
fn every_flipped_bit_before_the_end_is_named() {
    for make in [three, batches::<Note>] {
        let (_folder, path) = in_folder();
        let (bytes, ends) = make(&path);
        flip_every_byte::<Strict>(&path, &bytes, &ends);
    }
    let (_folder, path) = in_folder();
    let (bytes, ends) = batches::<Chained>(&path);
    flip_every_byte::<StrictChained>(&path, &bytes, &ends);
}

/// Lines of a chain in a log that never had others.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
struct StrictChained(Note);

impl LogEntry for StrictChained {
    const TAG: &'static str = "note";
    const CHAINED: bool = true;
}

fn flip_every_byte<T: LogEntry + std::fmt::Debug>(path: &Path, bytes: &[u8], ends: &[usize]) {
    for place in 0..bytes.len() {
        let mut bad = bytes.to_vec();
        bad[place] ^= 0x04;
        if ends.contains(&(place + 1)) || bad[place] == b'\n' || bad[place] == 0 {
            continue;
        }
        fs::write(path, &bad).unwrap();
        let damaged = 1 + ends.iter().filter(|&&end| end <= place).count();
        let error = LineLog::<T>::open(path).unwrap_err();
        assert!(matches!(error, DataError::Line { line, .. } if line == damaged), "{error}");
        assert!(error.to_string().contains(&format!("log.jsonl, line {damaged}: ")), "{error}");
        assert_eq!(fs::read(path).unwrap(), bad, "what is damaged stays as it is");
    }
    let wrong = format!("{}{}", String::from_utf8_lossy(&bytes[..ends[0]]), "{\"number\":1,\"text\":\"a\"}\n");
    fs::write(path, wrong).unwrap();
    let error = LineLog::<T>::read(path).unwrap_err();
    assert!(matches!(error, DataError::Line { line: 2, fault: LineFault::Foreign, .. }), "{error}");
}

/// Logs of earlier versions had no checksums. A checksummed log may begin with such lines, and no longer has them afterwards.
#[test]
fn lines_of_before_are_read_until_the_first_with_a_checksum() {
    let (_folder, path) = in_folder();
    let bare = |number| serde_json::to_string(&note(number)).unwrap() + "\n";
    fs::write(&path, bare(0) + &bare(1) + &bare(2)[..9]).unwrap();
    assert!(matches!(LineLog::<Strict>::read(&path), Err(DataError::NotALog { .. })), "it never had such lines");
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
    for kind in [FaultKind::DiskFull, FaultKind::Kill] {
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
        let fault = fault::install(FaultKind::DiskFull, n);
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
