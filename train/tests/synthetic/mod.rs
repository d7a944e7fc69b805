//! Games played at random, with made-up searches, and networks with made-up weights, for the tests of this crate.

use data::{DataStore, GameRecord, PositionRecord, Provenance};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::encode::Features;
use rules::{Game, GameResult, MoveList, Outcome, Rules, Termination, Variant};
use search::LeafBatch;
use std::path::Path;
use tch::{Device, Tensor};
use train::{Blueprint, Network, NetworkConfig};

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

/// A network in which nothing is 0 or 1 by accident, as if it had been trained.
pub fn network<V: Variant>(config: NetworkConfig) -> Network {
    let network = Network::new(Blueprint::of::<V>(config), 2, Device::Cpu).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let _guard = tch::no_grad_guard();
    for (name, parameter) in network.parameters().iter().filter(|(_, p)| p.tensor.dim() == 1) {
        let around = if name.ends_with("variance") || name.ends_with("gain") { 0.6..1.4 } else { -0.3..0.3 };
        let values: Vec<f32> = (0..parameter.tensor.numel()).map(|_| rng.random_range(around.clone())).collect();
        parameter.tensor.shallow_clone().copy_(&Tensor::from_slice(&values));
    }
    network
}

/// Positions of such games as a network sees them.
pub fn leaves<V: Variant>(count: usize, features: Features) -> LeafBatch {
    let mut batch = LeafBatch::new(features);
    let mut legal = MoveList::new();
    for id in 0.. {
        let mut game = Game::<V>::start(Rules::default());
        for &mv in &self::game::<V>(id, 60).sheet.moves {
            if batch.len() == count {
                return batch;
            }
            game.legal_moves(&mut legal);
            if game.ply() % 7 == 3 {
                batch.push(&game, &legal);
            }
            game.play(mv);
        }
    }
    batch
}
