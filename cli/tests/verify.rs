//! `kirin verify`: sound files are reported as sound, and each damaged file is a line, with exit code 74.

use crate::kirin::kirin_in;
use crate::lab::Lab;
use serde_json::Value;
use std::fs;

#[test]
fn a_run_and_each_of_its_parts_is_clean_until_it_is_damaged() {
    let lab = Lab::new("wangqi").set("run.generations=1");
    lab.succeed("run", &[]);
    let verify = |arguments: &[&str]| kirin_in(lab.path(), &[&["verify"], arguments].concat());
    let parts =
        ["run", "run/data", "run/matches", "run/matches/gen-0001-vs-greedy.jsonl", "run/nets/gen-0001.safetensors"];
    for part in parts {
        let ran = verify(&[part]);
        assert_eq!(ran.code, Some(0), "{part}: {}{}", ran.out, ran.err);
        assert!(ran.out.starts_with("checked: ") && ran.out.lines().count() == 1, "{part}: {}", ran.out);
    }
    let sound: Value = serde_json::from_str(&verify(&["run", "--json"]).out).expect("JSON");
    assert_eq!(sound["problems"], serde_json::json!([]));
    assert!(sound["games"].as_u64() > Some(2) && sound["positions"].as_u64() > Some(9), "{sound}");

    let state = lab.state();
    for name in ["slots.json", "nets/gen-0001.safetensors", "data/games/variant=wangqi/gen=0001/w0.parquet"] {
        let path = lab.file(name);
        let whole = fs::read(&path).expect("a file");
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 1;
        fs::write(&path, flipped).expect("written");
        let ran = verify(&["run"]);
        assert_eq!(ran.code, Some(74), "{name}: {}{}", ran.out, ran.err);
        let named = ran.out.lines().filter(|line| line.starts_with(&format!("run/{name}: "))).count();
        assert_eq!(named, 1, "{name}: {}", ran.out);
        assert!(ran.err.ends_with("in run\n") && ran.err.contains("error: 1 problem"), "{name}: {}", ran.err);
        let json: Value = serde_json::from_str(&verify(&["run", "--json"]).out).expect("JSON");
        assert_eq!(json["problems"][0]["file"], format!("run/{name}"));
        fs::write(&path, whole).expect("repaired");
    }
    lab.state().assert_same(&state);
    assert_eq!(verify(&["run"]).code, Some(0), "nothing was changed");
}

#[test]
fn what_cannot_be_checked_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = kirin_in(folder.path(), &["verify", "."]);
    assert_eq!(ran.code, Some(78), "{}", ran.err);
    assert!(ran.err.contains(". is no run, no data folder and no folder of match logs"), "{}", ran.err);
    assert_eq!(kirin_in(folder.path(), &["verify", "nowhere"]).code, Some(74));
    fs::write(folder.path().join("thesis.tex"), "no network").expect("written");
    let ran = kirin_in(folder.path(), &["verify", "thesis.tex"]);
    assert_eq!(ran.code, Some(74));
    assert!(ran.out.starts_with("thesis.tex: damaged or not a kirin file"), "{}", ran.out);
}

/// A path that leads to itself can neither be opened nor listed, also by root.
fn make_unreadable(path: &std::path::Path) {
    fs::rename(path, path.with_extension("kept")).expect("renamed");
    std::os::unix::fs::symlink(path, path).expect("a link to itself");
}

#[test]
fn what_cannot_be_listed_or_read_is_not_taken_for_empty() {
    let begun = Lab::new("wangqi").set("run.generations=1");
    begun.succeed("run", &[]);
    for name in ["matches", "data", "nets", "checkpoints", "events.jsonl", "metrics.jsonl", "slots.json", "run.json"] {
        let lab = begun.copy();
        make_unreadable(&lab.file(name));
        for words in [&["verify", "run"][..], &["verify", "run", "--repair"]] {
            let ran = kirin_in(lab.path(), words);
            assert_eq!(ran.code, Some(74), "{name} {words:?}: {}{}", ran.out, ran.err);
            let told = ran.out.contains(&format!("run/{name}")) || ran.err.contains(&format!("run/{name}"));
            assert!(told, "{name} {words:?}: {}{}", ran.out, ran.err);
            assert!(!lab.file("damaged").exists(), "{name} {words:?}: something was moved");
        }
    }
    let lab = begun.copy();
    make_unreadable(&lab.file("data"));
    let ran = kirin_in(lab.path(), &["openings", "run"]);
    assert_eq!(ran.code, Some(74), "{}", ran.err);
    assert!(ran.err.contains("run/data") && !ran.err.contains("delete"), "{}", ran.err);

    let lab = begun.copy();
    fs::rename(lab.file("matches"), lab.path().join("kept")).expect("renamed");
    fs::write(lab.file("matches"), "a file").expect("written");
    let ran = kirin_in(lab.path(), &["verify", "run"]);
    assert_eq!(ran.code, Some(74), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("run/matches: cannot list it"), "{}", ran.out);
}

/// A game whose moves the rules refuse, in a shard with the right digest.
#[test]
fn commands_that_read_games_end_with_74_where_one_breaks_the_rules() {
    use rules::{Game, Outcome, Position, Rules, Side, Termination, Wangqi};
    let folder = tempfile::tempdir().expect("a folder");
    let (store, _) = data::DataStore::open(&folder.path().join("data")).expect("a store");
    let moves = "c3c4 e6e5 d3d4 f6f5";
    let game = Game::<Wangqi>::from_moves_text(Rules::default(), Position::start(), moves).expect("legal moves");
    let mut record = data::GameRecord::of(&game, Outcome::win(Side::First, Termination::Adjudicated));
    record.sheet.moves.swap(0, 1);
    store.commit_shard(0, "w0", &[record], &data::Provenance::default()).expect("committed");
    for words in ["stats data", "data export data --to pgn --out games.pgn", "verify data"] {
        let ran = kirin_in(folder.path(), &words.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, Some(74), "{words}: {}{}", ran.out, ran.err);
        let said = ran.out + &ran.err;
        assert!(said.contains("games/variant=wangqi/gen=0000/w0.parquet"), "{words}: {said}");
    }
}
