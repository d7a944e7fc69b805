//! Random numbers by counter: every draw is a function of (run seed, slot, game number, ply, purpose), so
//! games do not depend on threads, batches or interruptions.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What a stream of random numbers is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Random moves before the first search.
    Opening = 1,
    /// Whether the game is played through.
    Playthrough = 2,
    /// Noise of a search.
    Search = 3,
    /// Whether a search is a fast one.
    PlayoutCap = 4,
    /// Which move is played.
    Choice = 5,
    /// The position from which the game begins.
    Start = 7,
    /// Moves of a random-play game.
    RulesMoves = 8,
    /// Choice of the positions kept of a random-play game.
    RulesRows = 9,
    /// Whether the game begins from a sparse board, and how far its random-play game goes.
    Sparse = 10,
}

/// A game's seed and id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GameSeed {
    /// It determines all random numbers of the game.
    pub seed: u64,
    /// The id in the data.
    pub id: u64,
}

impl GameSeed {
    /// The seed of game `number` of `slot`.
    pub fn new(run_seed: u64, slot: u32, number: u64) -> GameSeed {
        let mut rng = stream([run_seed, u64::from(slot), number, 0]);
        GameSeed { seed: rng.next_u64(), id: rng.next_u64() }
    }

    /// The random numbers for one purpose at one ply.
    pub fn rng(&self, ply: u32, purpose: Purpose) -> ChaCha8Rng {
        stream([self.seed, u64::from(ply), purpose as u64, 1])
    }
}

/// ChaCha keyed by four numbers: streams of different keys are independent.
fn stream(key: [u64; 4]) -> ChaCha8Rng {
    let mut seed = [0; 32];
    for (bytes, number) in seed.chunks_exact_mut(8).zip(key) {
        bytes.copy_from_slice(&number.to_le_bytes());
    }
    ChaCha8Rng::from_seed(seed)
}
