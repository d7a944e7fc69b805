//! What the program does where memory, threads, output or the ends of files run out.

use crate::kirin::{command, kirin_in, limited};
use crate::lab::{self, Lab, signal};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn a_full_or_closed_output_stops_no_run() {
    let (full, plain) = (Lab::new("wangqi").set("run.generations=1"), Lab::new("wangqi").set("run.generations=1"));
    plain.succeed("run", &[]);
    let words = full.arguments("run", &[]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let nowhere = || File::options().write(true).open("/dev/full").expect("a full device");
    let output = command(full.path(), &words).stdout(nowhere()).stderr(Stdio::piped()).output().expect("kirin");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(74), "the tables at the end are lost, and it says so: {errors}");
    assert!(errors.contains("cannot write to standard output") && !errors.contains("panicked"), "{errors}");
    full.state().assert_same(&plain.state());

    let both = Lab::new("wangqi").set("run.generations=1");
    let status = command(both.path(), &words).stdout(nowhere()).stderr(nowhere()).status().expect("kirin");
    assert_eq!(status.code(), Some(74));
    both.state().assert_same(&plain.state());

    // `kirin run … | head -0`: the reader is gone before the first line.
    let closed = Lab::new("wangqi").set("run.generations=1");
    let mut child =
        command(closed.path(), &words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("kirin");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
    closed.state().assert_same(&plain.state());
}

#[test]
fn results_that_cannot_be_printed_are_an_error() {
    let full = File::options().write(true).open("/dev/full").expect("a full device");
    let mut perft = command(Path::new("."), &["perft", "--variant", "wangqi", "--depth", "1"]);
    let output = perft.stdout(full).stderr(Stdio::piped()).output().expect("kirin");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(74), "{errors}");
    assert!(errors.starts_with("error: cannot write to standard output: "), "{errors}");
}

#[test]
fn memory_that_is_not_there_is_refused_with_numbers() {
    let lab = Lab::new("wangqi").set("selfplay.cache_mb=65536").set("run.threads=512").set("evaluator.threads=1");
    let message = lab.refused(78, "run", &[]);
    assert!(message.contains("35184.37 GB (lower selfplay.cache_mb)") && message.contains("are free"), "{message}");
    assert!(!lab.file("nets").exists() && !lab.file("config.toml").exists(), "nothing was begun");

    let lab = Lab::new("wangqi").set("run.threads=100000");
    let message = lab.refused(78, "run", &[]);
    assert!(message.contains("run.threads: 100000 is out of range; 0 to 1024"), "{message}");
    assert!(!message.contains("evaluation.threads"), "{message}");
}

#[test]
fn an_address_space_that_is_too_small_is_an_error_and_no_abort() {
    let lab = Lab::new("wangqi").set("run.generations=1");
    lab.succeed("run", &[]);
    let mut refused = 0;
    // Below the first of them not even the program fits, and with the last it works.
    for megabytes in (40..200).step_by(4) {
        let (code, errors) = limited(lab.path(), &format!("-v {}", megabytes << 10), "openings run");
        // Where the last pages go to the stack that Rust gives each thread for its signals, it panics before any of our
        // code runs.
        let in_rusts_own_start = errors.contains("failed to allocate an alternative stack");
        assert!(in_rusts_own_start || !errors.contains("panicked"), "{megabytes} MB: {errors}");
        refused += u32::from(code == Some(74) && errors.contains("cannot start") && errors.contains("ulimit -u"));
    }
    assert!(refused > 0, "no limit let the program start and not its threads");
}

#[test]
fn too_few_open_files_are_an_error_that_names_what_was_not_opened() {
    let (lab, plain) = (Lab::new("wangqi").set("run.generations=1"), Lab::new("wangqi").set("run.generations=1"));
    plain.succeed("run", &[]);
    let words = lab.arguments("run", &[]).join(" ");
    let mut refused = 0;
    // Below the first of them not even the program is loaded. Each call resumes where the one before has failed.
    for files in 4..64 {
        let (code, said) = limited(lab.path(), &format!("-n {files}"), &words);
        if code == Some(0) {
            break;
        }
        let told = said.lines().find(|line| line.starts_with("error: cannot "));
        assert!(code == Some(74) && told.is_some_and(|line| line.contains("Too many open files")), "{files}: {said}");
        refused += 1;
    }
    assert!((5..60).contains(&refused), "{refused} limits were too low");
    lab.succeed("run", &[]);
    lab.state().assert_same(&plain.state());
}

/// The wait for a pipe might never end. So a network comes from a file, and a program that waits for its configuration
/// ends at the first signal.
#[test]
fn a_pipe_is_no_network_and_a_config_from_a_pipe_does_not_hold_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = Command::new("mkfifo").arg(folder.path().join("pipe")).status().expect("mkfifo");
    assert!(made.success());
    for words in [&["analyse", "--net", "pipe"][..], &["play", "--net", "pipe"], &["bench", "net", "--net", "pipe"]] {
        // Without a time limit this would wait for a writer for ever.
        let mut limited = Command::new("timeout");
        limited.arg("60").arg(env!("CARGO_BIN_EXE_kirin")).args(words).current_dir(folder.path());
        let ran = limited.stdin(Stdio::null()).output().expect("kirin");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!([Some(74), Some(78)].contains(&ran.status.code()), "{words:?}: {:?} {said}", ran.status);
        assert!(said.contains("pipe") && said.contains("not an ordinary file"), "{words:?}: {said}");
    }
    let mut waiting = command(folder.path(), &["run", "pipe"]).stderr(Stdio::piped()).spawn().expect("kirin");
    // This end opens when the program has opened the other, and then the program waits for input that never comes.
    let silent = File::options().write(true).open(folder.path().join("pipe")).expect("a pipe that is read");
    signal(&waiting, "TERM");
    assert_eq!(waiting.wait().expect("it ends").signal(), Some(15));
    drop(silent);
}

/// Opening a pipe waits for its other end, so the files of a run are checked first.
#[test]
fn a_pipe_in_the_place_of_a_file_of_a_run_is_refused_at_once() {
    let lab = Lab::new("wangqi").set("run.generations=1");
    lab.succeed("run", &[]);
    for name in
        ["config.toml", "run.json", "lock", "progress.json", "plan.jsonl", "events.jsonl", "data/manifest.jsonl"]
    {
        let other = lab.copy();
        let file = other.file(name);
        if file.exists() {
            std::fs::remove_file(&file).expect("removed");
        }
        assert!(Command::new("mkfifo").arg(&file).status().expect("mkfifo").success());
        let mut refused = 0;
        for words in [
            "run run",
            "watch run --once",
            "report run",
            "verify run",
            "openings run",
            "data export run --to csv --out -",
        ] {
            // Without a time limit this would wait for a writer for ever.
            let mut limited = Command::new("timeout");
            limited.arg("120").arg(env!("CARGO_BIN_EXE_kirin")).args(words.split(' ')).current_dir(other.path());
            let ran = limited.stdin(Stdio::null()).output().expect("kirin");
            let said = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
            assert!(
                [Some(0), Some(74), Some(78)].contains(&ran.status.code()),
                "{name}, {words}: {:?} {said}",
                ran.status
            );
            refused += usize::from(ran.status.code() != Some(0) && said.contains(name));
        }
        assert!(refused > 0, "no command names {name}");
    }
}

#[test]
fn what_never_ends_is_read_to_its_cap_only() {
    let folder = tempfile::tempdir().expect("a folder");
    for words in [
        &["run", "/dev/zero"][..],
        &["perft", "--variant", "wangqi", "--suite", "/dev/zero"],
        &["eval", "table", "/dev/zero"],
        &["eval", "match", "--variant", "wangqi", "random", "greedy", "--engines", "/dev/zero"],
        &["eval", "match", "--variant", "wangqi", "random", "greedy", "--openings", "book:/dev/zero"],
        &["analyse", "--net", "/dev/zero"],
        &["data", "import", "--variant", "wangqi", "--to", "x", "/dev/zero"],
    ] {
        let ran = kirin_in(folder.path(), words);
        assert!([Some(74), Some(78)].contains(&ran.code), "{words:?}: {:?} {}", ran.code, ran.err);
    }
    // The run folder of a stranger.
    let run = folder.path().join("run");
    std::fs::create_dir(&run).expect("a folder");
    for name in ["config.toml", "run.json"] {
        std::os::unix::fs::symlink("/dev/zero", run.join(name)).expect("a link");
    }
    let ran = kirin_in(folder.path(), &["report", "run"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let page = std::fs::read_to_string(run.join("report.html")).expect("a report");
    assert!(page.contains("Unknown variant"), "the configuration is told to be unreadable");
}

#[test]
fn a_header_that_claims_more_than_there_is_takes_no_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("net.safetensors");
    let mut bytes = (1u64 << 60).to_le_bytes().to_vec();
    bytes.extend(b"{}");
    std::fs::write(&path, bytes).expect("written");
    let ran = kirin_in(folder.path(), &["analyse", "--net", "net.safetensors"]);
    assert_eq!(ran.code, Some(78), "{}", ran.err);
    assert!(ran.err.contains("net.safetensors") && ran.err.contains("restore it from a copy"), "{}", ran.err);
}

#[test]
fn odd_names_of_configs_and_folders_are_names_like_others() {
    let lab = Lab::new("wangqi").set("run.generations=1");
    let text = std::fs::read_to_string(lab.path().join(lab::CONFIG)).expect("a config");
    let odd = lab.path().join(std::ffi::OsStr::from_bytes(b"odd\xff.toml"));
    std::fs::write(&odd, text.replace("folder = \"run\"", "")).expect("written");
    let sets = ["--set", "run.variant=wangqi", "--set", "run.generations=1"];
    for _ in 0..2 {
        // The second call finds the run of the first.
        let mut run = command(lab.path(), &["run"]);
        let output = run.arg(&odd).args(sets).output().expect("kirin");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let there: Vec<_> = std::fs::read_dir(lab.path().join("runs")).expect("runs").collect();
    assert_eq!(there.len(), 1);
    let colon = Lab::new("wangqi").set("run.generations=1").set("run.folder=\"file:\"");
    colon.succeed("run", &[]);
    colon.succeed("run", &[]);
    assert!(colon.path().join("file:/report.html").exists());

    // JSON has such a name too, with a replacement for each byte that is no text.
    let odd = std::ffi::OsStr::from_bytes(b"odd\xff");
    std::fs::rename(colon.path().join("file:"), colon.path().join(odd)).expect("renamed");
    let answer = |lab: &Lab, words: &str, code: i32| -> serde_json::Value {
        let words: Vec<&str> = words.split(' ').collect();
        let output = command(lab.path(), &words).arg(odd).arg("--json").output().expect("kirin");
        assert_eq!(output.status.code(), Some(code), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{words:?}: {error}"))
    };
    assert_eq!(answer(&colon, "run", 0)["report"], "odd\u{fffd}/report.html");
    assert_eq!(answer(&colon, "report", 0)["report"], "odd\u{fffd}/report.html");
    let matches = answer(&lab, "eval tournament --variant wangqi greedy random --pairs 1 --max-plies 12 --folder", 0);
    assert!(matches["encounters"][0]["log"].as_str().is_some_and(|log| log.starts_with("odd\u{fffd}/")), "{matches}");
    std::fs::write(colon.path().join(odd).join("events.jsonl"), "no event\n").expect("written");
    let found = answer(&colon, "verify", 74);
    let first = &found["problems"][0]["file"];
    assert!(first.as_str().is_some_and(|file| file.starts_with("odd\u{fffd}/")), "{found}");
}

#[test]
fn control_characters_of_names_do_not_reach_the_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let named = ["eval", "match", "--variant", "wangqi", "random", "greedy", "--pairs", "1", "--max-plies", "12"];
    let log = ["--log", "a\u{1b}[31mred.jsonl"];
    let ran = kirin_in(folder.path(), &[&named[..], &log].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("red.jsonl") && !ran.out.contains('\u{1b}') && !ran.err.contains('\u{1b}'), "{}", ran.out);
    // Turned around by U+202E, the end of a name reads as another one.
    let ran = kirin_in(folder.path(), &[&named[..], &["--log", "a\u{202e}lnosj.x"]].concat());
    assert!(ran.out.contains("lnosj.x") && !ran.out.contains('\u{202e}'), "{}", ran.out);
}
