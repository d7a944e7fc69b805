//! `kirin serve` as a process: its link, its signals, who may reach it, and a run that is killed, resumed and extended
//! while its page is open.

use crate::kirin::{command, json_in, kirin_in};
use crate::lab::{Lab, ended, signal, wait_until};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use testkit::browser::Browser;
use testkit::http::{self, Answer};

/// A `kirin serve`, killed when dropped, and its link.
struct Served {
    child: Option<Child>,
    link: String,
}

impl Served {
    fn start(folder: &Path, words: &[&str]) -> Served {
        let words = [&["serve", "--port", "0"], words].concat();
        let mut child =
            command(folder, &words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("kirin starts");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut line).expect("a line");
        let link = line.trim().strip_prefix("Kirin Studio: ").unwrap_or_else(|| panic!("{line:?}")).to_owned();
        Served { child: Some(child), link }
    }

    fn host(&self) -> &str {
        self.link.trim_start_matches("http://").split('/').next().unwrap_or_default()
    }

    fn ask(&self, path: &str, headers: &[&str]) -> Answer {
        http::ask(&self.host().replace("0.0.0.0", "127.0.0.1"), path, headers, None)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn a_signal_ends_it_even_while_it_searches() {
    let folder = tempfile::tempdir().unwrap();
    let mut served = Served::start(folder.path(), &[]);
    assert_eq!(served.ask("/", &[]).status, 200);
    // An analysis without an end.
    let mut stream = TcpStream::connect(served.host()).unwrap();
    write!(stream, "GET /api/analysis?variant=wangqi HTTP/1.1\r\nHost: {}\r\n\r\n", served.host()).unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while !line.starts_with("event: report") {
        line.clear();
        assert!(reader.read_line(&mut line).unwrap() > 0, "it reports");
    }
    let child = served.child.take().unwrap();
    let begin = Instant::now();
    signal(&child, "INT");
    let (code, said) = ended(child);
    assert_eq!(code, Some(0), "{said}");
    // docs/results/speed.md has it. The limit is for a machine that does other things.
    eprintln!("ended {:?} after the signal", begin.elapsed());
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
}

#[test]
fn what_cannot_be_served_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let ran = kirin_in(folder.path(), &["serve", "--port", &port]);
    assert_eq!(ran.code, Some(78), "{}", ran.err);
    assert!(
        ran.err.contains(&format!("cannot listen on 127.0.0.1:{port}: ")) && ran.err.contains("--port"),
        "{}",
        ran.err
    );
    let ran = kirin_in(folder.path(), &["serve", "absent"]);
    assert!(ran.code == Some(74) && ran.err.contains("cannot read absent: "), "{}", ran.err);
    std::fs::write(folder.path().join("games.pgn"), "").unwrap();
    let ran = kirin_in(folder.path(), &["serve", "games.pgn"]);
    assert!(ran.code == Some(78) && ran.err.contains("games.pgn is no folder"), "{}", ran.err);
}

#[test]
fn beyond_this_machine_only_the_token_opens_it() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path(), &["--listen", "0.0.0.0"]);
    let (_, query) = served.link.split_once('?').expect("a token");
    assert_eq!(served.ask("/", &[]).status, 403);
    assert_eq!(served.ask("/api/variants", &["Cookie: kirin_token=0"]).status, 403);
    let answer = served.ask(&format!("/?{query}"), &[]);
    assert!(
        answer.status == 303 && answer.headers.contains("location: /\r\n"),
        "the token leaves the address: {answer:?}"
    );
    let told = answer.headers.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
    let cookie = format!("Cookie: other=1; {}", told.split(';').next().expect("its value"));
    assert_eq!(served.ask("/api/variants", &[&cookie]).status, 200);
}

/// The number in a tile of the page of a run; `NaN` while there is none.
fn tile(name: &str) -> String {
    format!(
        "(() => {{ const names = [...document.querySelectorAll('.tiles dt')]; \
         const tile = names.find((it) => it.textContent === {name:?}); \
         return Number.parseFloat(tile.nextSibling.textContent.replaceAll(',', '').replace('−', '-')); }})()"
    )
}

/// Whether the page says that its run is in this state.
fn badge(state: &str) -> String {
    format!("document.querySelector('.badge.{state}') !== null")
}

#[test]
fn the_page_of_a_run_follows_it_through_a_kill_and_a_resume() {
    let Some(mut browser) = Browser::find() else { return };
    let lab = Lab::new("wangqi").set("selfplay.plies_per_generation=20000");
    let mut child = lab.start(&[]);
    wait_until("it plays", || lab.file("progress.json").exists());
    let served = Served::start(lab.path(), &["run"]);
    browser.go(&format!("{}?run=run", served.link), 1000, &badge("running"));
    // The figures of a stage change while it goes on.
    let stage = "document.querySelector('.stage').textContent";
    let begun = browser.value(stage);
    browser.wait_until(&format!("{stage} !== {begun}"));
    child.kill().expect("killed");
    child.wait().expect("waited for");
    browser.wait_until(&badge("interrupted"));
    let mut child = lab.start(&[]);
    browser.wait_until(&badge("running"));
    child.kill().expect("killed");
    child.wait().expect("waited for");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn the_page_of_a_run_follows_it_to_its_end_and_through_an_extension() {
    let Some(mut browser) = Browser::find() else { return };
    let lab = Lab::new("wangqi").set("run.round_seconds=5");
    let child = lab.start(&[]);
    wait_until("it plays", || lab.file("progress.json").exists());
    let served = Served::start(lab.path(), &["run"]);
    browser.go(&format!("{}?run=run", served.link), 1000, "document.querySelector('.tiles') !== null");
    browser.wait_until(&badge("finished"));
    assert_eq!(ended(child).0, Some(0));
    browser.wait_until(&format!("Number.isFinite({})", tile("Elo, fixed scale")));
    let figures = ["games", "policy loss", "value loss"];
    let finished = figures.map(|name| browser.value(&tile(name)));

    let mut child = lab.start(&["--budget", "10m"]);
    browser.wait_until(&badge("running"));
    for (name, before) in figures.iter().zip(finished) {
        browser.wait_until(&format!("{} !== {before}", tile(name)));
    }
    browser.wait_until("document.querySelector('.run').textContent.includes('budget = \"10m\"')");
    child.kill().expect("killed");
    child.wait().expect("waited for");
    browser.wait_until(&badge("interrupted"));
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn the_network_of_a_run_can_be_played_against() {
    let lab = Lab::new("wangqi");
    lab.succeed("run", &[]);
    let served = Served::start(lab.path(), &["run"]);
    let answer = served.ask("/api/variants", &[]);
    let variants: Value = serde_json::from_str(&answer.body).expect("JSON");
    let wangqi = variants.as_array().into_iter().flatten().find(|about| about["id"] == "wangqi").expect("the variant");
    let networks = wangqi["networks"].as_array().expect("networks");
    assert!(networks.iter().any(|it| it["id"] == "run" && it["title"] == "run, network 2"), "{networks:?}");
    let question = serde_json::json!({ "variant": "wangqi", "network": "run", "visits": 8 });
    let answer = http::ask(served.host(), "/api/reply", &[], Some(&question));
    assert!(answer.status == 200 && answer.body.contains("\"visits\":8"), "{answer:?}");
}

#[test]
fn the_explorer_counts_what_the_command_counts() {
    let Some(mut browser) = Browser::find() else { return };
    let lab = Lab::new("wangqi");
    lab.succeed("run", &[]);
    let counted = json_in(lab.path(), &["openings", "run", "--depth", "1", "--limit", "1000"]);
    let served = Served::start(lab.path(), &["run"]);
    browser.go(
        &format!("{}explorer?variant=wangqi&source=run", served.link),
        1000,
        "document.querySelector('tr.row') !== null",
    );
    let rows = browser.value(
        "[...document.querySelectorAll('tr.row')].map((row) => [row.dataset.key, \
         Number(row.querySelector('.games').firstChild.textContent.replaceAll(',', ''))])",
    );
    let told: Vec<Value> = counted["lines"]
        .as_array()
        .expect("lines")
        .iter()
        .map(|row| serde_json::json!([row["moves"], row["games"]]))
        .collect();
    // The page shows the most played moves first, and the others when asked.
    let shown = rows.as_array().expect("rows");
    assert!(!told.is_empty() && shown.len() == told.len().min(12), "{rows} {counted}");
    assert!(shown.iter().all(|row| told.contains(row)), "{rows} {counted}");
    assert_eq!(browser.complaints, Vec::<String>::new());
}
