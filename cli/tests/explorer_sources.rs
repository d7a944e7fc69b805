//! The page of imports, of matches and of several sources: counted as `kirin openings` counts, and clicked through in a
//! browser.

use crate::explorer::{NO_WIDER, PIECES, ROWS, all_setups, embedded, game, pieces_of, rows_of, same_pieces};
use crate::kirin::{json_in, kirin_in, run_in};
use data::{DataStore, GameRecord, Provenance};
use rules::{Position, Variant, VariantId};
use serde_json::{Value, json};
use std::path::Path;
use testkit::browser::Browser;

/// A name that is to be a text and nothing else.
const HOSTILE: &str = "<img src=x onerror=alert(1)>";

/// Games of other programs: with players, dates and events, some of them hostile.
fn foreign<V: Variant>(number: u32) -> GameRecord<V> {
    let players = ["Kim Ji-seok", "Ōyama Yasuharu", "胡榮華", HOSTILE];
    let of = |number: u32| players[number as usize % players.len()].to_owned();
    let year = 2001 + i64::from(number % 5);
    GameRecord {
        game_id: 1000 + u64::from(number),
        run_id: data::IMPORTED.to_owned(),
        generation: 0,
        net_first: of(number),
        net_second: of(number / 4 + 1),
        started_at: (year - 1970) * 31_556_952_000 + 86_400_000,
        event: number.is_multiple_of(3).then(|| "Spring & \"Autumn\" cup".to_owned()),
        rating_first: number.is_multiple_of(4).then_some(2000.0 + number as f32),
        rating_second: number.is_multiple_of(5).then_some(2400.0),
        positions: Vec::new(),
        ..game::<V>(number)
    }
}

/// Imports so many games: writes them as PGN, and reads that with `kirin data import`.
fn import<V: Variant>(folder: &Path, games: u32) {
    let (store, _) = DataStore::open(&folder.join("written")).expect("a data folder");
    let records: Vec<GameRecord<V>> = (0..games).map(foreign).collect();
    store.commit_shard(0, "local", &records, &Provenance::default()).expect("a shard");
    run_in(folder, &["data", "export", "written", "--to", "pgn", "--out", "games.pgn"]);
    run_in(folder, &["data", "import", "games.pgn", "--variant", V::ID, "--to", "imported"]);
}

/// Elements that are cut off, or that reach beyond the window.
const CUT_OFF: &str = r#"[...document.querySelectorAll("body *")].filter((it) => {
    if (it.closest("svg, pre, details:not([open]), .results span, .parts span, datalist, noscript")) return false;
    const box = it.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) return false;
    const clips = getComputedStyle(it).overflowX !== "visible" && it.scrollWidth > it.clientWidth + 1;
    return clips || box.right > document.documentElement.clientWidth + 1 || box.left < -1;
}).map((it) => `${it.tagName}.${it.className}: ${it.scrollWidth} in ${it.clientWidth}`)"#;

/// Writes into a field of the form and waits until the games are counted.
fn choose(browser: &mut Browser, facet: &str, text: &str) {
    browser.value(&format!(
        "(() => {{ const it = document.querySelector('[data-facet={facet}] select, [data-facet={facet}] input'); \
         it.value = {}; it.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()",
        json!(text)
    ));
    browser.wait_until(&format!("decodeURIComponent(location.hash).includes('{facet}=')"));
}

fn rows(browser: &mut Browser) -> Value {
    browser.value("document.querySelector('.more')?.click()");
    browser.value(ROWS)
}

const READY: &str = "!!document.querySelector('.explorer-body')";

fn click_through<V: Variant>(browser: &mut Browser) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    import::<V>(folder.path(), 60);
    run_in(folder.path(), &["report", "imported"]);
    let page = folder.path().canonicalize().expect("a path").join("imported/report.html");
    browser.darken(false);
    browser.open(&page, 1400, READY);
    let (mut setups, mut start) = (Value::Null, Position::<V>::start());
    if let [one, other, ..] = V::SETUPS {
        // All setups together, with and without a filter.
        let told = |arguments: &[&str]| rows_of(folder.path(), arguments, &all_setups(), "");
        browser.click("document.querySelector('.choices tbody tr .score')");
        browser.wait_until("location.hash.startsWith('#setups=any.any')");
        assert_eq!(rows(browser), told(&["imported"]));
        assert_eq!(browser.value("document.querySelectorAll('.development .curve').length > 0"), json!(true));
        browser.value("document.querySelector('.filters').open = true");
        choose(browser, "result", "second");
        assert_eq!(rows(browser), told(&["imported", "--result", "second"]));
        let first = rows(browser)[0][0].as_str().expect("a move").to_owned();
        browser.click("document.querySelector('.choices tbody tr .score')");
        browser.wait_until(&format!("document.querySelectorAll('.crumbs [title=\"{first}\"]').length > 0"));
        assert_eq!(rows(browser), rows_of(folder.path(), &["imported", "--result", "second"], &all_setups(), &first));
        browser.click("document.querySelector('.filters .reset')");
        browser.wait_until("!location.hash.includes('result')");
        browser.click("document.querySelector('.crumbs button')");
        browser.wait_until("!location.hash.includes('setups')");
        // One pair. The whole row is a target, not only its text.
        browser.click("document.querySelectorAll('.choices tbody tr .score')[2]");
        browser.wait_until("location.hash.startsWith('#setups=')");
        setups = json!([one.name, other.name]);
        start = Position::start_with([one.name, other.name]).expect("setups");
    }
    let told = |arguments: &[&str], line: &str| rows_of(folder.path(), arguments, &setups, line);
    assert_eq!(rows(browser), told(&["imported"], ""), "{}", V::ID);
    // A year has passed between the games, so the development is drawn.
    assert_eq!(browser.value("document.querySelectorAll('.development .curve').length > 0"), json!(true));

    // Filters count what the command counts with the same conditions.
    browser.value("document.querySelector('.filters').open = true");
    choose(browser, "result", "first");
    assert_eq!(rows(browser), told(&["imported", "--result", "first"], ""), "{}", V::ID);
    choose(browser, "player", "kim");
    assert_eq!(rows(browser), told(&["imported", "--result", "first", "--player", "kim"], ""), "{}", V::ID);
    browser.click("document.querySelector('.filters .reset')");
    browser.wait_until("!location.hash.includes('player')");
    // Of 60 games every fifth has a second player with 2400, and no first player has more than 2056.
    choose(browser, "rating", "2057");
    let counted = browser.value("document.querySelector('.filter-status').textContent");
    assert!(counted.as_str().expect("a text").starts_with("12 of 60 games"), "{}: {counted}", V::ID);
    browser.click("document.querySelector('.filters .reset')");
    browser.wait_until("!location.hash.includes('rating')");

    // A row, then the address of the position in another window, in the dark.
    let first = rows(browser)[0][0].as_str().expect("a move").to_owned();
    browser.click("document.querySelector('.choices tbody tr .games')");
    browser
        .wait_until("location.hash.includes('moves=') && document.querySelectorAll('.last .destination').length > 0");
    let second = rows(browser)[0][0].as_str().expect("a move").to_owned();
    // With keys: the focus is on the row below, and back.
    browser.value("document.querySelector('.choices .choice').focus()");
    browser.press("ArrowDown");
    browser.press("ArrowUp");
    browser.value("document.activeElement.click()");
    browser.wait_until(&format!("document.querySelectorAll('.crumbs [title=\"{second}\"]').length > 0"));
    start.play(start.parse_move(&first).expect("a legal move"));
    start.play(start.parse_move(&second).expect("a legal move"));
    let line = format!("{first} {second}");
    assert_eq!(rows(browser), told(&["imported"], &line), "{}", V::ID);
    let address = browser.address();
    for (width, dark) in [(1400, false), (1400, true), (768, false), (768, true), (400, false), (400, true)] {
        browser.darken(dark);
        browser.go(&address, width, READY);
        assert!(same_pieces(&browser.value(PIECES), &pieces_of(&start)), "{} {address}", V::ID);
        browser.value("document.querySelector('.filters').open = true");
        assert_eq!(browser.value(NO_WIDER), json!(true), "{} at {width}", V::ID);
        assert_eq!(browser.value(CUT_OFF), json!([]), "{} at {width}", V::ID);
        // The board stays in view while the table is scrolled.
        browser.value("document.querySelector('.right-side').lastElementChild.scrollIntoView({ block: 'end' })");
        let inside = "(() => { const box = document.querySelector('.board').getBoundingClientRect(); \
                      return box.top >= -1 && box.top < innerHeight / 2; })()";
        assert_eq!(browser.value(inside), json!(true), "{} at {width}: the board has left the view", V::ID);
    }

    // A game, and its address.
    browser.click("document.querySelector('.games .choice')");
    browser.wait_until("!!document.querySelector('.viewer') && location.hash.includes('ply=')");
    browser.press("End");
    let end = browser.value(PIECES);
    browser.wait_until("document.querySelector('.viewer .status').textContent.endsWith('the end.')");
    browser.wait_until("Number(new URLSearchParams(location.hash.slice(1)).get('ply')) > 2");
    let address = browser.address();
    browser.go(&address, 1400, READY);
    assert_eq!(browser.value(PIECES), end, "{} {address}", V::ID);
    assert_eq!(browser.value("document.querySelectorAll('img').length"), json!(0));
    assert!(browser.complaints.is_empty(), "{}: {:?}", V::ID, browser.complaints);
}

#[test]
fn imports_of_every_variant_are_clicked_through_in_a_browser() {
    let Some(mut browser) = Browser::find() else { return };
    for variant in VariantId::ALL {
        rules::dispatch!(*variant, V => click_through::<V>(&mut browser));
    }
}

/// The keys of the facets in a page.
fn facets(page: &str) -> Vec<String> {
    let data = embedded(page).expect("data in the page");
    let facets = data["counted"]["facets"].as_array().expect("a list").iter();
    facets.map(|facet| facet["key"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn a_page_has_the_filters_and_sections_that_its_sources_have() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    import::<rules::Wangqi>(folder.path(), 20);
    let read = |file: &str| std::fs::read_to_string(folder.path().join(file)).expect("the page");
    let ran = run_in(folder.path(), &["report", "imported"]).out;
    assert!(ran.contains("20 games of imported") && ran.contains("report: imported/report.html"), "{ran}");
    let page = read("imported/report.html");
    assert_eq!(facets(&page), ["player", "result", "date", "event", "rating"], "all have 14 plies");
    for absent in ["strength", "learning", "health", "speed", "players"] {
        assert!(!page.contains(&format!("<section id=\"{absent}\">")), "{absent}");
    }
    // Only self-play has generations.
    assert!(page.contains("5,000 plies in all, of each first move one in turn."));
    assert!(page.contains("href=\"#openings\"") && !page.contains(HOSTILE) && page.contains("\\u003cimg src=x"));
    assert_eq!(kirin_in(folder.path(), &["verify", "imported"]).code, Some(0), "the page is no fault of the folder");

    let match_words = "eval match --variant wangqi greedy random --pairs 3 --openings random --log cup/a.jsonl";
    std::fs::create_dir(folder.path().join("cup")).expect("a folder");
    run_in(folder.path(), &match_words.split(' ').collect::<Vec<_>>());
    let ran = kirin_in(folder.path(), &["report", "imported", "cup"]);
    assert_eq!((ran.code, ran.err.contains("name a file with --out")), (Some(78), true), "{}", ran.err);
    let told = json_in(folder.path(), &["report", "imported", "cup", "imported", "--out", "all.html"]);
    assert_eq!(
        (&told["games"], &told["sources"], &told["report"]),
        (&json!(26), &json!(["imported", "cup"]), &json!("all.html"))
    );
    let page = read("all.html");
    assert!(page.contains("of every source in turn, and in it of each first move one in turn."));
    assert!(page.contains("<section id=\"players\">") && page.contains("<section id=\"games\">"));
    // Games of matches begin with random moves, so openings do not count them; but the page shows some.
    run_in(folder.path(), &["report", "cup"]);
    let page = read("cup/report.html");
    let data = embedded(&page).expect("data in the page");
    assert_eq!((&data["starts"][0]["games"], data["games"].as_array().map(Vec::len)), (&json!(0), Some(6)));

    // A single log has the same page beside it.
    let match_words = "eval match --variant wangqi random greedy --pairs 1 --openings random --log cup/b.jsonl";
    run_in(folder.path(), &match_words.split(' ').collect::<Vec<_>>());
    let told = json_in(folder.path(), &["report", "cup/a.jsonl"]);
    assert_eq!(
        (&told["report"], &told["games"], &told["sources"]),
        (&json!("cup/a.html"), &json!(6), &json!(["a.jsonl"]))
    );
    let alone = read("cup/a.html");
    assert_eq!(embedded(&alone).expect("data in the page")["starts"], data["starts"]);
    assert!(alone.contains("<section id=\"players\">"));
    let counted = |sources: &[&str]| json_in(folder.path(), &[&["openings"], sources].concat())["other_starts"].clone();
    assert_eq!([counted(&["cup/a.jsonl"]), counted(&["cup"]), counted(&["cup/a.jsonl", "cup"])], [6, 8, 8]);

    let ran = kirin_in(folder.path(), &["report", "games.pgn"]);
    assert!(ran.code == Some(78) && ran.err.contains("games.pgn is no folder"), "{}", ran.err);
    let ran = kirin_in(folder.path(), &["report", "imported", "--metrics", "m.parquet"]);
    assert!(ran.code == Some(78) && ran.err.contains("imported: not one run"), "{}", ran.err);
}

#[test]
fn the_page_of_many_games_is_bounded_and_says_so() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (store, _) = DataStore::open(&folder.path().join("many")).expect("a data folder");
    let records: Vec<GameRecord<rules::Wangqi>> = (0..16_000).map(foreign).collect();
    store.commit_shard(0, "local", &records, &Provenance::default()).expect("a shard");
    run_in(folder.path(), &["report", "many"]);
    let page = std::fs::read_to_string(folder.path().join("many/report.html")).expect("the page");
    let data = embedded(&page).expect("data in the page");
    let counted = &data["counted"];
    assert_eq!((&counted["all"], counted["places"].as_array().map(Vec::len)), (&json!(16_000), Some(15_000)));
    assert!(page.contains("15,000 of the 16,000 games, evenly chosen"));
    let lines = page.matches(r#""reaching""#).count() + page.matches(r#""score":["#).count();
    assert!(lines <= 2_500, "{lines} lines");
    assert!(page.len() < 2_500_000, "{} bytes", page.len());
    let table = rows_of(folder.path(), &["many"], &Value::Null, "");
    assert_eq!(
        data["starts"][0]["moves"][0]["games"].to_string(),
        table[0][1].as_str().expect("a text").replace(',', "")
    );
}
