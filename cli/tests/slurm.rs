//! A whole run of several programs in a real SLURM of four virtual nodes, whose games lie in an S3: `kirin cluster slurm`
//! writes the job files, nodes die under the trainer and under a worker and come back, and in the end nothing is lost and
//! nothing is doubled.
//!
//! `scripts/oracles` installs SLURM and moto, which simulates S3. Where one of them is missing the test says so and
//! passes; with `KIRIN_ORACLES=required` that is a failure.

#[path = "../../distributed/tests/slurm/virtual_cluster.rs"]
mod virtual_cluster;

use self::virtual_cluster::{VirtualCluster, submitted, wait_until};
use crate::lab::{Lab, state::State};
use crate::s3::{BUCKET, S3, environment};
use rules::Wangqi;
use search::SearchConfig;
use selfplay::generator::SelfplayPool;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const GENERATIONS: usize = 4;

/// Writes the job files of a run that lies in the bucket of `s3`; each process has a node to itself.
fn write_jobs(lab: &Lab, s3: &S3, url: &str) {
    let setup = lab.path().join("credentials.sh");
    let exports = environment(&s3.address).map(|(name, value)| format!("export {name}={value}\n"));
    std::fs::write(&setup, exports.concat()).expect("written");
    let run = ["--store", url, "--workers", "2", "--name", "demo", "--setup", setup.to_str().expect("UTF-8")];
    let nodes = ["--memory", "1G", "--trainer-cpus", "2", "--trainer-memory", "1G", "--referee-memory", "1G"];
    let pace = ["--shard-seconds", "1", "--poll-seconds", "0.5"];
    let arguments = lab.arguments("slurm", &[&run[..], &nodes, &pace].concat());
    let arguments: Vec<&str> = std::iter::once("cluster").chain(arguments.iter().map(String::as_str)).collect();
    let written = crate::kirin::kirin_in(lab.path(), &arguments);
    assert_eq!(written.code, Some(0), "{}", written.err);
}

/// The games of each worker's slot are those of its numbers from 0 on, each of them once, as the run and the worker's number
/// decide them.
fn check_games(run: &Path, state: &State) {
    let about = std::fs::read(run.join("run.json")).expect("run.json");
    let about: Value = serde_json::from_slice(&about).expect("JSON");
    let selfplay_pool = |worker: u32| {
        let text = format!("{} {} worker {worker}", about["run_id"].as_str().expect("a name"), about["seed"]);
        let digest = blake3::hash(text.as_bytes());
        let seed = u64::from_le_bytes(std::array::from_fn(|at| digest.as_bytes()[at]));
        SelfplayPool::<Wangqi>::new(seed, &SearchConfig::default(), &[])
    };
    let mut slots: BTreeMap<(u32, u32), BTreeSet<u64>> = BTreeMap::new();
    for (&id, game) in &state.games {
        let (worker, slot) = game["worker"].as_str().and_then(|name| name[1..].split_once('/')).expect("wNNNNN/SLOT");
        let slot = (worker.parse().expect("a number"), slot.parse().expect("a number"));
        slots.entry(slot).or_default().insert(id);
    }
    for (&(worker, slot), games) in &slots {
        let selfplay_pool = selfplay_pool(worker);
        let expected: BTreeSet<u64> =
            (0..games.len() as u64).map(|number| selfplay_pool.game_id(slot, number)).collect();
        assert_eq!(games, &expected, "worker {worker}, slot {slot}");
    }
    assert!(slots.keys().any(|&(worker, _)| worker == 0) && slots.keys().any(|&(worker, _)| worker == 1));
}

/// What the trainer has taken of each worker: every shard once, one after the other. The number of games in them.
fn check_shards(run: &Path, logs: &str) -> u64 {
    let (mut next, mut games) = (BTreeMap::new(), 0);
    for generation in 1..=GENERATIONS {
        let text = std::fs::read(run.join(format!("gathered/gen-{generation:04}.json"))).expect("a list");
        let list: Value = serde_json::from_slice(&text).expect("JSON");
        for shard in list["shards"].as_array().expect("shards") {
            assert!(shard.get("fault").is_none(), "{shard}");
            let next = next.entry(shard["worker"].as_u64()).or_insert(0);
            assert_eq!(shard["sequence"].as_u64(), Some(*next), "{shard}\n{logs}");
            *next += 1;
            games += shard["games"].as_u64().expect("a number");
        }
    }
    games
}

#[test]
fn a_run_survives_the_death_of_its_nodes() {
    let Some(s3) = S3::start() else { return };
    let Some(slurm) = VirtualCluster::start(4) else { return };
    let lab =
        Lab::new("wangqi").set(&format!("run.generations={GENERATIONS}")).set("selfplay.plies_per_generation=800");
    let url = format!("s3://{BUCKET}/demo");
    write_jobs(&lab, &s3, &url);
    let folder = lab.path().join("demo-slurm");
    let run = folder.join("run");
    let jobs = submitted(&slurm.run(&folder, &["bash", "submit.sh"]));
    let [trainer, referee, worker] = jobs.as_slice() else { panic!("{jobs:?}") };
    let log = |name: &str| std::fs::read_to_string(folder.join(format!("logs/{name}.log"))).unwrap_or_default();
    let logs = || ["trainer", "referee", "worker-0", "worker-1"].map(|name| format!("{name}:\n{}", log(name))).concat();
    let shards = || log("worker-0").matches("uploaded shards/00000/").count();

    wait_until("there is a network and a shard", || run.join("nets/gen-0001.safetensors").exists() && shards() > 0);
    // The trainer first: without it the run cannot end.
    let lost = [trainer.clone(), format!("{worker}_0")];
    let asked = |format: &str| {
        lost.each_ref().map(|job| slurm.run(&folder, &["squeue", "-h", "-j", job, "-o", format]).trim().to_owned())
    };
    assert_eq!(asked("%T"), ["RUNNING", "RUNNING"], "{}", logs());
    let nodes = asked("%N");
    nodes.iter().for_each(|node| slurm.lose(node));
    let before = shards();
    wait_until("SLURM has seen it", || asked("%T") == ["PENDING", "PENDING"]);
    nodes.iter().for_each(|node| slurm.bring_back(node));
    wait_until("all jobs are over", || {
        // In this order: a job may fail after it was looked for.
        let over = slurm.run(&folder, &["squeue", "-h"]).is_empty();
        !slurm.hurry(&folder) && over
    });

    for job in [trainer, referee, &lost[1], &format!("{worker}_1")] {
        let state = slurm.run(&folder, &["scontrol", "-o", "show", "job", job]);
        assert!(state.contains("JobState=COMPLETED") && state.contains("ExitCode=0:0"), "{state}\n{}", logs());
        assert_eq!(state.contains("Restarts=0"), !lost.contains(job), "{state}");
    }
    assert!(shards() > before, "worker 0 played on\n{}", logs());
    for place in [run.to_str().expect("UTF-8"), &url] {
        let mut verify = crate::kirin::command(lab.path(), &["verify", place]);
        let verified = verify.envs(environment(&s3.address)).output().expect("kirin starts");
        let told = [verified.stdout, verified.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        assert!(verified.status.success(), "{told}\n{}", logs());
    }
    let state = State::read(&run, "wangqi");
    assert_eq!(state.networks.len(), GENERATIONS + 1);
    assert_eq!(check_shards(&run, &logs()), state.games.len() as u64, "what was taken is there, once");
    check_games(&run, &state);
}
