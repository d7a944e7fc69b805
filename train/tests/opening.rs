//! libtorch is loaded when the first network is made, and not before. A program of its own: nothing else here must have
//! loaded it.

#![cfg(target_os = "linux")]

use rules::Wangqi;
use train::{Blueprint, Dataset, EvaluatorConfig, NetworkConfig, TrainConfig};

fn loaded() -> bool {
    std::fs::read_to_string("/proc/self/maps").unwrap().contains("libtorch_cpu.so")
}

#[test]
fn libtorch_is_loaded_with_the_first_network() {
    let mut complaints = settings::Complaints::default();
    let (config, size) =
        (TrainConfig::default(), NetworkConfig { blocks: 1, channels: 16, ..NetworkConfig::default() });
    config.check(&mut complaints);
    EvaluatorConfig::default().check(&mut complaints);
    assert_eq!(Dataset::<Wangqi>::new(config.data, 1).rows(), 0);
    let blueprint = Blueprint::of::<Wangqi>(size);
    assert!(!loaded(), "configurations and games need no libtorch");
    let network = train::untrained(blueprint, 1).unwrap();
    assert!(loaded() && network.generation() == 0);
}
