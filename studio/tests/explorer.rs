//! The explorer, over several sources, with what a network thinks beside it.

use crate::server::Server;
use data::{DataStore, GameRecord, Provenance};
use rules::{Game, Outcome, Position, Rules, Side, Termination, Wangqi};
use serde_json::json;
use std::path::{Path, PathBuf};
use testkit::browser::Browser;

/// A data folder with games of these moves, won by the first player.
fn folder(root: &Path, name: &str, games: &[&str]) -> PathBuf {
    let path = root.join(name);
    let (store, _) = DataStore::open(&path).expect("a data folder");
    let record = |(id, moves): (usize, &&str)| {
        let game = Game::<Wangqi>::from_moves_text(Rules::default(), Position::start(), moves).expect("legal moves");
        GameRecord { game_id: id as u64, ..GameRecord::of(&game, Outcome::win(Side::First, Termination::Resign)) }
    };
    let records: Vec<GameRecord<Wangqi>> = games.iter().enumerate().map(record).collect();
    store.commit_shard(0, "local", &records, &Provenance::default()).expect("a shard");
    path
}

#[test]
fn sources_are_mixed_and_a_network_says_what_it_thinks() {
    let Some(mut browser) = Browser::find() else { return };
    let root = tempfile::tempdir().unwrap();
    let one = folder(root.path(), "one", &["c3c4 e6e5", "c3c4 c6c5 g3g4"]);
    let two = folder(root.path(), "two <b>", &["g3g4 e6e5 c3c4"]);
    let server = Server::start(&[one, two]);
    browser.go(&server.page("/explorer"), 1000, "document.querySelectorAll('tr.row').length === 2");
    let games = "document.querySelector('.tree .status').textContent.split(' ')[0]";
    assert_eq!(browser.value(games), json!("3"));
    browser.click("document.querySelector('.sources input[value=\"two <b>\"]')");
    browser.wait_until(&format!("document.querySelectorAll('tr.row').length === 1 && {games} === '2'"));
    assert!(browser.address().contains("source=one") && !browser.address().contains("source=two"));

    browser.click("document.querySelector('.opinion input')");
    browser.wait_until("document.querySelectorAll('.opinion tbody tr').length > 1");
    let first = "document.querySelector('.opinion tbody tr').textContent";
    let before = browser.value(first);
    browser.click("document.querySelector('tr.row')");
    browser.wait_until("document.querySelectorAll('tr.row').length === 2");
    browser.wait_until(&format!("document.querySelector('.opinion tbody tr') !== null && {first} !== {before}"));
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn without_games_the_page_says_what_to_do() {
    let Some(mut browser) = Browser::find() else { return };
    let server = Server::start(&[]);
    browser.go(&server.page("/explorer"), 400, "document.querySelector('.absent') !== null");
    assert!(browser.value("document.querySelector('.absent').textContent").as_str().unwrap().contains("kirin serve"));
    for wrong in ["variant=chess", "variant=wangqi&source=..", "variant=wangqi&nothing=1", ""] {
        let status = server.ask_with(&format!("/api/explorer?{wrong}"), &[], None).status;
        assert!([404, 422].contains(&status), "{wrong}: {status}");
    }
}
