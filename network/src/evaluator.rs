//! The network as an evaluator of the search: leaves in, logits and win/draw/loss out.

use crate::blueprint::Blueprint;
use crate::error::Result;
use crate::folding::folded;
use crate::format::{Format, Fp32, Int8};
use crate::forward::{Memory, Observer, Unobserved, forward};
use crate::integer_reference::QuantisedNetwork;
use crate::kernels::instruction_set::MultiplyAdd;
use crate::kernels::{Detected, Kernel, with_kernel};
use crate::lanes::softmax;
use crate::packing::Packed;
use crate::weights::Weights;
use rules::encode::Features;
use search::{EvaluationError, Evaluations, Evaluator, LeafBatch};
use std::sync::Arc;

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
        let packed = Packed::new(&layers, blueprint.board());
        Ok(PlayNetwork { blueprint: Arc::new(blueprint.clone()), form: Form::Fp32(Arc::new(packed)) })
    }

    /// A network in 8-bit integers.
    pub fn int8(network: &QuantisedNetwork) -> PlayNetwork {
        let blueprint = network.blueprint();
        let packed = Packed::new(network.layers(), blueprint.board());
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
        self.blueprint.check_leaves(batch)?;
        let task = Task { blueprint: &self.blueprint, batch, out };
        match &mut self.form {
            FormWithMemory::Fp32(packed, memory) => {
                with_kernel!(self.instructions, kernel => task.run(kernel, packed, memory, &mut Unobserved));
            }
            FormWithMemory::Int8(packed, memory) => {
                with_kernel!(self.instructions, kernel => task.run(kernel, packed, memory, &mut Unobserved));
            }
        }
        Ok(())
    }
}

/// Leaves to be evaluated, and where the answers go.
struct Task<'a> {
    blueprint: &'a Blueprint,
    batch: &'a LeafBatch,
    out: &'a mut Evaluations,
}

impl Task<'_> {
    fn run<F: Format, K: MultiplyAdd<F>>(
        self,
        kernel: K,
        network: &Packed<F>,
        memory: &mut Memory<F>,
        observer: &mut impl Observer<F>,
    ) {
        let Task { blueprint, batch, out } = self;
        out.clear();
        let scale = 1.0 / (blueprint.config.policy_dim as f32).sqrt();
        for leaf in 0..batch.len() {
            forward(kernel, network, batch.planes_of(leaf), memory, observer);
            out.wdl.push(softmax(memory.heads.wdl()));
            if blueprint.shape.points > 0 {
                out.points.push(memory.heads.points());
            }
            let moves = batch.moves_of(leaf);
            kernel.run(
                #[inline(always)]
                || {
                    for mv in moves {
                        out.logits.push(memory.heads.logit(kernel, mv, scale));
                    }
                },
            );
        }
    }
}

/// Evaluates leaves in fp32 and throws the answers away; the observer sees the activations.
///
/// # Errors
/// The leaves were not made for this network, or the processor lacks the instructions of the kernel.
pub(crate) fn observe(
    blueprint: &Blueprint,
    network: &Packed<Fp32>,
    kernel: Kernel,
    batch: &LeafBatch,
    observer: &mut impl Observer<Fp32>,
) -> Result<()> {
    blueprint.check_leaves(batch)?;
    let task = Task { blueprint, batch, out: &mut Evaluations::default() };
    let memory = &mut Memory::new(blueprint);
    with_kernel!(kernel.require()?, kernel => task.run(kernel, network, memory, observer));
    Ok(())
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
