//! Networks and leaves that are not what they should be are refused with an error that says why.

use crate::arbitrary::{self, changed};
use crate::random;
use network::{
    Blueprint, HostTensor, HostTensors, Kernel, Mixing, NativeEvaluator, Peaks, PlayNetwork, QuantisedNetwork, Weights,
};
use rules::encode::{Features, MoveTokens, Shape};
use search::{Evaluations, LeafBatch};

const SHAPE: Shape = Shape { planes: 4, ranks: 3, files: 3, hand_slots: 1, material: 2, points: 0 };

fn blueprint() -> Blueprint {
    arbitrary::sizes(SHAPE, 1, 8, Mixing::Se)
}

fn refused(blueprint: Blueprint, change: impl FnOnce(&mut HostTensors)) -> String {
    let mut tensors = random::network(&self::blueprint(), 1).tensors().clone();
    change(&mut tensors);
    Weights::new(blueprint, tensors).unwrap_err().to_string()
}

#[test]
fn impossible_sizes() {
    for (blueprint, why) in [
        (changed(&blueprint(), |config| config.blocks = 0), "network.blocks: 0 is out of range; 1 to 60"),
        (
            changed(&blueprint(), |config| config.blocks = usize::MAX),
            "network.blocks: 18446744073709551615 is out of range",
        ),
        (changed(&blueprint(), |config| config.channels = 513), "network.channels: 513 is out of range; 8 to 512"),
        (changed(&blueprint(), |config| config.se_hidden = 3), "network.se_hidden: 3 is out of range; 4 to 8"),
        (changed(&blueprint(), |config| config.policy_dim = 257), "network.policy_dim"),
        (changed(&blueprint(), |config| config.value_channels = 9), "network.value_channels"),
        (changed(&blueprint(), |config| config.value_hidden = 7), "network.value_hidden"),
    ] {
        let error = refused(blueprint, |_| ());
        assert!(error.starts_with(why), "{error}");
    }
    for shape in [
        Shape { planes: 0, ..SHAPE },
        Shape { files: 0, ..SHAPE },
        Shape { ranks: usize::MAX, ..SHAPE },
        Shape { material: usize::MAX, ..SHAPE },
        Shape { ranks: 1 << 14, files: 1 << 14, ..SHAPE },
        Shape { planes: 1 << 14, ranks: 200, files: 200, ..SHAPE },
        Shape { planes: 1, ranks: 256, files: 256, ..SHAPE },
    ] {
        let error = refused(Blueprint { shape, ..blueprint() }, |_| ());
        assert!(error.ends_with("is no variant's"), "{error}");
    }
}

#[test]
fn tensors_of_another_network() {
    let foreign = |tensors: &mut HostTensors| {
        tensors.insert("block.01.first.gain".to_owned(), HostTensor { shape: vec![8], values: vec![1.0; 8] });
    };
    assert_eq!(refused(blueprint(), foreign), "block.01.first.gain is not part of such a network");
    let missing = |tensors: &mut HostTensors| drop(tensors.remove("value.out.bias"));
    assert_eq!(refused(blueprint(), missing), "value.out.bias is missing");
    let wider = changed(&blueprint(), |config| config.channels = 16);
    assert_eq!(refused(wider, |_| ()), "stem.weight is [8, 4, 3, 3] and not [16, 4, 3, 3]");
    let short = |tensors: &mut HostTensors| tensors.get_mut("stem.gain").unwrap().values.truncate(7);
    assert_eq!(refused(blueprint(), short), "stem.gain has 7 values, and its shape 8 places");
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let change = |tensors: &mut HostTensors| tensors.get_mut("policy.beside").unwrap().values[1] = value;
        assert_eq!(refused(blueprint(), change), "policy.beside has values that are not finite");
    }
}

#[test]
fn norms_without_a_result() {
    for (part, value) in [("variance", -1.0), ("variance", -2e-5), ("gain", 1e38)] {
        let mut tensors = random::network(&blueprint(), 1).tensors().clone();
        tensors.get_mut(&format!("block.00.second.{part}")).unwrap().values[0] = value;
        if part == "gain" {
            tensors.get_mut("block.00.second.variance").unwrap().values[0] = 0.0;
        }
        let network = Weights::new(blueprint(), tensors).unwrap();
        let error = PlayNetwork::fp32(&network).err().unwrap().to_string();
        assert_eq!(error, "block.00.second has values that are not finite");
    }
}

#[test]
fn largest_activations_of_another_network() {
    let network = random::network(&blueprint(), 1);
    let tensor = vec![1.0, 2.0, 0.0, 3.0, 1e-20, 1e20, 4.0, 5.0];
    let good = Peaks { trunk: vec![tensor.clone(); 2], inner: vec![tensor.clone()], tokens: tensor.clone() };
    assert!(QuantisedNetwork::new(&network, &good).is_ok());
    let error = |peaks| QuantisedNetwork::new(&network, &peaks).unwrap_err().to_string();
    let short = Peaks { trunk: vec![tensor.clone()], ..good.clone() };
    assert_eq!(error(short), "the largest activations do not fit the network: they are of another number of blocks");
    let narrow = Peaks { tokens: tensor[1..].to_vec(), ..good.clone() };
    assert_eq!(error(narrow), "the largest activations do not fit the network: they are of another number of channels");
    for value in [-1.0, f32::NAN, f32::INFINITY, 1e-40, 1e35] {
        let bad = Peaks { tokens: vec![value; 8], ..good.clone() };
        assert!(error(bad).contains("one of them is negative, not finite, or too small"));
    }
}

/// No tensor depends on it, so a file may state any.
#[test]
fn a_size_that_a_network_does_not_use() {
    let stated = changed(&arbitrary::sizes(SHAPE, 1, 8, Mixing::Pool), |config| config.se_hidden = usize::MAX);
    let network = PlayNetwork::fp32(&random::network(&stated, 1)).unwrap();
    let (leaves, mut out) = (arbitrary::leaves(&SHAPE, Features::FIRST, 2, 1), Evaluations::default());
    NativeEvaluator::new(&network, Kernel::Portable, 1).unwrap().evaluate_leaves(&leaves, &mut out).unwrap();
    assert!(out.logits.iter().all(|logit| logit.is_finite()));
}

/// Finite weights whose products are not: the search reports such answers, and nothing panics.
#[test]
fn answers_that_are_not_finite() {
    let mut tensors = random::network(&blueprint(), 1).tensors().clone();
    tensors.get_mut("value.out.weight").unwrap().values.fill(1e38);
    tensors.get_mut("policy.tokens.bias").unwrap().values.fill(1e38);
    let network = Weights::new(blueprint(), tensors).unwrap();
    let leaves = arbitrary::leaves(&SHAPE, Features::FIRST, 3, 1);
    let peaks = Peaks::measured(&network, Kernel::Portable, std::slice::from_ref(&leaves)).unwrap();
    let quantised = QuantisedNetwork::new(&network, &peaks).unwrap();
    for network in [PlayNetwork::int8(&quantised), PlayNetwork::fp32(&network).unwrap()] {
        for kernel in Kernel::possible() {
            let mut out = Evaluations::default();
            NativeEvaluator::new(&network, kernel, 1).unwrap().evaluate_leaves(&leaves, &mut out).unwrap();
            assert!(out.logits.iter().any(|logit| !logit.is_finite()));
        }
    }
}

#[test]
fn leaves_for_another_network() {
    let network = PlayNetwork::fp32(&random::network(&blueprint(), 1)).unwrap();
    let mut evaluator = NativeEvaluator::new(&network, Kernel::Portable, 1).unwrap();
    let mut error =
        |batch: &LeafBatch| evaluator.evaluate_leaves(batch, &mut Evaluations::default()).unwrap_err().to_string();
    let good = arbitrary::leaves(&SHAPE, Features::FIRST, 2, 1);
    assert!(error(&arbitrary::leaves(&SHAPE, Features::ALL, 2, 1)).contains("the network is shown"));
    let mut batch = good.clone();
    batch.planes.pop();
    assert_eq!(error(&batch), "71 values of input planes came for 2 positions of 36");
    for (source, target, via) in [(11, 0, 0), (0, 11, 0), (0, 0, u16::MAX)] {
        let mut batch = LeafBatch::default();
        batch.planes.resize(36, 0.0);
        batch.push_moves([MoveTokens { source, target, promotes: false, via_len: 1, via: [via; 5] }].into_iter());
        assert_eq!(error(&batch), format!("a move touches token {}, and there are 11", source.max(target).max(via)));
    }
    let mut batch = LeafBatch::default();
    batch.push_moves(std::iter::empty());
    assert_eq!(error(&batch), "0 values of input planes came for 1 positions of 36");
}

#[test]
fn kernels_by_name() {
    assert_eq!(Kernel::named("portable").unwrap(), Kernel::Portable);
    let error = Kernel::named("sse").unwrap_err().to_string();
    assert_eq!(error, "KIRIN_KERNEL: \"sse\" is not known here; use one of avx512vnni, avxvnni, avx2, neon, portable");
    for kernel in Kernel::ALL {
        match Kernel::named(&kernel.to_string()) {
            Ok(named) => assert!(Kernel::possible().contains(&named)),
            Err(error) => {
                let error = error.to_string();
                assert!(error.starts_with(&format!("this processor has no kernel {kernel}; use one of ")), "{error}");
                assert!(error.ends_with("portable"), "{error}");
            }
        }
    }
}
