//! The explorer, over several sources, with what a network thinks beside it.

use crate::server::Server;
use data::{DataStore, GameFilter, GameFolders, GameRecord, OpeningOrigin, OpeningQuery, Provenance, SyntheticGames};
use rules::{Game, GameResult, Janggi, Outcome, Position, Rules, Side, Termination, Wangqi};
use serde_json::{Value, json};
use std::collections::BTreeMap;
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
    browser.wait_until("document.querySelectorAll('.opinion tbody tr').length > 0");
    let first = "document.querySelector('.opinion tbody tr').textContent";
    let before = browser.value(first);
    browser.click("document.querySelector('tr.row')");
    browser.wait_until("document.querySelectorAll('tr.row').length === 2");
    browser.wait_until(&format!("document.querySelector('.opinion tbody tr') !== null && {first} !== {before}"));

    // Back and forward lead to the mixture of their addresses.
    let (rows, two) =
        ("document.querySelectorAll('tr.row').length", "document.querySelector('.sources input[value=\"two <b>\"]')");
    browser.value("history.back()");
    browser.wait_until(&format!("{rows} === 1"));
    browser.click(two);
    browser.wait_until(&format!("{rows} === 2 && {games} === '3'"));
    browser.value("history.forward()");
    browser.wait_until(&format!("{rows} === 2 && {games} === '2' && !{two}.checked"));
    browser.value("history.back()");
    browser.wait_until(&format!("{rows} === 2 && {games} === '3' && {two}.checked"));
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

/// A text in the query of an address. Moves that promote end with a plus.
fn escaped(text: &str) -> String {
    text.replace('+', "%2B").replace(' ', "+")
}

/// A folder of games that share their openings. Some begin with moves that no player chose, some from another position,
/// and some of them are in the second shard, too.
fn shared_openings(root: &Path) -> (PathBuf, Vec<GameRecord<Wangqi>>) {
    let path = root.join("shared");
    let (store, _) = DataStore::open(&path).expect("a data folder");
    let synthetic = SyntheticGames { plies: 60, opening: 30, ..SyntheticGames::default() };
    let mut games: Vec<GameRecord<Wangqi>> = (0..400).map(|number| synthetic.game(number)).collect();
    games[7].positions.drain(..5);
    games[8].opening_plies = 4;
    for number in [9, 10] {
        let mut elsewhere =
            Game::from_position(Rules::default(), games[0].sheet.replay_unchecked(3).position().clone());
        games[0].sheet.moves[3..].iter().for_each(|&mv| elsewhere.play(mv));
        let game_id = 1_000_000 + number as u64;
        games[number] = GameRecord { game_id, ..GameRecord::of(&elsewhere, games[0].sheet.outcome) };
    }
    games.sort_by_key(|game| game.game_id);
    store.commit_shard(0, "one", &games[..250], &Provenance::default()).expect("a shard");
    store.commit_shard(0, "two", &games[200..], &Provenance::default()).expect("a shard");
    (path, games)
}

#[test]
fn a_position_of_any_depth_has_the_counts_of_the_command_openings() {
    let root = tempfile::tempdir().unwrap();
    let (path, games) = shared_openings(root.path());
    let server = Server::start(std::slice::from_ref(&path));
    let folders = GameFolders::new(vec![DataStore::open_read_only(&path).unwrap()]);
    let everything = GameFilter::default();
    let drawn = GameFilter { result: Some(GameResult::Draw), plies: 30..=60, ..GameFilter::default() };
    // Two games begin where another one came after three plies.
    let elsewhere = games.iter().find(|game| game.sheet.start != Position::start()).unwrap();
    let joined = games
        .iter()
        .position(|game| game.plies() == elsewhere.plies() + 3 && game.moves_text.ends_with(&elsewhere.moves_text));
    let joined = joined.unwrap();
    let (mut transposed, mut unchosen) = (0, 0);
    for plies in [0, 1, 2, 3, 4, 6, 9, 14, 25, 45, 60] {
        for game in [0, 7, 100, 300, joined] {
            let sheet = &games[game].sheet;
            let plies = plies.min(sheet.plies());
            let position = sheet.replay_unchecked(plies).position().clone();
            let moves = games[game].moves_text.split(' ').take(plies).collect::<Vec<_>>().join(" ");
            let fen = escaped(&position.fen());
            let start = escaped(&sheet.start.start_fen().unwrap_or_default());
            for (filter, only) in [(&everything, ""), (&drawn, "&only=result:draw&only=length:30..60")] {
                let origin = (position != Position::start()).then(|| OpeningOrigin::of(&position));
                let query = OpeningQuery { depth: 1, filter: filter.clone(), origin, ..OpeningQuery::new("wangqi") };
                let table = folders.openings(&query).unwrap();
                unchosen += table.unchosen;
                let asked = "/api/explorer/position?variant=wangqi&source=shared";
                let answer = server.get(&format!("{asked}&fen={fen}{only}"));
                assert_eq!(answer["games"], table.games, "{fen} {only}");
                let found = |row: &Value| ["games", "first", "draws", "second"].map(|key| row[key].as_u64().unwrap());
                let found: Vec<(&str, [u64; 4], f64)> = answer["moves"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|row| (row["uci"].as_str().unwrap(), found(row), row["score"][1].as_f64().unwrap()))
                    .collect();
                let expected: Vec<(&str, [u64; 4], f64)> = table
                    .rows
                    .iter()
                    .map(|row| {
                        (row.moves.as_str(), [row.games, row.first_wins, row.draws, row.first_losses], row.score_low)
                    })
                    .collect();
                assert_eq!(found, expected, "{fen} {only}");
                let by_moves = server.get(&format!("{asked}&fen={start}&moves={}{only}", escaped(&moves)));
                assert_eq!((&by_moves["moves"], &by_moves["games"]), (&answer["moves"], &answer["games"]), "{moves}");
                let line = folders.openings(&OpeningQuery { depth: plies as u32, origin: None, ..query }).unwrap();
                let of_line = line.rows.iter().find(|row| plies > 0 && row.moves == moves);
                transposed += table.games - of_line.map_or(table.games, |row| row.games);
            }
        }
    }
    assert!(transposed > 0 && unchosen > 0, "{transposed} {unchosen}");

    // A sample says when it was in the position, and a game where it began.
    let moves = escaped(&games[joined].moves_text.split(' ').take(3).collect::<Vec<_>>().join(" "));
    let answer = server.get(&format!("/api/explorer/position?variant=wangqi&source=shared&moves={moves}"));
    let mut plies = std::collections::BTreeSet::new();
    for sample in answer["samples"].as_array().unwrap() {
        let id = sample["id"].as_str().unwrap();
        let game = server.get(&format!("/api/explorer/game?variant=wangqi&source=shared&id={id}"));
        let ply = sample["ply"].as_u64().unwrap();
        assert_eq!(game["views"][ply as usize]["cells"], answer["view"]["cells"], "{id}");
        assert_eq!(game["fen"].is_string(), ply == 0, "{id}");
        plies.insert(ply);
    }
    assert_eq!(plies, [0, 3].into());

    // A game is opened by the id of a sample, with the values of its searches.
    let moves = escaped(&games[100].moves_text);
    let answer = server.get(&format!("/api/explorer/position?variant=wangqi&source=shared&moves={moves}"));
    assert_eq!((&answer["games"], &answer["ended"], &answer["moves"]), (&json!(1), &json!(1), &json!([])));
    let id = answer["samples"][0]["id"].as_str().unwrap();
    let game = server.get(&format!("/api/explorer/game?variant=wangqi&source=shared&id={id}"));
    assert_eq!(game["plies"].as_array().unwrap().len(), games[100].plies());
    assert!(game["plies"][0]["value"].is_number() && game["facts"]["length"] == json!([games[100].plies()]), "{game}");
    assert!(id.starts_with("shared/"), "{id} leads to no game of another mixture");

    let overview = server.get("/api/explorer?variant=wangqi&source=shared");
    assert_eq!((&overview["of"], &overview["all"], &overview["doubled"]), (&json!(400), &json!(400), &json!(50)));
    for wrong in ["only=result", "only=nothing:1", "moves=a1a9", "setups=a,b", "fen=junk"] {
        let path = format!("/api/explorer/position?variant=wangqi&source=shared&{wrong}");
        assert_eq!(server.ask_with(&path, &[], None).status, 422, "{wrong}");
    }
    assert_eq!(server.ask_with("/api/explorer/game?variant=wangqi&source=shared&id=0/one/1", &[], None).status, 404);
}

#[test]
fn games_that_come_later_are_counted_when_the_openings_are_asked_for_again() {
    let root = tempfile::tempdir().unwrap();
    let path = folder(root.path(), "one", &["c3c4 e6e5"]);
    let server = Server::start(std::slice::from_ref(&path));
    let games = |path: &str| server.get(&format!("{path}?variant=wangqi&source=one"))["games"].clone();
    assert_eq!(games("/api/explorer"), 1);
    let (store, _) = DataStore::open(&path).unwrap();
    let game = Game::<Wangqi>::from_moves_text(Rules::default(), Position::start(), "g3g4").unwrap();
    let record = GameRecord { game_id: 9, ..GameRecord::of(&game, Outcome::win(Side::First, Termination::Resign)) };
    store.commit_shard(0, "later", &[record], &Provenance::default()).unwrap();
    assert_eq!(games("/api/explorer/position"), 1, "what a page shows stays the same while somebody walks through it");
    assert_eq!(games("/api/explorer"), 2);
    assert_eq!(games("/api/explorer/position"), 2);
}

#[test]
fn each_choice_of_setups_is_a_start() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("janggi");
    let (store, _) = DataStore::open(&path).unwrap();
    let game = |(id, setups): (usize, &[&str; 2])| {
        let start = Position::<Janggi>::start_with(*setups).unwrap();
        let mut moves = rules::MoveList::new();
        start.legal_moves(&mut moves);
        let mut game = Game::from_position(Rules::default(), start);
        game.play(moves[0]);
        GameRecord { game_id: id as u64, ..GameRecord::of(&game, Outcome::win(Side::First, Termination::Resign)) }
    };
    let setups = [["inner", "outer"], ["outer", "inner"], ["inner", "outer"]];
    let games: Vec<GameRecord<Janggi>> = setups.iter().enumerate().map(game).collect();
    store.commit_shard(0, "local", &games, &Provenance::default()).unwrap();
    let server = Server::start(&[path]);
    let starts = server.get("/api/explorer?variant=janggi&source=janggi")["starts"].clone();
    assert_eq!((&starts[0]["setups"], &starts[0]["games"]), (&json!(["inner", "outer"]), &json!(2)));
    assert_eq!((&starts[1]["setups"], &starts[1]["games"]), (&json!(["outer", "inner"]), &json!(1)));
    let answer = server.get("/api/explorer/position?variant=janggi&source=janggi&setups=inner,outer");
    assert_eq!((&answer["games"], answer["moves"].as_array().unwrap().len()), (&json!(2), 1));
}

/// In casual games the generals 將 may come to face each other, which the default rule set does not allow.
#[test]
fn games_are_chosen_by_their_rule_set_and_the_network_follows_it() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("janggi");
    let (store, _) = DataStore::open(&path).unwrap();
    let facing = ["e4d4", "e7d7"];
    let game = |id: u64, ruleset: &str, moves: &[&str]| {
        let mut game = Game::<Janggi>::start(Rules::named(ruleset).unwrap());
        for text in moves {
            let mv = game.position().parse_move(text).unwrap_or_else(|error| panic!("{ruleset}, {text}: {error}"));
            game.play(mv);
        }
        GameRecord { game_id: id, ..GameRecord::of(&game, Outcome::win(Side::First, Termination::Resign)) }
    };
    let games = [game(1, "kja", &["e4d4", "a7b7"]), game(2, "casual", &facing), game(3, "casual", &facing)];
    store.commit_shard(0, "local", &games, &Provenance::default()).unwrap();
    let server = Server::start(std::slice::from_ref(&path));

    let folders = GameFolders::new(vec![DataStore::open_read_only(&path).unwrap()]);
    let asked = "/api/explorer/position?variant=janggi&source=janggi";
    let all = server.get(&format!("{asked}&moves=e4d4"));
    assert_eq!(all["games"], 3);
    for (ruleset, expected) in [("kja", 1), ("casual", 2)] {
        let filter = GameFilter { ruleset: Some(ruleset.to_owned()), ..GameFilter::default() };
        let table = folders.openings(&OpeningQuery { filter, ..OpeningQuery::new("janggi") }).unwrap();
        let answer = server.get(&format!("{asked}&only=ruleset:{ruleset}"));
        assert_eq!((&answer["games"], table.games), (&json!(expected), expected), "{ruleset}");
    }

    let Some(mut browser) = Browser::find() else { return };
    browser.go(&server.page("/explorer"), 1000, "document.querySelectorAll('tr.row').length === 1");
    assert!(
        browser
            .value("document.querySelector('[data-facet=ruleset]').textContent")
            .as_str()
            .unwrap()
            .contains("casual")
    );
    browser.click("document.querySelector('.opinion input')");
    for text in facing {
        let row = format!("[...document.querySelectorAll('tr.row')].find((row) => row.dataset.key.endsWith('{text}'))");
        browser.wait_until(&format!("{row} !== undefined"));
        browser.click(&row);
    }
    browser.wait_until("document.querySelectorAll('.crumbs button').length >= 2");
    browser.wait_until("document.querySelectorAll('.opinion tbody tr').length > 0");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

/// A folder of games from three pairs of setups, and these pairs.
fn from_setups(root: &Path) -> (PathBuf, [[&'static str; 2]; 3]) {
    let path = root.join("janggi");
    let (store, _) = DataStore::open(&path).unwrap();
    let pairs = [["inner", "outer"], ["outer", "inner"], ["left", "right"]];
    let game = |number: usize| {
        let mut game =
            Game::from_position(Rules::default(), Position::<Janggi>::start_with(pairs[number % 3]).unwrap());
        let (mut random, mut legal) = (number as u64 + 1, rules::MoveList::new());
        for _ in 0..8 {
            game.legal_moves(&mut legal);
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let share = (random >> 40) as f64 / (1u64 << 24) as f64;
            game.play(legal[(share.powi(3) * legal.len() as f64) as usize]);
        }
        let outcome = match number % 4 {
            0 => Outcome::draw(Termination::Adjudicated),
            1 => Outcome::win(Side::Second, Termination::Resign),
            _ => Outcome::win(Side::First, Termination::Resign),
        };
        GameRecord { game_id: number as u64, ..GameRecord::of(&game, outcome) }
    };
    store.commit_shard(0, "local", &(0..120).map(game).collect::<Vec<_>>(), &Provenance::default()).unwrap();
    (path, pairs)
}

#[test]
fn all_setups_together_have_the_sums_of_the_command_openings() {
    let root = tempfile::tempdir().unwrap();
    let (path, pairs) = from_setups(root.path());
    let server = Server::start(std::slice::from_ref(&path));
    let folders = GameFolders::new(vec![DataStore::open_read_only(&path).unwrap()]);
    let query = OpeningQuery { depth: 3, ..OpeningQuery::new("janggi") };
    let mut table = folders.openings(&query).unwrap();
    table.sum_setups(1);
    let counts = |row: &data::OpeningRow| [row.games, row.first_wins, row.draws, row.first_losses];
    let mut from_few = 0;
    for line in std::iter::once("").chain(table.rows.iter().filter(|row| row.ply < 3).map(|row| row.moves.as_str())) {
        let mut expected: BTreeMap<String, [u64; 4]> = BTreeMap::new();
        let mut allowing = 0;
        for pair in pairs {
            let mut position = Position::<Janggi>::start_with(pair).unwrap();
            let mut play = |text: &str| {
                position.parse_move(text).is_ok_and(|mv| {
                    position.play(mv);
                    true
                })
            };
            if !line.split_whitespace().all(&mut play) {
                continue;
            }
            allowing += 1;
            let origin = Some(OpeningOrigin::of(&position));
            for row in folders.openings(&OpeningQuery { depth: 1, origin, ..query.clone() }).unwrap().rows {
                let sum = expected.entry(row.moves.clone()).or_default();
                sum.iter_mut().zip(counts(&row)).for_each(|(sum, part)| *sum += part);
            }
        }
        from_few += usize::from(allowing < pairs.len());
        if line.is_empty() {
            let of_table = table.rows.iter().filter(|row| row.ply == 1);
            expected = of_table.map(|row| (row.moves.clone(), counts(row))).collect();
        }
        let answer = server.get(&format!(
            "/api/explorer/position?variant=janggi&source=janggi&setups=any,any&moves={}",
            escaped(line)
        ));
        let found = |row: &Value| ["games", "first", "draws", "second"].map(|key| row[key].as_u64().unwrap());
        let moves = answer["moves"].as_array().unwrap().iter();
        let found: BTreeMap<String, [u64; 4]> =
            moves.map(|row| (row["uci"].as_str().unwrap().to_owned(), found(row))).collect();
        assert_eq!(found, expected, "{line}");
        assert!(answer["moves"].as_array().unwrap().iter().all(|row| row["text"].is_string()), "{answer}");
    }
    assert!(from_few > 0, "no line that only some setups allow");
    // Of one player the setup may be named.
    let games = |setups: &str| {
        let asked = format!("/api/explorer/position?variant=janggi&source=janggi&setups={setups}");
        server.get(&asked)["games"].clone()
    };
    assert_eq!(
        ["any,any", "inner,any", "any,right", "inner,right"].map(games),
        [120, 40, 40, 0].map(|games| json!(games))
    );
    let wrong = server.ask_with("/api/explorer/position?variant=janggi&source=janggi&setups=any,none", &[], None);
    assert_eq!(wrong.status, 422);

    let Some(mut browser) = Browser::find() else { return };
    browser.go(&server.page("/explorer"), 1000, "document.querySelectorAll('tr.row').length === 4");
    browser.click("document.querySelector('tr.row')");
    browser.wait_until("location.hash.includes('setups=any.any')");
    let first = "document.querySelector('tr.row').dataset.key";
    assert_eq!(browser.value(first), json!(table.rows[0].moves));
    let games = "document.querySelector('tr.row .games').firstChild.data";
    assert_eq!(browser.value(games), json!(table.rows[0].games.to_string()));
    browser.wait_until("document.querySelector('.tree .note').textContent.endsWith('Other setups differ.')");
    // A network says what it thinks of the board that is shown.
    browser.click("document.querySelector('.opinion input')");
    browser.wait_until("document.querySelectorAll('.opinion tbody tr').length > 0");
    let address = browser.address();
    browser.go(&address, 400, "document.querySelectorAll('.crumbs button').length === 2");
    assert_eq!(browser.value("document.querySelectorAll('.crumbs button')[1].textContent"), "All setups");
    assert_eq!(browser.value(first), json!(table.rows[0].moves));
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn rare_lines_are_walked_to_the_end_of_their_games() {
    let Some(mut browser) = Browser::find() else { return };
    let root = tempfile::tempdir().unwrap();
    let (path, games) = shared_openings(root.path());
    let server = Server::start(&[path]);
    let ready = "document.querySelectorAll('tr.row').length > 1";
    browser.go(&server.page("/explorer"), 1000, ready);
    let whole = &games[300];
    let moves: Vec<&str> = whole.moves_text.split(' ').collect();
    for (ply, uci) in moves.iter().enumerate() {
        // Few moves are shown at first where many were played.
        let row = format!("document.querySelector('tr.row[data-key=\"{uci}\"]')");
        browser.wait_until(&format!("{row} !== null || document.querySelector('.more') !== null"));
        if browser.value(&format!("{row} === null")) == json!(true) {
            browser.click("document.querySelector('.more')");
        }
        browser.click(&row);
        browser.wait_until(&format!("document.querySelectorAll('.crumbs button').length === {}", ply + 2));
    }
    assert!(moves.len() > 20, "deeper than the tree of a report, {}", moves.len());
    browser.wait_until("document.querySelector('.tree .absent') !== null");
    let status = "document.querySelector('.tree .status').textContent";
    assert!(browser.value(status).as_str().unwrap().starts_with("1 game here"), "{}", browser.value(status));
    // The game itself, then a reload at this address.
    browser.click("document.querySelector('.games .choice')");
    browser.wait_until("document.querySelector('.viewer .status') !== null");
    browser.wait_until("location.hash.includes('game=')");
    let address = browser.address();
    browser.go(&address, 400, "document.querySelector('.viewer .status') !== null");
    assert_eq!(browser.value("document.documentElement.scrollWidth <= 400"), true);
    // A condition of the form counts other games of the same position.
    browser.go(&server.page("/explorer"), 1000, ready);
    browser.click("document.querySelector('.filters summary')");
    browser.value(
        "(() => { const select = document.querySelector('[data-facet=result] select'); select.value = 'draw';
        select.dispatchEvent(new Event('input', { bubbles: true })); })()",
    );
    browser.wait_until("document.querySelector('.filter-status').textContent.includes(' of 400 games')");
    let drawn = server.get("/api/explorer?variant=wangqi&source=shared&only=result:draw")["starts"][0]["games"].clone();
    browser.wait_until(&format!("{status}.startsWith('{drawn} games here')"));
    assert_eq!(browser.complaints, Vec::<String>::new());
}
