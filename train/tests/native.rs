//! Package `network`, which evaluates networks without libtorch, computes what libtorch computes.

use crate::evaluator::difference;
use crate::synthetic::{leaves, network};
use ::network::Numbers;
use rules::encode::Features;
use rules::{Variant, VariantId};
use search::Evaluations;
use train::{Mixing, NetworkConfig};

fn compare<V: Variant>() {
    let small = |mixing, features| NetworkConfig {
        blocks: 2,
        channels: 24,
        mixing,
        policy_dim: 12,
        features,
        ..NetworkConfig::default()
    };
    for config in
        [small(Mixing::None, Features::FIRST), small(Mixing::Pool, Features::FIRST), small(Mixing::Se, Features::ALL)]
    {
        let leaves = leaves::<V>(5, config.features);
        let mixing = config.mixing;
        let trained = network::<V>(config);
        let reference = trained.reference(&leaves).unwrap();
        let spread = reference.logits.iter().fold(1f32, |most, logit| most.max(logit.abs()));
        let ours = trained.file(0, 0).unwrap();
        let mut evaluator = ours.evaluator(Numbers::Fp32, 1).unwrap();
        let mut fast = Evaluations::default();
        evaluator.evaluate_leaves(&leaves, &mut fast).unwrap();
        for (name, found) in [("reference", ours.weights().reference(&leaves).unwrap()), ("fast", fast)] {
            // Folding and the order of additions.
            let (wdl, logit) = difference(&reference, &found);
            assert!(wdl < 1e-4 && logit < 1e-4 * spread, "{} {mixing:?} {name}: {wdl} {logit}", V::ID);
        }
    }
}

#[test]
fn it_agrees_with_libtorch_for_every_variant_and_kind_of_mixing() {
    for &id in VariantId::ALL {
        rules::dispatch!(id, V => compare::<V>());
    }
}
