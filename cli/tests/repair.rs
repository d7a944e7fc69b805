//! `kirin verify --repair`: what was damaged is reported, quarantined and made again, and the same commands continue.

use crate::kirin::kirin_in;
use crate::lab::Lab;
use crate::lab::state::State;
use serde_json::Value;
use std::fs;
use std::path::Path;

fn flip(path: &Path) {
    let mut bytes = fs::read(path).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).expect("written");
}

/// A stage that was done again stands later in the record.
fn in_order(mut state: State) -> State {
    state.stages.sort_by_key(Value::to_string);
    state
}

#[test]
fn a_damaged_run_is_repaired_aloud_and_comes_to_the_same_end() {
    // Without the pairs at the end of a run: which they are depends on what was known when it ended.
    let begun = Lab::new("wangqi").set("run.generations=1").set("evaluation.final_pairs=0");
    begun.succeed("run", &[]);
    let next = ["--set", "run.generations=2"];
    let sound = begun.copy();
    sound.succeed("run", &next);
    let reference = in_order(sound.state());

    let lab = begun.copy();
    let verify = |arguments: &[&str]| kirin_in(lab.path(), &[&["verify"], arguments].concat());
    let log = "matches/gen-0001-vs-greedy.jsonl";
    for name in ["checkpoints/gen-0001.safetensors", "data/manifest.jsonl", log] {
        flip(&lab.file(name));
        assert_eq!(verify(&["run"]).code, Some(74), "{name}");
        let damaged = fs::read(lab.file(name)).expect("a file");
        assert_eq!(verify(&["run"]).code, Some(74), "{name}: a check changes nothing");
        let ran = verify(&["run", "--repair"]);
        assert_eq!(ran.code, Some(0), "{name}: {}{}", ran.out, ran.err);
        assert!(ran.out.contains(&format!("run/{name}: ")), "the problem is told: {}", ran.out);
        let told = format!("repaired: {name} is kept as damaged/{name}, and ");
        assert!(ran.out.contains(&told), "{name}: {}", ran.out);
        assert_eq!(fs::read(lab.file(&format!("damaged/{name}"))).expect("it is kept"), damaged, "{name}");
        let again = verify(&["run"]);
        assert!(
            again.code == Some(0) && again.out.contains(&format!("run/{name}: it was repaired (")),
            "{}",
            again.out
        );
    }
    // Damaged files are no part of what a run is compared by.
    fs::rename(lab.file("damaged"), lab.path().join("damaged")).expect("moved");
    lab.succeed("run", &next);
    in_order(lab.state()).assert_same(&reference);
}

#[test]
fn each_part_can_be_repaired_by_itself() {
    let lab = Lab::new("wangqi").set("run.generations=1");
    lab.succeed("run", &[]);
    let verify = |arguments: &[&str]| kirin_in(lab.path(), &[&["verify"], arguments].concat());
    let games = "data/games/variant=wangqi/gen=0001/w0.parquet";
    flip(&lab.file(games));
    let ran = verify(&["run/data", "--repair", "--json"]);
    let told: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!((ran.code, &told["problems"]), (Some(0), &serde_json::json!([])), "{}{}", ran.out, ran.err);
    let first = &told["repairs"][0];
    assert_eq!(first["file"], games.strip_prefix("data/").expect("inside"));
    assert!(first["lost"]["games"].as_u64() > Some(0), "{told}");

    let log = "run/matches/gen-0001-vs-greedy.jsonl";
    fs::write(lab.path().join(log), "junk\n").expect("written");
    let ran = verify(&[log, "--repair"]);
    assert_eq!(ran.code, Some(0), "the match can be played again: {}{}", ran.out, ran.err);
    assert!(ran.out.contains("is kept as damaged/gen-0001-vs-greedy.jsonl"), "{}", ran.out);

    let network = "run/nets/gen-0001.safetensors";
    flip(&lab.path().join(network));
    let ran = verify(&[network, "--repair"]);
    assert_eq!(ran.code, Some(74), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("restore it from a copy"), "{}", ran.out);
    // A run that is sound needs no repair, and nothing is made.
    assert!(!lab.file("damaged").exists());
}
