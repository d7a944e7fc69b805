//! A network without weights: its configuration, and the variant that it is for.

use crate::network::policy::SCALARS;
use rules::Variant;
use rules::encode::{Features, Shape};
use serde::{Deserialize, Serialize};
use settings::Complaints;

/// How a block sees the whole board, in addition to its 3 × 3 convolutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mixing {
    /// Not at all.
    None,
    /// Squeeze and excitation with scale and bias (lc0): the means of the channels scale and shift the block's output.
    Se,
    /// Global pooling (KataGo): a layer of the channels' means and maxima is added to the first convolution's output.
    Pool,
}

/// The size of a network, what it is shown and what it is asked. It is part of every network file, and a run keeps it from
/// its first generation on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkConfig {
    /// Number of residual blocks with two 3 × 3 convolutions each, 1 to 60.
    pub blocks: usize,
    /// Channels of the trunk, 8 to 512; multiples of 16 are the fastest.
    pub channels: usize,
    /// How a block sees the whole board: `none`, `se` or `pool`.
    pub mixing: Mixing,
    /// Hidden units of squeeze and excitation, 4 to `channels`. The other two do not use it.
    pub se_hidden: usize,
    /// Length of the query and key vectors of the policy, 4 to 256.
    pub policy_dim: usize,
    /// Channels of the value head on the board, 1 to `channels`.
    pub value_channels: usize,
    /// Hidden units of the value head, 8 to 1,024.
    pub value_hidden: usize,
    /// What the network is shown in addition to pieces and counters.
    #[schemars(with = "FeatureKeys")]
    pub features: Features,
}

/// The keys of [`Features`], for the documentation of configurations: the crate `rules` knows no schemas.
#[derive(schemars::JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct FeatureKeys {
    /// Planes of the squares that each side attacks at least once, twice and three times, and whether the side to move is in
    /// check. In Kō shogi what legs, shots and fire reach is attacked.
    attacks: bool,
}

impl Default for NetworkConfig {
    fn default() -> Self {
        NetworkConfig {
            blocks: 4,
            channels: 64,
            mixing: Mixing::Se,
            se_hidden: 16,
            policy_dim: 32,
            value_channels: 8,
            value_hidden: 64,
            features: Features::FIRST,
        }
    }
}

impl NetworkConfig {
    /// Complains about each value that is out of range.
    pub fn check(&self, complaints: &mut Complaints) {
        complaints.within("blocks", self.blocks, 1, 60);
        complaints.within("channels", self.channels, 8, 512);
        if self.mixing == Mixing::Se {
            complaints.within("se_hidden", self.se_hidden, 4, self.channels.max(4));
        }
        complaints.within("policy_dim", self.policy_dim, 4, 256);
        complaints.within("value_channels", self.value_channels, 1, self.channels.max(1));
        complaints.within("value_hidden", self.value_hidden, 8, 1024);
    }
}

/// Everything that decides the names and shapes of a network's tensors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blueprint {
    /// Identifier of the variant.
    pub variant: String,
    /// Sizes of the variant's encoding.
    pub shape: Shape,
    /// Size of the network.
    #[serde(with = "written")]
    pub config: NetworkConfig,
}

impl Blueprint {
    /// A network of this size for variant `V`.
    ///
    /// ```
    /// use train::{Blueprint, NetworkConfig};
    /// let blueprint = Blueprint::of::<rules::Wangqi>(NetworkConfig::default());
    /// assert_eq!((blueprint.shape.tokens(), blueprint.token_features()), (64 + 7 + 1, 2 * 32 + 5));
    /// ```
    pub fn of<V: Variant>(config: NetworkConfig) -> Blueprint {
        Blueprint { variant: V::ID.to_owned(), shape: Shape::of::<V>(config.features), config }
    }

    /// Numbers that the policy head gives to each token: query, key and five scalars (see `policy.rs`).
    pub fn token_features(&self) -> usize {
        2 * self.config.policy_dim + SCALARS
    }
}

/// Keys of experiments without gain (`docs/learning.md`), and the values with which a network was made without them.
pub const RETIRED: [(&str, &str); 5] = [
    ("kind_channels", "0"),
    ("reply_dim", "0"),
    ("material", "\"counts\""),
    ("features.hand_steps", "false"),
    ("features.last_move", "false"),
];

/// A configuration as files have it. Files still state that nothing of [`RETIRED`] is used, so a network keeps the digest
/// that it has always had, and older programs can read it.
mod written {
    use super::{Mixing, NetworkConfig};
    use rules::encode::Features;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Written {
        blocks: usize,
        channels: usize,
        mixing: Mixing,
        se_hidden: usize,
        policy_dim: usize,
        value_channels: usize,
        value_hidden: usize,
        kind_channels: usize,
        reply_dim: usize,
        material: String,
        features: WrittenFeatures,
    }

    #[derive(Default, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct WrittenFeatures {
        hand_steps: bool,
        attacks: bool,
        last_move: bool,
    }

    impl Default for Written {
        fn default() -> Written {
            Written::of(&NetworkConfig::default())
        }
    }

    impl Written {
        fn of(config: &NetworkConfig) -> Written {
            Written {
                blocks: config.blocks,
                channels: config.channels,
                mixing: config.mixing,
                se_hidden: config.se_hidden,
                policy_dim: config.policy_dim,
                value_channels: config.value_channels,
                value_hidden: config.value_hidden,
                kind_channels: 0,
                reply_dim: 0,
                material: "counts".to_owned(),
                features: WrittenFeatures { attacks: config.features.attacks, ..WrittenFeatures::default() },
            }
        }

        /// The first of the retired keys that is not off.
        fn retired(&self) -> Option<&'static str> {
            let on = [
                self.kind_channels != 0,
                self.reply_dim != 0,
                self.material != "counts",
                self.features.hand_steps,
                self.features.last_move,
            ];
            super::RETIRED.iter().zip(on).find(|(_, on)| *on).map(|((key, _), _)| *key)
        }
    }

    pub fn serialize<S: Serializer>(config: &NetworkConfig, serializer: S) -> Result<S::Ok, S::Error> {
        Written::of(config).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<NetworkConfig, D::Error> {
        let written = Written::deserialize(deserializer)?;
        if let Some(key) = written.retired() {
            let why = "an experiment that brought no gain, which this kirin does not read any more (docs/learning.md)";
            return Err(D::Error::custom(format!("it was made with {key}, {why}; a kirin of November 2026 reads it")));
        }
        let Written { blocks, channels, mixing, se_hidden, policy_dim, value_channels, value_hidden, features, .. } =
            written;
        let features = Features { attacks: features.attacks };
        Ok(NetworkConfig { blocks, channels, mixing, se_hidden, policy_dim, value_channels, value_hidden, features })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_experiment_changed_is_refused_by_name_and_what_it_did_not_is_read_and_written_as_before() {
        let blueprint = Blueprint::of::<rules::Wangqi>(NetworkConfig::default());
        let text = serde_json::to_string(&blueprint).unwrap();
        let config = r#""value_hidden":64,"kind_channels":0,"reply_dim":0,"material":"counts","features":{"hand_steps":false,"attacks":false,"last_move":false}"#;
        assert!(text.contains(config), "{text}");
        assert_eq!(serde_json::from_str::<Blueprint>(&text).unwrap(), blueprint);
        for (off, on, key) in [
            ("\"kind_channels\":0", "\"kind_channels\":16", "kind_channels"),
            ("\"reply_dim\":0", "\"reply_dim\":8", "reply_dim"),
            ("counts", "change", "material"),
            ("\"hand_steps\":false", "\"hand_steps\":true", "features.hand_steps"),
            ("\"last_move\":false", "\"last_move\":true", "features.last_move"),
        ] {
            let error = serde_json::from_str::<Blueprint>(&text.replace(off, on)).unwrap_err().to_string();
            assert!(error.starts_with(&format!("it was made with {key}, an experiment")), "{error}");
        }
    }
}
