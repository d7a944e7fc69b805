//! Players: networks with a search, outside engines, and reference players without either.

mod evaluator_pool;
mod greedy;
mod mcts;
mod pace;
mod player;
mod player_config;
mod spec;
mod temperature;

pub use evaluator_pool::EvaluatorFactory;
pub(crate) use mcts::Mcts;
pub(crate) use player::{GamePlayer, PlayerFactory};
pub use player::{Player, PlayerError};
pub use player_config::{PlayerConfig, PlayerKind};
pub use spec::{PlayerSpec, SpecError};
pub use temperature::{Temperature, TemperatureError};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, Variant};

/// A player that answers immediately, without a network.
pub(crate) trait MovePolicy<V: Variant>: Send {
    /// One of `legal`, the legal moves of the present position, of which there is at least one.
    fn choose(&mut self, game: &Game<V>, legal: &[Move], rng: &mut ChaCha8Rng) -> Move;

    /// The result that it expects of its last move, win − loss, −1 to 1; `None` if it has no estimate.
    fn expected(&self) -> Option<f32> {
        None
    }
}

/// Plays any legal move, all equally likely.
struct RandomPlayer;

impl<V: Variant> MovePolicy<V> for RandomPlayer {
    fn choose(&mut self, _game: &Game<V>, legal: &[Move], rng: &mut ChaCha8Rng) -> Move {
        legal[rng.random_range(0..legal.len())]
    }
}
