//! The sizes of a network, and the names and shapes of the tensors that follow from them.

use crate::board::Board;
use crate::error::{NetworkError, Result};
use rules::encode::{Features, Shape};
use settings::Complaints;

/// Number of scalars of a token after its query and key: leaves, arrives, promotes from, promotes at, touches.
pub(crate) const SCALARS: usize = 5;
/// Number of value outputs before the piece counts: win/draw/loss, the same in the short term, and plies left. Play needs
/// the first three.
const VALUE_OUTPUTS: usize = 7;

/// Largest accepted number in the sizes of a variant's encoding. Products of such numbers stay far from overflow.
const MOST_OF_A_SHAPE: usize = 1 << 14;
/// Largest accepted number of values in the planes of a position; 19 × 19 squares with 145 planes are 52,345.
const MOST_INPUTS: usize = 1 << 22;

/// How a block sees the whole board, in addition to its 3 × 3 convolutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mixing {
    /// Not at all.
    None,
    /// Squeeze and excitation with scale and bias (lc0): the means of the channels scale and shift the block's output.
    Se,
    /// Global pooling (KataGo): a layer of the channels' means and maxima is added to the first convolution's output.
    Pool,
}

/// Everything that decides the names and shapes of a network's tensors. The fields are those of the blueprint in a
/// network file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Sizes of the variant's encoding.
    pub shape: Shape,
    /// What the network is shown in addition to pieces and counters.
    pub features: Features,
    /// Number of residual blocks with two 3 × 3 convolutions each, 1 to 60.
    pub blocks: usize,
    /// Channels of the trunk, 8 to 512; multiples of 32 are the fastest.
    pub channels: usize,
    /// How a block sees the whole board.
    pub mixing: Mixing,
    /// Hidden units of squeeze and excitation, 4 to `channels`. The other two do not use it.
    pub se_hidden: usize,
    /// Length of the query and key vectors of the policy, 4 to 256.
    pub policy_dim: usize,
    /// Channels of the value head on the board, 1 to `channels`.
    pub value_channels: usize,
    /// Hidden units of the value head, 8 to 1024.
    pub value_hidden: usize,
}

impl Description {
    /// A network of 4 blocks and 64 channels with squeeze and excitation.
    ///
    /// ```
    /// use network::Description;
    /// use rules::encode::{Features, Shape};
    /// let description = Description::usual(Shape::of::<rules::Wangqi>(Features::ALL), Features::ALL);
    /// assert_eq!((description.blocks, description.channels), (4, 64));
    /// ```
    pub fn usual(shape: Shape, features: Features) -> Description {
        Description {
            shape,
            features,
            blocks: 4,
            channels: 64,
            mixing: Mixing::Se,
            se_hidden: 16,
            policy_dim: 32,
            value_channels: 8,
            value_hidden: 64,
        }
    }

    /// Refuses sizes that no network may have.
    ///
    /// # Errors
    /// [`NetworkError::Size`] or [`NetworkError::Shape`].
    pub fn check(&self) -> Result<()> {
        let mut complaints = Complaints::default();
        complaints.section("network", |complaints| {
            complaints.within("blocks", self.blocks, 1, 60);
            complaints.within("channels", self.channels, 8, 512);
            if self.mixing == Mixing::Se {
                complaints.within("se_hidden", self.se_hidden, 4, self.channels.max(4));
            }
            complaints.within("policy_dim", self.policy_dim, 4, 256);
            complaints.within("value_channels", self.value_channels, 1, self.channels.max(1));
            complaints.within("value_hidden", self.value_hidden, 8, 1024);
        });
        complaints.into_result().map_err(NetworkError::Size)?;
        let Shape { planes, ranks, files, hand_slots, material } = self.shape;
        let too_large = [planes, ranks, files, hand_slots, material].iter().any(|&size| size > MOST_OF_A_SHAPE);
        let empty = [planes, ranks, files].contains(&0);
        // A token is named by 16 bits.
        if too_large || empty || self.shape.input_len() > MOST_INPUTS || self.shape.tokens() > 1 << 16 {
            return Err(NetworkError::Shape(self.shape));
        }
        Ok(())
    }

    /// Names and shapes of all tensors.
    pub fn tensors(&self) -> Vec<(String, Vec<usize>)> {
        let channels = self.channels;
        let mut list = Vec::new();
        conv_norm(&mut list, "stem", self.shape.planes, channels, 3);
        for block in 0..self.blocks {
            let block = block_name(block);
            conv_norm(&mut list, &format!("{block}.first"), channels, channels, 3);
            conv_norm(&mut list, &format!("{block}.second"), channels, channels, 3);
            match self.mixing {
                Mixing::None => {}
                Mixing::Se => {
                    dense(&mut list, &format!("{block}.squeeze"), channels, self.se_hidden);
                    dense(&mut list, &format!("{block}.excite"), self.se_hidden, 2 * channels);
                }
                Mixing::Pool => dense(&mut list, &format!("{block}.pool"), 2 * channels, channels),
            }
        }
        conv_norm(&mut list, "policy.board", channels, channels, 1);
        list.push(("policy.beside".to_owned(), vec![self.beside(), channels]));
        dense(&mut list, "policy.pool", 2 * channels, channels);
        dense(&mut list, "policy.tokens", channels, 2 * self.policy_dim + SCALARS);
        conv_norm(&mut list, "value.board", channels, self.value_channels, 1);
        let value_inputs = self.value_channels * self.shape.squares() + 2 * channels;
        dense(&mut list, "value.hidden", value_inputs, self.value_hidden);
        dense(&mut list, "value.out", self.value_hidden, VALUE_OUTPUTS + self.shape.material);
        list
    }

    /// Tokens that are not on the board: hand slots and the pass.
    pub(crate) fn beside(&self) -> usize {
        self.shape.hand_slots + 1
    }

    pub(crate) fn board(&self) -> Board {
        Board { ranks: self.shape.ranks, files: self.shape.files }
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
