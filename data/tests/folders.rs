//! Statistics over several data folders: the same as over one folder with all their games.

use crate::synthetic;
use data::{
    Criterion, DataStore, ExcludedGames, GameFilter, GameFolders, GameRecord, OpeningQuery, OpeningTable, Provenance,
};
use rules::Wangqi;
use std::collections::BTreeSet;

/// A data folder with these games, a shard for each generation.
fn folder(generations: &[Vec<GameRecord<Wangqi>>]) -> (tempfile::TempDir, DataStore) {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = DataStore::open(folder.path()).unwrap();
    for games in generations {
        store.commit_shard(games[0].generation, "local", games, &Provenance::default()).unwrap();
    }
    (folder, store)
}

/// The games as a run that begins from theirs has them: under other ids, in generation 0.
fn taken_over(games: &[GameRecord<Wangqi>]) -> Vec<GameRecord<Wangqi>> {
    let taken = |game: &GameRecord<Wangqi>| {
        let mut game = GameRecord { game_id: !game.game_id, generation: 0, ..game.clone() };
        game.positions.iter_mut().for_each(|position| position.generation = 0);
        game
    };
    games.iter().map(taken).collect()
}

fn query(filter: GameFilter) -> OpeningQuery {
    OpeningQuery { depth: 5, filter, ..OpeningQuery::new("wangqi") }
}

fn count(stores: &[&DataStore], filter: GameFilter) -> OpeningTable {
    let folders = GameFolders::new(stores.iter().map(|&store| store.clone()).collect());
    folders.openings(&query(filter)).unwrap()
}

#[test]
fn several_folders_are_counted_like_one() {
    let generations: Vec<_> = (0..3).map(|generation| synthetic::games(generation, 60, 20)).collect();
    let (_all, all) = folder(&generations);
    let (_one, one) = folder(&generations[..1]);
    let (_two, two) = folder(&generations[1..]);
    for filter in [GameFilter::default(), GameFilter { generations: 1..=1, ..GameFilter::default() }] {
        let wanted = count(&[&all], filter.clone());
        assert_eq!((wanted.doubled, wanted.rows.len() > 50), (0, true));
        assert_eq!(count(&[&one, &two], filter.clone()), wanted);
        assert_eq!(count(&[&two, &one], filter), wanted, "whatever the order");
    }
    assert_eq!(count(&[&one, &one], GameFilter::default()), count(&[&one], GameFilter::default()), "named twice");
}

#[test]
fn games_that_a_run_took_over_count_once() {
    let generations: Vec<_> = (0..2).map(|generation| synthetic::games(generation, 40, 20)).collect();
    let (_parent, parent) = folder(&generations);
    let own = synthetic::games(7, 10, 20);
    let taken: Vec<_> = taken_over(&generations.concat());
    let (_child, child) = folder(&[taken, own.clone()]);
    let both = count(&[&parent, &child], GameFilter::default());
    let (_all, all) = folder(&[generations[0].clone(), generations[1].clone(), own]);
    let wanted = count(&[&all], GameFilter::default());
    assert_eq!((both.doubled, both.games), (80, 90));
    assert_eq!(OpeningTable { doubled: 0, ..both }, wanted);

    // Whole games, one shard after the other, as `kirin stats` and `kirin data export` take them.
    let folders = GameFolders::new(vec![parent, child]);
    let filter = GameFilter { plies: 5..=u32::MAX, ..GameFilter::default() };
    let (mut tally, mut ids) = (ExcludedGames::default(), BTreeSet::new());
    for shard in folders.shards_for("wangqi", &filter, &mut tally.excluded).unwrap() {
        let games = folders.read_games_for::<Wangqi>(&shard, &filter, &mut tally).unwrap();
        ids.extend(games.iter().map(|game| game.game_id));
    }
    assert_eq!(tally.doubled, 80);
    let short = tally.excluded[&Criterion::Plies];
    assert_eq!((ids.len() as u64 + short, short > 0), (90, true));
}
