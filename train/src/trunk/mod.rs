//! The trunk of a network in training on a CPU: stem and residual blocks, forward and backward, without libtorch.
//!
//! libtorch computes a trunk one operation at a time, and each reads and writes all activations. Here a few samples at a
//! time go through norm, gates, residual sum, ReLU and convolution while they are in the cache of a core, and convolutions
//! need a third of the multiplications ([`winograd`]). The backward pass is written by hand; the heads stay with libtorch.
//! `tests` compares all gradients with libtorch's.
//!
//! Layer 0 is the convolution of the stem, layers 2i + 1 and 2i + 2 are those of block i. A layer convolves the *activated*
//! output of the layer before it. Only convolutions and the outputs of blocks are kept for the backward pass.

mod axis;
mod instructions;
mod lanes;
mod passes;
mod se;
#[cfg(test)]
mod tests;
mod winograd;
mod worker;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::error::Result;
use crate::host;
use crate::network::Network;
use crate::network::blocks::{ConvNorm, Dense, NORM_EPSILON};
use instructions::Instructions;
use lanes::{LANES, Lanes, Work};
use network::Mixing;
use rayon::prelude::*;
use se::Se;
use tch::{Device, Kind, Tensor};
use winograd::{Scratch, Tiling, Weights};
use worker::{Before, Layer, Phase, Task, Worker};

/// The trunk of one network for batches of one size, with the memory for its passes.
pub(crate) struct Trunk {
    instructions: Instructions,
    tiling: Tiling,
    batch: usize,
    channels: usize,
    layers: Vec<Layer>,
    /// The gates of each block; empty without.
    gates: Vec<Se>,
    workers: Vec<Worker>,
    /// `None` for one worker, which works on the thread that asks.
    pool: Option<rayon::ThreadPool>,
}

/// Puts the weights of a layer at the points.
struct SetWeights<'a> {
    tiling: &'a Tiling,
    weights: &'a mut Weights,
    values: &'a [f32],
    channels: [usize; 3],
    backward: bool,
}

impl Work for SetWeights<'_> {
    #[inline(always)]
    fn with<L: Lanes>(self) {
        self.weights.set::<L>(self.tiling, self.values, self.channels, self.backward);
    }
}

/// The gradient of a layer's weights from that at the points.
struct WeightGradient<'a> {
    tiling: &'a Tiling,
    points: &'a [f32],
    channels: [usize; 3],
    out: &'a mut [f32],
}

impl Work for WeightGradient<'_> {
    #[inline(always)]
    fn with<L: Lanes>(self) {
        winograd::weight_gradient::<L>(self.tiling, self.points, self.channels, self.out);
    }
}

impl Trunk {
    /// The trunk of this network for batches of this size on so many threads; `None` where libtorch has to do it: in bf16, on
    /// a GPU, for numbers of channels that do not fill registers, for blocks that pool, and on processors without AVX2.
    ///
    /// # Errors
    /// The system refuses threads.
    pub fn new(network: &Network, kind: Kind, batch: usize, threads: usize) -> Result<Option<Trunk>> {
        match Instructions::possible().first() {
            Some(&instructions) if kind == Kind::Float => Trunk::with(network, batch, threads, instructions),
            _ => Ok(None),
        }
    }

    fn with(network: &Network, batch: usize, threads: usize, instructions: Instructions) -> Result<Option<Trunk>> {
        let blueprint = network.blueprint();
        let (config, shape) = (&blueprint.config, blueprint.shape);
        let channels = config.channels;
        let fits = channels.is_multiple_of(LANES) && config.mixing != Mixing::Pool;
        if network.device() != Device::Cpu || !fits || batch == 0 {
            return Ok(None);
        }
        let tiling = Tiling::new(shape.ranks, shape.files);
        let planes = shape.planes.next_multiple_of(LANES);
        let count = 1 + 2 * config.blocks;
        let threads = threads.clamp(1, batch);
        let size = tiling.squares * channels;
        let at_once = tiling.samples_at_once(channels);
        let most = planes.max(channels) * channels * tiling.points();
        let workers = (0..threads).map(|worker| {
            let [first, end] = [worker, worker + 1].map(|n| n * batch / threads);
            let samples = end - first;
            let zeros = |length: usize| vec![0f32; length];
            let at_once = at_once.min(samples);
            Worker {
                first,
                samples,
                at_once,
                planes: zeros(samples * tiling.squares * planes),
                convolved: (0..count).map(|_| zeros(samples * size)).collect(),
                outputs: (0..=config.blocks).map(|_| zeros(samples * size)).collect(),
                gradients: [zeros(samples * size), zeros(samples * size)],
                weight_gradient: zeros(most),
                sums: [zeros(samples * channels), zeros(samples * channels)],
                room: [zeros(at_once * size), zeros(at_once * size)],
                scratch: Scratch::default(),
            }
        });
        let pool = match threads {
            1 => None,
            _ => Some(crate::threads::pool(threads, "trains")?),
        };
        Ok(Some(Trunk {
            instructions,
            workers: workers.collect(),
            layers: (0..count).map(|_| Layer::default()).collect(),
            gates: match config.mixing {
                Mixing::Se => (0..config.blocks).map(|_| Se::default()).collect(),
                _ => Vec::new(),
            },
            tiling,
            batch,
            channels,
            pool,
        }))
    }

    fn run(&mut self, phase: Phase) {
        let Trunk { instructions, tiling, layers, workers, pool, .. } = self;
        let (instructions, tiling, layers) = (*instructions, &*tiling, layers.as_slice());
        let work = |worker: &mut Worker| instructions.run(Task { worker, tiling, layers, phase });
        match pool {
            Some(pool) => pool.install(|| workers.par_iter_mut().for_each(work)),
            None => workers.iter_mut().for_each(work),
        }
    }

    /// The sums of all workers, `[batch][channels]` each.
    fn sums(&self) -> [Vec<f32>; 2] {
        [0, 1].map(|which| self.workers.iter().flat_map(|worker| worker.sums[which].iter().copied()).collect())
    }

    /// The output of the trunk, `[batch, channels, ranks, files]`, from which a backward pass can begin. The statistics of the
    /// norms follow the batch by `momentum`.
    ///
    /// # Errors
    /// libtorch refuses (memory, wrong sizes).
    pub fn forward(&mut self, network: &Network, planes: &Tensor, momentum: f64) -> Result<Tensor> {
        let shape = network.blueprint().shape;
        self.take_planes(&host::copied(planes)?.values, shape.planes);
        let padded = shape.planes.next_multiple_of(LANES);
        for (index, conv) in network.convolutions().enumerate() {
            let layer = &mut self.layers[index];
            layer.given = if index == 0 { shape.planes } else { self.channels };
            let channels = [if index == 0 { padded } else { self.channels }, self.channels, layer.given];
            let values = host::copied(&conv.weight)?.values;
            let (tiling, weights) = (&self.tiling, &mut layer.weights);
            let set = SetWeights { tiling, weights, values: &values, channels, backward: index > 0 };
            self.instructions.run(set);
            self.run(Phase::Forward(index));
            self.normalise(network, index, conv, momentum)?;
        }
        self.run(Phase::Last);
        let outputs = self.workers.iter().filter_map(|worker| worker.outputs.last());
        let sizes = [self.batch, shape.ranks, shape.files, self.channels].map(|n| n as i64);
        let parts = outputs.map(|values| Ok(Tensor::f_from_slice(values)?)).collect::<Result<Vec<_>>>()?;
        let mut all = Tensor::f_cat(&parts, 0)?.f_view(sizes)?.f_permute([0, 3, 1, 2])?.f_detach()?;
        Ok(all.f_requires_grad_(true)?)
    }

    /// Planes `[batch][planes][squares]` with the planes of each square together, filled up with zeros.
    fn take_planes(&mut self, values: &[f32], planes: usize) {
        let squares = self.tiling.squares;
        let padded = planes.next_multiple_of(LANES);
        for worker in &mut self.workers {
            let theirs = values.chunks_exact(planes * squares).skip(worker.first);
            for (to, from) in worker.planes.chunks_exact_mut(squares * padded).zip(theirs) {
                for (plane, from) in from.chunks_exact(squares).enumerate() {
                    for (to, &value) in to[plane..].iter_mut().step_by(padded).zip(from) {
                        *to = value;
                    }
                }
            }
        }
    }

    /// Statistics, and from them the coefficients that activate a layer.
    fn normalise(&mut self, network: &Network, index: usize, conv: &ConvNorm, momentum: f64) -> Result<()> {
        let channels = self.channels;
        let count = (self.batch * self.tiling.squares) as f64;
        let [sums, squares] = self.sums();
        let (gain, bias) = (host::copied(&conv.gain)?.values, host::copied(&conv.bias)?.values);
        let [mut mean, mut inverse, mut variance] = [0; 3].map(|_| vec![0f32; channels]);
        let [mut scale, mut shift] = [0; 2].map(|_| vec![0f32; channels]);
        for channel in 0..channels {
            let middle = total(&sums, channel, channels) / count;
            let spread = (total(&squares, channel, channels) / count - middle * middle).max(0.0);
            let root = 1.0 / (spread + NORM_EPSILON).sqrt();
            (mean[channel], inverse[channel]) = (middle as f32, root as f32);
            variance[channel] = (spread * count / (count - 1.0).max(1.0)) as f32;
            scale[channel] = (f64::from(gain[channel]) * root) as f32;
            shift[channel] = (f64::from(bias[channel]) - middle * f64::from(gain[channel]) * root) as f32;
        }
        let _guard = tch::no_grad_guard();
        for (running, new) in [(&conv.mean, &mean), (&conv.variance, &variance)] {
            let _ = running.shallow_clone().f_lerp_(&Tensor::f_from_slice(new)?, momentum)?;
        }
        let layer = &mut self.layers[index];
        if let Some((gates, layers)) = gates_behind(&mut self.gates, network, index) {
            let squares = self.tiling.squares;
            gates.forward(self.instructions, layers, squares, &sums, [&scale, &shift])?;
            (layer.scale, layer.shift) = gates.coefficients([&scale, &shift]);
        } else {
            (layer.scale, layer.shift) = (scale.repeat(self.batch), shift.repeat(self.batch));
        }
        (layer.gain, layer.mean, layer.inverse, layer.sums) = (gain, mean, inverse, sums);
        Ok(())
    }

    /// Adds the gradients of all parameters of the trunk to theirs, from the gradient of its output.
    ///
    /// # Errors
    /// libtorch refuses (memory, wrong sizes).
    pub fn backward(&mut self, network: &Network, gradient: &Tensor) -> Result<()> {
        let values = host::copied(&gradient.f_permute([0, 2, 3, 1])?)?.values;
        let size = self.tiling.squares * self.channels;
        for worker in &mut self.workers {
            worker.gradients[0].copy_from_slice(&values[worker.first * size..][..worker.samples * size]);
        }
        self.run(Phase::Begin);
        let convolutions: Vec<&ConvNorm> = network.convolutions().collect();
        for (index, conv) in convolutions.into_iter().enumerate().rev() {
            let before = self.before_norm(network, index, conv)?;
            self.run(Phase::Backward(index, &before));
            self.add_weight_gradient(index, conv)?;
        }
        Ok(())
    }

    /// The gradients of a layer's norm and gates, and how that of the convolution follows from that of the activated layer,
    /// whose sums the workers have.
    fn before_norm(&mut self, network: &Network, index: usize, conv: &ConvNorm) -> Result<Before> {
        let (channels, batch) = (self.channels, self.batch);
        let count = (batch * self.tiling.squares) as f64;
        let squares = self.tiling.squares as f32;
        // Sums over the board of the gradient, and of the gradient times the convolution.
        let [mut sums, mut products] = self.sums();
        let layer = &self.layers[index];
        let mut by_gradient = vec![1f32; batch * channels];
        let mut everywhere = vec![0f32; batch * channels];
        if let Some((gates, layers)) = gates_behind(&mut self.gates, network, index) {
            let through = gates.backward(
                self.instructions,
                layers,
                [&sums, &products],
                [&layer.gain, &layer.mean, &layer.inverse],
                &host::copied(&conv.bias)?.values,
            )?;
            by_gradient.copy_from_slice(gates.gate());
            for (everywhere, mean) in everywhere.iter_mut().zip(through) {
                *everywhere = mean / squares;
            }
            for (at, &own) in layer.sums.iter().enumerate() {
                sums[at] = by_gradient[at] * sums[at] + everywhere[at] * squares;
                products[at] = by_gradient[at] * products[at] + everywhere[at] * own;
            }
        }
        let [mut gain, mut bias] = [0; 2].map(|_| vec![0f32; channels]);
        let mut before = Before { by_gradient, by_x: vec![0.0; batch * channels], rest: everywhere };
        for channel in 0..channels {
            let [mean, inverse, own] = [&layer.mean, &layer.inverse, &layer.gain].map(|of| f64::from(of[channel]));
            let (all, with_x) = (total(&sums, channel, channels), total(&products, channel, channels));
            let normed = inverse * (with_x - mean * all);
            (gain[channel], bias[channel]) = (normed as f32, all as f32);
            let slope = own * inverse;
            let by_x = -slope * inverse * normed / count;
            let constant = -slope * all / count - by_x * mean;
            for at in (channel..batch * channels).step_by(channels) {
                before.by_gradient[at] *= slope as f32;
                before.by_x[at] = by_x as f32;
                before.rest[at] = slope as f32 * before.rest[at] + constant as f32;
            }
        }
        host::add_gradient(&conv.gain, &gain)?;
        host::add_gradient(&conv.bias, &bias)?;
        Ok(before)
    }

    fn add_weight_gradient(&mut self, index: usize, conv: &ConvNorm) -> Result<()> {
        let Layer { weights, given, .. } = &self.layers[index];
        let length = self.tiling.points() * weights.from * weights.to;
        let (first, others) = self.workers.split_at_mut(1);
        let points = &mut first[0].weight_gradient[..length];
        for other in others {
            points.iter_mut().zip(&other.weight_gradient).for_each(|(sum, value)| *sum += value);
        }
        let mut out = vec![0f32; weights.to * given * 9];
        let channels = [weights.from, weights.to, *given];
        self.instructions.run(WeightGradient { tiling: &self.tiling, points, channels, out: &mut out });
        host::add_gradient(&conv.weight, &out)
    }
}

/// The sum of one channel of `[batch][channels]`.
fn total(values: &[f32], channel: usize, channels: usize) -> f64 {
    values[channel..].iter().step_by(channels).map(|&value| f64::from(value)).sum()
}

/// The gates behind a layer, and their dense layers.
fn gates_behind<'a>(gates: &'a mut [Se], network: &'a Network, layer: usize) -> Option<(&'a mut Se, [&'a Dense; 2])> {
    let block = (layer / 2).checked_sub(1).filter(|_| layer.is_multiple_of(2))?;
    Some((gates.get_mut(block)?, network.blocks().get(block)?.gates()?))
}
