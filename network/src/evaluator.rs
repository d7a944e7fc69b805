//! The network as an evaluator of the search: leaves in, logits and win/draw/loss out.

use crate::blueprint::Blueprint;
use crate::error::Result;
use crate::folding::folded;
use crate::format::{Format, Fp32, Int8};
use crate::forward::{Memory, Observer, Stage, Unobserved, forward};
use crate::integer_reference::QuantisedNetwork;
use crate::kernels::instruction_set::MultiplyAdd;
use crate::kernels::{Detected, Kernel, Portable};
use crate::lanes::softmax;
use crate::packing::Packed;
use crate::peaks::Peaks;
use crate::stem::PackedStem;
use crate::weights::Weights;
use rayon::prelude::*;
use rules::encode::Features;
use search::{EvaluationError, Evaluations, Evaluator, LeafBatch};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A network prepared for play, in a number format. Its clones share one copy of the weights.
#[derive(Clone)]
pub struct PlayNetwork {
    blueprint: Arc<Blueprint>,
    form: Form,
}

#[derive(Clone)]
enum Form {
    Fp32(Arc<Packed<Fp32>>),
    Int8(Arc<Packed<Int8>>),
}

impl PlayNetwork {
    /// A network in fp32.
    ///
    /// # Errors
    /// A norm of the network has results that are not finite.
    pub fn fp32(network: &Weights) -> Result<PlayNetwork> {
        let (blueprint, layers) = (network.blueprint(), folded(network)?);
        let packed = Packed::new(&layers, |stem| PackedStem::new(stem, blueprint.board()));
        Ok(PlayNetwork { blueprint: Arc::new(blueprint.clone()), form: Form::Fp32(Arc::new(packed)) })
    }

    /// A network in 8-bit integers.
    pub fn int8(network: &QuantisedNetwork) -> PlayNetwork {
        let blueprint = network.blueprint();
        let packed = Packed::new(network.layers(), |stem| PackedStem::new(stem, blueprint.board()));
        PlayNetwork { blueprint: Arc::new(blueprint.clone()), form: Form::Int8(Arc::new(packed)) }
    }

    /// The sizes.
    pub fn blueprint(&self) -> &Blueprint {
        &self.blueprint
    }
}

impl std::fmt::Debug for PlayNetwork {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("PlayNetwork").field("blueprint", &self.blueprint).finish_non_exhaustive()
    }
}

/// A network that evaluates leaves on the calling thread. Each search thread has its own.
///
/// Leaves are evaluated one by one, so an answer depends on no other leaf of the batch, and a batch of one is as efficient
/// as any other. In 8-bit integers the answers have the same bits with every kernel and on every machine; in fp32 as well.
/// After the first call nothing is allocated but the answers.
#[derive(Clone)]
pub struct NativeEvaluator {
    blueprint: Arc<Blueprint>,
    instructions: Detected,
    form: FormWithMemory,
    batch: usize,
}

#[derive(Clone)]
enum FormWithMemory {
    Fp32(Arc<Packed<Fp32>>, Box<Memory<Fp32>>),
    Int8(Arc<Packed<Int8>>, Box<Memory<Int8>>),
}

impl NativeEvaluator {
    /// An evaluator with a kernel. The search fills batches of up to `batch` leaves, at least 1.
    ///
    /// # Errors
    /// The processor lacks the instructions of the kernel.
    pub fn new(network: &PlayNetwork, kernel: Kernel, batch: usize) -> Result<NativeEvaluator> {
        let blueprint = network.blueprint.clone();
        let form = match &network.form {
            Form::Fp32(packed) => FormWithMemory::Fp32(packed.clone(), Box::new(Memory::new(&blueprint))),
            Form::Int8(packed) => FormWithMemory::Int8(packed.clone(), Box::new(Memory::new(&blueprint))),
        };
        Ok(NativeEvaluator { blueprint, instructions: kernel.require()?, form, batch: batch.max(1) })
    }

    /// What the network was built from.
    pub fn blueprint(&self) -> &Blueprint {
        &self.blueprint
    }

    /// Evaluates all leaves of `batch` into `out`, which is emptied first.
    ///
    /// # Errors
    /// The leaves were not made for this network.
    pub fn evaluate_leaves(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<()> {
        self.observed(batch, out, &mut Unobserved)
    }

    /// Like [`NativeEvaluator::evaluate_leaves`], and adds the time that each stage took to `times`.
    ///
    /// # Errors
    /// The leaves were not made for this network.
    pub fn evaluate_timed(&mut self, batch: &LeafBatch, out: &mut Evaluations, times: &mut StageTimes) -> Result<()> {
        let mut watch = Stopwatch { times, since: Instant::now() };
        self.observed(batch, out, &mut watch)
    }

    fn observed<O>(&mut self, batch: &LeafBatch, out: &mut Evaluations, observer: &mut O) -> Result<()>
    where
        O: Observer<Fp32> + Observer<Int8>,
    {
        self.blueprint.check_leaves(batch)?;
        let leaves = Leaves::new(batch, &self.blueprint);
        match &mut self.form {
            FormWithMemory::Fp32(packed, memory) => leaves.in_fp32(self.instructions, packed, memory, out, observer),
            FormWithMemory::Int8(packed, memory) => leaves.in_int8(self.instructions, packed, memory, out, observer),
        }
        Ok(())
    }
}

/// Leaves to be evaluated.
#[derive(Clone, Copy)]
struct Leaves<'a> {
    batch: &'a LeafBatch,
    /// Length of a query.
    dim: usize,
    /// Whether the network says the points.
    points: bool,
}

impl<'a> Leaves<'a> {
    fn new(batch: &'a LeafBatch, sizes: &Blueprint) -> Leaves<'a> {
        Leaves { batch, dim: sizes.config.policy_dim, points: sizes.shape.points > 0 }
    }

    fn in_fp32(
        self,
        instructions: Detected,
        network: &Packed<Fp32>,
        memory: &mut Memory<Fp32>,
        out: &mut Evaluations,
        observer: &mut impl Observer<Fp32>,
    ) {
        match instructions {
            #[cfg(target_arch = "x86_64")]
            Detected::Avx512Vnni(kernel) => self.evaluate(kernel, network, memory, out, observer),
            #[cfg(target_arch = "x86_64")]
            Detected::AvxVnni(kernel) => self.evaluate(kernel.avx2(), network, memory, out, observer),
            #[cfg(target_arch = "x86_64")]
            Detected::Avx2(kernel) => self.evaluate(kernel, network, memory, out, observer),
            Detected::Portable => self.evaluate(Portable, network, memory, out, observer),
        }
    }

    fn in_int8(
        self,
        instructions: Detected,
        network: &Packed<Int8>,
        memory: &mut Memory<Int8>,
        out: &mut Evaluations,
        observer: &mut impl Observer<Int8>,
    ) {
        match instructions {
            #[cfg(target_arch = "x86_64")]
            Detected::Avx512Vnni(kernel) => self.evaluate(kernel, network, memory, out, observer),
            #[cfg(target_arch = "x86_64")]
            Detected::AvxVnni(kernel) => self.evaluate(kernel, network, memory, out, observer),
            #[cfg(target_arch = "x86_64")]
            Detected::Avx2(kernel) => self.evaluate(kernel, network, memory, out, observer),
            Detected::Portable => self.evaluate(Portable, network, memory, out, observer),
        }
    }

    fn evaluate<F: Format, K: MultiplyAdd<F>>(
        self,
        kernel: K,
        network: &Packed<F>,
        memory: &mut Memory<F>,
        out: &mut Evaluations,
        observer: &mut impl Observer<F>,
    ) {
        out.clear();
        let scale = 1.0 / (self.dim as f32).sqrt();
        for leaf in 0..self.batch.len() {
            forward(kernel, network, self.batch.planes_of(leaf), memory, observer);
            out.wdl.push(softmax(memory.heads.wdl()));
            if self.points {
                out.points.push(memory.heads.points());
            }
            let moves = self.batch.moves_of(leaf);
            kernel.run(
                #[inline(always)]
                || {
                    for mv in moves {
                        out.logits.push(memory.heads.logit(kernel, mv, scale));
                    }
                },
            );
            observer.ended(Stage::Moves);
        }
    }
}

/// The largest activations of a network in fp32 on each batch, to which `peaks` is the state before anything was seen.
pub(crate) fn measure_peaks(
    network: &Weights,
    kernel: Kernel,
    batches: &[LeafBatch],
    peaks: impl Fn() -> Peaks + Sync,
) -> Result<Vec<Peaks>> {
    let sizes = network.blueprint();
    let packed = Packed::new(&folded(network)?, |stem| PackedStem::new(stem, sizes.board()));
    let instructions = kernel.require()?;
    let measured = |leaves: &LeafBatch| {
        sizes.check_leaves(leaves)?;
        let (of, mut peaks) = (Leaves::new(leaves, sizes), peaks());
        of.in_fp32(instructions, &packed, &mut Memory::new(sizes), &mut Evaluations::default(), &mut peaks);
        Ok(peaks)
    };
    batches.par_iter().map(measured).collect()
}

impl Evaluator for NativeEvaluator {
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

/// The time that the stages of evaluations took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StageTimes(std::collections::BTreeMap<Stage, Duration>);

impl StageTimes {
    /// Stages and their times, in the order of an evaluation.
    pub fn iter(&self) -> impl Iterator<Item = (Stage, Duration)> {
        self.0.iter().map(|(&stage, &time)| (stage, time))
    }
}

struct Stopwatch<'a> {
    times: &'a mut StageTimes,
    since: Instant,
}

impl<F: Format> Observer<F> for Stopwatch<'_> {
    fn ended(&mut self, stage: Stage) {
        let now = Instant::now();
        *self.times.0.entry(stage).or_default() += now - self.since;
        self.since = now;
    }
}
