//! Batches in a file, for another program that trains the same network (`kirin.net`).

use crate::error::{Result, TrainError};
use crate::heads::{HEADS, SampleWeight};
use crate::samples::dataset::Dataset;
use crate::samples::moves::{MOVE_NUMBERS, numbers};
use crate::samples::sample::Batch;
use network::Blueprint;
use network::tensor_file;
use network::{HostTensor, HostTensors};
use rules::Variant;
use serde::Serialize;
use std::ops::Range;
use std::path::Path;

const KIND: &str = "samples";

/// What a file of samples says of itself.
#[derive(Serialize)]
struct Description<'a> {
    blueprint: &'a Blueprint,
    /// Samples of each batch.
    batch: usize,
    /// The steps whose batches they are.
    steps: Vec<u64>,
}

impl<V: Variant> Dataset<V> {
    /// Writes the batches of some steps, of `size` samples each, as a network of this blueprint is trained on them when
    /// `progress` of the run (0 to 1) is over. The file is a safetensors file with a description, like a network's; all
    /// numbers are fp32. The tensors of a step `000007` are
    ///
    /// - `000007.planes`, `[samples, planes, ranks, files]`;
    /// - `000007.policy.moves`, `[moves, 9]`: for each legal move of each sample its source token, its target token, whether
    ///   it promotes, the number of further tokens that it touches, and those; `000007.policy.first`, `[samples + 1]`: where
    ///   the moves of each sample begin; `000007.policy.share`, `[moves]`: the target; `000007.policy.weight`, `[samples]`;
    /// - for each head of the value branch its target, `[samples]` or `[samples, width]`, under its name (`000007.wdl`); and
    ///   the weights of the samples in their losses, `[samples]`: `000007.value_weight`, `000007.plies_weight` and so
    ///   on. What the network has no head for is absent.
    ///
    /// # Errors
    /// There is nothing to train on, or the file cannot be written.
    pub fn write_batches(
        &self,
        path: &Path,
        blueprint: &Blueprint,
        size: usize,
        steps: Range<u64>,
        progress: f64,
    ) -> Result<()> {
        if self.rows() == 0 {
            return Err(TrainError::Data(format!("there is no position of {} to write", V::ID)));
        }
        let reading = self.reading(progress, blueprint);
        let mut tensors = HostTensors::new();
        for step in steps.clone() {
            put(&mut tensors, step, &self.batch(step, size, 0..size, reading), blueprint);
        }
        let description = Description { blueprint, batch: size, steps: steps.collect() };
        Ok(tensor_file::write(path, KIND, &description, &tensors)?)
    }
}

fn put(tensors: &mut HostTensors, step: u64, batch: &Batch, blueprint: &Blueprint) {
    let shape = blueprint.shape;
    let mut add = |name: &str, values: &[f32], sizes: &[usize]| {
        // The first size follows from the others.
        let rows = values.len() / sizes.iter().product::<usize>();
        let shape = std::iter::once(rows).chain(sizes.iter().copied()).collect();
        tensors.insert(format!("{step:06}.{name}"), HostTensor { shape, values: values.to_vec() });
    };
    add("planes", &batch.leaves.planes, &[shape.planes, shape.ranks, shape.files]);
    let moves = batch.leaves.tokens.iter().flat_map(numbers).map(|number| number as f32);
    add("policy.moves", &moves.collect::<Vec<_>>(), &[MOVE_NUMBERS]);
    // Exact in fp32: there are fewer than 2²⁴ moves.
    add("policy.first", &batch.leaves.first_move.iter().map(|&first| first as f32).collect::<Vec<_>>(), &[]);
    add("policy.share", &batch.policy, &[]);
    add("policy.weight", &batch.policy_weight, &[]);
    for (head, values) in HEADS.iter().zip(batch.heads.iter()).filter(|(head, _)| head.width.of(shape) > 0) {
        add(head.name, values, &head.width.sizes(shape));
    }
    for (weight, values) in SampleWeight::ALL.iter().zip(&batch.weights).filter(|(weight, _)| weight.counts_in(shape)) {
        add(weight.name(), values, &[]);
    }
}
