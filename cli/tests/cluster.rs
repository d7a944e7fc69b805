//! A run of several programs that share nothing but a store: trainer, workers and referee, killed, doubled and refused.

use crate::kirin;
use crate::lab::wait_until;
use crate::roles::{Cluster, Task};
use serde_json::Value;
use std::time::Duration;

#[test]
fn two_workers_a_trainer_and_a_referee_make_a_run() {
    let cluster = Cluster::new();
    let tasks = [cluster.worker(0), cluster.worker(1), cluster.start("referee", &[]), cluster.start("trainer", &[])];
    tasks.into_iter().for_each(Task::succeed);
    cluster.check(2);
    assert!(cluster.shards(0) > 0 && cluster.shards(1) > 0);
    // The first network meets greedy. The second meets the first, a player of the ladder, and the bundled network.
    let matches = cluster.names("matches");
    assert_eq!(matches[..2], ["00000001-greedy", "00000002-00000001"], "{matches:?}");
    assert_eq!(matches.len(), 4, "{matches:?}");
    assert!(matches[2..].iter().all(|name| name.starts_with("00000002-builtin-")), "{matches:?}");
    assert_eq!(cluster.names("matches/00000001-greedy"), ["000000.jsonl", "000001.jsonl"]);
    for log in cluster.names("matches/00000001-greedy") {
        let path = cluster.store(&format!("matches/00000001-greedy/{log}"));
        let verified = kirin::kirin(&["verify", path.to_str().expect("a path")]);
        assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
    }
    // Every later program finds the run over.
    cluster.worker(2).succeed();
    cluster.start("trainer", &[]).succeed();

    // The folder is made again from the store, game for game and network for network.
    let before = cluster.lab.state();
    std::fs::remove_dir_all(cluster.lab.path().join("run")).expect("removed");
    cluster.start("trainer", &[]).succeed();
    cluster.check(2);
    cluster.lab.state().assert_same(&before);

    // The trainer was killed while it took the second generation over.
    let events = cluster.lab.path().join("run/events.jsonl");
    let whole = std::fs::read_to_string(&events).expect("events");
    for taken in 2..4 {
        let kept: String = whole.lines().take(taken).map(|line| format!("{line}\n")).collect();
        std::fs::write(&events, kept).expect("written");
        cluster.start("trainer", &[]).succeed();
        cluster.check(2);
        cluster.lab.state().assert_same(&before);
    }

    // Its matches are in the store, and so are its games.
    let watched = kirin::kirin_in(cluster.lab.path(), &["watch", "run", "--once"]);
    assert!(watched.out.contains(": finished\n"), "{}{}", watched.out, watched.err);
    let said = cluster.lab.refused(78, "run", &[]);
    assert!(said.contains("`kirin trainer` resumes it"), "{said}");
}

/// What a role does not do it needs no memory for: the trainer has no caches of self-play.
#[test]
fn memory_that_is_not_there_is_refused_to_a_worker_and_not_to_the_trainer() {
    let cluster = Cluster::new();
    let caches = ["--set", "selfplay.cache_mb=65536", "--set", "evaluator.callers=256"];
    let trainer = cluster.start("trainer", &caches);
    wait_until("the run has begun", || cluster.store("run.json").exists());
    let (code, said) = cluster.start("worker", &caches).end();
    assert_eq!(code, Some(78), "{said}");
    assert!(said.contains("the worker would need about 1759") && said.contains("lower selfplay.cache_mb"), "{said}");
    trainer.kill();
}

#[test]
fn a_run_that_is_over_goes_on_with_more_generations() {
    // Shards that are left over from the first generation do not fill another one.
    let cluster = Cluster::new().set("run.generations=1").set("selfplay.plies_per_generation=200");
    let tasks = [cluster.worker(0), cluster.start("trainer", &[])];
    tasks.into_iter().for_each(Task::succeed);
    cluster.check(1);
    let put = cluster.shards(0);
    let longer = cluster.set("run.generations=3");
    let trainer = longer.start("trainer", &[]);
    wait_until("the trainer goes on", || longer.store("longer/00000001").exists());
    let tasks = [trainer, longer.worker(0), longer.start("referee", &[])];
    tasks.into_iter().for_each(Task::succeed);
    longer.check(3);
    assert!(longer.shards(0) > put);
    assert_eq!(longer.names("longer"), ["00000001"]);
    assert!(longer.names("matches").contains(&"00000003-00000002".to_owned()), "{:?}", longer.names("matches"));

    // In a new store no process would have work, and none would learn that the run is over.
    let store = longer.store("");
    std::fs::remove_dir_all(&store).expect("removed");
    std::fs::create_dir(&store).expect("a folder");
    std::fs::remove_dir_all(longer.lab.path().join("run/gathered")).expect("removed");
    let (code, said) = longer.start("trainer", &[]).end();
    assert!(code == Some(78) && said.contains("is finished") && said.contains("run.generations=N"), "{code:?} {said}");
    assert!(!longer.store("run.json").exists());

    // With more generations the run continues there, and no worker plays games that it had before.
    let longer = longer.set("run.generations=4");
    let tasks = [longer.start("trainer", &[]), longer.worker(0)];
    tasks.into_iter().for_each(Task::succeed);
    let shards = longer.generation(4)["gathered"]["shards"].as_array().cloned().expect("shards");
    assert!(!shards.is_empty() && shards.iter().all(|shard| shard["doubles"] == 0), "{shards:?}");
}

#[test]
fn workers_learn_from_earlier_games_what_one_machine_does() {
    // Games that reach their ends, and little training, so that few games are played before the trainer reports them.
    let cluster = Cluster::new()
        .set("run.generations=4")
        .set("run.uses=0.1")
        .set("selfplay.plies_per_generation=600")
        .set("selfplay.max_plies=300")
        .set("selfplay.resign_below=0.5")
        .set("selfplay.resign_from=0")
        .set("selfplay.resign_after=1")
        .set("selfplay.resign_false_rate=1")
        .set("selfplay.resign_playthrough=0.7");
    let tasks = [cluster.worker(0), cluster.start("trainer", &[])];
    tasks.into_iter().for_each(Task::succeed);
    cluster.check(4);
    let lessons = &cluster.generation(1)["lessons"];
    assert!(lessons["resign_below"].as_f64() > Some(0.0), "{lessons}");
    let endings = std::fs::read(cluster.store(lessons["endings"]["key"].as_str().expect("a key"))).expect("endings");
    let endings: Value = serde_json::from_slice(&endings).expect("JSON");
    assert!(endings["games"].as_array().is_some_and(|games| !games.is_empty()));
    let state = cluster.lab.state();
    assert!(state.games.values().any(|game| game["termination"] == "resign"), "nobody resigns");
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
            // With everything that it had not published.
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
fn a_trainer_that_is_killed_in_training_does_not_take_the_same_shards_again() {
    let cluster = Cluster::new().set("run.generations=3").set("selfplay.plies_per_generation=800");
    let (trainer, worker) = (cluster.start("trainer", &[]), cluster.worker(0));
    // Self-play, training, self-play.
    wait_until("the second generation is gathered", || cluster.lab.lines("events.jsonl") >= 3);
    trainer.kill();
    assert_eq!(cluster.names("generations").len(), 1, "killed before it was published");
    cluster.start("trainer", &[]).succeed();
    worker.succeed();
    cluster.check(3);
}

#[test]
fn a_worker_that_is_stopped_leaves_its_games_to_the_next() {
    let (cluster, trainer, worker) = Cluster::endless(7, 2);
    let (code, text) = cluster.worker(7).end();
    assert!(code == Some(74) && text.contains("another worker keeps its shards in"), "{code:?} {text}");
    worker.signal("-TERM");
    let (code, text) = worker.end();
    assert_eq!(code, Some(75), "{text}");
    assert!(text.contains("resume with the same command"), "{text}");
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
fn a_worker_that_is_stopped_again_leaves_what_it_has_played_since() {
    // No game ends.
    let cluster = Cluster::new().set("selfplay.plies_per_generation=100000").set("search.visits=20000");
    let trainer = cluster.start("trainer", &[]);
    for left in [&["00000000"][..], &["00000000", "00000000-0001"]] {
        // A worker that is stopped before it plays leaves nothing.
        let mut patience = Duration::from_millis(500);
        while cluster.names("slots/00007") != left {
            let worker = cluster.worker(7);
            std::thread::sleep(patience);
            worker.signal("-TERM");
            let (code, text) = worker.end();
            assert!([Some(75), None].contains(&code) && cluster.shards(7) == 0, "{code:?} {text}");
            patience *= 2;
        }
    }
    let resumed = cluster.lab.path().join("run-worker-7/slots.json");
    std::fs::remove_file(&resumed).expect("removed");
    let worker = cluster.worker(7);
    wait_until("it resumes", || resumed.exists());
    let read = |path| std::fs::read_to_string(path).expect("read");
    assert!(read(&cluster.store("slots/00007/00000000-0001")).contains(&read(&resumed)), "the newer games");
    worker.kill();
    trainer.kill();
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
    // Without its checksum, which is in the second line.
    let text: String =
        text.lines().filter(|line| !line.starts_with("  \"blake3\"")).map(|line| line.to_owned() + "\n").collect();
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
    let (cluster, trainer, worker) = Cluster::endless(4, 1);
    // A file where the folder of its shards was: nothing can be uploaded there.
    let (folder, aside) = (cluster.store("shards/00004"), cluster.store("aside"));
    std::fs::rename(&folder, &aside).expect("renamed");
    std::fs::write(&folder, "in the way").expect("written");
    let spool = cluster.lab.path().join("run-worker-4");
    wait_until("shards wait", || waiting(&spool) >= 3);
    std::fs::remove_file(&folder).expect("removed");
    std::fs::rename(&aside, &folder).expect("renamed");
    wait_until("they are put", || waiting(&spool) == 0 || cluster.shards(4) >= 4);
    std::thread::sleep(Duration::from_millis(10));
    worker.kill();
    trainer.kill();
}

/// Replaces the store by an empty folder, as below a disk that is not mounted; the store is kept.
fn unmount(cluster: &Cluster) {
    std::fs::rename(cluster.store(""), cluster.lab.path().join("unmounted")).expect("renamed");
    std::fs::create_dir(cluster.store("")).expect("created");
}

/// The store is there again.
fn mount(cluster: &Cluster) {
    std::fs::remove_dir(cluster.store("")).expect("nothing was written below the mount point");
    std::fs::rename(cluster.lab.path().join("unmounted"), cluster.store("")).expect("renamed");
}

/// Shards that wait in a worker's folder.
fn waiting(spool: &std::path::Path) -> usize {
    let entries = std::fs::read_dir(spool).into_iter().flatten().flatten();
    entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "shard")).count()
}

#[test]
fn while_a_store_is_not_mounted_nothing_is_written_and_nothing_lost() {
    let (cluster, mut trainer, worker) = Cluster::endless(4, 2);
    let spool = cluster.lab.path().join("run-worker-4");
    unmount(&cluster);
    let put = std::fs::read_dir(cluster.lab.path().join("unmounted/shards/00004")).expect("listed").count();
    wait_until("shards wait", || waiting(&spool) >= 3);
    trainer.says("its run.json is missing");
    mount(&cluster);
    wait_until("they are uploaded", || cluster.shards(4) >= put + 3);
    worker.signal("-TERM");
    let (code, text) = worker.end();
    assert_eq!(code, Some(75), "{text}");
    trainer.kill();
    let shards = cluster.names("shards/00004");
    assert_eq!(
        shards,
        (0..shards.len()).map(|number| format!("{number:08}")).collect::<Vec<_>>(),
        "no number is missing"
    );

    // A trainer that comes meanwhile does not begin the run anew.
    unmount(&cluster);
    let (code, text) = cluster.start("trainer", &[]).end();
    assert!(code == Some(74) && text.contains("has been in a store") && text.contains("mounted"), "{code:?} {text}");
    mount(&cluster);
}

#[test]
fn a_lost_shard_is_named_and_skipped_on_request() {
    let cluster = Cluster::new().set("run.generations=1").set("selfplay.plies_per_generation=20");
    let trainer = cluster.start("trainer", &[]);
    wait_until("the run has begun", || cluster.store("run.json").exists());
    trainer.kill();
    let worker = cluster.worker(0);
    wait_until("shards are there", || cluster.shards(0) >= 6);
    worker.kill();
    std::fs::remove_file(cluster.store("shards/00000/00000000")).expect("removed");
    let verified = kirin::kirin(&["verify", &cluster.url()]);
    assert_eq!(verified.code, Some(74), "{}{}", verified.out, verified.err);
    assert!(verified.out.contains("shards/00000/00000000: it is missing"), "{}", verified.out);

    let mut trainer = cluster.start("trainer", &[]);
    let said = trainer.says("--skip-lost");
    assert!(said.contains("shards/00000/00000000 is missing in file://"), "{said}");
    trainer.signal("-TERM");
    assert_eq!(trainer.end().0, Some(75));
    cluster.start("trainer", &["--skip-lost"]).succeed();
    let shards = &cluster.generation(1)["gathered"]["shards"];
    assert!(shards[0]["fault"].as_str().is_some_and(|fault| fault.contains("missing")), "{shards}");
    assert!(shards[1]["games"].as_u64() > Some(0), "{shards}");

    // A record that was lost is named, too.
    std::fs::rename(cluster.store("generations/00000001.json"), cluster.store("generations/00000002.json"))
        .expect("renamed");
    let verified = kirin::kirin(&["verify", &cluster.url()]);
    assert!(verified.out.contains("generations/00000001.json: it is missing"), "{}", verified.out);
}

#[test]
fn shards_of_another_run_are_neither_uploaded_nor_removed() {
    let (first, trainer, worker) = Cluster::endless(4, 1);
    unmount(&first);
    let spool = first.lab.path().join("run-worker-4");
    wait_until("shards wait", || waiting(&spool) >= 2);
    worker.kill();
    trainer.kill();
    mount(&first);
    let waited = waiting(&spool);
    let spool_option = ["--spool", spool.to_str().expect("a path")];

    // The same name and the same settings, but another store.
    let (second, trainer, worker) = Cluster::endless(4, 1);
    worker.kill();
    let put = second.shards(4);
    let (code, text) = second.start("worker", &[&["--index", "4"], &spool_option[..]].concat()).end();
    assert!(
        code == Some(78) && text.contains("the shards that wait in") && text.contains("--spool"),
        "{code:?} {text}"
    );
    // Another worker of the same run.
    let (code, text) = first.start("worker", &[&["--index", "5"], &spool_option[..]].concat()).end();
    assert!(code == Some(78) && text.contains("are of worker 4"), "{code:?} {text}");
    // A folder as an earlier program has left it: only its shards name their run.
    std::fs::remove_file(spool.join("owner.json")).expect("removed");
    trainer.kill();
    let other = Cluster::new().set("selfplay.plies_per_generation=100000").set("run.seed=9");
    let trainer = other.start("trainer", &[]);
    wait_until("the run has begun", || other.store("run.json").exists());
    let (code, text) = other.start("worker", &[&["--index", "4"], &spool_option[..]].concat()).end();
    assert!(code == Some(78) && text.contains("are of worker 4"), "{code:?} {text}");
    trainer.kill();
    assert_eq!((waiting(&spool), second.shards(4), other.shards(4)), (waited, put, 0), "nothing was changed");

    // Their own worker takes them up.
    let before = first.shards(4);
    let worker = first.worker(4);
    wait_until("they are uploaded", || first.shards(4) >= before + waited);
    worker.kill();
}

#[test]
fn a_role_that_waits_for_its_store_is_stopped_at_once() {
    let cluster = Cluster::new();
    // Nothing listens there.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let server = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let environment = [
        ("AWS_ENDPOINT_URL", server.as_str()),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
        ("AWS_REGION", "us-east-1"),
    ];
    for role in ["worker", "trainer", "referee"] {
        let mut task = cluster.start_as(role, &["--store", "s3://bucket/run", "--quiet"], &environment);
        let said = task.says("waiting for s3://bucket/run");
        task.signal("-TERM");
        let (code, text) = task.end();
        assert_eq!(code, Some(75), "{role}: {said}{text}");
    }
    let mut wrong = environment;
    wrong[0].1 = "not a url";
    let (code, text) = cluster.start_as("worker", &["--store", "s3://bucket/run"], &wrong).end();
    assert!(code == Some(78) && text.contains("AWS_ENDPOINT_URL=\"not a url\""), "{code:?} {text}");
}
