//! A participant of a match: a name for tables, and all that is needed to play.

use super::evaluator_pool::{EvaluatorFactory, EvaluatorPool};
use super::spec::PlayerSpec;
use super::temperature::Temperature;
use crate::identity::{EngineSettings, NetworkSettings, PlayerId, PlayerRecord, PlayerSettings, Roster};
use engine::{EngineProfile, Limit};
use search::{EvaluationError, Evaluator, SearchConfig};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// The kinds of players.
#[derive(Clone)]
pub enum PlayerKind {
    /// Plays any legal move.
    Random,
    /// Plays a win in one, or the move with the best material after it.
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
        /// How they evaluate, for the log; `None` if there is nothing to choose.
        evaluation: Option<Value>,
    },
    /// An outside engine.
    Engine(Arc<EngineProfile>),
}

/// A participant of a match.
#[derive(Clone)]
pub struct PlayerConfig {
    /// Name in tables and ratings.
    pub name: String,
    /// What it is, so that a log is not continued with another player: for a network, the digest of its file.
    pub identity: String,
    /// Its kind, with what it needs to play.
    pub kind: PlayerKind,
    /// Its own limit, in place of the match's; [`Limit::Own`] if it has none.
    pub limit: Limit,
}

impl PlayerConfig {
    /// Plays any legal move.
    pub fn random() -> PlayerConfig {
        PlayerConfig { name: "random".into(), identity: "random".into(), kind: PlayerKind::Random, limit: Limit::Own }
    }

    /// Plays a win in one, or the move after which the material stands best.
    pub fn greedy() -> PlayerConfig {
        PlayerConfig { name: "greedy".into(), identity: "greedy".into(), kind: PlayerKind::Greedy, limit: Limit::Own }
    }

    /// Searches with random playouts.
    pub fn mcts(playouts: u32) -> PlayerConfig {
        let name = PlayerSpec::Mcts { playouts }.to_string();
        PlayerConfig { identity: name.clone(), name, kind: PlayerKind::Mcts { playouts }, limit: Limit::Own }
    }

    /// A network with a search. Exploration, which is for learning only, is taken out of `search`
    /// ([`SearchConfig::for_matches`]). The search has `search.visits` visits a move.
    pub fn network(
        name: impl Into<String>,
        identity: impl Into<String>,
        search: &SearchConfig,
        factory: impl Fn() -> Result<Box<dyn Evaluator>, EvaluationError> + Send + Sync + 'static,
    ) -> PlayerConfig {
        PlayerConfig {
            name: name.into(),
            identity: identity.into(),
            kind: PlayerKind::Network {
                search: search.for_matches(),
                factory: EvaluatorPool::sharing(factory),
                evaluation: None,
            },
            limit: Limit::Own,
        }
    }

    /// An outside engine.
    pub fn engine(profile: EngineProfile) -> PlayerConfig {
        PlayerConfig {
            name: profile.config().title(),
            identity: profile.identity().to_owned(),
            limit: profile.limit(),
            kind: PlayerKind::Engine(Arc::new(profile)),
        }
    }

    /// This player with a record of how its network is evaluated: a log is resumed only with evaluations of the same kind.
    pub fn evaluated(mut self, how: Value) -> PlayerConfig {
        if let PlayerKind::Network { evaluation, .. } = &mut self.kind {
            *evaluation = Some(how);
        }
        self
    }

    /// This player, weakened: a network draws its moves at this temperature. Other players have none and stay as they are.
    pub fn at(mut self, temperature: Temperature) -> PlayerConfig {
        if let PlayerKind::Network { search, .. } = &mut self.kind {
            *search = temperature.weaken(search);
        }
        self
    }

    /// This player with a limit of its own.
    pub fn with_limit(self, limit: Limit) -> PlayerConfig {
        PlayerConfig { limit, ..self }
    }

    /// Its identity in matches whose limit is `common`.
    pub fn id(&self, common: Limit) -> PlayerId {
        PlayerId::of(&self.record(common))
    }

    /// These players, each with a short name that no other has.
    pub fn told_apart(players: Vec<PlayerConfig>, common: Limit) -> Vec<PlayerConfig> {
        let records: Vec<PlayerRecord> = players.iter().map(|player| player.record(common)).collect();
        let names = Roster::of(&records).names();
        let named = |(player, record): (PlayerConfig, &PlayerRecord)| PlayerConfig {
            name: names[&PlayerId::of(record)].clone(),
            ..player
        };
        players.into_iter().zip(&records).map(named).collect()
    }

    /// Its limit in a match whose limit is `common`.
    pub(crate) fn limit_in(&self, common: Limit) -> Limit {
        match self.kind {
            // What they do for a move is part of what they are.
            PlayerKind::Random | PlayerKind::Greedy | PlayerKind::Mcts { .. } => Limit::Own,
            PlayerKind::Network { .. } | PlayerKind::Engine(_) if self.limit == Limit::Own => common,
            PlayerKind::Network { .. } | PlayerKind::Engine(_) => self.limit,
        }
    }

    /// Its record in the log of a match with the limit `common`.
    pub(crate) fn record(&self, common: Limit) -> PlayerRecord {
        let limit = self.limit_in(common);
        let settings = match &self.kind {
            PlayerKind::Network { search, evaluation, .. } => PlayerSettings::Network(NetworkSettings {
                search: SearchConfig { visits: visits_for(search, limit), ..search.clone() },
                limit: limit.is_of_time().then_some(limit),
                evaluation: evaluation.clone(),
            }),
            PlayerKind::Engine(profile) => PlayerSettings::Engine(EngineSettings {
                version: profile.version().to_owned(),
                protocol: profile.protocol(),
                arguments: profile.config().args.clone(),
                variant: profile.config().variant.clone(),
                options: profile.config().options.clone(),
                limit,
            }),
            PlayerKind::Random | PlayerKind::Greedy | PlayerKind::Mcts { .. } => PlayerSettings::BuiltIn,
        };
        PlayerRecord { name: self.name.clone(), identity: self.identity.clone(), settings }
    }
}

/// Visits of a network's search under a limit; without time to end it.
pub(super) fn visits_for(search: &SearchConfig, limit: Limit) -> u32 {
    match limit {
        Limit::Nodes(nodes) => u32::try_from(nodes).unwrap_or(u32::MAX),
        _ => search.visits,
    }
}

impl fmt::Debug for PlayerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PlayerConfig").field(&self.record(Limit::Own)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_not_for_players_whose_playouts_are_their_name() {
        let [common, own] = ["time:100ms", "nodes:5"].map(|text| text.parse::<Limit>().unwrap());
        for player in [PlayerConfig::mcts(1_600), PlayerConfig::greedy(), PlayerConfig::random()] {
            assert_eq!(player.limit_in(common), Limit::Own, "{player:?}");
        }
        let network = PlayerConfig::network("net", "net", &SearchConfig::default(), || unreachable!());
        assert_eq!(network.limit_in(common), common);
        assert_eq!(network.with_limit(own).limit_in(common), own);
    }
}
