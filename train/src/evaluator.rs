//! The network behind the search's seam: leaves in, logits and win/draw/loss out.

use crate::device::DeviceChoice;
use crate::error::{Result, TrainError};
use crate::inference::{PlayNetwork, PlayOutputs};
use crate::measure::{self, Load};
use crate::network_file::NetworkFile;
use crate::policy::{self, MoveTable, TokenRows};
use crate::staging::Staging;
use crate::stream::Stream;
use rules::encode::Shape;
use selfplay::{EvaluationError, Evaluations, Evaluator, LeafBatch};
use serde::{Deserialize, Serialize};
use std::fmt;
use tch::{Device, Kind, Tensor};

/// Number format of the weights and activations in play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// The fastest on this machine that agrees with fp32, measured at start.
    #[default]
    Auto,
    /// 32 bits: the reference.
    Fp32,
    /// bfloat16: 8 bits of mantissa.
    Bf16,
}

/// As it is written in configurations.
impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Precision::Auto => "auto",
            Precision::Fp32 => "fp32",
            Precision::Bf16 => "bf16",
        })
    }
}

/// How activations lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// The faster on this machine, measured at start.
    #[default]
    Auto,
    /// `[batch, ranks, files, channels]`.
    ChannelsLast,
    /// `[batch, channels, ranks, files]`.
    Contiguous,
}

/// How networks are evaluated in play. All of it belongs to a run's results: with the same values the same seed
/// gives the same games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EvaluatorConfig {
    /// `auto` (a GPU where there is one), `cpu` or `cuda`.
    pub device: DeviceChoice,
    /// `auto` (measured at start), `fp32` or `bf16`.
    pub precision: Precision,
    /// `auto` (measured at start), `channels-last` or `contiguous`.
    pub layout: Layout,
    /// Positions in a batch, 0 to 4096; smaller batches are padded to it. 0: measured at start.
    pub batch: usize,
    /// Threads within a network call, 0 to 256. 0: measured at start, one call on all threads against one on each.
    pub threads: usize,
    /// Threads of self-play, each with games and a network call of its own, 0 to 256. 0: on a CPU as many as there are
    /// threads for; on a GPU measured at start, two or more, so that it computes one batch while another is made.
    /// Games do not depend on it.
    pub callers: usize,
}

impl Default for EvaluatorConfig {
    fn default() -> Self {
        EvaluatorConfig {
            device: DeviceChoice::Auto,
            precision: Precision::Auto,
            layout: Layout::Auto,
            batch: 0,
            threads: 0,
            callers: 0,
        }
    }
}

impl EvaluatorConfig {
    /// Appends one message for each value out of range.
    pub fn complaints(&self, at: &str, out: &mut Vec<String>) {
        for (key, value, most) in
            [("batch", self.batch, 4096), ("threads", self.threads, 256), ("callers", self.callers, 256)]
        {
            if value > most {
                out.push(format!("{at}.{key}: {value} is out of range; 0 to {most}"));
            }
        }
    }

    /// Threads of self-play where `threads` may work at once.
    pub fn callers(&self, threads: usize) -> usize {
        match self.callers {
            0 => threads.div_ceil(self.threads.max(1)),
            callers => callers,
        }
    }

    /// The same with nothing left open: the device by what is there, the rest by measurements of a few seconds with
    /// this network under this load.
    ///
    /// # Errors
    /// A GPU is asked for and cannot be used, or libtorch fails.
    pub fn resolve(&self, network: &NetworkFile, load: Load) -> Result<EvaluatorConfig> {
        let device = self.device.resolve()?;
        measure::settle(
            network,
            &EvaluatorConfig { device: DeviceChoice::naming(device), ..self.clone() },
            load,
            device,
        )
    }
}

/// A network that evaluates leaves. Each search thread has its own.
///
/// On a CPU it works in [`EvaluatorConfig::threads`] threads, usually the calling one alone. On a GPU it has a stream of
/// its own: the calls of two evaluators on two threads overlap, and none waits for the other's answers. Every batch is
/// padded to one shape, because libtorch may choose other kernels for other sizes: an evaluation never depends on its
/// neighbours.
///
/// ```
/// use rules::{Game, MoveList, Rules, Xiangqi};
/// use selfplay::{Evaluations, Evaluator, LeafBatch};
/// use train::{Blueprint, EvaluatorConfig, NetworkConfig, NetworkFile, Precision, TorchEvaluator};
///
/// let size = NetworkConfig { blocks: 1, channels: 16, ..NetworkConfig::default() };
/// let network = NetworkFile::untrained(Blueprint::of::<Xiangqi>(size), 1)?;
/// let config = EvaluatorConfig { precision: Precision::Fp32, batch: 4, ..EvaluatorConfig::default() };
/// let mut evaluator = TorchEvaluator::new(&network, &config)?;
///
/// let game = Game::<Xiangqi>::start(Rules::default());
/// let mut legal = MoveList::new();
/// game.legal_moves(&mut legal);
/// let mut batch = LeafBatch::default();
/// batch.push(&game, &legal);
/// let mut out = Evaluations::default();
/// evaluator.evaluate(&batch, &mut out)?;
/// assert_eq!(out.logits.len(), 44);
/// assert!((out.wdl[0].iter().sum::<f32>() - 1.0).abs() < 1e-5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TorchEvaluator {
    network: PlayNetwork,
    shape: Shape,
    dim: usize,
    device: Device,
    stream: Stream,
    batch: usize,
    threads: usize,
    planes: Staging,
    /// Token features of one batch on the host: squares, then hand slots and pass.
    squares: Vec<f32>,
    beside: Vec<f32>,
}

impl TorchEvaluator {
    /// Prepares a network for play. What is open in `config` is settled first, for one thread, see
    /// [`EvaluatorConfig::resolve`].
    ///
    /// # Errors
    /// A GPU is asked for and cannot be used, or libtorch fails.
    pub fn new(file: &NetworkFile, config: &EvaluatorConfig) -> Result<TorchEvaluator> {
        let config = config.resolve(file, Load::default())?;
        let device = config.device.resolve()?;
        let kind = if config.precision == Precision::Bf16 { Kind::BFloat16 } else { Kind::Float };
        let shape = file.blueprint().shape;
        let features = file.blueprint().features();
        let beside = shape.tokens() - shape.squares();
        let stream = Stream::new(device)?;
        // The weights are made in the stream that will read them.
        let _entered = stream.enter()?;
        let sizes = [config.batch, shape.planes, shape.ranks, shape.files].map(|n| n as i64);
        Ok(TorchEvaluator {
            network: PlayNetwork::new(file, device, kind, config.layout)?,
            shape,
            dim: file.blueprint().config.policy_dim,
            device,
            stream,
            batch: config.batch,
            threads: config.threads,
            planes: Staging::new(sizes, device)?,
            squares: vec![0.0; config.batch * shape.squares() * features],
            beside: vec![0.0; config.batch * beside * features],
        })
    }

    /// Evaluates leaves `from..to` (at most one batch) and appends the results.
    fn evaluate_padded(&mut self, batch: &LeafBatch, from: usize, to: usize, out: &mut Evaluations) -> Result<()> {
        let each = self.shape.input_len();
        let planes = self.planes.send(&batch.planes[from * each..to * each])?;
        if self.device == Device::Cpu {
            let outputs = self.network.forward(&planes)?;
            let mut wdl = vec![0f32; self.batch * 3];
            outputs.wdl.f_contiguous()?.f_copy_data(&mut wdl, self.batch * 3)?;
            out.wdl.extend(wdl.chunks_exact(3).take(to - from).map(softmax));
            self.policy_on_host(&outputs, batch, from, to, out)
        } else {
            // All that goes to the device goes before the network is launched, and one copy comes back.
            let table = self.move_table(batch, from, to)?;
            let outputs = self.network.forward(&planes)?;
            self.answers_of_device(&outputs, &table, batch, from, to, out)
        }
    }

    fn move_table(&self, batch: &LeafBatch, from: usize, to: usize) -> Result<MoveTable> {
        MoveTable::new(&batch.tokens, &batch.first_move[from..=to], self.batch, self.shape.tokens(), self.device)
    }

    fn policy_on_host(
        &mut self,
        outputs: &PlayOutputs,
        batch: &LeafBatch,
        from: usize,
        to: usize,
        out: &mut Evaluations,
    ) -> Result<()> {
        for (tensor, rows) in [(&outputs.squares, &mut self.squares), (&outputs.beside, &mut self.beside)] {
            let count = rows.len();
            tensor.f_contiguous()?.f_copy_data(rows, count)?;
        }
        let scale = 1.0 / (self.dim as f32).sqrt();
        let squares = self.squares.chunks_exact(self.squares.len() / self.batch);
        let beside = self.beside.chunks_exact(self.beside.len() / self.batch);
        for (leaf, (squares, beside)) in (from..to).zip(squares.zip(beside)) {
            let rows = TokenRows { squares, beside, dim: self.dim };
            out.logits.extend(batch.moves_of(leaf).iter().map(|mv| rows.logit(mv, scale)));
        }
        Ok(())
    }

    fn answers_of_device(
        &self,
        outputs: &PlayOutputs,
        table: &MoveTable,
        batch: &LeafBatch,
        from: usize,
        to: usize,
        out: &mut Evaluations,
    ) -> Result<()> {
        let _guard = tch::no_grad_guard();
        let tokens = Tensor::f_cat(&[&outputs.squares, &outputs.beside], 1)?;
        let logits = policy::logits(&tokens, self.dim, table)?;
        let answers = Tensor::f_cat(&[&outputs.wdl, &logits], 1)?.f_to_device(Device::Cpu)?.f_contiguous()?;
        let width = 3 + table.width;
        let mut padded = vec![0f32; self.batch * width];
        answers.f_copy_data(&mut padded, self.batch * width)?;
        for (row, leaf) in padded.chunks_exact(width).zip(from..to) {
            let (wdl, logits) = row.split_at(3);
            out.wdl.push(softmax(wdl));
            out.logits.extend_from_slice(&logits[..batch.moves_of(leaf).len()]);
        }
        Ok(())
    }
}

impl Evaluator for TorchEvaluator {
    fn batch_size(&self) -> usize {
        self.batch
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        out.clear();
        if self.device == Device::Cpu {
            // Holds for the calling thread only, and a search may move an evaluator from thread to thread.
            tch::set_num_threads(self.threads as i32);
        }
        let failed = |error: TrainError| EvaluationError::Network(error.to_string());
        let _entered = self.stream.enter().map_err(failed)?;
        for from in (0..batch.len()).step_by(self.batch) {
            let to = batch.len().min(from + self.batch);
            self.evaluate_padded(batch, from, to, out).map_err(failed)?;
        }
        Ok(())
    }
}

fn softmax(logits: &[f32]) -> [f32; 3] {
    let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let exp = [0, 1, 2].map(|i| (logits[i] - max).exp());
    let sum: f32 = exp.iter().sum();
    exp.map(|value| value / sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blueprint, NetworkConfig};
    use rules::{Game, MoveList, Rules, Wangqi};

    /// The answers as a GPU computes them, computed on the CPU: the same as those made on the host.
    #[test]
    fn the_devices_answers_are_the_hosts() {
        let config = NetworkConfig { blocks: 1, channels: 16, ..NetworkConfig::default() };
        let file = NetworkFile::untrained(Blueprint::of::<Wangqi>(config), 6).unwrap();
        let config = EvaluatorConfig {
            device: DeviceChoice::Cpu,
            precision: Precision::Fp32,
            layout: Layout::ChannelsLast,
            batch: 3,
            threads: 1,
            callers: 1,
        };
        let mut evaluator = TorchEvaluator::new(&file, &config).unwrap();
        let (mut game, mut legal, mut leaves) =
            (Game::<Wangqi>::start(Rules::default()), MoveList::new(), LeafBatch::default());
        for _ in 0..5 {
            game.legal_moves(&mut legal);
            leaves.push(&game, &legal);
            game.play(legal[legal.len() / 2]);
        }
        // The second batch of three: positions 3 and 4, with offsets that do not begin at 0.
        let planes = Tensor::from_slice(&leaves.planes[3 * evaluator.shape.input_len()..]);
        let sizes = [2, evaluator.shape.planes, evaluator.shape.ranks, evaluator.shape.files].map(|n| n as i64);
        let padding = Tensor::zeros([1, sizes[1], sizes[2], sizes[3]], (Kind::Float, Device::Cpu));
        let outputs = evaluator.network.forward(&Tensor::cat(&[planes.reshape(sizes), padding], 0)).unwrap();
        let (mut host, mut device) = (Evaluations::default(), Evaluations::default());
        evaluator.evaluate_padded(&leaves, 3, 5, &mut host).unwrap();
        let table = evaluator.move_table(&leaves, 3, 5).unwrap();
        evaluator.answers_of_device(&outputs, &table, &leaves, 3, 5, &mut device).unwrap();
        assert_eq!(
            (host.logits.len(), device.logits.len()),
            (leaves.tokens.len() - leaves.first_move[3] as usize, host.logits.len())
        );
        assert!(host.logits.iter().zip(&device.logits).all(|(a, b)| (a - b).abs() < 1e-5));
        assert_eq!((host.wdl.len(), &host.wdl), (2, &device.wdl));
    }
}
