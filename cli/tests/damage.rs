//! Damaged files and full disks: one message that names the file, no panic, nothing lost that was finished; and once the
//! damage is repaired the same command resumes.

use crate::lab::{self, Lab, wait_until};
use std::fs;
use std::path::Path;
use std::process::Command;
use train::{Blueprint, DeviceChoice, NetworkConfig, NetworkFile};

/// What is done to a file.
type Damage = fn(&Path);

fn truncate(path: &Path) {
    let bytes = fs::read(path).expect("a file");
    fs::write(path, &bytes[..bytes.len() / 2]).expect("written");
}

fn flip_a_bit(path: &Path) {
    let mut bytes = fs::read(path).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(path, bytes).expect("written");
}

fn remove(path: &Path) {
    fs::remove_file(path).expect("removed");
}

fn empty(path: &Path) {
    fs::write(path, "").expect("written");
}

fn junk(path: &Path) {
    fs::write(path, "\u{0}\u{1}junk{]\nmore junk\n").expect("written");
}

fn junk_line(path: &Path) {
    let text = fs::read_to_string(path).expect("a text");
    let (first, rest) = text.split_once('\n').expect("a line");
    fs::write(path, format!("{first}\n{{\"half\": \n{rest}")).expect("written");
}

/// Its first lines, which are sound by themselves.
fn shorten(path: &Path) {
    let text = fs::read_to_string(path).expect("a text");
    let lines: Vec<&str> = text.lines().collect();
    fs::write(path, lines[..lines.len() / 2].join("\n")).expect("written");
}

fn another_variant(path: &Path) {
    let size = NetworkConfig { blocks: 1, channels: 8, se_hidden: 4, ..NetworkConfig::default() };
    let network = train::untrained(Blueprint::of::<rules::Xiangqi>(size), 1).expect("a network");
    network.write(path).expect("written");
}

fn another_kind(path: &Path) {
    let run = path.parent().and_then(Path::parent).expect("the run");
    fs::copy(run.join("checkpoints/gen-0001.safetensors"), path).expect("a copy");
}

const GAMES: &str = "data/games/variant=wangqi/gen=0001/w0.parquet";
const POSITIONS: &str = "data/positions/variant=wangqi/gen=0001/w0.parquet";
const NETWORK: &str = "nets/gen-0001.safetensors";
const CHECKPOINT: &str = "checkpoints/gen-0001.safetensors";

#[test]
fn damage_is_named_and_once_repaired_the_run_goes_on() {
    let cases: [(&str, Damage, i32, &str); 17] = [
        (NETWORK, truncate, 78, "damaged or not a kirin file"),
        (NETWORK, empty, 78, "damaged or not a kirin file"),
        (NETWORK, junk, 78, "damaged or not a kirin file"),
        (NETWORK, another_variant, 78, "it plays xiangqi, not wangqi"),
        (NETWORK, another_kind, 78, "this is a checkpoint file where a network file is needed"),
        (NETWORK, remove, 74, "No such file"),
        (GAMES, flip_a_bit, 74, "restore it from a copy"),
        (POSITIONS, truncate, 74, "restore it from a copy"),
        (POSITIONS, remove, 74, "it is missing"),
        ("data/manifest.jsonl", junk_line, 74, "line 2"),
        ("data/manifest.jsonl", remove, 74, "is missing or empty though there are shards beside it"),
        ("events.jsonl", junk_line, 74, "line 2"),
        ("plan.jsonl", junk, 74, "plan.jsonl"),
        ("slots.json", junk, 74, "is not a file of slots"),
        ("config.toml", junk, 78, "TOML parse error"),
        ("config.toml", remove, 78, "is missing, and without it the run would continue with other settings"),
        ("config.toml", shorten, 78, "by their digest in run.json"),
    ];
    let begun = Lab::new("wangqi").set("run.generations=1");
    begun.succeed("run", &[]);
    let before = begun.state();
    let next = ["--set", "run.generations=2"];
    // The undamaged run, whose final state all others must reach.
    let sound = begun.copy();
    sound.succeed("run", &next);
    let reference = sound.state();
    for (name, damage, code, reason) in cases {
        let lab = begun.copy();
        let whole = fs::read(lab.file(name)).expect("a file");
        damage(&lab.file(name));
        let message = lab.refused(code, "run", &next);
        assert!(message.contains(name) && message.contains(reason), "{name}: {message}");
        let lines = message.trim_end().lines().count();
        assert!(lines == 1 || reason.starts_with("TOML"), "{name}: {message}");
        // Again: the failure itself has changed nothing.
        assert_eq!(lab.refused(code, "run", &next), message);
        fs::write(lab.file(name), whole).expect("repaired");
        before.assert_kept_in(&lab.state());
        lab.succeed("run", &next);
        lab.state().assert_same(&reference);
    }
}

#[test]
fn a_damaged_checkpoint_is_made_again() {
    let begun = Lab::new("wangqi").set("run.generations=1");
    begun.succeed("run", &[]);
    let next = ["--set", "run.generations=2"];
    let sound = begun.copy();
    sound.succeed("run", &next);
    for damage in [truncate, flip_a_bit, remove] {
        let lab = begun.copy();
        damage(&lab.file(CHECKPOINT));
        let out = lab.succeed("run", &next);
        assert!(out.contains("the checkpoint of network 1 was made again in"), "{out}");
        assert!(out.contains("from that of network 0, with the same weights"), "{out}");
        let mut state = lab.state();
        // That it was made again is on record, and the only difference.
        let repaired = state.stages.iter().filter(|stage| stage["stage"] == "repaired").count();
        assert_eq!(repaired, 1, "{:?}", state.stages);
        state.stages.retain(|stage| stage["stage"] != "repaired");
        state.assert_same(&sound.state());
    }
}

#[test]
fn a_damaged_match_log_is_named() {
    let lab = Lab::new("wangqi").set("run.generations=1");
    lab.succeed("run", &[]);
    let name = "matches/gen-0001-vs-greedy.jsonl";
    junk_line(&lab.file(name));
    // Longer matches: the log is written to again.
    let message = lab.refused(74, "run", &["--set", "evaluation.pairs=9"]);
    assert!(message.contains(name) && message.contains("line 2"), "{message}");
}

#[test]
fn a_damaged_shard_may_be_left_out() {
    let lab = Lab::new("wangqi").set("run.generations=1").set("training.data.damaged=skip");
    lab.succeed("run", &[]);
    flip_a_bit(&lab.file(GAMES));
    let out = lab.succeed("run", &["--set", "run.generations=2"]);
    assert!(out.contains("training continues without a damaged shard: ") && out.contains(GAMES), "{out}");
}

/// A file that may not grow is a disk that is full: the same steps fail, at the same places. `blocks` are of
/// 1024 bytes.
fn on_a_full_disk(lab: &Lab, blocks: u32) -> std::process::Output {
    let script = format!("ulimit -f {blocks}; exec \"$@\"");
    Command::new("bash")
        .args(["-c", &script, "bash", env!("CARGO_BIN_EXE_kirin")])
        .args(lab.arguments("run", &[]))
        .current_dir(lab.path())
        .output()
        .expect("bash")
}

#[test]
fn a_full_disk_is_named_and_with_room_again_the_same_command_goes_on() {
    let sound = Lab::new("wangqi");
    sound.succeed("run", &[]);
    let reference = sound.state();
    let mut failed_at = std::collections::BTreeSet::new();
    // The first network, the journal, a shard, a checkpoint, the slots: each is too large for one of these.
    for blocks in [1, 10, 23, 26, 36, 60, 90] {
        let lab = Lab::new("wangqi");
        let output = on_a_full_disk(&lab, blocks);
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(74), "{blocks} kB: {said}");
        assert!(said.contains("File too large") && said.trim_end().lines().count() == 1, "{blocks} kB: {said}");
        let named = said.split_whitespace().find(|word| word.starts_with("run/")).expect("the file is named");
        failed_at.insert(named.trim_end_matches(':').split('/').nth(1).unwrap_or_default().to_owned());
        let state = lab.state();
        assert!(lab::state::temporaries(lab.path()).is_empty(), "what was not finished takes no space");
        lab.succeed("run", &[]);
        state.assert_kept_in(&lab.state());
        lab.state().assert_same(&reference);
    }
    assert!(failed_at.len() >= 3, "the disk was full in several places: {failed_at:?}");
}

/// A network whose weights are numbers, but so large that none of its outputs is one.
pub fn overflow(path: &Path) {
    let file = NetworkFile::read(path).expect("a network");
    let network = train::Network::of_file(&file, DeviceChoice::Cpu.resolve().expect("a CPU")).expect("its tensors");
    for (_, parameter) in network.parameters().iter() {
        let _ = parameter.tensor.detach().fill_(1e30);
    }
    network.file(1, 1).expect("a network").write(path).expect("written");
}

/// The run stops with the position and the network that could not judge it; games finished before are kept.
#[test]
fn a_network_that_says_nan_is_named_with_the_position() {
    let begun = Lab::new("wangqi").set("run.generations=1");
    begun.succeed("run", &[]);
    let lab = begun.copy().set("run.generations=2");
    // Some games of the second generation are finished when the network is exchanged.
    let journal = "data/journal/variant=wangqi/gen=0002.jsonl";
    let mut child = lab.start(&[]);
    wait_until("a game is finished", || lab.lines(journal) > 0);
    child.kill().expect("killed");
    child.wait().expect("waited for");
    let (before, sound) = (lab.state(), fs::read(lab.file(NETWORK)).expect("the network"));
    overflow(&lab.file(NETWORK));
    let message = lab.refused(70, "run", &[]);
    assert!(message.contains("run/nets/gen-0001.safetensors cannot be played with"), "{message}");
    let (_, position) = message.split_once("for the position ").expect("the position is named");
    let fen = position.split(" (after the moves").next().expect("a FEN");
    rules::Position::<rules::Wangqi>::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    assert!(message.contains("NaN") && message.trim_end().lines().count() == 1, "{message}");
    assert!(lab.lines(journal) > 0, "the finished games are kept");
    fs::write(lab.file(NETWORK), sound).expect("brought back");
    before.assert_kept_in(&lab.state());
    lab.succeed("run", &[]);
    let undisturbed = begun.copy().set("run.generations=2");
    undisturbed.succeed("run", &[]);
    lab.state().assert_same(&undisturbed.state());
}
