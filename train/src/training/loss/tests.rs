//! Gradients of each loss against differences of the loss itself.

use super::*;
use crate::network::Network;
use crate::samples::config::DataConfig;
use crate::samples::recorded::RecordedGame;
use crate::samples::sample::tests::record;
use crate::samples::sample::{Batch, Reading};
use network::Blueprint;
use rules::{Janggi, MoveList, Outcome, Side, Termination};
use tch::Device;

/// A game of 12 plies whose rows have different weights.
fn recorded() -> RecordedGame<Janggi> {
    let mut record = record::<Janggi>(12, Outcome::win(Side::First, Termination::Resign));
    for (ply, position) in (0u8..).zip(&mut record.positions) {
        (position.full_search, position.target_weight) = (ply % 5 != 4, 0.5 + 0.1 * f32::from(ply));
    }
    RecordedGame::check(&record, &DataConfig::default()).unwrap()
}

/// The largest gradients of a loss for an output of the network, and the differences that they foretell: the loss a little
/// above over the loss a little below.
fn foretold(weights: &LossConfig, name: &str) -> Vec<(f64, f64)> {
    crate::libtorch::open().unwrap();
    let config = NetworkConfig { blocks: 1, channels: 8, policy_dim: 4, points: true, ..NetworkConfig::default() };
    let blueprint = Blueprint::of::<Janggi>(config.clone());
    let game = recorded();
    let config_of_data = DataConfig { search_value_share: 0.25, ..DataConfig::default() };
    let reading = Reading::new(&config_of_data, 0.5, &blueprint);
    let mut batch = Batch::new(reading);
    for row in &game.rows {
        batch.push(&game, row, false, reading, &mut MoveList::new());
    }
    let network = Network::new(blueprint, 1, Device::Cpu).unwrap();
    let (planes, targets) = batch.tensors(network.blueprint().shape, Device::Cpu).unwrap();
    let made = network.evaluate(&planes).unwrap();
    // An untrained network says nearly the same of everything. Spread out, its answers have gradients of every size.
    let leaf = |tensor: &Tensor| (tensor.detach() * 3.0 + 0.25).set_requires_grad(true);
    let outputs = Outputs::new(leaf(&made.tokens), made.of_heads().map(leaf));
    let total = || loss(&outputs, &targets, &config, weights).unwrap().0;
    total().backward();
    let (_, output) = outputs.named().find(|(output, _)| *output == name).unwrap();
    let gradients: Vec<f64> = Vec::try_from(output.grad().flatten(0, -1).to_kind(Kind::Double)).unwrap();
    let mut largest: Vec<usize> = (0..gradients.len()).collect();
    largest.sort_by(|&a, &b| gradients[b].abs().total_cmp(&gradients[a].abs()));
    let _guard = tch::no_grad_guard();
    // A view: what is added to it is added to the output.
    let flat = output.detach().flatten(0, -1);
    let step = 0.02;
    let moved = |at: usize, by: f64| {
        let mut one = flat.narrow(0, at as i64, 1);
        let _ = one.f_add_scalar_(by).unwrap();
        let value = total().double_value(&[]);
        let _ = one.f_add_scalar_(-by).unwrap();
        value
    };
    let difference = |at: usize| (moved(at, step) - moved(at, -step)) / (2.0 * step);
    largest.iter().take(8).map(|&at| (gradients[at], difference(at))).collect()
}

/// The weights with which one loss alone is minimised.
fn alone(key: &str) -> LossConfig {
    let serde_json::Value::Object(mut weights) = serde_json::to_value(LossConfig::default()).unwrap() else { panic!() };
    weights.iter_mut().for_each(|(name, weight)| *weight = f64::from(u8::from(name == key)).into());
    serde_json::from_value(weights.into()).unwrap()
}

#[test]
fn gradients_of_each_loss_are_those_of_finite_differences() {
    let heads = HEADS.iter().map(|head| (head.key, head.name));
    for (key, output) in std::iter::once(("policy", "tokens")).chain(heads) {
        for (gradient, difference) in foretold(&alone(key), output) {
            assert!(gradient.abs() > 1e-4, "{key}: nothing to compare, {gradient}");
            let off = (gradient - difference).abs();
            assert!(off <= 0.02 * gradient.abs() + 2e-5, "{key}: gradient {gradient}, difference {difference}");
        }
    }
}
