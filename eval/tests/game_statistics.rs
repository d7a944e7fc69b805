//! Statistics of games, against a slow count of the same games.

use data::{DataError, DataStore, ExcludedGames, FileFault, GameFilter, GameFolders, GameRecord, Provenance};
use eval::game_statistics::{GameStatistics, game_statistics};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, GameResult, MoveList, Outcome, Rules, Termination, Wangqi};
use std::ops::RangeInclusive;

/// A game of random moves.
fn random_game(seed: u64) -> (Game<Wangqi>, Outcome, Vec<usize>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut game = Game::start(Rules::default());
    let (mut legal, mut choices) = (MoveList::new(), Vec::new());
    loop {
        game.legal_moves(&mut legal);
        if let Some(outcome) = game.outcome(&legal) {
            return (game, outcome, choices);
        }
        choices.push(legal.len());
        game.play(legal[rng.random_range(0..legal.len())]);
    }
}

/// The figures of some generations.
fn of(generations: RangeInclusive<u32>, store: &DataStore) -> Result<Option<GameStatistics>, DataError> {
    let filter = GameFilter { generations, ..GameFilter::default() };
    game_statistics::<Wangqi>(&GameFolders::from(store.clone()), &filter, &mut ExcludedGames::default())
}

#[test]
fn figures_equal_a_slow_count() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = DataStore::open(folder.path()).unwrap();
    assert_eq!(of(0..=9, &store).unwrap(), None);
    let games: Vec<_> = (1..=120).map(random_game).collect();
    let record = |(at, (game, outcome, _)): (usize, &(Game<Wangqi>, Outcome, Vec<usize>))| GameRecord {
        game_id: at as u64 + 1,
        generation: 3,
        ..GameRecord::of(game, *outcome)
    };
    let records: Vec<_> = games.iter().enumerate().map(record).collect();
    store.commit_shard(3, "local", &records, &Provenance::default()).unwrap();

    assert_eq!(of(0..=2, &store).unwrap(), None, "another generation");
    let found = of(3..=3, &store).unwrap().unwrap();
    let choices: Vec<usize> = games.iter().flat_map(|(.., choices)| choices.clone()).collect();
    assert_eq!((found.games, found.positions), (120, choices.len() as u64));
    let mean = choices.iter().sum::<usize>() as f64 / choices.len() as f64;
    assert!((found.mean_moves - mean).abs() < 1e-9);
    let complexity = choices.iter().map(|&n| (n as f64).log10()).sum::<f64>() / 120.0;
    assert!((found.complexity - complexity).abs() < 1e-9);
    assert_eq!((found.choices[0].games, found.choices[0].moves), (120, games[0].2[0] as f64));
    let mut plies: Vec<u32> = games.iter().map(|(_, _, choices)| choices.len() as u32).collect();
    plies.sort_unstable();
    assert_eq!((found.plies.shortest, found.plies.median, found.plies.longest), (plies[0], plies[59], plies[119]));
    let won = games.iter().filter(|(_, outcome, _)| outcome.result == GameResult::FirstWins).count() as u64;
    assert_eq!((found.first_wins, found.first_wins + found.draws + found.first_losses), (won, 120));
    let mates = games.iter().filter(|(_, outcome, _)| outcome.termination == Termination::Checkmate).count() as u64;
    assert_eq!(found.terminations["checkmate"], mates);
    // Of the pawns on the board at the start, some are captured or promoted.
    let pawns = found.pieces_left.iter().find(|kind| kind.kind == "P").unwrap();
    assert!(pawns.start > pawns.end && pawns.end > 0.0, "{pawns:?}");
    // Kings are never taken, so their number tells nothing.
    assert!(!found.piece_values.is_empty() && found.piece_values.iter().all(|value| value.kind != "K"));
    assert!(found.piece_values.iter().all(|value| value.error > 0.0), "{:?}", found.piece_values);
}

#[test]
fn a_game_that_breaks_the_rules_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = DataStore::open(folder.path()).unwrap();
    let (game, outcome, _) = random_game(1);
    let mut record = GameRecord { game_id: 41, generation: 2, ..GameRecord::of(&game, outcome) };
    record.sheet.moves.swap(0, 1);
    store.commit_shard(2, "local", &[record], &Provenance::default()).unwrap();
    let error = of(0..=9, &store).unwrap_err();
    let is_named = |path: &std::path::Path| path.ends_with("games/variant=wangqi/gen=0002/local.parquet");
    assert!(
        matches!(&error, DataError::Malformed { path, fault: FileFault::Illegal { game_id: 41, .. } } if is_named(path)),
        "{error}"
    );
}
