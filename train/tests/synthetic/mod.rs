//! Games played at random, with made-up searches, for the tests of this crate.

use data::{DataStore, GameRecord, PositionRecord, Provenance};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, MoveList, Rules, Variant};
use std::path::Path;

/// A game of at most `plies` random moves. Every position is a row; its policy puts three quarters on the move
/// played and the rest on another one.
pub fn game<V: Variant>(id: u64, plies: usize) -> GameRecord {
    let mut rng = ChaCha8Rng::seed_from_u64(id);
    let mut game = Game::<V>::start(Rules::default());
    let mut legal = MoveList::new();
    let mut record = GameRecord {
        game_id: id,
        variant: V::ID.to_owned(),
        ruleset: format!("{} max-plies={plies}", Rules::<V>::default().name()),
        result: [1, 0, -1][(id % 3) as usize],
        termination: "checkmate".to_owned(),
        ..GameRecord::default()
    };
    let mut texts = Vec::new();
    for ply in 0..plies {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            break;
        }
        let played = legal[rng.random_range(0..legal.len())];
        let other = legal[rng.random_range(0..legal.len())];
        let seen = if game.side() == rules::Side::First { record.result } else { -record.result };
        let mut root_wdl = [0.2, 0.2, 0.2];
        root_wdl[(1 - seen) as usize] += 0.4;
        let alone = other == played;
        record.positions.push(PositionRecord {
            ply: ply as u16,
            side: game.side().index() as u8,
            pos_key: game.position().key().to_bytes(),
            mv: played.raw(),
            policy_move: if alone { vec![played.raw()] } else { vec![played.raw(), other.raw()] },
            policy_visits: if alone { vec![4] } else { vec![3, 1] },
            root_wdl,
            full_search: true,
            target_weight: 1.0,
            ..PositionRecord::default()
        });
        texts.push(game.position().format_move(played));
        record.moves.push(played.raw());
        game.play(played);
    }
    record.moves_text = texts.join(" ");
    record
}

/// A data folder with `games` games of `plies` plies in each of `generations` generations.
pub fn store<V: Variant>(root: &Path, generations: u32, games: u64, plies: usize) -> DataStore {
    let (store, _) = DataStore::open(root).expect("a fresh data folder");
    for generation in 0..generations {
        let ids = (0..games).map(|i| u64::from(generation) * 1000 + i);
        let records: Vec<GameRecord> = ids.map(|id| GameRecord { generation, ..game::<V>(id, plies) }).collect();
        store.commit_shard(V::ID, generation, "test", &records, &Provenance::default()).expect("a shard");
    }
    store
}
