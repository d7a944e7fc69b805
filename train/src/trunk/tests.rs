use super::*;
use crate::network::blocks::{Norms, Pass};
use crate::network::flat::FlatParameters;
use ::network::{Blueprint, NetworkConfig};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::VariantId;
use rules::dispatch;

/// Random numbers between −1 and 1.
fn random(rng: &mut ChaCha8Rng, length: usize) -> Vec<f32> {
    (0..length).map(|_| rng.random_range(-1.0..1.0)).collect()
}

/// The root mean square of the differences, in units of that of the expected numbers. (A single number may differ by more: a
/// sum that rounds to the other side of 0 opens or closes a ReLU.)
fn apart(found: &[f32], expected: &[f32]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let squares = |values: &mut dyn Iterator<Item = f32>| values.map(|x| f64::from(x).powi(2)).sum::<f64>();
    let difference = squares(&mut found.iter().zip(expected).map(|(a, b)| a - b));
    (difference / squares(&mut expected.iter().copied()).max(1e-12)).sqrt()
}

/// One convolution of three samples and its gradients.
struct Convolution<'a> {
    tiling: &'a Tiling,
    channels: [usize; 2],
    weights: &'a [f32],
    x: &'a [f32],
    y_gradient: &'a [f32],
    /// Outputs, gradient of the inputs, gradient of the weights.
    found: &'a mut [Vec<f32>; 3],
}

impl Work for Convolution<'_> {
    #[inline(always)]
    fn with<L: Lanes>(self) {
        let Convolution { tiling, channels: [from, to], .. } = self;
        let (mut weights, mut scratch) = (Weights::default(), Scratch::default());
        weights.set::<L>(tiling, self.weights, [from, to, from], true);
        let [y, x_gradient, weight_gradient] = self.found;
        winograd::forward::<L>(tiling, &weights, self.x, y, &mut scratch);
        let mut points = vec![0.0; tiling.points() * from * to];
        let both = [self.x, self.y_gradient];
        winograd::backward::<L>(tiling, &weights, both, Some(x_gradient), &mut points, &mut scratch);
        winograd::weight_gradient::<L>(tiling, &points, [from, to, from], weight_gradient);
    }
}

/// Convolutions and their gradients are libtorch's on boards that tiles fill and on others, for each instruction set.
#[test]
fn a_convolution_agrees_with_libtorch() {
    crate::libtorch::open().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for (ranks, files) in [(8, 8), (9, 9), (10, 9), (9, 10), (19, 19), (3, 5), (1, 2)] {
        for (from, to) in [(16, 64), (48, 16), (32, 80)] {
            let squares = ranks * files;
            let [x, y_gradient] = [from, to].map(|channels| random(&mut rng, 3 * squares * channels));
            let weights = random(&mut rng, to * from * 9);
            let as_tensor = |values: &[f32], channels: usize| {
                let sizes = [3, ranks, files, channels].map(|n| n as i64);
                Tensor::from_slice(values).view(sizes).permute([0, 3, 1, 2])
            };
            let x_tensor = as_tensor(&x, from).set_requires_grad(true);
            let sizes = [to, from, 3, 3].map(|n| n as i64);
            let weight_tensor = Tensor::from_slice(&weights).view(sizes).set_requires_grad(true);
            let y = x_tensor.conv2d(&weight_tensor, None::<Tensor>, 1, 1, 1, 1);
            (&y * as_tensor(&y_gradient, to)).sum(Kind::Float).backward();
            let rows = |tensor: &Tensor| host::copied(&tensor.permute([0, 2, 3, 1])).unwrap().values;
            let weight_gradient = host::copied(&weight_tensor.grad()).unwrap().values;
            let expected = [rows(&y), rows(&x_tensor.grad()), weight_gradient];
            for instructions in Instructions::possible() {
                let mut found = expected.each_ref().map(|values| vec![0f32; values.len()]);
                let tiling = &Tiling::new(ranks, files);
                let (weights, x, y_gradient) = (&weights, &x, &y_gradient);
                instructions.run(Convolution {
                    tiling,
                    channels: [from, to],
                    weights,
                    x,
                    y_gradient,
                    found: &mut found,
                });
                for (found, expected) in found.iter().zip(&expected) {
                    let apart = apart(found, expected);
                    assert!(apart < 5e-6, "{ranks}×{files}, {from} to {to} channels, {instructions:?}: {apart}");
                }
            }
        }
    }
}

/// A network whose norms and gates are no identities, with all parameters in one vector.
fn network(blueprint: &Blueprint, seed: u64) -> (Network, FlatParameters) {
    let network = Network::new(blueprint.clone(), seed, Device::Cpu).unwrap();
    let parameters = FlatParameters::new(network.parameters()).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let _guard = tch::no_grad_guard();
    for (name, parameter) in network.parameters().iter() {
        if name.ends_with(".gain") || name.ends_with(".bias") {
            let noise = Tensor::from_slice(&random(&mut rng, parameter.tensor.numel()));
            let _ = parameter.tensor.shallow_clone().f_add_(&noise.view_as(&parameter.tensor)).unwrap();
        }
    }
    (network, parameters)
}

/// Output, parameters and gradients of the trunk by name, after one pass for a loss that is a random weighting of its output.
fn pass(blueprint: &Blueprint, batch: usize, threads: Option<(usize, Instructions)>) -> Vec<(String, Vec<f32>)> {
    let (network, parameters) = network(blueprint, 5);
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let shape = blueprint.shape;
    let sizes = [batch, shape.planes, shape.ranks, shape.files].map(|n| n as i64);
    let planes = random(&mut rng, batch * shape.input_len());
    let planes = Tensor::from_slice(&planes).view(sizes);
    let channels = blueprint.config.channels;
    let weighting = random(&mut rng, batch * channels * shape.squares());
    let weighting = Tensor::from_slice(&weighting)
        .view([batch, shape.ranks, shape.files, channels].map(|n| n as i64))
        .permute([0, 3, 1, 2]);
    let norms = Norms::Batch { momentum: 0.1 };
    let output = match threads {
        Some((threads, instructions)) => {
            let mut trunk = Trunk::with(&network, batch, threads, instructions).unwrap().unwrap();
            let x = trunk.forward(&network, &planes, 0.1).unwrap();
            (&x * &weighting).sum(Kind::Float).backward();
            trunk.backward(&network, &x.grad()).unwrap();
            x
        }
        None => {
            let x = network.trunk(&planes, Pass { norms, kind: Kind::Float }).unwrap();
            (&x * &weighting).sum(Kind::Float).backward();
            x
        }
    };
    let mut all = vec![("output".to_owned(), output)];
    all.extend(parameters.named(parameters.values()).unwrap());
    let gradients = parameters.named(parameters.gradients()).unwrap();
    all.extend(gradients.into_iter().map(|(name, tensor)| (format!("gradient of {name}"), tensor)));
    all.into_iter().map(|(name, tensor)| (name, host::copied(&tensor).unwrap().values)).collect()
}

/// The trunk gives the outputs, gradients and statistics that libtorch's operations give, on every board, with and without
/// gates, for each instruction set, on one thread and on three.
#[test]
fn the_trunk_agrees_with_libtorch() {
    for (index, &id) in VariantId::ALL.iter().enumerate() {
        for mixing in [Mixing::Se, Mixing::None] {
            let (channels, se_hidden) = [(16, 8), (32, 16), (48, 20), (64, 16), (80, 32)][index % 5];
            let config = NetworkConfig { blocks: 2, channels, se_hidden, mixing, ..NetworkConfig::default() };
            let blueprint = dispatch!(id, V => Blueprint::of::<V>(config));
            let expected = pass(&blueprint, 7, None);
            for instructions in Instructions::possible() {
                for threads in [1, 3] {
                    let found = pass(&blueprint, 7, Some((threads, instructions)));
                    for ((name, expected), (_, found)) in expected.iter().zip(&found) {
                        let apart = apart(found, expected);
                        let most = if name.starts_with("gradient") { 1e-2 } else { 1e-4 };
                        assert!(apart < most, "{id}, {mixing:?}, {instructions:?}, {threads} threads: {name} {apart}");
                    }
                }
            }
        }
    }
}
