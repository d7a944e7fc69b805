//! The routes that the page "Play" asks, asked as by a program: replies, their ends, and games as files.

use crate::server::{Events, Server};
use serde_json::json;
use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

#[test]
fn replies_come_from_levels_and_networks_and_wrong_questions_are_refused() {
    let server = Server::start(&[]);
    let (status, reply) = server.post("/api/reply", &json!({ "variant": "wangqi", "level": 1, "seed": 3 }));
    assert_eq!(status, 200, "{reply}");
    assert_eq!(
        server.post("/api/reply", &json!({ "variant": "wangqi", "level": 1, "seed": 3 })).1["best"],
        reply["best"]
    );
    let mate =
        json!({ "variant": "shogi", "fen": "4k4/9/4P4/9/9/9/9/9/4K4[G] w - - 0 1", "visits": 50, "network": "none" });
    let (_, reply) = server.post("/api/reply", &mate);
    assert_eq!((&reply["best"]["uci"], &reply["wdl"]), (&json!("G@e8"), &json!([1.0, 0.0, 0.0])), "{reply}");
    assert_eq!(reply["proven"], json!({ "outcome": "win", "plies": 1 }));
    let timed = json!({ "variant": "xiangqi", "milliseconds": 20 });
    assert!(server.post("/api/reply", &timed).1["visits"].as_u64().is_some_and(|visits| visits > 0));
    for (question, reason) in [
        (json!({ "variant": "wangqi", "level": 99 }), "has no level 99"),
        (json!({ "variant": "wangqi", "visits": 0 }), "visits must be"),
        (json!({ "variant": "wangqi", "milliseconds": 600_000 }), "milliseconds must be"),
        (json!({ "variant": "shogi", "fen": "4k4/4G4/4P4/9/9/9/9/9/4K4[] b - - 0 1" }), "the game is over"),
    ] {
        let (status, answer) = server.post("/api/reply", &question);
        assert!(status == 422 && answer["error"].as_str().is_some_and(|error| error.contains(reason)), "{answer}");
    }
    let (status, _) = server.post("/api/reply", &json!({ "variant": "wangqi", "network": "../../etc" }));
    assert_eq!(status, 404);
}

#[test]
fn a_reply_is_told_while_it_is_searched_for() {
    let server = Server::start(&[]);
    let all = |parameters: &[(&str, &str)]| Events::open(&server, "/api/reply/live", parameters).all();
    let level = all(&[("variant", "wangqi"), ("level", "1"), ("seed", "3")]);
    let [(begin, _), .., (end, reply)] = &level[..] else { panic!("{level:?}") };
    assert_eq!((begin.as_str(), end.as_str()), ("searching", "reply"));
    let (_, same) = server.post("/api/reply", &json!({ "variant": "wangqi", "level": 1, "seed": 3 }));
    assert_eq!((&reply["best"], &reply["visits"]), (&same["best"], &same["visits"]));
    let timed = all(&[("variant", "shogi"), ("network", "none"), ("milliseconds", "700")]);
    let visits: Vec<u64> =
        timed.iter().filter_map(|(name, it)| (name == "searching").then(|| it["visits"].as_u64())?).collect();
    assert!(visits.len() > 1 && visits[0] == 0 && visits.is_sorted(), "{visits:?}");
    let refused = all(&[("variant", "wangqi"), ("level", "99")]);
    assert!(
        refused[0].0 == "refused" && refused[0].1["error"].as_str().unwrap().contains("has no level 99"),
        "{refused:?}"
    );
}

#[test]
fn every_rule_set_is_played() {
    let server = Server::start(&[]);
    for about in server.get("/api/variants").as_array().expect("variants") {
        for ruleset in about["rulesets"].as_array().expect("rule sets") {
            let game = json!({ "variant": about["id"], "ruleset": ruleset });
            assert_eq!(server.post("/api/position", &game).1["ruleset"], *ruleset, "{game}");
            let question = json!({ "variant": about["id"], "ruleset": ruleset, "network": "none", "visits": 2 });
            assert_eq!(server.post("/api/reply", &question).0, 200, "{question}");
        }
    }
}

#[test]
fn a_tree_of_many_moves_is_bounded_by_its_memory() {
    let server = Server::start(&[]);
    let question = json!({ "variant": "koshogi", "network": "none", "visits": 200_000 });
    let (status, reply) = server.post("/api/reply", &question);
    assert!(status == 200 && reply["visits"].as_u64().is_some_and(|visits| visits < 200_000), "{reply}");
}

#[test]
fn a_search_stops_when_its_caller_goes() {
    let server = Server::start(&[]);
    let long = json!({ "variant": "koshogi", "milliseconds": 60_000 }).to_string();
    // As many as the server searches at once.
    let callers: Vec<TcpStream> = (0..2)
        .map(|_| {
            let mut caller = TcpStream::connect(&server.host).expect("it listens");
            let head = format!("POST /api/reply HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json", server.host);
            write!(caller, "{head}\r\nContent-Length: {}\r\n\r\n{long}", long.len()).expect("it reads");
            caller
        })
        .collect();
    std::thread::sleep(Duration::from_millis(500));
    drop(callers);
    let begin = Instant::now();
    let (status, reply) = server.post("/api/reply", &json!({ "variant": "shogi", "visits": 2 }));
    assert_eq!(status, 200, "{reply}");
    assert!(begin.elapsed() < Duration::from_secs(40), "the searches went on without their callers");
}

#[test]
fn games_are_written_in_the_formats_of_the_variant() {
    let server = Server::start(&[]);
    let write = |variant: &str, moves: &str, format: &str| {
        let question = json!({
            "variant": variant, "moves": moves, "format": format, "first": "Ann \"A\"", "second": "Level 1",
            "result": "second", "termination": "resign", "date": "2026-11-27 10:30:00",
        });
        server.post("/api/export", &question)
    };
    let pgn = write("xiangqi", "h3e3 h10g8", "pgn").1;
    assert_eq!(pgn["name"], "kirin-xiangqi.pgn");
    let text = pgn["text"].as_str().expect("a text");
    for part in ["[White \"Ann \\\"A\\\"\"]", "[Result \"0-1\"]", "[Date \"2026.11.27\"]", "h3e3 h10g8"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let named = |notation: &str, format: &str| {
        let game = json!({ "variant": "xiangqi", "moves": "h3e3 h10g8", "format": format, "notation": notation });
        server.post("/api/export", &game)
    };
    let wxf = named("wxf", "pgn").1["text"].as_str().expect("a text").to_owned();
    assert!(wxf.contains("[Format \"WXF\"]") && wxf.contains("1. C2=5 H8+7"), "{wxf}");
    for (notation, format, reason) in [("kif", "pgn", "kif"), ("wxf", "fen", "for PGN alone")] {
        let (status, refused) = named(notation, format);
        assert!(status == 422 && refused["error"].as_str().is_some_and(|it| it.contains(reason)), "{refused}");
    }
    let kif = write("shogi", "c3c4 g7g6", "kif").1;
    assert!(kif["text"].as_str().is_some_and(|text| text.contains("７六歩(77)") && text.contains("投了")), "{kif}");
    assert!(write("shogi", "c3c4", "csa").1["text"].as_str().is_some_and(|text| text.contains("+7776FU")));
    assert_eq!(write("xiangqi", "h3e3", "wxf").1["text"], "C2=5\n");
    assert!(write("janggi", "", "fen").1["text"].as_str().is_some_and(|text| text.ends_with(" w - - 0 1\n")));
    let (status, refused) = write("koshogi", "", "kif");
    assert!(
        status == 422 && refused["error"].as_str().is_some_and(|error| error.contains("has no notation")),
        "{refused}"
    );
}
