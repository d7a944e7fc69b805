//! The self-play stage: one generation of games with the newest network.

use super::stage_context::StageContext;
use crate::error::{LabError, Result};
use crate::events::{self, Ends, NetworkSpeed};
use crate::folder::SHARD;
use crate::observer::{Notice, Status, Task};
use crate::plan::Plan;
use data::{DataStore, GenerationSummary, ShardEntry};
use rules::{Termination, Variant};
use search::EvaluationError;
use selfplay::generator::{self, GenerateError, GenerationCounts, GenerationProgress, GenerationTally, Job, Origin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use train::{NetworkEvaluator, NetworkFile};

/// Time between two reads of the counters.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Plays one generation, or what remains of it after an interruption, with this network; `None` if it was stopped.
///
/// # Errors
/// The network cannot be read, is of another variant or fails; the system refuses a thread; or games or the file of
/// slots cannot be read or written.
pub fn play<V: Variant>(context: &StageContext<V>, plan: &Plan, network: u32) -> Result<Option<events::Selfplay>> {
    let generation = plan.generation;
    let path = context.folder.network(network);
    let file = NetworkFile::read(&path)?;
    file.require::<V>(&path)?;
    let mut selfplay = context.config.selfplay.clone();
    selfplay.plies_per_generation = plan.plies_per_slot;
    let slots_file = context.folder.slots();
    let job = Job {
        rules: context.rules,
        search: &context.config.search,
        selfplay: &selfplay,
        origin: origin(context, generation, SHARD, file.id()),
        provenance: context.provenance.clone(),
        progress: plan.progress_from as f32,
        seed: context.config.run.seed,
        // Threads that the evaluator uses inside its calls are not available for games.
        threads: context.config.evaluator.callers(context.threads()),
        store: &context.store,
        slots_file: &slots_file,
    };
    let settings = context.evaluator(network, &file)?;
    let evaluator = |_: usize| NetworkEvaluator::new(&file, &settings).map_err(EvaluationError::network);
    let total = u64::from(plan.plies_per_slot) * u64::from(selfplay.slots);
    let progress = GenerationProgress::default();
    let meter = context.host.observer.begin(generation, Task::Selfplay, total);
    let begin = Instant::now();
    let look = || {
        let counts = progress.counts();
        meter.update(counts.positions, &Status::Selfplay { counts: &counts, elapsed: begin.elapsed() });
    };
    let report = watched(look, || generator::generate(&job, evaluator, &progress, &context.host.stop))?;
    let report = report.map_err(|error| match error {
        GenerateError::Evaluation { .. } | GenerateError::Network(_) => {
            LabError::Network { network: path.clone(), source: error }
        }
        error => error.into(),
    })?;
    drop(meter);
    for problem in &report.damaged_shards {
        context.host.observer.notice(&Notice::EarlierGamesLeftOut(problem));
    }
    if !report.complete {
        return Ok(None);
    }
    let figures = figures(context, generation, report.shard.as_ref(), &report.counts, &report.tally)?;
    let callers = settings.callers(context.threads());
    let speed = context.measured_rate.and_then(|measured| speed(&report.counts, callers, measured));
    Ok(Some(events::Selfplay { speed, ..figures }))
}

/// Speed of the network when called by so many threads; `None` where it was not called.
fn speed(counts: &GenerationCounts, callers: usize, measured: f64) -> Option<NetworkSpeed> {
    let seconds = counts.network_nanos as f64 / 1e9;
    let in_selfplay = counts.places as f64 / seconds * callers as f64;
    (seconds > 0.0).then_some(NetworkSpeed { in_selfplay, measured })
}

/// The origin that the records of a stage's games name.
pub(super) fn origin<V: Variant>(context: &StageContext<V>, generation: u32, worker: &str, network: &str) -> Origin {
    Origin {
        run_id: context.run_id.clone(),
        generation,
        worker: worker.to_owned(),
        network: network.to_owned(),
        engine_version: format!("kirin {}", context.host.version),
    }
}

/// Does `work` while another thread calls `look` at intervals.
pub(super) fn watched<T>(look: impl Fn() + Sync, work: impl FnOnce() -> T) -> Result<T> {
    let finished = AtomicBool::new(false);
    thread::scope(|scope| {
        let looking = || {
            while !finished.load(Ordering::Relaxed) {
                look();
                thread::park_timeout(LOOK_EVERY);
            }
        };
        let started = thread::Builder::new().spawn_scoped(scope, looking);
        started.map_err(|source| LabError::Thread { task: "tells how far the work is", source })?;
        let done = work();
        finished.store(true, Ordering::Relaxed);
        Ok(done)
    })
}

/// The figures of a generation whose games are committed.
///
/// # Errors
/// A shard of the generation cannot be read.
pub fn figures<V: Variant>(
    context: &StageContext<V>,
    generation: u32,
    shard: Option<&ShardEntry>,
    counts: &GenerationCounts,
    tally: &GenerationTally,
) -> Result<events::Selfplay> {
    let shard = shard.map_or((0, 0), |shard| (shard.positions.rows, shard.games.bytes + shard.positions.bytes));
    figures_of::<V>(&context.store, generation, shard, counts, tally)
}

/// The figures of a generation that its games alone give.
pub(crate) fn committed<V: Variant>(store: &DataStore, generation: u32) -> Result<events::Selfplay> {
    let (mut positions, mut bytes) = (0, 0);
    for shard in store.shards(V::ID)?.iter().filter(|shard| shard.generation == generation) {
        (positions, bytes) = (positions + shard.positions.rows, bytes + shard.games.bytes + shard.positions.bytes);
    }
    let figures = figures_of::<V>(
        store,
        generation,
        (positions, bytes),
        &GenerationCounts::default(),
        &GenerationTally::default(),
    )?;
    Ok(events::Selfplay { ends: None, ..figures })
}

fn figures_of<V: Variant>(
    store: &DataStore,
    generation: u32,
    (positions, bytes): (u64, u64),
    counts: &GenerationCounts,
    tally: &GenerationTally,
) -> Result<events::Selfplay> {
    let summary = store.summary(V::ID, generation..=generation)?.into_iter().next().unwrap_or_default();
    Ok(events::Selfplay {
        games: summary.games,
        positions,
        searched: counts.positions,
        evaluations: counts.evaluations,
        batch_fill: counts.batch_fill(),
        mean_plies: summary.mean_plies,
        first_wins: summary.first_wins,
        draws: summary.draws,
        second_wins: summary.first_losses,
        bytes,
        undecided: None,
        ends: Some(ends(&summary, tally)),
        speed: None,
    })
}

/// How the games of a generation ended: from the committed games, and from counters that only self-play has.
fn ends(summary: &GenerationSummary, tally: &GenerationTally) -> Ends {
    let ended = |by: &[Termination]| by.iter().filter_map(|by| summary.terminations.get(by.name())).sum();
    Ends {
        capped: ended(&[Termination::MaxPlies, Termination::Points]),
        by_points: ended(&[Termination::Points]),
        resigned: ended(&[Termination::Resign]),
        repeated: ended(&[
            Termination::Repetition,
            Termination::PerpetualCheck,
            Termination::PerpetualChase,
            Termination::PerpetualThreat,
        ]),
        played_through: tally.played_through,
        wrong_resignations: tally.wrong_resignations,
        searched: tally.searched,
        proven: tally.proven,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_decided_by_points_are_counted_by_themselves() {
        let mut summary = GenerationSummary::default();
        for (termination, games) in [(Termination::MaxPlies, 3), (Termination::Points, 7), (Termination::Checkmate, 5)]
        {
            summary.terminations.insert(termination.name().to_owned(), games);
        }
        let ends = ends(&summary, &GenerationTally::default());
        assert_eq!((ends.capped, ends.by_points), (10, 7));
    }

    #[test]
    fn the_time_between_calls_does_not_make_the_network_slower() {
        // Two callers, each a second inside the network and another one outside of it.
        let counts = GenerationCounts {
            places: 6000,
            network_nanos: 2_000_000_000,
            search_nanos: 2_000_000_000,
            ..GenerationCounts::default()
        };
        assert_eq!(speed(&counts, 2, 8000.0), Some(NetworkSpeed { in_selfplay: 6000.0, measured: 8000.0 }));
        assert_eq!(speed(&GenerationCounts::default(), 2, 8000.0), None);
    }
}
