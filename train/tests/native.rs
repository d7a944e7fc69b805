//! Package `network`, which evaluates networks without libtorch, computes what libtorch computes.

use crate::evaluator::difference;
use crate::synthetic::{leaves, network};
use ::network::{Description, Kernel, NativeEvaluator, PlayNetwork, Tensor, Tensors};
use rules::encode::Features;
use rules::{Variant, VariantId};
use search::Evaluations;
use tch::Kind;
use train::{Mixing, NetworkConfig};

/// The same network for the other package.
fn without_libtorch(network: &train::Network) -> ::network::Network {
    let (shape, config) = (network.blueprint().shape, &network.blueprint().config);
    let description = Description {
        shape,
        features: config.features,
        blocks: config.blocks,
        channels: config.channels,
        mixing: match config.mixing {
            Mixing::None => ::network::Mixing::None,
            Mixing::Se => ::network::Mixing::Se,
            Mixing::Pool => ::network::Mixing::Pool,
        },
        se_hidden: config.se_hidden,
        policy_dim: config.policy_dim,
        value_channels: config.value_channels,
        value_hidden: config.value_hidden,
    };
    let mut tensors = Tensors::new();
    for (name, parameter) in network.parameters().iter() {
        let shape = parameter.tensor.size().iter().map(|&n| n as usize).collect();
        let flat = parameter.tensor.flatten(0, -1).to_kind(Kind::Float);
        tensors.insert(name.to_owned(), Tensor { shape, values: Vec::try_from(&flat).unwrap() });
    }
    ::network::Network::new(description, tensors).unwrap()
}

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
        let ours = without_libtorch(&trained);
        let mut evaluator =
            NativeEvaluator::new(&PlayNetwork::fp32(&ours).unwrap(), Kernel::chosen().unwrap(), 1).unwrap();
        let mut fast = Evaluations::default();
        evaluator.evaluate_leaves(&leaves, &mut fast).unwrap();
        for (name, found) in [("reference", ours.reference(&leaves).unwrap()), ("fast", fast)] {
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
