//! Kernels give the bits of the reference in integers, those in fp32 give the bits of each other, and no answer depends on
//! the other positions of a batch.

use crate::{arbitrary, random};
use network::{
    Blueprint, Kernel, Mixing, NativeEvaluator, NetworkConfig, Peaks, PlayNetwork, QuantisedNetwork, Weights,
};
use rules::encode::{Features, Shape};
use search::{Evaluations, Evaluator, LeafBatch};

fn quantised(network: &Weights, leaves: &LeafBatch) -> QuantisedNetwork {
    let peaks = Peaks::measured(network, Kernel::Portable, std::slice::from_ref(leaves)).unwrap();
    QuantisedNetwork::new(network, &peaks).unwrap()
}

fn evaluated(network: &PlayNetwork, kernel: Kernel, leaves: &LeafBatch) -> Evaluations {
    let mut out = Evaluations::default();
    NativeEvaluator::new(network, kernel, leaves.len()).unwrap().evaluate(leaves, &mut out).unwrap();
    out
}

/// The bits of all answers, in which 0 and −0 differ.
fn bits(out: &Evaluations) -> Vec<u32> {
    let values = out.wdl.iter().flatten().chain(&out.points);
    out.logits.iter().chain(values).map(|value| value.to_bits()).collect()
}

fn all_kernels_agree(blueprint: &Blueprint, leaves: &LeafBatch) {
    let network = random::network(blueprint, 7);
    let integers = quantised(&network, leaves);
    let expected = integers.reference(leaves).unwrap();
    expected.check(leaves).unwrap();
    assert!(bits(&expected).iter().all(|&bits| f32::from_bits(bits).is_finite()));
    let (int8, fp32) = (PlayNetwork::int8(&integers), PlayNetwork::fp32(&network).unwrap());
    let portable = evaluated(&fp32, Kernel::Portable, leaves);
    for kernel in Kernel::possible() {
        let what = format!("{kernel}, {blueprint:?}");
        assert_eq!(bits(&evaluated(&int8, kernel, leaves)), bits(&expected), "int8, {what}");
        assert_eq!(bits(&evaluated(&fp32, kernel, leaves)), bits(&portable), "fp32, {what}");
    }
}

/// Boards from one square to larger than any variant's, of every width that is one tile of a kernel or several.
#[test]
fn on_every_board() {
    let mut boards: Vec<(usize, usize)> = (1..=22).map(|files| (1 + files % 4, files)).collect();
    boards.extend([(1, 1), (7, 1), (1, 30), (10, 9), (9, 9), (8, 8), (19, 19)]);
    for (ranks, files) in boards {
        let shape = Shape { planes: 9, ranks, files, hand_slots: files % 3, material: 4, points: ranks % 2 };
        let leaves = arbitrary::leaves(&shape, Features::FIRST, 2, (ranks * 100 + files) as u64);
        all_kernels_agree(&arbitrary::sizes(shape, 1, 24, Mixing::Se), &leaves);
    }
}

#[test]
fn with_every_width_and_mixing() {
    let shape = Shape { planes: 5, ranks: 3, files: 5, hand_slots: 2, material: 4, points: 1 };
    let leaves = arbitrary::leaves(&shape, Features::FIRST, 2, 3);
    for mixing in [Mixing::None, Mixing::Se, Mixing::Pool] {
        for channels in [8, 9, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 80, 96, 100, 130] {
            all_kernels_agree(&arbitrary::sizes(shape, 2, channels, mixing), &leaves);
        }
    }
    for (policy_dim, value_channels, value_hidden) in
        [(4, 1, 8), (5, 20, 100), (16, 16, 64), (33, 2, 65), (256, 1, 1024)]
    {
        let sizes = arbitrary::sizes(shape, 1, 20, Mixing::Se);
        let wide = |config: &mut NetworkConfig| {
            *config = NetworkConfig { policy_dim, value_channels, value_hidden, se_hidden: 20, ..config.clone() };
        };
        all_kernels_agree(&arbitrary::changed(&sizes, wide), &leaves);
    }
}

#[test]
fn at_the_limits_of_the_configuration() {
    let shape = Shape { planes: 3, ranks: 2, files: 3, hand_slots: 0, material: 4, points: 0 };
    let leaves = arbitrary::leaves(&shape, Features::FIRST, 1, 4);
    all_kernels_agree(&arbitrary::sizes(shape, 1, 512, Mixing::Pool), &leaves);
    all_kernels_agree(&arbitrary::sizes(shape, 60, 8, Mixing::Se), &leaves);
}

#[test]
fn in_real_variants() {
    for (leaves, shape) in [
        arbitrary::real::<rules::Xiangqi>(4, 1),
        arbitrary::real::<rules::Shogi>(4, 1),
        arbitrary::real::<rules::Koshogi>(1, 1),
        arbitrary::real::<rules::Janggi>(4, 1),
    ] {
        let sizes = arbitrary::sizes(shape, 2, 32, Mixing::Se);
        all_kernels_agree(&arbitrary::changed(&sizes, |config| config.features = Features::ALL), &leaves);
    }
}

#[test]
fn an_evaluation_does_not_depend_on_its_batch() {
    let features = Features::ALL;
    let blueprint =
        Blueprint::of::<rules::Janggi>(NetworkConfig { features, points: true, ..NetworkConfig::default() });
    let network = random::network(&blueprint, 5);
    let leaves = search::random_leaves::<rules::Janggi>(7, 2, features);
    for network in [PlayNetwork::int8(&quantised(&network, &leaves)), PlayNetwork::fp32(&network).unwrap()] {
        let together = evaluated(&network, Kernel::chosen().unwrap(), &leaves);
        // One evaluator for all, in another order: nothing is left of the position before.
        let mut evaluator = NativeEvaluator::new(&network, Kernel::chosen().unwrap(), 1).unwrap();
        for leaf in (0..leaves.len()).rev() {
            let (mut one, mut out) = (LeafBatch::new(features), Evaluations::default());
            one.planes.extend_from_slice(leaves.planes_of(leaf));
            one.push_moves(leaves.moves_of(leaf).iter().copied());
            evaluator.evaluate(&one, &mut out).unwrap();
            assert_eq!((&out.logits[..], out.wdl[0]), together.of(&leaves, leaf));
            assert_eq!(out.points[0], together.points[leaf]);
        }
    }
}
