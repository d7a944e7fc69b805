//! Filters of games: each condition counted by hand, what is left out, and what a filter that leaves nothing says.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use data::{
    Criterion, DataStore, Excluded, ExcludedGames, GameFilter, GameFolders, GameRecord, GameSource, IMPORTED,
    OpeningQuery, OpeningTable, PositionRecord, Provenance,
};
use rules::{Game, GameResult, Outcome, Position, Rules, Termination, Wangqi};

/// A game with every position searched.
fn record(game_id: u64, moves: &str, result: GameResult) -> GameRecord<Wangqi> {
    let game = Game::from_moves_text(Rules::default(), Position::start(), moves).unwrap();
    let key = |ply: usize| game.positions()[ply].key().to_bytes();
    let position = |ply: usize| PositionRecord {
        ply: ply as u16,
        side: game.positions()[ply].side(),
        mv: game.moves()[ply],
        pos_key: key(ply),
        parent_key: ply.checked_sub(1).map(key),
        policy_move: vec![game.moves()[ply]],
        policy_visits: vec![1],
        root_wdl: [0.0, 1.0, 0.0],
        ..PositionRecord::default()
    };
    let positions = (0..game.moves().len()).map(position).collect();
    let outcome = Outcome { result, termination: Termination::Adjudicated, points: None };
    GameRecord { game_id, positions, ..GameRecord::of(&game, outcome) }
}

/// | id | generation | source    | players       | rule set               | moves          | result |
/// |----|------------|-----------|---------------|------------------------|----------------|--------|
/// | 1  | 0          | self-play | aa01 – aa01   | standard               | C E            | first  |
/// | 2  | 0          | import    | Kim – Lee     | standard               | C              | draw   |
/// | 3  | 1          | self-play | aa01 – bb02   | standard max-plies=160 | D E C          | second |
/// | 4  | 1          | self-play | bb02 – bb02   | standard               | C E D F        | first  |
fn store() -> (tempfile::TempDir, DataStore) {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = DataStore::open(folder.path()).unwrap();
    let by =
        |first: &str, second: &str, game| GameRecord { net_first: first.into(), net_second: second.into(), ..game };
    let one = by("aa01", "aa01", record(1, "c3c4 e6e5", GameResult::FirstWins));
    let mut two = by("Kim", "Lee", record(2, "c3c4", GameResult::Draw));
    two.run_id = IMPORTED.to_owned();
    (two.event, two.started_at) = (Some("Seoul Open".to_owned()), 1_700_000_000_000); // 14 November 2023
    (two.rating_first, two.rating_second) = (Some(1799.6), None);
    let mut three = by("aa01", "bb02", record(3, "d3d4 e6e5 c3c4", GameResult::SecondWins));
    three.sheet.rules = "standard max-plies=160".parse().unwrap();
    let mut four = by("bb02", "bb02", record(4, "c3c4 e6e5 d3d4 f6f5", GameResult::FirstWins));
    (three.generation, four.generation) = (1, 1);
    store.commit_shard(0, "local", &[one, two], &Provenance::default()).unwrap();
    store.commit_shard(1, "local", &[three, four], &Provenance::default()).unwrap();
    (folder, store)
}

fn openings(store: &DataStore, filter: &GameFilter) -> OpeningTable {
    let query = OpeningQuery { filter: filter.clone(), depth: 3, ..OpeningQuery::new("wangqi") };
    store.openings(&query).unwrap()
}

/// The ids that the same filter leaves of whole games.
fn ids(store: &DataStore, filter: &GameFilter) -> (Vec<u64>, Excluded) {
    let (folders, mut tally) = (GameFolders::from(store.clone()), ExcludedGames::default());
    let mut ids = Vec::new();
    for shard in folders.shards_for("wangqi", filter, &mut tally.excluded).unwrap() {
        let games = folders.read_games_for::<Wangqi>(&shard, filter, &mut tally).unwrap();
        ids.extend(games.iter().map(|game| game.game_id));
    }
    (ids, tally.excluded)
}

/// A filter, the ids of the games that it keeps, and how many it leaves out by each condition.
type FilterCase<'a> = (GameFilter, &'a [u64], &'a [(Criterion, u64)]);

#[test]
fn each_condition_by_hand() {
    let (_folder, store) = store();
    let all = GameFilter::default;
    let text = |text: &str| Some(text.to_owned());
    let day = |day: u32| NaiveDate::from_ymd_opt(2023, 11, day).unwrap();
    let cases: Vec<FilterCase<'_>> = vec![
        (all(), &[1, 2, 3, 4], &[]),
        (GameFilter { generations: 1..=9, ..all() }, &[3, 4], &[(Criterion::Generation, 2)]),
        (GameFilter { ruleset: text("standard"), ..all() }, &[1, 2, 3, 4], &[]),
        (GameFilter { ruleset: text("standard max-plies=160"), ..all() }, &[3], &[(Criterion::Ruleset, 3)]),
        (GameFilter { source: Some(GameSource::Import), ..all() }, &[2], &[(Criterion::Source, 3)]),
        (GameFilter { source: Some(GameSource::SelfPlay), ..all() }, &[1, 3, 4], &[(Criterion::Source, 1)]),
        (GameFilter { network: text("bb"), ..all() }, &[3, 4], &[(Criterion::Network, 2)]),
        (GameFilter { network: text("Kim"), ..all() }, &[], &[(Criterion::Network, 4)]),
        (GameFilter { player: text("kIM"), ..all() }, &[2], &[(Criterion::Player, 3)]),
        (GameFilter { player: text("aa01"), ..all() }, &[], &[(Criterion::Player, 4)]),
        (GameFilter { event: text("open"), ..all() }, &[2], &[(Criterion::Event, 3)]),
        (GameFilter { event: text("Busan"), ..all() }, &[], &[(Criterion::Event, 4)]),
        // What is not known is in no range.
        (GameFilter { dates: day(14)..=NaiveDate::MAX, ..all() }, &[2], &[(Criterion::Date, 3)]),
        (GameFilter { dates: NaiveDate::MIN..=day(13), ..all() }, &[], &[(Criterion::Date, 4)]),
        (GameFilter { ratings: 1800..=1800, ..all() }, &[2], &[(Criterion::Rating, 3)]),
        (GameFilter { ratings: 0..=1799, ..all() }, &[], &[(Criterion::Rating, 4)]),
        (GameFilter { result: Some(GameResult::FirstWins), ..all() }, &[1, 4], &[(Criterion::Result, 2)]),
        (GameFilter { plies: 2..=3, ..all() }, &[1, 3], &[(Criterion::Plies, 2)]),
        // A game is counted once, under the first condition that it does not meet.
        (
            GameFilter { generations: 1..=1, network: text("aa"), plies: 4..=9, ..all() },
            &[],
            &[(Criterion::Generation, 2), (Criterion::Network, 1), (Criterion::Plies, 1)],
        ),
    ];
    for (filter, kept, excluded) in cases {
        let excluded: Excluded = BTreeMap::from_iter(excluded.iter().copied());
        assert_eq!(ids(&store, &filter), (kept.to_vec(), excluded.clone()), "{filter:?}");
        let table = openings(&store, &filter);
        assert_eq!((table.games, table.excluded), (kept.len() as u64, excluded), "{filter:?}");
    }
}

/// Games that are left out do not count among those that reached a position either.
#[test]
fn transpositions_count_the_same_games() {
    let (_folder, store) = store();
    let reached = |filter: &GameFilter| {
        let table = openings(&store, filter);
        let row = table.rows.into_iter().find(|row| row.moves == "c3c4 e6e5 d3d4").unwrap();
        (row.games, row.position_games)
    };
    assert_eq!(reached(&GameFilter::default()), (1, Some(1)));
    // Game 5 reaches that position by the moves of game 3, and only now is it known that these lead to it.
    let mut five = record(5, "d3d4 e6e5 c3c4 f6f5", GameResult::Draw);
    five.generation = 2;
    store.commit_shard(2, "local", &[five], &Provenance::default()).unwrap();
    assert_eq!(reached(&GameFilter::default()), (1, Some(3)));
    assert_eq!(reached(&GameFilter { result: Some(GameResult::FirstWins), ..GameFilter::default() }), (1, Some(1)));
}

#[test]
fn few_games_are_counted_as_left_out() {
    let (_folder, store) = store();
    let query = OpeningQuery { depth: 3, min_games: 2, ..OpeningQuery::new("wangqi") };
    let table = store.openings(&query).unwrap();
    // d3d4 once; after c3c4 e6e5 (2 games) d3d4 once.
    assert_eq!((table.rows.len(), table.rare_lines), (2, 2));
}

#[test]
fn a_filter_that_leaves_nothing_says_what_there_is() {
    let (_folder, store) = store();
    let all = GameFilter::default;
    let text = |text: &str| Some(text.to_owned());
    let said = |filter: GameFilter| {
        GameFolders::from(store.clone()).none_left("wangqi", &filter).unwrap().unwrap().to_string()
    };
    for (filter, wanted) in [
        (
            GameFilter { network: text("cc"), ..all() },
            "no game has network cc; there are aa01 (2 games), bb02 (2 games)",
        ),
        (GameFilter { player: text("Cho"), ..all() }, "no game has player Cho; there are Kim (1 game), Lee (1 game)"),
        (
            GameFilter { generations: 7..=u32::MAX, ..all() },
            "no game has generation from 7; there are 0 (2 games), 1 (2 games)",
        ),
        (
            GameFilter { plies: 0..=0, ..all() },
            "no game has length up to 0; there are 1 (1 game), 2 (1 game), 3 (1 game), 4 (1 game)",
        ),
        (
            GameFilter { ruleset: text("old"), ..all() },
            "no game has rule set old; there are standard (3 games), standard max-plies=160 (1 game)",
        ),
        (
            GameFilter { network: text("bb"), result: Some(GameResult::Draw), ..all() },
            "no game meets all of: network bb (2 games), result draw (1 game)",
        ),
    ] {
        assert_eq!(said(filter), wanted);
    }
    assert_eq!(GameFolders::from(store.clone()).none_left("wangqi", &all()).unwrap(), None);
    let draws = GameFilter { result: Some(GameResult::Draw), ..all() };
    assert_eq!(GameFolders::from(store.clone()).none_left("xiangqi", &draws).unwrap(), None, "no games at all");
}
