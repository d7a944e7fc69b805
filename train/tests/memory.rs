//! Training reuses its memory. This is the only test of this file, because it counts the page faults of its process.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

#[allow(dead_code)] // each test file uses its part
mod synthetic;

use rules::Xiangqi;
use std::sync::atomic::AtomicBool;
use train::{Blueprint, DataConfig, Dataset, DeviceChoice, NetworkConfig, TrainConfig, Trainer, TrainingSpan};

/// Page faults of this process so far that needed no disk.
fn page_faults() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    // After the name, which is in brackets, the eighth field: see proc(5).
    stat.rsplit(')').next().unwrap().split_whitespace().nth(7).unwrap().parse().unwrap()
}

/// A step of this size needs 50 MB, 12,000 pages.
#[test]
fn steps_touch_no_new_pages() {
    let folder = tempfile::tempdir().unwrap();
    let config = TrainConfig {
        batch: 256,
        device: DeviceChoice::Cpu,
        threads: 2,
        parts: 2,
        data: DataConfig { validation_share: 0.0, ..DataConfig::default() },
        ..TrainConfig::default()
    };
    let store = synthetic::store::<Xiangqi>(folder.path(), 1, 4, 30);
    let mut dataset = Dataset::<Xiangqi>::new(config.data.clone(), 5);
    dataset.refresh(&store).unwrap();
    let network = NetworkConfig { blocks: 2, channels: 32, ..NetworkConfig::default() };
    let mut trainer = Trainer::new(Blueprint::of::<Xiangqi>(network), config, 1).unwrap();
    let round = TrainingSpan { generation: 0, first_step: 0, last_step: 12, progress_before: 0.0, progress_after: 0.0 };
    let mut counted = Vec::new();
    trainer.train(&dataset, &round, &AtomicBool::new(false), &mut |_| counted.push(page_faults())).unwrap();
    let mut of_steps: Vec<u64> = counted.windows(2).map(|pair| pair[1] - pair[0]).collect();
    of_steps.sort_unstable();
    assert!(of_steps[of_steps.len() / 2] < 1_000, "page faults of each step: {of_steps:?}");
}
