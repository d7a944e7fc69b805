//! Someone who takes part in a match: a name for tables, and all that is needed to play.

use super::lease::Idle;
use super::spec::PlayerSpec;
use crate::engine::EngineProfile;
use crate::limit::Limit;
use crate::log::PlayerRecord;
use selfplay::{EvaluationError, Evaluator, SearchConfig};
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;

/// Gives one evaluator to each thread that asks.
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
    /// An outside engine.
    Engine(Arc<EngineProfile>),
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
    /// Its own limit, in place of the match's; [`Limit::Own`] if it has none.
    pub limit: Limit,
}

impl Contender {
    /// Plays any legal move.
    pub fn random() -> Contender {
        Contender { name: "random".into(), identity: "random".into(), brain: Brain::Random, limit: Limit::Own }
    }

    /// Plays a win in one, or the move after which the material stands best.
    pub fn greedy() -> Contender {
        Contender { name: "greedy".into(), identity: "greedy".into(), brain: Brain::Greedy, limit: Limit::Own }
    }

    /// Searches with random playouts.
    pub fn mcts(playouts: u32) -> Contender {
        let name = PlayerSpec::Mcts { playouts }.to_string();
        Contender { identity: name.clone(), name, brain: Brain::Mcts { playouts }, limit: Limit::Own }
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
            brain: Brain::Network { search: search.for_matches(), factory: Idle::sharing(factory) },
            limit: Limit::Own,
        }
    }

    /// An outside engine.
    pub fn engine(profile: EngineProfile) -> Contender {
        Contender {
            name: profile.config().title(),
            identity: profile.identity().to_owned(),
            limit: profile.limit(),
            brain: Brain::Engine(Arc::new(profile)),
        }
    }

    /// The same with a limit of its own.
    pub fn with_limit(self, limit: Limit) -> Contender {
        Contender { limit, ..self }
    }

    /// Its limit in a match whose limit is `common`.
    pub(crate) fn limit_in(&self, common: Limit) -> Limit {
        if self.limit == Limit::Own { common } else { self.limit }
    }

    /// The contender of a word, unless that means a network or an engine, which the caller has to load.
    pub fn of_word(spec: &PlayerSpec) -> Option<Contender> {
        match *spec {
            PlayerSpec::Random => Some(Contender::random()),
            PlayerSpec::Greedy => Some(Contender::greedy()),
            PlayerSpec::Mcts { playouts } => Some(Contender::mcts(playouts)),
            PlayerSpec::Network { .. } | PlayerSpec::Engine { .. } => None,
        }
    }

    /// How the log of a match with the limit `common` names it.
    pub(crate) fn record(&self, common: Limit) -> PlayerRecord {
        let limit = self.limit_in(common);
        let search = match &self.brain {
            Brain::Network { search, .. } => {
                let search = SearchConfig { visits: visits_for(search, limit), ..search.clone() };
                // By way of text, where an f32 has few digits: as f64 it has so many that reading them back is not exact.
                let text = serde_json::to_string(&search).unwrap_or_default();
                let mut value: Value = serde_json::from_str(&text).unwrap_or_default();
                if limit.is_of_time() {
                    value["limit"] = limit.to_string().into();
                }
                value
            }
            Brain::Engine(profile) => json!({
                "version": profile.version(),
                "protocol": profile.protocol(),
                "arguments": profile.config().args,
                "variant": profile.config().variant,
                "options": profile.config().options,
                "limit": limit,
            }),
            Brain::Random | Brain::Greedy | Brain::Mcts { .. } => Value::Null,
        };
        PlayerRecord { name: self.name.clone(), identity: self.identity.clone(), search }
    }
}

/// Simulations of a network's search under a limit; without time to end it.
pub(super) fn visits_for(search: &SearchConfig, limit: Limit) -> u32 {
    match limit {
        Limit::Nodes(nodes) => u32::try_from(nodes).unwrap_or(u32::MAX),
        _ => search.visits,
    }
}

impl fmt::Debug for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Contender").field(&self.record(Limit::Own)).finish()
    }
}
