//! A network fitted to recorded games: its policy to their moves, its value to their results.

use crate::config::Config;
use crate::error::{LabError, Result};
use crate::host::Host;
use crate::observer::{Status, Task};
use data::DataStore;
use rules::Variant;
use serde::Serialize;
use std::path::{Path, PathBuf};
use train::{Blueprint, Dataset, Metrics, Trainer, TrainingSpan};

/// What a network is fitted to, and for how long.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The data folder of the games; search results in it are ignored.
    pub games: PathBuf,
    /// How many times each position is trained on, on average; above 0.
    pub passes: f64,
    /// Where the network is written. The file must not exist.
    pub network: PathBuf,
}

/// The result of a fit.
#[derive(Clone, Debug, Serialize)]
pub struct Fitted {
    /// Id of the network.
    pub network: String,
    /// Games in the window, validation games included.
    pub games: u64,
    /// Positions trained on.
    pub positions: u64,
    /// Positions of the validation games.
    pub held_out: u64,
    /// Steps made.
    pub steps: u64,
    /// Samples a second.
    pub samples_per_second: f64,
    /// Losses of the network on validation games, nats; `None` if there are none.
    pub validation: Option<Metrics>,
    /// Losses of the network on as many training positions.
    pub trained: Option<Metrics>,
}

/// Fits a network of `config` to the games of a data folder and writes it; `None` if it was stopped before that.
/// Network, training and seed are those of the configuration; the learning rate runs through its whole schedule. On a
/// CPU the same games and settings give the same network.
///
/// # Errors
/// There is a file where the network is to be written; the folder has no game of the variant, or none beyond the
/// validation games; a game cannot be replayed; libtorch fails.
pub fn fit<V: Variant>(config: &Config, fit: &Fit, host: &Host) -> Result<Option<Fitted>> {
    let refused = |reason: &str| LabError::Fit { games: fit.games.clone(), reason: reason.to_owned() };
    if data::durable::is_there(&fit.network)? {
        return Err(LabError::Exists { path: fit.network.clone() });
    }
    require_folder(&fit.network)?;
    let store = DataStore::open_read_only(&fit.games)?;
    let mut dataset = Dataset::<V>::new(config.training.data.clone(), config.run.seed);
    let window = dataset.take_played(&store)?;
    if window.games == 0 {
        return Err(refused(&format!("it has no game of {}", V::ID)));
    }
    if window.rows_trained == 0 {
        return Err(refused("all its games are validation games; lower training.data.validation_share"));
    }
    let steps = (fit.passes * window.rows_trained as f64 / config.training.batch as f64).ceil().max(1.0) as u64;
    let blueprint = Blueprint::of::<V>(config.network.clone());
    let mut trainer = Trainer::new(blueprint, config.training.clone(), config.run.seed)?;
    let round =
        TrainingSpan { generation: 1, first_step: 0, last_step: steps, progress_before: 0.0, progress_after: 1.0 };
    let meter = host.observer.begin(round.generation, Task::Training, steps);
    let report = trainer.train(&dataset, &round, &host.stop, &mut |progress| {
        meter.update(progress.step, &Status::Training(progress.metrics.as_ref()));
    })?;
    drop(meter);
    if report.stopped {
        return Ok(None);
    }
    let network = trainer.export(round.generation)?;
    network.write(&fit.network)?;
    Ok(Some(Fitted {
        network: network.id().to_owned(),
        games: window.games,
        positions: window.rows_trained,
        held_out: window.rows_held_out,
        steps,
        samples_per_second: report.samples_per_second,
        validation: report.validation,
        trained: report.validation_trained,
    }))
}

/// Checked before the work begins, since the network is written at its end.
fn require_folder(network: &Path) -> Result<()> {
    let folder = network.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match folder.metadata() {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(LabError::io("write into", folder)(std::io::ErrorKind::NotADirectory.into())),
        Err(error) => Err(LabError::io("write into", folder)(error)),
    }
}
