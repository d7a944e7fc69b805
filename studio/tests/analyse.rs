//! Analysis, review, reading and the board editor: asked as by a program, and clicked through.

use crate::server::{Events, Server, encoded};
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpStream;
use testkit::browser::Browser;

/// A mate in three, of the suite that the search is tested with.
const XIANGQI_MATE: &str = "9/5k3/3P5/5P3/8P/P8/4P4/B8/9/4KAB2 w - - 21 55";
const SHOGI_MATE: &str = "3k1g1np/l3ps3/p1nps4/1K3gpp1/9/L1G2PPPP/+b1P1G3S/L2S4R/1NB1P2NL[ppppppr] b - - 1 42";
/// The side to move can mate: one rook holds the last rank but one, the other mates on the last.
const MATE_IN_ONE: &str = "3k5/R8/1R7/9/9/9/9/7r1/8r/5K3 w - - 0 1";
/// The second player has been mated.
const MATED: &str = "R2k5/1R7/9/9/9/9/9/9/9/5K3 b - - 0 1";

/// The moves of a line in UCI.
fn uci(line: &Value) -> Vec<&str> {
    line.as_array().expect("a line").iter().map(|mv| mv["uci"].as_str().expect("a move")).collect()
}

#[test]
fn a_mate_in_three_is_found_and_shown() {
    let server = Server::start(&[]);
    for (variant, fen) in [("xiangqi", XIANGQI_MATE), ("shogi", SHOGI_MATE)] {
        let asked = [("variant", variant), ("fen", fen), ("network", "none"), ("visits", "200000"), ("lines", "3")];
        let events = Events::open(&server, "/api/analysis", &asked).all();
        let [.., (report_name, report), (finish_name, finish)] = &events[..] else { panic!("{events:?}") };
        assert_eq!((report_name.as_str(), finish_name.as_str()), ("report", "finish"));
        assert_eq!(finish["reason"], "proven", "{variant}: {report}");
        assert_eq!(report["proven"], json!({ "outcome": "win", "plies": 3 }), "{variant}");
        assert_eq!(report["wdl"], json!([1.0, 0.0, 0.0]));
        assert!((1..=3).contains(&report["lines"].as_array().unwrap().len()));
        // The line ends the game.
        let moves = uci(&report["lines"][0]["moves"]);
        assert_eq!(moves.len(), 3, "{variant}: {moves:?}");
        let game = json!({ "variant": variant, "fen": fen, "moves": moves.join(" ") });
        let (status, standing) = server.post("/api/position", &game);
        assert_eq!(status, 200, "{standing}");
        assert!(standing["outcome"].is_object(), "{standing}");
    }
}

#[test]
fn a_caller_that_goes_away_leaves_its_place_to_the_next() {
    let server = Server::start_with(&[], 1);
    let endless = [("variant", "xiangqi"), ("network", "none")];
    let mut first = Events::open(&server, "/api/analysis", &endless);
    assert_eq!(first.next().unwrap().0, "report");
    let waiting = |place: u32| ("waiting".to_owned(), json!({ "place": place, "places": 1 }));
    let mut second = Events::open(&server, "/api/analysis", &endless);
    assert_eq!(second.next().unwrap(), waiting(1));
    let mut third = Events::open(&server, "/api/analysis", &endless);
    assert_eq!(third.next().unwrap(), waiting(2));
    drop(second);
    assert_eq!(third.next().unwrap(), waiting(1));
    drop(first);
    let (name, report) = third.next().unwrap();
    assert_eq!(name, "report");
    assert!(report["visits"].as_u64().unwrap() > 0, "{report}");
}

#[test]
fn reports_are_well_formed_and_bounded() {
    let server = Server::start(&[]);
    let asked = [("variant", "wangqi"), ("visits", "60"), ("lines", "99"), ("moves", "d3d4 e6e5"), ("network", "none")];
    let events = Events::open(&server, "/api/analysis", &asked).all();
    assert_eq!(events.last().unwrap(), &("finish".to_owned(), json!({ "reason": "visits" })));
    let (_, report) = &events[events.len() - 2];
    assert_eq!(report["visits"], 60);
    let lines = report["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 10);
    for wdl in lines.iter().chain([report]).map(|it| it["wdl"].as_array().unwrap()) {
        let sum: f64 = wdl.iter().map(|part| part.as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-3, "{report}");
    }
    assert!(lines.iter().all(|line| line["prior"].as_f64().unwrap() <= 1.0 && !uci(&line["moves"]).is_empty()));
}

#[test]
fn a_game_that_is_over_and_wrong_questions_are_told() {
    let server = Server::start(&[]);
    let over = Events::open(&server, "/api/analysis", &[("variant", "xiangqi"), ("fen", MATED)]).all();
    let [(name, finish)] = &over[..] else { panic!("{over:?}") };
    assert_eq!(
        (name.as_str(), &finish["reason"], &finish["outcome"]["result"]),
        ("finish", &json!("over"), &json!("first"))
    );
    let refused = |path: &str, parameters: &[(&str, &str)]| {
        let events = Events::open(&server, path, parameters).all();
        let [(name, why)] = &events[..] else { panic!("{events:?}") };
        assert_eq!(name, "refused");
        why["error"].as_str().unwrap().to_owned()
    };
    for path in ["/api/analysis", "/api/review"] {
        assert!(refused(path, &[("variant", "shogi"), ("fen", "<img src=x onerror=alert(1)>")]).starts_with("FEN "));
        assert!(refused(path, &[("variant", "xiangqi"), ("moves", "h3e3 h3e3")]).starts_with("move 2: "));
        assert!(refused(path, &[("variant", "xiangqi"), ("network", "../../etc")]).contains("there is no"));
    }
    let status = |path: &str| server.ask_with(path, &[], None).status;
    assert_eq!(status("/api/analysis?variant=chess"), 422);
    assert_eq!(status("/api/review?variant=xiangqi&visits=many"), 400);
}

#[test]
fn a_review_tells_each_move_and_the_counts() {
    let server = Server::start(&[]);
    let asked =
        [("variant", "xiangqi"), ("fen", MATE_IN_ONE), ("moves", "a9a8 h3h1"), ("network", "none"), ("visits", "8")];
    let events = Events::open(&server, "/api/review", &asked).all();
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["ply", "ply", "summary"]);
    let (blunder, summary) = (&events[0].1, &events[2].1);
    assert_eq!(
        (&blunder["class"], &blunder["side"], &blunder["phase"]),
        (&json!("blunder"), &json!(0), &json!("opening"))
    );
    assert_eq!((&blunder["value"], uci(&blunder["best"])), (&json!(1.0), vec!["b8b10"]));
    assert_eq!(
        (&blunder["move"]["uci"], &blunder["cost"], &blunder["after"]),
        (&json!("a9a8"), &json!(1.0), &json!(0.0))
    );
    assert_eq!(events[1].1["class"], "best");
    // The curve has no gap: what is expected after a move is expected before the next one.
    assert_eq!(blunder["after"], events[1].1["value"]);
    let players = summary["players"].as_array().unwrap();
    let game = |side: u64| players.iter().find(|it| it["side"] == side && it["phase"] == "game").unwrap();
    assert_eq!((&game(0)["moves"], &game(0)["blunders"]), (&json!(1), &json!(1)));
    assert_eq!(game(1)["moves"], 1);
    assert_eq!(summary["phases"], json!([20, 60]));
    // A game that ends by the rules, and one without moves.
    let asked =
        [("variant", "xiangqi"), ("fen", MATE_IN_ONE), ("moves", "b8b10"), ("network", "none"), ("visits", "8")];
    let events = Events::open(&server, "/api/review", &asked).all();
    assert_eq!((&events[0].1["class"], &events[0].1["after"]), (&json!("best"), &json!(1.0)));
    assert_eq!(Events::open(&server, "/api/review", &[("variant", "xiangqi"), ("network", "none")]).all().len(), 1);
}

/// What the server reads in a text, with a variant to try first.
fn read(server: &Server, variant: &str, text: &str) -> Result<Value, String> {
    let mut stream = TcpStream::connect(&server.host).expect("it listens");
    let head =
        format!("POST /api/read?variant={variant} HTTP/1.0\r\nHost: {}\r\nContent-Length: {}", server.host, text.len());
    write!(stream, "{head}\r\n\r\n{text}").expect("it reads");
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut stream, &mut answer).expect("it answers");
    let (head, body) = answer.split_once("\r\n\r\n").expect("headers and a body");
    let value: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{head}: {body}"));
    if head.contains(" 200 ") { Ok(value) } else { Err(value["error"].as_str().expect("a reason").to_owned()) }
}

const KIF: &str = "先手：Sente\n後手：Gote\n手数----指手--\n 1 ７六歩(77)\n 2 ３四歩(33)\n 3 ２二角成(88)\n 4 投了\n";
const PGN: &str = "[Event \"Cup\"]\n\
    [Red \"<img src=x onerror='window.hit=1'>\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. h3e3 h10g8 1-0\n";

#[test]
fn games_and_positions_of_many_kinds_are_read() {
    let server = Server::start(&[]);
    let one = |variant: &str, text: &str| {
        let read = read(&server, variant, text).unwrap_or_else(|why| panic!("{text}: {why}"));
        assert_eq!((&read["of"], read["games"].as_array().unwrap().len()), (&json!(1), 1), "{read}");
        (read["variant"].as_str().unwrap().to_owned(), read["games"][0].clone())
    };
    let (variant, game) = one("shogi", KIF);
    assert_eq!((variant.as_str(), &game["moves"]), ("shogi", &json!("c3c4 g7g6 b2h8+")));
    assert_eq!((&game["players"], &game["outcome"]["result"]), (&json!(["Sente", "Gote"]), &json!("first")));
    let (variant, game) = one("xiangqi", PGN);
    assert_eq!((variant.as_str(), &game["moves"], &game["title"]), ("xiangqi", &json!("h3e3 h10g8"), &json!("Cup")));
    // Whatever notation, and whichever variant fits.
    for text in ["h3e3 h10g8", "h2e2 h9g7", "炮二平五 馬8進7", "C2=5 H8+7"] {
        assert_eq!(one("xiangqi", text).1["moves"], "h3e3 h10g8", "{text}");
    }
    assert_eq!(one("xiangqi", "7g7f 3c3d").0, "shogi");
    let sfen = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
    let (variant, game) = one("janggi", sfen);
    assert_eq!((variant.as_str(), &game["plies"]), ("shogi", &json!(0)));
    assert!(game["fen"].as_str().unwrap().starts_with("lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6"), "{game}");
    assert_eq!(one("xiangqi", XIANGQI_MATE).1["fen"], XIANGQI_MATE);
    // Several positions, a line each.
    let two = read(&server, "xiangqi", &format!("{XIANGQI_MATE}\n{MATE_IN_ONE}\n")).unwrap();
    assert_eq!((&two["of"], &two["games"][1]["line"]), (&json!(2), &json!(2)));
    // Of many games the first hundred come back, and all are counted.
    let many = read(&server, "xiangqi", &"h3e3 h10g8\n".repeat(130)).unwrap();
    assert_eq!((&many["of"], many["games"].as_array().unwrap().len()), (&json!(130), 100));
}

#[test]
fn what_cannot_be_read_is_refused_with_its_place() {
    let server = Server::start(&[]);
    let refused = |text: &str| read(&server, "xiangqi", text).unwrap_err();
    assert_eq!(refused("  \n"), "there is no text");
    assert!(
        refused("1. h3e3 h10g8\n2. e3e9 a1a9\n").starts_with("line 2: "),
        "{}",
        refused("1. h3e3 h10g8\n2. e3e9\n")
    );
    assert!(refused("9/5k3/3P5/5P3/8P/P8/4P4/B8/9/4KAB3 w").starts_with("line 1: FEN board: rank 1"));
    assert!(!refused("<script>alert(1)</script>").is_empty());
    // The games around a broken one are kept.
    let mixed = read(&server, "xiangqi", "h3e3 h10g8\n\nh3e3 h3e3\n").unwrap();
    assert_eq!((&mixed["of"], &mixed["refused"]), (&json!(1), &json!(1)));
    assert!(mixed["problems"][0].as_str().unwrap().starts_with("line 3: illegal move"), "{mixed}");
}

#[test]
fn placed_pieces_are_a_position_or_the_reason_why_not() {
    let server = Server::start(&[]);
    for variant in ["xiangqi", "janggi", "shogi", "wangqi", "koshogi"] {
        // The start position, placed by hand, is the start position.
        let (_, start) = server.post("/api/position", &json!({ "variant": variant }));
        let view = &start["view"];
        let mut placed = json!({ "variant": variant, "cells": view["cells"], "hands": view["hands"], "side": 0 });
        let (status, answer) = server.post("/api/placed", &placed);
        assert_eq!((status, &answer["fen"], &answer["problem"]), (200, &start["fen"], &Value::Null), "{variant}");
        placed["cells"] = json!([]);
        assert!(
            server.post("/api/placed", &placed).1["problem"].as_str().unwrap().starts_with("0 squares"),
            "{variant}"
        );
        placed["cells"] = view["cells"].clone();
        placed["cells"][0] = json!("R/9/9");
        assert_eq!(server.post("/api/placed", &placed).1["problem"], "\"R/9/9\" is no piece", "{variant}");
    }
    let (_, start) = server.post("/api/position", &json!({ "variant": "shogi" }));
    let mut placed =
        json!({ "variant": "shogi", "cells": start["view"]["cells"], "hands": [[["P", 2]], []], "side": 1 });
    assert_eq!(server.post("/api/placed", &placed).1["problem"], "more than 18 P on the board and in the hands");
    placed["cells"][18] = json!("");
    placed["cells"][19] = json!("");
    let (_, held) = server.post("/api/placed", &placed);
    assert!(held["fen"].as_str().unwrap().ends_with("[PP] b - - 0 1"), "{held}");
    assert_eq!(held["holdable"].as_array().unwrap().len(), 7);
    placed["cells"][40] = json!("K");
    let (_, two) = server.post("/api/placed", &placed);
    assert_eq!((&two["fen"], &two["problem"]), (&Value::Null, &json!("the first player has 2 kings; expected 1")));
}

/// The middle of a square of a board that is not turned, as something to click on.
fn square(board: &str, name: &str) -> String {
    let file = f64::from(name.as_bytes()[0] - b'a') + 0.5;
    let rank: f64 = name[1..].parse().unwrap();
    format!(
        "(() => {{ const board = document.querySelector({board:?}); return {{ \
         scrollIntoView: () => board.scrollIntoView({{ block: 'center' }}), \
         getBoundingClientRect() {{ \
           const ranks = Math.round(board.querySelector('.wood').getBBox().height); \
           const {{ x, y }} = new DOMPoint({file}, ranks - {rank} + 0.5).matrixTransform(board.getScreenCTM()); \
           return {{ x, y, width: 0, height: 0 }}; }} }}; }})()"
    )
}

/// What went wrong in the page, apart from answers that a test provokes.
fn faults(browser: &Browser) -> Vec<&String> {
    browser.complaints.iter().filter(|text| !text.contains("the server responded with a status of 422")).collect()
}

const READY: &str = "document.querySelector('.board .piece') && document.querySelector('.fen')?.value !== ''";

/// The address of the page with a position.
fn page(server: &Server, variant: &str, fen: &str, rest: &str) -> String {
    server.page(&format!("/analyse#variant={variant}&fen={}{rest}", encoded(fen)))
}

#[test]
fn the_page_shows_a_mate_in_three() {
    let server = Server::start(&[]);
    let Some(mut browser) = Browser::find() else { return };
    for (variant, fen) in [("xiangqi", XIANGQI_MATE), ("shogi", SHOGI_MATE)] {
        browser.go(&page(&server, variant, fen, ""), 1200, READY);
        browser.value("(() => { document.querySelector('.lines-panel select').value = 'none'; })()");
        browser.press(" ");
        browser.wait_until("document.querySelector('.lines-panel .figures').textContent.includes('wins in 3 plies')");
        browser.wait_until("document.querySelector('.lines-panel .message').textContent === 'The outcome is certain.'");
        assert_eq!(browser.value("document.querySelectorAll('.lines tbody tr:first-child .choice').length"), 3);
        assert!(browser.value("document.querySelectorAll('.board .arrow').length").as_u64() >= Some(1));
        assert!(browser.value("document.querySelector('.chances').title").as_str().unwrap().contains("100 %"));
        // The last move of the line is shown on the board, where the game is over; all of it is noted.
        browser.click("document.querySelectorAll('.lines tbody tr:first-child .choice')[2]");
        browser.wait_until("document.querySelector('.moves-panel .status').textContent.startsWith('The game is over')");
        assert_eq!(browser.value("document.querySelectorAll('.variations .choice').length"), 3);
        browser.press("ArrowLeft");
        browser
            .wait_until("document.querySelectorAll('.variations .choice')[1].getAttribute('aria-current') === 'step'");
    }
    assert!(faults(&browser).is_empty(), "{:?}", browser.complaints);
}

#[test]
fn moves_and_variations_are_tried_on_the_board() {
    let server = Server::start(&[]);
    let Some(mut browser) = Browser::find() else { return };
    browser.go(&server.page("/analyse#variant=xiangqi&moves=h3e3+h10g8&ply=1"), 1200, READY);
    let moves = |browser: &mut Browser| {
        browser
            .value("[...document.querySelectorAll('.variations .choice .uci')].map((it) => it.textContent).join(' ')")
    };
    assert_eq!(moves(&mut browser), "h3e3 h10g8");
    // Another reply, by two clicks.
    browser.click(&square(".board-side .board", "b10"));
    browser.click(&square(".board-side .board", "c8"));
    browser.wait_until("document.querySelector('.variation .choice')?.getAttribute('aria-current') === 'step'");
    assert_eq!(moves(&mut browser), "h3e3 h10g8 b10c8");
    browser.wait_until("location.hash.includes('b10c8') && location.hash.includes('ply=2')");
    browser.press("Home");
    browser.wait_until("!document.querySelector('.variations [aria-current]')");
    browser.press("End");
    browser.wait_until("document.querySelector('.variations [aria-current] .uci')?.textContent === 'h10g8'");
    browser.click("document.querySelector('.variation .choice')");
    browser.wait_until("document.querySelector('.variations [aria-current] .uci')?.textContent === 'b10c8'");
    browser.click("[...document.querySelectorAll('.tools button')].find((it) => it.textContent === 'Promote')");
    browser.wait_until("document.querySelector('.variation .uci')?.textContent === 'h10g8'");
    browser.click("[...document.querySelectorAll('.tools button')].find((it) => it.textContent === 'Delete')");
    browser.wait_until("document.querySelectorAll('.variations .choice').length === 2");
    assert_eq!(moves(&mut browser), "h3e3 h10g8");
    assert!(faults(&browser).is_empty(), "{:?}", browser.complaints);
}

#[test]
fn pasted_games_are_shown_and_their_names_are_text() {
    let server = Server::start(&[]);
    let Some(mut browser) = Browser::find() else { return };
    browser.go(&server.page("/analyse"), 1000, READY);
    let paste = |browser: &mut Browser, text: &str| {
        browser.click("document.querySelector('.reading summary')");
        browser.wait_until("document.querySelector('.reading').open");
        browser.value(&format!("document.querySelector('.reading textarea').value = {}", json!(text)));
        browser.click("document.querySelector('.reading .read')");
    };
    paste(&mut browser, PGN);
    browser.wait_until("document.querySelector('.game-title')?.textContent.startsWith('<img src=x')");
    assert_eq!(browser.value("document.querySelectorAll('.variations .choice').length"), 2);
    browser.value("document.querySelector('.reading').open = false");
    paste(&mut browser, KIF);
    browser.wait_until("document.querySelector('.game-title')?.textContent.startsWith('Sente – Gote')");
    assert_eq!(browser.value("document.querySelectorAll('.variations .choice').length"), 3);
    browser.press("End");
    browser
        .wait_until("document.querySelector('.variations [aria-current] .native')?.textContent.includes('２二角成')");
    // A file, as one that a person chooses.
    let file = format!(
        "(() => {{ const files = new DataTransfer(); files.items.add(new File([{}], 'game.pgn')); \
         const input = document.querySelector('.reading input[type=file]'); input.files = files.files; \
         input.dispatchEvent(new Event('change')); }})()",
        json!(PGN)
    );
    browser.value(&file);
    browser.wait_until("document.querySelector('.game-title').textContent.startsWith('<img src=x')");
    // One that is dropped.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dropped = folder.path().join("game.kif");
    std::fs::write(&dropped, KIF).expect("a file");
    browser.drop_file(&dropped, "document.querySelector('main')");
    browser.wait_until("document.querySelector('.game-title').textContent.startsWith('Sente – Gote')");
    // Several games: a choice. A broken one is named.
    browser.value("document.querySelector('.reading').open = false");
    paste(&mut browser, &format!("{PGN}\n{PGN}\n[Red \"<b>x</b>\"]\n\n1. h3e3 h3e3\n"));
    browser.wait_until("document.querySelectorAll('.reading .games li').length === 2");
    assert!(
        browser.value("document.querySelector('.problems').textContent").as_str().unwrap().contains("illegal move")
    );
    browser.click("document.querySelectorAll('.reading .games .choice')[1]");
    browser.wait_until("document.querySelector('.game-title')?.textContent.startsWith('<img src=x')");
    // What is no game is refused with the reason, and an address with nonsense too.
    browser.value("document.querySelector('.reading').open = false");
    paste(&mut browser, "<img src=x onerror='window.hit=1'>");
    browser.wait_until("document.querySelector('.reading .message').classList.contains('wrong')");
    browser.go(&page(&server, "shogi", "<img src=x onerror=window.hit=1>", ""), 1000, READY);
    browser.wait_until("document.querySelector('#page > .message').textContent.startsWith('FEN ')");
    assert_eq!(browser.value("window.hit === undefined && !document.querySelector('img')"), true);
    assert!(faults(&browser).is_empty(), "{:?}", browser.complaints);
}

#[test]
fn a_review_marks_a_blunder() {
    let server = Server::start(&[]);
    let Some(mut browser) = Browser::find() else { return };
    browser.go(&page(&server, "xiangqi", MATE_IN_ONE, "&moves=a9a8+h3h1"), 1200, READY);
    browser.value("(() => { [...document.querySelectorAll('.lines-panel select')][0].value = 'none'; })()");
    browser.value("(() => { document.querySelector('.review-panel select').value = '50'; })()");
    browser.click("document.querySelector('.review')");
    browser.wait_until("document.querySelectorAll('.counts tbody tr.game').length === 2");
    assert_eq!(browser.value("document.querySelector('.variations .fault').textContent"), "??");
    assert_eq!(browser.value("document.querySelectorAll('.faults li').length >= 1"), true);
    assert_eq!(browser.value("document.querySelectorAll('.curve-place .dot.blunder').length >= 1"), true);
    assert!(
        browser
            .value("document.querySelector('.review-panel .note').textContent")
            .as_str()
            .unwrap()
            .contains("a blunder (??) 15 %")
    );
    // The better move becomes a variation.
    browser.click("document.querySelectorAll('.faults li .choice')[1]");
    browser.wait_until("document.querySelector('.variation [aria-current] .uci')?.textContent === 'b8b10'");
    browser.wait_until("document.querySelector('.moves-panel .status').textContent.startsWith('The game is over')");
    assert!(faults(&browser).is_empty(), "{:?}", browser.complaints);
}

#[test]
fn the_editor_refuses_two_kings_and_takes_a_legal_position() {
    let server = Server::start(&[]);
    let Some(mut browser) = Browser::find() else { return };
    browser.go(&server.page("/analyse#variant=shogi"), 1200, READY);
    browser.click("document.querySelector('.edit')");
    let told = "document.querySelector('.editor .message').textContent";
    browser.wait_until(&format!("{told} === 'A legal position.'"));
    browser.click("document.querySelector('.palette [aria-label$=\"(K) · Sente 先手\"]')");
    browser.click(&square(".editor .board-side .board", "e5"));
    browser.wait_until(&format!("{told} === 'Not a legal position: the first player has 2 kings; expected 1.'"));
    assert_eq!(browser.value("document.querySelector('.editor .main').disabled"), true);
    browser.click(&square(".editor .board-side .board", "e5"));
    browser.wait_until(&format!("{told} === 'A legal position.'"));
    // A piece moved, another taken from the board into a hand.
    browser.click("[...document.querySelectorAll('.palette button')].find((it) => it.textContent === 'Move')");
    browser.click(&square(".editor .board-side .board", "c3"));
    browser.click(&square(".editor .board-side .board", "c4"));
    browser.click("[...document.querySelectorAll('.palette button')].find((it) => it.textContent === 'Take away')");
    browser.click(&square(".editor .board-side .board", "a7"));
    browser.click("document.querySelector('[data-held=\"0P1\"]')");
    browser.wait_until("document.querySelector('[data-held=\"0P-1\"]')?.disabled === false");
    browser.wait_until("!document.querySelector('.editor .main').disabled");
    browser.click("document.querySelector('.editor .main')");
    browser.wait_until("!document.querySelector('.editor')");
    let fen = "lnsgkgsnl/1r5b1/1pppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL[P] w - - 0 1";
    browser.wait_until(&format!("document.querySelector('.fen').value === {fen:?}"));
    assert!(faults(&browser).is_empty(), "{:?}", browser.complaints);
}

#[test]
fn an_analysis_follows_the_position_and_waits_its_turn() {
    let server = Server::start_with(&[], 1);
    let Some(mut browser) = Browser::find() else { return };
    let endless = [("variant", "xiangqi"), ("network", "none")];
    let mut other = Events::open(&server, "/api/analysis", &endless);
    assert_eq!(other.next().unwrap().0, "report");
    browser.go(&server.page("/analyse#variant=wangqi&moves=d3d4+e6e5"), 1200, READY);
    browser.click("document.querySelector('.toggle')");
    browser.wait_until(
        "document.querySelector('.lines-panel .message').textContent.startsWith('Waiting, number 1 in the queue')",
    );
    drop(other);
    browser.wait_until("document.querySelectorAll('.lines tbody tr').length === 3");
    assert_eq!(browser.value("document.querySelector('.toggle').textContent"), "Stop");
    // The move before: the analysis of the old position has left the only place.
    browser.press("ArrowLeft");
    browser.wait_until("document.querySelector('.variations [aria-current] .uci').textContent === 'd3d4'");
    browser
        .wait_until("!document.querySelector('.lines.stale') && document.querySelectorAll('.board .arrow').length > 0");
    browser.press(" ");
    browser.wait_until("document.querySelector('.toggle').textContent === 'Analyse'");
    let mut next = Events::open(&server, "/api/analysis", &endless);
    while next.next().unwrap().0 == "waiting" {}
    // The lines stay until another position is shown.
    assert_eq!(browser.value("document.querySelector('.lines').hidden"), false);
    browser.press("Home");
    browser.wait_until("document.querySelector('.lines').hidden");
    assert_eq!(browser.value("document.querySelectorAll('.board .arrow').length"), 0);
    assert!(faults(&browser).is_empty(), "{:?}", browser.complaints);
}
