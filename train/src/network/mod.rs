//! The network in its training form: trunk, factorised policy head, and value head with its auxiliary outputs.

pub(crate) mod blocks;
pub(crate) mod flat;
pub(crate) mod parameters;
pub(crate) mod policy;

use crate::error::{Result, TrainError};
use crate::heads::{self, HEADS, Outputs, Width};
use crate::host;
use crate::libtorch;
use crate::network::blocks::{Block, ConvNorm, Dense, Norms, Pass, pooled};
use crate::network::parameters::{Init, Parameters, Role};
use crate::network::policy::MoveTable;
use network::Blueprint;
use network::{NetworkFile, Weights};
use search::{Evaluations, LeafBatch};
use tch::{Device, Kind, Tensor};

/// A network with its tensors.
#[derive(Debug)]
pub struct Network {
    blueprint: Blueprint,
    parameters: Parameters,
    device: Device,
    stem: ConvNorm,
    blocks: Vec<Block>,
    policy_board: ConvNorm,
    /// Learned inputs for the tokens of hand slots and pass, which are not on the board.
    policy_beside: Tensor,
    policy_pool: Dense,
    policy_tokens: Dense,
    value_board: ConvNorm,
    value_hidden: Dense,
    value_out: Dense,
}

impl Network {
    /// An untrained network whose weights depend on nothing but `seed`.
    ///
    /// # Errors
    /// libtorch cannot be opened, or cannot make the tensors (memory, device).
    pub fn new(blueprint: Blueprint, seed: u64, device: Device) -> Result<Network> {
        libtorch::open()?;
        let store = &mut Parameters::new(seed, device);
        let config = &blueprint.config;
        let shape = blueprint.shape;
        let channels = config.channels as i64;
        let beside = (shape.tokens() - shape.squares()) as i64;
        let value_inputs = (config.value_channels * shape.squares()) as i64 + 2 * channels;
        let value_outputs = heads::values(shape) as i64;
        let root2 = 2f64.sqrt();
        let planes = shape.planes as i64;
        let blocks = (0..config.blocks).map(|i| Block::new(store, &format!("block.{i:02}"), config));
        Ok(Network {
            blocks: blocks.collect::<Result<_>>()?,
            stem: ConvNorm::new(store, "stem", planes, channels, 3, 1.0)?,
            policy_board: ConvNorm::new(store, "policy.board", channels, channels, 1, 1.0)?,
            policy_beside: store.create(
                "policy.beside".to_owned(),
                Role::Offset,
                &[beside, channels],
                Init::Scaled { gain: 1.0, fan_in: 1 },
            )?,
            policy_pool: Dense::new(store, "policy.pool", 2 * channels, channels, 1.0)?,
            // A small gain makes an untrained network nearly indifferent, as a prior should be.
            policy_tokens: Dense::new(store, "policy.tokens", channels, blueprint.token_features() as i64, 0.5)?,
            value_board: ConvNorm::new(store, "value.board", channels, config.value_channels as i64, 1, 1.0)?,
            value_hidden: Dense::new(store, "value.hidden", value_inputs, config.value_hidden as i64, root2)?,
            value_out: Dense::new(store, "value.out", config.value_hidden as i64, value_outputs, 0.3)?,
            parameters: std::mem::replace(store, Parameters::new(0, device)),
            device,
            blueprint,
        })
    }

    /// The network of a file in its training form.
    ///
    /// # Errors
    /// libtorch cannot be opened, or cannot make the tensors (memory, device).
    pub fn of_file(file: &NetworkFile, device: Device) -> Result<Network> {
        let network = Network::new(file.blueprint().clone(), 0, device)?;
        let _guard = tch::no_grad_guard();
        for (name, parameter) in network.parameters.iter() {
            let tensor = file.weights().tensors().get(name);
            let tensor = tensor.ok_or_else(|| TrainError::MissingTensor(name.to_owned()))?;
            parameter.tensor.shallow_clone().f_copy_(&host::sent(tensor)?)?;
        }
        Ok(network)
    }

    /// These weights as a network that can be written and played with.
    ///
    /// # Errors
    /// libtorch cannot copy the tensors, or one of them has values that are not finite.
    pub fn file(&self, generation: u32, training_step: u64) -> Result<NetworkFile> {
        let tensors =
            self.parameters.iter().map(|(name, parameter)| Ok((name.to_owned(), host::copied(&parameter.tensor)?)));
        let weights = Weights::new(self.blueprint.clone(), tensors.collect::<Result<_>>()?)?;
        Ok(NetworkFile::new(weights, generation, training_step)?)
    }

    /// What it was built from.
    pub fn blueprint(&self) -> &Blueprint {
        &self.blueprint
    }

    /// Its tensors.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Where its tensors are.
    pub(crate) fn device(&self) -> Device {
        self.device
    }

    /// Evaluates `[batch, planes, ranks, files]` in fp32 with the running statistics. This is the reference for every
    /// faster way.
    ///
    /// # Errors
    /// libtorch refuses (memory, wrong sizes).
    pub fn evaluate(&self, planes: &Tensor) -> Result<Outputs> {
        let _guard = tch::no_grad_guard();
        self.forward(planes, Pass { norms: Norms::Running, kind: Kind::Float })
    }

    /// Evaluates leaves in the slow, obvious way: in fp32, one position at a time, by the formulas that training uses.
    /// [`crate::TorchEvaluator`] is tested against it.
    ///
    /// # Errors
    /// libtorch refuses (memory, wrong sizes).
    pub fn reference(&self, leaves: &LeafBatch) -> Result<Evaluations> {
        let _guard = tch::no_grad_guard();
        let shape = self.blueprint.shape;
        let sizes = [1, shape.planes, shape.ranks, shape.files].map(|n| n as i64);
        let mut out = Evaluations::default();
        for leaf in 0..leaves.len() {
            let planes = Tensor::f_from_slice(leaves.planes_of(leaf))?.f_reshape(sizes)?.f_to_device(self.device)?;
            let outputs = self.evaluate(&planes)?;
            let moves = leaves.moves_of(leaf);
            let offsets = [0, moves.len() as u32];
            let table = MoveTable::new(moves, &offsets, 1, shape.tokens(), self.device)?;
            let logits = policy::logits(&outputs.tokens, self.blueprint.config.policy_dim, &table)?;
            out.logits.extend_from_slice(&host::copied(&logits)?.values[..moves.len()]);
            let wdl = host::copied(&outputs.wdl.f_softmax(1, Kind::Float)?)?.values;
            out.wdl.push([wdl[0], wdl[1], wdl[2]]);
            out.points.extend(host::copied(&outputs.points)?.values);
        }
        Ok(out)
    }

    pub(crate) fn forward(&self, planes: &Tensor, pass: Pass) -> Result<Outputs> {
        self.heads(&self.trunk(planes, pass)?, pass)
    }

    /// The output of the trunk, `[batch, channels, ranks, files]`.
    pub(crate) fn trunk(&self, planes: &Tensor, pass: Pass) -> Result<Tensor> {
        let mut x = channels_last(&planes.f_to_kind(pass.kind)?)?;
        x = self.stem.activated(&x, pass)?;
        for block in &self.blocks {
            x = block.forward(&x, pass)?;
        }
        Ok(x)
    }

    /// The convolutions of the trunk in their order: that of the stem, then two of each block.
    pub(crate) fn convolutions(&self) -> impl Iterator<Item = &ConvNorm> {
        std::iter::once(&self.stem).chain(self.blocks.iter().flat_map(|block| [&block.first, &block.second]))
    }

    /// The blocks of the trunk.
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The outputs from that of the trunk, `[batch, channels, ranks, files]`.
    pub(crate) fn heads(&self, x: &Tensor, pass: Pass) -> Result<Outputs> {
        let pool = pooled(x)?;
        let hidden = self.token_hidden(x, &pool, pass)?;
        let board = square_rows(&self.value_board.activated(x, pass)?)?.f_flatten(1, -1)?;
        let both = Tensor::f_cat(&[board, pool], 1)?.f_to_kind(Kind::Float)?;
        let value = self.value_out.forward(&self.value_hidden.forward(&both)?.f_relu()?)?;
        let tokens = self.policy_tokens.over_tokens(&hidden)?.f_to_kind(Kind::Float)?;
        let values =
            HEADS.as_ref().zip(heads::places(self.blueprint.shape)).try_map(|(head, place)| match head.width {
                Width::Number => value.f_select(1, place.start as i64),
                _ => value.f_narrow(1, place.start as i64, place.len() as i64),
            })?;
        Ok(Outputs::new(tokens, values))
    }

    /// `[batch, tokens, channels]`: squares, then hand slots and pass.
    fn token_hidden(&self, x: &Tensor, pool: &Tensor, pass: Pass) -> Result<Tensor> {
        let squares = square_rows(&self.policy_board.activated(x, pass)?)?;
        let seen = self.policy_pool.forward(pool)?.f_unsqueeze(1)?;
        let beside = self.policy_beside.f_to_kind(pass.kind)?.f_unsqueeze(0)?.f_add(&seen)?.f_relu()?;
        Ok(Tensor::f_cat(&[squares, beside], 1)?)
    }
}

/// The same tensor with the channels of each square side by side in memory.
pub(crate) fn channels_last(x: &Tensor) -> Result<Tensor> {
    Ok(x.f_permute([0, 2, 3, 1])?.f_contiguous()?.f_permute([0, 3, 1, 2])?)
}

/// `[batch, channels, ranks, files]` as `[batch, squares, channels]`.
pub(crate) fn square_rows(x: &Tensor) -> Result<Tensor> {
    Ok(x.f_permute([0, 2, 3, 1])?.f_flatten(1, 2)?)
}

/// An untrained network; equal seeds give equal networks.
///
/// # Errors
/// libtorch cannot be opened, or cannot make the tensors.
pub fn untrained(blueprint: Blueprint, seed: u64) -> Result<NetworkFile> {
    Network::new(blueprint, seed, Device::Cpu)?.file(0, 0)
}
