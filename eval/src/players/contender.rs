//! Someone who takes part in a match: a name for tables, and all that is needed to play.

use super::spec::PlayerSpec;
use crate::log::PlayerRecord;
use selfplay::{EvaluationError, Evaluator, SearchConfig};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// Makes one evaluator for each thread that asks.
pub type EvaluatorFactory = dyn Fn() -> Result<Box<dyn Evaluator>, EvaluationError> + Send + Sync;

/// How a contender thinks.
#[derive(Clone)]
pub enum Brain {
    /// Any legal move.
    Random,
    /// The move after which the material stands best.
    Greedy,
    /// Tree search with random playouts.
    Mcts {
        /// Playouts a move.
        playouts: u32,
    },
    /// A network with a search.
    Network {
        /// Settings of the search; without noise.
        search: SearchConfig,
        /// Makes its evaluators.
        factory: Arc<EvaluatorFactory>,
    },
}

/// A participant of a match.
#[derive(Clone)]
pub struct Contender {
    /// Name in tables and ratings.
    pub name: String,
    /// What it is, so that a log is not continued with somebody else: for a network the digest of its file.
    pub identity: String,
    /// How it thinks.
    pub brain: Brain,
}

impl Contender {
    /// Plays any legal move.
    pub fn random() -> Contender {
        Contender { name: "random".into(), identity: "random".into(), brain: Brain::Random }
    }

    /// Plays a win in one, or the move after which the material stands best.
    pub fn greedy() -> Contender {
        Contender { name: "greedy".into(), identity: "greedy".into(), brain: Brain::Greedy }
    }

    /// Searches with random playouts.
    pub fn mcts(playouts: u32) -> Contender {
        let name = PlayerSpec::Mcts { playouts }.to_string();
        Contender { identity: name.clone(), name, brain: Brain::Mcts { playouts } }
    }

    /// A network with a search. What explores for learning's sake is taken out of `search`
    /// ([`SearchConfig::for_matches`]); `search.visits` is what it will use.
    pub fn network(
        name: impl Into<String>,
        identity: impl Into<String>,
        search: &SearchConfig,
        factory: impl Fn() -> Result<Box<dyn Evaluator>, EvaluationError> + Send + Sync + 'static,
    ) -> Contender {
        Contender {
            name: name.into(),
            identity: identity.into(),
            brain: Brain::Network { search: search.for_matches(), factory: Arc::new(factory) },
        }
    }

    /// The contender of a word, unless that means a network, which only the caller can load.
    pub fn without_network(spec: &PlayerSpec) -> Option<Contender> {
        match *spec {
            PlayerSpec::Random => Some(Contender::random()),
            PlayerSpec::Greedy => Some(Contender::greedy()),
            PlayerSpec::Mcts { playouts } => Some(Contender::mcts(playouts)),
            PlayerSpec::Network { .. } => None,
        }
    }

    /// How a log names it.
    pub(crate) fn record(&self) -> PlayerRecord {
        let search = match &self.brain {
            // By way of text, where an f32 has few digits: as f64 it has so many that reading them back is not exact.
            Brain::Network { search, .. } => {
                serde_json::to_string(search).and_then(|text| serde_json::from_str(&text)).unwrap_or_default()
            }
            _ => Value::Null,
        };
        PlayerRecord { name: self.name.clone(), identity: self.identity.clone(), search }
    }
}

impl fmt::Debug for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Contender").field(&self.record()).finish()
    }
}
