//! The figures of Kirin Studio in docs/results/speed.md. Nothing here asserts a time, which depends on the machine.
//!
//! ```sh
//! cargo test --release -p studio --test pages measure:: -- --ignored --nocapture --test-threads 1
//! ```

use crate::runs::{game, run_folder};
use crate::server::Server;
use data::{DataStore, GameRecord, Provenance, SyntheticGames};
use rules::Xiangqi;
use serde_json::json;
use std::io::Write;
use std::time::{Duration, Instant};
use testkit::browser::Browser;

/// Minutes for which the page of a run stays open, where `KIRIN_MINUTES` names no other number.
const MINUTES: u64 = 10;
/// Times that a page is opened, and that a move is asked for.
const TIMES: usize = 10;

/// The least, the median and the greatest.
fn spread(mut numbers: Vec<f64>) -> String {
    numbers.sort_by(f64::total_cmp);
    let (least, most) = (numbers[0], numbers[numbers.len() - 1]);
    format!("{least:.0} to {most:.0}, median {:.0}", numbers[numbers.len() / 2])
}

/// First Contentful Paint is the bar with the names of the pages, which the server sends with the page. What the page
/// is for comes when the server has answered its script: this is measured to the moment when it is in the page.
#[test]
#[ignore = "measures"]
fn how_soon_a_page_is_painted() {
    let Some(mut browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = run_folder(&folder.path().join("run"), 8);
    let server = Server::start(&[run.root().to_owned()]);
    for (path, content) in [
        ("/", ".run-card .badge"),
        ("/?run=run", ".run .chart .curve"),
        ("/explorer?variant=wangqi&source=run", "tr.row"),
        ("/play#variant=wangqi&level=1&side=first&seed=7", ".board .piece"),
        ("/play#variant=koshogi&network=none&visits=1&side=first&seed=7", ".board .piece"),
        ("/analyse#variant=xiangqi", ".board .piece"),
        ("/matches", "main > *:not(noscript)"),
    ] {
        let (mut paints, mut contents) = (Vec::new(), Vec::new());
        for _ in 0..TIMES {
            let shown = format!("document.querySelector({content:?}) !== null");
            browser.go(&server.page(path), 1000, &shown);
            contents.push(browser.value("performance.now()").as_f64().unwrap());
            let paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
            browser.wait_until(&format!("{paint} > 0"));
            paints.push(browser.value(paint).as_f64().unwrap());
        }
        println!("{path}: First Contentful Paint {} ms, content after at most {} ms", spread(paints), spread(contents));
    }
}

#[test]
#[ignore = "measures"]
fn how_long_a_move_of_level_5_takes() {
    let server = Server::start(&[]);
    for about in server.get("/api/variants").as_array().unwrap() {
        if !about["levels"].as_array().unwrap().iter().any(|level| level["number"] == 5) {
            continue;
        }
        let mut times = Vec::new();
        for _ in 0..=TIMES {
            let begin = Instant::now();
            assert_eq!(server.post("/api/reply", &json!({ "variant": about["id"], "level": 5 })).0, 200);
            times.push(begin.elapsed().as_secs_f64() * 1e3);
        }
        let first = times.remove(0);
        println!("level 5, {}: first move {first:.0} ms, then {} ms", about["id"], spread(times));
    }
}

/// The server reads all games once, when the explorer is opened.
#[test]
#[ignore = "measures"]
fn how_long_the_explorer_of_100_000_games_takes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    let (store, _) = DataStore::open(&path).unwrap();
    let synthetic = SyntheticGames::default();
    for shard in 0..20 {
        let games: Vec<GameRecord<Xiangqi>> = (0..5000).map(|game| synthetic.game(5000 * shard + game)).collect();
        store.commit_shard(0, &format!("part-{shard}"), &games, &Provenance::default()).unwrap();
    }
    let line = synthetic.game::<Xiangqi>(0).moves_text;
    let server = Server::start(std::slice::from_ref(&path));
    let memory = || status_megabytes("VmHWM:");
    // The greatest memory so far is that of the games that were made.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let (before, processor, begin) = (memory(), processor_seconds(), Instant::now());
    let overview = server.get("/api/explorer?variant=xiangqi&source=games");
    assert_eq!(overview["of"], 100_000, "{overview}");
    println!(
        "100,000 games read: {:.1} s, {:.1} s of processor time, {} MB more than before",
        begin.elapsed().as_secs_f64(),
        processor_seconds() - processor,
        memory() - before
    );
    let moves: Vec<&str> = line.split(' ').collect();
    for plies in [0, 1, 3, 6, 10, 20, 40, 80] {
        let path = format!("/api/explorer/position?variant=xiangqi&source=games&moves={}", moves[..plies].join("+"));
        let ask = |_| {
            let begin = Instant::now();
            server.get(&path);
            begin.elapsed().as_secs_f64() * 1e3
        };
        println!("ply {plies}: {} ms", spread((0..TIMES).map(ask).collect()));
    }
}

/// The page of a run of which the state changes each second, and the newest game and the losses every fifth.
#[test]
#[ignore = "measures"]
fn what_a_page_takes_that_stays_open() {
    let Some(mut browser) = Browser::find() else { return };
    let minutes = std::env::var("KIRIN_MINUTES").ok().and_then(|text| text.parse().ok()).unwrap_or(MINUTES);
    let folder = tempfile::tempdir().unwrap();
    let run = run_folder(&folder.path().join("run"), 8);
    let _lock = run.lock().unwrap();
    let server = Server::start(&[run.root().to_owned()]);
    browser.go(&server.page("/?run=run"), 1000, "!!document.querySelector('.run .replay .piece')");
    let (store, _) = DataStore::open(&run.data()).unwrap();
    let (mut journal, _) = store.journal::<rules::Wangqi>(9).unwrap();
    let mut metrics = std::fs::File::create(run.metrics()).unwrap();
    let begin = Instant::now();
    for second in 0..=60 * minutes {
        let at_ms = 1_795_000_000_000 + 1000 * second;
        let progress = json!({
            "generation": 9, "task": "training", "done": second, "total": 60 * minutes, "began_at_ms": at_ms,
            "at_ms": at_ms, "policy_loss": 1.0 + 1.0 / (second + 1) as f64, "value_loss": 0.5,
        });
        std::fs::write(run.progress(), progress.to_string()).unwrap();
        if second % 5 == 0 {
            let [id, like] = [second, second % 100].map(|number| (9 << 32) | number);
            let new = GameRecord { game_id: id, ..game(like, 9) };
            journal.append_all(&[new]).unwrap();
            let row = json!({ "step": second, "generation": 9, "split": "training", "policy": 1.5, "value": 0.75 });
            writeln!(metrics, "{}", json!({ "blake3": "0", "metrics": row })).unwrap();
        }
        if second % 60 == 0 {
            let elements = browser.value("document.querySelectorAll('*').length");
            let megabytes = browser.script_bytes() / 1e6;
            println!("after {} min: {megabytes:.2} MB of scripts, {elements} elements in the page", second / 60);
        }
        let next = begin + Duration::from_secs(second + 1);
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    assert_eq!(browser.complaints, [""; 0]);
}

/// Processor time of this process, seconds.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap().split_whitespace().collect();
    // The kernel counts in hundredths of a second.
    [11, 12].map(|at| fields[at].parse::<f64>().unwrap()).iter().sum::<f64>() / 100.0
}

/// A figure of this process in megabytes.
fn status_megabytes(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1000
}
