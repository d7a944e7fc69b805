//! Opening statistics against a table worked out by hand, and against a slow count over many games.

use crate::synthetic;
use std::collections::{BTreeMap, BTreeSet};

use data::{
    Criterion, DataStore, Excluded, GameFilter, GameFolders, GameRecord, OpeningOrigin, OpeningQuery, OpeningTable,
    PositionKey, PositionRecord, Provenance, wilson,
};
use rules::{
    Game, GameResult, Janggi, Move, MoveList, Outcome, Position, Rulebook, Rules, Side, Termination, Variant, Wangqi,
};
use testkit::SplitMix64;

/// A game of these moves from the start, each position searched.
fn record(game_id: u64, moves: &[&str], result: i32) -> GameRecord<Wangqi> {
    record_from(Position::start(), game_id, moves, result)
}

fn record_from<V: Variant>(start: Position<V>, game_id: u64, moves: &[&str], result: i32) -> GameRecord<V> {
    let game = Game::from_moves_text(Rules::default(), start, &moves.join(" ")).unwrap();
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
    let positions = (0..moves.len()).map(position).collect();
    let result = GameResult::try_from(result).unwrap();
    let termination = if result == GameResult::Draw { Termination::Repetition } else { Termination::Checkmate };
    GameRecord { game_id, positions, ..GameRecord::of(&game, Outcome { result, termination, points: None }) }
}

fn store_of(generations: &[Vec<GameRecord<Wangqi>>]) -> (tempfile::TempDir, DataStore) {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = DataStore::open(folder.path()).unwrap();
    for games in generations {
        let generation = games[0].generation;
        store.commit_shard(generation, "local", games, &Provenance::default()).unwrap();
    }
    (folder, store)
}

const C: &str = "c3c4";
const D: &str = "d3d4";
const E: &str = "e6e5";
const F: &str = "f6f5";
const G: &str = "g3g4";

/// Four games of generation 0 and two of generation 1:
///
/// | id | moves       | result |
/// |----|-------------|--------|
/// | 1  | C E D F     | +1     |
/// | 2  | D E C F     | −1     | the position after three plies is that of game 1
/// | 3  | C E         | 0      |
/// | 4  | C F D       | +1     |
/// | 5  | (from a FEN) C E | −1 |
/// | 6  | C E D       | +1     | generation 1
/// | 7  | G           | −1     | generation 1; no position was searched
fn by_hand() -> (tempfile::TempDir, DataStore) {
    // The board of the start, and not the start.
    let elsewhere = Wangqi::START.replace(" 0 1", " 4 3");
    let mut from_fen = record_from(Position::from_fen(&elsewhere).unwrap(), 5, &[C, E], -1);
    from_fen.positions.clear();
    let mut later = vec![record(6, &[C, E, D], 1), record(7, &[G], -1)];
    later[1].positions.clear();
    for game in &mut later {
        game.generation = 1;
    }
    let first = vec![
        record(1, &[C, E, D, F], 1),
        record(2, &[D, E, C, F], -1),
        record(3, &[C, E], 0),
        record(4, &[C, F, D], 1),
        from_fen,
    ];
    store_of(&[first, later])
}

/// `moves: games, wins/draws/losses, score, games at the position`
fn lines(table: &OpeningTable) -> Vec<String> {
    let line = |row: &data::OpeningRow| {
        let setup = row
            .setup_first
            .as_ref()
            .map_or(String::new(), |first| format!("[{first} {}] ", row.setup_second.as_deref().unwrap_or("-")));
        let reached = row.position_games.map_or("-".to_owned(), |games| games.to_string());
        let results = format!("{}/{}/{}", row.first_wins, row.draws, row.first_losses);
        format!("{setup}{}: {}, {results}, {:.3}, {reached}", row.moves, row.games, row.score)
    };
    table.rows.iter().map(line).collect()
}

#[test]
fn worked_out_by_hand() {
    let (_folder, store) = by_hand();
    let table = store.openings(&OpeningQuery { depth: 4, ..OpeningQuery::new("wangqi") }).unwrap();
    assert_eq!((table.games, table.other_starts, table.unchosen), (6, 1, 0));
    let start = &table.starts[0];
    assert_eq!((table.starts.len(), start.games, &start.setup_first), (1, 6, &None));
    assert_eq!([start.first_wins, start.draws, start.first_losses], [3, 1, 2]);
    assert_eq!(
        lines(&table),
        [
            "c3c4: 4, 3/1/0, 0.875, 4",
            "d3d4: 1, 0/0/1, 0.000, 1",
            "g3g4: 1, 0/0/1, 0.000, -",
            // Game 3 has no search of the position after its last move; it reached the position by this line all the
            // same.
            "c3c4 e6e5: 3, 2/1/0, 0.167, 3",
            "c3c4 f6f5: 1, 1/0/0, 0.000, 1",
            "d3d4 e6e5: 1, 0/0/1, 1.000, 1",
            "c3c4 e6e5 d3d4: 2, 2/0/0, 1.000, 3",
            "c3c4 f6f5 d3d4: 1, 1/0/0, 1.000, -",
            "d3d4 e6e5 c3c4: 1, 0/0/1, 0.000, 3",
            "c3c4 e6e5 d3d4 f6f5: 1, 1/0/0, 0.000, -",
            "d3d4 e6e5 c3c4 f6f5: 1, 0/0/1, 1.000, -",
        ]
    );
    let row = &table.rows[0];
    assert!((row.share - 4.0 / 6.0).abs() < 1e-12);
    assert_eq!((row.score_low, row.score_high), wilson(0.875, 4));
    let json = serde_json::to_value(&table).unwrap();
    assert_eq!(json["rows"][0]["moves"], "c3c4");
    assert_eq!(json["rows"][2]["position_games"], serde_json::Value::Null);
}

/// The same moves after other setups are other lines.
#[test]
fn set_ups_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = DataStore::open(folder.path()).unwrap();
    let start = |setups| Position::<Janggi>::start_with(setups).unwrap();
    let [inner, outer] = [["inner", "inner"], ["outer", "inner"]].map(start);
    let move_of = ["a4b4"];
    let games = [
        record_from(inner.clone(), 1, &move_of, 1),
        record_from(inner, 2, &move_of, 1),
        record_from(outer, 3, &move_of, -1),
    ];
    store.commit_shard(0, "local", &games, &Provenance::default()).unwrap();
    let table = store.openings(&OpeningQuery::new("janggi")).unwrap();
    assert_eq!(lines(&table), ["[inner inner] a4b4: 2, 2/0/0, 1.000, -", "[outer inner] a4b4: 1, 0/0/1, 0.000, -"]);
    let starts = table.starts.iter().map(|start| {
        let setups = [&start.setup_first, &start.setup_second].map(|setup| setup.clone().unwrap_or_default());
        (setups.join(" "), start.games, [start.first_wins, start.draws, start.first_losses])
    });
    let wanted = [("inner inner".to_owned(), 2, [2, 0, 0]), ("outer inner".to_owned(), 1, [0, 0, 1])];
    assert!(starts.eq(wanted), "{:?}", table.starts);
}

/// The same moves after other setups are one line where the setups are summed, and rare lines are rare in the sum.
#[test]
fn lines_are_summed_over_setups_and_setups_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = DataStore::open(folder.path()).unwrap();
    let start = |setups| Position::<Janggi>::start_with(setups).unwrap();
    let [inner, outer, left] = [["inner", "inner"], ["outer", "inner"], ["inner", "left"]].map(start);
    let games = [
        record_from(inner.clone(), 1, &["a4b4", "a7b7", "e2e2"], 1),
        record_from(inner, 2, &["a4b4"], 1),
        record_from(outer, 3, &["a4b4", "a7b7", "i4h4"], -1),
        record_from(left, 4, &["c4d4"], 0),
    ];
    store.commit_shard(0, "local", &games, &Provenance::default()).unwrap();
    let all = store.openings(&OpeningQuery::new("janggi")).unwrap();
    let mut sum = all.clone();
    sum.sum_setups(1);
    assert_eq!((sum.games, sum.starts.len(), sum.rare_lines), (4, 3, 0));
    assert_eq!(
        lines(&sum),
        [
            "a4b4: 3, 2/0/1, 0.667, 3",
            "c4d4: 1, 0/1/0, 0.500, -",
            // The positions differ by their setups; the games that reached each are summed.
            "a4b4 a7b7: 2, 1/0/1, 0.500, 2",
            "a4b4 a7b7 e2e2: 1, 1/0/0, 1.000, -",
            "a4b4 a7b7 i4h4: 1, 0/0/1, 0.000, -",
        ]
    );
    assert!((sum.rows[0].share - 0.75).abs() < 1e-12);
    assert_eq!((sum.rows[0].score_low, sum.rows[0].score_high), wilson(2.0 / 3.0, 3));

    let mut frequent = all.clone();
    frequent.sum_setups(2);
    assert_eq!(lines(&frequent).len(), 2);
    assert_eq!(frequent.rare_lines, 3, "c4d4, and both lines of three plies");

    let chosen = |setups: [Option<&str>; 2]| {
        let setups = setups.map(|setup| setup.map(str::to_owned));
        store.openings(&OpeningQuery { setups, ..OpeningQuery::new("janggi") }).unwrap()
    };
    let of_first = chosen([Some("inner"), None]);
    assert_eq!((of_first.games, of_first.other_setups, of_first.starts.len(), of_first.rows.len()), (3, 1, 2, 4));
    assert!((of_first.rows.iter().filter(|row| row.ply == 1).map(|row| row.share).sum::<f64>() - 1.0).abs() < 1e-12);
    // Where a position was reached, games from other setups count.
    let from_setups = all.rows.iter().filter(|row| row.setup_first.as_deref() == Some("inner"));
    assert!(of_first.rows.iter().map(|row| row.position_games).eq(from_setups.map(|row| row.position_games)));
    let mut of_both = chosen([Some("inner"), Some("left")]);
    of_both.sum_setups(1);
    assert_eq!(lines(&of_both), ["[inner left] c4d4: 1, 0/1/0, 0.500, -"]);
}

/// Games of four plies from several setups: the first legal moves are likelier, some positions were not searched.
fn games_from_setups(count: u64) -> Vec<GameRecord<Janggi>> {
    let record = |game_id| {
        let mut numbers = SplitMix64(game_id);
        let setups = Janggi::SETUPS;
        let mut setup = || setups[numbers.below(2) as usize].name;
        let mut game =
            Game::<Janggi>::from_position(Rules::default(), Position::start_with([setup(), setup()]).unwrap());
        let mut legal = MoveList::new();
        for _ in 0..4 {
            game.legal_moves(&mut legal);
            game.play(legal[numbers.below(5).min(numbers.below(20)) as usize % legal.len()]);
        }
        let text = game.moves_text();
        let (moves, result) = (text.split(' ').collect::<Vec<_>>(), numbers.below(3) as i32 - 1);
        let mut record = record_from(game.positions()[0].clone(), game_id, &moves, result);
        record.positions.retain(|position| position.ply == 0 || numbers.below(3) > 0);
        record
    };
    (0..count).map(record).collect()
}

/// Leaving lines out while they are counted gives the table of all lines without those that are rare in the sum.
#[test]
fn lines_that_are_rare_from_all_setups_are_left_out_as_from_the_table_of_all() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = DataStore::open(folder.path()).unwrap();
    store.commit_shard(0, "local", &games_from_setups(600), &Provenance::default()).unwrap();
    let all = store.openings(&OpeningQuery::new("janggi")).unwrap();
    let by_line = |row: &data::OpeningRow| (row.moves.clone(), row.setup_first.clone(), row.setup_second.clone());
    for min_games in [1, 2, 3, 10, 1000] {
        let mut wanted = all.clone();
        wanted.sum_setups(min_games);
        let frequent: BTreeSet<&str> = wanted.rows.iter().map(|row| row.moves.as_str()).collect();
        let apart: Vec<_> = all.rows.iter().filter(|row| frequent.contains(row.moves.as_str())).cloned().collect();
        let query = OpeningQuery { min_games, over_setups: true, ..OpeningQuery::new("janggi") };
        let mut table = store.openings(&query).unwrap();
        assert_eq!(table.rows, apart, "{min_games}");
        assert_eq!(table.rare_lines, wanted.rare_lines, "{min_games}");
        table.sum_setups(min_games);
        assert_eq!(table, wanted, "{min_games}");
    }
    // Some lines are rare from each setup and frequent from all, and some positions are reached by rare lines, too.
    let query = |over_setups| OpeningQuery { min_games: 10, over_setups, ..OpeningQuery::new("janggi") };
    let [apart, together] = [false, true].map(|over_setups| store.openings(&query(over_setups)).unwrap());
    let alone: BTreeMap<_, _> = apart.rows.iter().map(|row| (by_line(row), row)).collect();
    assert!(together.rows.iter().any(|row| row.games < 10) && together.rows.len() > alone.len());
    assert!(together.rows.iter().any(|row| alone.get(&by_line(row)).is_some_and(|alone| *alone != row)));
}

/// Random moves, or those of an earlier game, have no rows and are no opening.
#[test]
fn games_whose_first_moves_nobody_chose_are_left_out() {
    let mut chosen_later = record(2, &[C, F, D], -1);
    chosen_later.positions.remove(0);
    let (_folder, store) = store_of(&[vec![record(1, &[C, E], 1), chosen_later, record(3, &[C, E, D], 0)]]);
    let table = store.openings(&OpeningQuery { depth: 2, ..OpeningQuery::new("wangqi") }).unwrap();
    assert_eq!((table.games, table.other_starts, table.unchosen), (2, 1, 1));
    assert_eq!(lines(&table), ["c3c4: 2, 1/1/0, 0.750, 3", "c3c4 e6e5: 2, 1/1/0, 0.250, 2"]);
}

#[test]
fn generations_and_few_games_are_left_out() {
    let (_folder, store) = by_hand();
    let of = |generations| GameFilter { generations, ..GameFilter::default() };
    let query = OpeningQuery { filter: of(1..=1), ..OpeningQuery::new("wangqi") };
    let table = store.openings(&query).unwrap();
    assert_eq!((table.games, table.other_starts), (2, 0));
    assert_eq!(table.rows.len(), 4);
    let query = OpeningQuery { min_games: 3, ..OpeningQuery::new("wangqi") };
    assert_eq!(lines(&store.openings(&query).unwrap()), ["c3c4: 4, 3/1/0, 0.875, 4", "c3c4 e6e5: 3, 2/1/0, 0.167, 3"]);
    let nothing = OpeningQuery { filter: of(9..=9), ..OpeningQuery::new("wangqi") };
    let excluded = Excluded::from([(Criterion::Generation, 7)]);
    assert_eq!(store.openings(&nothing).unwrap(), OpeningTable { excluded, ..OpeningTable::default() });
    assert_eq!(store.openings(&OpeningQuery::new("xiangqi")).unwrap(), OpeningTable::default());
    for query in [
        OpeningQuery { depth: 0, ..OpeningQuery::new("wangqi") },
        OpeningQuery { min_games: 99, ..OpeningQuery::new("wangqi") },
    ] {
        let table = store.openings(&query).unwrap();
        assert_eq!((table.games, table.rows.len()), (6, 0));
    }
}

#[test]
fn the_summary_by_hand() {
    let (_folder, store) = by_hand();
    let summary = store.summary("wangqi", 0..=9).unwrap();
    assert_eq!(summary.len(), 2);
    let first = &summary[0];
    assert_eq!((first.generation, first.games), (0, 5));
    assert_eq!((first.first_wins, first.draws, first.first_losses), (2, 1, 2));
    assert!((first.mean_plies - 3.0).abs() < 1e-12);
    assert!((first.decisive_share - 0.8).abs() < 1e-12 && (first.first_score - 0.5).abs() < 1e-12);
    let reasons = BTreeMap::from([("checkmate".to_owned(), 4), ("repetition".to_owned(), 1)]);
    assert_eq!(first.terminations, reasons);
    assert_eq!((summary[1].games, summary[1].mean_plies), (2, 2.0));
    assert!(store.summary("xiangqi", 0..=9).unwrap().is_empty());
}

#[test]
fn a_slow_count_agrees() {
    let generations: Vec<_> = (0..3).map(|generation| synthetic::games(generation, 150, 30)).collect();
    let games: Vec<&GameRecord<Wangqi>> = generations.iter().flatten().collect();
    let (_folder, store) = store_of(&generations);
    let table = store.openings(&OpeningQuery { depth: 5, ..OpeningQuery::new("wangqi") }).unwrap();

    let mut by_line: BTreeMap<&[Move], Vec<&GameRecord<Wangqi>>> = BTreeMap::new();
    let mut by_key: BTreeMap<PositionKey, BTreeSet<u64>> = BTreeMap::new();
    let mut searched = BTreeSet::new();
    for game in &games {
        let replayed = game.sheet.replay().finish().unwrap();
        for position in replayed.positions() {
            by_key.entry(position.key().to_bytes()).or_default().insert(game.game_id);
        }
        for ply in 1..=game.plies().min(5) {
            by_line.entry(&game.sheet.moves[..ply]).or_default().push(game);
        }
        // The position after the last move is not searched: such arrivals count only by their own line.
        searched.extend(game.positions.iter().map(|at| at.pos_key));
    }
    assert_eq!(table.rows.len(), by_line.len());
    let mut transposed = 0;
    for (line, followers) in by_line {
        let text: Vec<_> = followers[0].moves_text.split(' ').take(line.len()).collect();
        let with = |result| followers.iter().filter(|game| game.sheet.outcome.result == result).count() as u64;
        let row = table.rows.iter().find(|row| row.moves == text.join(" "));
        let row = row.unwrap_or_else(|| panic!("no row for {text:?}"));
        assert_eq!(row.games, followers.len() as u64);
        let wanted = [GameResult::FirstWins, GameResult::Draw, GameResult::SecondWins].map(with);
        assert_eq!([row.first_wins, row.draws, row.first_losses], wanted);
        let key = followers[0].sheet.replay_unchecked(line.len()).position().key().to_bytes();
        if let Some(reached) = row.position_games {
            assert!((row.games..=by_key[&key].len() as u64).contains(&reached), "{text:?}");
            transposed += u64::from(reached > row.games);
        } else {
            assert!(followers.iter().all(|game| game.plies() == line.len()), "{text:?}");
        }
    }
    assert!(transposed > 10 && searched.len() > 100);
}

/// Lines from a position that games reach by different moves, counted by replaying each game.
#[test]
fn a_slow_count_from_a_position_agrees() {
    let generations: Vec<_> = (0..3).map(|generation| synthetic::games(generation, 150, 30)).collect();
    let games: Vec<&GameRecord<Wangqi>> = generations.iter().flatten().collect();
    let (_folder, store) = store_of(&generations);
    let replayed: Vec<_> = games.iter().map(|game| game.sheet.replay().finish().unwrap()).collect();
    let mut some = 0;
    // Positions with the first and with the second player to move.
    for origin in [1, 2, 3].map(|ply| replayed[0].positions()[ply].clone()) {
        let mut wanted: BTreeMap<String, [u64; 3]> = BTreeMap::new();
        let mut arrived = 0;
        for (game, replayed) in games.iter().zip(&replayed) {
            let at = replayed.positions().iter().position(|position| position.key() == origin.key());
            let searched = game.positions.first().map_or(0, |first| usize::from(first.ply));
            let Some(at) = at.filter(|&at| searched <= at) else { continue };
            arrived += 1;
            let words: Vec<&str> = game.moves_text.split(' ').skip(at).take(2).collect();
            for length in 1..=words.len() {
                let counts = wanted.entry(words[..length].join(" ")).or_default();
                counts[(1 - game.sheet.outcome.result.number()) as usize] += 1;
            }
        }
        let query = OpeningQuery { depth: 2, origin: Some(OpeningOrigin::of(&origin)), ..OpeningQuery::new("wangqi") };
        let table = store.openings(&query).unwrap();
        assert_eq!((table.games, table.games + table.other_starts), (arrived, games.len() as u64));
        let found: BTreeMap<String, [u64; 3]> =
            table.rows.iter().map(|row| (row.moves.clone(), [row.first_wins, row.draws, row.first_losses])).collect();
        assert_eq!(found, wanted);
        for row in &table.rows {
            let by_first = (row.ply % 2 == 1) == (origin.side() == Side::First);
            let won = if by_first { row.first_wins } else { row.first_losses };
            assert!((row.score - (won as f64 + row.draws as f64 / 2.0) / row.games as f64).abs() < 1e-12);
            assert!(row.position_games.is_none_or(|reached| reached >= row.games));
        }
        some += arrived;
    }
    assert!(some > 10, "{some}");
}

/// Appends the manifest's own lines to it again and again, which once made two rows of each.
#[test]
fn lines_of_the_manifest_that_were_copied_change_nothing() {
    let (folder, store) = by_hand();
    let (table, summary) =
        (store.openings(&OpeningQuery::new("wangqi")).unwrap(), store.summary("wangqi", 0..=9).unwrap());
    let manifest = folder.path().join(data::MANIFEST);
    let lines = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, lines.repeat(20)).unwrap();
    assert_eq!(store.shards("wangqi").unwrap().len(), 2);
    assert_eq!(store.openings(&OpeningQuery::new("wangqi")).unwrap(), table);
    assert_eq!(store.summary("wangqi", 0..=9).unwrap(), summary);
}

#[test]
fn a_game_that_is_there_twice_counts_once_and_is_reported() {
    let games = |games: Vec<GameRecord<Wangqi>>, run: &str| -> Vec<_> {
        games.into_iter().map(|game| GameRecord { run_id: run.into(), ..game }).collect()
    };
    let first = || games(vec![record(1, &[C, E, D], 1), record(2, &[D, E], -1)], "a");
    let (_folder, store) = store_of(&[first()]);
    let alone = store.openings(&OpeningQuery::new("wangqi")).unwrap();
    let commit = |name: &str, games: &[GameRecord<Wangqi>]| {
        store.commit_shard(0, name, games, &Provenance::default()).unwrap();
        store.openings(&OpeningQuery::new("wangqi")).unwrap()
    };
    let doubled = commit("m2", &first());
    assert_eq!((doubled.doubled, alone.doubled), (2, 0));
    assert_eq!(OpeningTable { doubled: 0, ..doubled }, alone);
    assert_eq!(store.summary("wangqi", 0..=9).unwrap()[0].games, 2);
    assert_eq!(GameFolders::from(store.clone()).sample_games::<Wangqi>(9, 99).unwrap().len(), 2);

    // Another run with the same seed has the same numbers, and other games. Each is counted by its own moves.
    let joined = commit("m3", &games(vec![record(1, &[G], -1), record(2, &[D, E], -1)], "b"));
    let count = |moves: &str| {
        let row = joined.rows.iter().find(|row| row.moves == moves).unwrap();
        (row.games, row.first_losses, row.position_games)
    };
    assert_eq!((joined.games, joined.doubled), (4, 2));
    assert_eq!([count(C), count(G), count(D)], [(1, 0, Some(1)), (1, 1, None), (2, 2, Some(2))]);
    assert_eq!(GameFolders::from(store.clone()).sample_games::<Wangqi>(9, 99).unwrap().len(), 4);
}
