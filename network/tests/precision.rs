//! How far the fast forms are from the reference in fp32.

use crate::bundled::{Difference, calibrated, evaluated};
use crate::{arbitrary, bundled, random};
use network::{Description, Kernel, Mixing, Peaks, PlayNetwork, QuantisedNetwork};
use rules::encode::{Features, Shape};
use rules::{Janggi, Koshogi, Shogi, Variant, Wangqi, Xiangqi};

/// In fp32 the two forms add the same products in another order. A sum of 9 · channels products of order 1 has an error of
/// about 10⁻⁷ · √(9 · channels), which a dozen layers raise by no more than their number: 10⁻⁴ leaves room, and any mistake
/// in a formula is larger by far.
#[test]
fn fp32_is_that_of_the_reference() {
    let features = Features::ALL;
    for mixing in [Mixing::None, Mixing::Se, Mixing::Pool] {
        for (leaves, shape) in [
            (search::random_leaves::<Xiangqi>(4, 3, features), Shape::of::<Xiangqi>(features)),
            (search::random_leaves::<Wangqi>(4, 3, features), Shape::of::<Wangqi>(features)),
            (search::random_leaves::<Koshogi>(1, 3, features), Shape::of::<Koshogi>(features)),
        ] {
            let description = Description { features, ..arbitrary::sizes(shape, 2, 40, mixing) };
            let network = random::network(&description, 11);
            let expected = network.reference(&leaves).unwrap();
            let fast = evaluated(&PlayNetwork::fp32(&network).unwrap(), &leaves).unwrap();
            let found = Difference::of(&leaves, &expected, &fast);
            assert!(found.largest < 1e-4, "{mixing:?}, {shape:?}: {found:?}");
        }
    }
}

/// Random weights have no reason to be kind to integers.
#[test]
fn int8_is_near_the_reference() {
    let features = Features::ALL;
    let description = Description::usual(Shape::of::<Xiangqi>(features), features);
    let [typical, leaves] = [(200, 1), (12, 99)].map(|(n, seed)| search::random_leaves::<Xiangqi>(n, seed, features));
    for (mixing, channels) in [(Mixing::Se, 64), (Mixing::None, 64), (Mixing::Pool, 64), (Mixing::Se, 24)] {
        let network = random::network(&Description { mixing, channels, ..description.clone() }, 2);
        let peaks = Peaks::measured(&network, Kernel::chosen().unwrap(), &typical).unwrap();
        let fast = PlayNetwork::int8(&QuantisedNetwork::new(&network, &peaks).unwrap());
        let expected = network.reference(&leaves).unwrap();
        let found = Difference::of(&leaves, &expected, &evaluated(&fast, &leaves).unwrap());
        assert!(found.kl < 0.003 && found.q < 0.03 && found.first_move > 0.8, "{mixing:?} {channels}: {found:?}");
    }
}

/// The gate for networks that play in integers: mean KL 0.003, root mean square of q 0.03, 96 % of first moves.
/// The share of first moves needs some hundred positions: among 64 one position is 1.6 %.
fn passes_the_gate<V: Variant>(calibration: usize, positions: usize) {
    let network = bundled::network::<V>().unwrap();
    let (quantised, leaves) = calibrated::<V>(&network, calibration, positions).unwrap();
    let exact = evaluated(&PlayNetwork::fp32(&network).unwrap(), &leaves).unwrap();
    let found = Difference::of(&leaves, &exact, &evaluated(&PlayNetwork::int8(&quantised), &leaves).unwrap());
    assert!(found.kl < 0.003 && found.q < 0.03 && found.first_move > 0.96, "{}: {found:?}", V::ID);
    assert!(found.largest_q < 0.2, "{}: {found:?}", V::ID);
}

#[test]
fn bundled_networks_may_play_in_integers() {
    passes_the_gate::<Xiangqi>(256, 512);
    passes_the_gate::<Shogi>(256, 512);
    passes_the_gate::<Janggi>(256, 512);
    passes_the_gate::<Wangqi>(256, 512);
    passes_the_gate::<Koshogi>(64, 512);
}
