//! The number format that trains faster on this machine.

use crate::error::Result;
use crate::heads::{HEADS, Loss, LossConfig, SampleWeight};
use crate::measure::turns::best_speeds;
use crate::measure::{ROUNDING_MARGIN, apart};
use crate::network::Network;
use crate::samples::sample::Batch;
use crate::training::descent::{self, Learner, Sent};
use crate::training::times::PartTimes;
use crate::trunk::Trunk;
use network::Blueprint;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::encode::MoveTokens;
use search::LeafBatch;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};
use tch::{Device, Kind};

/// Number format of the activations in training.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TrainPrecision {
    /// The faster of the other two, measured at start.
    Auto,
    /// 32 bits: the reference.
    #[default]
    Fp32,
    /// bfloat16: 8 bits of mantissa.
    Bf16,
}

settings::named!(TrainPrecision { Auto = "auto", Fp32 = "fp32", Bf16 = "bf16" });

/// Samples in each timed step on a CPU. A GPU is timed with the whole batch, because with few samples its time goes into
/// launching.
const SAMPLES: usize = 64;
/// Legal moves of each sample.
const MOVES: usize = 40;

/// The number format in which steps of `batch` samples are faster on this device; a few steps in each are timed on one
/// thread.
pub(super) fn fastest(blueprint: &Blueprint, device: Device, batch: usize) -> Result<TrainPrecision> {
    apart(|| {
        let Learner { network, .. } = Learner::new(blueprint.clone(), 1, device)?;
        tch::set_num_threads(1);
        let samples = random_samples(blueprint, if device.is_cuda() { batch } else { SAMPLES });
        let batch = samples.tensors(blueprint.shape, device)?;
        step_time(&network, &batch, Kind::Float)?;
        // It is no error if this machine cannot train in bf16 at all: fp32 remains.
        let speed = |&kind: &Kind| Ok(1.0 / step_time(&network, &batch, kind)?.as_secs_f64());
        Ok(match best_speeds(&[Kind::Float, Kind::BFloat16], speed)[..] {
            [Some(fp32), Some(bf16)] if bf16 > ROUNDING_MARGIN * fp32 => TrainPrecision::Bf16,
            _ => TrainPrecision::Fp32,
        })
    })
}

/// The shortest time in which the gradients of a step are computed.
fn step_time(network: &Network, batch: &Sent, kind: Kind) -> Result<Duration> {
    let mut trunk = Trunk::new(network, kind, batch.0.size()[0] as usize, 1)?;
    let mut step = || -> Result<Duration> {
        let before = Instant::now();
        let sums = descent::gradients(
            network,
            trunk.as_mut(),
            batch,
            kind,
            &LossConfig::default(),
            &mut PartTimes::default(),
        )?;
        // Reading a value waits until a GPU has finished.
        sums.f_double_value(&[0])?;
        Ok(before.elapsed())
    };
    step()?;
    let times = (0..2).map(|_| step()).collect::<Result<Vec<_>>>()?;
    Ok(times.into_iter().min().unwrap_or(Duration::MAX))
}

/// Samples of the right shape with targets that teach nothing. Each plane is set on about a tenth of its squares.
pub(super) fn random_samples(blueprint: &Blueprint, samples: usize) -> Batch {
    let shape = blueprint.shape;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut leaves = LeafBatch::new(blueprint.config.features);
    for _ in 0..samples {
        leaves.planes.extend((0..shape.input_len()).map(|_| if rng.random_range(0..10) == 0 { 1.0 } else { 0.0 }));
        let squares = shape.squares() as u16;
        let moves = (0..MOVES).map(|_| MoveTokens {
            source: rng.random_range(0..squares),
            target: rng.random_range(0..squares),
            ..MoveTokens::default()
        });
        leaves.push_moves(moves);
    }
    Batch {
        policy: vec![1.0 / MOVES as f32; samples * MOVES],
        policy_weight: vec![1.0; samples],
        heads: HEADS.as_ref().map(|head| {
            let width = head.width.of(shape);
            let each = if head.loss == Loss::CrossEntropy { 1.0 / width as f32 } else { 1.0 };
            vec![each; samples * width]
        }),
        weights: SampleWeight::ALL.map(|_| vec![1.0; samples]),
        leaves,
    }
}
