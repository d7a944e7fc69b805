//! Boards of the page "Play" on all screens: their sizes, the writing on the pieces, a tap that zooms in.

use crate::play::{YOURS, parts, spec, square};
use crate::server::Server;
use rules::VariantId;
use serde_json::json;
use testkit::browser::Browser;

/// On a telephone, a laptop and a wide screen: the board is as large as there is room for, and the page scrolls down alone.
#[test]
fn every_board_fits_every_screen() {
    let Some(mut browser) = Browser::find() else { return };
    let server = Server::start(&[]);
    for variant in VariantId::ALL {
        for width in [400, 1000, 1600] {
            browser.go(&server.page(&format!("/play#variant={variant}&level=1&side=first")), width, YOURS);
            let scrolls = browser.value("document.documentElement.scrollWidth > innerWidth");
            assert_eq!(scrolls, false, "{variant} at {width} pixels");
            let board = browser.value("document.querySelector('.board .wood').getBoundingClientRect().width");
            let least = if width == 400 { 260.0 } else { 450.0 };
            assert!(board.as_f64() >= Some(least), "{variant} at {width} pixels: a board of {board}");
        }
    }
}

#[test]
fn pieces_are_written_in_characters_or_in_letters() {
    let Some(mut browser) = Browser::find() else { return };
    let server = Server::start(&[]);
    for variant in VariantId::ALL {
        browser.go(&server.page(&format!("/play#variant={variant}&level=1&side=first")), 400, YOURS);
        let in_letters = |browser: &mut Browser, value: &str| {
            browser.value(&format!(
                "(() => {{ const select = document.querySelector('.board-controls select'); select.value = '{value}'; \
                 select.dispatchEvent(new Event('change')); \
                 return [...document.querySelectorAll('.board .piece .writing')] \
                 .every(({{ textContent: text }}) => /^[+A-Z]+$/.test(text)); }})()"
            ))
        };
        assert_eq!(in_letters(&mut browser, "letters"), true, "{variant}");
        assert_eq!(in_letters(&mut browser, "native"), false, "{variant}");
    }
}

/// On a telephone the points of the largest board are smaller than the tip of a finger.
#[test]
fn a_tap_on_small_points_zooms_in_first() {
    let Some(mut browser) = Browser::find() else { return };
    let server = Server::start(&[]);
    browser.enable_touch();
    browser.go(&server.page("/play#variant=koshogi&level=1&seed=7&side=first"), 400, YOURS);
    let (_, standing) = server.post("/api/position", &spec(&mut browser));
    let moves = standing["moves"].as_array().expect("moves");
    // One step ahead.
    let step = moves.iter().filter_map(|mv| mv["uci"].as_str()).map(parts).find(|(from, to, taken, _)| {
        let rank = |square: &str| square[1..].parse::<u32>().expect("a rank");
        taken.is_empty() && from[..1] == to[..1] && rank(from) + 1 == rank(to)
    });
    let (from, to, ..) = step.expect("a step");
    let pixels = "document.querySelector('.board').getScreenCTM().a";
    let whole = browser.value(pixels);
    assert!(whole.as_f64() < Some(26.0), "{whole}");
    browser.tap(&square(&from, false));
    browser.wait_until(&format!("{pixels} >= 44"));
    assert_eq!(browser.value("document.querySelectorAll('.target').length"), json!(0), "nothing is taken up yet");
    browser.tap(&square(&from, false));
    browser.wait_until("document.querySelectorAll('.target').length > 0");
    browser.tap(&square(&to, false));
    browser.wait_until(&format!("location.hash.includes('moves={from}{to}.') && {YOURS}"));
    assert_eq!(browser.value(pixels), whole, "the reply may be anywhere");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}
