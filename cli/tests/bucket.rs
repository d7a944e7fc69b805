//! A run over S3 as `moto` simulates it, directly and through a proxy that fails as networks do.
//!
//! `scripts/oracles` installs moto. Where it is missing the tests say so and pass; with `KIRIN_ORACLES=required` that is a
//! failure.

use crate::lab::{Lab, wait_until};
use crate::proxy::{Fault, Proxy};
use crate::s3::{BUCKET, S3, environment, free_address};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Every other request or so goes wrong, each in another way.
const FAULTS: [Fault; 11] = [
    Fault::None,
    Fault::Status(503, "SlowDown"),
    Fault::None,
    Fault::None,
    Fault::LostAnswer,
    Fault::None,
    Fault::HalfBody,
    Fault::Status(500, "InternalError"),
    Fault::None,
    Fault::Reset,
    Fault::None,
];

/// More rounds of faults than a run has requests.
const ROUNDS: usize = 10_000;

/// `kirin` with a store at this address.
fn kirin_on(lab: &Lab, address: &str, command: &str, more: &[&str]) -> Command {
    let arguments = lab.arguments(command, more);
    let mut command = crate::kirin::command(lab.path(), &arguments.iter().map(String::as_str).collect::<Vec<_>>());
    command.envs(environment(address));
    command
}

/// `kirin` without a config, to its end: exit code and all that was said.
fn plain(address: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = crate::kirin::command(std::path::Path::new("."), arguments);
    let output = command.envs(environment(address)).output().expect("kirin starts");
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    (output.status.code(), text)
}

/// Starts a role of the run.
fn start(lab: &Lab, address: &str, role: &str, more: &[&str]) -> Child {
    let url = format!("s3://{BUCKET}/first");
    let mut own = vec!["--store", &url, "--poll-seconds", "0.1", "--quiet"];
    own.extend(more);
    kirin_on(lab, address, role, &own).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("kirin starts")
}

fn end(mut task: Child) -> (Option<i32>, String) {
    wait_until("the task ends", || task.try_wait().expect("a child").is_some());
    let output = task.wait_with_output().expect("an end");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Waits until all roles have ended; after the first error the others, which would wait for it, are killed.
fn all_end<const N: usize>(mut tasks: [Child; N]) -> [(Option<i32>, String); N] {
    let begun = Instant::now();
    loop {
        let ends = tasks.each_mut().map(|task| task.try_wait().expect("a child"));
        if ends.iter().all(Option::is_some) {
            break;
        }
        if begun.elapsed() > Duration::from_secs(600) || ends.iter().flatten().any(|end| !end.success()) {
            tasks.iter_mut().for_each(|task| task.kill().expect("it ends"));
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    tasks.map(end)
}

/// A whole run: two workers, trainer and referee.
fn whole_run(lab: &Lab, address: &str) {
    let worker = |index: &str| start(lab, address, "worker", &["--index", index, "--shard-seconds", "1"]);
    let tasks = [start(lab, address, "trainer", &[]), worker("0"), worker("1"), start(lab, address, "referee", &[])];
    for (code, text) in all_end(tasks) {
        assert_eq!(code, Some(0), "{text}");
    }
    let state = lab.state();
    assert_eq!(state.networks.len(), 3);
    let (code, text) = plain(address, &["verify", &format!("s3://{BUCKET}/first")]);
    assert_eq!(code, Some(0), "{text}");
    let verified = crate::kirin::kirin_in(lab.path(), &["verify", "run"]);
    assert_eq!(verified.code, Some(0), "{}", verified.out);
}

#[test]
fn a_run_lives_in_a_bucket() {
    let Some(s3) = S3::start() else { return };
    let (code, text) = plain(&s3.address, &["store", "doctor", &format!("s3://{BUCKET}/first")]);
    assert!(code == Some(0) && text.matches("ok ").count() == 4, "{text}");
    whole_run(&Lab::new("wangqi"), &s3.address);
    let (code, text) = plain(&s3.address, &["store", "doctor", "s3://no-such-bucket/first"]);
    assert!(code == Some(78), "{code:?} {text}");
}

#[test]
fn what_passes_by_itself_is_tried_again_and_what_does_not_is_told() {
    let Some(s3) = S3::start() else { return };
    let address = free_address();
    let proxy = Proxy::start(&address, &s3.address);
    proxy.next(&FAULTS.repeat(ROUNDS));
    let lab = Lab::new("wangqi");
    whole_run(&lab, &address);
    let seen = proxy.seen();
    assert!((3 * FAULTS.len()..ROUNDS * FAULTS.len()).contains(&seen), "{seen} requests");

    let more = lab.set("run.generations=1000").set("selfplay.plies_per_generation=100000").set("run.folder=other");
    let second = format!("s3://{BUCKET}/second");
    let worker = ["--store", &second, "--quiet", "--poll-seconds", "0.1", "--index", "5"];
    let trainer = kirin_on(&more, &s3.address, "trainer", &["--store", &second, "--quiet"]).spawn();
    let mut trainer = trainer.expect("kirin starts");
    let worker = kirin_on(&more, &address, "worker", &[&worker[..], &["--shard-seconds", "0.2"]].concat())
        .stderr(Stdio::piped())
        .spawn()
        .expect("kirin starts");
    wait_until("the worker has begun", || more.path().join("other-worker-5").exists());
    proxy.next(&[Fault::Status(400, "ExpiredToken"); ROUNDS]);
    let (code, text) = end(worker);
    assert!(
        code == Some(78) && text.contains("it refuses the credentials") && text.contains("renew"),
        "{code:?} {text}"
    );
    let _ = trainer.kill();
    let _ = trainer.wait();
}
