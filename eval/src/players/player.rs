//! One player in one game.

use super::contender::{Brain, Contender, visits_for};
use super::greedy::{Greedy, shared_values};
use super::mcts::Mcts;
use super::pace::Pace;
use super::{Chooser, Random};
use crate::engine::{Decision, Engine, EngineSeat, Thought};
use crate::limit::{Clock, Limit};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Variant};
use selfplay::{EvaluationError, Evaluations, Evaluator, LeafBatch, Search, Step};
use std::sync::Arc;
use std::time::Duration;

/// What is forgiven beyond a limit of time where nobody measures it.
const PATIENCE: Duration = Duration::from_secs(60);

/// A player's mind in one game.
pub(crate) enum Seat<V: Variant> {
    /// Answers at once.
    Chooser(Box<dyn Chooser<V>>),
    /// Asks a network.
    Search {
        /// The search.
        search: Box<Search<V>>,
        /// Simulations a move.
        visits: u32,
        /// How fast it is, where time decides how many simulations there are.
        pace: Option<Arc<Pace>>,
    },
    /// Asks a process.
    Engine(Box<EngineSeat>),
}

/// What all seats of a contender share.
#[derive(Clone)]
pub(crate) struct Outfit {
    brain: Brain,
    values: Arc<[f32]>,
    /// The limit of its thinking, and what is forgiven beyond one of time.
    pub limit: Limit,
    pub margin: Duration,
    pace: Arc<Pace>,
}

impl Outfit {
    /// For matches whose players have the limit `common`.
    pub fn of<V: Variant>(contender: &Contender, common: Limit, margin: Duration) -> Outfit {
        let values = if matches!(contender.brain, Brain::Greedy) { shared_values::<V>() } else { Arc::new([]) };
        let limit = contender.limit_in(common);
        Outfit { brain: contender.brain.clone(), values, limit, margin, pace: Arc::default() }
    }

    /// A seat for one game. `spare`: a process of this player that has no game.
    pub fn seat<V: Variant>(&self, spare: Option<Engine>) -> Seat<V> {
        match &self.brain {
            Brain::Random => Seat::Chooser(Box::new(Random)),
            Brain::Greedy => Seat::Chooser(Box::new(Greedy::new::<V>(Arc::clone(&self.values)))),
            Brain::Mcts { playouts } => Seat::Chooser(Box::new(Mcts::new(*playouts))),
            Brain::Network { search, .. } => Seat::Search {
                search: Box::new(Search::new(search.clone())),
                visits: visits_for(search, self.limit),
                pace: self.limit.is_of_time().then(|| Arc::clone(&self.pace)),
            },
            Brain::Engine(profile) => Seat::Engine(Box::new(EngineSeat::new(Arc::clone(profile), spare))),
        }
    }

    /// Whether it is measured how long its moves take.
    pub fn is_timed(&self) -> bool {
        self.limit.is_of_time() || matches!(self.brain, Brain::Engine(_))
    }

    /// An evaluator, if the player needs one.
    pub fn evaluator(&self) -> Result<Option<Box<dyn Evaluator>>, EvaluationError> {
        match &self.brain {
            Brain::Network { factory, .. } => factory().map(Some),
            _ => Ok(None),
        }
    }
}

/// A player for one game at a time, with its own network or process: for playing against people. Matches play many
/// games at once instead.
pub struct Player<V: Variant> {
    seat: Seat<V>,
    limit: Limit,
    evaluator: Option<Box<dyn Evaluator>>,
    batch: LeafBatch,
    answers: Evaluations,
    legal: MoveList,
}

/// Why a player does not move.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    /// The network failed.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// The engine failed.
    #[error("{0}")]
    Engine(String),
    /// The engine gives up.
    #[error("the engine resigns")]
    Resigned,
}

impl<V: Variant> Player<V> {
    /// A player like this contender.
    ///
    /// # Errors
    /// Its network cannot be loaded.
    pub fn new(contender: &Contender) -> Result<Player<V>, PlayerError> {
        let outfit = Outfit::of::<V>(contender, Limit::Own, PATIENCE);
        Ok(Player {
            seat: outfit.seat(None),
            limit: outfit.limit,
            evaluator: outfit.evaluator()?,
            batch: LeafBatch::default(),
            answers: Evaluations::default(),
            legal: MoveList::new(),
        })
    }

    /// A move for the side to move.
    ///
    /// # Errors
    /// The network or the engine failed, or the engine gives up.
    ///
    /// # Panics
    /// If there is no legal move.
    pub fn choose(&mut self, game: &Game<V>, rng: &mut ChaCha8Rng) -> Result<Move, PlayerError> {
        game.legal_moves(&mut self.legal);
        let (search, visits) = match &mut self.seat {
            Seat::Chooser(chooser) => return Ok(chooser.choose(game, &self.legal, rng)),
            Seat::Engine(seat) => {
                let clock = Clock::new(self.limit, PATIENCE);
                return match seat.choose(game, &self.legal, [&clock; 2], &|| false) {
                    Ok(Thought { decision: Decision::Move(mv), .. }) => Ok(mv),
                    Ok(Thought { decision: Decision::Resign, .. }) => Err(PlayerError::Resigned),
                    Err(trouble) => Err(PlayerError::Engine(trouble.to_string())),
                };
            }
            Seat::Search { search, visits, .. } => (search, *visits),
        };
        search.begin(game, visits, rng);
        self.batch.clear();
        while search.next_leaf(&mut self.batch) == Step::Pending {
            if let Some(evaluator) = &mut self.evaluator {
                evaluator.evaluate(&self.batch, &mut self.answers)?;
            }
            self.answers.check(&self.batch)?;
            search.supply(&self.answers.logits, self.answers.wdl[0])?;
            self.batch.clear();
        }
        Ok(search.result().best)
    }

    /// What the search found for the move it chose last; `None` for players without one.
    pub fn search(&mut self) -> Option<&mut Search<V>> {
        match &mut self.seat {
            Seat::Search { search, .. } => Some(search),
            Seat::Chooser(_) | Seat::Engine(_) => None,
        }
    }
}
