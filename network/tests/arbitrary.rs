//! Sizes and positions: of no variant and no game, and real ones.

use network::{Blueprint, Mixing, NetworkConfig};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::Variant;
use rules::encode::{Features, MoveTokens, Shape};
use search::LeafBatch;

/// Positions of no game: planes with few values, planes of one value, and moves between any tokens.
pub fn leaves(shape: &Shape, features: Features, count: usize, seed: u64) -> LeafBatch {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut batch = LeafBatch::new(features);
    for _ in 0..count {
        for plane in 0..shape.planes {
            let value = rng.random_range(0.0..1.0);
            batch.planes.extend((0..shape.squares()).map(|_| match plane % 4 {
                0 => value,
                3 => 0.0,
                _ if rng.random_range(0..8) == 0 => 1.0,
                _ => 0.0,
            }));
        }
        let mut moves = Vec::new();
        for _ in 0..rng.random_range(0..30) {
            let mut token = || rng.random_range(0..shape.tokens()) as u16;
            let (source, target, via) = (token(), token(), std::array::from_fn(|_| token()));
            moves.push(MoveTokens { source, target, promotes: rng.random(), via_len: rng.random_range(0..=5), via });
        }
        batch.push_moves(moves.into_iter());
    }
    batch
}

/// Positions of random games with all features, and the sizes of networks that see them.
pub fn real<V: Variant>(count: usize, seed: u64) -> (LeafBatch, Shape) {
    let features = Features::ALL;
    (search::random_leaves::<V>(count, seed, features), Shape::of::<V>(features).with_points::<V>(true))
}

/// A blueprint with these sizes, and otherwise few hidden units.
pub fn sizes(shape: Shape, blocks: usize, channels: usize, mixing: Mixing) -> Blueprint {
    let config = NetworkConfig {
        blocks,
        channels,
        mixing,
        se_hidden: channels.min(12),
        policy_dim: 12,
        value_channels: 3,
        value_hidden: 24,
        features: Features::FIRST,
        points: shape.points > 0,
    };
    Blueprint { variant: "none".to_owned(), shape, config }
}

/// Like [`sizes`], with the configuration changed.
pub fn changed(blueprint: &Blueprint, change: impl FnOnce(&mut NetworkConfig)) -> Blueprint {
    let mut blueprint = blueprint.clone();
    change(&mut blueprint.config);
    blueprint
}
