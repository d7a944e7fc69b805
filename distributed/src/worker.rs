//! A worker: plays with the newest network and uploads its games to the store. There may be any number of workers.
//!
//! A worker is identified only by its number in the run: the seeds and ids of its games are derived from the run and
//! that number. So a task that is restarted on any machine resumes with the next games, and one that runs twice by
//! mistake makes the same ids, which the trainer counts once.

mod spool;
mod uploader;

use super::objects::{Begun, MOST_SHARD_BYTES, NetworkObject, ShardNote, fetch, shard_key, slots_key, worker_key};
use super::{Left, Post, RunEvent, history_hints, is_over, newest_after, objects, settled, wait};
use crate::error::{Result, RoleError};
use crate::store::{Placed, RetryPolicy, Store, StoreError};
use data::{Provenance, ShardBundle, durable};
use lab::memory::{self, Worker};
use lab::read_whole;
use lab::{Config, LabError};
use rules::Variant;
use rules::encode::Shape;
use search::EvaluationError;
use selfplay::generator::{
    GenerateError, GenerationProgress, History, Origin, PoolSettings, SelfplayPool, first_number,
};
use spool::{Owner, Spool};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use train::{NetworkEvaluator, NetworkFile};
use uploader::{ShardUploader, UploadContext};

/// Options of a worker, in addition to the configuration.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Its number among the workers of the run.
    pub index: u32,
    /// The folder for shards that wait for the store.
    pub spool: PathBuf,
    /// Bytes that may wait there.
    pub spool_bytes: u64,
    /// Age of its first game at which a shard is closed.
    pub shard_time: Duration,
    /// Number of games at which a shard is closed.
    pub shard_games: usize,
    /// Time between two looks for a newer network.
    pub poll: Duration,
}

/// Waits for the run in the store, and adopts its settings; `None` if a stop was asked for.
///
/// # Errors
/// The store cannot be reached, or the settings differ.
pub(super) fn joined(post: &Post, poll: Duration) -> Result<Option<(Begun, Config)>> {
    let Post { config, store, host, tell } = *post;
    let mut told = false;
    while !host.is_stopped() {
        if let Some(begun) = Begun::read(store)? {
            let config = settled::agreed(store, &begun, config, host)?;
            return Ok(Some((begun, config)));
        }
        if !told {
            tell(RunEvent::Waiting);
            told = true;
        }
        wait(poll, &host.stop);
    }
    Ok(None)
}

/// Reads a network out of the store.
pub(super) fn network<V: Variant>(store: &Store, object: &NetworkObject) -> Result<NetworkFile> {
    let name = Path::new(&object.file.key);
    let file = NetworkFile::of_bytes(name, &object.file.read(store)?)?;
    file.require::<V>(name)?;
    Ok(file)
}

/// Plays until the run is over or a stop is asked for.
///
/// # Errors
/// The settings differ from the run's, the store cannot be reached for long, credentials are refused, or a network
/// cannot be used. Finished games are in the store or in the spool.
pub fn work<V: Variant>(post: &Post, options: &WorkerOptions) -> Result<Left> {
    let Some((begun, config)) = joined(post, options.poll)? else { return Ok(Left::Stopped) };
    let store = post.store;
    memory::require(&config, &Shape::of::<V>(config.network.features), Worker::Player, memory::available())?;
    let index = options.index;
    // It does not matter whether the object is new.
    store.put_new(&worker_key(index), format!("{{\"worker\": {index}}}\n").into_bytes())?;
    let sequence = store.first_free(0, |sequence| shard_key(index, sequence))?;
    let about = &begun.about;
    let owner = Owner {
        run_id: about.run_id.clone(),
        config_digest: about.config_digest.clone(),
        store: store.identity().unwrap_or_default(),
        worker: index,
    };
    let mut spool = Spool::open::<V>(&options.spool, owner, sequence)?;
    let left = play::<V>(post, options, &begun, &config, &mut spool);
    match left {
        // The stop came while the store did not answer. Finished work is in the store, or waits.
        Err(RoleError::Store(StoreError::Stopped { .. })) if spool.shards() == 0 => Ok(Left::Stopped),
        Err(RoleError::Store(StoreError::Stopped { .. })) => {
            let (folder, shards) = (options.spool.clone(), spool.shards());
            Err(RoleError::Waiting { folder, shards })
        }
        left => left,
    }
}

/// Plays, with a spool for finished shards.
fn play<V: Variant>(
    post: &Post,
    options: &WorkerOptions,
    begun: &Begun,
    config: &Config,
    spool: &mut Spool,
) -> Result<Left> {
    let Post { store, host, tell, .. } = *post;
    let rules = config.rules.resolve::<V>()?;
    let index = options.index;
    spool.flush(store, RetryPolicy::default(), tell)?;
    let (mut selfplay_pool, numbers) = resumed_pool::<V>(store, options, begun, config, spool.sequence())?;
    let mut note = ShardNote {
        run_id: begun.about.run_id.clone(),
        version: host.version.to_owned(),
        config_digest: begun.about.config_digest.clone(),
        worker: index,
        network: begun.network.generation,
        numbers,
        searched: 0,
        evaluations: 0,
        places: 0,
    };
    let provenance = Provenance { config_digest: note.config_digest.clone(), git_revision: host.revision.to_owned() };
    let (mut network_now, mut progress_now, mut last) = (begun.network.clone(), begun.progress, false);
    let progress = GenerationProgress::default();
    let since = Instant::now();
    let tell_played = || tell(RunEvent::Played { counts: Box::new(progress.counts()), time: since.elapsed() });
    let mut past = History::none();
    loop {
        if let Some(newest) = newest_after(store, note.network)? {
            past = history_hints::read::<V>(store, newest.lessons.as_ref())?;
            (network_now, progress_now, last) =
                (newest.network, newest.plan.progress_to, is_over(store, &newest.plan)?);
            // A generation may have made no network; its number is kept, so that the next one is looked for.
            note.network = newest.generation;
        }
        if last {
            tell_played();
            spool.flush(store, RetryPolicy::default(), tell)?;
            return Ok(Left::Over);
        }
        let file = network::<V>(store, &network_now)?;
        tell(RunEvent::Network { generation: network_now.generation, id: file.id().to_owned() });
        let (settings, _) = train::trusted(&file, &config.evaluator)?;
        let origin = Origin {
            run_id: note.run_id.clone(),
            generation: note.network + 1,
            worker: format!("w{index:05}"),
            network: file.id().to_owned(),
            engine_version: format!("kirin {}", host.version),
        };
        let pool_settings = PoolSettings {
            rules,
            search: &config.search,
            selfplay: &config.selfplay,
            origin: &origin,
            history: &past,
            progress: progress_now as f32,
            threads: config.evaluator.callers(settings::threads(config.run.threads)),
        };
        let halt = AtomicBool::new(false);
        let context =
            UploadContext { store, options, host, halt: &halt, progress: &progress, provenance: &provenance, tell };
        let mut uploader = ShardUploader::new(context, &mut note, spool);
        let evaluator = |_: usize| NetworkEvaluator::new(&file, &settings).map_err(EvaluationError::network);
        let played = selfplay_pool.play(&pool_settings, evaluator, &progress, &halt, |game| uploader.on_game(game));
        let upload_end = uploader.close();
        played.map_err(|error| match error {
            GenerateError::Evaluation { .. } | GenerateError::Network(_) => {
                LabError::Network { network: network_now.file.key.clone().into(), source: error }
            }
            error => error.into(),
        })?;
        upload_end?;
        selfplay_pool.restart_searches();
        if host.is_stopped() {
            tell_played();
            leave(&mut selfplay_pool, spool, store, options, tell)?;
            return Ok(Left::Stopped);
        }
        if spool.bytes() > options.spool_bytes {
            empty(spool, store, options, tell)?;
        }
    }
}

/// The slots of this worker's number with the games that its last process left unfinished, and the number of the next game
/// in each slot.
fn resumed_pool<V: Variant>(
    store: &Store,
    options: &WorkerOptions,
    begun: &Begun,
    config: &Config,
    sequence: u64,
) -> Result<(SelfplayPool<V>, Vec<u64>)> {
    let numbers = numbers::<V>(store, begun, config, options.index, sequence)?;
    let mut selfplay_pool = SelfplayPool::<V>::new(seed_of(begun, options.index), &config.search, &numbers);
    let key = |times| slots_key(options.index, sequence, times);
    let times = store.first_free(0, key)?;
    if let Some(last) = times.checked_sub(1)
        && let Some(left) = fetch(store, &key(last), MOST_SHARD_BYTES)?
    {
        let file = options.spool.join("slots.json");
        durable::write_atomically(&file, |out| std::io::Write::write_all(out, &left))?;
        selfplay_pool.resume(&file, config.rules.resolve::<V>()?, &config.selfplay)?;
    }
    Ok((selfplay_pool, numbers))
}

/// Uploads the shards of a spool that has more bytes than it may have.
fn empty(spool: &mut Spool, store: &Store, options: &WorkerOptions, tell: &dyn Fn(RunEvent)) -> Result<()> {
    spool.flush(store, RetryPolicy::default(), tell).map_err(|error| match error {
        RoleError::Store(StoreError::Unreachable { .. }) => {
            let megabytes = options.spool_bytes / 1_000_000;
            RoleError::SpoolFull { folder: options.spool.clone(), megabytes }
        }
        error => error,
    })
}

/// Uploads finished shards, and the unfinished games for the next worker of this number. If the store does not answer,
/// shards stay in the spool.
fn leave<V: Variant>(
    selfplay_pool: &mut SelfplayPool<V>,
    spool: &mut Spool,
    store: &Store,
    options: &WorkerOptions,
    tell: &dyn Fn(RunEvent),
) -> Result<()> {
    spool.flush(store, RetryPolicy::default(), tell)?;
    let file = options.spool.join("slots.json");
    selfplay_pool.save(&file)?;
    let (left, mut times) = (read_whole(&file)?, 0);
    let key = |times| slots_key(options.index, spool.sequence(), times);
    loop {
        times = store.first_free(times, key)?;
        // A worker of the same number may have taken the name meanwhile.
        if store.put_new(&key(times), left.clone())? != Placed::Taken {
            return Ok(());
        }
    }
}

/// The number of the next game in each slot, from the worker's last shard.
fn numbers<V: Variant>(store: &Store, begun: &Begun, config: &Config, index: u32, sequence: u64) -> Result<Vec<u64>> {
    let slots = config.selfplay.slots as usize;
    let Some(last) = sequence.checked_sub(1) else {
        // In the store of a run that was in another one before, the ids of that one's games are used up.
        return Ok(vec![first_number(begun.network.generation); slots]);
    };
    let key = shard_key(index, last);
    let unusable = |reason: &str| objects::unusable(store, &key, reason);
    let bytes = fetch(store, &key, MOST_SHARD_BYTES)?.ok_or_else(|| unusable("it is missing"))?;
    let note = ShardBundle::<V, ShardNote>::note(&bytes).map_err(|error| unusable(&error.to_string()))?;
    if note.run_id != begun.about.run_id || note.numbers.len() != slots {
        return Err(unusable("it is of another run"));
    }
    Ok(note.numbers)
}

/// The seed of all games of a worker.
fn seed_of(begun: &Begun, index: u32) -> u64 {
    let text = format!("{} {} worker {index}", begun.about.run_id, begun.about.seed);
    let digest = blake3::hash(text.as_bytes());
    u64::from_le_bytes(std::array::from_fn(|at| digest.as_bytes()[at]))
}
