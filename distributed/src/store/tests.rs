use super::*;
use std::path::Path as FilePath;
use std::sync::atomic::AtomicU64;
use tempfile::TempDir;

/// Most bytes of an object here.
const MOST: u64 = 1 << 20;

fn store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&url(folder.path())).expect("a store");
    (folder, store)
}

/// A store that gives up soon.
fn hasty(folder: &FilePath) -> Store {
    let retry_policy =
        RetryPolicy { first_pause: Duration::from_millis(1), ..RetryPolicy::of(Duration::from_millis(30)) };
    Store::open_with(&url(folder), retry_policy, Arc::default()).expect("a store")
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
    assert_eq!(store.get("generations/0001", MOST).expect("got").expect("there"), vec![first as u8; 1000]);
}

/// Opening a pipe blocks until it has a writer.
#[test]
fn a_pipe_in_the_place_of_an_object_is_refused_at_once() {
    let (folder, store) = store();
    store.put_new("networks/0001", b"weights".to_vec()).expect("put");
    let pipe = folder.path().join("networks/0002");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let refused = |answer: Result<()>| {
        let error = answer.expect_err("refused");
        assert!(matches!(&error, StoreError::Object { key, .. } if key == "networks/0002"), "{error}");
    };
    refused(store.get("networks/0002", 99).map(drop));
    refused(store.contains("networks/0002").map(drop));
    refused(store.get_all(&["networks/0001".to_owned(), "networks/0002".to_owned()], 99).map(drop));
    assert_eq!(store.put_new("networks/0002", b"others".to_vec()).expect("an answer"), Placed::Taken);
}

#[test]
fn many_objects_come_in_the_order_asked() {
    let (_folder, store) = store();
    let key = |number: usize| format!("shards/{number:04}");
    for number in (0..70).filter(|number| number % 3 > 0) {
        store.put_new(&key(number), number.to_string().into_bytes()).expect("put");
    }
    let keys: Vec<String> = (0..70).rev().map(key).collect();
    let got = store.get_all(&keys, MOST).expect("got");
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
        store.put_new(&key(3 + count), vec![1]).expect("put");
    }
}

#[test]
fn listings_name_what_lies_directly_below() {
    let (_folder, store) = store();
    assert_eq!(store.names_in("workers").expect("listed"), [] as [&str; 0]);
    for key in ["workers/00002", "workers/00001", "workers/more/00003", "workersabc"] {
        store.put_new(key, vec![1]).expect("put");
    }
    assert_eq!(store.names_in("workers").expect("listed"), ["00001", "00002"]);
    assert!(store.contains("workers/00001").expect("asked") && !store.contains("workers/3").expect("asked"));
}

#[test]
fn a_sound_folder_passes_the_examination_and_is_left_as_it_was() {
    let (folder, store) = store();
    let examination = examine(&store);
    assert!(examination.is_good() && examination.left_behind.is_none(), "{examination:?}");
    assert_eq!(examination.findings.len(), 4);
    assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 0);
    // A missing folder is created for the examination, and removed.
    let new = folder.path().join("new");
    let examination = examine(&Store::open(&url(&new)).expect("a store"));
    assert!(examination.is_good() && !new.exists(), "{examination:?}");
}

#[test]
fn opening_and_reading_creates_nothing() {
    let (folder, _) = store();
    let missing = folder.path().join("typo/run");
    let store = hasty(&missing);
    assert_eq!(store.get("run.json", MOST).expect("an answer"), None);
    assert_eq!(store.get_all(&["run.json".to_owned()], MOST).expect("an answer"), [None]);
    assert!(!store.contains("run.json").expect("an answer"));
    assert_eq!(store.names_in("workers").expect("an answer"), [] as [&str; 0]);
    // An upload does not create the folder either: it may be the mount point of a missing disk.
    let error = store.put_new("run.json", b"{}".to_vec()).expect_err("refused");
    assert!(matches!(error, StoreError::Folder { .. }), "{error}");
    assert!(!folder.path().join("typo").exists());
    store.create().expect("created");
    assert_eq!(store.put_new("run.json", b"{}".to_vec()).expect("uploaded"), Placed::New);
}

#[test]
fn a_store_that_went_away_is_not_written_to_and_its_absences_are_not_believed() {
    let (folder, _) = store();
    let (root, aside) = (folder.path().join("mounted"), folder.path().join("aside"));
    let store = hasty(&root);
    store.create().expect("created");
    store.put_new("run.json", b"this run".to_vec()).expect("uploaded");
    store.identify("run.json", b"this run");
    store.put_new("shards/0", b"games".to_vec()).expect("uploaded");

    // The disk is gone, and an empty folder is in its place.
    std::fs::rename(&root, &aside).expect("renamed");
    std::fs::create_dir(&root).expect("created");
    let error = store.put_new("shards/1", b"games".to_vec()).expect_err("not written");
    assert!(matches!(&error, StoreError::Unreachable { reason, .. } if reason.contains("mounted")), "{error}");
    for answer in [store.get("shards/0", MOST).map(drop), store.contains("shards/0").map(drop)] {
        assert!(matches!(answer, Err(StoreError::Unreachable { .. })), "{answer:?}");
    }
    assert!(store.names_in("shards").is_err() && store.get_all(&["shards/0".to_owned()], MOST).is_err());
    assert_eq!(std::fs::read_dir(&root).expect("listed").count(), 0, "nothing was written");

    // Another run's store is at the path: that is permanent.
    std::fs::write(root.join("run.json"), "another run").expect("written");
    let error = store.put_new("shards/1", b"games".to_vec()).expect_err("not written");
    assert!(matches!(error, StoreError::OtherStore { .. }), "{error}");
    assert!(!root.join("shards").exists());

    std::fs::remove_dir_all(&root).expect("removed");
    std::fs::rename(&aside, &root).expect("renamed");
    assert_eq!(store.put_new("shards/1", b"games".to_vec()).expect("uploaded"), Placed::New);
}

#[test]
fn an_empty_file_is_quarantined_and_told_and_the_object_uploaded() {
    let (folder, store) = store();
    let told = Arc::new(std::sync::Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    let store = store.telling(move |event| heard.lock().expect("no panic").push(event.to_string()));
    let file = folder.path().join("shards/0/7");
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("created");
    for round in 0..2 {
        // A power cut left the name of an object without its bytes.
        std::fs::write(&file, "").expect("written");
        assert_eq!(store.get("shards/0/7", MOST).expect("an answer"), None);
        assert!(!store.contains("shards/0/7").expect("an answer"));
        assert_eq!(store.names_in("shards/0").expect("listed"), [] as [&str; 0]);
        assert_eq!(store.put_new("shards/0/7", b"games".to_vec()).expect("uploaded"), Placed::New);
        assert_eq!(store.get("shards/0/7", MOST).expect("an answer").as_deref(), Some(&b"games"[..]));
        assert!(folder.path().join(format!("damaged/shards/0/7.{round}")).exists());
        assert!(told.lock().expect("no panic")[round].contains(&format!("it is now damaged/shards/0/7.{round}")));
    }
    assert_eq!(store.put_new("shards/0/7", b"games".to_vec()).expect("an answer"), Placed::Same);
    assert!(matches!(store.put_new("shards/0/8", Vec::new()), Err(StoreError::Object { .. })));
    let left: Vec<_> = std::fs::read_dir(folder.path().join("shards/0")).expect("listed").collect();
    assert_eq!(left.len(), 1, "no unfinished file: {left:?}");
}

#[test]
#[cfg(unix)]
fn what_is_too_large_or_no_file_is_refused_at_once() {
    let (folder, store) = store();
    let file = std::fs::File::create(folder.path().join("large")).expect("created");
    file.set_len(20 << 30).expect("a sparse file");
    let pipe = std::process::Command::new("mkfifo").arg(folder.path().join("pipe")).status().expect("mkfifo");
    assert!(pipe.success());
    for (key, reason) in [("large", "at most 1048576 are read"), ("pipe", "not an ordinary file")] {
        let error = store.get(key, MOST).expect_err(key);
        assert!(matches!(error, StoreError::Object { .. }) && error.to_string().contains(reason), "{error}");
        let error = store.get_all(&[key.to_owned()], MOST).expect_err(key);
        assert!(matches!(error, StoreError::Object { .. }), "{error}");
        assert_eq!(store.put_new(key, b"another".to_vec()).expect("an answer"), Placed::Taken);
    }
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
    let retry_policy =
        RetryPolicy { first_pause: Duration::from_millis(1), ..RetryPolicy::of(Duration::from_millis(60)) };
    let (folder, _) = store();
    let told = Arc::new(AtomicU64::new(0));
    let heard = Arc::clone(&told);
    let store = Store::open_with(&url(folder.path()), retry_policy, Arc::default()).expect("a store");
    let mut store = store.telling(move |event| {
        assert!(event.to_string().contains("cannot get run.json: 503"), "{event}");
        heard.fetch_add(1, Ordering::Relaxed);
    });
    let count = AtomicU64::new(0);
    let failing = || {
        count.fetch_add(1, Ordering::Relaxed);
        let (action, url, key) = ("get", "file:///store".to_owned(), "run.json".to_owned());
        let reason = "503 Service Unavailable".to_owned();
        async { Err::<(), _>(StoreError::Unreachable { action, url, key, reason }) }
    };
    let error = store.until_answered("get", "run.json", retry_policy, failing).expect_err("never there");
    assert!(matches!(&error, StoreError::Unreachable { reason, .. } if reason.contains("503")), "{error}");
    assert!(count.load(Ordering::Relaxed) > 2, "it is tried again");

    assert!(told.load(Ordering::Relaxed) > 0, "waiting is told");

    // After a stop it makes only a few tries.
    store.stop = Arc::new(AtomicBool::new(true));
    count.store(0, Ordering::Relaxed);
    let long = RetryPolicy::default();
    let error = store.until_answered("get", "run.json", long, failing).expect_err("stopped");
    assert!(matches!(error, StoreError::Stopped { .. }), "{error}");
    assert_eq!(count.load(Ordering::Relaxed), u64::from(long.tries_after_stop));
}

#[test]
fn a_stop_ends_the_wait_for_an_answer() {
    let (folder, _) = store();
    let stop = Arc::new(AtomicBool::new(false));
    let store = Store::open_with(&url(folder.path()), RetryPolicy::default(), Arc::clone(&stop)).expect("a store");
    let never = || {
        stop.store(true, Ordering::Relaxed);
        std::future::pending::<Result<()>>()
    };
    // Otherwise it would be retried for ten minutes.
    let error = store.until_answered("get", "run.json", RetryPolicy::default(), never).expect_err("stopped");
    assert!(matches!(error, StoreError::Stopped { .. }), "{error}");
}
