//! A network without weights: its configuration, the variant that it is for, and the tensors that follow from them.

use crate::board::Board;
use crate::error::{NetworkError, Result};
use rules::Variant;
use rules::encode::{Features, Shape};
use search::LeafBatch;
use serde::{Deserialize, Serialize};
use settings::Complaints;

/// Number of scalars of a token after its query and key: leaves, arrives, promotes from, promotes at, touches.
pub const SCALARS: usize = 5;
/// Number of value outputs before the piece counts: win/draw/loss, the same in the short term, and plies left. Play needs
/// the first three, and the points.
const VALUE_OUTPUTS: usize = 7;

/// Largest accepted number in the sizes of a variant's encoding. Products of such numbers stay far from overflow.
const MOST_OF_A_SHAPE: usize = 1 << 14;
/// Largest accepted number of values in the planes of a position; 19 × 19 squares with 145 planes are 52,345.
const MOST_INPUTS: usize = 1 << 22;

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
    /// Hidden units of squeeze and excitation, 4 to `channels`; if not set, no more than `channels`. The other two do not use
    /// it.
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
    /// In a variant that counts points (Janggi): whether the network says how many the side to move will be ahead at the end of
    /// the game. No effect in the others.
    pub points: bool,
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
            points: false,
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
    #[serde(with = "stored")]
    pub config: NetworkConfig,
}

impl Blueprint {
    /// A network of this size for variant `V`.
    ///
    /// ```
    /// use network::{Blueprint, NetworkConfig};
    /// let blueprint = Blueprint::of::<rules::Wangqi>(NetworkConfig::default());
    /// assert_eq!((blueprint.shape.tokens(), blueprint.token_features()), (64 + 7 + 1, 2 * 32 + 5));
    /// ```
    pub fn of<V: Variant>(config: NetworkConfig) -> Blueprint {
        let shape = Shape::of::<V>(config.features).with_points::<V>(config.points);
        Blueprint { variant: V::ID.to_owned(), shape, config }
    }

    /// Numbers that the policy head gives to each token: query, key and five scalars (see `policy.rs`).
    pub fn token_features(&self) -> usize {
        2 * self.config.policy_dim + SCALARS
    }

    /// Refuses sizes that no network may have.
    ///
    /// # Errors
    /// [`NetworkError::Size`] or [`NetworkError::Shape`].
    pub fn check(&self) -> Result<()> {
        let mut complaints = Complaints::default();
        complaints.section("network", |complaints| self.config.check(complaints));
        complaints.into_result().map_err(NetworkError::Size)?;
        let Shape { planes, ranks, files, hand_slots, material, points } = self.shape;
        let too_large =
            points > 1 || [planes, ranks, files, hand_slots, material].iter().any(|&size| size > MOST_OF_A_SHAPE);
        let empty = [planes, ranks, files].contains(&0);
        // A token is named by 16 bits.
        if too_large || empty || self.shape.input_len() > MOST_INPUTS || self.shape.tokens() > 1 << 16 {
            return Err(NetworkError::Shape(self.shape));
        }
        Ok(())
    }

    /// Names and shapes of all tensors.
    pub fn tensors(&self) -> Vec<(String, Vec<usize>)> {
        let channels = self.config.channels;
        let mut list = Vec::new();
        conv_norm(&mut list, "stem", self.shape.planes, channels, 3);
        for block in 0..self.config.blocks {
            let block = block_name(block);
            conv_norm(&mut list, &format!("{block}.first"), channels, channels, 3);
            conv_norm(&mut list, &format!("{block}.second"), channels, channels, 3);
            match self.config.mixing {
                Mixing::None => {}
                Mixing::Se => {
                    dense(&mut list, &format!("{block}.squeeze"), channels, self.config.se_hidden);
                    dense(&mut list, &format!("{block}.excite"), self.config.se_hidden, 2 * channels);
                }
                Mixing::Pool => dense(&mut list, &format!("{block}.pool"), 2 * channels, channels),
            }
        }
        conv_norm(&mut list, "policy.board", channels, channels, 1);
        list.push(("policy.beside".to_owned(), vec![self.beside(), channels]));
        dense(&mut list, "policy.pool", 2 * channels, channels);
        dense(&mut list, "policy.tokens", channels, self.token_features());
        conv_norm(&mut list, "value.board", channels, self.config.value_channels, 1);
        let value_inputs = self.config.value_channels * self.shape.squares() + 2 * channels;
        dense(&mut list, "value.hidden", value_inputs, self.config.value_hidden);
        dense(&mut list, "value.out", self.config.value_hidden, self.points_output() + self.shape.points);
        list
    }

    /// The value output that says the points, in a network that has it: the last one.
    pub(crate) fn points_output(&self) -> usize {
        VALUE_OUTPUTS + self.shape.material
    }

    /// Tokens that are not on the board: hand slots and the pass.
    pub(crate) fn beside(&self) -> usize {
        self.shape.hand_slots + 1
    }

    pub(crate) fn board(&self) -> Board {
        Board { ranks: self.shape.ranks, files: self.shape.files }
    }

    /// Refuses leaves that were not made for such a network.
    pub(crate) fn check_leaves(&self, batch: &LeafBatch) -> Result<()> {
        if batch.features() != self.config.features {
            return Err(NetworkError::Features { found: batch.features(), wanted: self.config.features });
        }
        let (found, leaves, each) = (batch.planes.len(), batch.len(), self.shape.input_len());
        if found != leaves * each {
            return Err(NetworkError::Planes { found, leaves, each });
        }
        let tokens = self.shape.tokens();
        for mv in &batch.tokens {
            let via = mv.via.iter().take(usize::from(mv.via_len));
            if let Some(&token) = [mv.source, mv.target].iter().chain(via).find(|&&token| usize::from(token) >= tokens)
            {
                return Err(NetworkError::Token { token, tokens });
            }
        }
        Ok(())
    }
}

/// The name of a block in the names of its tensors.
pub(crate) fn block_name(block: usize) -> String {
    format!("block.{block:02}")
}

fn conv_norm(list: &mut Vec<(String, Vec<usize>)>, name: &str, inputs: usize, outputs: usize, size: usize) {
    list.push((format!("{name}.weight"), vec![outputs, inputs, size, size]));
    list.extend(["gain", "bias", "mean", "variance"].map(|part| (format!("{name}.{part}"), vec![outputs])));
}

fn dense(list: &mut Vec<(String, Vec<usize>)>, name: &str, inputs: usize, outputs: usize) {
    list.push((format!("{name}.weight"), vec![outputs, inputs]));
    list.push((format!("{name}.bias"), vec![outputs]));
}

/// Keys of experiments without gain (`docs/research/2026-11-26-retired-keys.md`), and the values with which a network was made without them.
pub const RETIRED: [(&str, &str); 5] = [
    ("kind_channels", "0"),
    ("reply_dim", "0"),
    ("material", "\"counts\""),
    ("features.hand_steps", "false"),
    ("features.last_move", "false"),
];

/// A configuration as files have it. Files still state that nothing of [`RETIRED`] is used, so a network keeps the digest
/// that it has always had, and older programs can read it.
mod stored {
    use super::{Mixing, NetworkConfig, RETIRED};
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::{Map, Value};

    /// All keys, in the order of the files.
    #[derive(Serialize)]
    struct StoredConfig {
        blocks: usize,
        channels: usize,
        mixing: Mixing,
        se_hidden: usize,
        policy_dim: usize,
        value_channels: usize,
        value_hidden: usize,
        kind_channels: usize,
        reply_dim: usize,
        material: &'static str,
        features: StoredFeatures,
        /// Absent where it is off, as in all networks before there was such a head.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        points: bool,
    }

    #[derive(Serialize)]
    struct StoredFeatures {
        hand_steps: bool,
        attacks: bool,
        last_move: bool,
    }

    pub fn serialize<S: Serializer>(config: &NetworkConfig, serializer: S) -> Result<S::Ok, S::Error> {
        StoredConfig {
            blocks: config.blocks,
            channels: config.channels,
            mixing: config.mixing,
            se_hidden: config.se_hidden,
            policy_dim: config.policy_dim,
            value_channels: config.value_channels,
            value_hidden: config.value_hidden,
            kind_channels: 0,
            reply_dim: 0,
            material: "counts",
            features: StoredFeatures { hand_steps: false, attacks: config.features.attacks, last_move: false },
            points: config.points,
        }
        .serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<NetworkConfig, D::Error> {
        let mut stored = Map::deserialize(deserializer)?;
        for (key, off) in RETIRED {
            let found = match key.split_once('.') {
                Some((section, key)) => {
                    stored.get_mut(section).and_then(|section| section.as_object_mut()?.remove(key))
                }
                None => stored.remove(key),
            };
            if found.is_some_and(|value| serde_json::from_str(off).ok() != Some(value)) {
                let why = "an experiment that brought no gain, which this kirin does not read any more (docs/research/2026-11-26-retired-keys.md)";
                let what = format!("it was made with {key}, {why}; a kirin of November 2026 reads it");
                return Err(D::Error::custom(what));
            }
        }
        serde_json::from_value(Value::Object(stored)).map_err(D::Error::custom)
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
