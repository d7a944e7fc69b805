//! A run of several programs that share nothing but a store: trainer, workers and referee, killed, doubled and refused.

mod kirin;
mod lab;

use lab::{Lab, wait_until};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A tiny run and its store.
struct Cluster {
    lab: Lab,
}

impl Cluster {
    fn new() -> Cluster {
        Cluster { lab: Lab::new("wangqi") }
    }

    fn set(self, setting: &str) -> Cluster {
        Cluster { lab: self.lab.set(setting) }
    }

    fn url(&self) -> String {
        format!("file://{}", self.store("").display())
    }

    /// A file of the store.
    fn store(&self, name: &str) -> PathBuf {
        self.lab.path().join("store").join(name)
    }

    /// Names in a folder of the store.
    fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.store(folder)).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        // While an object is put, a file of another name is there.
        let mut names: Vec<String> = names.filter(|name| !name.contains('#')).collect();
        names.sort();
        names
    }

    fn shards(&self, worker: u32) -> usize {
        self.names(&format!("shards/{worker:05}")).len()
    }

    fn generation(&self, generation: u32) -> Value {
        let text = std::fs::read(self.store(&format!("generations/{generation:08}.json"))).expect("a record");
        serde_json::from_slice(&text).expect("JSON")
    }

    fn start(&self, command: &str, more: &[&str]) -> Task {
        let url = self.url();
        let mut own = vec!["--store", &url, "--poll-seconds", "0.05", "--quiet"];
        if command == "worker" {
            own.extend(["--shard-seconds", "0.2", "--shard-games", "6"]);
        }
        own.extend(more);
        let arguments = self.lab.arguments(command, &own);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut command = kirin::command(self.lab.path(), &arguments);
        Task(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("kirin starts"))
    }

    fn worker(&self, index: u32) -> Task {
        self.start("worker", &["--index", &index.to_string()])
    }

    /// Checks the trainer's folder, the shards' games against it, and the records.
    fn check(&self, generations: u32) {
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
struct Task(Child);

impl Task {
    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.0.id().to_string()]).status().expect("kill");
        assert!(sent.success());
    }

    fn kill(mut self) {
        self.0.kill().expect("killed");
        self.0.wait().expect("waited for");
    }

    /// Waits for the end; the exit code and what was said.
    fn end(mut self) -> (Option<i32>, String) {
        wait_until("the task ends", || self.0.try_wait().expect("a child").is_some());
        let code = self.0.wait().expect("waited for").code();
        let mut text = String::new();
        std::io::Read::read_to_string(self.0.stderr.as_mut().expect("piped"), &mut text).expect("UTF-8");
        (code, text)
    }

    fn succeed(self) {
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

#[test]
fn two_workers_a_trainer_and_a_referee_make_a_run() {
    let cluster = Cluster::new();
    let tasks = [cluster.worker(0), cluster.worker(1), cluster.start("referee", &[]), cluster.start("trainer", &[])];
    tasks.into_iter().for_each(Task::succeed);
    cluster.check(2);
    assert!(cluster.shards(0) > 0 && cluster.shards(1) > 0);
    assert_eq!(cluster.names("matches"), ["00000001-00000000", "00000002-00000000", "00000002-00000001"]);
    assert_eq!(cluster.names("matches/00000001-00000000"), ["000000.jsonl", "000001.jsonl"]);
    assert_eq!(cluster.names("matches/00000002-00000000").len(), 3);
    for log in cluster.names("matches/00000002-00000000") {
        let path = cluster.store(&format!("matches/00000002-00000000/{log}"));
        let verified = kirin::kirin(&["verify", path.to_str().expect("a path")]);
        assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
    }
    // Everybody who comes later finds the run over.
    cluster.worker(2).succeed();
    cluster.start("trainer", &[]).succeed();

    // The folder is made again from the store, game for game and network for network.
    let before = cluster.lab.state();
    std::fs::remove_dir_all(cluster.lab.path().join("run")).expect("removed");
    cluster.start("trainer", &[]).succeed();
    cluster.check(2);
    cluster.lab.state().assert_same(&before);
}

#[test]
fn killed_and_doubled_tasks_lose_nothing_and_double_nothing() {
    let cluster = Cluster::new().set("run.generations=4").set("selfplay.plies_per_generation=100");
    let mut trainer = cluster.start("trainer", &[]);
    let twins = [cluster.worker(0), cluster.start("worker", &["--index", "0", "--spool", "twin"])];
    wait_until("the first has its folder", || cluster.lab.path().join("run-worker-0/lock").exists());
    let third = cluster.worker(3);
    wait_until("the third worker has put shards", || cluster.shards(3) >= 2);
    third.kill();
    let put = cluster.shards(3);
    let third = cluster.worker(3);
    wait_until("it goes on", || cluster.shards(3) > put);
    for generation in 1..=3 {
        wait_until("a generation is published", || cluster.names("generations").len() >= generation);
        trainer.kill();
        if generation == 2 {
            // With all that it had not published.
            std::fs::remove_dir_all(cluster.lab.path().join("run")).expect("removed");
        }
        trainer = cluster.start("trainer", &[]);
    }
    trainer.succeed();
    twins.into_iter().chain([third]).for_each(Task::succeed);
    cluster.check(4);
    let doubles: u64 = (1..=4)
        .flat_map(|generation| {
            cluster.generation(generation)["gathered"]["shards"].as_array().cloned().unwrap_or_default()
        })
        .map(|shard| shard["doubles"].as_u64().expect("a number"))
        .sum();
    assert!(doubles > 0, "two workers of one number play the same games");
}

#[test]
fn a_worker_that_is_stopped_leaves_its_games_to_the_next() {
    let cluster = Cluster::new().set("selfplay.plies_per_generation=100000");
    let trainer = cluster.start("trainer", &[]);
    let worker = cluster.worker(7);
    wait_until("a shard is there", || cluster.shards(7) >= 2);
    let (code, text) = cluster.worker(7).end();
    assert!(code == Some(74) && text.contains("another worker keeps its shards in"), "{code:?} {text}");
    worker.signal("-TERM");
    let (code, text) = worker.end();
    assert_eq!(code, Some(75), "{text}");
    assert!(text.contains("the same command goes on"), "{text}");
    let put = cluster.shards(7);
    assert_eq!(cluster.names("slots/00007"), [format!("{put:08}")], "its unfinished games");
    let worker = cluster.worker(7);
    wait_until("it goes on", || cluster.shards(7) > put);
    trainer.signal("-TERM");
    let (code, text) = trainer.end();
    assert_eq!(code, Some(75), "{text}");
    worker.kill();
}

#[test]
fn who_does_not_belong_to_the_run_is_refused_by_name() {
    let cluster = Cluster::new().set("selfplay.plies_per_generation=100000");
    let trainer = cluster.start("trainer", &[]);
    wait_until("the run has begun", || cluster.store("run.json").exists());
    for (role, setting, told) in [
        ("worker", "search.visits=5", "search.visits: 4 in the run, 5 now"),
        ("referee", "run.seed=9", "run.seed: 1 in the run, 9 now"),
        ("trainer", "network.channels=16", "network.channels: 8 in the run, 16 now"),
        ("trainer", "run.folder=other", "is of wangqi-other"),
    ] {
        let (code, text) = cluster.start(role, &["--set", setting]).end();
        assert!(code == Some(78) && text.contains(told), "{role}: {code:?} {text}");
    }
    // Another version of the program.
    let run = cluster.store("run.json");
    let text = std::fs::read_to_string(&run).expect("read");
    let version = env!("CARGO_PKG_VERSION");
    std::fs::write(&run, text.replace(&format!("\"kirin_version\": \"{version}\""), "\"kirin_version\": \"0.0.9\""))
        .expect("written");
    let (code, text) = cluster.worker(0).end();
    assert!(code == Some(78) && text.contains("begun by kirin 0.0.9, and this is kirin"), "{code:?} {text}");
    trainer.kill();

    let budget = Cluster::new();
    let (code, text) = budget.start("trainer", &["--set", "run.budget=10m"]).end();
    assert!(code == Some(78) && text.contains("--set run.budget=none"), "{code:?} {text}");
    assert_eq!(budget.names(""), [] as [&str; 0], "nothing was begun");
}

#[test]
fn what_the_store_does_not_take_waits_on_the_disk() {
    let cluster = Cluster::new().set("selfplay.plies_per_generation=100000");
    let trainer = cluster.start("trainer", &[]);
    let worker = cluster.worker(4);
    wait_until("shards are there", || cluster.shards(4) >= 1);
    // A file where the folder of its shards was: nothing can be put there.
    let (folder, aside) = (cluster.store("shards/00004"), cluster.store("aside"));
    std::fs::rename(&folder, &aside).expect("renamed");
    std::fs::write(&folder, "in the way").expect("written");
    let spool = cluster.lab.path().join("run-worker-4");
    let waiting = || {
        let entries = std::fs::read_dir(&spool).into_iter().flatten().flatten();
        entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "shard")).count()
    };
    wait_until("shards wait", || waiting() >= 3);
    std::fs::remove_file(&folder).expect("removed");
    std::fs::rename(&aside, &folder).expect("renamed");
    wait_until("they are put", || waiting() == 0 || cluster.shards(4) >= 4);
    std::thread::sleep(Duration::from_millis(10));
    worker.kill();
    trainer.kill();
}

#[test]
fn damage_in_a_store_is_found() {
    let cluster = Cluster::new().set("run.generations=1");
    let tasks = [cluster.worker(0), cluster.start("trainer", &[])];
    tasks.into_iter().for_each(Task::succeed);
    let network = cluster.names("networks").pop().expect("a network");
    for name in ["shards/00000/00000000", &format!("networks/{network}")] {
        let path = cluster.store(name);
        let whole = std::fs::read(&path).expect("read");
        let mut damaged = whole.clone();
        damaged[whole.len() / 2] ^= 1;
        std::fs::write(&path, damaged).expect("written");
        let verified = kirin::kirin(&["verify", &cluster.url()]);
        assert!(verified.code == Some(74) && verified.out.contains(name), "{name}: {}{}", verified.out, verified.err);
        std::fs::write(&path, whole).expect("written");
    }
    assert_eq!(kirin::kirin(&["verify", &cluster.url()]).code, Some(0));
    let nothing = kirin::kirin(&["verify", &format!("file://{}/empty", cluster.lab.path().display())]);
    assert!(nothing.code == Some(78) && nothing.err.contains("no run has begun"), "{}", nothing.err);
}

#[test]
fn a_folder_is_examined() {
    let cluster = Cluster::new();
    let examined = kirin::kirin(&["store", "doctor", &cluster.url()]);
    assert_eq!(examined.code, Some(0), "{}", examined.err);
    assert_eq!(examined.out.matches("ok ").count(), 4, "{}", examined.out);
    let refused = kirin::kirin(&["store", "doctor", "ftp://somewhere"]);
    assert!(refused.code == Some(78) && refused.err.contains("s3://bucket/prefix"), "{}", refused.err);
}
