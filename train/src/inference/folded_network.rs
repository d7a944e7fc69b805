//! The network in its playing form: batch norm is folded into the convolutions, and one number format is used
//! throughout.

use crate::error::{Result, TrainError};
use crate::heads;
use crate::host;
use crate::inference::config::Layout;
use crate::network::blocks::{NORM_EPSILON, over_board, pooled};
use crate::network::{channels_last, square_rows};
use network::Mixing;
use network::NetworkFile;
use std::ops::Range;
use tch::{Device, Kind, Tensor};

/// A convolution that includes its batch norm.
struct Conv {
    weight: Tensor,
    bias: Tensor,
    padding: i64,
}

struct Dense {
    weight: Tensor,
    bias: Tensor,
}

enum MixingLayers {
    None,
    Se { squeeze: Dense, scale: Dense, shift: Dense },
    Pool(Dense),
}

struct Block {
    first: Conv,
    second: Conv,
    mixing: MixingLayers,
}

/// Reads layers out of a network file.
struct Source<'a> {
    file: &'a NetworkFile,
    device: Device,
    kind: Kind,
    layout: Layout,
}

/// A tensor `[batch, channels, ranks, files]` in the memory order of the layout.
fn laid_out(x: &Tensor, layout: Layout) -> Result<Tensor> {
    match layout {
        Layout::Contiguous => Ok(x.f_contiguous()?),
        Layout::ChannelsLast | Layout::Auto => channels_last(x),
    }
}

impl Source<'_> {
    fn get(&self, name: &str) -> Result<Tensor> {
        let tensor = self.file.weights().tensors().get(name);
        let tensor = tensor.ok_or_else(|| TrainError::MissingTensor(name.to_owned()))?;
        Ok(host::sent(tensor)?.f_to_device(self.device)?)
    }

    /// gain · (conv(x) − mean) / √(variance + ε) + bias as one convolution. It is folded in fp32 and then rounded once.
    fn conv(&self, name: &str) -> Result<Conv> {
        let part = |part: &str| self.get(&format!("{name}.{part}"));
        let scale = part("gain")?.f_div(&part("variance")?.f_add_scalar(NORM_EPSILON)?.f_sqrt()?)?;
        let weight = part("weight")?.f_mul(&scale.f_reshape([-1, 1, 1, 1])?)?;
        let bias = part("bias")?.f_sub(&part("mean")?.f_mul(&scale)?)?;
        let padding = weight.size()[2] / 2;
        Ok(Conv {
            weight: laid_out(&weight.f_to_kind(self.kind)?, self.layout)?,
            bias: bias.f_to_kind(self.kind)?,
            padding,
        })
    }

    /// Outputs `from..from + count` of a dense layer in the number format `kind`.
    fn dense_part(&self, name: &str, from: i64, count: i64, kind: Kind) -> Result<Dense> {
        let part = |part: &str| -> Result<Tensor> {
            let whole = self.get(&format!("{name}.{part}"))?;
            Ok(whole.f_narrow(0, from, count)?.f_to_kind(kind)?.f_contiguous()?)
        };
        Ok(Dense { weight: part("weight")?, bias: part("bias")? })
    }

    fn dense(&self, name: &str, kind: Kind) -> Result<Dense> {
        let outputs = self.get(&format!("{name}.bias"))?.size()[0];
        self.dense_part(name, 0, outputs, kind)
    }

    /// The outputs of these heads of the value branch.
    fn value_out(&self, places: [Range<usize>; 2]) -> Result<Dense> {
        let part =
            |place: &Range<usize>| self.dense_part("value.out", place.start as i64, place.len() as i64, Kind::Float);
        let [first, second] = [part(&places[0])?, part(&places[1])?];
        Ok(Dense {
            weight: Tensor::f_cat(&[first.weight, second.weight], 0)?,
            bias: Tensor::f_cat(&[first.bias, second.bias], 0)?,
        })
    }

    fn block(&self, name: &str) -> Result<Block> {
        let config = &self.file.blueprint().config;
        let channels = config.channels as i64;
        let excite = format!("{name}.excite");
        Ok(Block {
            first: self.conv(&format!("{name}.first"))?,
            second: self.conv(&format!("{name}.second"))?,
            mixing: match config.mixing {
                Mixing::None => MixingLayers::None,
                Mixing::Se => MixingLayers::Se {
                    squeeze: self.dense(&format!("{name}.squeeze"), self.kind)?,
                    scale: self.dense_part(&excite, 0, channels, self.kind)?,
                    shift: self.dense_part(&excite, channels, channels, self.kind)?,
                },
                Mixing::Pool => MixingLayers::Pool(self.dense(&format!("{name}.pool"), self.kind)?),
            },
        })
    }
}

impl Conv {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        Ok(x.f_conv2d(&self.weight, Some(&self.bias), [1], [self.padding], [1], 1)?)
    }

    fn on_gpu(&self) -> bool {
        self.weight.device().is_cuda()
    }

    /// The convolution and ReLU. On a GPU bias and ReLU would cost as much as the convolution if each went over the
    /// activations by itself (measured on an H200: 49 µs for 86).
    fn activated(&self, x: &Tensor) -> Result<Tensor> {
        if self.on_gpu() {
            let [once, padding] = [[1, 1], [self.padding; 2]];
            return Ok(x.f_cudnn_convolution_relu(&self.weight, Some(&self.bias), once, padding, once, 1)?);
        }
        Ok(self.forward(x)?.f_relu_()?)
    }

    /// The convolution without its bias.
    fn without_bias(&self, x: &Tensor) -> Result<Tensor> {
        Ok(x.f_conv2d(&self.weight, None::<Tensor>, [1], [self.padding], [1], 1)?)
    }
}

impl Dense {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        Ok(x.f_linear(&self.weight, Some(&self.bias))?)
    }
}

impl Block {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = if let MixingLayers::Pool(pool) = &self.mixing {
            let mut y = self.first.forward(x)?;
            let seen = over_board(&pool.forward(&pooled(&y)?)?)?;
            y.f_add_(&seen)?.f_relu_()?
        } else {
            self.first.activated(x)?
        };
        let sums = match &self.mixing {
            MixingLayers::Se { squeeze, scale, shift } if self.second.on_gpu() => {
                // The bias enters where a channel is one number, in place of one for each square.
                let (y, bias) = (self.second.without_bias(&y)?, &self.second.bias);
                let mean = y.f_mean_dim([2, 3].as_slice(), false, None)?.f_add_(bias)?;
                let hidden = squeeze.forward(&mean)?.f_relu_()?;
                let scale = scale.forward(&hidden)?.f_sigmoid_()?;
                let shift = shift.forward(&hidden)?.f_addcmul_(&scale, bias)?;
                over_board(&shift)?.f_addcmul(&y, &over_board(&scale)?)?.f_add_(x)
            }
            MixingLayers::Se { squeeze, scale, shift } => {
                let y = self.second.forward(&y)?;
                let hidden = squeeze.forward(&y.f_mean_dim([2, 3].as_slice(), false, None)?)?.f_relu_()?;
                let scale = over_board(&scale.forward(&hidden)?.f_sigmoid_()?)?;
                let shift = over_board(&shift.forward(&hidden)?)?;
                // x + y · scale + shift, in as few passes over memory as there are kernels for.
                x.f_addcmul(&y, &scale)?.f_add_(&shift)
            }
            MixingLayers::None | MixingLayers::Pool(_) => self.second.forward(&y)?.f_add_(x),
        };
        Ok(sums?.f_relu_()?)
    }
}

/// The outputs that play needs, in fp32.
pub(crate) struct PlayOutputs {
    /// `[batch, squares, features]`.
    pub squares: Tensor,
    /// `[batch, hand slots + 1, features]`.
    pub beside: Tensor,
    /// `[batch, 3 or 4]`: logits of win, draw, loss, and the points in a network that says them.
    pub value: Tensor,
}

/// A network for play.
pub(crate) struct FoldedNetwork {
    kind: Kind,
    layout: Layout,
    stem: Conv,
    blocks: Vec<Block>,
    policy_board: Conv,
    policy_beside: Tensor,
    policy_pool: Dense,
    policy_tokens: Dense,
    value_board: Conv,
    value_hidden: Dense,
    value_out: Dense,
}

impl FoldedNetwork {
    /// Folds a network's weights. The dense layers of the value head stay in fp32 for every `kind`: this costs nothing,
    /// and 8 bits of mantissa are too few for the difference of two probabilities.
    ///
    /// # Errors
    /// The file lacks a tensor, or libtorch cannot make one (memory, device).
    pub fn new(file: &NetworkFile, device: Device, kind: Kind, layout: Layout) -> Result<FoldedNetwork> {
        let _guard = tch::no_grad_guard();
        let source = Source { file, device, kind, layout };
        let places = heads::places(file.blueprint().shape);
        let blocks = (0..file.blueprint().config.blocks).map(|i| source.block(&format!("block.{i:02}")));
        Ok(FoldedNetwork {
            kind,
            layout,
            stem: source.conv("stem")?,
            blocks: blocks.collect::<Result<_>>()?,
            policy_board: source.conv("policy.board")?,
            policy_beside: source.get("policy.beside")?.f_to_kind(kind)?.f_unsqueeze(0)?,
            policy_pool: source.dense("policy.pool", kind)?,
            policy_tokens: source.dense("policy.tokens", kind)?,
            value_board: source.conv("value.board")?,
            value_hidden: source.dense("value.hidden", Kind::Float)?,
            value_out: source.value_out([places.wdl, places.points])?,
        })
    }

    /// Evaluates `[batch, planes, ranks, files]` on the network's device.
    ///
    /// # Errors
    /// libtorch refuses (memory, wrong sizes).
    pub fn forward(&self, planes: &Tensor) -> Result<PlayOutputs> {
        let _guard = tch::no_grad_guard();
        let mut x = laid_out(&planes.f_to_kind(self.kind)?, self.layout)?;
        x = self.stem.activated(&x)?;
        for block in &self.blocks {
            x = block.forward(&x)?;
        }
        let pool = pooled(&x)?;
        let squares = square_rows(&self.policy_board.activated(&x)?)?;
        let seen = self.policy_pool.forward(&pool)?.f_unsqueeze(1)?;
        let beside = self.policy_beside.f_add(&seen)?.f_relu_()?;
        let fp32 = |x: Tensor| x.f_to_kind(Kind::Float);
        let board = square_rows(&self.value_board.activated(&x)?)?.f_flatten(1, -1)?;
        let value = Tensor::f_cat(&[fp32(board)?, fp32(pool)?], 1)?;
        Ok(PlayOutputs {
            squares: fp32(self.policy_tokens.forward(&squares)?)?,
            beside: fp32(self.policy_tokens.forward(&beside)?)?,
            value: self.value_out.forward(&self.value_hidden.forward(&value)?.f_relu_()?)?,
        })
    }
}
