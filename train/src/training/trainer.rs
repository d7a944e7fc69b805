//! The training loop: draw a batch, descend, average; metrics on the way, and a validation at the end.

mod divergence;
mod runaway;

use crate::error::{Result, TrainError};
use crate::heads::Metrics;
use crate::network::Network;
use crate::network::blocks::{Norms, Pass};
use crate::samples::dataset::{Dataset, Split};
use crate::training::average::Average;
use crate::training::checkpoint::{self, Description, Saved};
use crate::training::config::TrainConfig;
use crate::training::descent::{Learner, Parts};
use crate::training::loss;
use crate::training::metrics::{self, MetricsEntry};
use crate::training::optimiser::AdamW;
use crate::training::span::TrainingSpan;
use crate::training::sums::Sums;
use crate::training::times::{Lap, Times, TrainShares};
use data::LineLog;
use network::{Blueprint, Calibration, NetworkFile};
use rules::Variant;
use serde::Serialize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use tch::{Device, Kind, Tensor};

/// Batches over which the norm statistics of the averaged weights are taken (our choice: with batches of 256 each channel
/// has tens of thousands of squares).
const STATISTICS_BATCHES: u64 = 4;

/// The streams of random numbers that draw those batches are this far from those of training.
const STATISTICS_STREAMS: u64 = 1 << 62;

/// The streams of random numbers that draw positions for a calibration are this far from those of training.
const CALIBRATION_STREAMS: u64 = 1 << 61;

/// What the caller learns while a round runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainProgress {
    /// Steps made since the run began.
    pub step: u64,
    /// Step at which the round ends.
    pub last_step: u64,
    /// Means since the last report; `None` before the first report.
    pub metrics: Option<Metrics>,
}

/// The result of a round.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TrainReport {
    /// Steps made in this call.
    pub steps: u64,
    /// Steps made since the run began.
    pub step: u64,
    /// Samples seen since the run began.
    pub samples: u64,
    /// Seconds of the training itself, without validation.
    pub seconds: f64,
    /// Samples trained per second.
    pub samples_per_second: f64,
    /// Where those seconds went.
    pub shares: TrainShares,
    /// Learning rate of the last step.
    pub learning_rate: f64,
    /// Mean norm of the gradient before clipping.
    pub gradient_norm: f64,
    /// Means over the round.
    pub training: Metrics,
    /// Means of the network that plays over games that are never trained on; `None` if there are none yet.
    pub validation: Option<Metrics>,
    /// Means of the network that plays over as many rows that are trained on; the difference from `validation` shows
    /// overfitting.
    pub validation_trained: Option<Metrics>,
    /// The caller asked to stop before the round was over.
    pub stopped: bool,
}

/// A network in training.
///
/// With the same config, seed, data and number of threads, a CPU gives the same weights bit for bit, even if the
/// training was interrupted and resumed between steps.
pub struct Trainer {
    learner: Learner,
    /// Copies of it: one for each part of a step except the first.
    copies: Vec<Learner>,
    average: Average,
    /// The averaged weights with norm statistics of their own: what plays.
    playing: Network,
    optimiser: AdamW,
    config: TrainConfig,
    device: Device,
    seed: u64,
    samples: u64,
    log: Option<LineLog<MetricsEntry>>,
}

impl Trainer {
    /// An untrained network, whose initial weights depend on `seed`.
    ///
    /// # Errors
    /// The device cannot be used, or libtorch fails.
    pub fn new(blueprint: Blueprint, config: TrainConfig, seed: u64) -> Result<Trainer> {
        let config = config.resolve(&blueprint)?;
        let device = config.device.resolve()?;
        let learner = Learner::new(blueprint.clone(), seed, device)?;
        let copies = (1..config.parts).map(|_| Learner::new(blueprint.clone(), seed, device));
        let copies = copies.collect::<Result<_>>()?;
        let average = Average::new(&learner.parameters, config.optimiser.average_half_life)?;
        let optimiser = AdamW::new(&learner.parameters, config.optimiser.clone())?;
        let playing = Network::new(blueprint, seed, device)?;
        Ok(Trainer { learner, copies, average, playing, optimiser, config, device, seed, samples: 0, log: None })
    }

    /// A training that resumes from a checkpoint. The config may have changed, except for the network's size.
    ///
    /// # Errors
    /// The file is damaged or holds another network; the error says which and what to do.
    pub fn resume(path: &Path, blueprint: Blueprint, config: TrainConfig) -> Result<Trainer> {
        let (description, tensors) = checkpoint::read(path, &blueprint)?;
        let mut trainer = Trainer::new(blueprint, config, description.seed)?;
        trainer.saved().fill(path, tensors)?;
        trainer.optimiser.set_step_count(description.step);
        trainer.samples = description.samples;
        trainer.average.copy_into(&trainer.learner.parameters, trainer.playing.parameters())?;
        Ok(trainer)
    }

    /// A training that begins with the weights of a network file. The optimiser is new, and no step is made.
    ///
    /// # Errors
    /// The device cannot be used, or libtorch fails.
    pub fn from_network(file: &NetworkFile, config: TrainConfig, seed: u64) -> Result<Trainer> {
        let mut trainer = Trainer::new(file.blueprint().clone(), config, seed)?;
        let theirs = Network::of_file(file, trainer.device)?;
        trainer.learner.network.parameters().copy_from(theirs.parameters())?;
        trainer.playing.parameters().copy_from(theirs.parameters())?;
        trainer.average = Average::new(&trainer.learner.parameters, trainer.config.optimiser.average_half_life)?;
        Ok(trainer)
    }

    /// Writes a checkpoint so that it appears whole or not at all.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let blueprint = self.learner.network.blueprint().clone();
        let (seed, step, samples) = (self.seed, self.step(), self.samples);
        self.saved().write(path, &Description { blueprint, seed, step, samples })
    }

    fn saved(&self) -> Saved<'_> {
        Saved { parameters: &self.learner.parameters, average: &self.average, optimiser: &self.optimiser }
    }

    /// Appends metrics to a JSON-lines file from now on. Lines of steps after the present one, left by a run that
    /// was killed after its last checkpoint, are dropped.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn log_to(&mut self, path: &Path) -> Result<()> {
        self.log = Some(metrics::open(path, self.step())?);
        Ok(())
    }

    /// Steps made since the run began.
    pub fn step(&self) -> u64 {
        self.optimiser.step_count()
    }

    /// The network that plays, as the last round left it: the averaged weights, with norm statistics taken for them.
    ///
    /// # Errors
    /// libtorch cannot copy the tensors.
    pub fn export(&self, generation: u32) -> Result<NetworkFile> {
        self.playing.file(generation, self.step())
    }

    /// Like [`export`](Self::export), with measurements for play in integers, made on positions of the games in `dataset`.
    ///
    /// # Errors
    /// libtorch cannot copy the tensors, or one of them has values that are not finite.
    pub fn publish<V: Variant>(&self, dataset: &Dataset<V>, generation: u32) -> Result<NetworkFile> {
        let network = self.export(generation)?;
        let seed = CALIBRATION_STREAMS + self.step();
        let leaves = dataset.leaves(network.blueprint(), seed, Calibration::BATCHES, Calibration::BATCH);
        Ok(if leaves.is_empty() { network } else { network.calibrated(&leaves)? })
    }

    /// Trains until the end of the round, or until `stop` is set, and validates. `progress` is called after each
    /// step.
    ///
    /// # Errors
    /// libtorch fails, loss, gradient or weights are [no longer usable](TrainError::Diverged), or the metrics cannot be
    /// written. What was trained must not be saved then.
    pub fn train<V: Variant>(
        &mut self,
        dataset: &Dataset<V>,
        round: &TrainingSpan,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(TrainProgress),
    ) -> Result<TrainReport> {
        if self.step() < round.last_step && dataset.rows() == 0 {
            return Err(TrainError::Data(format!("there is no position of {} to train on yet", V::ID)));
        }
        let begin = Instant::now();
        let (mut sums, mut times) = (Sums::new(self.device)?, Times::default());
        let mut report = TrainReport { step: self.step(), ..TrainReport::default() };
        self.copies.iter().try_for_each(|copy| copy.parameters.copy_from(&self.learner.parameters))?;
        let steps = self.step() + 1..round.last_step + 1;
        let Trainer { learner, copies, average, optimiser, config, samples, log, .. } = self;
        let learners: Vec<&mut Learner> = std::iter::once(learner).chain(copies).collect();
        let work = config.work();
        std::thread::scope(|scope| -> Result<()> {
            // This thread has only the small operations of the optimiser, for which it is not worth waking others.
            tch::set_num_threads(1);
            let along = |step| round.progress(step);
            let parts = Parts::start(scope, learners.into_iter(), dataset, steps.clone(), work, along)?;
            let mut metrics = None;
            for step in steps {
                if stop.load(Ordering::Relaxed) {
                    report.stopped = true;
                    break;
                }
                report.learning_rate = config.optimiser.rate(step, round.progress(step));
                let step_sums = parts.descend(step, &mut times)?;
                let mut lap = Lap::start();
                let norm = optimiser.step(parts.trained(), report.learning_rate)?;
                times.optimiser += lap.read();
                average.update(parts.trained(), step)?;
                times.average += lap.read();
                parts.spread()?;
                times.joining += lap.read();
                *samples += config.batch as u64;
                report.steps += 1;
                sums.add(&step_sums, &norm)?;
                if step % config.report_every == 0 || step == round.last_step {
                    let (recent, norms) = sums.report()?;
                    let steps = (recent.samples / config.batch as f64).max(1.0);
                    let state = Saved { parameters: parts.trained(), average, optimiser };
                    if let Some(runaway) = runaway::runaway(recent.loss, norms / steps, &state)? {
                        return Err(TrainError::Diverged { generation: round.generation, step, runaway });
                    }
                    metrics = Some(recent);
                    let (generation, learning_rate) = (round.generation, report.learning_rate);
                    let split = Split::Training;
                    append(log, &MetricsEntry { step, generation, split, learning_rate, metrics: recent })?;
                }
                progress(TrainProgress { step, last_step: round.last_step, metrics });
            }
            Ok(())
        })?;
        let (training, norm) = sums.whole(report.steps)?;
        report.step = self.step();
        report.samples = self.samples;
        report.seconds = begin.elapsed().as_secs_f64();
        report.samples_per_second = training.samples / report.seconds.max(1e-9);
        report.shares = times.shares(self.config.parts, report.seconds);
        report.training = training;
        report.gradient_norm = norm;
        if !report.stopped {
            let progress = round.progress(self.step());
            self.settle_playing(dataset, progress)?;
            report.validation = self.validate(dataset, Split::Validation, progress)?;
            report.validation_trained = self.validate(dataset, Split::Training, progress)?;
            if let Some(metrics) = report.validation {
                let (step, generation, split) = (report.step, round.generation, Split::Validation);
                append(&mut self.log, &MetricsEntry { step, generation, split, learning_rate: 0.0, metrics })?;
            }
        }
        Ok(report)
    }

    /// Makes the average the network that plays, and takes norm statistics for it from batches of training: those kept
    /// during training belong to other weights. (Izmailov et al. 2018 recompute them for their averages, too.)
    fn settle_playing<V: Variant>(&mut self, dataset: &Dataset<V>, progress: f64) -> Result<()> {
        let _guard = tch::no_grad_guard();
        // Always one thread: sums in another order would give other weights to play with.
        tch::set_num_threads(1);
        self.average.copy_into(&self.learner.parameters, self.playing.parameters())?;
        let (shape, size) = (self.playing.blueprint().shape, self.config.batch);
        let reading = dataset.reading(progress, self.playing.blueprint());
        // Without games the average of the statistics has to do.
        let batches = if dataset.rows() > 0 { STATISTICS_BATCHES } else { 0 };
        for index in 0..batches {
            let stream = STATISTICS_STREAMS + STATISTICS_BATCHES * self.step() + index;
            let (planes, _) = dataset.batch(stream, size, 0..size, reading).tensors(shape, self.device)?;
            // The running statistics become the mean of all batches.
            let norms = Norms::Batch { momentum: 1.0 / (index + 1) as f64 };
            self.playing.forward(&planes, Pass { norms, kind: Kind::Float })?;
        }
        Ok(())
    }

    /// Metrics of the network that plays over rows of one split.
    fn validate<V: Variant>(&self, dataset: &Dataset<V>, split: Split, progress: f64) -> Result<Option<Metrics>> {
        let _guard = tch::no_grad_guard();
        tch::set_num_threads(self.config.threads as i32);
        let mut sums = Sums::new(self.device)?;
        let zero = Tensor::f_zeros([], (Kind::Float, self.device))?;
        let reading = dataset.reading(progress, self.playing.blueprint());
        let mut any = false;
        for batch in dataset.validation(split, self.config.batch, reading) {
            let (planes, targets) = batch.tensors(self.playing.blueprint().shape, self.device)?;
            let outputs = self.playing.evaluate(&planes)?;
            let network = &self.playing.blueprint().config;
            let (_, batch_sums) = loss::loss(&outputs, &targets, network, &self.config.loss)?;
            sums.add(&batch_sums, &zero)?;
            any = true;
        }
        Ok(if any { Some(sums.report()?.0) } else { None })
    }
}

fn append(log: &mut Option<LineLog<MetricsEntry>>, entry: &MetricsEntry) -> Result<()> {
    if let Some(log) = log {
        log.append(entry)?;
    }
    Ok(())
}
