//! How games on the page "Play" end, and what is around them: clocks, resignation, draws, files, a queue.

use crate::play::{YOURS, is, open, play, status};
use crate::server::{Events, Server};
use serde_json::json;
use testkit::browser::Browser;

#[test]
fn a_clock_runs_for_the_side_to_move_and_ends_the_game() {
    let Some(mut browser) = Browser::find() else { return };
    let server = Server::start(&[]);
    // Minutes and seconds as the page shows them, of the opponent and of the person below.
    let left = |browser: &mut Browser| {
        let texts = browser.value("[...document.querySelectorAll('.player')].map((row) => row.lastChild.textContent)");
        [0, 1].map(|at| {
            let text = texts[at].as_str().expect("a clock");
            let (minutes, seconds) = text.split_once(':').expect("minutes and seconds");
            60 * minutes.parse::<u32>().expect("minutes") + seconds.parse::<u32>().expect("seconds")
        })
    };
    open(&mut browser, &server, "wangqi", "side=first&clock=5%2B30");
    assert!(is(&mut browser, "document.querySelectorAll('.player')[1].classList.contains('runs')"));
    play(&mut browser, "c3c4", false);
    // Each has made a move, within the 30 seconds that it brings.
    let [theirs, mine] = left(&mut browser);
    assert!((301..=330).contains(&theirs) && (301..=330).contains(&mine), "{theirs} and {mine} seconds");
    // Three seconds.
    open(&mut browser, &server, "wangqi", "side=first&clock=0.05%2B0");
    browser.wait_until("document.querySelector('.play').dataset.state === 'over'");
    assert_eq!(status(&mut browser), "You lost: Gote 後手 won (time).");
    assert_eq!(left(&mut browser)[1], 0);
    assert!(is(&mut browser, "document.querySelector('.take-back').disabled"));
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

#[test]
fn a_game_is_chosen_given_up_and_saved_and_a_bad_start_is_told() {
    let Some(mut browser) = Browser::find() else { return };
    let server = Server::start(&[]);
    browser.go(&server.page("/play#variant=wangqi"), 400, "!!document.querySelector('.start-game')");
    browser.value("document.querySelector('.more-choices').open = true");
    browser.value("document.querySelector('.wide input').value = '<img src=x onerror=alert(1)>'");
    browser.click("document.querySelector('.start-game')");
    browser.wait_until("!!document.querySelector('.message.wrong')?.textContent.includes('FEN')");
    assert_eq!(browser.value("document.querySelectorAll('main img').length"), json!(0));
    browser.value("document.querySelector('.wide input').value = ''");
    browser.click("document.querySelector('.start-game')");
    browser.wait_until(YOURS);
    assert!(browser.address().contains("level=1"), "{}", browser.address());
    let shown = browser.value("document.documentElement.scrollWidth <= innerWidth");
    assert_eq!(shown, json!(true), "nothing is cut off at 400 pixels");
    play(&mut browser, "c3c4", false);
    browser.click("document.querySelector('.show-hint')");
    browser.wait_until(
        "!!document.querySelector('.chances-now .hint') && document.querySelectorAll('.arrow').length === 1",
    );
    browser.click("document.querySelector('.offer-draw')");
    browser.wait_until("document.querySelector('.play .message').textContent.includes('declines')");
    browser.click("document.querySelector('.resign')");
    browser.wait_until("document.querySelector('.play').dataset.state === 'over'");
    assert!(status(&mut browser).starts_with("You lost: ") && status(&mut browser).contains("resign"));
    let saved = saved(&mut browser, "pgn uci");
    assert!(saved.contains("[White \"You · Sente") && saved.contains("[Result \"0-1\"]"), "{saved}");
}

/// No piece can attack but soldiers that have hardly crossed the river: with the rules alone a search finds no more than a
/// draw, and the network that comes with Kirin sees a win for the first player.
const LONG_GAME: (&str, &str) = (
    "2bakab2/9/9/p1p1p1p1p/9/9/P1P1P1P1P/9/9/2BAKAB2 w - - 0 1",
    "c4c5 g10i8 e1e2 i8g6 c1e3 c10a8 e4e5 g6i8 e3g5 d10e9 e2e3 i7i6 f1e2 i6i5 e2f1 c7c6 e5e6 e10d10 c5c6 a8c10 i4i5 \
     d10e10 g1i3 i8g6 c6c7 e9f8 i5i6 a7a6 e6e7 g6i8 e3d3 a6a5 i6h6 i8g10 d1e2 a5b5 e7f7 g10i8 a4a5 b5a5 f7f8 i8g6 e2d1 \
     e10e9 h6g6 c10a8 f8g8 g7g6 g8f8 a8c6 c7b7 c6e8 i3g1 a5b5 f1e2 e9e10 d3d2 b5b4 g5e3 g6g5 f8e8 b4c4",
);

#[test]
fn a_draw_is_accepted_by_an_opponent_who_expects_one() {
    let Some(mut browser) = Browser::find() else { return };
    let server = Server::start(&[]);
    let (fen, moves) = LONG_GAME;
    let address = |network: &str| {
        let game = format!("fen={}&moves={}", fen.replace(' ', "%20"), moves.replace(' ', "."));
        server.page(&format!("/play#variant=xiangqi&side=first&network={network}&visits=1&seed=7&{game}"))
    };
    browser.go(&address("builtin"), 1000, YOURS);
    browser.click("document.querySelector('.offer-draw')");
    browser.wait_until("document.querySelector('.play .message').textContent.includes('% and declines a draw')");
    browser.go(&address("none"), 1000, YOURS);
    browser.click("document.querySelector('.offer-draw')");
    browser.wait_until("document.querySelector('.play').dataset.state === 'over'");
    assert_eq!(status(&mut browser), "Drawn (by agreement).");
    // The address has the end, and a file the result, with moves in the notation that is chosen.
    let address = browser.address();
    browser.go(&address, 1000, "document.querySelector('.play')?.dataset.state === 'over'");
    let saved = saved(&mut browser, "pgn chinese");
    for part in ["[Format \"Chinese\"]", "[Result \"1/2-1/2\"]", "[Termination \"adjudicated\"]", "1. 兵七進一 象7進9"]
    {
        assert!(saved.contains(part), "{part}: {saved}");
    }
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

/// What the page saves in a format, as it would be written into the file.
fn saved(browser: &mut Browser, format: &str) -> String {
    browser.value(&format!(
        "window.saved = undefined; \
         URL.createObjectURL = (blob) => {{ blob.text().then((text) => {{ window.saved = text; }}); return 'data:,'; }}; \
         document.querySelector('.save-game').previousElementSibling.value = '{format}';"
    ));
    browser.click("document.querySelector('.save-game')");
    browser.wait_until("typeof window.saved === 'string'");
    browser.value("window.saved").as_str().unwrap_or_default().to_owned()
}

#[test]
fn an_opponent_that_waits_says_its_place_and_its_clock_stands() {
    let Some(mut browser) = Browser::find() else { return };
    let server = Server::start_with(&[], 1);
    let long = [("variant", "koshogi"), ("network", "none"), ("milliseconds", "60000")];
    let mut other = Events::open(&server, "/api/reply/live", &long);
    assert_eq!(other.next().expect("it begins"), ("searching".to_owned(), json!({ "visits": 0 })));
    let waits = "document.querySelector('.game-status')?.textContent.includes('Waiting, number 1 in the queue')";
    let game = "/play#variant=wangqi&side=second&network=none&seconds=60&seed=7&clock=5%2B0";
    browser.go(&server.page(game), 1000, waits);
    assert!(!is(&mut browser, "!!document.querySelector('.player.runs')"), "no clock runs");
    drop(other);
    browser.wait_until("/is thinking… [0-9,]+ visits?$/.test(document.querySelector('.game-status').textContent)");
    assert!(is(&mut browser, "!!document.querySelector('.player.runs')"));
    // The page that leaves ends its search.
    browser.go(&server.page("/play"), 1000, "!!document.querySelector('.start-game')");
    assert_eq!(server.post("/api/reply", &json!({ "variant": "wangqi", "visits": 1 })).0, 200);
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}
