//! Files that would fill memory, given to the program in an address space that has no room for what they would become.

#[path = "../../data/tests/hostile/mod.rs"]
mod hostile;

use crate::kirin::limited;
use crate::lab::Lab;
use data::{LineLog, MANIFEST, ShardEntry};
use std::fs::File;
use std::path::Path;

const GAMES: &str = "data/games/variant=wangqi/gen=0001/w0.parquet";

/// Address space of a command that reads networks at most, kB; and of one that trains.
const ROOM: &str = "-v 1000000";
const ROOM_FOR_TORCH: &str = "-v 3000000";

/// Replaces the games of generation 1 with a file, and puts its digest into the manifest, as an attacker could.
fn replace_games(lab: &Lab, bytes: &[u8], rows: u64) {
    std::fs::write(lab.file(GAMES), bytes).expect("written");
    let manifest = lab.file("data").join(MANIFEST);
    let mut shards = LineLog::<ShardEntry>::read(&manifest).expect("a manifest").entries;
    let games = &mut shards[0].games;
    (games.rows, games.bytes, games.blake3) = (rows, bytes.len() as u64, blake3::hash(bytes).to_hex().to_string());
    LineLog::replace(&manifest, &shards).expect("written");
}

/// Runs a command in so much room; it must end with an error that names the file and says this.
fn refused(folder: &Path, room: &str, words: &str, file: &str, reason: &str) {
    let (code, said) = limited(folder, room, words);
    assert!([Some(65), Some(74), Some(78)].contains(&code), "kirin {words}: {code:?} {said}");
    assert!(said.contains(file) && said.contains(reason), "kirin {words}: {said}");
    assert!(!said.contains("panicked") && !said.contains("memory allocation"), "kirin {words}: {said}");
}

#[test]
fn a_parquet_file_that_becomes_gigabytes_is_named() {
    let begun = Lab::new("wangqi").set("run.generations=1");
    begun.succeed("run", &[]);
    let many = hostile::unfolding(60, 60 << 20);
    assert!(many.len() < 1 << 20, "{} bytes", many.len());
    let cases = [
        (hostile::claiming(2_000_000_000), 1, "2000000000 bytes of a page, and at most"),
        (hostile::unfolding(1, 100 << 20), 1, "bytes of a page, and at most"),
        (many, 60, "bytes or more, and at most"),
    ];
    for (bytes, rows, reason) in cases {
        let lab = begun.copy();
        replace_games(&lab, &bytes, rows);
        for words in ["openings run", "verify run", "data export run --to csv --out games.csv"] {
            refused(lab.path(), ROOM, words, GAMES, reason);
        }
        assert!(!lab.path().join("games.csv").exists());
        let train = lab.arguments("run", &["--set", "run.generations=2"]).join(" ");
        // The manifest has other figures than the record of the run, so nothing is read.
        refused(lab.path(), ROOM_FOR_TORCH, &train, "data/manifest.jsonl", "and events.jsonl says");
    }
}

#[test]
fn a_line_without_end_is_named() {
    let begun = Lab::new("wangqi").set("run.generations=1");
    begun.succeed("run", &[]);
    let journal = "data/journal/variant=wangqi/gen=0002.jsonl";
    let log = "matches/gen-0001-vs-greedy.jsonl";
    for name in [journal, "events.jsonl", "plan.jsonl", "metrics.jsonl", "data/manifest.jsonl", log] {
        let lab = begun.copy();
        std::fs::create_dir_all(lab.file(name).parent().expect("a folder")).expect("made");
        let file = File::options().create(true).append(true).open(lab.file(name)).expect("opened");
        // Of zeros that take no room on the disk.
        file.set_len(1200 << 20).expect("longer");
        refused(lab.path(), ROOM, "verify run", name, "it has more than 16777216 bytes");
        if name == log {
            refused(lab.path(), ROOM, "eval table run/matches", name, "it has more than 16777216 bytes");
        } else if name != "metrics.jsonl" {
            let run = lab.arguments("run", &["--set", "run.generations=2"]).join(" ");
            refused(lab.path(), ROOM_FOR_TORCH, &run, name, "it has more than 16777216 bytes");
        }
    }
}
