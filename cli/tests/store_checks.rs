//! `kirin verify` and `kirin store doctor` on a store: damage and changed objects are found, and nothing is written.

use crate::kirin;
use crate::roles::{Cluster, Task};

#[test]
fn reading_creates_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("file://{}/typo/run", folder.path().display());
    let verified = kirin::kirin(&["verify", &url]);
    assert!(verified.code == Some(78) && verified.err.contains("no run has begun"), "{}", verified.err);
    let examined = kirin::kirin(&["store", "doctor", &url]);
    assert_eq!(examined.code, Some(0), "{}", examined.err);
    let left: Vec<_> = std::fs::read_dir(folder.path().join("typo")).into_iter().flatten().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A pair of a match is read by way of a temporary file, whose name is unpredictable.
#[test]
#[cfg(unix)]
fn a_check_of_a_store_writes_to_no_file_of_a_foreseeable_name() {
    let cluster = Cluster::new().set("run.generations=1");
    let tasks = [cluster.worker(0), cluster.start("referee", &[]), cluster.start("trainer", &[])];
    tasks.into_iter().for_each(Task::succeed);
    let pairs: usize =
        cluster.names("matches").iter().map(|name| cluster.names(&format!("matches/{name}")).len()).sum();
    assert!(pairs > 0);
    // The number of a process is known before it begins if a shell becomes the process.
    let (temporary, mine) = (cluster.lab.path().join("tmp"), cluster.lab.path().join("mine"));
    std::fs::create_dir(&temporary).expect("created");
    std::fs::write(&mine, "mine").expect("written");
    let script = format!(
        "mkdir tmp/kirin-verify-$$ && ln -s ../../mine tmp/kirin-verify-$$/pair.jsonl && TMPDIR=$PWD/tmp exec {} verify {}",
        env!("CARGO_BIN_EXE_kirin"),
        cluster.url()
    );
    let mut shell = std::process::Command::new("sh");
    let output = shell.args(["-c", &script]).current_dir(cluster.lab.path()).output().expect("sh");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read_to_string(&mine).expect("read"), "mine");
    assert_eq!(std::fs::read_dir(&temporary).expect("listed").count(), 1, "only the trap is left");
}

/// Each object between the roles says what it is, and is compared with its name and with what was asked for.
#[test]
fn what_was_changed_between_the_roles_is_found() {
    let cluster = Cluster::new().set("evaluation.final_pairs=12");
    let tasks = [cluster.worker(0), cluster.start("referee", &[]), cluster.start("trainer", &[])];
    tasks.into_iter().for_each(Task::succeed);
    let read = |name: &str| std::fs::read(cluster.store(name)).expect("read");
    let found = |name: &str, content: &[u8]| {
        let whole = read(name);
        std::fs::write(cluster.store(name), content).expect("written");
        let verified = kirin::kirin(&["verify", &cluster.url()]);
        assert!(verified.code == Some(74) && verified.out.contains(name), "{name}: {}{}", verified.out, verified.err);
        std::fs::write(cluster.store(name), whole).expect("written");
    };
    let [first, second] = [1, 2].map(|generation| format!("generations/{generation:08}.json"));
    found(&first, &read(&second));
    let changed = String::from_utf8(read(&second)).expect("UTF-8").replacen("\"games\": ", "\"games\": 1", 1);
    found(&second, changed.as_bytes());
    let pair = |name: &str, pair: u32| format!("matches/{name}/{pair:06}.jsonl");
    let [short, long] = ["00000001-greedy", "00000002-00000001"];
    found(&pair(long, 0), &read(&pair(long, 1)));
    found(&pair(short, 0), &read(&pair(long, 0)));
    assert_eq!(kirin::kirin(&["verify", &cluster.url()]).code, Some(0));

    // The list of shards in the trainer's folder.
    let run = cluster.lab.path().join("run");
    let list = run.join("gathered/gen-0002.json");
    let whole = std::fs::read_to_string(&list).expect("read");
    let changed = whole.replacen("\"games\": ", "\"games\": 1", 1);
    assert_ne!(changed, whole, "it has taken shards");
    std::fs::write(&list, changed).expect("written");
    let verified = kirin::kirin(&["verify", run.to_str().expect("a path")]);
    assert!(verified.code == Some(74) && verified.out.contains("gathered/gen-0002.json"), "{}", verified.out);
    std::fs::write(&list, whole).expect("written");

    // A referee that plays a missing pair does not count the log of another one.
    std::fs::remove_file(cluster.store(&pair(long, 1))).expect("removed");
    std::fs::write(cluster.store(&pair(long, 0)), read(&pair(short, 0))).expect("written");
    let (code, text) = cluster.start("referee", &[]).end();
    assert!(code == Some(74) && text.contains(&pair(long, 0)) && text.contains("another pair or match"), "{text}");
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
