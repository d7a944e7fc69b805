//! A run in progress, stage by stage.

use crate::about::About;
use crate::branch::{self, Ancestor, Source};
use crate::config::Config;
use crate::continuation::{self, Continuation};
use crate::error::{LabError, Result};
use crate::events::{self, Event, Repaired, Stage};
use crate::folder::RunFolder;
use crate::gaps;
use crate::health;
use crate::host::Host;
use crate::memory::{self, Worker};
use crate::observer::{Notice, Task};
use crate::pairing::Entrants;
use crate::plan::Plan;
use crate::planner::Planner;
use crate::progress::Recorder;
use crate::run_log::{Record, RunLog};
use crate::stages::training::{self, Trained};
use crate::stages::{StageContext, matches, rules_games, selfplay};
use data::bounded::is_there;
use data::durable;
use data::{DataError, DataStore, MANIFEST, Provenance};
use rules::encode::Shape;
use rules::{Rules, Variant};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use train::{Blueprint, Dataset, NetworkFile, TrainConfig, TrainError, Workload};

/// How a stage ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// It is done, with these figures.
    Done(Stage),
    /// The host asked to stop; the same stage comes again.
    Stopped,
}

/// A run that this process works on. Its folder is locked as long as this lives.
pub struct Run<V: Variant> {
    place: StageContext<V>,
    dataset: Dataset<V>,
    planner: Planner,
    run_log: RunLog,
    /// When the stage before was over, or this began to open the run.
    idle_since: Instant,
    /// When it began to rest, while it does.
    resting_since: Option<Instant>,
    /// Held as long as the run is open.
    lock: File,
}

impl<V: Variant> Run<V> {
    /// Opens the run of `config` in `folder`, begun anew or continued. A run that begins does so from the newest network
    /// and the games of the run whose folder is `from`, from the network whose file that is, or from nothing.
    ///
    /// # Errors
    /// Another program works in the folder, it holds a run with other settings or one that began otherwise, the run in
    /// `from` does not fit, or a file cannot be read or written.
    pub fn open(config: &Config, folder: RunFolder, from: Option<&Path>, host: Host) -> Result<Run<V>> {
        Run::open_by(Worker::Run, config, folder, from, host)
    }

    /// The same for a role that does a part of the work.
    pub(crate) fn open_by(
        worker: Worker,
        config: &Config,
        folder: RunFolder,
        from: Option<&Path>,
        host: Host,
    ) -> Result<Run<V>> {
        let idle_since = Instant::now();
        // Before anything is made, so that a run that does not fit leaves no folder behind.
        let source = match from {
            Some(from) if !is_there(&folder.config())? => Some(Source::open::<V>(from, config)?),
            _ => None,
        };
        let lock = folder.lock()?;
        let Continuation { mut config, has_begun, budget_before, stored_digest } = Continuation::of(&folder, config)?;
        config.run.folder = folder.root().display().to_string();
        let rules = config.rules.resolve::<V>()?;
        memory::require(&config, &Shape::of::<V>(config.network.features), worker, memory::available())?;
        let temporaries = remove_stale_temporaries(&folder)?;
        for subfolder in folder.subfolders() {
            durable::create_folder(&subfolder)?;
        }
        // Before opening the data sets aside what the manifest does not list: a repair can list it again.
        let manifest_was_there = is_there(&folder.data().join(MANIFEST))?;
        if has_begun && manifest_was_there {
            continuation::require_its_games(&folder)?;
        }
        let (store, mut recovery) = DataStore::open(&folder.data())?;
        if has_begun && !manifest_was_there {
            continuation::require_its_games(&folder)?;
        }
        recovery.temporaries.extend(temporaries);
        if !recovery.is_clean() {
            host.observer.notice(&Notice::Recovered(&recovery));
        }
        // Without a stored config the run has not begun: what lies there may be of other settings.
        let about = if has_begun { About::read(&folder)? } else { None };
        let ancestor = about.as_ref().and_then(|about| about.from.clone());
        let ancestor = match (source, from) {
            (Some(source), _) if !has_begun => {
                let ancestor = source.take::<V>(&folder, &store, &config)?;
                host.observer.notice(&Notice::BegunFrom(&ancestor));
                Some(ancestor)
            }
            (_, Some(from)) => Some(branch::same_ancestor(&folder, from, ancestor)?),
            (_, None) => ancestor,
        };
        let first_network = folder.network(0);
        if ancestor.is_none() && !(has_begun && is_there(&first_network)?) {
            branch::require_no_other_games::<V>(&folder, &store)?;
            let blueprint = Blueprint::of::<V>(config.network.clone());
            NetworkFile::untrained(blueprint, config.run.seed)?.write(&first_network)?;
        }
        let network = NetworkFile::read(&first_network)?;
        let given = config.evaluator.clone();
        settle::<V>(&mut config, &network)?;
        let mut about = match about {
            Some(about) => about,
            None => {
                let measured = (given != config.evaluator).then(|| measured_rate(&config, &network)).transpose()?;
                begin::<V>(&folder, &config, ancestor.clone(), measured, &host)?
            }
        };
        // Before the configuration, so that whichever is there after a kill is known.
        about.acknowledge(stored_digest.into_iter().chain([continuation::digest(&config)?]), &folder)?;
        // Last, because with it the run has begun.
        let text = config.to_toml()?;
        durable::write_atomically(&folder.config(), |out| std::io::Write::write_all(out, text.as_bytes()))?;
        // The digest that the run began with: a shard that is written again after a kill must not differ from itself.
        let provenance = Provenance { config_digest: about.config_digest, git_revision: host.revision.to_owned() };
        let run_log = RunLog::open(&folder, Entrants::of(&config, ancestor.is_none()))?;
        let planner = Planner::of(&config, budget_before, ancestor.is_none());
        let dataset = Dataset::new(config.training.data.clone(), config.run.seed);
        let run_id = run_id::<V>(&folder);
        let observer = Arc::new(Recorder { inner: host.observer.clone(), path: folder.progress() });
        let host = Host { observer, ..host };
        let measured_rate = about.evaluations_per_second;
        let place = StageContext { host, folder, config, rules, store, provenance, run_id, ancestor, measured_rate };
        Ok(Run { place, dataset, planner, run_log, idle_since, resting_since: None, lock })
    }

    /// Where the run lies.
    pub fn folder(&self) -> &RunFolder {
        &self.place.folder
    }

    /// What its stages work with.
    pub(crate) fn place(&self) -> &StageContext<V> {
        &self.place
    }

    /// What has been planned and done.
    pub(crate) fn record(&self) -> &Record {
        self.run_log.record()
    }

    /// Writes down a generation that was planned and done elsewhere; its games and files are in the folder.
    pub(crate) fn adopt(&mut self, plan: &Plan, events: &[Event]) -> Result<()> {
        self.run_log.plan(plan.clone())?;
        events.iter().try_for_each(|event| self.run_log.add(event.clone()))
    }

    /// The configuration, with everything settled that it left open.
    pub fn config(&self) -> &Config {
        &self.place.config
    }

    /// Lets no match that comes now be longer than this, opening included.
    pub(crate) fn limit_matches(&mut self, plies: u32) {
        self.place.config.evaluation.max_plies = plies;
    }

    /// The rule set.
    pub fn rules(&self) -> Rules<V> {
        self.place.rules
    }

    /// Threads to work with.
    pub fn threads(&self) -> usize {
        self.place.threads()
    }

    /// Seconds that its finished stages took, all together.
    pub fn seconds(&self) -> f64 {
        self.run_log.record().events.iter().map(|event| event.seconds).sum()
    }

    /// Others have the machine from now on: the time until [`wake`](Self::wake) is not the run's.
    pub(crate) fn rest(&mut self) {
        self.resting_since = Some(Instant::now());
    }

    /// Ends a [`rest`](Self::rest).
    pub(crate) fn wake(&mut self) {
        if let Some(since) = self.resting_since.take() {
            self.idle_since += since.elapsed();
        }
    }

    /// The newest network, by its generation; 0 is the one that the run began with.
    pub fn newest_network(&self) -> u32 {
        self.run_log.record().network_before(u32::MAX)
    }

    /// The next stage and the plan it belongs to; plans the next generation where one is done. `None` when the run is
    /// complete.
    ///
    /// # Errors
    /// The plan cannot be written down.
    pub fn next_task(&mut self) -> Result<Option<(Plan, Task)>> {
        self.next_due(|record, config| record.due_with_matches(&config.evaluation))
    }

    /// The same as [`next_task`](Self::next_task), with matches left for later.
    ///
    /// # Errors
    /// The plan cannot be written down.
    pub fn next_task_but_matches(&mut self) -> Result<Option<(Plan, Task)>> {
        self.next_due(|record, _| record.due())
    }

    fn next_due(
        &mut self,
        due: impl for<'a> Fn(&'a Record, &Config) -> Option<(&'a Plan, Task)>,
    ) -> Result<Option<(Plan, Task)>> {
        loop {
            if let Some((plan, task)) = due(self.run_log.record(), &self.place.config) {
                return Ok(Some((plan.clone(), task)));
            }
            let Some(plan) = self.planner.next(&self.run_log.record().plans, &self.run_log.record().events) else {
                return Ok(None);
            };
            self.place.host.observer.notice(&Notice::Planned { plan: &plan, slots: self.place.config.selfplay.slots });
            self.run_log.plan(plan)?;
        }
    }

    /// Does a task of a planned generation and writes down what came of it.
    ///
    /// # Errors
    /// The stage failed; what was finished before is kept.
    pub fn perform(&mut self, plan: &Plan, task: Task) -> Result<Ended> {
        if task == Task::Selfplay {
            self.require_slots()?;
        }
        self.perform_with(plan, task, selfplay::play)
    }

    /// Refuses to play on without the file of the slots where games of an earlier generation went on in it.
    fn require_slots(&self) -> Result<()> {
        let (folder, Record { plans, events, .. }) = (&self.place.folder, self.run_log.record());
        let path = folder.slots();
        match gaps::newest_searched(folder, plans, events)? {
            Some(generation) if !is_there(&path)? => Err(LabError::SlotsMissing { path, generation }),
            _ => Ok(()),
        }
    }

    /// The same with another way to come by the games of self-play. It is given the plan and the newest network, and leaves
    /// the games committed; `None` if it was stopped.
    pub(crate) fn perform_with(
        &mut self,
        plan: &Plan,
        task: Task,
        play: impl FnOnce(&StageContext<V>, &Plan, u32) -> Result<Option<events::Selfplay>>,
    ) -> Result<Ended> {
        if !durable::is_in_place(&self.lock, &self.place.folder.lock_file()) {
            return Err(DataError::Vanished { path: self.place.folder.root().to_owned() }.into());
        }
        let begin = Instant::now();
        let seconds_before = begin.duration_since(self.idle_since).as_secs_f64();
        let generation = plan.generation;
        let previous = self.run_log.record().network_before(generation);
        let (stage, speed) = match task {
            Task::RulesGames => match rules_games::play(&self.place, plan)? {
                Some(figures) => (Stage::Selfplay(figures), None),
                None => return Ok(Ended::Stopped),
            },
            Task::Selfplay => match play(&self.place, plan, previous)? {
                Some(figures) => (Stage::Selfplay(figures), None),
                None => return Ok(Ended::Stopped),
            },
            Task::Training => match self.train(plan, previous)? {
                Trained::Network(figures, samples_per_second) => (Stage::Train(figures), Some(samples_per_second)),
                Trained::Nothing(window) => (Stage::Untrained(window), None),
                Trained::Stopped => return Ok(Ended::Stopped),
            },
            Task::Match { network, opponent, pairs } => {
                match matches::play(&self.place, generation, network, opponent, pairs)? {
                    Some(figures) => (Stage::Match(figures), None),
                    None => return Ok(Ended::Stopped),
                }
            }
        };
        let time = begin.elapsed();
        self.place.host.observer.notice(&Notice::Finished { generation, stage: &stage, time, speed });
        let (at_ms, seconds) = (now_ms(), time.as_secs_f64());
        self.run_log.add(Event { at_ms, generation, seconds, seconds_before, stage: stage.clone() })?;
        for (generation, figure) in &health::newly_ill(&self.run_log.record().events) {
            self.place.host.observer.notice(&Notice::Ill { generation: *generation, figure });
        }
        self.idle_since = begin + time;
        if task == Task::Training {
            self.prune_checkpoints(generation);
        }
        Ok(Ended::Done(stage))
    }

    /// Trains a generation. Where the checkpoint that it goes on from is damaged, that is made again first.
    fn train(&mut self, plan: &Plan, previous: u32) -> Result<Trained> {
        match training::train(&self.place, &mut self.dataset, plan, previous) {
            Err(LabError::Resume(problem)) if previous > 0 && problem.is_damage() => {
                if !self.make_again(plan.generation, previous, problem)? {
                    return Ok(Trained::Stopped);
                }
                training::train(&self.place, &mut self.dataset, plan, previous)
            }
            trained => trained,
        }
    }

    /// Makes the damaged checkpoint of a network again, from the one before it, and writes that down; false if it was
    /// stopped.
    fn make_again(&mut self, generation: u32, network: u32, problem: TrainError) -> Result<bool> {
        let record = self.run_log.record();
        let plan = record.plans.iter().find(|plan| plan.generation == network).cloned();
        let made = record.events.iter().find_map(|event| match &event.stage {
            Stage::Train(train) if event.generation == network => Some((train.steps, train.network.clone())),
            _ => None,
        });
        let (Some(plan), Some((steps, id))) = (plan, made) else { return Err(LabError::Resume(problem)) };
        let before = record.network_before(network);
        self.place.host.observer.notice(&Notice::CheckpointDamaged { network, problem: &problem });
        let begin = Instant::now();
        let again =
            training::again(&self.place, &mut self.dataset, &plan, steps, before).map_err(|error| match error {
                LabError::Resume(source) => {
                    LabError::NoCheckpoint { network, before, newest: self.place.folder.network(network), source }
                }
                error => error,
            })?;
        let Some(again) = again else { return Ok(false) };
        let repaired = Repaired { network, from: before, steps, same: again == id, reason: problem.to_string() };
        let (stage, time) = (Stage::Repaired(repaired), begin.elapsed());
        self.place.host.observer.notice(&Notice::Finished { generation, stage: &stage, time, speed: None });
        // Its time is part of that of the training for which it was done.
        self.run_log.add(Event { at_ms: now_ms(), generation, seconds: 0.0, seconds_before: 0.0, stage })?;
        Ok(true)
    }

    /// Removes the checkpoint that is no longer needed: those of the last two networks stay.
    fn prune_checkpoints(&self, generation: u32) {
        let kept = self.run_log.record().network_before(generation);
        if kept > 0 {
            // One that cannot be removed costs space and nothing else.
            let _ = std::fs::remove_file(self.place.folder.checkpoint(self.run_log.record().network_before(kept)));
        }
    }
}

/// Settles what the configuration leaves open, by what this machine has and by short measurements. It is done once and
/// then kept: device, precision and parts belong to the run's results.
fn settle<V: Variant>(config: &mut Config, network: &NetworkFile) -> Result<()> {
    // A batch takes half of a thread's games at most. With some to choose from, those that are behind come first, and
    // batches are full to the end of a generation; larger ones would be faster by a few per cent at best.
    let leaves = (config.selfplay.slots as usize / 2).max(1);
    let load = Workload { threads: settings::threads(config.run.threads), leaves };
    config.evaluator = config.evaluator.resolve(network, load)?;
    let TrainConfig { device, precision, parts, .. } =
        config.training.resolve(&Blueprint::of::<V>(config.network.clone()))?;
    config.training = TrainConfig { device, precision, parts, ..config.training.clone() };
    Ok(())
}

/// Evaluations a second with the settings that were chosen just now. Self-play is compared with it.
fn measured_rate(config: &Config, network: &NetworkFile) -> Result<f64> {
    let callers = config.evaluator.callers(settings::threads(config.run.threads));
    Ok(train::best_rate(network, &config.evaluator, callers)?)
}

/// Writes down what the run is that begins now.
fn begin<V: Variant>(
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
pub(crate) fn run_id<V: Variant>(folder: &RunFolder) -> String {
    let name = folder.root().file_name().map_or_else(|| "run".into(), |name| name.to_string_lossy());
    format!("{}-{name}", V::ID)
}

/// Removes what a killed program was writing, and says which files these were; the store looks after its own folders.
fn remove_stale_temporaries(folder: &RunFolder) -> Result<Vec<PathBuf>> {
    let mut removed = durable::remove_stale_temporaries(folder.root())?;
    for subfolder in folder.subfolders() {
        removed.extend(durable::remove_stale_temporaries(&subfolder)?);
    }
    Ok(removed)
}

/// Milliseconds since 1970, UTC.
pub(crate) fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64)
}
