//! `kirin engine` as GUIs and match runners start it: as a process with two pipes.

use crate::kirin::{command, kirin};
use rules::{Position, Wangqi};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use testkit::oracle;
use train::{Blueprint, NetworkConfig};

/// A running engine.
struct Engine {
    process: Child,
    say: Option<ChildStdin>,
    heard: BufReader<ChildStdout>,
}

impl Engine {
    fn start(arguments: &[&str]) -> Engine {
        let mut command = command(Path::new("."), &[&["engine"], arguments].concat());
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("kirin starts");
        let (say, heard) = (process.stdin.take(), BufReader::new(process.stdout.take().expect("a pipe")));
        Engine { process, say, heard }
    }

    fn say(&mut self, text: &str) {
        writeln!(self.say.as_mut().expect("not yet ended"), "{text}").expect("it listens");
    }

    /// The lines up to one that begins so.
    fn until(&mut self, start: &str) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.heard.read_line(&mut line).expect("UTF-8") > 0, "it ended before {start:?}: {lines:#?}");
            lines.push(line.trim_end().to_owned());
            if lines[lines.len() - 1].starts_with(start) {
                return lines;
            }
        }
    }

    /// Closes its input and waits; the exit code.
    fn end(mut self) -> Option<i32> {
        self.say = None;
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(60) {
            if let Some(status) = self.process.try_wait().expect("ours") {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.process.kill();
        panic!("it does not end with its input");
    }
}

fn best_move(lines: &[String]) -> &str {
    lines[lines.len() - 1].split(' ').nth(1).expect("a move")
}

#[test]
fn a_network_plays_and_garbage_does_not_stop_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("net.safetensors");
    let size = NetworkConfig { blocks: 1, channels: 16, ..NetworkConfig::default() };
    train::untrained(Blueprint::of::<Wangqi>(size), 1).expect("a network").write(&file).expect("written");
    let path = file.to_str().expect("UTF-8");
    let mut engine = Engine::start(&["--net", path, "--visits-default", "40"]);
    engine.say("uci");
    let hello = engine.until("uciok");
    assert!(hello[0].starts_with("id name Kirin") && hello[0].contains("network"), "{hello:#?}");
    assert!(
        hello.iter().any(|line| line.starts_with("option name UCI_Variant type combo default wangqi")),
        "{hello:#?}"
    );
    engine.say(&"x".repeat(3 << 20));
    engine.say("isready");
    assert_eq!(engine.until("readyok"), ["info string a line of more than 1048576 bytes was ignored", "readyok"]);
    engine.say("position startpos\ngo");
    let answer = engine.until("bestmove");
    assert!(answer[answer.len() - 2].contains(" nodes 40 "), "{answer:#?}");
    assert!(Position::<Wangqi>::start().parse_move(best_move(&answer)).is_ok(), "{answer:#?}");
    engine.say("go infinite");
    let begun = Instant::now();
    engine.say("stop");
    engine.until("bestmove");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    // Another variant has no use for this network.
    engine.say("setoption name UCI_Variant value shogi\nisready");
    let told = engine.until("readyok").join("\n");
    assert!(told.contains("wangqi") && told.contains("go needs another EvalFile"), "{told}");
    engine.say("position startpos\ngo nodes 5");
    assert_eq!(best_move(&engine.until("bestmove")), "(none)", "no other network plays");
    // The network's file as an option.
    engine.say(&format!("setoption name UCI_Variant value wangqi\nsetoption name EvalFile value {path}\nisready"));
    assert_eq!(engine.until("readyok"), ["readyok"]);
    engine.say("go infinite");
    assert_eq!(engine.end(), Some(0));
}

#[test]
fn a_wrong_command_line_is_refused_before_the_dialogue() {
    let missing = kirin(&["engine", "--net", "/nowhere.safetensors"]);
    assert!(matches!(missing.code, Some(74 | 78)) && missing.err.contains("/nowhere.safetensors"), "{}", missing.err);
    assert_eq!(missing.out, "");
    let unknown = kirin(&["engine", "--variant", "shogi", "--ruleset", "27"]);
    assert_eq!(unknown.code, Some(78), "{}", unknown.err);
    let level = kirin(&["engine", "--variant", "wangqi", "--level", "11"]);
    assert_eq!(level.code, Some(78), "{}", level.err);
    assert!(level.err.contains("wangqi has no level 11; its levels are 1 to 10"), "{}", level.err);
    let help = kirin(&["engine", "--help"]).out;
    assert!(help.contains("USI") && help.contains("MoveOverhead"), "{help}");
}

#[test]
fn a_level_excludes_what_would_contradict_it() {
    let level = |arguments: &[&str]| kirin(&[&["play", "--variant", "wangqi", "--level"], arguments].concat());
    let wrong = level(&["11"]);
    assert_eq!(wrong.code, Some(78), "{}", wrong.err);
    assert!(wrong.err.contains("wangqi has no level 11; its levels are 1 to 10"), "{}", wrong.err);
    for other in [["3", "--visits", "10"], ["3", "--net", "none"]] {
        let both = level(&other);
        assert!(both.code.is_some_and(|code| code != 0) && both.err.contains(other[1]), "{}", both.err);
        assert!(both.err.contains("cannot be used with"), "{}", both.err);
    }
    assert!(!level(&["0"]).err.is_empty());
}

/// Two short games of shogi against itself, managed by cshogi's USI match runner, by the clock and with pondering.
///
/// cshogi is not among what `scripts/oracles` installs (with NumPy it is 100 MB): `KIRIN_CSHOGI` names a Python that has
/// it (`pip install cshogi`); otherwise `python3` is tried, and without it nothing is compared.
#[test]
fn a_match_runner_plays_shogi() {
    let python = std::env::var("KIRIN_CSHOGI").unwrap_or_else(|_| "python3".to_owned());
    let has_cshogi = Command::new(&python).args(["-c", "import cshogi"]).output().is_ok_and(|ran| ran.status.success());
    if !has_cshogi {
        assert!(std::env::var_os("KIRIN_CSHOGI").is_none(), "KIRIN_CSHOGI={python} cannot import cshogi");
        let _: Option<()> = oracle::skipped("no match runner: pip install cshogi, and set KIRIN_CSHOGI");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    // It starts a program without arguments, as many GUIs do.
    let script = folder.path().join("kirin-usi");
    let line = format!("#!/bin/sh\nexec '{}' engine --variant shogi --batch 1\n", env!("CARGO_BIN_EXE_kirin"));
    std::fs::write(&script, line).expect("written");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("its own file");
    let run = "import sys; from cshogi import cli; \
               print(cli.main(sys.argv[1], sys.argv[1], games=2, time=4000, inc=50, draw=24, ponder=True, debug=True))";
    let mut runner = Command::new(&python);
    runner.args(["-c", run]).arg(&script).env("PYTHONIOENCODING", "utf-8").env("LC_ALL", "C.UTF-8");
    let ran = runner.output().expect("Python starts");
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{out}\n{err}");
    assert!(out.contains("2 of 2 games finished."), "{out}\n{err}");
    for fault in ["反則負け", "切れ負け"] {
        assert!(!out.contains(fault), "an illegal move or time overstepped: {out}");
    }
    assert!(out.contains(":go ponder") && out.matches(":bestmove").count() >= 20, "{out}");
}
