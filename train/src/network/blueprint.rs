//! A network without weights: its configuration, and the variant that it is for.

use crate::network::policy::SCALARS;
use rules::Variant;
use rules::encode::{Features, Shape};
use serde::{Deserialize, Serialize};
use settings::Complaints;

/// How a block sees the whole board, beside its 3 × 3 convolutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Hidden units of the value head, 8 to 1024.
    pub value_hidden: usize,
    /// Channels to which a 1 × 1 convolution reduces the input planes before the first 3 × 3 convolution, 4 to 256; 0: the
    /// 3 × 3 convolution reads the planes themselves. It makes a variant of many kinds cheaper.
    pub kind_channels: usize,
    /// Length of the query and key vectors of a second policy, for the opponent's reply, 4 to 256; 0: there is none. It
    /// is trained beside the others (`training.loss.reply`) and not evaluated in play.
    pub reply_dim: usize,
    /// What the head of piece counts says of the counts some plies ahead.
    pub material: MaterialHead,
    /// What the network is shown beside pieces and counters.
    pub features: Features,
}

/// What the head of piece counts says. A network that was made before there was a choice says the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MaterialHead {
    /// How many there will be.
    Counts,
    /// How many more there will be than now.
    Change,
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
            kind_channels: 0,
            reply_dim: 0,
            material: MaterialHead::Counts,
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
        if self.kind_channels > 0 {
            complaints.within("kind_channels", self.kind_channels, 4, 256);
        }
        if self.reply_dim > 0 {
            complaints.within("reply_dim", self.reply_dim, 4, 256);
        }
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

    /// The same of the second policy, for the opponent's reply; `None` if there is none.
    pub(crate) fn reply_features(&self) -> Option<usize> {
        (self.config.reply_dim > 0).then(|| 2 * self.config.reply_dim + SCALARS)
    }
}
