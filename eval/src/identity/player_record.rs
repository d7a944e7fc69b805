//! A player and its settings, as the log records them.

use engine::Limit;
use engine::protocol::Protocol;
use search::{Algorithm, SearchConfig};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A player as the log records it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerRecord {
    /// Name in tables.
    pub name: String,
    /// What it is: `random`, `mcts:100`, or the digest of a network or of an engine's program.
    pub identity: String,
    /// What it thinks with.
    #[serde(rename = "search")]
    pub settings: PlayerSettings,
}

/// The settings of a player. A match resumes only with players of the same settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PlayerSettings {
    /// A built-in player without settings (random, greedy, MCTS), which plays by chance. JSON: `null`.
    BuiltIn,
    /// An outside engine.
    Engine(EngineSettings),
    /// A network with a search.
    Network(NetworkSettings),
    /// Settings that this version of the program does not know. The games can be read, but the match cannot be resumed.
    Unknown(Value),
}

/// Settings of a network's search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NetworkSettings {
    /// Settings of the search.
    #[serde(flatten)]
    pub search: SearchConfig,
    /// The limit, if it is one of time. A limit of nodes is `search.visits`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// How the network is evaluated (number format, layout, batch, threads), as its evaluator describes it, so that a
    /// match resumes with the same evaluations. It is not part of the player's identity ([`crate::PlayerId`]). `None` in
    /// logs of earlier versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Value>,
}

/// Settings of an outside engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineSettings {
    /// Its own name and version.
    pub version: String,
    /// The protocol it speaks.
    pub protocol: Protocol,
    /// Arguments of its program.
    pub arguments: Vec<String>,
    /// Its own name for the variant; empty if it is ours.
    pub variant: String,
    /// The options that were set.
    pub options: BTreeMap<String, String>,
    /// The limit of its thinking.
    pub limit: Limit,
}

/// The key of an evaluation that names the number format. All others (batch, threads, layout, device) are tuning.
pub(crate) const NUMBER_FORMAT: &str = "precision";

impl PlayerSettings {
    /// Whether the player may play the same opening differently. A network does at a temperature or by the clock; otherwise its
    /// search has no noise in a match.
    pub fn plays_by_chance(&self) -> bool {
        match self {
            PlayerSettings::BuiltIn => true,
            PlayerSettings::Network(NetworkSettings { search, limit, .. }) => {
                limit.is_some() || search.algorithm == Algorithm::Gumbel && search.gumbel_scale > 0.0
            }
            PlayerSettings::Engine(_) | PlayerSettings::Unknown(_) => false,
        }
    }

    /// The limit of its thinking, if it is recorded.
    pub fn limit(&self) -> Option<Limit> {
        match self {
            PlayerSettings::BuiltIn => None,
            PlayerSettings::Engine(engine) => Some(engine.limit),
            PlayerSettings::Network(network) => network.limit,
            PlayerSettings::Unknown(value) => value.get("limit")?.as_str()?.parse().ok(),
        }
    }

    /// In which number format a network is evaluated, if it is recorded.
    pub(crate) fn number_format(&self) -> Option<&Value> {
        match self {
            PlayerSettings::Network(network) => network.evaluation.as_ref()?.get(NUMBER_FORMAT),
            _ => None,
        }
    }

    /// The settings that change moves, as JSON; `null` for a player without settings.
    pub(crate) fn deciding(&self) -> Value {
        match self {
            PlayerSettings::BuiltIn => Value::Null,
            PlayerSettings::Network(network) => {
                let mut search = network.search.deciding();
                // A limit of time decides the number of visits.
                if network.limit.is_some() {
                    search.visits = 0;
                }
                let mut settings = canonical(&search);
                if let (Value::Object(settings), Some(limit)) = (&mut settings, network.limit) {
                    settings.insert("limit".to_owned(), limit.to_string().into());
                }
                settings
            }
            PlayerSettings::Engine(engine) => {
                let mut settings = canonical(engine);
                // An engine says the same in each of the protocols that it speaks.
                settings.as_object_mut().and_then(|settings| settings.remove("protocol"));
                settings
            }
            PlayerSettings::Unknown(value) => {
                let mut settings = value.clone();
                settings.as_object_mut().and_then(|settings| settings.remove("evaluation"));
                settings
            }
        }
    }

    /// The settings as JSON; `None` for a player without settings.
    pub(crate) fn to_json(&self) -> Option<String> {
        (*self != PlayerSettings::BuiltIn).then(|| canonical(self).to_string())
    }

    /// How much it thinks, to tell players of one name apart: `depth:8`, `400 visits`.
    pub fn effort(&self) -> Option<String> {
        match (self, self.limit()) {
            (_, Some(limit)) => Some(limit.to_string()),
            (PlayerSettings::Network(network), None) => Some(format!("{} visits", network.search.visits)),
            (_, None) => None,
        }
    }
}

/// A record as JSON with its keys in alphabetical order, as logs and digests have it. It is converted through text, in
/// which an `f32` has few digits; as an `f64` it would have so many that reading them back is not exact.
pub(crate) fn canonical(record: &impl Serialize) -> Value {
    // Records have string keys and finite numbers, so neither step fails.
    let text = serde_json::to_string(record).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

impl<'de> Deserialize<'de> for NetworkSettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // `flatten` would accept keys that no search has.
        let mut value = Value::deserialize(deserializer)?;
        let limit = value.as_object_mut().and_then(|object| object.remove("limit"));
        let limit = limit.map(serde_json::from_value).transpose().map_err(D::Error::custom)?;
        let evaluation = value.as_object_mut().and_then(|object| object.remove("evaluation"));
        if let Some(object) = value.as_object_mut() {
            object.retain(|key, value| !is_retired(key, value));
        }
        let search = serde_json::from_value(value).map_err(D::Error::custom)?;
        Ok(NetworkSettings { search, limit, evaluation })
    }
}

/// Whether a search has this key no more, and is the same without it: it steered noise, or has the value that is now fixed.
fn is_retired(key: &str, value: &Value) -> bool {
    let place = search::RETIRED.iter().position(|(retired, _)| *retired == key);
    let is_now = |now: &str| {
        let now = serde_json::from_str::<Value>(now).unwrap_or_default();
        value.as_f64().map_or(*value == now, |value| now.as_f64() == Some(value))
    };
    place.is_some_and(|place| place < search::RETIRED_OF_NOISE || is_now(search::RETIRED[place].1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlayerId;

    fn read(text: &str) -> PlayerSettings {
        serde_json::from_str(text).expect("settings")
    }

    #[test]
    fn json_is_that_of_earlier_logs() {
        assert_eq!(read("null"), PlayerSettings::BuiltIn);
        let engine = r#"{"arguments":[],"limit":"nodes:10","options":{"Hash":"4"},"protocol":"ucci","variant":"","version":"X 1"}"#;
        let PlayerSettings::Engine(settings) = read(engine) else { panic!("an engine") };
        assert_eq!((settings.protocol, settings.limit), (Protocol::Ucci, Limit::Nodes(10)));
        assert_eq!(canonical(&settings).to_string(), engine);
        let PlayerSettings::Network(network) = read(r#"{"visits":8,"c_scale":0.3,"limit":"time:50ms"}"#) else {
            panic!("a network")
        };
        assert_eq!((network.search.visits, network.search.c_scale), (8, 0.3));
        assert_eq!(PlayerSettings::Network(network.clone()).effort().as_deref(), Some("time:50ms"));
        let text = canonical(&network).to_string();
        assert!(text.contains("\"c_scale\":0.3,"), "an f32 is written with few digits: {text}");
        assert_eq!(read(&text), PlayerSettings::Network(network));
    }

    /// Logs of earlier versions have keys that steered noise, of which a match has none: the player is the same.
    #[test]
    fn retired_keys_are_read_and_change_no_player() {
        let id =
            |text: &str| PlayerId::of(&PlayerRecord { name: "a".into(), identity: "b".into(), settings: read(text) });
        for algorithm in ["gumbel", "puct"] {
            let plain = format!(r#"{{"algorithm":"{algorithm}","visits":8,"noise_fraction":0.0"#);
            let now = id(&format!("{plain}}}"));
            for (shaped, halflife) in [("0.5", "9.0"), ("0.25", "19.0")] {
                let before = format!(r#"{plain},"noise_shaped":{shaped},"root_temperature_halflife":{halflife}}}"#);
                assert!(matches!(read(&before), PlayerSettings::Network(_)), "{before}");
                assert_eq!(id(&before), now);
            }
        }
    }

    /// Logs of earlier versions have keys that are constants now. The player is the same where they have the constants' values,
    /// and of unknown settings where they have others.
    #[test]
    fn keys_that_are_constants_now_are_read_with_their_values_only() {
        let id =
            |text: &str| PlayerId::of(&PlayerRecord { name: "a".into(), identity: "b".into(), settings: read(text) });
        for algorithm in ["gumbel", "puct"] {
            let plain = format!(r#"{{"algorithm":"{algorithm}","visits":8"#);
            for (key, now) in &search::RETIRED[search::RETIRED_OF_NOISE..] {
                let with = |value: &str| format!(r#"{plain},"{key}":{value}}}"#);
                assert!(matches!(read(&with(now)), PlayerSettings::Network(_)), "{key}");
                assert_eq!(id(&with(now)), id(&format!("{plain}}}")), "{key}");
                let other = if *now == "true" { "false" } else { "0.3" };
                assert!(matches!(read(&with(other)), PlayerSettings::Unknown(_)), "{key}");
            }
        }
    }

    #[test]
    fn settings_of_other_versions_stay_readable() {
        let settings = read(r#"{"knights":8,"limit":"depth:3"}"#);
        assert!(matches!(settings, PlayerSettings::Unknown(_)), "{settings:?}");
        assert_eq!(settings.limit(), Some(Limit::Depth(3)));
    }
}
