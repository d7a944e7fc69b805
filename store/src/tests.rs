use super::*;
use std::path::Path as FilePath;
use std::sync::atomic::AtomicU64;
use tempfile::TempDir;

fn store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&url(folder.path())).expect("a store");
    (folder, store)
}

fn url(folder: &FilePath) -> String {
    format!("file://{}", folder.display())
}

#[test]
fn of_many_writers_of_one_name_one_is_first() {
    let (_folder, store) = store();
    let placed: Vec<Placed> = std::thread::scope(|scope| {
        let put = |writer: u8| store.put_new("generations/0001", vec![writer; 1000]).expect("an answer");
        let writers: Vec<_> = (0..8).map(|writer| scope.spawn(move || put(writer))).collect();
        writers.into_iter().map(|writer| writer.join().expect("no panic")).collect()
    });
    assert_eq!(placed.iter().filter(|placed| **placed == Placed::New).count(), 1, "{placed:?}");
    assert_eq!(placed.iter().filter(|placed| **placed == Placed::Taken).count(), 7, "{placed:?}");
    let first = placed.iter().position(|placed| *placed == Placed::New).expect("the first");
    assert_eq!(store.get("generations/0001").expect("got").expect("there"), vec![first as u8; 1000]);
}

#[test]
fn many_objects_come_in_the_order_asked() {
    let (_folder, store) = store();
    let key = |number: usize| format!("shards/{number:04}");
    for number in (0..70).filter(|number| number % 3 > 0) {
        store.put_new(&key(number), number.to_string().into_bytes()).expect("put");
    }
    let keys: Vec<String> = (0..70).rev().map(key).collect();
    let got = store.get_all(&keys).expect("got");
    for (number, object) in (0..70).rev().zip(got) {
        assert_eq!(object.is_some(), number % 3 > 0);
        assert!(object.is_none_or(|object| object == number.to_string().into_bytes()));
    }
}

#[test]
fn the_first_free_number_is_found_with_few_requests() {
    let (_folder, store) = store();
    let key = |number: u64| format!("shards/{number:04}");
    for count in 0..40 {
        let before = store.usage().requests;
        assert_eq!(store.first_free(3, key).expect("found"), 3 + count);
        let requests = store.usage().requests - before;
        assert!(requests <= 2 + 2 * u64::from(64 - count.leading_zeros()), "{requests} for {count}");
        store.put_new(&key(3 + count), Vec::new()).expect("put");
    }
}

#[test]
fn listings_name_what_lies_directly_below() {
    let (_folder, store) = store();
    assert_eq!(store.names_in("workers").expect("listed"), [] as [&str; 0]);
    for key in ["workers/00002", "workers/00001", "workers/more/00003", "workersabc"] {
        store.put_new(key, Vec::new()).expect("put");
    }
    assert_eq!(store.names_in("workers").expect("listed"), ["00001", "00002"]);
    assert!(store.contains("workers/00001").expect("asked") && !store.contains("workers/3").expect("asked"));
}

#[test]
fn a_sound_folder_passes_the_examination_and_is_left_empty() {
    let (folder, store) = store();
    let findings = examine(&store).expect("examined");
    assert_eq!(findings.len(), 4);
    assert!(findings.iter().all(|finding| finding.fault.is_none()), "{findings:?}");
    let left = |folder: &FilePath| std::fs::read_dir(folder).map_or(0, |entries| entries.count());
    let examination = std::fs::read_dir(folder.path().join("doctor")).into_iter().flatten().flatten();
    assert!(examination.map(|entry| left(&entry.path())).all(|files| files == 0));
}

#[test]
fn what_is_no_store_is_refused_with_what_would_be_one() {
    for (wrong, reason) in [
        ("runs/shared", "it has no scheme"),
        ("file://shared", "begins at the root"),
        ("ftp://host/folder", "ftp is no kind of store"),
        ("s3:///prefix", "it names no bucket"),
    ] {
        let error = Store::open(wrong).expect_err(wrong).to_string();
        assert!(error.contains(reason) && error.contains("s3://bucket/prefix"), "{error}");
    }
}

#[test]
fn an_endpoint_that_does_not_answer_is_given_up_in_time() {
    let patience = Patience { first_pause: Duration::from_millis(5), ..Patience::of(Duration::from_millis(30)) };
    let (folder, _) = store();
    let mut store = Store::open_with(&url(folder.path()), patience, Arc::default()).expect("a store");
    let count = AtomicU64::new(0);
    let failing = || {
        count.fetch_add(1, Ordering::Relaxed);
        let source = "503 Service Unavailable".into();
        async { Err::<(), _>(object_store::Error::Generic { store: "S3", source }) }
    };
    let error = store.until_answered("get", "run.json", patience, failing).expect_err("never there");
    assert!(matches!(&error, StoreError::Unreachable { reason, .. } if reason.contains("503")), "{error}");
    assert!(count.load(Ordering::Relaxed) > 2, "it is tried again");

    // Expired credentials do not pass by themselves.
    count.store(0, Ordering::Relaxed);
    let expired = || {
        count.fetch_add(1, Ordering::Relaxed);
        let source = "400 Bad Request: <Code>ExpiredToken</Code>".into();
        async { Err::<(), _>(object_store::Error::Generic { store: "S3", source }) }
    };
    let error = store.until_answered("put", "shards/1", patience, expired).expect_err("expired").to_string();
    assert!(error.contains("renew them") && count.load(Ordering::Relaxed) == 1, "{error}");

    // Asked to stop, it is tried a few times and no more.
    store.stop = Arc::new(AtomicBool::new(true));
    count.store(0, Ordering::Relaxed);
    let long = Patience::default();
    assert!(store.until_answered("put", "shards/1", long, failing).is_err());
    assert_eq!(count.load(Ordering::Relaxed), u64::from(long.tries_after_stop));
}
