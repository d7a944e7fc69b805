//! Matches: their list, one that goes on, its games on a board, standings.

use crate::server::Server;
use eval::log::MatchLog;
use eval::{GameEntry, MatchHeader};
use serde_json::{Value, json};
use std::path::Path;
use testkit::browser::Browser;

const HOSTILE: &str = "<img src=x onerror=alert(1)>";

fn header(players: [&str; 2]) -> MatchHeader {
    let player = |name: &str| json!({ "name": name, "identity": name, "search": null });
    serde_json::from_value(json!({
        "kirin_match": MatchHeader::FORMAT, "variant": "wangqi", "ruleset": "standard", "max_plies": 300, "seed": 1,
        "openings": "random, 2 plies", "players": players.map(player),
    }))
    .unwrap()
}

/// A game with this result for the first named player.
fn entry(pair: u32, named_first: bool, result: i32, termination: &str, reason: &str) -> GameEntry {
    let moves = "c3c4 e6e5";
    let result = if named_first { result } else { -result };
    let number = 2 * pair + u32::from(!named_first);
    serde_json::from_value(json!({
        "pair": pair, "first_named_first": named_first, "opening_plies": 1, "moves": moves, "plies": 2, "result": result,
        "termination": termination, "reason": reason, "session": 1, "elapsed_ms": 100 * number,
    }))
    .unwrap()
}

/// The name of a termination in logs.
fn termination(it: rules::Termination) -> String {
    serde_json::to_value(it).unwrap().as_str().unwrap().to_owned()
}

/// A match of 8 pairs: of each the first named player wins one game, and draws the other; in pair 3 it loses one by an
/// error.
fn log(folder: &Path, name: &str, players: [&str; 2]) -> MatchLog {
    let mut log = MatchLog::open(&folder.join(format!("{name}.jsonl")), header(players)).unwrap();
    let [mate, repetition, error] =
        [rules::Termination::Checkmate, rules::Termination::Repetition, rules::Termination::Error].map(termination);
    let mut games = Vec::new();
    for pair in 0..8 {
        games.push(entry(pair, true, 1, &mate, ""));
        games.push(match pair {
            3 => entry(pair, false, -1, &error, "no move within 0.3 s <b>"),
            _ => entry(pair, false, 0, &repetition, ""),
        });
    }
    log.set_test(Some(eval::ratings::Sprt::default())).unwrap();
    log.append(games).unwrap();
    log
}

#[test]
fn the_list_has_the_logs_of_folders_and_of_runs_and_names_a_damaged_one() {
    let folder = tempfile::tempdir().unwrap();
    let all = folder.path().join("all");
    let [matches, in_run] = [all.join("cup"), all.join("run/matches")];
    std::fs::create_dir_all(&matches).unwrap();
    std::fs::create_dir_all(&in_run).unwrap();
    std::fs::write(all.join("run/config.toml"), "[run]\nvariant = \"wangqi\"\n").unwrap();
    let going_on = log(&matches, "a-vs-b", ["a", "b"]);
    drop(log(&in_run, "gen-0001-vs-greedy", ["gen-0001", "greedy"]));
    std::fs::write(matches.join("junk.jsonl"), "{\"my\":\"only copy\"}\n").unwrap();

    let server = Server::start(&[all]);
    let list = server.get("/api/matches");
    let ids: Vec<&str> = list.as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["all/cup/a-vs-b", "all/cup/junk", "all/run/matches/gen-0001-vs-greedy"]);
    assert_eq!((&list[0]["running"], &list[0]["problem"]), (&true.into(), &Value::Null));
    assert_eq!(list[0]["summary"]["results"], json!([8, 7, 1]));
    assert_eq!((&list[0]["summary"]["failed"], &list[0]["summary"]["sprt"]["pairs"]), (&1.into(), &8.into()));
    assert!(list[1]["summary"].is_null() && list[1]["problem"].as_str().unwrap().contains("junk.jsonl"), "{}", list[1]);

    let shown = server.get("/api/match?id=all/cup/a-vs-b");
    assert_eq!((&shown["report"]["results"]["wins"], shown["games"].as_array().unwrap().len()), (&8.into(), 16));
    // The last point of the course is the ratio that the test itself reports.
    let course = shown["course"].as_array().unwrap();
    let [last, said] = [&course[course.len() - 1][1], &shown["report"]["sprt"]["llr"]].map(|it| it.as_f64().unwrap());
    assert!(course.len() == 8 && (last - said).abs() < 1e-3, "{shown}");
    assert_eq!(shown["report"]["failed"][0]["player"], "a");
    drop(going_on);

    let game = server.get("/api/match/game?id=all/cup/a-vs-b&pair=3&side=second");
    assert_eq!((&game["players"], &game["result"]), (&json!(["b", "a"]), &"first".into()));
    assert_eq!((game["views"].as_array().unwrap().len(), &game["plies"][1]["uci"]), (3, &"e6e5".into()));
    let status = |path: &str| server.ask_with(path, &[], None).status;
    assert_eq!(status("/api/match/game?id=all/cup/a-vs-b&pair=8&side=second"), 404);
    assert_eq!(status("/api/match/game?id=all/cup/a-vs-b&pair=1&side=third"), 422);
    assert_eq!(status("/api/match?id=all/cup/../cup/a-vs-b"), 404);
    assert_eq!(status("/api/match?id=all/cup/junk"), 500);

    let standings = server.get("/api/standings?id=all/run/matches");
    let players: Vec<&str> =
        standings[0]["rows"].as_array().unwrap().iter().map(|row| row["player"].as_str().unwrap()).collect();
    assert_eq!(players, ["gen-0001", "greedy"]);
    assert_eq!(standings[0]["first"], json!([9, 7, 0]), "the error cost the second player of its game");
}

#[test]
fn a_log_is_shown_alone_and_other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let cup = folder.path().join("cup");
    std::fs::create_dir(&cup).unwrap();
    for name in ["a-vs-b", "c-vs-d"] {
        drop(log(&cup, name, [&name[..1], &name[5..]]));
    }
    let server = Server::start(&[cup.join("a-vs-b.jsonl")]);
    let list = server.get("/api/matches");
    let [only] = &list.as_array().unwrap()[..] else { panic!("{list}") };
    assert_eq!((&only["id"], &only["name"], &only["folder"]), (&json!("a-vs-b.jsonl"), &json!("a-vs-b"), &only["id"]));
    assert_eq!(server.get("/api/match?id=a-vs-b.jsonl")["games"].as_array().unwrap().len(), 16);
    let players = server.get("/api/standings?id=a-vs-b.jsonl")[0]["rows"].as_array().unwrap().len();
    assert_eq!((players, server.get("/api/sources").as_array().unwrap().len()), (2, 1));

    std::fs::write(cup.join("games.pgn"), "1. e4").unwrap();
    std::fs::write(cup.join("junk.jsonl"), "{\"my\":\"only copy\"}\n").unwrap();
    for (name, reason) in
        [("games.pgn", "is no folder and no match log"), ("junk.jsonl", "not readable as a match log")]
    {
        let config =
            studio::StudioConfig { sources: vec![cup.join(name)], listen: ([127, 0, 0, 1], 0).into(), searches: 1 };
        let Err(error) = studio::Studio::open(&config) else { panic!("{name} is shown") };
        let text = error.to_string();
        assert!(text.contains(reason) && text.contains(name), "{text}");
    }
}

#[test]
fn a_game_against_the_rules_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let cup = folder.path().join("cup");
    std::fs::create_dir(&cup).unwrap();
    let mut wrong = entry(0, true, 1, &termination(rules::Termination::Checkmate), "");
    wrong.moves = "a1a9 <script>".to_owned();
    MatchLog::open(&cup.join("wrong.jsonl"), header(["a", "b"])).unwrap().append(vec![wrong]).unwrap();
    let server = Server::start(&[cup]);
    let answer = server.ask_with("/api/match/game?id=cup/wrong&pair=0&side=first", &[], None);
    assert!(answer.status == 500 && answer.body.contains("move 1: "), "{answer:?}");
}

#[test]
fn a_match_is_clicked_through_while_it_goes_on() {
    let Some(mut browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let cup = folder.path().join("cup");
    std::fs::create_dir(&cup).unwrap();
    let mut log = log(&cup, "a-vs-b", [HOSTILE, "b"]);
    let server = Server::start(std::slice::from_ref(&cup));
    browser.go(&server.page("/matches"), 1000, "!!document.querySelector('.match-list .badge.running')");
    assert_eq!(browser.value("document.querySelector('.match-list tbody a').textContent"), format!("{HOSTILE} – b"));
    let row = browser.value("document.querySelector('.match-list tbody tr').textContent");
    assert!(row.as_str().unwrap().contains("16 (1 error)+8 =7 −1"), "{row}");
    browser.click("document.querySelector('.match-list tbody a')");
    browser.wait_until("document.querySelectorAll('.match-games li').length === 16");
    assert!(browser.value("document.querySelector('h1').textContent").as_str().unwrap().starts_with(HOSTILE));
    assert_eq!(browser.value("document.images.length"), 0);
    let tiles = browser.value("document.querySelector('.tiles').textContent");
    assert!(tiles.as_str().unwrap().contains("16 (+8 =7 −1)"), "{tiles}");
    assert_eq!(browser.value("document.querySelectorAll('.chart .curve').length"), 1, "the course of the test");
    assert_eq!(browser.value("document.querySelectorAll('.chart .level').length"), 2, "its bounds");

    // The game that was lost by an error is named, and one click away.
    let failed = browser.value("document.querySelector('.alarm').textContent");
    let expected =
        format!("{HOSTILE} loses to b by an error (pair 4, second game, after 2 plies): no move within 0.3 s <b>");
    assert_eq!(failed, expected);
    browser.click("document.querySelector('.alarm button')");
    browser.wait_until("!!document.querySelector('.replay .piece') && !!document.querySelector('.viewer .status')");
    browser.click("document.querySelector('.replay [aria-label^=\"One move on\"]')");
    browser.wait_until("document.querySelector('.viewer .status').textContent.startsWith('After 1 ply')");
    assert_eq!(browser.value("document.querySelector('.replay .apart').textContent"), "no move within 0.3 s <b>");
    browser.click("document.querySelector('.viewer .leave')");
    browser.wait_until("!document.querySelector('.replay').checkVisibility()");

    let mate = termination(rules::Termination::Checkmate);
    log.append(vec![entry(8, true, 1, &mate, ""), entry(8, false, 1, &mate, "")]).unwrap();
    browser.wait_until("document.querySelectorAll('.match-games li').length === 18");
    browser.wait_until("document.querySelector('.tiles').textContent.includes('18 (+10 =7 −1)')");
    browser.value(
        "(() => { const select = document.querySelector('.match .form select'); select.value = 'failed';
        select.dispatchEvent(new Event('change')); })()",
    );
    assert_eq!(browser.value("document.querySelectorAll('.match-games li').length"), 1);

    browser.go(&server.page("/matches?folder=cup"), 400, "document.querySelectorAll('.cross tbody tr').length === 2");
    let first = browser.value("document.querySelector('.cross tbody tr').textContent");
    assert_eq!(first, format!("1 {HOSTILE}7510/7/1"), "per cent of the points");
    assert_eq!(browser.value("document.querySelectorAll('.whisker .mark').length"), 2);
    assert_eq!(browser.value("document.documentElement.scrollWidth <= 400"), true);
    log.append(vec![entry(9, true, 1, &mate, ""), entry(9, false, 1, &mate, "")]).unwrap();
    browser.wait_until("document.querySelector('.cross tbody tr').textContent.endsWith('12/7/1')");

    browser.go(
        &server.page("/matches?match=cup/a-vs-b"),
        400,
        "document.querySelectorAll('.match-games li').length === 20",
    );
    assert_eq!(browser.value("document.documentElement.scrollWidth <= 400"), true);
    drop(log);
    std::fs::remove_file(cup.join("a-vs-b.jsonl")).unwrap();
    browser
        .wait_until("document.querySelector('.message.wrong')?.textContent.startsWith('This match is gone') === true");
    browser.complaints.retain(|text| !text.contains("404"));
    assert_eq!(browser.complaints, [""; 0]);
}
