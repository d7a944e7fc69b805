//! The network as an evaluator of the search: leaves in, logits and win/draw/loss out.

use crate::error::{Result, TrainError};
use crate::inference::config::{EvaluatorConfig, Precision};
use crate::inference::folded_network::{FoldedNetwork, PlayOutputs};
use crate::inference::stream::Stream;
use crate::network::policy::{self, MoveTable, PackedMoves, TokenRows};
use crate::staging::Staging;
use network::{Blueprint, NetworkFile};
use rules::encode::Features;
use search::{EvaluationError, Evaluations, Evaluator, LeafBatch};
use tch::{Device, Kind, Tensor};

/// A network that evaluates leaves. Each search thread has its own.
///
/// On a CPU it works on [`EvaluatorConfig::threads`] threads, usually on the calling thread alone. On a GPU it has a
/// stream of its own: the calls of two evaluators on two threads overlap, and neither waits for the other's answers.
/// Every batch is padded to the same shape, because libtorch may choose other kernels for other sizes. So an evaluation
/// never depends on the other positions of its batch.
pub struct TorchEvaluator {
    network: FoldedNetwork,
    blueprint: Blueprint,
    device: Device,
    stream: Stream,
    batch: usize,
    threads: usize,
    planes: Staging,
    /// On a GPU: moves on their way to it, and its answers.
    moves: Staging,
    answers: Staging,
    /// Token features of one batch on the host: squares, then hand slots and pass.
    squares: Vec<f32>,
    beside: Vec<f32>,
}

impl TorchEvaluator {
    /// Prepares a network for play. `config` leaves nothing open that an evaluator needs.
    ///
    /// # Errors
    /// A GPU is asked for and cannot be used, or libtorch fails.
    pub(crate) fn settled(file: &NetworkFile, config: &EvaluatorConfig) -> Result<TorchEvaluator> {
        let device = config.device.resolve()?;
        let kind = if config.precision == Precision::Bf16 { Kind::BFloat16 } else { Kind::Float };
        let blueprint = file.blueprint().clone();
        let (shape, token_features) = (blueprint.shape, blueprint.token_features());
        let beside = shape.tokens() - shape.squares();
        let stream = Stream::new(device)?;
        // The weights are created in the stream that will read them.
        let _entered = stream.enter()?;
        Ok(TorchEvaluator {
            network: FoldedNetwork::new(file, device, kind, config.layout)?,
            blueprint,
            device,
            stream,
            batch: config.batch,
            threads: config.threads,
            planes: Staging::new(config.batch * shape.input_len(), kind, device)?,
            moves: Staging::new(0, Kind::Int16, device)?,
            answers: Staging::new(0, Kind::Float, device)?,
            squares: vec![0.0; config.batch * shape.squares() * token_features],
            beside: vec![0.0; config.batch * beside * token_features],
        })
    }

    /// Evaluates all leaves of `batch` into `out`, which is emptied first.
    ///
    /// # Errors
    /// The leaves were made for a network that is shown something else, or libtorch fails.
    pub(crate) fn evaluate_leaves(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<()> {
        out.clear();
        let (found, wanted) = (batch.features(), self.features());
        if found != wanted {
            return Err(TrainError::Features { found, wanted });
        }
        if self.device == Device::Cpu {
            // The setting holds for the calling thread only, and a search may move an evaluator between threads.
            tch::set_num_threads(self.threads as i32);
        }
        let _entered = self.stream.enter()?;
        for from in (0..batch.len()).step_by(self.batch) {
            let to = batch.len().min(from + self.batch);
            self.evaluate_padded(batch, from, to, out)?;
        }
        Ok(())
    }

    /// Evaluates leaves `from..to` (at most one batch) and appends the results.
    fn evaluate_padded(&mut self, batch: &LeafBatch, from: usize, to: usize, out: &mut Evaluations) -> Result<()> {
        let shape = self.blueprint.shape;
        let each = shape.input_len();
        let sizes = [self.batch, shape.planes, shape.ranks, shape.files].map(|n| n as i64);
        let planes = self.planes.send_planes(&batch.planes[from * each..to * each], &sizes)?;
        if self.device == Device::Cpu {
            let outputs = self.network.forward(&planes)?;
            let each = 3 + shape.points;
            let mut values = vec![0f32; self.batch * each];
            outputs.value.f_contiguous()?.f_copy_data(&mut values, self.batch * each)?;
            values.chunks_exact(each).take(to - from).for_each(|value| push_value(value, out));
            self.policy_on_host(&outputs, batch, from, to, out)
        } else {
            // Everything is sent to the device before the network is launched, and one copy comes back.
            let table = self.move_table(batch, from, to)?;
            let outputs = self.network.forward(&planes)?;
            self.answers_of_device(&outputs, &table, batch, from, to, out)
        }
    }

    fn move_table(&mut self, batch: &LeafBatch, from: usize, to: usize) -> Result<MoveTable> {
        let _guard = tch::no_grad_guard();
        let first_move = &batch.first_move[from..=to];
        let packed = PackedMoves::new(&batch.tokens, first_move, self.batch);
        let write = |values: &mut [i16]| packed.write(&batch.tokens, first_move, values);
        MoveTable::unpacked(&self.moves.send_written(&packed.sizes(), write)?, self.blueprint.shape.tokens())
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
        let dim = self.blueprint.config.policy_dim;
        let scale = 1.0 / (dim as f32).sqrt();
        let squares = self.squares.chunks_exact(self.squares.len() / self.batch);
        let beside = self.beside.chunks_exact(self.beside.len() / self.batch);
        for (leaf, (squares, beside)) in (from..to).zip(squares.zip(beside)) {
            let rows = TokenRows { squares, beside, dim };
            out.logits.extend(batch.moves_of(leaf).iter().map(|mv| rows.logit(mv, scale)));
        }
        Ok(())
    }

    fn answers_of_device(
        &mut self,
        outputs: &PlayOutputs,
        table: &MoveTable,
        batch: &LeafBatch,
        from: usize,
        to: usize,
        out: &mut Evaluations,
    ) -> Result<()> {
        let _guard = tch::no_grad_guard();
        let tokens = Tensor::f_cat(&[&outputs.squares, &outputs.beside], 1)?;
        let logits = policy::logits(&tokens, self.blueprint.config.policy_dim, table)?;
        let answers = self.answers.receive::<f32>(&Tensor::f_cat(&[&outputs.value, &logits], 1)?)?;
        let each = 3 + self.blueprint.shape.points;
        for (row, leaf) in answers.chunks_exact(each + table.width).zip(from..to) {
            let (value, logits) = row.split_at(each);
            push_value(value, out);
            out.logits.extend_from_slice(&logits[..batch.moves_of(leaf).len()]);
        }
        Ok(())
    }
}

impl Evaluator for TorchEvaluator {
    fn batch_size(&self) -> usize {
        self.batch
    }

    fn features(&self) -> Features {
        self.blueprint.config.features
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        self.evaluate_leaves(batch, out).map_err(EvaluationError::network)
    }
}

/// Appends the value outputs of a leaf: logits of win, draw and loss, and the points if the network says them.
fn push_value(value: &[f32], out: &mut Evaluations) {
    out.wdl.push(softmax(&value[..3]));
    out.points.extend(&value[3..]);
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
    use crate::NetworkConfig;
    use rules::{Game, Janggi, MoveList, Rules};

    /// The answers as they are made for a GPU, here computed on the CPU, are the same as those made on the host.
    #[test]
    fn the_devices_answers_are_the_hosts() {
        let config = NetworkConfig { blocks: 1, channels: 16, points: true, ..NetworkConfig::default() };
        let file = crate::untrained(Blueprint::of::<Janggi>(config), 6).unwrap();
        let mut evaluator = TorchEvaluator::settled(&file, &EvaluatorConfig::of_libtorch(3)).unwrap();
        let (mut game, mut legal, mut leaves) =
            (Game::<Janggi>::start(Rules::default()), MoveList::new(), LeafBatch::default());
        for _ in 0..5 {
            game.legal_moves(&mut legal);
            leaves.push(&game, &legal);
            game.play(legal[legal.len() / 2]);
        }
        // The second batch of three: positions 3 and 4, with offsets that do not begin at 0.
        let shape = evaluator.blueprint.shape;
        let planes = Tensor::from_slice(&leaves.planes[3 * shape.input_len()..]);
        let sizes = [2, shape.planes, shape.ranks, shape.files].map(|n| n as i64);
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
        assert_eq!((host.points.len(), &host.points), (2, &device.points));
    }
}
