//! The list of runs, a run that goes on, several laid over one another.

use crate::server::Server;
use data::{DataStore, GameRecord, LineLog, PositionRecord, Provenance};
use eval::benchmark::ScalePlace;
use lab::events::{Ends, Event, Match, Selfplay, Stage, Train};
use lab::{Config, Opponent, Plan, RunFolder};
use rules::{Game, MoveList, Outcome, Rules, Side, Termination, Wangqi};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;
use testkit::browser::Browser;

/// A run of so many generations. Every second network has a place on the fixed scale, and the games of generation 2
/// reach the ply limit, which is an alarm.
pub fn run_folder(folder: &Path, generations: u32) -> RunFolder {
    let run = RunFolder::new(folder);
    std::fs::create_dir_all(folder).unwrap();
    configure(&run, 9);
    let mut plans = LineLog::<Plan>::open(&run.plan()).unwrap().0;
    for generation in 1..=generations + 1 {
        plans.append(&plan(generation)).unwrap();
    }
    let (store, _) = DataStore::open(&run.data()).unwrap();
    for generation in 1..=generations {
        let games: Vec<_> = (0..3).map(|id| game(u64::from(generation) << 32 | id, generation)).collect();
        store.commit_shard(generation, lab::SHARD, &games, &Provenance::default()).unwrap();
        for event in events(generation) {
            append(&run, &event);
        }
    }
    run
}

/// Gives a run a configuration of so many generations, without matches that would be due.
fn configure(run: &RunFolder, generations: u32) {
    let mut config = Config::default();
    config.run.variant = "wangqi".to_owned();
    config.run.generations = generations;
    (config.evaluation.matches, config.evaluation.final_pairs) = (0, 0);
    std::fs::write(run.config(), config.to_toml().unwrap()).unwrap();
}

fn plan(generation: u32) -> Plan {
    // The run is extended from 9 generations to 12.
    let of = if generation <= 9 { 9 } else { 12 };
    let share = |generation: u32| f64::from(generation) / f64::from(of);
    serde_json::from_value(serde_json::json!({
        "generation": generation, "plies_per_slot": 10, "steps": 10,
        "progress_from": share(generation - 1), "progress_to": share(generation), "last": generation == of,
    }))
    .unwrap()
}

fn append(run: &RunFolder, event: &Event) {
    LineLog::<Event>::open(&run.events()).unwrap().0.append(event).unwrap();
}

fn event(generation: u32, seconds: f64, stage: Stage) -> Event {
    Event { at_ms: 1_790_000_000_000 + i64::from(generation) * 60_000, generation, seconds, seconds_before: 0.0, stage }
}

/// The stages of a generation.
fn events(generation: u32) -> Vec<Event> {
    let g = f64::from(generation);
    let ends = Ends { capped: if generation == 2 { 200 } else { 0 }, searched: 9000, proven: 450, ..Ends::default() };
    let selfplay = Selfplay {
        games: 200,
        positions: 9000,
        searched: 9000,
        evaluations: 200_000,
        batch_fill: 0.9,
        mean_plies: 45.0,
        first_wins: 100,
        second_wins: 100,
        ends: Some(ends),
        ..Selfplay::default()
    };
    let train = Train {
        steps: 100,
        samples: 25_600,
        policy_loss: 2.0 + 1.0 / g,
        value_loss: 0.7 + 0.2 / g,
        validation_policy_loss: Some(2.1 + 1.0 / g),
        validation_value_loss: Some(0.75 + 0.2 / g),
        policy_entropy: Some(1.5),
        network: format!("{generation:016x}"),
        ..Train::default()
    };
    let place =
        ScalePlace { elo: 900.0 + 100.0 * g, error: 60.0, neighbour: "greedy".into(), above: 30.0, above_error: 40.0 };
    let played = Match {
        network: generation,
        opponent: Opponent::Greedy,
        pairs: 10,
        wins: 15,
        losses: 5,
        score: 0.75,
        score_low: 0.6,
        score_high: 0.9,
        elo: Some(190.0),
        elo_error: Some(90.0),
        place: (generation.is_multiple_of(2)).then(|| Box::new(place)),
        ..Match::default()
    };
    vec![
        event(generation, 20.0 * g, Stage::Selfplay(selfplay)),
        event(generation, 10.0, Stage::Train(train)),
        event(generation, 5.0, Stage::Match(played)),
    ]
}

/// A game of 12 moves that the first player wins, the search being ever more certain of it.
pub fn game(game_id: u64, generation: u32) -> GameRecord<Wangqi> {
    let mut game = Game::<Wangqi>::start(Rules::default());
    let mut legal = MoveList::new();
    for ply in 0..12 {
        game.legal_moves(&mut legal);
        let mv = legal[(game_id as usize * 7 + ply * 13) % legal.len()];
        game.play(mv);
    }
    let positions = game.moves().iter().zip(game.positions()).enumerate();
    let positions = positions.map(|(ply, (mv, position))| {
        let of_first = 0.5 + ply as f32 / 30.0;
        let win = if position.side() == Side::First { of_first } else { 1.0 - of_first };
        PositionRecord {
            ply: ply as u16,
            side: position.side(),
            pos_key: position.key().to_bytes(),
            mv: *mv,
            policy_move: vec![*mv],
            policy_visits: vec![65_536],
            root_wdl: [win, 0.0, 1.0 - win],
            visits: 1,
            full_search: true,
            target_weight: 1.0,
            generation,
            ..PositionRecord::default()
        }
    });
    let positions: Vec<PositionRecord> = positions.collect();
    GameRecord {
        game_id,
        run_id: "test".into(),
        generation,
        visits: 12,
        positions,
        ..GameRecord::of(&game, Outcome::win(Side::First, Termination::Resign))
    }
}

/// A stream of server-sent events.
struct Listener(BufReader<TcpStream>);

impl Listener {
    fn open(server: &Server, path: &str) -> Listener {
        let mut stream = TcpStream::connect(&server.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.host).unwrap();
        Listener(BufReader::new(stream))
    }

    /// The content of the next event of this name.
    fn next(&mut self, name: &str) -> Value {
        let wanted = format!("event: {name}");
        let mut is_next = false;
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).expect("an event in time") > 0, "the stream ended before {name}");
            match line.trim_end().strip_prefix("data: ") {
                Some(content) if is_next => return serde_json::from_str(content).unwrap(),
                _ => is_next = line.trim_end() == wanted,
            }
        }
    }
}

#[test]
fn the_list_has_sound_damaged_and_empty_runs() {
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("runs");
    run_folder(&runs.join("sound"), 4);
    let damaged = run_folder(&runs.join("damaged"), 2);
    let text = std::fs::read_to_string(damaged.events()).unwrap();
    std::fs::write(damaged.events(), text.replacen("\"games\":200", "\"games\":900", 1)).unwrap();
    let empty = RunFolder::new(runs.join("empty"));
    std::fs::create_dir_all(empty.root()).unwrap();
    std::fs::write(empty.about(), "{}").unwrap();
    std::fs::create_dir_all(runs.join("no-run")).unwrap();

    let server = Server::start(&[runs]);
    let list = server.get("/api/runs");
    let list: Vec<&Value> = list.as_array().unwrap().iter().collect();
    let ids: Vec<&str> = list.iter().map(|run| run["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["runs/damaged", "runs/empty", "runs/sound"]);
    assert!(list[0]["problem"].as_str().unwrap().contains("events.jsonl"), "{}", list[0]);
    assert!(list[1]["problem"].is_string() && list[1]["condition"].is_null(), "{}", list[1]);
    let sound = list[2];
    assert_eq!((&sound["condition"], &sound["problem"]), (&"interrupted".into(), &Value::Null));
    assert_eq!((&sound["variant"], &sound["games"]), (&"wangqi".into(), &800.into()));
    assert_eq!((&sound["rating"]["network"], &sound["rating"]["elo"]), (&4.into(), &1300.0.into()));

    let run = server.get("/api/run?id=runs/sound");
    let history = &run["history"];
    assert_eq!(history["generations"].as_array().unwrap().len(), 4);
    assert_eq!(history["generations"][3]["positions"], 36_000);
    let hours = history["generations"][1]["hours"].as_f64().unwrap();
    assert!((hours - 85.0 / 3600.0).abs() < 1e-9, "without the match after it: {hours}");
    let scaled: Vec<u64> =
        history["ratings"].as_array().unwrap().iter().map(|it| it["generation"].as_u64().unwrap()).collect();
    assert_eq!(scaled, [2, 4]);
    let capped = history["health"].as_array().unwrap().iter().find(|figure| figure["name"] == "capped").unwrap();
    assert_eq!((&capped["outside"], &capped["healthy"]), (&serde_json::json!([2]), &true.into()));
    assert!(capped["remedy"].as_str().unwrap().contains("selfplay.max_plies"), "{capped}");
    assert!(run["config"].as_str().unwrap().contains("variant = \"wangqi\""));
    assert_eq!(server.ask_with("/api/run?id=runs/nowhere", &[], None).status, 404);
    assert_eq!(server.ask_with("/api/run?id=runs/sound/../sound", &[], None).status, 404);
}

#[test]
fn a_list_that_has_not_changed_is_not_sent_again() {
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("runs");
    run_folder(&runs.join("a"), 1);
    let server = Server::start(std::slice::from_ref(&runs));
    let tag_of = |answer: &testkit::http::Answer| {
        let tag = answer.headers.lines().find_map(|line| line.strip_prefix("etag: "));
        tag.expect("a tag").to_owned()
    };
    let asked_with = |tag: &str| server.ask_with("/api/runs", &[&format!("If-None-Match: {tag}")], None);
    let first = server.ask_with("/api/runs", &[], None);
    assert!(first.headers.contains("cache-control: private, no-cache"), "{first:?}");
    let tag = tag_of(&first);
    let again = asked_with(&tag);
    assert_eq!((again.status, again.body.as_str(), tag_of(&again)), (304, "", tag.clone()));
    assert_eq!(asked_with("\"another\"").body, first.body);
    // A change is told, though not at once.
    let told = |tag: &str| loop {
        match asked_with(tag) {
            answer if answer.status == 304 => std::thread::sleep(Duration::from_millis(50)),
            answer => return answer,
        }
    };
    run_folder(&runs.join("b"), 1);
    let both = told(&tag);
    assert!(both.body.contains("runs/a") && both.body.contains("runs/b"), "{both:?}");
    std::fs::remove_dir_all(runs.join("b")).unwrap();
    assert!(!told(&tag_of(&both)).body.contains("runs/b"));
}

#[test]
fn the_newest_game_waits_in_the_journal_or_in_the_newest_shard() {
    let folder = tempfile::tempdir().unwrap();
    let run = run_folder(&folder.path().join("run"), 2);
    let server = Server::start(&[run.root().to_owned()]);
    let shown = server.get("/api/run/game?id=run");
    let id = |generation: u64, number: u64| (generation << 32 | number).to_string();
    assert_eq!((&shown["id"], &shown["generation"]), (&id(2, 2).into(), &2.into()));
    assert_eq!(shown["games"], serde_json::json!([id(2, 0), id(2, 1), id(2, 2)]));
    assert_eq!((shown["plies"].as_array().unwrap().len(), shown["views"].as_array().unwrap().len()), (12, 13));
    // The first player's score, for either side to move.
    assert_eq!((&shown["plies"][0]["value"], &shown["plies"][1]["value"]), (&0.5.into(), &0.533.into()));
    let earlier = server.get(&format!("/api/run/game?id=run&game={}", id(2, 0)));
    assert_eq!(earlier["id"], id(2, 0));

    let (store, _) = DataStore::open(&run.data()).unwrap();
    let (mut journal, _) = store.journal::<Wangqi>(3).unwrap();
    assert_eq!(server.get("/api/run/game?id=run")["id"], id(2, 2), "nothing is in the journal yet");
    journal.append_all(&[game(3 << 32, 3), game((3 << 32) + 1, 3)]).unwrap();
    let shown = server.get("/api/run/game?id=run");
    assert_eq!((&shown["id"], &shown["games"]), (&id(3, 1).into(), &serde_json::json!([id(3, 0), id(3, 1)])));
    assert_eq!(shown["plies"][1]["value"], 0.533);
    let torn = std::fs::OpenOptions::new().append(true).open(journal.path()).unwrap();
    (&torn).write_all(b"{\"blake3\":\"0\",\"game\":{\"game_id\":7").unwrap();
    assert_eq!(server.get("/api/run/game?id=run")["id"], id(3, 1));
    assert_eq!(server.ask_with("/api/run/game?id=run&game=17", &[], None).status, 404);
}

#[test]
fn those_who_watch_are_told_of_a_stage_that_ends_of_a_kill_and_of_a_deletion() {
    let folder = tempfile::tempdir().unwrap();
    let run = run_folder(&folder.path().join("run"), 2);
    let lock = run.lock().unwrap();
    let server = Server::start(&[folder.path().to_owned()]);
    let id = format!("{}/run", folder.path().file_name().unwrap().to_string_lossy());
    let path = format!("/api/run/live?id={id}");
    let [mut one, mut other] = [(); 2].map(|()| Listener::open(&server, &path));
    for listener in [&mut one, &mut other] {
        assert_eq!(listener.next("state")["condition"], "running");
        assert_eq!(listener.next("history")["generations"].as_array().unwrap().len(), 2);
    }
    append(&run, &events(3)[0]);
    for listener in [&mut one, &mut other] {
        assert_eq!(listener.next("history")["generations"][2]["games"], 200);
    }
    // Who comes later gets the newest state.
    assert_eq!(Listener::open(&server, &path).next("history")["generations"].as_array().unwrap().len(), 3);
    let metrics = r#"{"blake3":"0","metrics":{"step":5,"generation":3,"split":"training","policy":2.5,"value":0.75}}"#;
    std::fs::write(run.metrics(), format!("{metrics}\n")).unwrap();
    let row = serde_json::json!([5, 3, 0, 2.5, 0.75]);
    assert_eq!(one.next("metrics"), serde_json::json!({ "from": 0, "rows": [row] }));
    std::fs::write(run.metrics(), format!("{metrics}\n{metrics}\n")).unwrap();
    assert_eq!(one.next("metrics"), serde_json::json!({ "from": 1, "rows": [row] }), "only what is new");
    // A killed program leaves the files as they are; only its lock is gone.
    drop(lock);
    while one.next("state")["condition"] != "interrupted" {}
    std::fs::remove_dir_all(run.root()).unwrap();
    one.next("gone");
    other.next("gone");
    assert_eq!(server.ask_with(&path, &[], None).status, 404);
}

#[test]
fn the_page_of_a_run_changes_with_it_and_says_when_it_is_gone() {
    let Some(mut browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = run_folder(&folder.path().join("run"), 2);
    let lock = run.lock().unwrap();
    let server = Server::start(&[run.root().to_owned()]);
    browser.go(&server.page("/"), 1000, "!!document.querySelector('.run-card .badge.running')");
    browser.click("document.querySelector('.run-card a')");
    browser.wait_until("!!document.querySelector('.run .replay .piece')");
    // Parts of the page come with messages of their own, in any order.
    let shows = |browser: &mut Browser, selector: &str, text: &str| {
        browser.wait_until(&format!("!!document.querySelector({selector:?})?.textContent.includes({text:?})"));
    };
    shows(&mut browser, ".alarm", "games cut off at the ply limit: 100.0 %");
    shows(&mut browser, ".alarms", "selfplay.max_plies");
    shows(&mut browser, ".tiles", "1,100 ± 60");
    browser.wait_until("document.querySelectorAll('.chart .curve').length === 6");
    browser.wait_until("document.querySelectorAll('.chart .whisk').length === 1");
    // The newest game plays by itself.
    browser.wait_until("/^After [1-9]/.test(document.querySelector('.viewer .status').textContent)");
    browser.click("document.querySelector('.replay [aria-label^=\"To the end\"]')");
    browser.wait_until("document.querySelector('.viewer .status').textContent === 'After 12 plies: the end.'");
    browser.press("ArrowLeft");
    browser.wait_until("document.querySelector('.viewer .status').textContent.startsWith('After 11 plies')");

    LineLog::<Plan>::open(&run.plan()).unwrap().0.append(&plan(4)).unwrap();
    events(3).iter().chain(&events(4)).for_each(|event| append(&run, event));
    browser.wait_until("document.querySelectorAll('.chart .whisk').length === 2");
    shows(&mut browser, ".tiles", "games800");
    drop(lock);
    browser.wait_until("document.querySelector('.badge').textContent === 'interrupted'");
    std::fs::remove_dir_all(run.root()).unwrap();
    browser.wait_until("document.querySelector('.badge').textContent === 'gone'");
    shows(&mut browser, "#page", "This run is gone");
    // It comes back, as a backup does.
    run_folder(run.root(), 1);
    browser.wait_until("document.querySelector('.badge').textContent === 'interrupted'");
    browser.wait_until("!document.querySelector('#page').textContent.includes('This run is gone')");
    // Questions for what is gone are refused, which the browser notes.
    browser.complaints.retain(|text| !text.contains("404") && !text.contains("500"));
    assert_eq!(browser.complaints, [""; 0]);
}

/// As `kirin run` does it with more generations: the configuration changes, the next generation is planned and played.
#[test]
fn the_page_of_a_finished_run_follows_it_when_it_is_extended() {
    let Some(mut browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = run_folder(&folder.path().join("run"), 8);
    events(9).iter().for_each(|event| append(&run, event));
    let server = Server::start(&[run.root().to_owned()]);
    browser.go(&server.page("/?run=run"), 1000, "document.querySelector('.badge').textContent === 'finished'");
    let page = "document.querySelector('.run').textContent";
    let tile = |name: &str, text: &str| {
        format!("document.querySelector('.tiles').textContent.includes({:?})", format!("{name}{text}"))
    };
    browser.wait_until(&tile("generation", "9 of 9"));
    assert_eq!(browser.value(&tile("games", "1,800")), true);
    assert_eq!(browser.value(&format!("{page}.includes('generations = 9')")), true);

    let lock = run.lock().unwrap();
    configure(&run, 12);
    LineLog::<Plan>::open(&run.plan()).unwrap().0.append(&plan(10)).unwrap();
    browser.wait_until("document.querySelector('.badge').textContent === 'running'");
    browser.wait_until(&tile("generation", "10 of 12"));
    browser.wait_until(&format!("{page}.includes('generations = 12') && !{page}.includes('generations = 9')"));
    assert_eq!(browser.value("document.querySelector('.progress').getAttribute('aria-valuenow')"), "75");
    // Figures of the stage in progress, then of the stages that have ended.
    let at_ms = events(10)[0].at_ms - 1000;
    let progress = serde_json::json!({
        "generation": 10, "task": "training", "done": 5, "total": 10, "began_at_ms": at_ms, "at_ms": at_ms,
        "policy_loss": 1.25, "value_loss": 0.5,
    });
    std::fs::write(run.progress(), progress.to_string()).unwrap();
    browser.wait_until(&tile("policy loss", "1.250 nats"));
    let dots = "document.querySelectorAll('.chart .dot').length";
    let before = browser.value(dots).as_u64().unwrap();
    events(10).iter().for_each(|event| append(&run, event));
    browser.wait_until(&tile("games", "2,000"));
    browser.wait_until(&tile("Elo, fixed scale", "1,900 ± 60"));
    browser.wait_until(&tile("policy loss", "2.100 nats"));
    browser.wait_until(&format!("{dots} > {before}"));
    drop(lock);
    browser.wait_until("document.querySelector('.badge').textContent === 'interrupted'");
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn two_runs_laid_over_one_another_have_two_curves() {
    let Some(mut browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("runs");
    let hostile = "b <img src=x onerror=alert(1)>";
    run_folder(&runs.join("a"), 4);
    run_folder(&runs.join(hostile), 4);
    let server = Server::start(&[runs]);
    browser.go(&server.page("/"), 1000, "document.querySelectorAll('.run-card').length === 2");
    browser.click("document.querySelectorAll('.run-card input')[0]");
    browser.wait_until("document.querySelectorAll('.overlay .curve').length === 3");
    // A question without an answer is told, and takes nothing from the other run.
    browser.value(
        "(() => { const real = window.fetch; window.repair = () => { window.fetch = real; };
        window.fetch = (address, ...rest) => decodeURIComponent(address).includes('<img')
            ? Promise.reject(new TypeError('no answer')) : real(address, ...rest); })()",
    );
    let second = "document.querySelectorAll('.run-card input')[1]";
    browser.click(second);
    browser.wait_until("!!document.querySelector('.overlay .message.wrong:not([hidden])')");
    assert_eq!(browser.value("document.querySelectorAll('.overlay .curve').length"), 3);
    browser.value("window.repair()");
    browser.click(second);
    browser.click(second);
    browser.wait_until("document.querySelectorAll('.overlay .curve').length === 6");
    browser.complaints.retain(|text| !text.contains("no answer"));
    let colours = "new Set([...document.querySelectorAll('.overlay .chart')[0].querySelectorAll('.curve')]
        .map((curve) => getComputedStyle(curve).stroke)).size";
    assert_eq!(browser.value(colours), 2);
    let legend = browser.value("document.querySelector('.overlay .legend').textContent");
    assert_eq!(legend, format!("runs/aruns/{hostile}"));
    assert_eq!(browser.value("document.images.length"), 0);
    // Against hours the same curves lie elsewhere.
    let first = "document.querySelectorAll('.overlay .chart')[1].querySelector('.curve').getAttribute('points')";
    let before = browser.value(first);
    browser.value(
        "(() => { const select = document.querySelector('.overlay select'); select.value = 'hours';
        select.dispatchEvent(new Event('change')); })()",
    );
    assert_ne!(browser.value(first), before.clone());
    // The address holds the choice.
    let address = browser.address();
    browser.go(&address, 400, "document.querySelectorAll('.overlay .curve').length === 6");
    assert!(address.contains("across=hours"), "{address}");
    assert_ne!(browser.value(first), before);
    assert_eq!(browser.value("document.documentElement.scrollWidth <= 400"), true);
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn the_labels_of_a_chart_with_one_point_differ() {
    let Some(mut browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = run_folder(&folder.path().join("run"), 1);
    let server = Server::start(&[run.root().to_owned()]);
    let drawn = "document.querySelectorAll('.overlay .curve').length > 0";
    browser.go(&server.page("/?overlay=run#across=hours"), 1000, drawn);
    let labels = "[...document.querySelectorAll('.overlay .chart svg')].map((chart) =>
        [...chart.querySelectorAll('text.tick.middle')].map((label) => label.textContent))";
    for labels in browser.value(labels).as_array().unwrap() {
        let labels: Vec<&str> = labels.as_array().unwrap().iter().map(|label| label.as_str().unwrap()).collect();
        let different: std::collections::BTreeSet<&str> = labels.iter().copied().collect();
        assert!(labels.len() > 2 && different.len() == labels.len(), "{labels:?}");
    }
}

#[test]
fn the_page_of_a_run_does_not_grow() {
    let Some(mut browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = run_folder(&folder.path().join("run"), 4);
    let server = Server::start(&[run.root().to_owned()]);
    browser.go(&server.page("/?run=run"), 1000, "!!document.querySelector('.run .replay .piece')");
    // The page opens its stream again when it is seen again; this time the test has a hand on it.
    browser.value(
        "(() => {
            const hide = (hidden) => {
                Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
                document.dispatchEvent(new Event('visibilitychange'));
            };
            hide(true);
            const Original = window.EventSource;
            window.EventSource = class extends Original {
                constructor(path) { super(path); window.stream = this; window.told = {};
                    for (const name of ['state', 'history']) this.addEventListener(name, (event) => { window.told[name] = event.data; }); }
            };
            hide(false);
        })()",
    );
    browser.wait_until("!!window.told?.state && !!window.told?.history");
    let grown = browser.value(
        "(async () => {
            const tell = (name, data) => stream.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
            const state = JSON.parse(told.state), history = JSON.parse(told.history);
            const act = (number) => {
                state.done = number / 1000; state.state.games = number;
                tell('state', state);
                history.generations.at(-1).games = number;
                tell('history', history);
                tell('metrics', { from: 700 + number, rows: [[number, 4, 0, 2 + 1 / (number + 1), 0.7]] });
                tell('game', {});
            };
            const shown = () => new Promise(requestAnimationFrame).then(() => document.querySelectorAll('*').length);
            // The curves of the steps are averaged once they have enough points.
            const rows = Array.from({ length: 700 }, (_, step) => [step, 4, 0, 2 + 1 / (step + 1), 0.7]);
            tell('metrics', { from: 0, rows });
            const before = await shown();
            for (let number = 0; number < 500; number += 1) {
                act(number);
                if (number % 50 === 0) await shown();
            }
            return [before, await shown(), document.querySelector('.tiles').textContent.includes('games499')];
        })()",
    );
    assert_eq!(grown[2], true, "the events arrived: {grown}");
    assert_eq!(grown[0], grown[1], "{grown}");
    assert_eq!(browser.complaints, [""; 0]);
}
