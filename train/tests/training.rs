//! Training: it learns, it repeats, it resumes, it survives bad data.

use crate::synthetic;
use rules::encode::Features;
use rules::{Wangqi, Xiangqi};
use settings::Complaints;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use train::{
    Blueprint, Damaged, DataConfig, Dataset, DeviceChoice, Metrics, MetricsEntry, Mixing, NetworkConfig,
    OptimiserConfig, TrainConfig, TrainPrecision, TrainProgress, TrainReport, Trainer, TrainingSpan,
};

fn tiny() -> NetworkConfig {
    NetworkConfig {
        blocks: 1,
        channels: 16,
        policy_dim: 8,
        value_channels: 2,
        value_hidden: 16,
        ..NetworkConfig::default()
    }
}

fn config(batch: usize) -> TrainConfig {
    TrainConfig {
        batch,
        device: DeviceChoice::Cpu,
        // One thread: the networks are tiny, and the tests run side by side.
        threads: 1,
        report_every: 5,
        optimiser: OptimiserConfig { learning_rate: 5e-3, warmup_steps: 5, ..OptimiserConfig::default() },
        data: DataConfig { validation_share: 0.0, mirror: 0.0, value_plies: 0.0, ..DataConfig::default() },
        ..TrainConfig::default()
    }
}

/// A round of these steps.
pub fn round(first_step: u64, last_step: u64) -> TrainingSpan {
    TrainingSpan { generation: 0, first_step, last_step, progress_before: 0.0, progress_after: 0.4 }
}

fn dataset<V: rules::Variant>(folder: &Path, config: &TrainConfig, generations: u32) -> Dataset<V> {
    let store = synthetic::store::<V>(folder, generations, 4, 30);
    let mut dataset = Dataset::new(config.data.clone(), 5);
    dataset.refresh(&store).unwrap();
    dataset
}

/// Trains a round; returns its report and its last metrics.
pub fn run<V: rules::Variant>(
    trainer: &mut Trainer,
    dataset: &Dataset<V>,
    round: TrainingSpan,
) -> (TrainReport, Metrics) {
    let mut last = Metrics::default();
    let mut note = |progress: TrainProgress| last = progress.metrics.unwrap_or(last);
    let report = trainer.train(dataset, &round, &AtomicBool::new(false), &mut note).unwrap();
    (report, last)
}

/// Forty-eight positions, seen again and again: a network that learns overfits them.
/// Bounds, in nats: policy within 0.10 of the entropy of its targets, value 0.10 (it begins near 1.1).
#[test]
fn overfits_a_small_batch() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(48);
    let (store, _) = data::DataStore::open(folder.path()).unwrap();
    let mut games = [1, 2, 3].map(|id| synthetic::game::<Wangqi>(id, 18));
    // The first positions are common to all games, with other targets in each: no network could learn these.
    games.iter_mut().for_each(|game| game.positions.retain(|position| position.ply >= 2));
    store.commit_shard(0, "test", &games, &data::Provenance::default()).unwrap();
    let mut dataset = Dataset::<Wangqi>::new(config.data.clone(), 5);
    assert_eq!(dataset.refresh(&store).unwrap().rows_trained, 48);
    // With everything that a network may see and be asked.
    let network = NetworkConfig { channels: 32, policy_dim: 16, features: Features::ALL, ..tiny() };
    let mut trainer = Trainer::new(Blueprint::of::<Wangqi>(network), config, 1).unwrap();
    let (_, first) = run(&mut trainer, &dataset, round(0, 5));
    let (report, last) = run(&mut trainer, &dataset, TrainingSpan { progress_after: 1.0, ..round(5, 200) });
    assert_eq!((report.steps, report.step, report.samples), (195, 200, 200 * 48));
    assert!(first.policy - first.policy_target_entropy > 1.0 && first.value > 0.8, "it begins ignorant: {first:?}");
    assert!(last.policy - last.policy_target_entropy < 0.10, "policy: {last:?}");
    assert!(last.value < 0.10, "value: {last:?}");
    assert!(last.policy_accuracy > 0.9 && last.plies_left < 0.1 && last.material < 0.1, "{last:?}");
}

#[test]
fn repeats_bit_for_bit_whatever_makes_the_batches() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(16);
    let dataset = dataset::<Xiangqi>(folder.path(), &config, 2);
    let train_in = |threads, parts, batch_threads, mixing| {
        let config = TrainConfig { threads, parts, batch_threads, ..config.clone() };
        let network = NetworkConfig { mixing, ..tiny() };
        let mut trainer = Trainer::new(Blueprint::of::<Xiangqi>(network), config, 9).unwrap();
        run(&mut trainer, &dataset, round(0, 6));
        trainer.export(1).unwrap()
    };
    let train = |batch_threads, mixing| train_in(1, 1, batch_threads, mixing);
    let parts = |threads, batch_threads| train_in(threads, 4, batch_threads, Mixing::Se);
    assert_eq!(parts(1, 0).id(), parts(4, 2).id(), "four parts, whoever computes them");
    assert_eq!(train(0, Mixing::Se).id(), train(3, Mixing::Se).id());
    assert_eq!(train(1, Mixing::Pool).id(), train(2, Mixing::Pool).id());
    assert_ne!(train(1, Mixing::Pool).id(), train(1, Mixing::None).id());
}

#[test]
fn resumes_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(16);
    let config = TrainConfig { parts: 2, ..config };
    let dataset = dataset::<Wangqi>(&folder.path().join("data"), &config, 2);
    let blueprint = Blueprint::of::<Wangqi>(tiny());
    let file = |name: &str| folder.path().join(name);
    let mut whole = Trainer::new(blueprint.clone(), config.clone(), 3).unwrap();
    whole.log_to(&file("whole.jsonl")).unwrap();
    run(&mut whole, &dataset, round(0, 10));
    whole.save(&file("whole")).unwrap();

    let mut part = Trainer::new(blueprint.clone(), config.clone(), 3).unwrap();
    part.log_to(&file("parts.jsonl")).unwrap();
    let stop = AtomicBool::new(false);
    let mut stop_at_five =
        |progress: TrainProgress| stop.store(progress.step == 5, std::sync::atomic::Ordering::Relaxed);
    let report = part.train(&dataset, &round(0, 10), &stop, &mut stop_at_five).unwrap();
    assert!(report.stopped && report.step == 5 && report.validation.is_none());
    part.save(&file("part")).unwrap();
    // What is trained after the checkpoint and before the kill is done again, and logged once.
    run(&mut part, &dataset, round(0, 10));
    drop(part);
    let mut resumed = Trainer::resume(&file("part"), blueprint, config).unwrap();
    resumed.log_to(&file("parts.jsonl")).unwrap();
    let (report, _) = run(&mut resumed, &dataset, round(0, 10));
    assert_eq!((report.steps, report.step, report.samples), (5, 10, 160));
    resumed.save(&file("parts")).unwrap();

    assert!(std::fs::read(file("whole")).unwrap() == std::fs::read(file("parts")).unwrap());
    assert_eq!(whole.export(2).unwrap().id(), resumed.export(2).unwrap().id());
    let lines = MetricsEntry::read(&file("whole.jsonl")).unwrap();
    assert_eq!(lines, MetricsEntry::read(&file("parts.jsonl")).unwrap());
    assert_eq!(lines.iter().map(|line| line.step).collect::<Vec<_>>(), [5, 10]);
    // For a round that is over there is nothing to do.
    let (report, _) = run(&mut resumed, &dataset, round(0, 10));
    assert_eq!(report.steps, 0);
}

/// In parts: halves of a batch computed side by side add up to the whole, but for the norm statistics, which are the
/// halves'.
#[test]
fn in_parts_and_in_bf16_a_network_trains_like_the_whole_in_fp32() {
    let folder = tempfile::tempdir().unwrap();
    let whole = config(32);
    let dataset = dataset::<Wangqi>(folder.path(), &whole, 1);
    let loss = |config: TrainConfig| {
        let mut trainer = Trainer::new(Blueprint::of::<Wangqi>(tiny()), config, 3).unwrap();
        run(&mut trainer, &dataset, round(0, 40)).1.loss
    };
    let expected = loss(TrainConfig { parts: 1, ..whole.clone() });
    for config in
        [TrainConfig { parts: 2, ..whole.clone() }, TrainConfig { precision: TrainPrecision::Bf16, ..whole.clone() }]
    {
        let found = loss(config);
        assert!((expected - found).abs() < 0.1 * expected, "{expected} and {found}");
    }
}

#[test]
fn a_config_is_resolved_once_and_for_all() {
    let blueprint = Blueprint::of::<Wangqi>(tiny());
    let config = TrainConfig {
        precision: TrainPrecision::Auto,
        device: DeviceChoice::Cpu,
        threads: 3,
        ..TrainConfig::default()
    };
    let resolved = config.resolve(&blueprint).unwrap();
    assert!(resolved.precision != TrainPrecision::Auto);
    assert_eq!((resolved.threads, resolved.parts), (3, 2), "256 samples do not fall into three parts");
    assert_eq!(resolved.resolve(&blueprint).unwrap(), resolved);
    let mut complaints = Complaints::default();
    TrainConfig { parts: 3, ..config }.check(&mut complaints);
    assert_eq!(complaints.to_string(), "parts: 3 does not divide batch (256)");
}

#[test]
fn games_held_out_are_validated_and_never_trained_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(16);
    config.data.validation_share = 0.3;
    let store = synthetic::store::<Wangqi>(folder.path(), 2, 10, 20);
    let mut dataset = Dataset::<Wangqi>::new(config.data.clone(), 5);
    let window = dataset.refresh(&store).unwrap();
    assert_eq!((window.rows_made, window.games), (400, 20));
    assert_eq!(window.rows_trained + window.rows_held_out, 400);
    assert!((40..=200).contains(&window.rows_held_out), "{window:?}");
    let mut trainer = Trainer::new(Blueprint::of::<Wangqi>(tiny()), config, 3).unwrap();
    let (report, _) = run(&mut trainer, &dataset, round(0, 2));
    assert_eq!(report.validation.unwrap().samples, window.rows_held_out as f64);
}

#[test]
fn window_slides_with_the_shards() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataConfig { window_minimum: 100, window_maximum: 130, validation_share: 0.0, ..DataConfig::default() };
    let store = synthetic::store::<Wangqi>(folder.path(), 6, 2, 25);
    let mut dataset = Dataset::<Wangqi>::new(data, 5);
    let window = dataset.refresh(&store).unwrap();
    // 130 rows of 300, in whole games of 25.
    assert_eq!((window.rows_made, window.rows_trained, window.games), (300, 150, 6));
    let again = dataset.refresh(&store).unwrap();
    assert_eq!(again, window);
}

#[test]
fn a_damaged_shard_stops_training_or_is_left_out_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let store = synthetic::store::<Wangqi>(folder.path(), 3, 2, 20);
    let shard = &store.shards("wangqi").unwrap()[1];
    let path = folder.path().join(&shard.positions.path);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    std::fs::write(&path, bytes).unwrap();

    let refused = Dataset::<Wangqi>::new(DataConfig::default(), 5).refresh(&store).unwrap_err().to_string();
    assert!(refused.contains(&path.display().to_string()) && refused.contains("restore it"), "{refused}");
    let lenient = DataConfig { damaged: Damaged::Skip, validation_share: 0.0, ..DataConfig::default() };
    let mut dataset = Dataset::<Wangqi>::new(lenient, 5);
    let window = dataset.refresh(&store).unwrap();
    assert_eq!((window.rows_made, window.rows_trained), (120, 80));
    assert!(window.skipped.len() == 1 && window.skipped[0].contains("gen=0001"), "{:?}", window.skipped);
    assert_eq!(dataset.refresh(&store).unwrap(), window, "it is reported again and not read again");
}

#[test]
fn a_game_that_the_rules_refuse_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = data::DataStore::open(folder.path()).unwrap();
    let mut game = synthetic::game::<Wangqi>(77, 10);
    game.sheet.moves[4] = rules::Move::from_raw(0x1ffff);
    game.positions.retain(|position| position.ply != 4);
    store.commit_shard(0, "test", &[game], &data::Provenance::default()).unwrap();
    let refused = Dataset::<Wangqi>::new(DataConfig::default(), 5).refresh(&store).unwrap_err().to_string();
    assert!(refused.contains("game 000000000000004d: move 5, code 0x1ffff, is not legal"), "{refused}");
}

#[test]
fn an_empty_window_is_said_to_be_empty() {
    let mut trainer = Trainer::new(Blueprint::of::<Wangqi>(tiny()), config(16), 3).unwrap();
    let dataset = Dataset::<Wangqi>::new(DataConfig::default(), 5);
    let error = trainer.train(&dataset, &round(0, 3), &AtomicBool::new(false), &mut |_| {}).unwrap_err();
    assert_eq!(error.to_string(), "training data: there is no position of wangqi to train on yet");
}
