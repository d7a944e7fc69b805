//! The measurements with which a network plays in integers: its largest activations, from which the scales follow, and how
//! well the integers agree with fp32.

use crate::agreement::Agreement;
use crate::blueprint::Blueprint;
use crate::error::Result;
use crate::evaluator::{NativeEvaluator, PlayNetwork, observe};
use crate::file_error::FileProblem;
use crate::folding::folded;
use crate::format::Fp32;
use crate::forward::Observer;
use crate::integer_reference::QuantisedNetwork;
use crate::kernels::Kernel;
use crate::lanes::{LANES, Lanes, blocks_of};
use crate::layers::Input;
use crate::own_games::own_positions;
use crate::packing::Packed;
use crate::peaks::Peaks;
use crate::weights::Weights;
use rayon::prelude::*;
use rules::VariantId;
use search::{Evaluations, LeafBatch};
use serde::{Deserialize, Serialize};

/// Seed of the games of networks without measurements.
const SEED: u64 = 1;

/// Measurements of a network that are needed to play in integers. They are made when the network is published, on positions
/// of the run's own games, and stored in its file; of other networks when they are first needed, on games of their policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The largest activations, from which the integers follow.
    pub peaks: Peaks,
    /// How well these integers agree with fp32 on other positions.
    pub agreement: Agreement,
}

impl Calibration {
    /// Batches of positions that a calibration needs.
    pub const BATCHES: usize = 24;
    /// Positions in each of them.
    pub const BATCH: usize = 64;

    /// Measures the largest activations on the first third of these positions of the network's own games, and compares the
    /// integers that follow with fp32 on the others. The batches are evaluated on all threads of the rayon pool. The result
    /// does not depend on the number of threads or on the kernel.
    ///
    /// # Errors
    /// The network has numbers that are not finite, or the leaves were not made for it.
    pub fn measured(weights: &Weights, leaves: &[LeafBatch]) -> Result<Calibration> {
        let (typical, others) = leaves.split_at(leaves.len().div_ceil(3));
        let kernel = Kernel::chosen()?;
        let exact = NativeEvaluator::new(&PlayNetwork::fp32(weights)?, kernel, 1)?;
        let peaks = Peaks::measured(weights, kernel, typical)?;
        let integers = PlayNetwork::int8(&QuantisedNetwork::new(weights, &peaks)?);
        let integers = NativeEvaluator::new(&integers, kernel, 1)?;
        let evaluated = |evaluator: &NativeEvaluator, leaves: &LeafBatch| -> Result<Evaluations> {
            let mut out = Evaluations::default();
            evaluator.clone().evaluate_leaves(leaves, &mut out)?;
            Ok(out)
        };
        let both =
            others.par_iter().map(|leaves| Ok((leaves, evaluated(&exact, leaves)?, evaluated(&integers, leaves)?)));
        let both = both.collect::<Result<Vec<_>>>()?;
        let agreement = Agreement::of(both.iter().map(|(leaves, exact, integers)| (*leaves, exact, integers)));
        Ok(Calibration { peaks, agreement })
    }

    /// Measures on games that the network plays by its policy: always the same ones.
    ///
    /// # Errors
    /// As [`Calibration::measured`]; or the network is of a variant that there is not.
    pub(crate) fn of_own_games(weights: &Weights) -> Result<Calibration> {
        let evaluator = NativeEvaluator::new(&PlayNetwork::fp32(weights)?, Kernel::chosen()?, 1)?;
        let variant: VariantId = weights.blueprint().variant.parse()?;
        let leaves = rules::dispatch!(variant, V => own_positions::<V>(&evaluator, Self::BATCHES, Self::BATCH, SEED))?;
        Calibration::measured(weights, &leaves)
    }

    /// As text, with a digest of it and of the network's id.
    pub(crate) fn written(&self, id: &str) -> Result<String, serde_json::Error> {
        let text = serde_json::to_string(self)?;
        Ok(format!("{} {text}", digest(id, &text)))
    }

    /// Reads what [`written`](Self::written) wrote for such a network.
    pub(crate) fn read(written: &str, id: &str, blueprint: &Blueprint) -> Result<Calibration, FileProblem> {
        let damaged = |why: String| FileProblem::Unreadable(format!("its calibration: {why}").into());
        let (noted, text) = written.split_once(' ').ok_or_else(|| damaged("it has no digest".to_owned()))?;
        let found = digest(id, text);
        if found != noted {
            return Err(FileProblem::Digest { found, written: noted.to_owned() });
        }
        let calibration: Calibration = serde_json::from_str(text).map_err(|error| damaged(error.to_string()))?;
        calibration.peaks.check(blueprint).map_err(|error| damaged(error.to_string()))?;
        Ok(calibration)
    }
}

fn digest(id: &str, text: &str) -> String {
    blake3::Hasher::new().update(id.as_bytes()).update(text.as_bytes()).finalize().to_hex()[..16].to_owned()
}

impl Peaks {
    /// Evaluates some hundred positions, in batches, in fp32 and keeps the largest values. The positions should be of the
    /// network's own games: what is larger in play is cut off.
    ///
    /// # Errors
    /// The network has numbers that are not finite, or the leaves were not made for it.
    pub fn measured(network: &Weights, kernel: Kernel, batches: &[LeafBatch]) -> Result<Peaks> {
        let sizes = network.blueprint();
        let packed = Packed::new(&folded(network)?, sizes.board());
        let measured = |leaves: &LeafBatch| {
            let mut peaks = Peaks::none(sizes);
            observe(sizes, &packed, kernel, leaves, &mut peaks).map(|()| peaks)
        };
        let of_batches = batches.par_iter().map(measured).collect::<Result<Vec<_>>>()?;
        let peaks = of_batches.iter().fold(Peaks::none(sizes), Peaks::joined);
        peaks.check(sizes)?;
        Ok(peaks)
    }
}

impl Observer<Fp32> for Peaks {
    fn activations(&mut self, input: Input, values: &[Lanes]) {
        let tensor = self.tensor(input);
        let squares = values.len() / blocks_of(tensor.len());
        for (channels, values) in tensor.chunks_mut(LANES).zip(values.chunks_exact(squares)) {
            for value in values {
                for (peak, value) in channels.iter_mut().zip(value.0) {
                    *peak = peak.max(value);
                }
            }
        }
    }
}
