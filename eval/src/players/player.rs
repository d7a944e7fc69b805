//! One player in one game.

use super::greedy::{Greedy, shared_values};
use super::mcts::Mcts;
use super::pace::SearchPace;
use super::player_config::{PlayerConfig, PlayerKind, visits_for};
use super::{MovePolicy, RandomPlayer};
use engine::client::{Engine, EngineDecision, EngineFailure, EngineMove, EnginePlayer};
use engine::{GameClock, Limit};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Variant};
use search::{EvaluationError, Evaluations, Evaluator, LeafBatch, Search};
use std::sync::Arc;
use std::time::Duration;

/// The margin beyond a limit of time outside of matches.
const PATIENCE: Duration = Duration::from_secs(60);

/// How a player plays one game.
pub(crate) enum GamePlayer<V: Variant> {
    /// It answers immediately.
    MovePolicy(Box<dyn MovePolicy<V>>),
    /// It searches with a network.
    Search {
        /// The search.
        search: Box<Search<V>>,
        /// Visits a move.
        visits: u32,
        /// The speed of the search, if time limits the number of visits.
        pace: Option<Arc<SearchPace>>,
    },
    /// It asks a process.
    Engine(Box<EnginePlayer>),
}

/// Makes the players of one player config, one for each game.
#[derive(Clone)]
pub(crate) struct PlayerFactory {
    kind: PlayerKind,
    values: Arc<[f32]>,
    /// The limit of its thinking, and the margin beyond a limit of time.
    pub limit: Limit,
    pub margin: Duration,
    pace: Arc<SearchPace>,
}

impl PlayerFactory {
    /// For a match in which players without a limit of their own have the limit `common`.
    pub fn of<V: Variant>(player_config: &PlayerConfig, common: Limit, margin: Duration) -> PlayerFactory {
        let values = if matches!(player_config.kind, PlayerKind::Greedy) { shared_values::<V>() } else { Arc::new([]) };
        let limit = player_config.limit_in(common);
        PlayerFactory { kind: player_config.kind.clone(), values, limit, margin, pace: Arc::default() }
    }

    /// A player for one game. `spare`: a process of this player that has no game.
    pub fn player<V: Variant>(&self, spare: Option<Engine>) -> GamePlayer<V> {
        match &self.kind {
            PlayerKind::Random => GamePlayer::MovePolicy(Box::new(RandomPlayer)),
            PlayerKind::Greedy => GamePlayer::MovePolicy(Box::new(Greedy::new::<V>(Arc::clone(&self.values)))),
            PlayerKind::Mcts { playouts } => GamePlayer::MovePolicy(Box::new(Mcts::new(*playouts))),
            PlayerKind::Network { search, .. } => GamePlayer::Search {
                search: Box::new(Search::new(search.clone())),
                visits: visits_for(search, self.limit),
                pace: self.limit.is_of_time().then(|| Arc::clone(&self.pace)),
            },
            PlayerKind::Engine(profile) => GamePlayer::Engine(Box::new(EnginePlayer::new(Arc::clone(profile), spare))),
        }
    }

    /// Whether the time of its moves is measured.
    pub fn is_timed(&self) -> bool {
        self.limit.is_of_time() || matches!(self.kind, PlayerKind::Engine(_))
    }

    /// An evaluator, if the player needs one.
    ///
    /// # Errors
    /// The player's network cannot be prepared.
    pub fn evaluator(&self) -> Result<Option<Box<dyn Evaluator>>, EvaluationError> {
        match &self.kind {
            PlayerKind::Network { factory, .. } => factory().map(Some),
            _ => Ok(None),
        }
    }
}

/// A player for one game at a time, with its own network or process, for play against people. A match plays many games
/// at the same time instead.
pub struct Player<V: Variant> {
    player: GamePlayer<V>,
    limit: Limit,
    evaluator: Option<Box<dyn Evaluator>>,
    batch: LeafBatch,
    answers: Evaluations,
    legal: MoveList,
}

/// Why a player has not moved.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    /// The network failed.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineFailure),
    /// The engine resigned.
    #[error("the engine resigns")]
    Resigned,
}

impl<V: Variant> Player<V> {
    /// A player like this player config.
    ///
    /// # Errors
    /// Its network cannot be loaded.
    pub fn new(player_config: &PlayerConfig) -> Result<Player<V>, PlayerError> {
        let factory = PlayerFactory::of::<V>(player_config, Limit::Own, PATIENCE);
        let evaluator = factory.evaluator()?;
        let features = evaluator.as_ref().map(|evaluator| evaluator.features()).unwrap_or_default();
        Ok(Player {
            player: factory.player(None),
            limit: factory.limit,
            evaluator,
            batch: LeafBatch::new(features),
            answers: Evaluations::default(),
            legal: MoveList::new(),
        })
    }

    /// A move for the side to move.
    ///
    /// # Errors
    /// The network or the engine failed, or the engine resigned.
    ///
    /// # Panics
    /// If there is no legal move.
    pub fn choose(&mut self, game: &Game<V>, rng: &mut ChaCha8Rng) -> Result<Move, PlayerError> {
        game.legal_moves(&mut self.legal);
        let (search, visits) = match &mut self.player {
            GamePlayer::MovePolicy(move_policy) => return Ok(move_policy.choose(game, &self.legal, rng)),
            GamePlayer::Engine(engine) => {
                let clock = GameClock::new(self.limit, PATIENCE);
                return match engine.choose(game, &self.legal, [&clock; 2], &|| false) {
                    Ok(EngineMove { decision: EngineDecision::Move(mv), .. }) => Ok(mv),
                    Ok(EngineMove { decision: EngineDecision::Resign, .. }) => Err(PlayerError::Resigned),
                    Err(failure) => Err(failure.into()),
                };
            }
            GamePlayer::Search { search, visits, .. } => (search, *visits),
        };
        search.begin(game, visits, rng);
        // Every search has one.
        if let Some(evaluator) = &mut self.evaluator {
            search.run_alone(evaluator, &mut self.batch, &mut self.answers, || true)?;
        }
        Ok(search.result().best)
    }

    /// What the search found for the move it chose last; `None` for players without one.
    pub fn search(&mut self) -> Option<&mut Search<V>> {
        match &mut self.player {
            GamePlayer::Search { search, .. } => Some(search),
            GamePlayer::MovePolicy(_) | GamePlayer::Engine(_) => None,
        }
    }
}
