//! Layers of the trunk in their training form: convolution with batch norm, dense layer and residual block.

use crate::error::Result;
use crate::network::parameters::{Init, Parameters, Role};
use network::{Mixing, NetworkConfig};
use tch::{Device, Kind, Tensor};

/// Added to a variance before its square root is taken.
pub(crate) const NORM_EPSILON: f64 = 1e-5;
/// Share of the newest batch in the running statistics while a network is trained.
pub(crate) const NORM_MOMENTUM: f64 = 0.1;

/// How a forward pass is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pass {
    /// By what to normalise.
    pub norms: Norms,
    /// Number format of the activations in the trunk. Weights, norms and the value head stay in fp32.
    pub kind: Kind,
}

/// By what batch norms normalise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Norms {
    /// By the batch itself, which counts with this share in the running statistics from then on.
    Batch {
        /// The share, 0 to 1.
        momentum: f64,
    },
    /// By the running statistics.
    Running,
}

/// A convolution without bias, and its batch norm.
#[derive(Debug)]
pub(crate) struct ConvNorm {
    pub weight: Tensor,
    pub gain: Tensor,
    pub bias: Tensor,
    pub mean: Tensor,
    pub variance: Tensor,
    padding: i64,
}

impl ConvNorm {
    /// A `size` × `size` convolution that keeps the size of the board.
    ///
    /// # Errors
    /// The network has too many values, or libtorch cannot make the tensors (memory, device).
    pub fn new(store: &mut Parameters, name: &str, from: i64, to: i64, size: i64, gain: f64) -> Result<ConvNorm> {
        let fan_in = from * size * size;
        let init = Init::Scaled { gain: 2f64.sqrt(), fan_in };
        let mut offset =
            |part: &str, role, value| store.create(format!("{name}.{part}"), role, &[to], Init::Constant(value));
        Ok(ConvNorm {
            gain: offset("gain", Role::Offset, gain)?,
            bias: offset("bias", Role::Offset, 0.0)?,
            mean: offset("mean", Role::Statistic, 0.0)?,
            variance: offset("variance", Role::Statistic, 1.0)?,
            weight: store.create(format!("{name}.weight"), Role::Weight, &[to, from, size, size], init)?,
            padding: size / 2,
        })
    }

    /// Convolution, norm and ReLU.
    ///
    /// # Errors
    /// libtorch refuses (memory, wrong sizes).
    pub fn activated(&self, x: &Tensor, pass: Pass) -> Result<Tensor> {
        relu(self.forward(x, pass)?)
    }

    /// Convolution and norm: `[batch, from, ranks, files]` to `[batch, to, ranks, files]`.
    ///
    /// # Errors
    /// libtorch refuses (memory, wrong sizes).
    pub fn forward(&self, x: &Tensor, pass: Pass) -> Result<Tensor> {
        let y = x.f_conv2d(&self.weight.f_to_kind(pass.kind)?, None::<Tensor>, [1], [self.padding], [1], 1)?;
        let (gain, bias, mean, variance) = (&self.gain, &self.bias, &self.mean, &self.variance);
        let (train, momentum) = match pass.norms {
            Norms::Batch { momentum } => (true, momentum),
            Norms::Running => (false, 0.0),
        };
        let cudnn = true;
        Ok(y.f_batch_norm(Some(gain), Some(bias), Some(mean), Some(variance), train, momentum, NORM_EPSILON, cudnn)?)
    }
}

/// A dense layer.
#[derive(Debug)]
pub(crate) struct Dense {
    pub weight: Tensor,
    pub bias: Tensor,
}

impl Dense {
    /// A layer from `from` channels to `to`. `gain` scales its initial weights.
    ///
    /// # Errors
    /// The network has too many values, or libtorch cannot make the tensors (memory, device).
    pub fn new(store: &mut Parameters, name: &str, from: i64, to: i64, gain: f64) -> Result<Dense> {
        let init = Init::Scaled { gain, fan_in: from };
        Ok(Dense {
            weight: store.create(format!("{name}.weight"), Role::Weight, &[to, from], init)?,
            bias: store.create(format!("{name}.bias"), Role::Offset, &[to], Init::Constant(0.0))?,
        })
    }

    /// Computes in the number format of `x`.
    ///
    /// # Errors
    /// libtorch refuses (memory, wrong sizes).
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let kind = x.kind();
        Ok(x.f_linear(&self.weight.f_to_kind(kind)?, Some(self.bias.f_to_kind(kind)?))?)
    }

    /// Like `forward`, for `[batch, tokens, channels]`.
    ///
    /// # Errors
    /// libtorch refuses (memory, wrong sizes).
    pub fn over_tokens(&self, x: &Tensor) -> Result<Tensor> {
        if x.device() != Device::Cpu || x.kind() != Kind::Float {
            return self.forward(x);
        }
        // In fp32 libtorch's convolutions are faster on a CPU than its matrix products: forward and backward pass of 128 × 91
        // tokens from 64 channels to 69 took 3.5 and 5.1 ms of one core of an AMD EPYC (the best of 48 in turns).
        let weight = over_board(&self.weight)?;
        let rows = x.f_unsqueeze(2)?.f_permute([0, 3, 1, 2])?;
        let y = rows.f_conv2d(&weight, Some(&self.bias), [1], [0], [1], 1)?;
        Ok(y.f_permute([0, 2, 3, 1])?.f_squeeze_dim(2)?)
    }
}

/// Mean and maximum of each channel over the board: `[batch, 2 × channels]`.
pub(crate) fn pooled(x: &Tensor) -> Result<Tensor> {
    Ok(Tensor::f_cat(&[means(x)?, maxima(x)?], 1)?)
}

/// Mean of each channel over the board: `[batch, channels]`. The gradient of a sum is one number for a whole board, while
/// libtorch writes that of a mean out for every square.
fn means(x: &Tensor) -> Result<Tensor> {
    let squares: i64 = x.size()[2..].iter().product();
    Ok(x.f_sum_dim_intlist([2, 3].as_slice(), false, None)?.f_mul_scalar_(1.0 / squares as f64)?)
}

/// Maximum of each channel over the board: `[batch, channels]`.
fn maxima(x: &Tensor) -> Result<Tensor> {
    match x.requires_grad() {
        // This one remembers where the maximum was; the other one would look for it again in the backward pass.
        true => Ok(x.f_adaptive_max_pool2d([1, 1])?.0.f_flatten(1, -1)?),
        false => Ok(x.f_amax([2, 3], false)?),
    }
}

/// ReLU in the memory of a tensor that is not needed otherwise: the backward pass needs the result alone, so there is
/// less to write and to keep.
fn relu(mut x: Tensor) -> Result<Tensor> {
    Ok(x.f_relu_()?)
}

/// `[batch, channels]` as `[batch, channels, 1, 1]`.
pub(crate) fn over_board(x: &Tensor) -> Result<Tensor> {
    Ok(x.f_unsqueeze(-1)?.f_unsqueeze(-1)?)
}

/// A residual block.
#[derive(Debug)]
pub(crate) struct Block {
    pub first: ConvNorm,
    pub second: ConvNorm,
    mixing: MixingLayers,
}

#[derive(Debug)]
enum MixingLayers {
    None,
    Se { squeeze: Dense, excite: Dense },
    Pool(Dense),
}

impl Block {
    /// A block with the channels and the mixing of `config`, whose initial output is the ReLU of its input.
    ///
    /// # Errors
    /// The network has too many values, or libtorch cannot make the tensors (memory, device).
    pub fn new(store: &mut Parameters, name: &str, config: &NetworkConfig) -> Result<Block> {
        let channels = config.channels as i64;
        let hidden = config.se_hidden as i64;
        Ok(Block {
            first: ConvNorm::new(store, &format!("{name}.first"), channels, channels, 3, 1.0)?,
            // With a gain of 0 every block is the identity at first, so that deep trunks learn from the start.
            second: ConvNorm::new(store, &format!("{name}.second"), channels, channels, 3, 0.0)?,
            mixing: match config.mixing {
                Mixing::None => MixingLayers::None,
                Mixing::Se => MixingLayers::Se {
                    squeeze: Dense::new(store, &format!("{name}.squeeze"), channels, hidden, 2f64.sqrt())?,
                    excite: Dense::new(store, &format!("{name}.excite"), hidden, 2 * channels, 0.5)?,
                },
                Mixing::Pool => {
                    MixingLayers::Pool(Dense::new(store, &format!("{name}.pool"), 2 * channels, channels, 1.0)?)
                }
            },
        })
    }

    /// The layers of squeeze and excite, if the block has them.
    pub fn gates(&self) -> Option<[&Dense; 2]> {
        match &self.mixing {
            MixingLayers::Se { squeeze, excite } => Some([squeeze, excite]),
            MixingLayers::None | MixingLayers::Pool(_) => None,
        }
    }

    /// The output of the block, of the shape of `x`: `[batch, channels, ranks, files]`.
    ///
    /// # Errors
    /// libtorch refuses (memory, wrong sizes).
    pub fn forward(&self, x: &Tensor, pass: Pass) -> Result<Tensor> {
        let mut y = self.first.forward(x, pass)?;
        if let MixingLayers::Pool(pool) = &self.mixing {
            y = y.f_add(&over_board(&pool.forward(&pooled(&y)?)?)?)?;
        }
        y = self.second.forward(&relu(y)?, pass)?;
        if let MixingLayers::Se { squeeze, excite } = &self.mixing {
            let both = excite.forward(&squeeze.forward(&means(&y)?)?.f_relu()?)?.f_chunk(2, 1)?;
            // The backward pass needs what was multiplied, and no sum.
            y = y.f_mul(&over_board(&both[0].f_sigmoid()?)?)?.f_add_(&over_board(&both[1])?)?;
        }
        relu(y.f_add_(x)?)
    }
}
