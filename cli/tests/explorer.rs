//! The opening explorer of the page: its data against `kirin openings --json`, and the page in a browser.

use crate::kirin::{json_in, run_in};
use data::{DataStore, GameRecord, PositionRecord, Provenance};
use rules::{Game, GameResult, MoveList, Outcome, Position, Rules, Side, Square, Termination, Variant, VariantId};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use testkit::browser::Browser;

/// A run folder with so many games of random moves, the first listed ones more likely, and no more in it.
fn run_folder<V: Variant>(folder: &Path, games: u32) {
    std::fs::write(folder.join("config.toml"), format!("[run]\nvariant = \"{}\"\n", V::ID)).expect("a file");
    let (store, _) = DataStore::open(&folder.join("data")).expect("a data folder");
    let records: Vec<GameRecord<V>> = (0..games).map(game).collect();
    if games > 0 {
        store.commit_shard(1, "local", &records, &Provenance::default()).expect("a shard");
    }
}

/// A short game of random moves from one of two starts.
pub fn game<V: Variant>(number: u32) -> GameRecord<V> {
    let mut random = u64::from(number) + 1;
    let start = match V::SETUPS {
        [] => Position::start(),
        setups => Position::start_with([setups[0].name, setups[number as usize % 2].name]).expect("setups"),
    };
    let mut game = Game::<V>::from_position(Rules::default(), start);
    let mut legal = MoveList::new();
    for _ in 0..14 {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            break;
        }
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = (random >> 40) as f64 / (1u64 << 24) as f64;
        game.play(legal[(share.powi(3) * legal.len() as f64) as usize]);
    }
    let result = [GameResult::FirstWins, GameResult::Draw, GameResult::SecondWins, GameResult::FirstWins]
        [(random >> 33) as usize % 4];
    let key = |ply: usize| game.positions()[ply].key().to_bytes();
    let position = |ply: usize| PositionRecord {
        ply: ply as u16,
        side: game.positions()[ply].side(),
        mv: game.moves()[ply],
        pos_key: key(ply),
        parent_key: ply.checked_sub(1).map(key),
        policy_move: vec![game.moves()[ply]],
        policy_visits: vec![1],
        root_wdl: [0.5, 0.25, 0.25],
        ..PositionRecord::default()
    };
    let positions = (0..game.moves().len()).map(position).collect();
    let outcome = Outcome { result, termination: Termination::Adjudicated, points: None };
    GameRecord { game_id: number.into(), generation: 1, positions, ..GameRecord::of(&game, outcome) }
}

/// The page of a run with so many games.
fn page<V: Variant>(folder: &Path, games: u32) -> String {
    run_folder::<V>(folder, games);
    run_in(folder, &["report", "."]);
    std::fs::read_to_string(folder.join("report.html")).expect("the page")
}

/// The data in a page.
pub fn embedded(page: &str) -> Option<Value> {
    let (_, rest) = page.split_once(r#"<script type="application/json" id="explorer-data">"#)?;
    let (json, _) = rest.split_once("</script>")?;
    Some(serde_json::from_str(json).expect("the data are JSON"))
}

/// What the explorer and the command say of a move: games, wins, draws, losses and the score.
type Counts = [Value; 5];

/// The lines of up to `depth` plies below a node of the tree, by setups and moves.
fn flatten(node: &Value, setups: &Value, line: &str, depth: usize, lines: &mut BTreeMap<(String, String), Counts>) {
    for child in node["moves"].as_array().into_iter().flatten().filter(|_| depth > 0) {
        let moves = format!("{line} {}", child["uci"].as_str().expect("a text")).trim_start().to_owned();
        flatten(child, setups, &moves, depth - 1, lines);
        let counts = ["games", "first", "draws", "second"].map(|key| child[key].clone());
        let [games, first, draws, second] = counts;
        lines.insert((setups.to_string(), moves), [games, first, draws, second, rounded(&child["score"][0])]);
    }
}

fn rounded(score: &Value) -> Value {
    json!(format!("{:.3}", score.as_f64().expect("a number")))
}

/// The setups of a row of the command, as the page has them.
pub fn setups_of(row: &Value) -> Value {
    if row["setup_first"].is_null() { Value::Null } else { json!([row["setup_first"], row["setup_second"]]) }
}

fn counts_of(row: &Value) -> Counts {
    let [games, first, draws, second] = ["games", "first_wins", "draws", "first_losses"].map(|key| row[key].clone());
    [games, first, draws, second, rounded(&row["score"])]
}

fn same_counts<V: Variant>() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = embedded(&page::<V>(folder.path(), 60)).expect("data in the page");
    let mut shown = BTreeMap::new();
    for start in data["starts"].as_array().expect("a list") {
        flatten(start, &start["setups"], "", 3, &mut shown);
    }
    let openings = json_in(folder.path(), &["openings", ".", "--setup", "each", "--depth", "3", "--limit", "100000"]);
    let told: BTreeMap<_, _> = openings["lines"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| ((setups_of(row).to_string(), row["moves"].as_str().expect("a text").to_owned()), counts_of(row)))
        .collect();
    assert!(told.len() > 60, "{}: only {} lines", V::ID, told.len());
    assert_eq!(shown, told, "{}", V::ID);
    assert_eq!(data["sum"].is_null(), V::SETUPS.is_empty(), "{}", V::ID);
    if !V::SETUPS.is_empty() {
        same_sums(folder.path(), &data);
    }
    let games: u64 = data["starts"].as_array().into_iter().flatten().filter_map(|start| start["games"].as_u64()).sum();
    assert_eq!(json!(games), openings["games"]);
    let samples = data["games"].as_array().expect("a list");
    assert_eq!(samples.len(), 60);
    // 0.625 for the side to move is 0.375 for the first player when the second moves.
    assert_eq!((&samples[0]["plies"][0]["value"], &samples[0]["plies"][1]["value"]), (&json!(0.625), &json!(0.375)));
}

/// The lines from all setups together are those of the command without `--setup`.
fn same_sums(folder: &Path, data: &Value) {
    let mut shown = BTreeMap::new();
    flatten(&data["sum"], &Value::Null, "", 3, &mut shown);
    let openings = json_in(folder, &["openings", ".", "--depth", "3", "--limit", "100000"]);
    let lines = openings["lines"].as_array().expect("a list");
    let text = |row: &Value| row["moves"].as_str().expect("a text").to_owned();
    let told: BTreeMap<_, _> = lines.iter().map(|row| ((Value::Null.to_string(), text(row)), counts_of(row))).collect();
    assert_eq!((told.len(), &data["sum"]["games"]), (lines.len(), &openings["games"]));
    assert_eq!(shown, told);
}

#[test]
fn the_page_counts_what_the_command_counts() {
    for variant in VariantId::ALL {
        rules::dispatch!(*variant, V => same_counts::<V>());
    }
}

#[test]
fn a_run_without_games_has_no_explorer_and_one_game_is_enough() {
    for variant in VariantId::ALL {
        rules::dispatch!(*variant, V => {
            let folder = tempfile::tempdir().expect("a temporary folder");
            assert!(embedded(&page::<V>(folder.path(), 0)).is_none());
            let folder = tempfile::tempdir().expect("a temporary folder");
            let data = embedded(&page::<V>(folder.path(), 1)).expect("data in the page");
            assert_eq!((&data["starts"][0]["games"], &data["games"][0]["id"]), (&json!(1), &json!("0")));
        });
    }
}

/// The rows of the table, as people see them: key, games, results, score.
pub const ROWS: &str = r#"[...document.querySelectorAll(".choices tbody tr")].map((row) => [
    row.dataset.key,
    row.querySelector(".games").firstChild.data,
    row.querySelector(".results").title,
    row.querySelector(".score").firstChild.data,
])"#;

/// What `kirin openings` says, written as in these rows.
fn rows_told(folder: &Path, setups: &Value, line: &str) -> Value {
    rows_of(folder, &["."], setups, line)
}

/// In place of setups: all of them, as the address of the page has them.
pub fn all_setups() -> Value {
    json!(["any", "any"])
}

/// What `kirin openings` with these arguments says after a line, written as in these rows.
pub fn rows_of(folder: &Path, arguments: &[&str], setups: &Value, line: &str) -> Value {
    let is_sum = *setups == all_setups();
    let apart: &[&str] = if is_sum { &[] } else { &["--setup", "each"] };
    let told = json_in(folder, &[&["openings"], arguments, apart, &["--depth", "1", "--moves", line]].concat());
    let rows = told["continuations"].as_array().expect("a list").iter();
    let rows = rows.filter(|row| is_sum || setups_of(row) == *setups);
    let row = |row: &Value| {
        let [first, draws, second] = ["first_wins", "draws", "first_losses"].map(|key| row[key].clone());
        let results = format!("{first} first, {draws} drawn, {second} second");
        let score = format!("{:.1}", 100.0 * row["score"].as_f64().expect("a number"));
        let last = row["moves"].as_str().and_then(|moves| moves.rsplit(' ').next());
        json!([last, row["games"].to_string(), results, score])
    };
    rows.map(row).collect()
}

/// The pieces on the board, as people see them: file, rank and FEN code.
pub const PIECES: &str = r#"[...document.querySelectorAll(".board .pieces .piece")].map((piece) => {
    const [, x, y] = /translate\(([\d.]+) ([\d.]+)\)/.exec(piece.getAttribute("transform"));
    const [, code] = /\((\+?[A-Z]+)\)/.exec(piece.querySelector("title").textContent);
    return [Number(x), Number(y), piece.classList.contains("of-first") ? code : code.toLowerCase()];
})"#;

/// The pieces of a position: file, rank and FEN code.
pub fn pieces_of<V: Variant>(position: &Position<V>) -> Value {
    let piece = |index: usize| {
        let (side, kind) = position.cell(Square::new(index)).piece()?;
        let code = V::CODES[kind];
        let code = if side == Side::First { code.to_owned() } else { code.to_lowercase() };
        let (file, rank) = (index % V::FILES, index / V::FILES);
        Some(json!([file as f64 + 0.5, (V::RANKS - rank) as f64 - 0.5, code]))
    };
    (0..V::SQUARES).filter_map(piece).collect()
}

/// JSON numbers that are whole come back as integers.
pub fn same_pieces(shown: &Value, position: &Value) -> bool {
    let plain = |value: &Value| {
        let list = value.as_array().expect("a list").iter();
        list.map(|piece| (piece[0].as_f64(), piece[1].as_f64(), piece[2].to_string())).collect::<Vec<_>>()
    };
    plain(shown) == plain(position)
}

/// Whether the page fits its window, so that it scrolls only up and down.
pub const NO_WIDER: &str = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";

/// Clicks three moves from these starts together and compares each table with the command's; gives the position that
/// the board shows then.
fn walk<V: Variant>(
    browser: &mut Browser,
    folder: &Path,
    setups: &Value,
    mut positions: Vec<Position<V>>,
) -> Position<V> {
    let mut line = String::new();
    for ply in 0..=3 {
        browser.value("document.querySelector('.more')?.click()");
        let shown = browser.value(ROWS);
        assert_eq!(shown, rows_told(folder, setups, &line), "{} {setups} after {line:?}", V::ID);
        let pieces = browser.value(PIECES);
        assert!(same_pieces(&pieces, &pieces_of(&positions[0])), "{} {setups} after {line:?}: {pieces}", V::ID);
        if ply < 3 {
            // Not always the first row.
            let row = ply.min(shown.as_array().map_or(0, Vec::len) - 1);
            let uci = shown[row][0].as_str().expect("a move").to_owned();
            browser.click(&format!("document.querySelectorAll('.choices .choice')[{row}]"));
            browser.wait_until(&format!("document.querySelectorAll('.crumbs [title=\"{uci}\"]').length > 0"));
            positions.retain_mut(|position| position.parse_move(&uci).map(|mv| position.play(mv)).is_ok());
            line = format!("{line} {uci}").trim_start().to_owned();
        }
    }
    positions.swap_remove(0)
}

fn click_through<V: Variant>(browser: &mut Browser) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = embedded(&page::<V>(folder.path(), 60)).expect("data in the page");
    let file = folder.path().canonicalize().expect("a path").join("report.html");
    browser.open(&file, 1400, "!!document.querySelector('.explorer-body')");
    let mut setups = Value::Null;
    let mut position = Position::<V>::start();
    if let [one, other, ..] = V::SETUPS {
        // The first level is the choice of setups, all together or one of the two pairs that were played equally often.
        assert_eq!(browser.value(ROWS).as_array().map(Vec::len), Some(3));
        let depth = |crumbs: usize| format!("document.querySelectorAll('.crumbs button').length === {crumbs}");
        browser.click("document.querySelectorAll('.choices .choice')[0]");
        browser.wait_until(&depth(2));
        let chosen = "document.querySelectorAll('.crumbs button')[1].textContent";
        assert_eq!(browser.value(chosen), json!("All setups"));
        let start = |start: &Value| {
            let name = |player: usize| start["setups"][player].as_str().expect("a setup");
            Position::<V>::start_with([name(0), name(1)]).expect("setups")
        };
        walk(
            browser,
            folder.path(),
            &all_setups(),
            data["starts"].as_array().expect("a list").iter().map(start).collect(),
        );
        let note = browser.value("document.querySelector('.tree .note').textContent");
        assert!(note.as_str().is_some_and(|note| note.ends_with("Other setups differ.")), "{note}");
        assert_ne!(browser.value("document.querySelectorAll('.games li').length"), json!(0));
        browser.click("document.querySelector('.crumbs button')");
        browser.wait_until(&depth(1));
        // The second pair of the table is clicked.
        browser.click("document.querySelectorAll('.choices .choice')[2]");
        browser.wait_until(&depth(2));
        assert_eq!(browser.value(chosen), json!(format!("{} – {}", one.name, other.name)));
        setups = json!([one.name, other.name]);
        position = Position::start_with([one.name, other.name]).expect("setups");
    }
    let position = walk(browser, folder.path(), &setups, vec![position]);
    keys_and_games(browser, &position);
    assert_eq!(browser.value(NO_WIDER), json!(true), "{} at 1400", V::ID);
    browser.open(&file, 400, "!!document.querySelector('.explorer-body')");
    assert_eq!(browser.value(NO_WIDER), json!(true), "{} at 400", V::ID);
    assert!(browser.complaints.is_empty(), "{}: {:?}", V::ID, browser.complaints);
}

/// Three plies back and on again with keys, then through a sample game.
fn keys_and_games<V: Variant>(browser: &mut Browser, position: &Position<V>) {
    let here = browser.value(PIECES);
    browser.value("document.querySelector('.board').focus()");
    for key in ["ArrowLeft", "ArrowLeft", "ArrowLeft"] {
        browser.press(key);
    }
    let first = browser.value(PIECES);
    assert_ne!(first, here, "{}", V::ID);
    for key in ["ArrowRight", "ArrowRight", "ArrowRight"] {
        browser.press(key);
    }
    assert_eq!(browser.value(PIECES), here, "{}", V::ID);
    assert!(same_pieces(&here, &pieces_of(position)));
    for _ in 0..3 {
        browser.press("ArrowLeft");
    }
    let game = browser.value("document.querySelector('.games li').dataset.key");
    browser.click("document.querySelector('.games .choice')");
    browser.wait_until("!!document.querySelector('.viewer .graph')");
    browser.press("End");
    let number: u32 = game.as_str().and_then(|id| id.parse().ok()).expect("a number");
    let played = self::game::<V>(number).sheet.replay().finish().expect("a legal game");
    let pieces = browser.value(PIECES);
    assert!(same_pieces(&pieces, &pieces_of(played.position())), "{}: game {number}, {pieces}", V::ID);
}

#[test]
fn three_plies_of_every_variant_are_clicked_through_in_a_browser() {
    let Some(mut browser) = Browser::find() else { return };
    for variant in VariantId::ALL {
        rules::dispatch!(*variant, V => click_through::<V>(&mut browser));
    }
}

#[test]
fn a_variant_that_the_scripts_do_not_know_is_drawn_all_the_same() {
    let Some(mut browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let html = page::<rules::Wangqi>(folder.path(), 3);
    assert_eq!(html.matches(r#""variant":"wangqi""#).count(), 1);
    let file = folder.path().canonicalize().expect("a path").join("other.html");
    std::fs::write(&file, html.replace(r#""variant":"wangqi""#, r#""variant":"another""#)).expect("a file");
    browser.open(&file, 1400, "!!document.querySelector('.explorer-body')");
    assert!(same_pieces(&browser.value(PIECES), &pieces_of(&Position::<rules::Wangqi>::start())));
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

/// A script that stands for the fonts of a machine: it draws all Chinese characters alike, as one without a font for them,
/// or each in its own way.
fn fonts(are_alike: bool) -> String {
    let width = if are_alike { "9" } else { "text.codePointAt(0) % 37 + 1" };
    format!(
        "<script>CanvasRenderingContext2D.prototype.fillText = \
         function (text) {{ this.fillRect(0, 0, {width}, 9); }};</script>"
    )
}

#[test]
fn without_a_font_for_chinese_characters_moves_and_pieces_are_in_letters() {
    let Some(mut browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let html = page::<rules::Xiangqi>(folder.path(), 3);
    let file = folder.path().canonicalize().expect("a path").join("fonts.html");
    for are_alike in [true, false] {
        let script = r#"<script type="module">"#;
        std::fs::write(&file, html.replace(script, &(fonts(are_alike) + script))).expect("a file");
        browser.open(&file, 1400, "!!document.querySelector('.explorer-body')");
        let shown = |browser: &mut Browser, element: &str| {
            let text = browser.value(&format!("document.querySelector('{element}').innerText"));
            text.as_str().expect("a text").trim().to_owned()
        };
        let uci = browser.value("document.querySelector('.choices .row').dataset.key");
        let moves = shown(&mut browser, ".choices .choice");
        let piece = browser.value("document.querySelector('.board .piece text').textContent");
        let piece = piece.as_str().expect("a text");
        assert_eq!((moves == uci, piece.is_ascii()), (are_alike, are_alike), "{moves} {uci} {piece}");
        assert_eq!(moves.is_ascii(), are_alike, "{moves}");
        browser.value("document.querySelectorAll('#openings details').forEach((it) => { it.open = true; })");
        let moves = shown(&mut browser, "#openings .columns td");
        assert_eq!((moves == uci, moves.is_ascii()), (are_alike, are_alike), "{moves}");
    }
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}
