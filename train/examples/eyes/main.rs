//! What a network sees and what it is asked, compared on the games of one run: networks that differ in nothing else are
//! trained on the same samples in the same order, and their losses on validation games are printed beside how fast they
//! train and evaluate. `docs/learning.md` has what was measured.
//!
//! ```text
//! cargo run --release -p train --example eyes -- play FOLDER VARIANT POSITIONS
//! cargo run --release -p train --example eyes -- FOLDER VARIANT LENGTH [SEEDS [NAME …]]
//! cargo run --release -p train --example eyes -- play /tmp/games shogi 60000
//! cargo run --release -p train --example eyes -- /tmp/games shogi 300 2 first attacks all
//! cargo run --release -p train --example eyes -- /tmp/games shogi 60s 2 first attacks all
//! ```
//!
//! LENGTH is a number of steps, so that all networks are trained on equal samples, or a time: then each makes as many steps
//! as it can in that time, by a short measurement of its speed.
//!
//! FOLDER is the folder `data` of a run, or one that `play` has filled (see `teacher.rs`). Without names all networks are
//! trained. Losses are in nats, of the network that would play; each line is one network with one seed.

mod teacher;

use data::DataStore;
use rules::encode::Features;
use rules::{Variant, VariantId, dispatch};
use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use train::{
    Blueprint, Dataset, DeviceChoice, EvaluatorConfig, Layout, MaterialHead, NetworkConfig, Precision, TrainConfig,
    Trainer, TrainingSpan,
};

/// The networks by name, each a change of the first one.
fn networks() -> Vec<(&'static str, NetworkConfig)> {
    let first = NetworkConfig { blocks: 3, channels: 48, ..NetworkConfig::default() };
    let shown = |features| NetworkConfig { features, ..first.clone() };
    let none = Features::FIRST;
    let attacks = shown(Features { attacks: true, ..none });
    let all = shown(Features::ALL);
    vec![
        ("first", first.clone()),
        ("hands", shown(Features { hand_steps: true, ..none })),
        ("attacks", attacks.clone()),
        ("last-move", shown(Features { last_move: true, ..none })),
        ("hands-attacks", shown(Features { hand_steps: true, attacks: true, ..none })),
        ("all", all.clone()),
        ("change", NetworkConfig { material: MaterialHead::Change, ..first.clone() }),
        ("reply", NetworkConfig { reply_dim: 16, ..first.clone() }),
        ("kinds-16", NetworkConfig { kind_channels: 16, ..first.clone() }),
        ("kinds-32", NetworkConfig { kind_channels: 32, ..first.clone() }),
        ("attacks-kinds-32", NetworkConfig { kind_channels: 32, ..attacks.clone() }),
        ("all-kinds-32", NetworkConfig { kind_channels: 32, ..all.clone() }),
        ("all-asked", NetworkConfig { material: MaterialHead::Change, reply_dim: 16, ..all }),
    ]
}

/// Steps by which the speed of a network's training is measured.
const SPEED_STEPS: u64 = 30;

/// How long each network is trained.
#[derive(Clone, Copy)]
enum Length {
    Steps(u64),
    Time(Duration),
}

impl Length {
    fn of(text: &str) -> Result<Length, Box<dyn Error>> {
        match text.parse() {
            Ok(steps) => Ok(Length::Steps(steps)),
            Err(_) => Ok(Length::Time(settings::parse_duration(text)?)),
        }
    }
}

/// A round of so many steps over everything.
fn round(steps: u64) -> TrainingSpan {
    TrainingSpan { generation: 0, first_step: 0, last_step: steps, progress_before: 0.0, progress_after: 1.0 }
}

/// Plays the part of a run's training: one round over everything, with its learning rates.
fn compare<V: Variant>(folder: &Path, length: Length, seeds: u64, names: &[String]) -> Result<(), Box<dyn Error>> {
    let store = DataStore::open_read_only(folder)?;
    let mut config = TrainConfig { precision: Precision::Auto, ..TrainConfig::default() };
    config.data.validation_share = 0.15;
    config.data.validation_rows = 8192;
    config.data.window_minimum = 1_000_000;
    config.optimiser.warmup_steps = 100;
    // Once for all, so that they differ in nothing else.
    let config = config.resolve(&Blueprint::of::<V>(NetworkConfig::default()))?;
    let mut dataset = Dataset::<V>::new(config.data.clone(), 1);
    let window = dataset.refresh(&store)?;
    println!("{}: {} rows are trained on, {} are held out", V::ID, window.rows_trained, window.rows_held_out);
    let never = AtomicBool::new(false);
    println!(
        "network            seed  steps  policy  right   value  near value  material  reply  samples/s  positions/s"
    );
    let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    for seed in 1..=seeds {
        for (name, network) in networks().into_iter().filter(|(name, _)| wanted(name)) {
            let trainer = || Trainer::new(Blueprint::of::<V>(network.clone()), config.clone(), seed);
            let steps = match length {
                Length::Steps(steps) => steps,
                Length::Time(time) => {
                    let speed =
                        trainer()?.train(&dataset, &round(SPEED_STEPS), &never, &mut |_| {})?.samples_per_second;
                    ((time.as_secs_f64() * speed / config.batch as f64) as u64).max(1)
                }
            };
            let mut trainer = trainer()?;
            let report = trainer.train(&dataset, &round(steps), &never, &mut |_| {})?;
            let held_out = report.validation.unwrap_or_default();
            let play = EvaluatorConfig {
                device: DeviceChoice::Cpu,
                precision: Precision::Auto,
                layout: Layout::ChannelsLast,
                batch: 64,
                threads: 1,
                callers: 1,
            };
            let threads = settings::threads(0);
            let rate = train::rate(&trainer.export(1)?, &play, threads, Duration::from_secs(1))?;
            println!(
                "{name:17}  {seed:4}  {steps:5}  {:6.4}  {:4.1} %  {:6.4}  {:10.4}  {:8.4}  {:5.3}  {:9.0}  {rate:11.0}",
                held_out.policy,
                100.0 * held_out.policy_accuracy,
                held_out.value,
                held_out.short_value,
                held_out.material,
                held_out.reply,
                report.samples_per_second,
            );
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [play, folder, variant, positions] = words.as_slice()
        && play == "play"
    {
        let (id, positions) = (variant.parse::<VariantId>()?, positions.parse()?);
        return dispatch!(id, V => teacher::play::<V>(Path::new(folder), positions));
    }
    let [folder, variant, length, rest @ ..] = words.as_slice() else {
        return Err("expected play FOLDER VARIANT POSITIONS, or FOLDER VARIANT LENGTH [SEEDS [NAME …]]".into());
    };
    let (id, length) = (variant.parse::<VariantId>()?, Length::of(length)?);
    let (seeds, names) = match rest {
        [seeds, names @ ..] => (seeds.parse()?, names),
        [] => (1, rest),
    };
    dispatch!(id, V => compare::<V>(Path::new(folder), length, seeds, names))
}
