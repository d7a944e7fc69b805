//! How a run is opened: a sequence of states, each made from the one before. A state is complete, so the next one
//! cannot be reached early, and nothing is written in the folder before the run is known to fit.
//!
//! [`Locked`] has the folder and the configuration, [`Stored`] the games, [`Founded`] network 0 and its origin, and
//! [`Begun`] is a run on record.

use super::Run;
use crate::about::{About, Ancestor};
use crate::branch::{self, Source};
use crate::config::Config;
use crate::continuation::{self, Continuation};
use crate::error::{LabError, Result};
use crate::folder::{RunFolder, write_whole};
use crate::gathered::has_been_in_a_store;
use crate::host::Host;
use crate::memory::{self, Worker};
use crate::observer::Notice;
use crate::pairing::Entrants;
use crate::planner::Planner;
use crate::progress::Recorder;
use crate::run_log::RunLog;
use crate::stages::StageContext;
use crate::timestamp::now_ms;
use crate::verify;
use data::durable::is_there;
use data::{DataStore, MANIFEST, Provenance, durable};
use rules::encode::Shape;
use rules::{Rules, Variant};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use train::{Blueprint, Dataset, NetworkFile, TrainConfig, Workload};

/// A folder that no other program works in, and the configuration with which the run in it is continued or begun.
pub(super) struct Locked {
    folder: RunFolder,
    lock: File,
    host: Host,
    config: Config,
    has_begun: bool,
    budget_before: Option<Duration>,
    stored_digest: Option<String>,
    /// What a new run takes over.
    source: Option<Source>,
}

/// A locked folder and the games of the run.
pub(super) struct Stored<V: Variant> {
    locked: Locked,
    rules: Rules<V>,
    store: DataStore,
}

/// A run with its games and its network 0.
pub(super) struct Founded<V: Variant> {
    stored: Stored<V>,
    /// The contents of `run.json`; `None` if the run begins now.
    about: Option<About>,
    /// The run that network 0 came from; `None` if it is untrained.
    ancestor: Option<Ancestor>,
    network: NetworkFile,
}

/// A run whose settings are complete and stored.
pub(super) struct Begun<V: Variant> {
    founded: Founded<V>,
    about: About,
}

impl Locked {
    /// Takes the lock of the folder and compares `config` with the run in it.
    ///
    /// # Errors
    /// Another program works in the folder, it holds a run with other settings, the run in `from` does not fit, or what a
    /// new run trains with is not there.
    pub fn take<V: Variant>(config: &Config, folder: RunFolder, from: Option<&Path>, host: Host) -> Result<Locked> {
        // Checked before anything is created, so that a run that cannot begin leaves no folder behind.
        let begins = !is_there(&folder.config())?;
        if begins {
            config.training.device.resolve()?;
        }
        let source = from.filter(|_| begins).map(|from| Source::open::<V>(from, config)).transpose()?;
        let lock = folder.lock()?;
        let Continuation { mut config, has_begun, budget_before, stored_digest } = Continuation::of(&folder, config)?;
        config.run.folder = folder.root().display().to_string();
        Ok(Locked { folder, lock, host, config, has_begun, budget_before, stored_digest, source })
    }

    /// Opens the games, after removing leftovers of a killed program.
    ///
    /// # Errors
    /// The run is in a store and `worker` has none, the machine lacks memory for what it does, or the games are not those
    /// on record.
    pub fn open_data<V: Variant>(self, worker: Worker) -> Result<Stored<V>> {
        let Locked { folder, config, has_begun, host, .. } = &self;
        if worker == Worker::Run && has_been_in_a_store(folder)? {
            return Err(LabError::InStore { gathered: folder.gathered() });
        }
        let rules = config.rules.resolve::<V>()?;
        memory::require(config, &Shape::of::<V>(config.network.features), worker, memory::available())?;
        let temporaries = remove_stale_temporaries(folder)?;
        for subfolder in folder.subfolders() {
            durable::create_folder(&subfolder)?;
        }
        // Checked before opening, which quarantines data that the manifest does not list: a repair can list it again.
        let manifest_was_there = is_there(&folder.data().join(MANIFEST))?;
        if *has_begun && manifest_was_there {
            verify::require_its_games(folder)?;
        }
        let (store, mut recovery) = DataStore::open(&folder.data())?;
        if *has_begun && !manifest_was_there {
            verify::require_its_games(folder)?;
        }
        recovery.temporaries.extend(temporaries);
        if !recovery.is_clean() {
            host.observer.notice(&Notice::Recovered(&recovery));
        }
        Ok(Stored { locked: self, rules, store })
    }
}

impl<V: Variant> Stored<V> {
    /// Finds network 0, or makes it: from the run in `from`, or untrained.
    ///
    /// # Errors
    /// The run did not begin from `from`, or a file cannot be read or written.
    pub fn found(self, from: Option<&Path>) -> Result<Founded<V>> {
        let Stored { locked, store, .. } = &self;
        let Locked { folder, config, has_begun, host, source, .. } = locked;
        // Without a stored config the run has not begun: files in the folder may be of other settings.
        let about = if *has_begun { About::read(folder)? } else { None };
        let ancestor = about.as_ref().and_then(|about| about.from.clone());
        let ancestor = match (source, from) {
            (Some(source), _) if !has_begun => {
                let ancestor = source.take::<V>(folder, store, config)?;
                host.observer.notice(&Notice::BegunFrom(&ancestor));
                Some(ancestor)
            }
            (_, Some(from)) => Some(branch::same_ancestor(folder, from, ancestor)?),
            (_, None) => ancestor,
        };
        let first_network = folder.network(0);
        if ancestor.is_none() && !(*has_begun && is_there(&first_network)?) {
            branch::require_no_other_games::<V>(folder, store)?;
            let blueprint = Blueprint::of::<V>(config.network.clone());
            train::untrained(blueprint, config.run.seed)?.write(&first_network)?;
        }
        let network = NetworkFile::read(&first_network)?;
        Ok(Founded { stored: self, about, ancestor, network })
    }
}

impl<V: Variant> Founded<V> {
    /// Chooses every open setting, and writes `run.json` and the configuration.
    ///
    /// # Errors
    /// libtorch fails, or a file cannot be written.
    pub fn begin(mut self) -> Result<Begun<V>> {
        let Locked { folder, config, host, stored_digest, .. } = &mut self.stored.locked;
        let given = config.evaluator.clone();
        settle::<V>(config, &self.network, self.about.is_some())?;
        let mut about = match self.about.take() {
            Some(about) => about,
            None => {
                let measured = (given != config.evaluator).then(|| measured_rate(config, &self.network)).transpose()?;
                write_about::<V>(folder, config, self.ancestor.clone(), measured, host)?
            }
        };
        // Written before the configuration, so that after a kill the digest of either configuration is known.
        about.acknowledge(stored_digest.take().into_iter().chain([continuation::digest(config)?]), folder)?;
        // Written last: once it exists, the run has begun.
        write_whole(&folder.config(), config.to_toml()?.as_bytes())?;
        Ok(Begun { founded: self, about })
    }
}

impl<V: Variant> Begun<V> {
    /// The open run. The time since `idle_since` counts for its first stage.
    ///
    /// # Errors
    /// The record of the run is damaged or lacks stages.
    pub fn open(self, idle_since: Instant) -> Result<Run<V>> {
        let Begun { founded: Founded { stored: Stored { locked, rules, store }, ancestor, .. }, about } = self;
        let Locked { folder, lock, host, config, budget_before, .. } = locked;
        // The digest that the run began with: a shard that is written again after a kill must be identical.
        let provenance = Provenance { config_digest: about.config_digest, git_revision: host.revision.to_owned() };
        let run_log = RunLog::open(&folder, Entrants::of(&config, ancestor.is_none()))?;
        let planner = Planner::of(&config, budget_before, ancestor.is_none());
        let dataset = Dataset::new(config.training.data.clone(), config.run.seed);
        let run_id = run_id::<V>(&folder);
        let observer = Arc::new(Recorder { inner: host.observer.clone(), path: folder.progress() });
        let host = Host { observer, ..host };
        // Another number of threads calls the network now; the rate of each is that which was measured.
        let callers = |threads| config.evaluator.callers(threads) as f64;
        let more = callers(settings::threads(config.run.threads)) / callers(about.threads.max(1));
        let measured_rate = about.evaluations_per_second.map(|rate| rate * more);
        let context = StageContext { host, folder, config, rules, store, provenance, run_id, ancestor, measured_rate };
        Ok(Run { context, dataset, planner, run_log, idle_since, resting_since: None, lock })
    }
}

/// Chooses every open setting from this machine's hardware and short measurements. This is done once and kept: device,
/// precision and parts affect the run's results. A run that has begun has them, so that its self-play needs no libtorch.
fn settle<V: Variant>(config: &mut Config, network: &NetworkFile, has_begun: bool) -> Result<()> {
    // A batch takes at most half of a thread's games. With games to choose from, those that lag behind come first, and
    // batches stay full to the end of a generation; larger ones would be faster by a few per cent at best.
    let leaves = (config.selfplay.slots as usize / 2).max(1);
    let load = Workload { threads: settings::threads(config.run.threads), leaves };
    config.evaluator = config.evaluator.resolve(network, load)?;
    if !(has_begun && config.training.is_resolved()) {
        let TrainConfig { device, precision, parts, .. } =
            config.training.resolve(&Blueprint::of::<V>(config.network.clone()))?;
        config.training = TrainConfig { device, precision, parts, ..config.training.clone() };
    }
    Ok(())
}

/// Evaluations a second with the settings just chosen. Self-play is compared with it.
fn measured_rate(config: &Config, network: &NetworkFile) -> Result<f64> {
    let callers = config.evaluator.callers(settings::threads(config.run.threads));
    Ok(train::best_rate(network, &config.evaluator, callers)?)
}

/// Writes `run.json` for a run that begins now.
fn write_about<V: Variant>(
    folder: &RunFolder,
    config: &Config,
    from: Option<Ancestor>,
    evaluations_per_second: Option<f64>,
    host: &Host,
) -> Result<About> {
    let about = About {
        run_id: run_id::<V>(folder),
        variant: V::ID.to_owned(),
        title: V::TITLE.to_owned(),
        ruleset: config.rules.resolve::<V>()?.name().to_owned(),
        seed: config.run.seed,
        kirin_version: host.version.to_owned(),
        git_revision: host.revision.to_owned(),
        config_digest: continuation::digest(config)?,
        config_digests: vec![continuation::digest(config)?],
        threads: settings::threads(config.run.threads),
        evaluations_per_second,
        started_at_ms: now_ms(),
        from,
    };
    about.write(folder)?;
    Ok(about)
}

/// The name of a run in its data: the variant and the folder's name.
pub fn run_id<V: Variant>(folder: &RunFolder) -> String {
    let name = folder.root().file_name().map_or_else(|| "run".into(), |name| name.to_string_lossy());
    format!("{}-{name}", V::ID)
}

/// Removes temporary files of a killed program, and returns their paths; the store cleans its own folders.
fn remove_stale_temporaries(folder: &RunFolder) -> Result<Vec<PathBuf>> {
    let mut removed = durable::remove_stale_temporaries(folder.root())?;
    for subfolder in folder.subfolders() {
        removed.extend(durable::remove_stale_temporaries(&subfolder)?);
    }
    Ok(removed)
}
