//! One step of gradient descent, whose batch is split into parts that are computed side by side.
//!
//! On a CPU each part has its own thread and its own copy of the network. That is faster than one network on all
//! threads, which wait for each other after every operation, and much faster when another program takes a core away.
//! Each part then has its own norm statistics ("ghost" batch norm). On a GPU there is one part.

use crate::error::{Result, TrainError};
use crate::heads::LossConfig;
use crate::network::Network;
use crate::network::blocks::{NORM_MOMENTUM, Norms, Pass};
use crate::network::flat::FlatParameters;
use crate::samples::dataset::Dataset;
use crate::samples::targets::Targets;
use crate::threads;
use crate::training::loss;
use crate::training::prefetch::Prefetch;
use crate::training::times::{Lap, PartTimes, Times};
use crate::trunk::Trunk;
use network::Blueprint;
use rules::Variant;
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Scope;
use std::time::Duration;
use tch::{Device, Kind, Tensor};

/// What every part needs to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work<'a> {
    /// Samples of a step, all parts together.
    pub batch: usize,
    pub kind: Kind,
    pub loss: &'a LossConfig,
    /// Threads of libtorch in each part.
    pub threads: usize,
    /// Threads that make batches for each part in advance; 0 if the part makes its own.
    pub prefetch: usize,
}

/// A network that is trained, and its parameters as one vector.
pub(crate) struct Learner {
    pub network: Network,
    pub parameters: FlatParameters,
}

impl Learner {
    /// An untrained one.
    ///
    /// # Errors
    /// libtorch cannot be opened, or cannot make the tensors (memory, device).
    pub fn new(blueprint: Blueprint, seed: u64, device: Device) -> Result<Learner> {
        let network = Network::new(blueprint, seed, device)?;
        let parameters = FlatParameters::new(network.parameters())?;
        Ok(Learner { network, parameters })
    }
}

/// A batch on the device of a network: its input, and its targets.
pub(crate) type Sent = (Tensor, Targets);

/// A batch that is ready for a step, and how long its parts took to make.
struct Ready {
    sent: Result<Sent>,
    data: Duration,
    tensors: Duration,
}

/// Forward and backward pass of one batch. The gradients are added to those that the parameters hold. Returns the sums
/// from which metrics are made, and adds the time that was spent to `times`.
pub(crate) fn gradients(
    network: &Network,
    trunk: Option<&mut Trunk>,
    (planes, targets): &Sent,
    kind: Kind,
    config: &LossConfig,
    times: &mut PartTimes,
) -> Result<Tensor> {
    let mut lap = Lap::start();
    let pass = Pass { norms: Norms::Batch { momentum: NORM_MOMENTUM }, kind };
    let (outputs, below) = match trunk {
        Some(trunk) => {
            let x = trunk.forward(network, planes, NORM_MOMENTUM)?;
            (network.heads(&x, pass)?, Some((trunk, x)))
        }
        None => (network.forward(planes, pass)?, None),
    };
    times.forward += lap.read();
    let (total, sums) = loss::loss(&outputs, targets, &network.blueprint().config, config)?;
    times.loss += lap.read();
    total.f_backward()?;
    if let Some((trunk, x)) = below {
        trunk.backward(network, &x.f_grad()?)?;
    }
    times.backward += lap.read();
    Ok(sums)
}

/// What a part has computed in a step: sums from which metrics are made, and how long everything took.
struct Answer {
    sums: Tensor,
    times: PartTimes,
}

/// A thread that computes one part of each step, and its network's parameters, which are used only while the thread waits
/// for its next step.
struct Part<'a> {
    parameters: &'a FlatParameters,
    orders: Sender<u64>,
    done: Receiver<Result<Answer>>,
}

/// The parts of a step. The first works on the network that is trained, the others on copies of it.
pub(crate) struct Parts<'a> {
    parts: Vec<Part<'a>>,
}

impl<'scope> Parts<'scope> {
    /// Starts a thread for each network. All must be on one device and hold the same values.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn start<V: Variant>(
        scope: &'scope Scope<'scope, '_>,
        learners: impl ExactSizeIterator<Item = &'scope mut Learner>,
        dataset: &'scope Dataset<V>,
        steps: Range<u64>,
        work: Work<'scope>,
        progress: impl Fn(u64) -> f64 + Copy + Send + 'scope,
    ) -> Result<Parts<'scope>> {
        let count = learners.len();
        let parts = learners.enumerate().map(|(part, Learner { network, parameters })| {
            let parameters: &FlatParameters = parameters;
            let samples = part * work.batch / count..(part + 1) * work.batch / count;
            let (blueprint, device) = (network.blueprint().clone(), network.device());
            let mut trunk = Trunk::new(network, work.kind, samples.len(), work.threads)?;
            let make = move |step| {
                let mut lap = Lap::start();
                let reading = dataset.reading(progress(step), &blueprint);
                let batch = dataset.batch(step, work.batch, samples.clone(), reading);
                let data = lap.read();
                let sent = batch.tensors(blueprint.shape, device);
                Ready { sent, data, tensors: lap.read() }
            };
            let (orders, ordered) = channel();
            let (finished, done) = channel();
            let mut batches = Prefetch::start(scope, steps.clone(), work.prefetch, make)?;
            threads::start(scope, "trains", move || {
                tch::set_num_threads(work.threads as i32);
                for step in ordered {
                    let lost = || TrainError::Thread("makes batches");
                    let mut lap = Lap::start();
                    let ready = batches.next(step).ok_or_else(lost);
                    let waited = lap.read();
                    let mut times = PartTimes::default();
                    let sums = ready.and_then(|Ready { sent, data, tensors }| {
                        // Batches that other threads make in advance cost this one only the wait for them.
                        (times.data, times.tensors) =
                            if work.prefetch == 0 { (data, tensors) } else { (waited, Duration::ZERO) };
                        gradients(network, trunk.as_mut(), &sent?, work.kind, work.loss, &mut times)
                    });
                    if finished.send(sums.map(|sums| Answer { sums, times })).is_err() {
                        return;
                    }
                }
            })?;
            Ok(Part { parameters, orders, done })
        });
        Ok(Parts { parts: parts.collect::<Result<_>>()? })
    }

    /// Computes a step's gradients and leaves their mean with the parameters of the first part, and the mean of
    /// the norm statistics too. Returns the step's sums, from which metrics are made, and adds the time that was spent
    /// to `times`.
    ///
    /// # Errors
    /// libtorch fails in one of the parts or where they are combined, or a thread has ended.
    pub fn descend(&self, step: u64, times: &mut Times) -> Result<Tensor> {
        let mut lap = Lap::start();
        let dead = || TrainError::Thread("trains");
        for part in &self.parts {
            part.orders.send(step).map_err(|_| dead())?;
        }
        // No error is passed on before all parts have answered, so that no thread is still at work then.
        let answers: Vec<Result<Answer>> =
            self.parts.iter().map(|part| part.done.recv().unwrap_or_else(|_| Err(dead()))).collect();
        let answers = answers.into_iter().collect::<Result<Vec<_>>>()?;
        answers.iter().for_each(|answer| times.parts += answer.times);
        times.descent += lap.read();
        self.combine()?;
        times.joining += lap.read();
        let sums: Vec<Tensor> = answers.into_iter().map(|answer| answer.sums).collect();
        Ok(Tensor::f_stack(&sums, 0)?.f_sum_dim_intlist([0].as_slice(), false, Kind::Float)?)
    }

    fn combine(&self) -> Result<()> {
        let [first, others @ ..] = self.parts.as_slice() else { return Ok(()) };
        if others.is_empty() {
            return Ok(());
        }
        let _guard = tch::no_grad_guard();
        let mut gradients = first.parameters.gradients().shallow_clone();
        let mut statistics = first.parameters.statistics()?;
        for other in others {
            // The gradients of the first part are checked by the optimiser.
            other.parameters.check()?;
            let mut theirs = other.parameters.gradients().shallow_clone();
            let _ = gradients.f_add_(&theirs)?;
            let _ = theirs.f_zero_()?;
            let _ = statistics.f_add_(&other.parameters.statistics()?)?;
        }
        let share = 1.0 / self.parts.len() as f64;
        let _ = gradients.f_mul_scalar_(share)?;
        let _ = statistics.f_mul_scalar_(share)?;
        Ok(())
    }

    /// The parameters that are trained, with their gradients after [`Parts::descend`].
    pub fn trained(&self) -> &'scope FlatParameters {
        self.parts[0].parameters
    }

    /// Copies the trained values to the other parts.
    ///
    /// # Errors
    /// libtorch refuses.
    pub fn spread(&self) -> Result<()> {
        self.parts[1..].iter().try_for_each(|part| part.parameters.copy_from(self.trained()))
    }
}
