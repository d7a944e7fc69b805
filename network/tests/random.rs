//! Random networks, as plausible as is necessary for tests and measurements.

use network::{Blueprint, HostTensor, HostTensors, Weights};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A network whose activations keep their size from block to block, as those of a trained one do.
pub fn network(blueprint: &Blueprint, seed: u64) -> Weights {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut tensors = HostTensors::new();
    for (name, shape) in blueprint.tensors() {
        let count: usize = shape.iter().product();
        let fan_in = shape[1..].iter().product::<usize>().max(1) as f32;
        let part = name.rsplit('.').next().unwrap_or_default();
        let (low, high) = match part {
            "gain" if name.contains("second") => (0.1, 0.5),
            "gain" => (0.6, 1.2),
            "variance" => (0.5, 1.5),
            "bias" | "mean" | "beside" => (-0.3, 0.3),
            _ => (-(6.0 / fan_in).sqrt(), (6.0 / fan_in).sqrt()),
        };
        let values = (0..count).map(|_| rng.random_range(low..high)).collect();
        tensors.insert(name, HostTensor { shape, values });
    }
    Weights::new(blueprint.clone(), tensors).expect("weights of this blueprint")
}
