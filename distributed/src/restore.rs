//! The trainer's folder from the store: rebuilt if it is missing, updated if it is behind.

use super::gather::Gatherer;
use super::objects::{Begun, Generation};
use super::publish::is_ours;
use super::settled;
use crate::error::{Result, RoleError};
use crate::store::Store;
use data::durable;
use lab::events::Stage;
use lab::stages::rules_games;
use lab::{Gathered, Record, Run, RunFolder, run_id, write_whole};
use rules::Variant;

/// Checks that the folder is for the run in the store. An empty folder gets the files of a new run.
pub(super) fn prepare<V: Variant>(store: &Store, begun: &Begun, folder: &RunFolder) -> Result<()> {
    let ours = run_id::<V>(folder);
    if ours != begun.about.run_id {
        let (url, theirs, folder) = (store.url().to_owned(), begun.about.run_id.clone(), folder.root().to_owned());
        return Err(RoleError::OtherRun { url, theirs, ours, folder });
    }
    if durable::is_there(&folder.config())? {
        return Ok(());
    }
    if begun.network.generation > 0 || begun.about.from.is_some() {
        let (url, folder) = (store.url().to_owned(), folder.root().to_owned());
        return Err(RoleError::BeganElsewhere { url, first: begun.network.generation, folder });
    }
    durable::create_folder(folder.root())?;
    for subfolder in folder.subfolders() {
        durable::create_folder(&subfolder)?;
    }
    write_whole(&folder.network(0), &begun.network.file.read(store)?)?;
    begun.about.write(folder)?;
    // Written last: once it exists, the run has begun.
    let config = settled::config(store, begun)?;
    Ok(write_whole(&folder.config(), config.to_toml()?.as_bytes())?)
}

/// Repeats in the folder the generations of the store that it lacks. Returns false if a stop was asked for before the
/// end.
pub(super) fn catch_up<V: Variant>(
    run: &mut Run<V>,
    store: &Store,
    newest: Option<&Generation>,
    gatherer: &mut Gatherer<'_>,
) -> Result<bool> {
    let Some(newest) = newest else { return Ok(true) };
    let theirs = newest.generation;
    let (done, planned) = (done(run), run.record().plans.last().map_or(0, |plan| plan.generation));
    let off_course = || RoleError::OffCourse {
        folder: run.folder().root().to_owned(),
        url: store.url().to_owned(),
        ours: planned,
        theirs,
    };
    let common = Generation::read(store, done.min(theirs))?;
    let same = common.map_or(Ok(true), |common| is_ours(run, &common))?;
    if !same || (theirs > done && planned > done && !is_half_adopted(run, store, done + 1)?) {
        return Err(off_course());
    }
    for generation in done + 1..=theirs {
        let Some(published) = Generation::read(store, generation)? else {
            let key = super::objects::generation_key(generation);
            return Err(super::objects::unusable(store, &key, "it is missing"));
        };
        if published.plan.rules_games > 0 {
            if rules_games::play(run.context(), &published.plan)?.is_none() {
                return Ok(false);
            }
        } else {
            gatherer.again(run.context(), generation, &published.gathered)?;
        }
        let folder = run.folder();
        if published.network.generation == generation {
            write_whole(&folder.network(generation), &published.network.file.read(store)?)?;
        }
        if let Some(checkpoint) = &published.checkpoint
            && generation == newest.network.generation
        {
            write_whole(&folder.checkpoint(generation), &checkpoint.read(store)?)?;
        }
        run.adopt(&published.plan, &published.events)?;
        if run.context().host.is_stopped() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether nothing lies behind the last plan but what `generation` of the store has: a program was killed while it adopted
/// that generation.
fn is_half_adopted<V: Variant>(run: &Run<V>, store: &Store, generation: u32) -> Result<bool> {
    let Record { plans, events, .. } = run.record();
    if Gathered::read(run.folder(), generation)?.is_some() {
        return Ok(false);
    }
    let Some(published) = Generation::read(store, generation)? else { return Ok(false) };
    let mut own = events.iter().filter(|event| event.generation == generation);
    Ok(plans.last() == Some(&published.plan) && own.all(|event| published.events.contains(event)))
}

/// The newest generation trained in the folder.
pub(super) fn done<V: Variant>(run: &Run<V>) -> u32 {
    let trained = |stage: &Stage| matches!(stage, Stage::Train(_) | Stage::Untrained(_));
    let events = run.record().events.iter().filter(|event| trained(&event.stage));
    events.map(|event| event.generation).max().unwrap_or(0)
}
