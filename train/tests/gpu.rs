//! A GPU computes what the CPU computes. Without a GPU these tests are skipped, and say so.

use crate::evaluator::{difference, evaluate_as};
use crate::synthetic::{self, leaves, network};
use crate::training::{round, run};
use rules::encode::Features;
use rules::{Janggi, Koshogi, Variant, Wangqi, Xiangqi};
use search::{Evaluations, Evaluator};
use testkit::oracle;
use train::{
    Backend, Blueprint, DataConfig, Dataset, DeviceChoice, EvaluatorConfig, Layout, Metrics, NetworkConfig, Precision,
    TorchEvaluator, TrainConfig, TrainPrecision, Trainer, WDL_TOLERANCE,
};

/// Whether there is a GPU. Nothing requires one, not even `KIRIN_ORACLES`.
fn there_is_a_gpu() -> bool {
    let found = DeviceChoice::Cuda.resolve();
    if let Err(error) = &found {
        let _: Option<()> = oracle::skipped(&format!("the GPU is not tested: {error}"));
    }
    found.is_ok()
}

fn config(device: DeviceChoice, precision: Precision, layout: Layout) -> EvaluatorConfig {
    EvaluatorConfig { backend: Backend::Torch, device, precision, layout, batch: 8, threads: 1, callers: 1 }
}

/// 19 positions in batches of 8, so that the last batch is padded. libtorch computes convolutions in TF32 (11 bits of
/// mantissa) where fp32 is asked for, hence the first bounds; bf16 has 8 bits.
fn gpu_agrees<V: Variant>() {
    let size = NetworkConfig { blocks: 2, channels: 32, policy_dim: 12, ..NetworkConfig::default() };
    let file = network::<V>(size).file(0, 0).unwrap();
    let leaves = leaves::<V>(19, Features::FIRST);
    let reference = evaluate_as(&file, &config(DeviceChoice::Cpu, Precision::Fp32, Layout::ChannelsLast), &leaves);
    let spread = reference.logits.iter().fold(0f32, |most, logit| most.max(logit.abs()));
    for (precision, wdl_bound, logit_bound) in [(Precision::Fp32, 2e-3, 4e-3), (Precision::Bf16, WDL_TOLERANCE, 0.03)] {
        for layout in [Layout::ChannelsLast, Layout::Contiguous] {
            let config = config(DeviceChoice::Cuda, precision, layout);
            let found = evaluate_as(&file, &config, &leaves);
            let (wdl, logit) = difference(&reference, &found);
            println!("{} {precision} {layout}: wdl {wdl:.2e}, logits {logit:.2e} of {spread:.2}", V::ID);
            assert!(wdl < wdl_bound && logit < logit_bound * spread, "{} {config:?}: {wdl} {logit}", V::ID);
        }
    }
}

#[test]
fn a_gpu_evaluates_as_the_cpu_does() {
    if there_is_a_gpu() {
        gpu_agrees::<Wangqi>();
        gpu_agrees::<Xiangqi>();
        gpu_agrees::<Janggi>();
        gpu_agrees::<Koshogi>();
    }
}

/// Several threads, each with a stream of its own, get the numbers that each would get alone.
#[test]
fn batches_in_flight_do_not_disturb_each_other() {
    if !there_is_a_gpu() {
        return;
    }
    let size = NetworkConfig { blocks: 2, channels: 32, ..NetworkConfig::default() };
    let file = network::<Xiangqi>(size).file(0, 0).unwrap();
    let leaves = leaves::<Xiangqi>(40, Features::FIRST);
    let config = config(DeviceChoice::Cuda, Precision::Bf16, Layout::ChannelsLast);
    let alone = evaluate_as(&file, &config, &leaves);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut evaluator = TorchEvaluator::new(&file, &config).unwrap();
                for _ in 0..25 {
                    let mut out = Evaluations::default();
                    evaluator.evaluate(&leaves, &mut out).unwrap();
                    assert_eq!((&out.wdl, &out.logits), (&alone.wdl, &alone.logits));
                }
            });
        }
    });
}

/// The metrics of the last of 60 steps, and of a validation after them.
fn trained(device: DeviceChoice, precision: TrainPrecision) -> [Metrics; 2] {
    let folder = tempfile::tempdir().unwrap();
    let store = synthetic::store::<Xiangqi>(folder.path(), 3, 8, 40);
    let data = DataConfig { validation_share: 0.2, mirror: 0.0, ..DataConfig::default() };
    let config =
        TrainConfig { batch: 64, device, precision, threads: 1, report_every: 20, data, ..TrainConfig::default() };
    let mut dataset = Dataset::<Xiangqi>::new(config.data.clone(), 5);
    dataset.refresh(&store).unwrap();
    let size = NetworkConfig { blocks: 2, channels: 32, ..NetworkConfig::default() };
    let mut trainer = Trainer::new(Blueprint::of::<Xiangqi>(size), config, 1).unwrap();
    let (report, last) = run(&mut trainer, &dataset, round(0, 60));
    [last, report.validation.expect("a fifth of the games validates")]
}

/// Rounding accumulates over 60 steps: the losses agree within 0.02 nats, of about 2 and 1, and in bf16 within 0.05.
#[test]
fn a_gpu_trains_as_the_cpu_does() {
    if !there_is_a_gpu() {
        return;
    }
    let reference = trained(DeviceChoice::Cpu, TrainPrecision::Fp32);
    for (precision, bound) in [(TrainPrecision::Fp32, 0.02), (TrainPrecision::Bf16, 0.05)] {
        for (expected, found) in reference.iter().zip(trained(DeviceChoice::Cuda, precision)) {
            let [policy, value] = [found.policy - expected.policy, found.value - expected.value];
            println!(
                "{precision}: policy {policy:+.4} of {:.3}, value {value:+.4} of {:.3}",
                expected.policy, expected.value
            );
            assert!(policy.abs() < bound && value.abs() < bound, "{precision}: {expected:?} and {found:?}");
        }
    }
}
