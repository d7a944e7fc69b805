//! The networks that come with the program, and their integers beside fp32 on positions of their own games.

use network::{Agreement, NetworkFile, Numbers, own_positions};
use rules::Variant;
use search::{Evaluations, LeafBatch};
use std::path::Path;

/// Positions of a batch.
const BATCH: usize = 64;

/// How well the integers of a variant's network agree with fp32 on `batches` batches of positions, and the largest difference
/// of q. The seed is not the one of a calibration.
pub fn agreement<V: Variant>(batches: usize) -> network::Result<(Agreement, f32)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../train/networks/{}.safetensors", V::ID));
    let file = NetworkFile::read(&path).expect("a network");
    let [mut exact, mut integers] = [file.evaluator(Numbers::Fp32, 1)?, file.evaluator(Numbers::Int8, 1)?];
    let leaves = own_positions::<V>(&exact, batches, BATCH, 1_000)?;
    let mut both = |leaves: &LeafBatch| -> network::Result<[Evaluations; 2]> {
        let mut out = [Evaluations::default(), Evaluations::default()];
        exact.evaluate_leaves(leaves, &mut out[0])?;
        integers.evaluate_leaves(leaves, &mut out[1])?;
        Ok(out)
    };
    let answers = leaves.iter().map(&mut both).collect::<network::Result<Vec<_>>>()?;
    let parts = leaves.iter().zip(&answers).map(|(leaves, [exact, integers])| (leaves, exact, integers));
    let q = |wdl: &[f32; 3]| wdl[0] - wdl[2];
    let differences = answers.iter().flat_map(|[exact, integers]| exact.wdl.iter().zip(&integers.wdl));
    let largest = differences.map(|(a, b)| (q(a) - q(b)).abs()).fold(0.0, f32::max);
    Ok((Agreement::of(parts), largest))
}
