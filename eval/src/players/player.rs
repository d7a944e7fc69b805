//! One player in one game.

use super::contender::{Brain, Contender};
use super::greedy::{Greedy, shared_values};
use super::mcts::Mcts;
use super::{Chooser, Random};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Variant};
use selfplay::{EvaluationError, Evaluations, Evaluator, LeafBatch, Search, Step};
use std::sync::Arc;

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
    },
}

/// What all seats of a contender share.
#[derive(Clone)]
pub(crate) struct Outfit {
    brain: Brain,
    values: Arc<[f32]>,
}

impl Outfit {
    pub fn of<V: Variant>(contender: &Contender) -> Outfit {
        let values = if matches!(contender.brain, Brain::Greedy) { shared_values::<V>() } else { Arc::new([]) };
        Outfit { brain: contender.brain.clone(), values }
    }

    /// A seat for one game.
    pub fn seat<V: Variant>(&self) -> Seat<V> {
        match &self.brain {
            Brain::Random => Seat::Chooser(Box::new(Random)),
            Brain::Greedy => Seat::Chooser(Box::new(Greedy::new::<V>(Arc::clone(&self.values)))),
            Brain::Mcts { playouts } => Seat::Chooser(Box::new(Mcts::new(*playouts))),
            Brain::Network { search, .. } => {
                Seat::Search { search: Box::new(Search::new(search.clone())), visits: search.visits }
            }
        }
    }

    /// An evaluator, if the player needs one.
    pub fn evaluator(&self) -> Result<Option<Box<dyn Evaluator>>, EvaluationError> {
        match &self.brain {
            Brain::Network { factory, .. } => factory().map(Some),
            _ => Ok(None),
        }
    }
}

/// A player for one game at a time, with its own network: for playing against people. Matches play many games
/// at once instead.
pub struct Player<V: Variant> {
    seat: Seat<V>,
    evaluator: Option<Box<dyn Evaluator>>,
    batch: LeafBatch,
    answers: Evaluations,
    legal: MoveList,
}

impl<V: Variant> Player<V> {
    /// A player like this contender.
    ///
    /// # Errors
    /// Its network cannot be loaded.
    pub fn new(contender: &Contender) -> Result<Player<V>, EvaluationError> {
        let outfit = Outfit::of::<V>(contender);
        Ok(Player {
            seat: outfit.seat(),
            evaluator: outfit.evaluator()?,
            batch: LeafBatch::default(),
            answers: Evaluations::default(),
            legal: MoveList::new(),
        })
    }

    /// A move for the side to move.
    ///
    /// # Errors
    /// The network failed.
    ///
    /// # Panics
    /// If there is no legal move.
    pub fn choose(&mut self, game: &Game<V>, rng: &mut ChaCha8Rng) -> Result<Move, EvaluationError> {
        game.legal_moves(&mut self.legal);
        let (search, visits) = match &mut self.seat {
            Seat::Chooser(chooser) => return Ok(chooser.choose(game, &self.legal, rng)),
            Seat::Search { search, visits } => (search, *visits),
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
            Seat::Chooser(_) => None,
            Seat::Search { search, .. } => Some(search),
        }
    }
}
