//! Games played at random, with made-up searches, for the tests of this crate.

use data::{DataStore, GameRecord, PositionRecord, Provenance};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, GameResult, MoveList, Outcome, Rules, Termination, Variant};
use std::path::Path;

/// A game of at most `plies` random moves. Every position is a row; its policy puts three quarters on the move
/// played and the rest on another one.
pub fn game<V: Variant>(id: u64, plies: usize) -> GameRecord<V> {
    let mut rng = ChaCha8Rng::seed_from_u64(id);
    let mut game = Game::<V>::start(Rules::default().with_max_plies(plies as u32));
    let mut legal = MoveList::new();
    let mut positions = Vec::new();
    let result = GameResult::ALL[(id % 3) as usize];
    for ply in 0..plies {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            break;
        }
        let played = legal[rng.random_range(0..legal.len())];
        let other = legal[rng.random_range(0..legal.len())];
        let mut root_wdl = [0.2, 0.2, 0.2];
        root_wdl[(1 - result.for_side(game.side())) as usize] += 0.4;
        let alone = other == played;
        positions.push(PositionRecord {
            ply: ply as u16,
            side: game.side(),
            pos_key: game.position().key().to_bytes(),
            mv: played,
            policy_move: if alone { vec![played] } else { vec![played, other] },
            policy_visits: if alone { vec![4] } else { vec![3, 1] },
            root_wdl,
            full_search: true,
            target_weight: 1.0,
            ..PositionRecord::default()
        });
        game.play(played);
    }
    let outcome = Outcome { result, termination: Termination::Checkmate, points: None };
    GameRecord { game_id: id, positions, ..GameRecord::of(&game, outcome) }
}

/// A data folder with `games` games of `plies` plies in each of `generations` generations.
pub fn store<V: Variant>(root: &Path, generations: u32, games: u64, plies: usize) -> DataStore {
    let (store, _) = DataStore::open(root).expect("a fresh data folder");
    for generation in 0..generations {
        let ids = (0..games).map(|i| u64::from(generation) * 1000 + i);
        let records: Vec<GameRecord<V>> = ids.map(|id| GameRecord { generation, ..game(id, plies) }).collect();
        store.commit_shard(generation, "test", &records, &Provenance::default()).expect("a shard");
    }
    store
}
