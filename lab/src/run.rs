//! A run in progress, stage by stage.

mod opening;

pub use opening::run_id;

use crate::config::Config;
use crate::error::{LabError, Result};
use crate::events::{self, Event, Repaired, Stage};
use crate::folder::RunFolder;
use crate::host::Host;
use crate::memory::Worker;
use crate::observer::{Notice, Task};
use crate::plan::Plan;
use crate::planner::Planner;
use crate::run_log::{Record, RunLog};
use crate::stages::training::{self, Trained};
use crate::stages::{StageContext, matches, rules_games, selfplay};
use crate::timestamp::now_ms;
use crate::{gaps, health};
use data::durable::is_there;
use data::{DataError, durable};
use opening::Locked;
use rules::{Rules, Variant};
use std::fs::File;
use std::path::Path;
use std::time::Instant;
use train::{Dataset, TrainError};

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
    context: StageContext<V>,
    dataset: Dataset<V>,
    planner: Planner,
    run_log: RunLog,
    /// When the previous stage ended, or when opening the run began.
    idle_since: Instant,
    /// When it began to rest; `None` while it works.
    resting_since: Option<Instant>,
    /// Held as long as the run is open.
    lock: File,
}

impl<V: Variant> Run<V> {
    /// Opens the run of `config` in `folder`, new or continued. A new run begins from the newest network and the games
    /// of the run in the folder `from`, from the network file `from`, or from scratch.
    ///
    /// # Errors
    /// Another program works in the folder, it holds a run with other settings or one that began differently, the run
    /// in `from` does not fit, or a file cannot be read or written.
    pub fn open(config: &Config, folder: RunFolder, from: Option<&Path>, host: Host) -> Result<Run<V>> {
        Run::open_by(Worker::Run, config, folder, from, host)
    }

    /// Like [`open`](Self::open), for a role that does only part of the work.
    ///
    /// # Errors
    /// As of [`open`](Self::open).
    pub fn open_by(
        worker: Worker,
        config: &Config,
        folder: RunFolder,
        from: Option<&Path>,
        host: Host,
    ) -> Result<Run<V>> {
        let idle_since = Instant::now();
        let locked = Locked::take::<V>(config, folder, from, host)?;
        locked.open_data(worker)?.found(from)?.begin()?.open(idle_since)
    }

    /// The folder of the run.
    pub fn folder(&self) -> &RunFolder {
        &self.context.folder
    }

    /// What the stages of the run work with.
    pub fn context(&self) -> &StageContext<V> {
        &self.context
    }

    /// What has been planned and done.
    pub fn record(&self) -> &Record {
        self.run_log.record()
    }

    /// Records a generation that was planned and done elsewhere; its games and files are already in the folder. What a
    /// killed program has recorded of it stays.
    ///
    /// # Errors
    /// A log cannot be written.
    pub fn adopt(&mut self, plan: &Plan, events: &[Event]) -> Result<()> {
        if self.record().plans.last() != Some(plan) {
            self.run_log.plan(plan.clone())?;
        }
        for event in events {
            if !self.record().events.contains(event) {
                self.run_log.add(event.clone())?;
            }
        }
        Ok(())
    }

    /// The configuration, with every open setting chosen.
    pub fn config(&self) -> &Config {
        &self.context.config
    }

    /// Limits the length of all later matches to this many plies, opening included.
    pub(crate) fn limit_matches(&mut self, plies: u32) {
        self.context.config.evaluation.max_plies = plies;
    }

    /// The rule set.
    pub fn rules(&self) -> Rules<V> {
        self.context.rules
    }

    /// Threads to work with.
    pub fn threads(&self) -> usize {
        self.context.threads()
    }

    /// Total seconds of its finished stages.
    pub fn seconds(&self) -> f64 {
        self.run_log.record().events.iter().map(|event| event.seconds).sum()
    }

    /// Pauses the clock of this run, while others use the machine, until [`wake`](Self::wake).
    pub(crate) fn rest(&mut self) {
        self.resting_since = Some(Instant::now());
    }

    /// Ends a [`rest`](Self::rest).
    pub(crate) fn wake(&mut self) {
        if let Some(since) = self.resting_since.take() {
            self.idle_since += since.elapsed();
        }
    }

    /// The newest network, by its generation; 0 is the run's initial network.
    pub fn newest_network(&self) -> u32 {
        self.run_log.record().network_before(u32::MAX)
    }

    /// The next stage and the plan it belongs to; plans the next generation if one is finished. `None` when the run is
    /// complete.
    ///
    /// # Errors
    /// The plan cannot be written down.
    pub fn next_task(&mut self) -> Result<Option<(Plan, Task)>> {
        self.next_due(|record, config| record.due_with_matches(&config.evaluation))
    }

    /// Like [`next_task`](Self::next_task), but postpones matches.
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
            if let Some((plan, task)) = due(self.run_log.record(), &self.context.config) {
                return Ok(Some((plan.clone(), task)));
            }
            let Some(plan) = self.planner.next(&self.run_log.record().plans, &self.run_log.record().events) else {
                return Ok(None);
            };
            self.context
                .host
                .observer
                .notice(&Notice::Planned { plan: &plan, slots: self.context.config.selfplay.slots });
            self.run_log.plan(plan)?;
        }
    }

    /// Performs a task of a planned generation and records the result.
    ///
    /// # Errors
    /// The stage failed; what was finished before is kept.
    pub fn perform(&mut self, plan: &Plan, task: Task) -> Result<Ended> {
        if task == Task::Selfplay {
            self.require_slots()?;
        }
        self.perform_with(plan, task, selfplay::play)
    }

    /// Refuses to continue without the slots file if it held unfinished games of an earlier generation.
    fn require_slots(&self) -> Result<()> {
        let (folder, Record { plans, events, .. }) = (&self.context.folder, self.run_log.record());
        let path = folder.slots();
        match gaps::newest_searched(folder, plans, events)? {
            Some(generation) if !is_there(&path)? => {
                // Where the whole folder is gone, only that is said.
                self.require_folder()?;
                Err(LabError::SlotsMissing { path, generation })
            }
            _ => Ok(()),
        }
    }

    /// Refuses to work in a folder that was moved or deleted.
    fn require_folder(&self) -> Result<()> {
        if durable::is_in_place(&self.lock, &self.context.folder.lock_file()) {
            return Ok(());
        }
        Err(DataError::Vanished { path: self.context.folder.root().to_owned() }.into())
    }

    /// Like [`perform`](Self::perform), with another source of self-play games. It is given the plan and the newest
    /// network, and commits the games; it returns `None` if it was stopped.
    ///
    /// # Errors
    /// The stage failed; what was finished before is kept.
    pub fn perform_with<E: From<LabError>>(
        &mut self,
        plan: &Plan,
        task: Task,
        play: impl FnOnce(&StageContext<V>, &Plan, u32) -> Result<Option<events::Selfplay>, E>,
    ) -> Result<Ended, E> {
        self.require_folder()?;
        let begin = Instant::now();
        let seconds_before = begin.duration_since(self.idle_since).as_secs_f64();
        let generation = plan.generation;
        let previous = self.run_log.record().network_before(generation);
        let (stage, speed) = match task {
            Task::RulesGames => match rules_games::play(&self.context, plan)? {
                Some(figures) => (Stage::Selfplay(figures), None),
                None => return Ok(Ended::Stopped),
            },
            Task::Selfplay => match play(&self.context, plan, previous)? {
                Some(figures) => (Stage::Selfplay(figures), None),
                None => return Ok(Ended::Stopped),
            },
            Task::Training => match self.train(plan, previous)? {
                Trained::Network(figures, samples_per_second) => (Stage::Train(figures), Some(samples_per_second)),
                Trained::Nothing(window) => (Stage::Untrained(window), None),
                Trained::Stopped => return Ok(Ended::Stopped),
            },
            Task::Match { network, opponent, pairs } => {
                let is_on_record = self.run_log.record().is_on_record(network, opponent);
                match matches::play(&self.context, generation, network, opponent, pairs, is_on_record)? {
                    Some(figures) => (Stage::Match(self.run_log.record().placed(figures)), None),
                    None => return Ok(Ended::Stopped),
                }
            }
        };
        let time = begin.elapsed();
        self.context.host.observer.notice(&Notice::Finished { generation, stage: &stage, time, speed });
        let (at_ms, seconds) = (now_ms(), time.as_secs_f64());
        self.run_log.add(Event { at_ms, generation, seconds, seconds_before, stage: stage.clone() })?;
        for (generation, figure) in &health::newly_ill(&self.run_log.record().events) {
            self.context.host.observer.notice(&Notice::Ill { generation: *generation, figure });
        }
        self.idle_since = begin + time;
        if matches!(stage, Stage::Train(_)) {
            self.prune_checkpoints(generation);
        }
        Ok(Ended::Done(stage))
    }

    /// Trains a generation. If the checkpoint that it resumes from is damaged, the checkpoint is rebuilt first.
    fn train(&mut self, plan: &Plan, previous: u32) -> Result<Trained> {
        match training::train(&self.context, &mut self.dataset, plan, previous) {
            Err(LabError::Resume(problem)) if previous > 0 && problem.is_damage() => {
                if !self.make_again(plan.generation, previous, problem)? {
                    return Ok(Trained::Stopped);
                }
                training::train(&self.context, &mut self.dataset, plan, previous)
            }
            trained => trained,
        }
    }

    /// Rebuilds the damaged checkpoint of a network from the one before it, and records that; false if it was stopped.
    fn make_again(&mut self, generation: u32, network: u32, problem: TrainError) -> Result<bool> {
        let record = self.run_log.record();
        let plan = record.plans.iter().find(|plan| plan.generation == network).cloned();
        let made = record.events.iter().find_map(|event| match &event.stage {
            Stage::Train(train) if event.generation == network => Some((train.steps, train.network.clone())),
            _ => None,
        });
        let (Some(plan), Some((steps, id))) = (plan, made) else { return Err(LabError::Resume(problem)) };
        let before = record.network_before(network);
        self.context.host.observer.notice(&Notice::CheckpointDamaged { network, problem: &problem });
        let begin = Instant::now();
        let again =
            training::again(&self.context, &mut self.dataset, &plan, steps, before).map_err(|error| match error {
                LabError::Resume(source) => {
                    LabError::NoCheckpoint { network, before, newest: self.context.folder.network(network), source }
                }
                error => error,
            })?;
        let Some(again) = again else { return Ok(false) };
        let repaired = Repaired { network, from: before, steps, same: again == id, reason: problem.to_string() };
        let (stage, time) = (Stage::Repaired(repaired), begin.elapsed());
        self.context.host.observer.notice(&Notice::Finished { generation, stage: &stage, time, speed: None });
        // Its time is counted in the training that needed it.
        self.run_log.add(Event { at_ms: now_ms(), generation, seconds: 0.0, seconds_before: 0.0, stage })?;
        Ok(true)
    }

    /// Removes the checkpoint that is no longer needed after a network was made: those of the last two networks stay.
    fn prune_checkpoints(&self, generation: u32) {
        let kept = self.run_log.record().network_before(generation);
        if kept > 0 {
            // A leftover checkpoint only costs space.
            let _ = std::fs::remove_file(self.context.folder.checkpoint(self.run_log.record().network_before(kept)));
        }
    }
}
