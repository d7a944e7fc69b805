//! The evaluator: every fast path gives what the slow one gives.

use crate::synthetic::{leaves, network};
use rules::encode::Features;
use rules::{Janggi, Variant, Wangqi, Xiangqi};
use search::{Evaluations, Evaluator, LeafBatch};
use tch::Device;
use train::{
    Backend, Blueprint, DeviceChoice, EvaluatorConfig, Layout, Mixing, NetworkConfig, NetworkFile, Precision,
    TorchEvaluator, WDL_TOLERANCE,
};

fn small(mixing: Mixing) -> NetworkConfig {
    NetworkConfig { blocks: 2, channels: 32, mixing, policy_dim: 12, ..NetworkConfig::default() }
}

/// libtorch on the CPU, with nothing left open.
fn settings(precision: Precision, layout: Layout, batch: usize, threads: usize) -> EvaluatorConfig {
    let (backend, device) = (Backend::Torch, DeviceChoice::Cpu);
    EvaluatorConfig { backend, device, precision, layout, batch, threads, callers: 1 }
}

fn evaluate(file: &NetworkFile, precision: Precision, size: usize, leaves: &LeafBatch) -> Evaluations {
    evaluate_as(file, &settings(precision, Layout::ChannelsLast, size, 1), leaves)
}

/// The evaluations of these leaves with these settings.
pub fn evaluate_as(file: &NetworkFile, config: &EvaluatorConfig, leaves: &LeafBatch) -> Evaluations {
    let mut out = Evaluations::default();
    TorchEvaluator::new(file, config).unwrap().evaluate(leaves, &mut out).unwrap();
    out.check(leaves).unwrap();
    out
}

/// Largest differences of a win, draw or loss probability or the points, and of a logit.
pub fn difference(a: &Evaluations, b: &Evaluations) -> (f32, f32) {
    let largest = |pairs: &mut dyn Iterator<Item = (f32, f32)>| pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f32::max);
    let wdl = largest(&mut a.wdl.iter().flatten().copied().zip(b.wdl.iter().flatten().copied()));
    assert_eq!(a.points.len(), b.points.len());
    let points = largest(&mut a.points.iter().copied().zip(b.points.iter().copied()));
    (wdl.max(points), largest(&mut a.logits.iter().copied().zip(b.logits.iter().copied())))
}

fn roads_meet<V: Variant>() {
    let all = NetworkConfig { features: Features::ALL, points: true, ..small(Mixing::Se) };
    for config in [small(Mixing::Se), small(Mixing::Pool), small(Mixing::None), all] {
        let leaves = leaves::<V>(11, config.features);
        let mixing = config.mixing;
        let network = network::<V>(config);
        let file = network.file(0, 0).unwrap();
        let reference = network.reference(&leaves).unwrap();
        let spread = reference.logits.iter().fold(0f32, |most, logit| most.max(logit.abs()));
        assert!(spread > 0.5, "the logits must differ for the test to say something: {spread}");
        // Folding and the order of additions: 1e-4. bf16: 8 bits of mantissa.
        let (wdl, logit) = difference(&reference, &evaluate(&file, Precision::Fp32, 4, &leaves));
        assert!(wdl < 1e-4 && logit < 1e-4 * spread.max(1.0), "{} {mixing:?} fp32: {wdl} {logit}", V::ID);
        let (wdl, logit) = difference(&reference, &evaluate(&file, Precision::Bf16, 4, &leaves));
        assert!(wdl < WDL_TOLERANCE && logit < 0.03 * spread, "{} {mixing:?} bf16: {wdl} {logit}", V::ID);
    }
}

#[test]
fn leaves_for_another_network_are_refused() {
    let file = train::untrained(Blueprint::of::<Wangqi>(small(Mixing::Se)), 1).unwrap();
    let config = settings(Precision::Fp32, Layout::ChannelsLast, 8, 1);
    let mut evaluator = TorchEvaluator::new(&file, &config).unwrap();
    assert_eq!(evaluator.features(), Features::FIRST);
    let refused = evaluator.evaluate(&leaves::<Wangqi>(1, Features::ALL), &mut Evaluations::default()).unwrap_err();
    assert!(refused.to_string().contains("for a network that is shown"), "{refused}");
}

#[test]
fn folded_padded_and_rounded_networks_agree_with_the_reference() {
    roads_meet::<Wangqi>();
    roads_meet::<Xiangqi>();
    roads_meet::<Janggi>();
}

/// The same position gives the same bits, alone or among others, at any place, in any thread.
fn is_alone<V: Variant>(precision: Precision, size: usize) {
    let network = network::<V>(NetworkConfig { channels: 48, ..small(Mixing::Se) });
    let file = network.file(0, 0).unwrap();
    let leaves = leaves::<V>(size, Features::FIRST);
    let together = evaluate(&file, precision, size, &leaves);
    for leaf in (0..size).step_by(5) {
        let mut alone = LeafBatch::default();
        alone.planes.extend_from_slice(leaves.planes_of(leaf));
        alone.push_moves(leaves.moves_of(leaf).iter().copied());
        let other_thread = || evaluate(&file, precision, size, &alone);
        let alone = std::thread::scope(|scope| scope.spawn(other_thread).join().unwrap());
        assert_eq!(alone.wdl[0], together.wdl[leaf], "{} {precision:?} leaf {leaf} of {size}", V::ID);
        assert_eq!(alone.logits, together.logits[leaves.range_of(leaf)], "{} {precision:?} leaf {leaf}", V::ID);
    }
}

#[test]
fn an_evaluation_does_not_depend_on_its_neighbours() {
    for precision in [Precision::Fp32, Precision::Bf16] {
        is_alone::<Wangqi>(precision, 32);
        is_alone::<Xiangqi>(precision, 19);
    }
}

/// Both layouts and any number of threads within a call compute the same network.
#[test]
fn layouts_and_threads_agree() {
    let file = network::<Xiangqi>(small(Mixing::Se)).file(0, 0).unwrap();
    let config = |layout, threads| settings(Precision::Fp32, layout, 16, threads);
    let reference = config(Layout::ChannelsLast, 1);
    for other in [config(Layout::Contiguous, 1), config(Layout::ChannelsLast, 2), config(Layout::Contiguous, 2)] {
        let [wdl, policy] = train::difference(&file, &reference, &other).unwrap();
        assert!(wdl < 1e-4 && policy < 1e-4, "{other:?}: {wdl} {policy}");
    }
    let bf16 = EvaluatorConfig { precision: Precision::Bf16, ..reference.clone() };
    let [wdl, policy] = train::difference(&file, &reference, &bf16).unwrap();
    assert!(wdl > 0.0 && policy > 0.0, "rounding shows");
}

#[test]
fn a_gpu_that_is_not_there_is_an_error_with_advice() {
    match DeviceChoice::Cuda.resolve() {
        Ok(device) => assert!(device.is_cuda()),
        Err(error) => assert!(error.to_string().contains("device = \"cpu\""), "{error}"),
    }
    assert_eq!(DeviceChoice::Cpu.resolve().unwrap(), Device::Cpu);
}
