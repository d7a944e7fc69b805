//! How much a value learned from recorded games is worth in other games, by how it is trained:
//! `cargo run --release -p train --example value -- FOLDER VARIANT ROWS JSON…`.
//!
//! Each JSON is a training configuration with the mean number of uses of a row, and if wanted a `seed`, the size of the network
//! (`"network": {"blocks": 3, "channels": 48}`) and the file that the network is written to (`"write": "net.safetensors"`):
//! `{"uses": 2, "data": {"mirror": 0.25}}`. Each trains a new network, of 4×64 if it says no other, on the newest ROWS
//! rows of FOLDER, the folder `data` of a run, except for 15 % of the games, which are for validation. The columns, in nats,
//! of the network that would play:
//!
//! - `result`: log-loss of its value against the results of validation games, and `trained`: against those of games it was
//!   trained on. A network that always says one half has 0.693 where nothing is drawn.
//! - `near`: of its short-term value, and `policy`, both in validation games.

use data::DataStore;
use rules::encode::Features;
use rules::{Variant, VariantId, dispatch};
use serde::Deserialize;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use train::{Blueprint, Dataset, NetworkConfig, TrainConfig, TrainPrecision, Trainer, TrainingSpan};

/// How one network is trained.
#[derive(Deserialize)]
struct Trial {
    uses: f64,
    #[serde(default = "first")]
    seed: u64,
    write: Option<PathBuf>,
    #[serde(default)]
    network: NetworkConfig,
    #[serde(flatten)]
    training: TrainConfig,
}

/// The seed of a trial that names none.
fn first() -> u64 {
    1
}

fn compare<V: Variant>(folder: &Path, rows: u64, trials: &[String]) -> Result<(), Box<dyn Error>> {
    let store = DataStore::open_read_only(folder)?;
    let features = Features { attacks: true };
    let mut precision = None;
    println!("| training | steps | result (trained) | near | policy |\n|---|---|---|---|---|");
    for text in trials {
        let Trial { uses, seed, write, network, mut training } = serde_json::from_str(text)?;
        let blueprint = Blueprint::of::<V>(NetworkConfig { features, ..network });
        let measured = || {
            let auto = TrainConfig { precision: TrainPrecision::Auto, ..TrainConfig::default() };
            Ok::<_, Box<dyn Error>>(auto.resolve(&blueprint)?.precision)
        };
        training.precision = match precision {
            Some(precision) => precision,
            None => *precision.insert(measured()?),
        };
        training.optimiser.warmup_steps = 100;
        training.data.validation_share = 0.15;
        training.data.validation_rows = 8192;
        (training.data.window_minimum, training.data.window_maximum) = (rows, rows);
        let config = training.resolve(&blueprint)?;
        let mut dataset = Dataset::<V>::new(config.data.clone(), seed);
        let window = dataset.refresh(&store)?;
        let steps = config.steps_for(window.rows_trained, uses);
        let mut trainer = Trainer::new(blueprint.clone(), config, seed)?;
        let mut round =
            TrainingSpan { generation: 0, first_step: 0, last_step: steps, progress_before: 0.0, progress_after: 1.0 };
        let never = AtomicBool::new(false);
        trainer.train(&dataset, &round, &never, &mut |_| {})?;
        if let Some(file) = write {
            trainer.publish(&dataset, 1)?.write(&file)?;
        }
        // No further step is made, but the outputs of the network are compared with the results themselves.
        training.data.search_value_share = 0.0;
        training.data.value_plies = 0.0;
        let mut plain = Dataset::<V>::new(training.data.clone(), seed);
        plain.refresh(&store)?;
        round.first_step = steps;
        let report = trainer.train(&plain, &round, &never, &mut |_| {})?;
        let (held, trained) = (report.validation.unwrap_or_default(), report.validation_trained.unwrap_or_default());
        println!(
            "| `{text}` | {steps} | {:.3} ({:.3}) | {:.3} | {:.3} |",
            held.value, trained.value, held.short_value, held.policy
        );
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, variant, rows, trials @ ..] = words.as_slice() else {
        return Err("expected FOLDER VARIANT ROWS JSON…".into());
    };
    let (id, rows) = (variant.parse::<VariantId>()?, rows.parse()?);
    dispatch!(id, V => compare::<V>(Path::new(folder), rows, trials))
}
