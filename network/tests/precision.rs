//! How far the fast forms are from the reference in fp32.

use crate::{arbitrary, random};
use network::{Description, Kernel, Mixing, NativeEvaluator, Peaks, PlayNetwork, QuantisedNetwork};
use rules::encode::{Features, Shape};
use search::{Evaluations, Evaluator, LeafBatch};

/// Mean KL divergence of the policy, root mean square difference of q, and the share of positions with the same best move.
#[derive(Debug)]
struct Difference {
    kl: f64,
    q: f64,
    first_move: f64,
    largest: f64,
}

fn softmax(logits: &[f32]) -> Vec<f64> {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let exps: Vec<f64> = logits.iter().map(|&logit| f64::from(logit - most).exp()).collect();
    let sum: f64 = exps.iter().sum();
    exps.iter().map(|exp| exp / sum).collect()
}

fn best(logits: &[f32]) -> usize {
    (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap_or_default()
}

fn difference(leaves: &LeafBatch, exact: &Evaluations, other: &Evaluations) -> Difference {
    let (mut kl, mut q, mut same, count) = (0.0, 0.0, 0.0, leaves.len() as f64);
    for leaf in 0..leaves.len() {
        let ((right, right_wdl), (found, found_wdl)) = (exact.of(leaves, leaf), other.of(leaves, leaf));
        let (p, o) = (softmax(right), softmax(found));
        kl += p.iter().zip(&o).map(|(p, o)| p * (p / o).ln()).sum::<f64>();
        let q_of = |[win, _, loss]: [f32; 3]| f64::from(win - loss);
        q += (q_of(right_wdl) - q_of(found_wdl)).powi(2);
        same += f64::from(u8::from(best(right) == best(found)));
    }
    let all = exact.logits.iter().zip(&other.logits).chain(exact.wdl.iter().flatten().zip(other.wdl.iter().flatten()));
    let largest = all.map(|(a, b)| f64::from((a - b).abs())).fold(0.0, f64::max);
    Difference { kl: kl / count, q: (q / count).sqrt(), first_move: same / count, largest }
}

fn evaluated(network: &PlayNetwork, leaves: &LeafBatch) -> Evaluations {
    let mut out = Evaluations::default();
    NativeEvaluator::new(network, Kernel::chosen().unwrap(), 1).unwrap().evaluate(leaves, &mut out).unwrap();
    out
}

/// In fp32 the two forms add the same products in another order. A sum of 9 · channels products of order 1 has an error of
/// about 10⁻⁷ · √(9 · channels), which a dozen layers raise by no more than their number: 10⁻⁴ leaves room, and any mistake
/// in a formula is larger by far.
#[test]
fn fp32_is_that_of_the_reference() {
    let features = Features::ALL;
    for mixing in [Mixing::None, Mixing::Se, Mixing::Pool] {
        for (leaves, shape) in [
            (search::random_leaves::<rules::Xiangqi>(4, 3, features), Shape::of::<rules::Xiangqi>(features)),
            (search::random_leaves::<rules::Wangqi>(4, 3, features), Shape::of::<rules::Wangqi>(features)),
            (search::random_leaves::<rules::Koshogi>(1, 3, features), Shape::of::<rules::Koshogi>(features)),
        ] {
            let description = Description { features, ..arbitrary::sizes(shape, 2, 40, mixing) };
            let network = random::network(&description, 11);
            let expected = network.reference(&leaves).unwrap();
            let found = difference(&leaves, &expected, &evaluated(&PlayNetwork::fp32(&network).unwrap(), &leaves));
            assert!(found.largest < 1e-4, "{mixing:?}, {shape:?}: {found:?}");
        }
    }
}

/// Random weights have no reason to be kind to integers.
#[test]
fn int8_is_near_the_reference() {
    let features = Features::ALL;
    let description = Description::usual(Shape::of::<rules::Xiangqi>(features), features);
    for (mixing, channels) in [(Mixing::Se, 64), (Mixing::None, 64), (Mixing::Pool, 64), (Mixing::Se, 24)] {
        let network = random::network(&Description { mixing, channels, ..description.clone() }, 2);
        let peaks = Peaks::measured(
            &network,
            Kernel::chosen().unwrap(),
            &search::random_leaves::<rules::Xiangqi>(200, 1, features),
        );
        let quantised = QuantisedNetwork::new(&network, &peaks.unwrap()).unwrap();
        let leaves = search::random_leaves::<rules::Xiangqi>(12, 99, features);
        let found = difference(
            &leaves,
            &network.reference(&leaves).unwrap(),
            &evaluated(&PlayNetwork::int8(&quantised), &leaves),
        );
        println!("{mixing:?} {channels}: {found:?}");
        assert!(found.kl < 0.003 && found.q < 0.03 && found.first_move > 0.8, "{mixing:?} {channels}: {found:?}");
    }
}
