//! `kirin.net` (python/kirin/net), the same network in PyTorch: it reads our files, answers and trains as we do, and so do the files that it
//! exports.
//!
//! `scripts/oracles python` installs what it needs. Where that is missing the test says so and passes; with
//! `KIRIN_ORACLES=required` that is a failure.

use crate::pytorch::{self, Tensors};
use crate::synthetic;
use rules::encode::{Features, MoveTokens};
use rules::{Janggi, Koshogi, Shogi, Variant, Wangqi, Xiangqi};
use search::LeafBatch;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use tch::{Device, Tensor};
use train::{
    Blueprint, DataConfig, Dataset, DeviceChoice, MetricsEntry, Mixing, NetworkConfig, TrainConfig, Trainer,
    TrainingSpan,
};

/// A network, and what it says of some positions.
fn write_outputs<V: Variant>(folder: &Path, name: &str, config: NetworkConfig, in_bf16: bool) {
    let made = synthetic::network::<V>(config.clone()).file(7, 1234).unwrap();
    let file = if in_bf16 { made.in_bf16().unwrap() } else { made };
    file.write(&folder.join(format!("{name}.safetensors"))).unwrap();
    let network = train::Network::of_file(&file, Device::Cpu).unwrap();
    let leaves: LeafBatch = synthetic::leaves::<V>(6, config.features);
    let shape = file.blueprint().shape;
    let sizes = [leaves.len(), shape.planes, shape.ranks, shape.files];
    let planes = Tensor::from_slice(&leaves.planes).reshape(sizes.map(|n| n as i64));
    let outputs = network.evaluate(&planes).unwrap();
    let reference = network.reference(&leaves).unwrap();

    let mut tensors = Tensors::default();
    tensors.put_tensor("planes", &planes);
    tensors.put("first", &[leaves.len() + 1], leaves.first_move.iter().map(|&first| first as f32));
    let numbers = |mv: &MoveTokens| {
        let head = [mv.source, mv.target, u16::from(mv.promotes), u16::from(mv.via_len)];
        head.into_iter().chain(mv.via).map(f32::from).collect::<Vec<_>>()
    };
    tensors.put("moves", &[leaves.tokens.len(), 9], leaves.tokens.iter().flat_map(numbers));
    tensors.put("logits", &[leaves.tokens.len()], reference.logits);
    tensors.put("chances", &[leaves.len(), 3], reference.wdl.into_iter().flatten());
    outputs.named().for_each(|(name, output)| tensors.put_tensor(name, output));
    tensors.write(&folder.join(format!("{name}.outputs")));
}

/// Steps of training that are compared.
const STEPS: u64 = 8;

/// An untrained network, the batches of its first steps, and the losses that we had on them.
fn write_training<V: Variant>(folder: &Path, name: &str, config: NetworkConfig) {
    let data = tempfile::tempdir().unwrap();
    let store = synthetic::store::<V>(data.path(), 1, 4, 30);
    let train = TrainConfig {
        batch: 32,
        device: DeviceChoice::Cpu,
        threads: 1,
        parts: 1,
        report_every: 1,
        data: DataConfig { validation_share: 0.0, ..DataConfig::default() },
        ..TrainConfig::default()
    };
    let mut dataset = Dataset::<V>::new(train.data.clone(), 5);
    dataset.refresh(&store).unwrap();
    let blueprint = Blueprint::of::<V>(config);
    let path = |kind: &str| folder.join(format!("{name}.{kind}"));
    train::untrained(blueprint.clone(), 3).unwrap().write(&path("safetensors")).unwrap();
    dataset.write_batches(&path("samples"), &blueprint, train.batch, 1..STEPS + 1, 0.5).unwrap();
    let mut trainer = Trainer::new(blueprint, train, 3).unwrap();
    let log = data.path().join("log.jsonl");
    trainer.log_to(&log).unwrap();
    let round =
        TrainingSpan { generation: 0, first_step: 0, last_step: STEPS, progress_before: 0.5, progress_after: 0.5 };
    let report = trainer.train(&dataset, &round, &AtomicBool::new(false), &mut |_| {}).unwrap();
    assert_eq!(report.steps, STEPS);
    let entries = MetricsEntry::read(&log).unwrap();
    std::fs::write(path("metrics"), serde_json::to_string(&entries).unwrap()).unwrap();
    let spent = report.shares;
    let of_parts = spent.data + spent.tensors + spent.forward + spent.loss + spent.backward;
    let of_all = spent.uneven + spent.parts + spent.optimiser + spent.average + spent.rest;
    assert!((of_parts + of_all - 1.0).abs() < 1e-9 && spent.backward > 0.0, "{spent:?}");
}

#[test]
fn pytorch_agrees() {
    let Some(python) = pytorch::python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let small = |mixing| NetworkConfig { blocks: 2, channels: 32, mixing, policy_dim: 12, ..NetworkConfig::default() };
    let all = NetworkConfig { features: Features::ALL, ..small(Mixing::Se) };
    write_outputs::<Wangqi>(folder.path(), "wangqi", all.clone(), false);
    write_outputs::<Xiangqi>(folder.path(), "xiangqi", small(Mixing::None), false);
    let with_points = NetworkConfig { points: true, ..small(Mixing::Pool) };
    write_outputs::<Janggi>(folder.path(), "janggi", with_points.clone(), false);
    write_outputs::<Shogi>(folder.path(), "shogi", small(Mixing::Se), true);
    write_outputs::<Koshogi>(folder.path(), "koshogi", NetworkConfig { mixing: Mixing::Pool, ..all.clone() }, false);
    write_training::<Wangqi>(folder.path(), "learning-wangqi", all);
    write_training::<Xiangqi>(folder.path(), "learning-xiangqi", small(Mixing::Pool));
    write_training::<Janggi>(folder.path(), "learning-janggi", with_points);

    pytorch::unit_tests(&python, "", &[], folder.path());
}
