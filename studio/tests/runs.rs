//! What the server tells of runs: their list, and events while one changes. The folders of runs for these tests.

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
pub fn configure(run: &RunFolder, generations: u32) {
    let mut config = Config::default();
    config.run.variant = "wangqi".to_owned();
    config.run.generations = generations;
    (config.evaluation.matches, config.evaluation.final_pairs) = (0, 0);
    std::fs::write(run.config(), config.to_toml().unwrap()).unwrap();
}

pub fn plan(generation: u32) -> Plan {
    // The run is extended from 9 generations to 12.
    let of = if generation <= 9 { 9 } else { 12 };
    let share = |generation: u32| f64::from(generation) / f64::from(of);
    serde_json::from_value(serde_json::json!({
        "generation": generation, "plies_per_slot": 10, "steps": 10,
        "progress_from": share(generation - 1), "progress_to": share(generation), "last": generation == of,
    }))
    .unwrap()
}

pub fn append(run: &RunFolder, event: &Event) {
    LineLog::<Event>::open(&run.events()).unwrap().0.append(event).unwrap();
}

fn event(generation: u32, seconds: f64, stage: Stage) -> Event {
    Event { at_ms: 1_790_000_000_000 + i64::from(generation) * 60_000, generation, seconds, seconds_before: 0.0, stage }
}

/// The stages of a generation.
pub fn events(generation: u32) -> Vec<Event> {
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
