//! The trainer's uploads: the run when it begins, and each generation when it is trained.

use super::history_hints;
use super::objects::{
    Begun, FORMAT, FileObject, Generation, MatchRequest, NetworkObject, RUN, generation_key, put_file, put_json,
};
use crate::error::{Result, RoleError};
use crate::store::{Placed, Store};
use lab::events::Stage;
use lab::{About, Gathered, read_whole};
use lab::{LabError, Run};
use rules::Variant;
use std::path::Path;
use train::NetworkFile;

/// Uploads the newest network and the description of the run. A second trainer finds the objects of the first.
pub(super) fn begin<V: Variant>(run: &Run<V>, store: &Store) -> Result<Begun> {
    // Only this call creates a store.
    store.create()?;
    let folder = run.folder();
    let about = About::read(folder)?.ok_or_else(|| LabError::NoRun { folder: folder.root().to_owned() })?;
    let newest = run.newest_network();
    let newest_plan = run.record().plans.iter().rfind(|plan| plan.generation <= newest);
    let begun = Begun {
        format: FORMAT,
        about,
        config: run.config().to_toml()?,
        network: network(store, &folder.network(newest), newest)?,
        progress: newest_plan.map_or(0.0, |plan| plan.progress_to),
    };
    match put_json(store, RUN, &begun)? {
        Placed::New | Placed::Same => {}
        Placed::Taken => return Err(other_trainer(run, store, 0)),
    }
    // The object as it is in the store identifies the store.
    match Begun::read(store)? {
        Some(there) => Ok(there),
        None => Err(super::objects::unusable(store, RUN, "it is missing, and was uploaded just now")),
    }
}

/// Uploads a trained generation: its files, then its record, which makes it public.
pub(super) fn generation<V: Variant>(run: &Run<V>, store: &Store, begun: &Begun, generation: u32) -> Result<()> {
    let (folder, record) = (run.folder(), run.record());
    let Some(plan) = record.plans.iter().find(|plan| plan.generation == generation) else { return Ok(()) };
    let mut events = record.events.clone();
    events.retain(|event| !matches!(event.stage, Stage::Match(_)));
    let steps = |until: u32| -> u64 {
        let trained = events.iter().filter(|event| event.generation <= until);
        trained.map(|event| if let Stage::Train(train) = &event.stage { train.steps } else { 0 }).sum()
    };
    let steps = [steps(generation - 1), steps(generation)];
    events.retain(|event| event.generation == generation);
    let newest = record.network_before(generation + 1);
    let checkpoint = if newest == generation {
        Some(file(store, "checkpoints", &folder.checkpoint(generation), generation)?)
    } else {
        None
    };
    // Nothing is gathered for random-play games.
    let gathered = Gathered::read(run.folder(), generation)?.unwrap_or_default();
    let network = if newest > begun.network.generation {
        network(store, &folder.network(newest), newest)?
    } else {
        begun.network.clone()
    };
    let matches = record.asked_in(generation, &run.config().evaluation);
    let matches = matches.into_iter().map(|(network, opponent, pairs)| MatchRequest { network, opponent, pairs });
    // Networks from before the run had a store are not in it.
    let is_there = |asked: &MatchRequest| asked.opponent.network().is_none_or(|it| it >= begun.network.generation);
    let published = Generation {
        format: FORMAT,
        generation,
        plan: plan.clone(),
        events,
        steps,
        gathered,
        network,
        checkpoint,
        lessons: history_hints::publish(run, store, plan)?,
        matches: matches.filter(is_there).collect(),
    };
    match put_json(store, &generation_key(generation), &published)? {
        Placed::New | Placed::Same => Ok(()),
        Placed::Taken => Err(other_trainer(run, store, generation)),
    }
}

/// Whether the record of a generation is the one that this folder made.
pub(super) fn is_ours<V: Variant>(run: &Run<V>, published: &Generation) -> Result<bool> {
    let newest = run.record().network_before(published.generation + 1);
    if newest != published.network.generation {
        return Ok(false);
    }
    Ok(NetworkFile::read(&run.folder().network(newest))?.id() == published.network.id)
}

fn other_trainer<V: Variant>(run: &Run<V>, store: &Store, generation: u32) -> RoleError {
    let folder = run.folder().root().to_owned();
    RoleError::OtherTrainer { url: store.url().to_owned(), generation, folder }
}

fn network(store: &Store, path: &Path, generation: u32) -> Result<NetworkObject> {
    let id = NetworkFile::read(path)?.id().to_owned();
    Ok(NetworkObject { generation, id, file: file(store, "networks", path, generation)? })
}

fn file(store: &Store, folder: &str, path: &Path, generation: u32) -> Result<FileObject> {
    let content = read_whole(path)?;
    put_file(store, FileObject::of(folder, generation, "safetensors", &content), content)
}
