//! The trainer: gathers games, trains, publishes networks. A run has one trainer.

use super::gather::Gatherer;
use super::objects::{Begun, generation_key, longer_key};
use super::{Left, later, newest_after, publish, restore, settled};
use crate::error::{Result, RoleError};
use crate::store::{RetryPolicy, Store, StoreError};
use data::durable;
use lab::memory::Worker;
use lab::{Config, Host, RunFolder, Task};
use lab::{Ended, Run};
use rules::Variant;
use std::time::Duration;

/// Options of a trainer, in addition to the configuration.
#[derive(Clone, Copy, Debug)]
pub struct TrainerOptions {
    /// Time between two looks at a store that had nothing new.
    pub poll: Duration,
    /// Whether shards that were lost from the store are left out. Otherwise it waits for them.
    pub skip_lost: bool,
}

/// A trainer at work.
pub struct Trainer<'a, V: Variant> {
    run: Run<V>,
    store: &'a Store,
    begun: Begun,
    gatherer: Gatherer<'a>,
    /// The newest generation that is in the store.
    published: u32,
    /// Whether the folder has everything that the store has.
    up_to_date: bool,
}

impl<'a, V: Variant> Trainer<'a, V> {
    /// Opens the run of the store in its folder: begins it, resumes it, or rebuilds the folder.
    ///
    /// # Errors
    /// The settings differ from the run's, the folder belongs to another run or has diverged from the store, a finished run
    /// comes into a new store, or a file or object cannot be read or written.
    pub fn open(
        config: &Config,
        folder: RunFolder,
        store: &'a Store,
        options: TrainerOptions,
        host: Host,
    ) -> Result<Trainer<'a, V>> {
        let begun = Begun::read(store)?;
        if begun.is_none() && folder.gathered().exists() {
            let (url, folder) = (store.url().to_owned(), folder.root().to_owned());
            return Err(RoleError::StoreLost { url, folder });
        }
        if let Some(begun) = &begun {
            settled::agreed(store, begun, config, &host)?;
            restore::prepare::<V>(store, begun, &folder)?;
        }
        if config.run.budget().is_some() {
            return Err(RoleError::Budget { budget: config.run.budget.clone() });
        }
        let mut run = Run::<V>::open_by(Worker::Trainer, config, folder, None, host)?;
        let begun = match begun {
            Some(begun) => begun,
            None if run.next_task_but_matches()?.is_none() => {
                return Err(RoleError::Finished { folder: run.folder().root().to_owned() });
            }
            None => publish::begin(&run, store)?,
        };
        // This folder shows that the run has been in a store.
        durable::create_folder(&run.folder().gathered())?;
        let newest = newest_after(store, begun.network.generation)?;
        let published = newest.as_ref().map_or(begun.network.generation, |newest| newest.generation);
        let after = u64::from(published) + 1;
        let key = |number: u64| generation_key(number as u32);
        if restore::done(&run) <= published
            && let Some(later) = later(store, after, RetryPolicy::default(), key)?
        {
            return Err(RoleError::Gap { url: store.url().to_owned(), key: key(after), later });
        }
        let next = newest.as_ref().map(|newest| newest.gathered.next.clone()).unwrap_or_default();
        let mut gatherer = Gatherer::new(store, options.poll, run.context(), next)?;
        gatherer.skip_lost = options.skip_lost;
        let up_to_date = restore::catch_up(&mut run, store, newest.as_ref(), &mut gatherer)?;
        gatherer.resume_after(run.context(), published)?;
        Ok(Trainer { run, store, begun, gatherer, published, up_to_date })
    }

    /// The run in its folder.
    pub fn run(&self) -> &Run<V> {
        &self.run
    }

    /// Gathers and trains until the run is finished.
    ///
    /// # Errors
    /// The store cannot be reached, a stage failed, or another trainer was faster. Finished work is kept.
    pub fn work(self) -> Result<Left> {
        let host = self.run.context().host.clone();
        match self.work_on() {
            // Finished work is in the folder, and the next trainer publishes it.
            Err(RoleError::Store(StoreError::Stopped { .. } | StoreError::Unreachable { .. })) if host.is_stopped() => {
                Ok(Left::Stopped)
            }
            left => left,
        }
    }

    fn work_on(mut self) -> Result<Left> {
        if !self.up_to_date {
            return Ok(Left::Stopped);
        }
        // A generation that was trained and not published before a kill.
        for generation in self.published + 1..=restore::done(&self.run) {
            publish::generation(&self.run, self.store, &self.begun, generation)?;
        }
        while let Some((plan, task)) = self.run.next_task_but_matches()? {
            if self.run.context().host.is_stopped() {
                return Ok(Left::Stopped);
            }
            if let Some(before) = self.run.record().plans.iter().find(|before| before.generation + 1 == plan.generation)
                && before.last
            {
                // More generations are wanted than when the run was begun. Workers and referees that ended with the
                // last one may resume.
                let said = format!("{{\"after\": {}}}\n", before.generation);
                self.store.put_new(&longer_key(before.generation), said.into_bytes())?;
            }
            let gatherer = &mut self.gatherer;
            let ended = self.run.perform_with(&plan, task, |context, plan, _| gatherer.gather(context, plan))?;
            if ended == Ended::Stopped {
                return Ok(Left::Stopped);
            }
            if task == Task::Training {
                publish::generation(&self.run, self.store, &self.begun, plan.generation)?;
            }
        }
        Ok(Left::Over)
    }
}
