//! Runs the program as a user does.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What a run of `kirin` gave.
pub struct Ran {
    /// Exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// `kirin` with these arguments, in `folder`.
pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    command_at(Path::new(env!("CARGO_BIN_EXE_kirin")), folder, arguments)
}

fn command_at(program: &Path, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    // The binary finds libtorch by itself.
    command.env_remove("LIBTORCH").env_remove("LD_LIBRARY_PATH");
    command
}

/// Runs `kirin` to its end.
pub fn kirin_in(folder: &Path, arguments: &[&str]) -> Ran {
    kirin_at(Path::new(env!("CARGO_BIN_EXE_kirin")), folder, arguments)
}

/// Runs a copy of `kirin` to its end.
pub fn kirin_at(program: &Path, folder: &Path, arguments: &[&str]) -> Ran {
    let Output { status, stdout, stderr } = command_at(program, folder, arguments).output().expect("kirin starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let ran = Ran { code: status.code(), out: text(stdout), err: text(stderr) };
    assert!(!ran.err.contains("panicked"), "kirin {arguments:?} panicked:\n{}", ran.err);
    ran
}

/// `kirin` with these words under a limit of the shell (`-v` of so many kB): its exit code and all that it printed.
pub fn limited(folder: &Path, limit: &str, words: &str) -> (Option<i32>, String) {
    let script = format!("ulimit {limit} && exec {} {words}", env!("CARGO_BIN_EXE_kirin"));
    let output = Command::new("bash").args(["-c", &script]).current_dir(folder).output().expect("bash");
    let printed = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&printed).into_owned())
}

/// Runs `kirin` to its end, wherever.
pub fn kirin(arguments: &[&str]) -> Ran {
    kirin_in(Path::new("."), arguments)
}

/// Runs `kirin` in `folder` to its end, which is a good one.
pub fn run_in(folder: &Path, words: &[&str]) -> Ran {
    let ran = kirin_in(folder, words);
    assert_eq!(ran.code, Some(0), "kirin {words:?}\n{}{}", ran.out, ran.err);
    ran
}

/// What `kirin … --json` says in `folder`.
pub fn json_in(folder: &Path, words: &[&str]) -> serde_json::Value {
    let ran = run_in(folder, &[words, &["--json"]].concat());
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}", ran.out))
}
