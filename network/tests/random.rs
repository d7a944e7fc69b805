//! Random networks, as plausible as is necessary for tests and measurements.

use network::{Description, Network, Tensor, Tensors};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A network whose activations keep their size from block to block, as those of a trained one do.
pub fn network(description: &Description, seed: u64) -> Network {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut tensors = Tensors::new();
    for (name, shape) in description.tensors() {
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
        tensors.insert(name, Tensor { shape, values });
    }
    Network::new(description.clone(), tensors).expect("a network of this description")
}
