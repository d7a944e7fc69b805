//! What a network is before it has weights: its configuration, and the variant it is for.

use rules::Variant;
use rules::encode::Shape;
use serde::{Deserialize, Serialize};

/// How a block looks at the whole board, beside its 3 × 3 convolutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mixing {
    /// Not at all.
    None,
    /// Squeeze and excitation with scale and bias (lc0): channel means gate and shift the block's output.
    Se,
    /// Global pooling (KataGo): channel means and maxima after the first convolution are added to it.
    Pool,
}

/// The size of a network. Part of every network file; a run keeps it from its first generation on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkConfig {
    /// Residual blocks of two 3 × 3 convolutions, 1 to 60.
    pub blocks: usize,
    /// Channels of the trunk, 8 to 512; multiples of 16 are fastest.
    pub channels: usize,
    /// How a block sees the whole board: `none`, `se` or `pool`.
    pub mixing: Mixing,
    /// Hidden units of squeeze and excitation, 4 to `channels`; not used by the other two.
    pub se_hidden: usize,
    /// Length of the policy's query and key vectors, 4 to 256.
    pub policy_dim: usize,
    /// Channels of the value head on the board, 1 to `channels`.
    pub value_channels: usize,
    /// Hidden units of the value head, 8 to 1024.
    pub value_hidden: usize,
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
        }
    }
}

impl NetworkConfig {
    /// Appends one message for each value out of range; `at` is the section's name.
    pub fn complaints(&self, at: &str, out: &mut Vec<String>) {
        let mut within = |key: &str, value: usize, low: usize, high: usize| {
            if !(low..=high).contains(&value) {
                out.push(format!("{at}.{key}: {value} is out of range; {low} to {high}"));
            }
        };
        within("blocks", self.blocks, 1, 60);
        within("channels", self.channels, 8, 512);
        if self.mixing == Mixing::Se {
            within("se_hidden", self.se_hidden, 4, self.channels.max(4));
        }
        within("policy_dim", self.policy_dim, 4, 256);
        within("value_channels", self.value_channels, 1, self.channels.max(1));
        within("value_hidden", self.value_hidden, 8, 1024);
    }
}

/// A network without its weights: everything that decides the names and shapes of its tensors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blueprint {
    /// Identifier of the variant.
    pub variant: String,
    /// Sizes of the variant's encoding.
    pub shape: Shape,
    /// Size of the network.
    pub config: NetworkConfig,
}

impl Blueprint {
    /// A network of this size for variant `V`.
    ///
    /// ```
    /// use train::{Blueprint, NetworkConfig};
    /// let blueprint = Blueprint::of::<rules::Wangqi>(NetworkConfig::default());
    /// assert_eq!((blueprint.shape.tokens(), blueprint.features()), (64 + 7 + 1, 2 * 32 + 5));
    /// ```
    pub fn of<V: Variant>(config: NetworkConfig) -> Blueprint {
        Blueprint { variant: V::ID.to_owned(), shape: Shape::of::<V>(), config }
    }

    /// Numbers the policy head gives to each token: query, key, and five scalars (see `policy.rs`).
    pub fn features(&self) -> usize {
        2 * self.config.policy_dim + crate::policy::SCALARS
    }
}
