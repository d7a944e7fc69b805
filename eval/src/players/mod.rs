//! Who plays: networks with a search, outside engines, and players without either to measure them by.

mod contender;
mod greedy;
mod lease;
mod mcts;
mod pace;
mod player;
mod spec;

pub use contender::{Contender, EvaluatorFactory, PlayerKind};
pub use greedy::piece_values;
pub(crate) use mcts::Mcts;
pub(crate) use player::{GamePlayer, PlayerFactory};
pub use player::{Player, PlayerError};
pub use spec::{PlayerSpec, SpecError};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, Variant};

/// A player that answers at once, without a network.
pub(crate) trait Chooser<V: Variant>: Send {
    /// One of `legal`, the legal moves of the present position, of which there is at least one.
    fn choose(&mut self, game: &Game<V>, legal: &[Move], rng: &mut ChaCha8Rng) -> Move;

    /// The result that it expects of its last move, win − loss, −1 to 1; `None` if it expects nothing.
    fn expected(&self) -> Option<f32> {
        None
    }
}

/// Plays any legal move, all equally likely.
struct Random;

impl<V: Variant> Chooser<V> for Random {
    fn choose(&mut self, _game: &Game<V>, legal: &[Move], rng: &mut ChaCha8Rng) -> Move {
        legal[rng.random_range(0..legal.len())]
    }
}
