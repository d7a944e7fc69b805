//! The training loop: draw a batch, descend, average; figures on the way and a validation at the end.

use crate::average::Average;
use crate::blocks::Pass;
use crate::blueprint::Blueprint;
use crate::checkpoint::{self, Description, Parts};
use crate::dataset::Dataset;
use crate::error::{Result, TrainError};
use crate::evaluator::Precision;
use crate::loss::{self, Figures, SUMS};
use crate::metrics::{Line, Metrics};
use crate::network::Network;
use crate::network_file::NetworkFile;
use crate::optimiser::AdamW;
use crate::prefetch::Prefetch;
use crate::sample::Batch;
use crate::train_config::TrainConfig;
use rules::Variant;
use serde::Serialize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use tch::{Device, Kind, Tensor};

/// One stretch of training, between two generations of self-play.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Round {
    /// The generation whose games are the newest, for the figures.
    pub generation: u32,
    /// Steps made before the round.
    pub first_step: u64,
    /// Steps made after it. A trainer that is there already does nothing, so a round can be asked for again
    /// after a kill.
    pub last_step: u64,
    /// Share of the whole run (0 to 1) that is over before the round: learning rate and value target follow it.
    pub progress_before: f64,
    /// The same after the round.
    pub progress_after: f64,
}

impl Round {
    /// Share of the whole run that is over when `step` steps are made.
    pub fn progress(&self, step: u64) -> f64 {
        let length = self.last_step.saturating_sub(self.first_step).max(1) as f64;
        let done = (step.saturating_sub(self.first_step) as f64 / length).clamp(0.0, 1.0);
        self.progress_before + done * (self.progress_after - self.progress_before)
    }
}

/// What the caller is told while a round runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps made since the run began.
    pub step: u64,
    /// Step at which the round ends.
    pub last_step: u64,
    /// The newest figures: means since the last report, `None` before the first.
    pub figures: Option<Figures>,
}

/// What a round came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TrainReport {
    /// Steps made in this call.
    pub steps: u64,
    /// Steps made since the run began.
    pub step: u64,
    /// Samples seen since the run began.
    pub samples: u64,
    /// Time of the training itself, without validation.
    pub seconds: f64,
    /// Samples trained in a second.
    pub samples_per_second: f64,
    /// Learning rate of the last step.
    pub learning_rate: f64,
    /// Mean norm of the gradient before clipping.
    pub gradient_norm: f64,
    /// Means over the round.
    pub training: Figures,
    /// Means over games that are never trained on; `None` where there are none yet.
    pub validation: Option<Figures>,
    /// The caller asked to stop before the round was over.
    pub stopped: bool,
}

/// A network in training.
///
/// With the same config, seed, data and number of threads, a CPU gives the same weights bit for bit, whether or
/// not the training was cut off and resumed between steps.
pub struct Trainer {
    pub(crate) network: Network,
    average: Average,
    optimiser: AdamW,
    config: TrainConfig,
    device: Device,
    seed: u64,
    samples: u64,
    metrics: Option<Metrics>,
}

impl Trainer {
    /// An untrained network; its weights and all draws depend on `seed` and the config.
    ///
    /// # Errors
    /// The device cannot be used, or libtorch fails.
    pub fn new(blueprint: Blueprint, config: TrainConfig, seed: u64) -> Result<Trainer> {
        let device = config.device.resolve()?;
        let network = Network::new(blueprint, seed, device)?;
        let average = Average::new(network.parameters(), config.optimiser.average_half_life)?;
        let optimiser = AdamW::new(network.parameters(), config.optimiser.clone())?;
        Ok(Trainer { network, average, optimiser, config, device, seed, samples: 0, metrics: None })
    }

    /// A training that goes on from a checkpoint. What is not the network's size may have changed in the config.
    ///
    /// # Errors
    /// The file is damaged or holds another network; the error says which and what to do.
    pub fn resume(path: &Path, blueprint: Blueprint, config: TrainConfig) -> Result<Trainer> {
        let (description, tensors) = checkpoint::read(path, &blueprint)?;
        let mut trainer = Trainer::new(blueprint, config, description.seed)?;
        trainer.parts().fill(path, tensors)?;
        trainer.optimiser.set_step_count(description.step);
        trainer.samples = description.samples;
        Ok(trainer)
    }

    /// Writes a checkpoint so that it appears whole or not at all.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let blueprint = self.network.blueprint().clone();
        let (seed, step, samples) = (self.seed, self.step(), self.samples);
        self.parts().write(path, &Description { blueprint, seed, step, samples })
    }

    fn parts(&self) -> Parts<'_> {
        Parts { network: &self.network, average: &self.average, optimiser: &self.optimiser }
    }

    /// Appends figures to a JSON-lines file from now on. Lines of steps after the present one, left by a run that
    /// was killed after its last checkpoint, are dropped.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn log_to(&mut self, path: &Path) -> Result<()> {
        self.metrics = Some(Metrics::open(path, self.step())?);
        Ok(())
    }

    /// Steps made since the run began.
    pub fn step(&self) -> u64 {
        self.optimiser.step_count()
    }

    /// The averaged network: what plays.
    ///
    /// # Errors
    /// libtorch cannot copy the tensors.
    pub fn export(&self, generation: u32) -> Result<NetworkFile> {
        NetworkFile::of_average(&self.network, &self.average, generation, self.step())
    }

    /// Trains until the end of the round, or until `stop` is set, and validates. `progress` is called after each
    /// step.
    ///
    /// # Errors
    /// libtorch fails, the loss is no longer a number, or the figures cannot be written.
    pub fn train<V: Variant>(
        &mut self,
        dataset: &Dataset<V>,
        round: &Round,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<TrainReport> {
        if self.step() < round.last_step && dataset.rows() == 0 {
            return Err(TrainError::Data(format!("there is no position of {} to train on yet", V::ID)));
        }
        tch::set_num_threads(self.config.torch_threads() as i32);
        let begin = Instant::now();
        let mut sums = Sums::new(self.device)?;
        let mut report = TrainReport { step: self.step(), ..TrainReport::default() };
        let mut figures = None;
        std::thread::scope(|scope| -> Result<()> {
            let steps = self.step() + 1..round.last_step + 1;
            let threads = self.config.encoding_threads();
            let mut batches =
                Prefetch::start(scope, dataset, steps.clone(), self.config.batch, threads, |step| round.progress(step));
            for step in steps {
                if stop.load(Ordering::Relaxed) {
                    report.stopped = true;
                    break;
                }
                let lost = || TrainError::Data("the thread that makes batches has died".to_owned());
                let batch = batches.next().ok_or_else(lost)?;
                report.learning_rate = self.config.optimiser.rate(step, round.progress(step));
                self.descend(&batch, report.learning_rate, &mut sums)?;
                report.steps += 1;
                if step % self.config.report_every == 0 || step == round.last_step {
                    let recent = sums.report()?;
                    if !recent.loss.is_finite() {
                        return Err(TrainError::Diverged { step, loss: recent.loss });
                    }
                    figures = Some(recent);
                    self.log(Line::training(round, step, report.learning_rate, recent))?;
                }
                progress(Progress { step, last_step: round.last_step, figures });
            }
            Ok(())
        })?;
        let (training, norm) = sums.whole(report.steps)?;
        report.step = self.step();
        report.samples = self.samples;
        report.seconds = begin.elapsed().as_secs_f64();
        report.samples_per_second = training.samples / report.seconds.max(1e-9);
        report.training = training;
        report.gradient_norm = norm;
        if !report.stopped {
            report.validation = self.validate(dataset, round.progress(self.step()))?;
            if let Some(figures) = report.validation {
                self.log(Line::validation(round, self.step(), figures))?;
            }
        }
        Ok(report)
    }

    fn log(&mut self, line: Line) -> Result<()> {
        self.metrics.as_mut().map_or(Ok(()), |metrics| metrics.append(&line))
    }

    /// One step.
    pub(crate) fn descend(&mut self, batch: &Batch, rate: f64, sums: &mut Sums) -> Result<()> {
        let (planes, targets) = batch.tensors(self.network.blueprint().shape, self.device)?;
        let kind = if self.config.precision == Precision::Bf16 { Kind::BFloat16 } else { Kind::Float };
        let outputs = self.network.forward(&planes, Pass { train: true, kind })?;
        let dim = self.network.blueprint().config.policy_dim;
        let (total, step_sums) = loss::loss(&outputs, &targets, dim, &self.config.loss)?;
        total.f_backward()?;
        let norm = self.optimiser.step(self.network.parameters(), rate)?;
        self.average.update(self.network.parameters(), self.step())?;
        self.samples += batch.len() as u64;
        sums.add(&step_sums, &norm)
    }

    /// Figures over the rows that are never trained on, with the weights as they are and the running norm
    /// statistics.
    fn validate<V: Variant>(&self, dataset: &Dataset<V>, progress: f64) -> Result<Option<Figures>> {
        let _guard = tch::no_grad_guard();
        let mut sums = Sums::new(self.device)?;
        let zero = Tensor::f_zeros([], (Kind::Float, self.device))?;
        let batches = (0..).map_while(|index| dataset.validation(index, self.config.batch, progress));
        let mut any = false;
        for batch in batches {
            let (planes, targets) = batch.tensors(self.network.blueprint().shape, self.device)?;
            let outputs = self.network.evaluate(&planes)?;
            let dim = self.network.blueprint().config.policy_dim;
            let (_, batch_sums) = loss::loss(&outputs, &targets, dim, &self.config.loss)?;
            sums.add(&batch_sums, &zero)?;
            any = true;
        }
        Ok(if any { Some(sums.report()?) } else { None })
    }
}

/// Sums of figures, kept on the device so that a GPU is waited for at reports only.
pub(crate) struct Sums {
    /// Since the last report; the gradient's norm is the last of them.
    recent: Tensor,
    whole: Tensor,
}

impl Sums {
    pub fn new(device: Device) -> Result<Sums> {
        let zeros = || Tensor::f_zeros([SUMS as i64 + 1], (Kind::Double, device));
        Ok(Sums { recent: zeros()?, whole: zeros()? })
    }

    pub fn add(&mut self, sums: &Tensor, norm: &Tensor) -> Result<()> {
        let _guard = tch::no_grad_guard();
        let _ = self.recent.f_add_(&Tensor::f_cat(&[sums, &norm.f_reshape([1])?], 0)?)?;
        Ok(())
    }

    /// Means since the last report.
    pub fn report(&mut self) -> Result<Figures> {
        let _ = self.whole.f_add_(&self.recent)?;
        let figures = Figures::from_sums(&read(&self.recent)?.0);
        let _ = self.recent.f_zero_()?;
        Ok(figures)
    }

    /// Means over everything, and the mean norm of the gradient.
    pub fn whole(&mut self, steps: u64) -> Result<(Figures, f64)> {
        self.report()?;
        let (sums, norm) = read(&self.whole)?;
        Ok((Figures::from_sums(&sums), norm / steps.max(1) as f64))
    }
}

fn read(sums: &Tensor) -> Result<([f64; SUMS], f64)> {
    let mut values = [0f64; SUMS + 1];
    sums.f_to_device(Device::Cpu)?.f_copy_data(&mut values, SUMS + 1)?;
    let mut figures = [0f64; SUMS];
    figures.copy_from_slice(&values[..SUMS]);
    Ok((figures, values[SUMS]))
}
