//! A run in progress: what has been done, what comes next, and the record of both.

use crate::failure::input;
use crate::run::config::Config;
use crate::run::events::{self, Event, Stage};
use crate::run::folder::RunFolder;
use crate::run::plan::{Plan, Planner, parse_duration};
use crate::run::progress::Progress;
use crate::run::resolve;
use crate::run::stages::{matches, selfplay, training};
use anyhow::Context;
use data::durable::{self, AppendFile};
use data::{DataError, DataStore, Provenance};
use rules::{Rules, Variant};
use serde::Serialize;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use train::{Blueprint, Dataset, Load, NetworkFile, TrainConfig};

/// How a stage ended.
#[derive(Debug)]
pub enum Ended {
    /// It is done, with these figures.
    Done(Stage),
    /// The stop flag was set; the same stage comes again.
    Stopped,
}

/// One stage of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Self-play.
    Selfplay,
    /// Training.
    Train,
    /// The match against the network before.
    Match,
    /// The last network against the untrained one.
    FinalMatch,
}

/// A run that this process works on; the folder is locked as long as it lives.
pub struct Session<V: Variant> {
    pub folder: RunFolder,
    pub config: Config,
    pub rules: Rules<V>,
    pub progress: Progress,
    pub stop: Arc<AtomicBool>,
    pub store: DataStore,
    pub dataset: Dataset<V>,
    pub provenance: Provenance,
    pub run_id: String,
    planner: Planner,
    plans: Vec<Plan>,
    events: Vec<Event>,
    /// Held as long as the session lives.
    lock: File,
}

/// What a run is, for people and for the report.
#[derive(Serialize)]
struct About<'a> {
    run_id: &'a str,
    variant: &'static str,
    title: &'static str,
    ruleset: &'static str,
    seed: u64,
    kirin_version: &'static str,
    git_revision: &'static str,
    config_digest: &'a str,
    threads: usize,
    started_at_ms: i64,
}

/// The git revision this program was built from.
const GIT_REVISION: &str = env!("KIRIN_GIT_REVISION");

impl<V: Variant> Session<V> {
    /// Opens the run of `config` in `folder`, begun anew or continued.
    ///
    /// # Errors
    /// Another program works in the folder, it holds a run with other settings, or it cannot be written.
    pub fn open(config: &Config, folder: RunFolder, progress: Progress, stop: Arc<AtomicBool>) -> anyhow::Result<Self> {
        let lock = folder.lock()?;
        let mut config = resolve::resolve(&folder, config)?;
        config.run.folder = folder.root().display().to_string();
        let rules = config.rules.resolve::<V>()?;
        remove_stale_temporaries(&folder)?;
        let untrained = folder.network(0);
        // Without a stored config the run has not begun: a network that lies there may be of other settings.
        if !untrained.exists() || !folder.config().exists() {
            let blueprint = Blueprint::of::<V>(config.network.clone());
            for subfolder in folder.subfolders() {
                durable::create_folder(&subfolder)?;
            }
            NetworkFile::untrained(blueprint, config.run.seed)?.write(&untrained)?;
        }
        // What "auto" means is settled once and kept: device, precision and parts belong to the run's results.
        let load = Load { threads: threads(config.run.threads), leaves: config.selfplay.slots as usize };
        config.evaluator = config.evaluator.resolve(&NetworkFile::read(&untrained)?, load)?;
        let TrainConfig { device, precision, parts, .. } =
            config.training.resolve(&Blueprint::of::<V>(config.network.clone()))?;
        config.training = TrainConfig { device, precision, parts, ..config.training };
        let digest = resolve::digest(&config)?;
        write_text(&folder.config(), &config.to_toml()?)?;
        let run_id = run_id::<V>(&folder);
        let (store, recovery) = DataStore::open(&folder.data())?;
        if !recovery.is_clean() {
            progress.line(&format!("tidied up after a stop: {recovery:?}"));
        }
        if !folder.about().exists() {
            let about = About {
                run_id: &run_id,
                variant: V::ID,
                title: V::TITLE,
                ruleset: rules.name(),
                seed: config.run.seed,
                kirin_version: env!("CARGO_PKG_VERSION"),
                git_revision: GIT_REVISION,
                config_digest: &digest,
                threads: threads(config.run.threads),
                started_at_ms: now_ms(),
            };
            write_text(&folder.about(), &serde_json::to_string_pretty(&about)?)?;
        }
        let provenance = Provenance { config_digest: digest, git_revision: GIT_REVISION.to_owned() };
        let events = events::read(&folder.events())?;
        let plans: Vec<Plan> = events::read_lines(&folder.plan())?;
        let planner = planner(&config)?;
        let dataset = training::dataset::<V>(&config);
        Ok(Session {
            folder,
            config,
            rules,
            progress,
            stop,
            store,
            dataset,
            provenance,
            run_id,
            planner,
            plans,
            events,
            lock,
        })
    }

    /// The plan of the generation in progress and its next stage; plans the next generation where one is done.
    /// `None` when the run is complete.
    ///
    /// # Errors
    /// The plan cannot be written down.
    pub fn next(&mut self) -> anyhow::Result<Option<(Plan, Next)>> {
        loop {
            if let Some(plan) = self.plans.last()
                && let Some(next) = self.pending(plan)
            {
                return Ok(Some((plan.clone(), next)));
            }
            let Some(plan) = self.planner.next(self.plans.last(), &self.events) else { return Ok(None) };
            append(&self.folder.plan(), &plan)?;
            self.progress.line(&format!(
                "generation {}: {} moves in each of {} games at once, then {} training steps",
                plan.generation, plan.plies_per_slot, self.planner.slots, plan.steps
            ));
            self.plans.push(plan);
        }
    }

    fn pending(&self, plan: &Plan) -> Option<Next> {
        let generation = plan.generation;
        let done = |is: &dyn Fn(&Stage) -> bool| {
            self.events.iter().any(|event| event.generation == generation && is(&event.stage))
        };
        if !done(&|stage| matches!(stage, Stage::Selfplay(_))) {
            return Some(Next::Selfplay);
        }
        if !done(&|stage| matches!(stage, Stage::Train(_))) {
            return Some(Next::Train);
        }
        let played = |opponent: u32, pairs: u32| {
            done(
                &|stage| matches!(stage, Stage::Match(stage) if stage.opponent == opponent && stage.pairs >= u64::from(pairs)),
            )
        };
        let (pairs, final_pairs) = (self.config.evaluation.pairs, self.final_pairs(plan));
        // In the first generation the network before is the untrained one: one match serves both purposes.
        let last_serves_both = plan.last && generation == 1 && final_pairs >= pairs;
        if pairs > 0 && !last_serves_both && !played(generation - 1, pairs) {
            return Some(Next::Match);
        }
        (plan.last && final_pairs > 0 && !played(0, final_pairs)).then_some(Next::FinalMatch)
    }

    /// Runs one stage and writes down what came of it. Returns false if the stop flag ended it.
    ///
    /// # Errors
    /// The stage failed; what was finished before is kept.
    pub fn run_stage(&mut self, plan: &Plan, next: Next) -> anyhow::Result<bool> {
        if !durable::is_in_place(&self.lock, &self.folder.lock_file()) {
            return Err(DataError::Vanished { path: self.folder.root().to_owned() }.into());
        }
        let begin = Instant::now();
        let ended = match next {
            Next::Selfplay => selfplay::play(self, plan),
            Next::Train => training::train(self, plan),
            Next::Match => matches::play(self, plan.generation, plan.generation - 1, self.config.evaluation.pairs),
            Next::FinalMatch => matches::play(self, plan.generation, 0, self.final_pairs(plan)),
        }?;
        let Ended::Done(stage) = ended else { return Ok(false) };
        let event =
            Event { at_ms: now_ms(), generation: plan.generation, seconds: begin.elapsed().as_secs_f64(), stage };
        append(&self.folder.events(), &event)?;
        self.events.push(event);
        Ok(true)
    }

    /// Pairs of the last match.
    fn final_pairs(&self, plan: &Plan) -> u32 {
        plan.final_pairs.unwrap_or(self.config.evaluation.final_pairs)
    }

    /// Threads to work with.
    pub fn threads(&self) -> usize {
        threads(self.config.run.threads)
    }

    /// Removes checkpoints that are no longer needed: the last two stay.
    pub fn prune_checkpoints(&self, generation: u32) {
        if let Some(old) = generation.checked_sub(2).filter(|&old| old > 0) {
            // A checkpoint that cannot be removed costs space and nothing else.
            let _ = std::fs::remove_file(self.folder.checkpoint(old));
        }
    }
}

/// Threads that a setting means: 0 is one for each core.
pub fn threads(setting: usize) -> usize {
    match setting {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}

fn planner(config: &Config) -> anyhow::Result<Planner> {
    let budget = match config.run.budget.as_str() {
        "" => None,
        text => Some(parse_duration(text).map_err(input)?),
    };
    Ok(Planner {
        generations: config.run.generations,
        plies_per_slot: config.selfplay.plies_per_generation,
        slots: config.selfplay.slots,
        uses: config.run.uses,
        batch: config.training.batch as u64,
        budget,
        round_seconds: config.run.round_seconds,
        pairs: u64::from(config.evaluation.pairs),
        final_pairs: config.evaluation.final_pairs,
    })
}

/// The name of a run in its data: the variant and the folder's name.
fn run_id<V: Variant>(folder: &RunFolder) -> String {
    let name = folder.root().file_name().map_or_else(|| "run".into(), |name| name.to_string_lossy());
    format!("{}-{name}", V::ID)
}

/// Removes what a killed program was writing; the store looks after its own folders.
fn remove_stale_temporaries(folder: &RunFolder) -> anyhow::Result<()> {
    durable::remove_stale_temporaries(folder.root())?;
    for subfolder in folder.subfolders() {
        durable::remove_stale_temporaries(&subfolder)?;
    }
    Ok(())
}

fn write_text(path: &Path, text: &str) -> anyhow::Result<()> {
    durable::write_atomically(path, |out| std::io::Write::write_all(out, text.as_bytes()))?;
    Ok(())
}

/// Appends a JSON line, after cutting off a line torn by a crash.
fn append(path: &Path, value: &impl Serialize) -> anyhow::Result<()> {
    let text = std::fs::read(path).or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Ok(Vec::new()),
        _ => Err(error),
    });
    let text = text.with_context(|| format!("cannot read {}", path.display()))?;
    let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let mut line = serde_json::to_string(value)?;
    line.push('\n');
    AppendFile::open(path, Some(whole as u64))?.append(line.as_bytes())?;
    Ok(())
}

/// Milliseconds since 1970, UTC.
fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64)
}
