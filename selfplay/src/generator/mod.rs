//! The self-play generator: one generation of games at a time, the same for any number of threads and any
//! number of interruptions.
//!
//! A fixed number of *slots* each play one game after another. In a generation every slot searches the same number of
//! plies; unfinished games continue in the next generation, with the new network from the next move on. Slots are
//! distributed to threads, and a thread gathers one leaf from each of its slots into a batch for its evaluator.
//!
//! Data that must survive a kill is in two places. A finished game is written to the generation's journal immediately.
//! The slots with their unfinished games are written to a file between generations, and at a clean stop. After a kill
//! the generation begins again from that file; games that are in the journal are skipped, and the others are the same
//! as before, because all randomness is a function of seed, slot, game number and ply.
//!
//! When all slots are done, the slots' file for the next generation is written, then the journal's games are
//! committed as a shard, then the journal is removed. A kill between these steps is repaired by the next
//! start.

mod by_rules;
mod choice;
mod history;
mod opening;
mod origin;
mod progress;
mod randomness;
mod record;
mod selfplay_pool;
mod shared;
mod slot;
mod snapshot;
mod sparse;
mod tally;
mod unfinished_game;
mod whole_games;
mod worker;

pub use by_rules::{RulesJob, RulesReport, play_by_rules};
pub use history::{EarlierGames, History};
pub use origin::{BY_RULES, Origin};
pub use progress::{GenerationCounts, GenerationProgress};
pub use record::position_record;
pub use selfplay_pool::{PoolSettings, SelfplayPool};
pub use slot::first_number;
pub use snapshot::{SnapshotError, begin_slots, check_slots};
pub use tally::GenerationTally;
pub use whole_games::{GamesJob, commit_left_games, play_games};

use crate::config::SelfplayConfig;
use data::{DataError, DataStore, GameRecord, Journal, Provenance, ShardEntry};
use rayon::{ThreadPool, ThreadPoolBuilder};
use rules::{Rules, Variant};
use search::{EvaluationError, Evaluator, SearchConfig};
use settings::ExitKind;
use shared::Shared;
use slot::{Slot, new_slots};
use snapshot::Snapshot;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// A job: a generation to be played.
#[derive(Clone, Debug)]
pub struct Job<'a, V: Variant> {
    /// The rule set; [`SelfplayConfig`] may limit its games further.
    pub rules: Rules<V>,
    /// Settings of the searches.
    pub search: &'a SearchConfig,
    /// Settings of the games.
    pub selfplay: &'a SelfplayConfig,
    /// The origin in the games' records; its `worker` names the shard.
    pub origin: Origin,
    /// The program and settings in the shard's footers.
    pub provenance: Provenance,
    /// Part of the run that is done, 0 to 1; annealed settings depend on it.
    pub progress: f32,
    /// Seed of the run: equal seeds and settings give equal games.
    pub seed: u64,
    /// Threads, at least 1.
    pub threads: usize,
    /// The store for the games.
    pub store: &'a DataStore,
    /// The file that keeps the slots between generations.
    pub slots_file: &'a Path,
}

/// How a generation ended.
#[derive(Clone, Debug, PartialEq)]
pub struct GenerationReport {
    /// Whether all slots have played their plies. If not, a stop was asked for, and the same job can be resumed.
    pub complete: bool,
    /// The shard with the generation's games; `None` if none was finished, or the generation is not complete.
    pub shard: Option<ShardEntry>,
    /// Counts of this call, without games found in the journal.
    pub counts: GenerationCounts,
    /// Figures of the generation, earlier calls included.
    pub tally: GenerationTally,
    /// Games of the generation found in the journal, played by an earlier call that was interrupted.
    pub recovered_games: usize,
    /// Winning chance below which a player resigned; 0 if resigning was off.
    pub resign_below: f32,
    /// Damaged shards of earlier generations, which gave no starts and no evidence on resigning.
    pub damaged_shards: Vec<String>,
    /// Duration of this call.
    pub wall: Duration,
}

/// Why a generation could not be played. Finished games are in the journal.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The network's answer for a position cannot be used.
    #[error("{source} for the position {fen} (after the moves: {moves})")]
    Evaluation {
        /// The position.
        fen: String,
        /// The moves from the start of the game that led there, in UCI.
        moves: String,
        /// What is wrong with the answer.
        source: EvaluationError,
    },
    /// The network failed as a whole.
    #[error(transparent)]
    Network(EvaluationError),
    /// Games could not be written or read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The slots' file cannot be used.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The slots' file is in another generation than the job.
    #[error("{file} is in generation {found}, the job is generation {wanted}", file = path.display())]
    OtherGeneration {
        /// The slots' file.
        path: std::path::PathBuf,
        /// Its generation.
        found: u32,
        /// The job's.
        wanted: u32,
    },
    /// The operating system refused threads.
    #[error(
        "cannot start {threads} threads: {reason}; raise the limit of processes (ulimit -u) or of memory (ulimit -v), or \
         set fewer threads"
    )]
    Threads {
        /// How many were wanted.
        threads: usize,
        /// The reason given.
        reason: String,
    },
}

impl GenerateError {
    /// What the error asks the user for; `None` where its source decides.
    pub fn exit_kind(&self) -> Option<ExitKind> {
        let is_of_the_machine = matches!(
            self,
            GenerateError::Data(_)
                | GenerateError::Snapshot(_)
                | GenerateError::OtherGeneration { .. }
                | GenerateError::Threads { .. }
        );
        is_of_the_machine.then_some(ExitKind::Machine)
    }
}

/// Plays a generation, or the rest of it. `evaluators(i)` makes the evaluator of thread `i`, on that thread. Counters
/// are added to `progress`. When `stop` becomes true the games stop where they are, and the same job can be resumed.
///
/// # Errors
/// See [`GenerateError`]. Finished games are in the journal; the same job can be resumed.
pub fn generate<V, E, F>(
    job: &Job<V>,
    evaluators: F,
    progress: &GenerationProgress,
    stop: &AtomicBool,
) -> Result<GenerationReport, GenerateError>
where
    V: Variant,
    E: Evaluator,
    F: Fn(usize) -> Result<E, EvaluationError> + Sync,
{
    let (begun, before) = (Instant::now(), progress.counts());
    let generation = job.origin.generation;
    let (mut journal, recovered) = job.store.journal::<V>(generation)?;
    let recovered_games = recovered.games.len();
    let mut games = recovered.games;

    let rules = limited(job.rules, job.selfplay);
    let history = History::of(&EarlierGames {
        store: job.store,
        shards: &[&job.origin.worker],
        generation,
        progress: job.progress,
        selfplay: job.selfplay,
        rules,
    })?;
    let mut complete = true;
    let snapshot = match slots_left(job, rules)? {
        RemainingSlots::Played(snapshot) => snapshot,
        RemainingSlots::ToPlay(mut slots) => {
            let search = searches(job.search, job.progress);
            snapshot::skip_finished(&mut slots, job.seed, &games);
            let shared = Shared {
                rules,
                rule_set: job.rules,
                search: &search,
                config: job.selfplay,
                history: &history,
                ending_share: job.selfplay.ending_share_at(job.progress),
                limit_weight: SelfplayConfig::limit_weight_at(job.progress),
                origin: &job.origin,
                run_seed: job.seed,
                quota: job.selfplay.plies_per_generation,
                progress,
            };
            let keep = |receiver| keep(receiver, &mut journal, &mut games);
            play(&mut slots, job.threads, &evaluators, &shared, stop, keep)?;
            complete = slots.iter().all(|slot| slot.plies_done >= shared.quota);
            leave(&mut slots, job, complete)?
        }
    };
    let mut shard = None;
    if complete {
        shard = if games.is_empty() {
            // No game was finished, or the journal is committed and the job is repeated.
            let of_this_job = |entry: &ShardEntry| entry.generation == generation && entry.shard == job.origin.worker;
            let found = job.store.shards(V::ID)?.into_iter().find(of_this_job);
            if let Some(shard) = &found {
                games = job.store.read_shard(shard)?;
            }
            found
        } else {
            Some(job.store.commit_shard(generation, &job.origin.worker, &games, &job.provenance)?)
        };
        journal.remove()?;
    }
    let counts = progress.counts().since(&before);
    let History { resign_below, damaged_shards, .. } = history;
    let tally = GenerationTally::of(generation, &games, snapshot.unfinished(), job.selfplay, resign_below);
    Ok(GenerationReport {
        complete,
        shard,
        counts,
        tally,
        recovered_games,
        resign_below,
        damaged_shards,
        wall: begun.elapsed(),
    })
}

/// The rule set with the limits of the settings, if they have any.
fn limited<V: Variant>(mut rules: Rules<V>, config: &SelfplayConfig) -> Rules<V> {
    if config.max_plies > 0 {
        rules = rules.with_max_plies(config.max_plies);
    }
    if config.max_quiet_plies > 0 {
        rules = rules.with_max_quiet_plies(config.max_quiet_plies);
    }
    rules
}

/// Finished games that may wait to be written; a thread that finishes another one blocks.
const MOST_WAITING: usize = 1024;

/// Threads of this name.
fn threads_of(threads: usize, name: &'static str) -> Result<ThreadPool, GenerateError> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(move |i| format!("{name}-{i}"))
        .build()
        .map_err(|error| GenerateError::Threads { threads, reason: error.to_string() })
}

/// The rest of a job, according to the file of slots.
enum RemainingSlots<V: Variant> {
    /// These slots: new ones, or those of the file.
    ToPlay(Vec<Slot<V>>),
    /// Nothing: the file is in the next generation already.
    Played(Snapshot),
}

fn slots_left<V: Variant>(job: &Job<V>, rules: Rules<V>) -> Result<RemainingSlots<V>, GenerateError> {
    let generation = job.origin.generation;
    let new = new_slots::<V>(job.selfplay.slots, generation, job.search);
    match Snapshot::read::<V>(job.slots_file, job.seed)? {
        None => Ok(RemainingSlots::ToPlay(new)),
        Some(snapshot) if snapshot.generation == generation => {
            Ok(RemainingSlots::ToPlay(snapshot.restore(job.slots_file, new, rules)?))
        }
        Some(snapshot) if snapshot.generation == generation + 1 => Ok(RemainingSlots::Played(snapshot)),
        Some(snapshot) => {
            let (path, found) = (job.slots_file.to_owned(), snapshot.generation);
            Err(GenerateError::OtherGeneration { path, found, wanted: generation })
        }
    }
}

/// Writes the slots for the next call; returns what was written.
fn leave<V: Variant>(slots: &mut [Slot<V>], job: &Job<V>, complete: bool) -> Result<Snapshot, GenerateError> {
    let generation = job.origin.generation;
    for slot in &mut *slots {
        slot.settle_for_snapshot(job.selfplay.plies_per_generation);
        if complete {
            slot.plies_done = 0;
        }
    }
    let next = if complete { generation + 1 } else { generation };
    let mut snapshot = Snapshot::of(slots, job.seed, next);
    snapshot.write(job.slots_file)?;
    Ok(snapshot)
}

/// Lets threads play the slots until all have played their quota, until `stop` is set or until an error. `receive` is
/// given the finished games, on the calling thread; when it ends, no thread waits for a place in the queue any longer.
fn play<V, E, F>(
    slots: &mut [Slot<V>],
    threads: usize,
    evaluators: &F,
    shared: &Shared<V>,
    stop: &AtomicBool,
    receive: impl FnOnce(Receiver<GameRecord<V>>) -> Result<(), DataError>,
) -> Result<(), GenerateError>
where
    V: Variant,
    E: Evaluator,
    F: Fn(usize) -> Result<E, EvaluationError> + Sync,
{
    let threads = threads.clamp(1, slots.len().max(1));
    let pool = threads_of(threads, "selfplay")?;
    let failed = AtomicBool::new(false);
    let halted = || stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed);
    let (errors, first_error) = mpsc::channel();
    let (sender, receiver) = mpsc::sync_channel(MOST_WAITING);
    pool.in_place_scope(|scope| {
        let mut rest = slots;
        for index in 0..threads {
            // Shares differ by one slot at most.
            let (share, others) = rest.split_at_mut(rest.len().div_ceil(threads - index));
            rest = others;
            let (sender, errors, failed, halted) = (sender.clone(), errors.clone(), &failed, &halted);
            scope.spawn(move |_| {
                // The receiver is gone if a game could not be written; then all threads end.
                let send = |game| drop(sender.send(game));
                let played = evaluators(index)
                    .map_err(GenerateError::Network)
                    .and_then(|mut evaluator| worker::run(share, &mut evaluator, shared, halted, send));
                if let Err(error) = played {
                    failed.store(true, Ordering::Relaxed);
                    drop(errors.send(error));
                }
            });
        }
        drop(sender);
        if let Err(error) = receive(receiver) {
            failed.store(true, Ordering::Relaxed);
            drop(errors.send(error.into()));
        }
    });
    first_error.try_recv().map_or(Ok(()), Err)
}

/// The settings of a generation's searches, with its number of visits a move.
fn searches(search: &SearchConfig, progress: f32) -> SearchConfig {
    SearchConfig { visits: search.visits_at(progress), ..search.clone() }
}

/// Appends finished games to the journal as they come, with one sync for all that are waiting.
fn keep<V: Variant>(
    receiver: Receiver<GameRecord<V>>,
    journal: &mut Journal<V>,
    games: &mut Vec<GameRecord<V>>,
) -> Result<(), DataError> {
    while let Ok(first) = receiver.recv() {
        let start = games.len();
        games.push(first);
        games.extend(receiver.try_iter());
        journal.append_all(&games[start..])?;
    }
    Ok(())
}
