//! A store in a bucket behind a bad network: busy servers, broken connections, half bodies, lost answers, slow ones,
//! and credentials that have expired. Nothing is lost, nothing is doubled, and permanent errors are reported
//! immediately.
//!
//! Permanent refusals come from a fake, which is part of these tests. Otherwise the bucket is that of PyPI's `moto`,
//! which `scripts/oracles` installs. Where it is missing the tests say so and pass; with `KIRIN_ORACLES=required` that
//! is a failure. A store reads its credentials and its server from the environment, so each test has a part that runs
//! in a process of its own.

mod fake;
mod proxy;
mod s3;

use self::fake::Fake;
use self::proxy::{Fault, Proxy};
use self::s3::{BUCKET, S3, environment, free_address};
use distributed::store::{Placed, RetryPolicy, Store, StoreError};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Variable with the bucket's own address for the part of a test.
const UPSTREAM: &str = "KIRIN_TEST_UPSTREAM";
/// Variable with the proxy's address.
const PROXY: &str = "KIRIN_TEST_PROXY";

/// Runs the part of a test in a process whose environment leads through a proxy to a bucket.
fn run(part: &str) {
    let Some(s3) = S3::start() else { return };
    run_on(&s3.address, part, &[]);
}

/// Like [`run`], with the fake as the bucket, which is always available, and with more variables in the environment.
fn run_on_fake(part: &str, more: &[(&str, &str)]) {
    run_on(&Fake::start(), part, more);
}

fn run_on(upstream: &str, part: &str, more: &[(&str, &str)]) {
    let proxy = free_address();
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", &format!("faults::{part}"), "--ignored", "--nocapture"])
        .envs(environment(&proxy))
        .envs([(UPSTREAM, upstream), (PROXY, &proxy)])
        .envs(more.iter().copied())
        .output()
        .expect("this program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let told = text(&output.stdout);
    assert!(output.status.success() && told.contains("1 passed"), "{told}{}", text(&output.stderr));
}

/// In the process of a part: the proxy, and a store behind it that gives up soon.
fn behind_proxy() -> (Proxy, Store) {
    let address = |name| std::env::var(name).expect("this is a part of another test, which sets its environment");
    let proxy = Proxy::start(&address(PROXY), &address(UPSTREAM));
    let store = Store::open_with(&format!("s3://{BUCKET}/run"), PATIENCE, Arc::default()).expect("a store");
    (proxy, store)
}

/// Most bytes of an object here.
const MOST: u64 = 1 << 20;

const PATIENCE: RetryPolicy = RetryPolicy {
    first_pause: Duration::from_millis(5),
    longest_pause: Duration::from_millis(40),
    all_pauses: Duration::from_secs(20),
    one_try: Duration::from_secs(2),
    tries_after_stop: 3,
};

/// Transient faults.
const PASSING: [Fault; 7] = [
    Fault::Status(500, "InternalError"),
    Fault::Status(503, "SlowDown"),
    Fault::Status(429, "TooManyRequests"),
    Fault::Reset,
    Fault::LostAnswer,
    Fault::HalfBody,
    Fault::Slow(Duration::from_millis(2500)),
];

/// Content that differs for each number.
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
        // An upload whose answer was lost finds its object when it is retried.
        assert_ne!(placed, Placed::Taken, "{fault:?}");
        proxy.next(&[fault, fault]);
        let before = proxy.seen();
        assert_eq!(store.get(&key, MOST).expect("got").as_deref(), Some(&content(number)[..]), "{fault:?}");
        assert_eq!(proxy.seen() - before, 3, "two faults and an answer: {fault:?}");
        proxy.next(&[fault]);
        assert_eq!(store.put_new(&key, b"another".to_vec()).expect("an answer"), Placed::Taken, "{fault:?}");
        proxy.next(&[fault]);
        assert_eq!(store.get(&format!("shards/{number}-absent"), MOST).expect("an answer"), None, "{fault:?}");
    }
    proxy.next(&PASSING);
    assert_eq!(store.names_in("shards").expect("listed").len(), PASSING.len());
    let keys: Vec<String> = (0..PASSING.len()).map(|number| format!("shards/{number}")).collect();
    proxy.next(&PASSING);
    let all = store.get_all(&keys, MOST).expect("got");
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
    assert_eq!(store.get("a", MOST).expect("got").as_deref(), Some(&content(1)[..]));
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
        let error = store.get("a", MOST).expect_err("refused");
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
    let short = RetryPolicy { all_pauses: Duration::from_millis(200), ..PATIENCE };
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
    let all = store.get_all(&keys, MOST).expect("got");
    for (number, object) in all.iter().enumerate() {
        assert_eq!(object.as_deref(), Some(&content(number)[..]), "{number}");
    }
    assert_eq!(store.names_in("shards").expect("listed").len(), OBJECTS);
    assert_eq!(store.first_free(0, |number| format!("shards/{number:04}")).expect("found"), OBJECTS as u64);
}

#[test]
fn what_a_server_refuses_for_good_is_an_error_at_once_with_its_remedy() {
    run_on_fake("part_refused", &[]);
}

#[test]
#[ignore = "a part of another test, which gives it its environment"]
fn part_refused() {
    let (proxy, store) = behind_proxy();
    let unable = "this kind of store cannot hold a run";
    for (status, code, remedy) in [
        (400, "AuthorizationHeaderMalformed", "set AWS_REGION"),
        (301, "PermanentRedirect", "set AWS_REGION"),
        (404, "NoSuchBucket", "create it, or correct its name"),
        (403, "RequestTimeTooSkewed", "the clock of this machine is wrong"),
        (405, "MethodNotAllowed", unable),
        (501, "NotImplemented", unable),
        (400, "InvalidBucketName", "check the URL"),
    ] {
        let before = proxy.seen();
        proxy.next(&[Fault::Status(status, code); 3]);
        let errors = [
            store.put_new("a", content(1)).expect_err("refused"),
            store.get("a", MOST).expect_err("refused"),
            store.names_in("a").expect_err("refused"),
        ];
        for error in errors {
            let told = error.to_string();
            assert!(told.contains(remedy) && !told.contains("renew"), "{status} {code}: {told}");
        }
        assert_eq!(proxy.seen() - before, 3, "it is not tried again: {code}");
    }
    // The same status may also be transient.
    proxy.next(&[Fault::Status(400, "RequestTimeout"); 2]);
    assert_eq!(store.put_new("a", content(1)).expect("uploaded"), Placed::New);
}

#[test]
fn a_conflict_between_requests_is_no_object() {
    run_on_fake("part_conflict", &[]);
}

#[test]
#[ignore = "a part of another test, which gives it its environment"]
fn part_conflict() {
    let (proxy, store) = behind_proxy();
    let conflict = Fault::Status(409, "ConditionalRequestConflict");
    // The first upload stores nothing; then come a read of the object, and the upload again.
    for rounds in 1..=2 {
        let key = format!("run-{rounds}.json");
        let faults = [conflict, Fault::None, conflict, Fault::None];
        proxy.next(&faults[..2 * rounds]);
        assert_eq!(store.put_new(&key, content(1)).expect("uploaded"), Placed::New);
        assert_eq!(store.get(&key, MOST).expect("got").as_deref(), Some(&content(1)[..]));
        proxy.next(&[conflict]);
        assert_eq!(store.put_new(&key, content(1)).expect("an answer"), Placed::Same);
        proxy.next(&[conflict]);
        assert_eq!(store.put_new(&key, content(2)).expect("an answer"), Placed::Taken);
    }
}

#[test]
fn a_claimed_size_takes_no_memory() {
    run_on_fake("part_claimed", &[]);
}

#[test]
#[ignore = "a part of another test, which gives it its environment"]
fn part_claimed() {
    let (proxy, store) = behind_proxy();
    let before = proxy.seen();
    proxy.next(&[Fault::Claims(3 << 30), Fault::Claims(3 << 30), Fault::Claims(3 << 30), Fault::Claims(1 << 60)]);
    let error = store.get("a", MOST).expect_err("refused");
    assert!(matches!(error, StoreError::Object { .. }) && error.to_string().contains("3221225472 bytes"), "{error}");
    assert!(matches!(store.get_all(&["a".to_owned()], MOST), Err(StoreError::Object { .. })));
    // More than any machine has.
    assert!(matches!(store.get("a", u64::MAX), Err(StoreError::Object { .. })));
    assert_eq!(proxy.seen() - before, 4, "`get_all` asks once more by itself");
}

#[test]
fn a_bucket_that_was_emptied_is_not_written_to() {
    run_on_fake("part_emptied", &[]);
}

#[test]
#[ignore = "a part of another test, which gives it its environment"]
fn part_emptied() {
    let (proxy, store) = behind_proxy();
    store.put_new("run.json", content(1)).expect("uploaded");
    store.identify("run.json", &content(1));
    let short = RetryPolicy { all_pauses: Duration::from_millis(50), ..PATIENCE };
    proxy.next(&[Fault::Status(404, "NoSuchKey"); 100]);
    let error = store.put_within("shards/7", content(7), short).expect_err("not written");
    assert!(
        matches!(&error, StoreError::Unreachable { reason, .. } if reason.contains("run.json is missing")),
        "{error}"
    );
    proxy.next(&[]);
    assert_eq!(store.get("shards/7", MOST).expect("an answer"), None);
    assert_eq!(store.put_new("shards/7", content(7)).expect("uploaded"), Placed::New);
}

#[test]
fn an_address_that_is_none_is_named() {
    for (address, reason) in
        [("not a url", "relative URL"), ("ftp://host", "write https://HOST"), ("http://[::zz]", "IPv6")]
    {
        run_on_fake("part_address", &[("AWS_ENDPOINT_URL", address), (REASON, reason)]);
    }
    run_on_fake("part_address", &[("AWS_ALLOW_HTTP", "false"), (REASON, "set AWS_ALLOW_HTTP=true")]);
}

/// Variable with the text that an error must contain.
const REASON: &str = "KIRIN_TEST_REASON";

#[test]
#[ignore = "a part of another test, which gives it its environment"]
fn part_address() {
    let error = Store::open(&format!("s3://{BUCKET}/run")).expect_err("refused").to_string();
    let reason = std::env::var(REASON).expect("this is a part of another test, which sets its environment");
    assert!(error.contains(&reason) && error.contains("AWS_ENDPOINT_URL="), "{error}");
}

#[test]
fn what_was_found_is_told_where_removing_is_refused() {
    run_on_fake("part_doctor", &[]);
}

#[test]
#[ignore = "a part of another test, which gives it its environment"]
fn part_doctor() {
    let (_proxy, store) = behind_proxy();
    // The fake cannot list or remove: findings from before are kept.
    let examination = distributed::store::examine(&store);
    let faults: Vec<bool> = examination.findings.iter().map(|finding| finding.fault.is_some()).collect();
    assert_eq!(faults, [false; 3], "{examination:?}");
    assert!(examination.broke_off.is_some(), "{examination:?}");
    let (left, _) = examination.left_behind.expect("objects are left behind");
    assert_eq!(left.len(), 5, "{left:?}");
}
