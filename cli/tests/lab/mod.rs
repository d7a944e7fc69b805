//! A tiny run in a folder of its own.
#![allow(dead_code, reason = "each test program uses a part of it")]

pub mod state;

use crate::kirin::{self, Ran};
use state::State;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The name of the config file.
pub const CONFIG: &str = "tiny.toml";

/// A temporary folder with a config in it; its run lies in the folder `run` next to the config.
pub struct Lab {
    folder: tempfile::TempDir,
    variant: &'static str,
    /// Given with every command.
    settings: Vec<String>,
}

impl Lab {
    /// A run of this variant that has not begun.
    pub fn new(variant: &'static str) -> Lab {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let lab = Lab { folder, variant, settings: Vec::new() };
        std::fs::write(lab.path().join(CONFIG), include_str!("tiny.toml")).expect("the config is written");
        lab.set(&format!("run.variant={variant}"))
    }

    /// This run with another setting.
    pub fn set(mut self, setting: &str) -> Lab {
        self.settings.extend(["--set".to_owned(), setting.to_owned()]);
        self
    }

    /// A copy of it as it stands, in another temporary folder.
    pub fn copy(&self) -> Lab {
        let folder = tempfile::tempdir().expect("a temporary folder");
        copy(self.path(), folder.path());
        Lab { folder, variant: self.variant, settings: self.settings.clone() }
    }

    /// The folder with the config.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A file of the run.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join("run").join(name)
    }

    /// Lines of a file of the run; none if it is not there.
    pub fn lines(&self, name: &str) -> usize {
        std::fs::read_to_string(self.file(name)).map_or(0, |text| text.lines().count())
    }

    /// The arguments of a command on the run: `run`, `selfplay`, `train`.
    pub fn arguments(&self, command: &str, more: &[&str]) -> Vec<String> {
        let own = [command, CONFIG].map(str::to_owned);
        let more = more.iter().map(|&text| text.to_owned());
        own.into_iter().chain(self.settings.iter().cloned()).chain(more).collect()
    }

    /// Runs a command to its end.
    pub fn kirin(&self, command: &str, more: &[&str]) -> Ran {
        let arguments = self.arguments(command, more);
        kirin::kirin_in(self.path(), &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Runs a command that must succeed; returns what it printed.
    pub fn succeed(&self, command: &str, more: &[&str]) -> String {
        let ran = self.kirin(command, more);
        assert_eq!(ran.code, Some(0), "kirin {command} {more:?}\n{}{}", ran.out, ran.err);
        ran.out
    }

    /// Runs a command that must be refused with this exit code; returns its message, which is one.
    pub fn refused(&self, code: i32, command: &str, more: &[&str]) -> String {
        let ran = self.kirin(command, more);
        assert_eq!(ran.code, Some(code), "kirin {command} {more:?}\n{}{}", ran.out, ran.err);
        assert_eq!(ran.err.matches("error: ").count(), 1, "one message:\n{}", ran.err);
        ran.err
    }

    /// Starts `kirin run` by another program, which these words begin.
    pub fn start_by(&self, words: &[&str]) -> Child {
        let [program, rest @ ..] = words else { panic!("no program") };
        let mut command = Command::new(program);
        command.args(rest).arg(env!("CARGO_BIN_EXE_kirin")).args(self.arguments("run", &[])).current_dir(self.path());
        command.env_remove("LIBTORCH").env_remove("LD_LIBRARY_PATH");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts")
    }

    /// Starts `kirin run`.
    pub fn start(&self, more: &[&str]) -> Child {
        let arguments = self.arguments("run", more);
        kirin::command(self.path(), &arguments.iter().map(String::as_str).collect::<Vec<_>>())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("kirin starts")
    }

    /// What the run's folder holds, all of it checked.
    pub fn state(&self) -> State {
        State::read(&self.path().join("run"), self.variant)
    }
}

/// Sends a signal, such as `TERM`.
pub fn signal(child: &Child, name: &str) {
    let sent = Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status().expect("sh");
    assert!(sent.success(), "no such process");
}

/// Waits for the end; returns the exit code and what was said.
pub fn ended(mut child: Child) -> (Option<i32>, String) {
    let mut said = String::new();
    std::io::Read::read_to_string(child.stderr.as_mut().expect("piped"), &mut said).expect("UTF-8");
    (child.wait().expect("waited for").code(), said)
}

/// Waits until something is so.
pub fn wait_until(what: &str, mut is: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is() {
        assert!(begin.elapsed() < Duration::from_secs(60), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).expect("a copy");
        }
    }
}
