//! How far the fast forms are from the reference in fp32.

use crate::arbitrary::{self, changed};
use crate::{bundled, random};
use network::{
    Agreement, Blueprint, Kernel, Mixing, NativeEvaluator, NetworkConfig, Peaks, PlayNetwork, QuantisedNetwork,
};
use rules::encode::Features;
use rules::{Janggi, Koshogi, VariantId, Wangqi, Xiangqi};
use search::{Evaluations, LeafBatch};

/// All leaves, evaluated by the fastest kernel.
fn evaluated(network: &PlayNetwork, leaves: &LeafBatch) -> network::Result<Evaluations> {
    let mut out = Evaluations::default();
    NativeEvaluator::new(network, Kernel::chosen()?, 1)?.evaluate_leaves(leaves, &mut out)?;
    Ok(out)
}

/// In fp32 the two forms add the same products in another order. A sum of 9 · channels products of order 1 has an error of
/// about 10⁻⁷ · √(9 · channels), which a dozen layers raise by no more than their number: 10⁻⁴ leaves room, and any mistake
/// in a formula is larger by far.
#[test]
fn fp32_is_that_of_the_reference() {
    let features = Features::ALL;
    for mixing in [Mixing::None, Mixing::Se, Mixing::Pool] {
        for (leaves, shape) in [
            arbitrary::real::<Xiangqi>(4, 3),
            arbitrary::real::<Wangqi>(4, 3),
            arbitrary::real::<Koshogi>(1, 3),
            arbitrary::real::<Janggi>(4, 3),
        ] {
            let blueprint = changed(&arbitrary::sizes(shape, 2, 40, mixing), |config| config.features = features);
            let network = random::network(&blueprint, 11);
            let expected = network.reference(&leaves).unwrap();
            let fast = evaluated(&PlayNetwork::fp32(&network).unwrap(), &leaves).unwrap();
            let numbers = |out: &Evaluations| [&out.logits[..], out.wdl.as_flattened(), &out.points[..]].concat();
            assert_eq!(
                (expected.points.len(), fast.points.len()),
                (shape.points * leaves.len(), expected.points.len())
            );
            let pairs = numbers(&expected).into_iter().zip(numbers(&fast));
            let largest = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(largest < 1e-4, "{mixing:?}, {shape:?}: {largest}");
        }
    }
}

/// Random weights have no reason to be kind to integers.
#[test]
fn int8_is_near_the_reference() {
    let features = Features::ALL;
    let [typical, leaves] = [(200, 1), (12, 99)].map(|(n, seed)| search::random_leaves::<Xiangqi>(n, seed, features));
    for (mixing, channels) in [(Mixing::Se, 64), (Mixing::None, 64), (Mixing::Pool, 64), (Mixing::Se, 24)] {
        let size = NetworkConfig { mixing, channels, features, ..NetworkConfig::default() };
        let network = random::network(&Blueprint::of::<Xiangqi>(size), 2);
        let peaks = Peaks::measured(&network, Kernel::chosen().unwrap(), std::slice::from_ref(&typical)).unwrap();
        let fast = PlayNetwork::int8(&QuantisedNetwork::new(&network, &peaks).unwrap());
        let expected = network.reference(&leaves).unwrap();
        let found = Agreement::of([(&leaves, &expected, &evaluated(&fast, &leaves).unwrap())]);
        let near = found.policy_kl < 0.003 && found.q_rms < 0.03 && found.same_first_move > 0.8;
        assert!(near, "{mixing:?} {channels}: {found:?}");
    }
}

#[test]
fn bundled_networks_may_play_in_integers() {
    for &id in VariantId::ALL {
        let (found, largest) = rules::dispatch!(id, V => bundled::agreement::<V>(8)).unwrap();
        assert!(found.suffices() && found.positions == 512, "{id}: {found:?}");
        assert!(largest < 0.2, "{id}: {largest}");
    }
}
