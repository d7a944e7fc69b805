//! The self-play stage: one generation of games with the newest network.

use super::workplace::Workplace;
use crate::error::{LabError, Result};
use crate::events;
use crate::observer::{Notice, Status, Task};
use crate::plan::Plan;
use rules::Variant;
use selfplay::EvaluationError;
use selfplay::generator::{self, GenerateError, GenerationProgress, Job, Origin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use train::{NetworkFile, TorchEvaluator};

/// Time between two looks at the counters.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Plays one generation, or what an interruption left of it, with this network; `None` if it was stopped.
pub fn play<V: Variant>(place: &Workplace<V>, plan: &Plan, network: u32) -> Result<Option<events::Selfplay>> {
    let generation = plan.generation;
    let path = place.folder.network(network);
    let file = NetworkFile::read(&path)?;
    file.require::<V>(&path)?;
    let mut selfplay = place.config.selfplay.clone();
    selfplay.plies_per_generation = plan.plies_per_slot;
    let slots_file = place.folder.slots();
    let job = Job {
        rules: place.rules,
        search: &place.config.search,
        selfplay: &selfplay,
        origin: Origin {
            run_id: place.run_id.clone(),
            generation,
            worker: "w0".to_owned(),
            network: file.id().to_owned(),
            engine_version: format!("kirin {}", place.host.version),
        },
        provenance: place.provenance.clone(),
        progress: plan.progress_from as f32,
        untrained: network == 0 && place.ancestor.is_none(),
        seed: place.config.run.seed,
        // Threads within network calls are not left for games.
        threads: place.config.evaluator.callers(place.threads()),
        store: &place.store,
        slots_file: &slots_file,
    };
    let evaluator = |_: usize| TorchEvaluator::new(&file, &place.config.evaluator).map_err(EvaluationError::network);
    let total = u64::from(plan.plies_per_slot) * u64::from(selfplay.slots);
    let progress = GenerationProgress::default();
    let meter = place.host.observer.begin(generation, Task::Selfplay, total);
    let finished = AtomicBool::new(false);
    let begin = Instant::now();
    let report = thread::scope(|scope| {
        scope.spawn(|| {
            while !finished.load(Ordering::Relaxed) {
                let counts = progress.counts();
                let status = Status::Selfplay { counts: &counts, elapsed: begin.elapsed() };
                meter.update(counts.positions, &status);
                thread::park_timeout(LOOK_EVERY);
            }
        });
        let report = generator::generate(&job, evaluator, &progress, &place.host.stop);
        finished.store(true, Ordering::Relaxed);
        report
    });
    let report = report.map_err(|error| match error {
        GenerateError::Evaluation { .. } | GenerateError::Network(_) => {
            LabError::Network { network: path.clone(), source: error }
        }
        error => error.into(),
    })?;
    drop(meter);
    for problem in &report.left_out {
        place.host.observer.notice(&Notice::EarlierGamesLeftOut(problem));
    }
    if !report.complete {
        return Ok(None);
    }
    let summary = place.store.summary(V::ID, generation..=generation)?.into_iter().next().unwrap_or_default();
    let shard = report.shard.as_ref();
    Ok(Some(events::Selfplay {
        games: summary.games,
        positions: shard.map_or(0, |shard| shard.positions.rows),
        searched: report.counts.positions,
        evaluations: report.counts.evaluations,
        batch_fill: report.counts.batch_fill(),
        mean_plies: summary.mean_plies,
        first_wins: summary.first_wins,
        draws: summary.draws,
        second_wins: summary.first_losses,
        bytes: shard.map_or(0, |shard| shard.games.bytes + shard.positions.bytes),
    }))
}
