//! Sample games: which are taken, and the values of their positions.

use data::{DataStore, GameFolders, GameRecord, GameSource, OpeningQuery, PositionRecord, Provenance};
use rules::{Game, Outcome, Position, Rules, Side, Termination, Wangqi};

/// A game of these moves, its first `searched` positions searched with a chance of a win of 0.5 and of a draw of 0.25.
fn record(generation: u32, game_id: u64, moves: &str, searched: usize) -> GameRecord<Wangqi> {
    let game = Game::from_moves_text(Rules::default(), Position::start(), moves).unwrap();
    let position = |ply: usize| PositionRecord {
        ply: ply as u16,
        side: game.positions()[ply].side(),
        mv: game.moves()[ply],
        policy_move: vec![game.moves()[ply]],
        policy_visits: vec![1],
        root_wdl: [0.5, 0.25, 0.25],
        ..PositionRecord::default()
    };
    let positions = (0..searched).map(position).collect();
    let outcome = Outcome::win(Side::First, Termination::Resign);
    GameRecord { game_id, generation, positions, ..GameRecord::of(&game, outcome) }
}

fn store() -> (tempfile::TempDir, DataStore) {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = DataStore::open(folder.path()).unwrap();
    let mut begun_later = record(1, 9, "c3c4 e6e5", 2);
    begun_later.positions.remove(0);
    let generations = [
        vec![record(0, 1, "c3c4", 1)],
        vec![
            record(1, 8, "d3d4 e6e5 c3c4", 3),
            begun_later,
            record(1, 7, "c3c4 f6f5", 2),
            record(1, 6, "d3d4 f6f5", 1),
            record(1, 5, "d3d4 e6e5", 2),
            record(1, 4, "d3d4", 1),
        ],
    ];
    for games in generations {
        store.commit_shard(games[0].generation, "local", &games, &Provenance::default()).unwrap();
    }
    (folder, store)
}

fn sample(store: &DataStore, most: usize, most_plies: usize) -> Vec<u64> {
    let games = GameFolders::from(store.clone()).sample_games::<Wangqi>(most, most_plies).unwrap();
    games.iter().map(|game| game.record.game_id).collect()
}

#[test]
fn generations_and_in_them_beginnings_take_turns() {
    let (_folder, store) = store();
    // In generation 1 d3d4 was played four times and c3c4 once; game 9 began with a move that was not searched.
    assert_eq!(sample(&store, 99, 99), [4, 7, 5, 6, 8, 1]);
    assert_eq!(sample(&store, 3, 99), [4, 7, 1]);
    assert_eq!(sample(&store, 1, 99), [4]);
    // Game 8 has more plies than may still be added.
    assert_eq!(sample(&store, 99, 9), [4, 7, 5, 6, 1]);
    assert!(sample(&store, 0, 99).is_empty());
}

#[test]
fn a_long_game_leaves_room_for_the_other_generations() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = DataStore::open(folder.path()).unwrap();
    let generations =
        [vec![record(0, 1, "c3c4", 1)], vec![record(1, 2, "d3d4 e6e5 c3c4 f6f5", 4), record(1, 3, "c3c4 e6e5", 2)]];
    for games in generations {
        store.commit_shard(games[0].generation, "local", &games, &Provenance::default()).unwrap();
    }
    assert_eq!(sample(&store, 9, 4), [3, 1], "game 2 would take all four plies");
}

#[test]
fn values_are_those_of_the_first_player() {
    let (_folder, store) = store();
    let games = GameFolders::from(store).sample_games::<Wangqi>(5, 99).unwrap();
    assert_eq!(games[1].values, [Some(0.625), Some(0.375)]);
    assert_eq!(games[3].values, [Some(0.625), None]);
    assert!(games.iter().all(|game| game.values.len() == game.record.plies() && game.record.positions.is_empty()));
}

#[test]
fn games_that_no_statistics_count_are_sampled_only_where_there_are_no_others() {
    let (_folder, store) = store();
    let mut unchosen = record(2, 20, "c3c4 e6e5", 2);
    unchosen.positions.remove(0);
    store.commit_shard(2, "local", &[unchosen.clone()], &Provenance::default()).unwrap();
    assert_eq!(sample(&store, 1, 99), [4]);
    let folder = tempfile::tempdir().unwrap();
    let (alone, _) = DataStore::open(folder.path()).unwrap();
    alone.commit_shard(2, "local", &[unchosen], &Provenance::default()).unwrap();
    assert_eq!(sample(&alone, 1, 99), [20]);
    assert!(GameFolders::from(store).sample_games::<rules::Xiangqi>(9, 99).unwrap().is_empty());
}

#[test]
fn counted_games_are_those_of_the_table_with_what_is_known_of_them() {
    let (_folder, store) = store();
    let folders = GameFolders::from(store);
    let query = OpeningQuery { depth: 2, ..OpeningQuery::new("wangqi") };
    let (table, games) = folders.openings_with_games(&query, 99).unwrap();
    assert_eq!((table.games, table.clone()), (6, folders.openings(&query).unwrap()));
    let told: Vec<_> = games.iter().map(|game| (game.generation, game.plies, game.moves.as_str())).collect();
    let wanted = [
        (0, 1, "c3c4"),
        (1, 1, "d3d4"),
        (1, 2, "d3d4 e6e5"),
        (1, 2, "d3d4 f6f5"),
        (1, 2, "c3c4 f6f5"),
        (1, 3, "d3d4 e6e5"),
    ];
    assert_eq!(told, wanted);
    assert!(games.iter().all(|game| game.source == GameSource::SelfPlay && game.event.is_none()));
    let few = folders.openings_with_games(&query, 2).unwrap().1;
    assert_eq!(few, [games[2].clone(), games[5].clone()], "every third one");
}
