//! A fixed number of games, each played from its start to its end, for programs without a run.
//!
//! A generation is a quota of plies for each slot, so its last games are unfinished. Here each slot has a number of games
//! instead. Seeds and ids of games are fixed as in a generation: equal seeds and settings give equal games for any
//! number of threads.

use super::history::History;
use super::origin::Origin;
use super::selfplay_pool::each_game;
use super::shared::Shared;
use super::slot::new_slots;
use super::snapshot::skip_finished;
use super::{GenerateError, GenerationProgress, limited, searches};
use crate::config::SelfplayConfig;
use data::{DataStore, Provenance, ShardEntry};
use rules::{Rules, Variant};
use search::{EvaluationError, Evaluator, SearchConfig};
use std::sync::atomic::AtomicBool;

/// Games to be played, which become a shard of a generation of their own.
#[derive(Clone, Debug)]
pub struct GamesJob<'a, V: Variant> {
    /// The rule set; [`SelfplayConfig`] may limit its games further.
    pub rules: Rules<V>,
    /// Settings of the searches.
    pub search: &'a SearchConfig,
    /// Settings of the games. What depends on earlier generations or on a run's progress is off.
    pub selfplay: &'a SelfplayConfig,
    /// The origin in the games' records; its `worker` names the shard.
    pub origin: Origin,
    /// The program and settings in the shard's footers.
    pub provenance: Provenance,
    /// Number of games.
    pub games: u32,
    /// Equal seeds and settings give equal games.
    pub seed: u64,
    /// Threads, at least 1.
    pub threads: usize,
    /// The store for the games.
    pub store: &'a DataStore,
}

/// Plays games and commits them as a shard; returns the shard, or `None` if no game was finished. `evaluators(i)` makes
/// the evaluator of thread `i`, on that thread. `look` is called on this thread several times a second.
///
/// When `stop` becomes true, or the network fails, the finished games are committed and the others are dropped. A process
/// that is killed leaves its finished games in the journal, and the same job plays only the missing ones
/// ([`commit_left_games`] for those of another job).
///
/// # Errors
/// The network failed, games could not be written, or the system refused threads.
///
/// # Examples
/// ```
/// use data::{DataStore, Provenance};
/// use rules::{Rules, Wangqi};
/// use search::{SearchConfig, UniformEvaluator};
/// use selfplay::{GamesJob, GenerationProgress, Origin, SelfplayConfig, play_games};
/// use std::sync::atomic::AtomicBool;
///
/// # let folder = tempfile::tempdir()?;
/// let (store, _recovery) = DataStore::open(folder.path())?;
/// let job = GamesJob {
///     rules: Rules::<Wangqi>::default(),
///     search: &SearchConfig { visits: 4, ..SearchConfig::default() },
///     selfplay: &SelfplayConfig { slots: 4, max_plies: 20, ..SelfplayConfig::default() },
///     origin: Origin { network: "uniform".into(), worker: "local".into(), ..Origin::default() },
///     provenance: Provenance::default(),
///     games: 6,
///     seed: 1,
///     threads: 2,
///     store: &store,
/// };
/// let evaluators = |_thread| Ok(UniformEvaluator::new(8));
/// let shard = play_games(&job, evaluators, &GenerationProgress::default(), &AtomicBool::new(false), || ())?;
/// assert_eq!(shard.map(|shard| shard.games.rows), Some(6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn play_games<V, E, F>(
    job: &GamesJob<V>,
    evaluators: F,
    progress: &GenerationProgress,
    stop: &AtomicBool,
    mut look: impl FnMut(),
) -> Result<Option<ShardEntry>, GenerateError>
where
    V: Variant,
    E: Evaluator,
    F: Fn(usize) -> Result<E, EvaluationError> + Sync,
{
    let generation = job.origin.generation;
    let (mut journal, recovered) = job.store.journal::<V>(generation)?;
    let mut games = recovered.games;
    let search = searches(job.search, 1.0);
    let shared = Shared {
        rules: limited(job.rules, job.selfplay),
        rule_set: job.rules,
        search: &search,
        config: job.selfplay,
        history: &History::none(),
        ending_share: 0.0,
        limit_weight: SelfplayConfig::limit_weight_at(1.0),
        origin: &job.origin,
        run_seed: job.seed,
        quota: u32::MAX,
        progress,
    };
    let count = job.selfplay.slots.min(job.games);
    let mut slots = new_slots::<V>(count, generation, job.search);
    for slot in &mut slots {
        slot.end = slot.number + u64::from((job.games - slot.index).div_ceil(count));
    }
    skip_finished(&mut slots, job.seed, &games);
    let played = super::play(&mut slots, job.threads, &evaluators, &shared, stop, |receiver| {
        each_game(&receiver, |game| {
            look();
            if let Some(game) = game {
                journal.append(&game)?;
                games.push(game);
            }
            Ok(())
        })
    });
    let shard = match games.is_empty() {
        true => None,
        false => Some(job.store.commit_shard(generation, &job.origin.worker, &games, &job.provenance)?),
    };
    journal.remove()?;
    played?;
    Ok(shard)
}

/// Commits the games that a killed process has left in the journal of the job's generation, unless this job plays on from
/// there. Returns whether the generation is used up; then a later one is the job's.
///
/// # Errors
/// The journal or the shard is damaged, the shard has not all games of the journal, or the games cannot be written.
pub fn commit_left_games<V: Variant>(job: &GamesJob<V>) -> Result<bool, GenerateError> {
    let Origin { run_id, generation, worker, .. } = &job.origin;
    let (journal, recovered) = job.store.journal::<V>(*generation)?;
    let games = recovered.games;
    let is_ours = games.iter().all(|game| game.run_id == *run_id);
    let is_shard = |entry: &ShardEntry| entry.generation == *generation && entry.holds(worker);
    // The process was killed between its commit and the end of the journal, which a repair may have shortened. The shard
    // cannot grow.
    let committed = match job.store.shards(V::ID)?.into_iter().find(is_shard) {
        Some(entry) => Some(job.store.read_shard::<V>(&entry)?),
        None => None,
    };
    let plays_on = match &committed {
        None => is_ours,
        // All its games are there, and committing them again changes nothing.
        Some(committed) => is_ours && games.len() == job.games as usize && committed.len() == games.len(),
    };
    if plays_on {
        return Ok(false);
    }
    if committed.is_none_or(|committed| !games.iter().all(|game| committed.contains(game))) {
        job.store.commit_shard(*generation, worker, &games, &job.provenance)?;
    }
    journal.remove()?;
    Ok(true)
}
