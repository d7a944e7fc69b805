//! Network files and checkpoints: whole or absent, checked on reading, refused with a reason.

use crate::synthetic;
use rules::{Wangqi, Xiangqi};
use settings::Complaints;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use testkit::fault;
use train::{
    Blueprint, DataConfig, Dataset, DeviceChoice, EvaluatorConfig, FileError, FileProblem, NetworkConfig, NetworkFile,
    TrainConfig, TrainError, Trainer, TrainingSpan,
};

fn tiny() -> NetworkConfig {
    NetworkConfig {
        blocks: 1,
        channels: 8,
        se_hidden: 4,
        policy_dim: 4,
        value_channels: 1,
        value_hidden: 8,
        ..NetworkConfig::default()
    }
}

fn network() -> NetworkFile {
    train::untrained(Blueprint::of::<Wangqi>(tiny()), 4).unwrap()
}

fn problem<T>(result: Result<T, impl Into<TrainError>>, path: &Path) -> FileProblem {
    match result.map_err(Into::into) {
        Err(TrainError::File(FileError::File { path: named, problem })) => {
            assert_eq!(named, path, "the error names the file");
            problem
        }
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("the file was accepted"),
    }
}

#[test]
fn a_network_comes_back_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("0000.safetensors");
    network().write(&path).unwrap();
    let read = NetworkFile::read(&path).unwrap();
    assert_eq!(read, network());
    assert_eq!((read.generation(), read.training_step(), read.id().len()), (0, 0, 16));
    read.require::<Wangqi>(&path).unwrap();
    let again = train::Network::of_file(&read, tch::Device::Cpu).unwrap().file(0, 0).unwrap();
    assert_eq!(again.id(), read.id(), "the id is made of the contents");
}

#[test]
fn damaged_networks_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("network.safetensors");
    network().write(&path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    // Cut short at every length of the header and some of the tensors.
    for length in (0..whole.len()).step_by(97).chain([1, 7, 8, 9, whole.len() - 1]) {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(matches!(problem(NetworkFile::read(&path), &path), FileProblem::Unreadable(_)), "{length} bytes");
    }
    // A flipped bit anywhere: the description, the header or a weight.
    for at in (0..whole.len()).step_by(113) {
        let mut bytes = whole.clone();
        bytes[at] ^= 4;
        std::fs::write(&path, &bytes).unwrap();
        problem(NetworkFile::read(&path), &path);
    }
    for junk in [&b""[..], b"junk", &[0xff; 64], &[0; 4096]] {
        std::fs::write(&path, junk).unwrap();
        let refused = NetworkFile::read(&path).unwrap_err().to_string();
        assert!(refused.contains("network.safetensors: damaged or not a kirin file"), "{refused}");
    }
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(NetworkFile::read(&path), Err(FileError::Io { action: "read", .. })));
}

#[test]
fn networks_of_another_kind_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("network");
    network().write(&path).unwrap();
    let other = problem(NetworkFile::read(&path).unwrap().require::<Xiangqi>(&path), &path);
    assert!(matches!(&other, FileProblem::Variant { found, wanted } if found == "wangqi" && wanted == "xiangqi"));

    let mut blueprint = Blueprint::of::<Wangqi>(tiny());
    blueprint.shape.planes += 1;
    let old = train::untrained(blueprint, 4).unwrap();
    assert!(matches!(problem(old.require::<Wangqi>(&path), &path), FileProblem::Shape { .. }));

    let config = TrainConfig { device: DeviceChoice::Cpu, ..TrainConfig::default() };
    let trainer = Trainer::new(Blueprint::of::<Wangqi>(tiny()), config.clone(), 4).unwrap();
    let checkpoint = folder.path().join("checkpoint");
    trainer.save(&checkpoint).unwrap();
    let kind = problem(NetworkFile::read(&checkpoint), &checkpoint);
    assert!(matches!(&kind, FileProblem::Kind { found, wanted: "network" } if found == "checkpoint"));

    let resume = |blueprint| Trainer::resume(&checkpoint, blueprint, config.clone());
    let larger = Blueprint::of::<Wangqi>(NetworkConfig { blocks: 2, ..tiny() });
    let refused = problem(resume(larger), &checkpoint);
    assert!(refused.to_string().contains("put the old [network] values back"), "{refused}");
    assert!(matches!(problem(resume(Blueprint::of::<Xiangqi>(tiny())), &checkpoint), FileProblem::Variant { .. }));
    assert!(resume(Blueprint::of::<Wangqi>(tiny())).is_ok());
}

/// A network written by the first version of the format. It stays readable when the encoding of the variant has
/// moved on; then `require` says so. Made by `network().write(…)`.
#[test]
fn a_network_of_format_1_is_still_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/format-1.safetensors");
    let read = NetworkFile::read(&path).unwrap();
    assert_eq!((read.blueprint().variant.as_str(), read.blueprint().config.clone()), ("wangqi", tiny()));
    let header = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
    let id = format!(r#"\"digest\":\"{}\""#, read.id());
    assert!(header.contains(&id), "the id is the one that it was written with, which games of that day name: {id}");
}

#[test]
fn configs_complain_about_everything_at_once() {
    let mut config = TrainConfig { report_every: 0, ..TrainConfig::default() };
    config.optimiser.learning_rate = 3.0;
    config.optimiser.final_learning_rate = 4.0;
    config.data.window_maximum = 7;
    config.data.mirror = f64::NAN;
    config.loss.policy = 0.0;
    config.loss.value = 0.0;
    let complaints = |config: &TrainConfig, network: &NetworkConfig, evaluator: &EvaluatorConfig| {
        let mut complaints = Complaints::default();
        complaints.section("training", |complaints| config.check(complaints));
        complaints.section("network", |complaints| network.check(complaints));
        complaints.section("evaluator", |complaints| evaluator.check(complaints));
        complaints.list().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let network = NetworkConfig { blocks: 0, se_hidden: 65, ..NetworkConfig::default() };
    let evaluator = EvaluatorConfig { batch: 5000, ..EvaluatorConfig::default() };
    assert_eq!(
        complaints(&config, &network, &evaluator),
        [
            "training.report_every: 0 is out of range; 1 to 1048576",
            "training.loss: policy and value are both 0, so nothing that plays is trained",
            "training.optimiser.learning_rate: 3 is out of range; 0.000001 to 0.1",
            "training.optimiser.final_learning_rate: 4 is out of range; 0 to 3",
            "training.data.mirror: NaN is out of range; 0 to 1",
            "training.data.window_maximum: 7 is below window_minimum (25000)",
            "network.blocks: 0 is out of range; 1 to 60",
            "network.se_hidden: 65 is out of range; 4 to 64",
            "evaluator.batch: 5000 is out of range; 0 to 4096",
        ]
    );
    let none = complaints(&TrainConfig::default(), &NetworkConfig::default(), &EvaluatorConfig::default());
    assert!(none.is_empty(), "{none:?}");
}

/// Whatever step of writing a checkpoint fails, the file is the old one or the new one, and both resume.
#[test]
fn a_kill_leaves_the_old_checkpoint_or_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataConfig { validation_share: 0.0, ..DataConfig::default() };
    let config = TrainConfig { batch: 4, device: DeviceChoice::Cpu, threads: 1, data, ..TrainConfig::default() };
    let store = synthetic::store::<Wangqi>(&folder.path().join("data"), 1, 1, 12);
    let mut dataset = Dataset::<Wangqi>::new(config.data.clone(), 1);
    dataset.refresh(&store).unwrap();
    let blueprint = Blueprint::of::<Wangqi>(tiny());
    let mut trainer = Trainer::new(blueprint.clone(), config.clone(), 4).unwrap();
    let path = folder.path().join("checkpoint");
    trainer.save(&path).unwrap();
    let old = std::fs::read(&path).unwrap();
    let round = TrainingSpan { generation: 0, first_step: 0, last_step: 2, progress_before: 0.0, progress_after: 1.0 };
    trainer.train(&dataset, &round, &AtomicBool::new(false), &mut |_| {}).unwrap();
    for kind in [fault::FaultKind::Kill, fault::FaultKind::DiskFull] {
        for n in 1.. {
            std::fs::write(&path, &old).unwrap();
            let fault = fault::install(kind, n);
            let saved = trainer.save(&path);
            let happened = fault.happened();
            drop(fault);
            let resumed = Trainer::resume(&path, blueprint.clone(), config.clone()).unwrap();
            assert!([0, 2].contains(&resumed.step()), "step {} after failure {n}", resumed.step());
            if !happened {
                saved.unwrap();
                assert_eq!(resumed.step(), 2);
                break;
            }
            assert!(saved.is_err(), "failure {n} is told");
        }
    }
}
