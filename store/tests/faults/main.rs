//! A store in a bucket behind a bad network: busy servers, broken connections, half bodies, lost answers, slow ones, and
//! credentials that have expired. Nothing is lost, nothing is doubled, and what does not pass by itself is an error at once.
//!
//! The bucket is that of PyPI's `moto`, which `scripts/oracles` installs. Where it is missing the tests say so and pass; with
//! `KIRIN_ORACLES=required` that is a failure. A store reads its credentials and its server from the environment, so
//! each test has a part that runs in a process of its own.

mod proxy;
mod s3;

use proxy::{Fault, Proxy};
use s3::{BUCKET, S3, environment, free_address};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Patience, Placed, Store, StoreError};

/// Names the bucket's own address for the part of a test.
const UPSTREAM: &str = "KIRIN_TEST_UPSTREAM";
/// Names the proxy's.
const PROXY: &str = "KIRIN_TEST_PROXY";

/// Runs the part of a test in a process whose environment leads through a proxy to a bucket.
fn run(part: &str) {
    let Some(s3) = S3::start() else { return };
    let proxy = free_address();
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", part, "--ignored", "--nocapture"])
        .envs(environment(&proxy))
        .envs([(UPSTREAM, &s3.address), (PROXY, &proxy)])
        .output()
        .expect("this program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let told = text(&output.stdout);
    assert!(output.status.success() && told.contains("1 passed"), "{told}{}", text(&output.stderr));
}

/// In the process of a part: the proxy, and a store of little patience behind it.
fn behind_proxy() -> (Proxy, Store) {
    let address = |name| std::env::var(name).expect("this is a part of another test, which sets its environment");
    let proxy = Proxy::start(&address(PROXY), &address(UPSTREAM));
    let store = Store::open_with(&format!("s3://{BUCKET}/run"), PATIENCE, Arc::default()).expect("a store");
    (proxy, store)
}

const PATIENCE: Patience = Patience {
    first_pause: Duration::from_millis(5),
    longest_pause: Duration::from_millis(40),
    all_pauses: Duration::from_secs(20),
    one_try: Duration::from_secs(2),
    tries_after_stop: 3,
};

/// What passes by itself.
const PASSING: [Fault; 7] = [
    Fault::Status(500, "InternalError"),
    Fault::Status(503, "SlowDown"),
    Fault::Status(429, "TooManyRequests"),
    Fault::Reset,
    Fault::LostAnswer,
    Fault::HalfBody,
    Fault::Slow(Duration::from_millis(2500)),
];

/// An object that is unlike others.
fn content(number: usize) -> Vec<u8> {
    (0..10_000 + number).map(|at| (at * 31 + number * 7) as u8).collect()
}

#[test]
fn what_passes_by_itself_is_tried_again() {
    run("part_tried_again");
}

#[test]
#[ignore = "a part of another test, which gives it its environment"]
fn part_tried_again() {
    let (proxy, store) = behind_proxy();
    for (number, fault) in PASSING.into_iter().enumerate() {
        let key = format!("shards/{number}");
        proxy.next(&[fault, fault]);
        let placed = store.put_new(&key, content(number)).expect("put");
        // A put whose answer was lost is there already when it is tried again.
        assert_ne!(placed, Placed::Taken, "{fault:?}");
        proxy.next(&[fault, fault]);
        let before = proxy.seen();
        assert_eq!(store.get(&key).expect("got").as_deref(), Some(&content(number)[..]), "{fault:?}");
        assert_eq!(proxy.seen() - before, 3, "two faults and an answer: {fault:?}");
        proxy.next(&[fault]);
        assert_eq!(store.put_new(&key, b"another".to_vec()).expect("an answer"), Placed::Taken, "{fault:?}");
        proxy.next(&[fault]);
        assert_eq!(store.get(&format!("shards/{number}-absent")).expect("an answer"), None, "{fault:?}");
    }
    proxy.next(&PASSING);
    assert_eq!(store.names_in("shards").expect("listed").len(), PASSING.len());
    let keys: Vec<String> = (0..PASSING.len()).map(|number| format!("shards/{number}")).collect();
    proxy.next(&PASSING);
    let all = store.get_all(&keys).expect("got");
    assert!(all.iter().enumerate().all(|(number, object)| object.as_deref() == Some(&content(number)[..])));
}

#[test]
fn a_slow_answer_is_waited_for() {
    run("part_slow");
}

#[test]
#[ignore = "a part of another test, which gives it its environment"]
fn part_slow() {
    let (proxy, store) = behind_proxy();
    store.put_new("a", content(1)).expect("put");
    let before = proxy.seen();
    proxy.next(&[Fault::Slow(Duration::from_millis(500))]);
    assert_eq!(store.get("a").expect("got").as_deref(), Some(&content(1)[..]));
    assert_eq!(proxy.seen() - before, 1);
}

#[test]
fn refused_credentials_are_an_error_at_once() {
    run("part_credentials");
}

#[test]
#[ignore = "a part of another test, which gives it its environment"]
fn part_credentials() {
    let (proxy, store) = behind_proxy();
    for (status, code) in [
        (400, "ExpiredToken"),
        (403, "ExpiredToken"),
        (403, "AccessDenied"),
        (403, "InvalidAccessKeyId"),
        (403, "SignatureDoesNotMatch"),
        (401, "Unauthorized"),
    ] {
        let before = proxy.seen();
        proxy.next(&[Fault::Status(status, code), Fault::Status(status, code)]);
        let error = store.put_new("a", content(1)).expect_err("refused");
        assert!(matches!(error, StoreError::Credentials { .. }), "{status} {code}: {error}");
        assert!(error.to_string().contains("renew them"), "{error}");
        let error = store.get("a").expect_err("refused");
        assert!(matches!(error, StoreError::Credentials { .. }), "{status} {code}: {error}");
        assert_eq!(proxy.seen() - before, 2, "it is not tried again: {code}");
    }
}

#[test]
fn what_lasts_is_given_up_with_its_place_and_reason() {
    run("part_given_up");
}

#[test]
#[ignore = "a part of another test, which gives it its environment"]
fn part_given_up() {
    let (proxy, store) = behind_proxy();
    let short = Patience { all_pauses: Duration::from_millis(200), ..PATIENCE };
    proxy.next(&[Fault::Status(503, "SlowDown"); 1000]);
    let begun = Instant::now();
    let error = store.put_within("shards/7", content(7), short).expect_err("given up");
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains("shards/7") && error.to_string().contains("s3://kirin/run"), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(10));
    proxy.next(&[]);
    assert_eq!(store.put_new("shards/7", content(7)).expect("put"), Placed::New);
}

#[test]
fn in_a_storm_nothing_is_lost_and_nothing_is_doubled() {
    run("part_storm");
}

#[test]
#[ignore = "a part of another test, which gives it its environment"]
fn part_storm() {
    let (proxy, store) = behind_proxy();
    let quick = &PASSING[..PASSING.len() - 1];
    let mut state = 1_u64;
    let mut faults = |count: usize| -> Vec<Fault> {
        let mut fault = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let choice = (state >> 33) as usize % (2 * quick.len());
            quick.get(choice).copied().unwrap_or(Fault::None)
        };
        (0..count).map(|_| fault()).collect()
    };
    const OBJECTS: usize = 60;
    for number in 0..OBJECTS {
        proxy.next(&faults(20));
        let placed = store.put_new(&format!("shards/{number:04}"), content(number)).expect("put");
        assert_ne!(placed, Placed::Taken, "{number}");
    }
    proxy.next(&faults(500));
    let keys: Vec<String> = (0..OBJECTS).map(|number| format!("shards/{number:04}")).collect();
    let all = store.get_all(&keys).expect("got");
    for (number, object) in all.iter().enumerate() {
        assert_eq!(object.as_deref(), Some(&content(number)[..]), "{number}");
    }
    assert_eq!(store.names_in("shards").expect("listed").len(), OBJECTS);
    assert_eq!(store.first_free(0, |number| format!("shards/{number:04}")).expect("found"), OBJECTS as u64);
}
