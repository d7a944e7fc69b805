//! The programs of a run that share nothing but a store: trainer, workers and referee.

use crate::kirin;
use crate::lab::{Lab, wait_until};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A tiny run and its store.
pub struct Cluster {
    /// The folder of the run and its config.
    pub lab: Lab,
}

impl Cluster {
    /// A run that has not begun.
    pub fn new() -> Cluster {
        Cluster { lab: Lab::new("wangqi") }
    }

    /// This run with another setting.
    pub fn set(self, setting: &str) -> Cluster {
        Cluster { lab: self.lab.set(setting) }
    }

    /// The URL of the store.
    pub fn url(&self) -> String {
        format!("file://{}", self.store("").display())
    }

    /// A file of the store.
    pub fn store(&self, name: &str) -> PathBuf {
        self.lab.path().join("store").join(name)
    }

    /// Names in a folder of the store.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.store(folder)).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        // While an object is uploaded, a file of another name is there.
        let mut names: Vec<String> = names.filter(|name| !name.contains('#')).collect();
        names.sort();
        names
    }

    /// How many shards a worker has uploaded.
    pub fn shards(&self, worker: u32) -> usize {
        self.names(&format!("shards/{worker:05}")).len()
    }

    /// The record of a generation.
    pub fn generation(&self, generation: u32) -> Value {
        let text = std::fs::read(self.store(&format!("generations/{generation:08}.json"))).expect("a record");
        serde_json::from_slice(&text).expect("JSON")
    }

    /// Starts a role.
    pub fn start(&self, command: &str, more: &[&str]) -> Task {
        let url = self.url();
        let mut own = vec!["--store", &url, "--poll-seconds", "0.05", "--quiet"];
        if command == "worker" {
            own.extend(["--shard-seconds", "0.2", "--shard-games", "6"]);
        }
        own.extend(more);
        self.start_as(command, &own, &[])
    }

    /// Starts a role with these arguments alone, and with more in its environment.
    pub fn start_as(&self, command: &str, own: &[&str], environment: &[(&str, &str)]) -> Task {
        let arguments = self.lab.arguments(command, own);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut command = kirin::command(self.lab.path(), &arguments);
        command.envs(environment.iter().copied());
        Task(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("kirin starts"))
    }

    /// A run without an end: its trainer, and a worker that has uploaded this many shards.
    pub fn endless(index: u32, shards: usize) -> (Cluster, Task, Task) {
        let cluster = Cluster::new().set("selfplay.plies_per_generation=100000");
        let (trainer, worker) = (cluster.start("trainer", &[]), cluster.worker(index));
        wait_until("shards are there", || cluster.shards(index) >= shards);
        (cluster, trainer, worker)
    }

    /// Starts a worker.
    pub fn worker(&self, index: u32) -> Task {
        self.start("worker", &["--index", &index.to_string()])
    }

    /// Checks the trainer's folder, the shards' games against it, and the records.
    pub fn check(&self, generations: u32) {
        let verified = kirin::kirin_in(self.lab.path(), &["verify", "run"]);
        assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
        let verified = kirin::kirin(&["verify", &self.url(), "--json"]);
        assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
        let state = self.lab.state();
        assert_eq!(state.networks.len(), generations as usize + 1);
        let mut taken = BTreeSet::new();
        let mut games = 0;
        for generation in 1..=generations {
            let record = self.generation(generation);
            assert_eq!(record["network"]["generation"], generation);
            for shard in record["gathered"]["shards"].as_array().expect("shards") {
                assert!(shard.get("fault").is_none(), "{shard}");
                assert!(
                    taken.insert((shard["worker"].as_u64(), shard["sequence"].as_u64())),
                    "{shard} was taken twice"
                );
                games += shard["games"].as_u64().expect("games");
            }
        }
        assert_eq!(games, state.games.len() as u64, "what was taken is there, once");
    }
}

/// A role at work; it is killed if the test fails.
pub struct Task(Child);

impl Task {
    /// Sends it a signal.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.0.id().to_string()]).status().expect("kill");
        assert!(sent.success());
    }

    /// Waits until it says something on standard error; all that it has said up to there.
    pub fn says(&mut self, text: &str) -> String {
        let (mut said, mut byte) = (Vec::new(), [0]);
        let stderr = self.0.stderr.as_mut().expect("piped");
        while !String::from_utf8_lossy(&said).contains(text) {
            let read = std::io::Read::read(stderr, &mut byte).expect("read");
            assert_eq!(read, 1, "it ended without {text:?}: {}", String::from_utf8_lossy(&said));
            said.push(byte[0]);
        }
        String::from_utf8_lossy(&said).into_owned()
    }

    /// Kills it.
    pub fn kill(mut self) {
        self.0.kill().expect("killed");
        self.0.wait().expect("waited for");
    }

    /// Waits for the end; the exit code and what was said.
    pub fn end(mut self) -> (Option<i32>, String) {
        wait_until("the task ends", || self.0.try_wait().expect("a child").is_some());
        let code = self.0.wait().expect("waited for").code();
        let mut text = String::new();
        std::io::Read::read_to_string(self.0.stderr.as_mut().expect("piped"), &mut text).expect("UTF-8");
        (code, text)
    }

    /// Waits for its end, which must be a good one.
    pub fn succeed(self) {
        let (code, text) = self.end();
        assert_eq!(code, Some(0), "{text}");
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
