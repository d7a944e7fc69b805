//! Games on the page "Play" by real clicks: moves of all kinds, whole games, what the address says.

use crate::server::Server;
use rules::VariantId;
use serde_json::{Value, json};
use testkit::browser::Browser;

/// A game in which the person may move.
pub const YOURS: &str = "document.querySelector('.play')?.dataset.state === 'yours'";
/// A game that is over, or in which the person may move.
const SETTLED: &str = "['yours', 'over'].includes(document.querySelector('.play')?.dataset.state)";

/// A square of the board as an element to click, by its name and whether the board is turned.
pub fn square(name: &str, turned: bool) -> String {
    let file = name.as_bytes()[0] - b'a';
    let rank: u32 = name[1..].parse().expect("a rank");
    format!(
        "(() => {{ const wood = document.querySelector('.board .wood'); \
         const [files, ranks] = ['width', 'height'].map((key) => Number(wood.getAttribute(key))); \
         const [x, y] = {turned} ? [files - 1 - {file}, {rank} - 1] : [{file}, ranks - {rank}]; \
         return {{ scrollIntoView: () => document.querySelector('.board').scrollIntoView({{ block: 'center' }}), \
         getBoundingClientRect: () => {{ const box = wood.getBoundingClientRect(); \
         const [width, height] = [box.width / files, box.height / ranks]; \
         return {{ x: box.x + x * width, y: box.y + y * height, width, height }}; }} }}; }})()"
    )
}

/// A piece in hand as an element, by its code and side.
fn in_hand(code: &str, side: &str) -> String {
    format!(
        "[...document.querySelectorAll('.board .hands .piece.of-{side}')]\
         .find((piece) => piece.querySelector('title').textContent.includes('({code})'))"
    )
}

/// The game that the page's address names, as the server asks for it.
pub fn spec(browser: &mut Browser) -> Value {
    let said = browser.value(
        "(() => { const said = Object.fromEntries(new URLSearchParams(location.hash.slice(1))); \
         const { variant, ruleset, fen, setups } = said; \
         return { variant, ruleset, fen, setups, moves: (said.moves ?? '').replaceAll('.', ' ') }; })()",
    );
    assert!(said["variant"].is_string(), "{said}");
    said
}

/// Opens a game of a variant against level 1; `more` is the rest of the address.
pub fn open(browser: &mut Browser, server: &Server, variant: &str, more: &str) {
    browser.go(&server.page(&format!("/play#variant={variant}&level=1&seed=7&{more}")), 1000, SETTLED);
}

/// A move in UCI, taken apart: source or drop, destination, squares taken elsewhere, whether it promotes.
pub fn parts(uci: &str) -> (String, String, Vec<String>, bool) {
    let promotes = uci.ends_with('+');
    let mut words = uci.trim_end_matches('+').split('x');
    let path = words.next().expect("a path");
    let cut = path.rfind(|letter: char| letter.is_ascii_lowercase()).expect("a destination");
    (path[..cut].to_owned(), path[cut..].to_owned(), words.map(str::to_owned).collect(), promotes)
}

/// Whether an expression of the page is true.
pub fn is(browser: &mut Browser, expression: &str) -> bool {
    browser.value(expression) == json!(true)
}

/// Plays a move by clicks as a person would, and waits for the reply or the end.
pub fn play(browser: &mut Browser, uci: &str, turned: bool) {
    let plies: u64 = browser.value("Number(document.querySelector('.play').dataset.plies)").as_u64().expect("a number");
    let (from, to, taken, promotes) = parts(uci);
    let plain = uci.trim_end_matches('+');
    let listed = format!("document.querySelector('.steps:not([hidden]) button[data-uci=\"{plain}\"]')");
    let asked = "!!document.querySelector('.promotion')";
    let played = format!("Number(document.querySelector('.play').dataset.plies) > {plies}");
    let mut clicks = vec![to.clone()];
    clicks.extend(taken.iter().cloned());
    if from == to && taken.is_empty() {
        browser.click("document.querySelector('.pass-button')");
        clicks.clear();
    } else if let Some(code) = from.strip_suffix('@') {
        let side = if turned { "second" } else { "first" };
        browser.click(&in_hand(code, side));
    } else {
        browser.click(&square(&from, turned));
        if from == to {
            // A piece that stays first takes something.
            clicks.rotate_left(1);
        }
    }
    let mut clicks = clicks.into_iter();
    for _ in 0..8 {
        if is(browser, asked) {
            browser.click(&format!("document.querySelectorAll('.promotion button')[{}]", u8::from(!promotes)));
        }
        if is(browser, &played) {
            break;
        }
        if is(browser, &format!("!!{listed}")) {
            browser.click(&listed);
        } else if let Some(next) = clicks.next() {
            browser.click(&square(&next, turned));
        }
    }
    browser.wait_until(&format!("{played} && {SETTLED}"));
}

/// A game to its end: the person plays legal moves at random.
fn whole_game(server: &Server, browser: &mut Browser, turned: bool) -> Value {
    let mut random = 20_261_127_u64;
    loop {
        let spec = spec(browser);
        let (_, standing) = server.post("/api/position", &spec);
        if !standing["outcome"].is_null() {
            let state = browser.value("document.querySelector('.play').dataset.state");
            assert_eq!(state, json!("over"), "{standing}");
            return standing;
        }
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let moves = standing["moves"].as_array().expect("moves");
        let uci = moves[(random >> 33) as usize % moves.len()]["uci"].as_str().expect("a move").to_owned();
        play(browser, &uci, turned);
        let after = self::spec(browser);
        let before = spec["moves"].as_str().expect("moves");
        let all = after["moves"].as_str().expect("moves");
        assert!(all.starts_with(format!("{before} {uci}").trim()), "{uci} was chosen after {before}: {all}");
    }
}

pub fn status(browser: &mut Browser) -> String {
    browser.value("document.querySelector('.game-status').textContent").as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_whole_game_of_each_variant_is_played_by_clicks() {
    let Some(mut browser) = Browser::find() else { return };
    let server = Server::start(&[]);
    for (at, variant) in VariantId::ALL.iter().enumerate() {
        // The second player of every other variant is the person.
        let turned = at % 2 == 1;
        let side = if turned { "second" } else { "first" };
        open(&mut browser, &server, variant.id(), &format!("side={side}"));
        let standing = whole_game(&server, &mut browser, turned);
        let termination = standing["outcome"]["termination"].as_str().expect("a termination");
        assert!(status(&mut browser).contains(termination), "{variant}: {}", status(&mut browser));
        let listed = browser.value("document.querySelectorAll('.moves-list button.choice').length");
        assert_eq!(listed, json!(standing["played"].as_array().map(Vec::len)));
        // The address has the whole game.
        let address = browser.address();
        browser.go(&address, 1000, SETTLED);
        assert!(status(&mut browser).contains(termination));
    }
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

#[test]
fn a_drop_mates_and_promotion_is_asked() {
    let Some(mut browser) = Browser::find() else { return };
    let server = Server::start(&[]);
    let fen = "4k4/9/4P4/9/9/9/9/9/4K4[G] w - - 0 1";
    open(&mut browser, &server, "shogi", &format!("side=first&fen={}", fen.replace(' ', "%20")));
    play(&mut browser, "G@e8", false);
    assert_eq!(status(&mut browser), "You won: Sente 先手 won (checkmate).");
    browser.click("document.querySelector('.take-back')");
    browser.wait_until(YOURS);
    for (uci, marked) in [("e7e8", "e7e8."), ("e7e8+", "e7e8%2B.")] {
        play(&mut browser, uci, false);
        assert!(browser.address().contains(&format!("moves={marked}")), "{}", browser.address());
        browser.click("document.querySelector('.take-back')");
        browser.wait_until(&format!("{YOURS} && !location.hash.includes('moves')"));
    }
    // Escape gives the question up, and the piece can be dragged nowhere without being asked again.
    browser.click(&square("e7", false));
    browser.click(&square("e8", false));
    browser.wait_until("!!document.querySelector('.promotion')");
    browser.press("Escape");
    browser.wait_until("!document.querySelector('.promotion') && !document.querySelector('.target')");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

#[test]
fn a_pass_is_a_button_and_the_second_player_sits_at_the_bottom() {
    let Some(mut browser) = Browser::find() else { return };
    let server = Server::start(&[]);
    open(&mut browser, &server, "janggi", "side=second&setups=outer%2Cinner");
    let heights = browser.value(
        "['楚', '漢'].map((king) => [...document.querySelectorAll('.board .piece')]\
         .find((piece) => piece.querySelector('title').textContent.startsWith(king)).getBoundingClientRect().y)",
    );
    assert!(heights[0].as_f64() < heights[1].as_f64(), "{heights}");
    assert_eq!(browser.value("document.querySelector('.pass-button').textContent"), json!("Pass 한수쉼"));
    // A click on the general twice is no pass.
    browser.click(&square("e9", true));
    browser.click(&square("e9", true));
    assert_eq!(browser.value("document.querySelectorAll('.target').length"), json!(0));
    play(&mut browser, "e9e9", true);
    assert!(spec(&mut browser)["moves"].as_str().is_some_and(|moves| moves.contains(" e9e9 ")));
    assert_eq!(
        browser.value("document.querySelector('.board .labels').textContent.includes('ihgfedcba')"),
        json!(true)
    );
}

#[test]
fn moves_of_several_steps_are_chosen_step_by_step() {
    let Some(mut browser) = Browser::find() else { return };
    let server = Server::start(&[]);
    // A wrestler beside two foot soldiers, a longbow before two more.
    let fen =
        "9,g,9/9,mt,9/19/19/19/19/19/16,p,1,p/19/19/1,C,15,LB,1/19/19/3,p,p,14/4,WR,14/19/19/9,MT,9/9,G,9 w - - 0 1";
    let fen = fen.replace(' ', "%20");
    let begin = |browser: &mut Browser| open(browser, &server, "koshogi", &format!("side=first&fen={fen}"));
    let targets = "document.querySelectorAll('.target').length";
    let chosen = |browser: &mut Browser, uci: &str| {
        browser.wait_until("location.hash.includes('moves=')");
        let moves = spec(browser)["moves"].as_str().unwrap_or_default().to_owned();
        assert!(format!("{moves} ").starts_with(&format!("{uci} ")), "{moves}");
    };
    begin(&mut browser);
    // Two are taken by turns, in the order of the clicks.
    browser.click(&square("e5", false));
    browser.click(&square("e6", false));
    browser.click(&square("d6", false));
    chosen(&mut browser, "e5d6xe6");
    // A step is taken back, and the move ends where it began.
    begin(&mut browser);
    browser.click(&square("e5", false));
    let first = browser.value(targets);
    browser.click(&square("d6", false));
    assert!(is(&mut browser, "!document.querySelector('.steps').hidden"));
    browser.click("document.querySelector('.undo-step')");
    assert_eq!(browser.value(targets), first);
    browser.click(&square("d6", false));
    browser.click(&square("e5", false));
    chosen(&mut browser, "e5e5xd6");
    // A shot after a move, and none.
    begin(&mut browser);
    browser.click(&square("r9", false));
    browser.click(&square("q10", false));
    assert_eq!(browser.value(targets), json!(2), "two can be shot");
    browser.click(&square("s12", false));
    chosen(&mut browser, "r9q10xs12");
    begin(&mut browser);
    browser.click(&square("r9", false));
    browser.click(&square("q10", false));
    browser.click("document.querySelector('.steps .end-move')");
    chosen(&mut browser, "r9q10");
    // A fog that stays shoots first, once or twice.
    let fog = "18,g/19/19/19/19/19/19/19/10,p,8/9,%2BTP,9/11,p,7/19/19/19/19/19/19/19/G,18%20w%20-%20-%200%201";
    for uci in ["j10j10xk11xl9", "j10j10xl9"] {
        open(&mut browser, &server, "koshogi", &format!("side=first&fen={fog}"));
        play(&mut browser, uci, false);
        chosen(&mut browser, uci);
    }
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

#[test]
fn chances_are_told_on_demand_and_steps_follow_the_keys() {
    let Some(mut browser) = Browser::find() else { return };
    let server = Server::start(&[]);
    open(&mut browser, &server, "wangqi", "side=first");
    browser.click("document.querySelector('.show-chances')");
    browser.wait_until(
        "/You win [0-9]+ %, draw [0-9]+ %, lose [0-9]+ %/.test(document.querySelector('.play').textContent)",
    );
    for _ in 0..2 {
        let spec = spec(&mut browser);
        let (_, standing) = server.post("/api/position", &spec);
        let uci = standing["moves"][0]["uci"].as_str().expect("a move").to_owned();
        play(&mut browser, &uci, false);
    }
    // The first of three steps is answered last.
    browser.value(
        "(() => { const real = window.fetch; let late = 400; window.fetch = async (...question) => {
        const answer = await real(...question); late -= 150;
        await new Promise((done) => setTimeout(done, late)); return answer; }; })()",
    );
    browser.value("document.querySelector('.moves-list button.choice').focus()");
    for _ in 0..3 {
        browser.press("ArrowLeft");
    }
    let marked = "[...document.querySelectorAll('.moves-list button.choice')]
        .findIndex((choice) => choice.getAttribute('aria-current') === 'step')";
    browser.wait_until(&format!("{marked} === 0"));
    std::thread::sleep(std::time::Duration::from_millis(600));
    assert_eq!(browser.value(marked), json!(0), "and nothing comes after it");
    assert_eq!(status(&mut browser), "After 1 ply of 4.");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

#[test]
fn a_move_needs_no_mouse() {
    let Some(mut browser) = Browser::find() else { return };
    let server = Server::start(&[]);
    open(&mut browser, &server, "xiangqi", "side=first");
    browser.value("document.querySelector('.board').focus()");
    // The cursor begins at the first piece that can move.
    browser.press("ArrowRight");
    browser.wait_until("!!document.querySelector('.cursor')");
    let at = |browser: &mut Browser| {
        let told = browser.value("document.querySelector('.move-input [aria-live]').textContent");
        told.as_str().unwrap_or_default().split(':').next().unwrap_or_default().to_owned()
    };
    let go = |browser: &mut Browser, to: &str| {
        for _ in 0..20 {
            let here = at(browser);
            let number = |name: &str| (name.as_bytes()[0], name[1..].parse::<u32>().expect("a rank"));
            let (file, rank) = number(&here);
            let (to_file, to_rank) = number(to);
            match () {
                () if file < to_file => browser.press("ArrowRight"),
                () if file > to_file => browser.press("ArrowLeft"),
                () if rank < to_rank => browser.press("ArrowUp"),
                () if rank > to_rank => browser.press("ArrowDown"),
                () => return,
            }
        }
        panic!("the cursor does not reach {to}");
    };
    go(&mut browser, "h3");
    browser.press("Enter");
    browser.wait_until("document.querySelectorAll('.target').length > 1");
    browser.press("Escape");
    browser.wait_until("document.querySelectorAll('.target').length === 0");
    browser.press("Enter");
    go(&mut browser, "e3");
    browser.press("Enter");
    browser.wait_until(&format!("location.hash.includes('moves=h3e3.') && {YOURS}"));
    // A written move, in words of the variant, and one that is not legal.
    let write = |text: &str| {
        format!(
            "(() => {{ const field = document.querySelector('.move-field'); field.value = '{text}'; \
             field.form.requestSubmit(); }})()"
        )
    };
    browser.value(&write("a1a9"));
    browser.wait_until("document.querySelector('.written-move').textContent.includes('No legal move')");
    let (_, standing) = server.post("/api/position", &spec(&mut browser));
    let text = standing["moves"][0]["text"].as_str().expect("a native text").to_owned();
    browser.value(&write(&text));
    browser.wait_until("Number(document.querySelector('.play').dataset.plies) >= 3");
    let moves = spec(&mut browser)["moves"].as_str().unwrap_or_default().to_owned();
    assert_eq!(moves.split(' ').nth(2), standing["moves"][0]["uci"].as_str());
}

#[test]
fn pieces_are_dragged_with_mouse_and_finger() {
    let Some(mut browser) = Browser::find() else { return };
    let server = Server::start(&[]);
    let told = |browser: &mut Browser, moves: &str| {
        browser.wait_until(&format!("decodeURIComponent(location.hash).includes('moves={moves}.') && {YOURS}"));
        browser.click("document.querySelector('.take-back')");
        browser.wait_until(&format!("{YOURS} && !location.hash.includes('moves')"));
    };
    let fen = "4k4/9/9/9/9/9/9/9/R3K4[G] w - - 0 1".replace(' ', "%20");
    let begin = |browser: &mut Browser| open(browser, &server, "shogi", &format!("side=first&fen={fen}"));
    begin(&mut browser);
    browser.drag(&square("a1", false), &square("a5", false));
    told(&mut browser, "a1a5");
    // Out of the hand.
    browser.drag(&in_hand("G", "first"), &square("h2", false));
    told(&mut browser, "G@h2");
    // Where the piece cannot go, it returns to its square and nothing is chosen.
    browser.drag(&square("a1", false), &square("b3", false));
    assert_eq!(browser.value("document.querySelectorAll('.target').length"), json!(0));
    assert!(!browser.address().contains("moves"), "{}", browser.address());
    // Back on its own square it stays taken up, so that a click can follow.
    browser.drag(&square("a1", false), &square("a1", false));
    browser.click(&square("c1", false));
    told(&mut browser, "a1c1");

    browser.enable_touch();
    begin(&mut browser);
    browser.tap(&square("a1", false));
    browser.wait_until("document.querySelectorAll('.target').length > 1");
    browser.tap(&square("a4", false));
    told(&mut browser, "a1a4");
    browser.touch_and_drag(&square("a1", false), &square("a3", false));
    told(&mut browser, "a1a3");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

#[test]
fn what_an_address_says_wrongly_is_told_as_text() {
    let Some(mut browser) = Browser::find() else { return };
    let server = Server::start(&[]);
    let hostile = "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E";
    let told = "document.querySelector('.message.wrong')?.textContent.includes('<img')";
    browser.go(&server.page(&format!("/play#variant=shogi&side=first&moves={hostile}")), 1000, told);
    browser.go(&server.page(&format!("/play#variant=shogi&side=second&network={hostile}")), 1000, told);
    assert_eq!(browser.value("document.querySelectorAll('main img').length"), json!(0));
    assert!(is(&mut browser, "document.querySelector('.try-again').hidden === false"), "one may try again");
    // Handicaps are positions that the server knows, and the giver begins.
    browser.go(&server.page("/play#variant=shogi"), 1000, "!!document.querySelector('.start-game')");
    let handicaps = browser
        .value("[...document.querySelectorAll('option')].map((it) => it.value).filter((text) => text.includes(' b '))");
    let handicaps = handicaps.as_array().expect("a list");
    assert!(handicaps.len() > 5);
    for fen in handicaps {
        let (status, standing) = server.post("/api/position", &json!({ "variant": "shogi", "fen": fen }));
        assert_eq!((status, &standing["side"]), (200, &json!(1)), "{fen}: {standing}");
    }
}

#[test]
fn two_browsers_play_at_once() {
    let Some(mut one) = Browser::find() else { return };
    let Some(mut other) = Browser::find() else { return };
    let server = Server::start(&[]);
    open(&mut one, &server, "wangqi", "side=first");
    open(&mut other, &server, "wangqi", "side=second");
    for (uci, reply) in [("c3c4", "f6f5"), ("b3b4", "g6g5")] {
        play(&mut one, uci, false);
        play(&mut other, reply, true);
    }
    let [first, second] = [&mut one, &mut other].map(spec);
    assert!(
        first["moves"].as_str().is_some_and(|moves| moves.starts_with("c3c4 ") && moves.contains(" b3b4 ")),
        "{first}"
    );
    assert!(
        second["moves"].as_str().is_some_and(|moves| moves.contains(" f6f5 ") && moves.contains(" g6g5 ")),
        "{second}"
    );
}
