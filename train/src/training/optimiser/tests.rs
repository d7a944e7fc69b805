use super::*;
use crate::error::TrainError;
use crate::heads::LossConfig;
use crate::host;
use crate::network::Network;
use crate::network::parameters::{Init, Parameters, Role};
use crate::training::descent;
use crate::training::times::PartTimes;
use network::{Blueprint, NetworkConfig};
use tch::Device;

/// Two steps of a weight of 2 (with decay) and a bias of 1 (without), gradients 3 and −0.4, then 1 and 0.2,
/// computed by hand from the formulas of Loshchilov and Hutter.
#[test]
fn two_steps_by_hand() {
    let config = OptimiserConfig { weight_decay: 0.1, gradient_clip: 1e9, ..OptimiserConfig::default() };
    crate::libtorch::open().unwrap();
    let mut store = Parameters::new(0, Device::Cpu);
    let weight = store.create("a".into(), Role::Weight, &[1], Init::Constant(2.0)).unwrap();
    let bias = store.create("b".into(), Role::Offset, &[1], Init::Constant(1.0)).unwrap();
    let flat = FlatParameters::new(&store).unwrap();
    let mut adam = AdamW::new(&flat, config).unwrap();
    let mut step = |a: f64, b: f64, rate: f64| {
        (&weight * a + &bias * b).sum(Kind::Float).backward();
        let norm = adam.step(&flat, rate).unwrap().double_value(&[]);
        (weight.double_value(&[0]), bias.double_value(&[0]), norm)
    };
    // Step 1: the corrected moments are g and g², so a step is the rate: 2·(1 − 0.01) − 0.1, and 1 + 0.1.
    let (a, b, norm) = step(3.0, -0.4, 0.1);
    assert!((a - 1.88).abs() < 1e-6 && (b - 1.1).abs() < 1e-6, "{a} {b}");
    assert!((norm - (9.0f64 + 0.16).sqrt()).abs() < 1e-6);
    // Step 2, weight: m = (0.9·0.3 + 0.1·1) / 0.19 = 1.947368, v = (0.999·0.009 + 0.001) / 0.001999 = 4.997999;
    // 1.88·0.99 − 0.1·1.947368/√4.997999. Bias: m = −0.084211, v = 0.099970; 1.1 + 0.1·0.084211/√0.099970.
    let (a, b, _) = step(1.0, 0.2, 0.1);
    assert!((a - 1.774094).abs() < 1e-5, "{a}");
    assert!((b - 1.126634).abs() < 1e-5, "{b}");
}

/// A network with a layer of every kind.
fn network() -> Network {
    let config = NetworkConfig {
        blocks: 2,
        channels: 8,
        se_hidden: 4,
        policy_dim: 4,
        value_channels: 3,
        value_hidden: 9,
        ..NetworkConfig::default()
    };
    Network::new(Blueprint::of::<rules::Wangqi>(config), 7, Device::Cpu).unwrap()
}

fn values(tensor: &Tensor) -> Vec<f64> {
    host::copied(tensor).unwrap().values.into_iter().map(f64::from).collect()
}

/// One tensor by the plain formulas, in f64.
struct Plain {
    decays: bool,
    weights: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
}

/// Ten steps of a network on the gradients of its own losses, tensor by tensor and value by value.
#[test]
fn a_step_is_that_of_a_plain_adamw_tensor_by_tensor() {
    let network = network();
    let flat = FlatParameters::new(network.parameters()).unwrap();
    // A clip that takes hold in some steps and not in others, and a decay that is seen after ten.
    let config = OptimiserConfig { weight_decay: 0.5, gradient_clip: 1.0, ..OptimiserConfig::default() };
    let mut adam = AdamW::new(&flat, config.clone()).unwrap();
    let trained = || network.parameters().iter().filter(|(_, p)| p.role != Role::Statistic);
    let mut plain: Vec<Plain> = trained()
        .map(|(_, parameter)| {
            let weights = values(&parameter.tensor);
            let zeros = vec![0.0; weights.len()];
            Plain { decays: parameter.role == Role::Weight, weights, first: zeros.clone(), second: zeros }
        })
        .collect();
    let blueprint = network.blueprint();
    let batch =
        crate::training::precision::random_samples(blueprint, 64).tensors(blueprint.shape, network.device()).unwrap();
    let (mut clipped, mut rate) = (0, 3e-3);
    for step in 1..=10 {
        let size = 0.3 * f64::from(step).powi(2);
        let loss = LossConfig { policy: size, value: size, ..LossConfig::default() };
        let _sums = descent::gradients(&network, None, &batch, Kind::Float, &loss, &mut PartTimes::default()).unwrap();
        let gradients: Vec<Vec<f64>> = trained().map(|(_, parameter)| values(&parameter.tensor.grad())).collect();
        let norm = adam.step(&flat, rate).unwrap().double_value(&[]);

        let expected = gradients.iter().flatten().map(|g| g * g).sum::<f64>().sqrt();
        assert!((norm - expected).abs() < 1e-5 * expected, "step {step}: the norm is {norm} and not {expected}");
        let clip = (config.gradient_clip / (expected + 1e-6)).min(1.0);
        clipped += u32::from(clip < 1.0);
        let shares = [BETA1, BETA2].map(|beta| 1.0 - beta.powi(step));
        for (((name, parameter), plain), gradients) in trained().zip(&mut plain).zip(&gradients) {
            let found = values(&parameter.tensor);
            for (at, gradient) in gradients.iter().map(|g| g * clip).enumerate() {
                let (first, second) = (&mut plain.first[at], &mut plain.second[at]);
                *first = BETA1 * *first + (1.0 - BETA1) * gradient;
                *second = BETA2 * *second + (1.0 - BETA2) * gradient * gradient;
                let update = (*first / shares[0]) / ((*second / shares[1]).sqrt() + 1e-8);
                let weight = &mut plain.weights[at];
                *weight *= if plain.decays { 1.0 - rate * config.weight_decay } else { 1.0 };
                *weight -= rate * update;
                let off = (found[at] - *weight).abs();
                assert!(off < 1e-6, "step {step}: {name}[{at}] is {} and not {weight}", found[at]);
            }
        }
        assert!(trained().all(|(_, p)| values(&p.tensor.grad()).iter().all(|&g| g == 0.0)), "gradients are dropped");
        rate *= 0.9;
    }
    assert!((1..10).contains(&clipped), "the clip takes hold in {clipped} of 10 steps");
}

/// A gradient that libtorch has moved elsewhere would never reach the optimiser.
#[test]
fn a_gradient_that_is_not_in_the_vector_is_an_error() {
    let network = network();
    let flat = FlatParameters::new(network.parameters()).unwrap();
    let mut adam = AdamW::new(&flat, OptimiserConfig::default()).unwrap();
    let _norm = adam.step(&flat, 1e-3).unwrap();
    let (name, parameter) = network.parameters().iter().nth(3).unwrap();
    let copy = parameter.tensor.grad().copy();
    parameter.tensor.grad().set_data(&copy);
    let error = adam.step(&flat, 1e-3).unwrap_err();
    assert!(matches!(&error, TrainError::Strayed { name: found, .. } if found == name), "{error}");
    assert_eq!(adam.step_count(), 1);
}
