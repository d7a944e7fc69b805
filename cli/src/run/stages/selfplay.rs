//! The self-play stage: one generation of games with the newest network.

use crate::run::events::{self, Stage};
use crate::run::plan::Plan;
use crate::run::session::{Ended, Session};
use rules::{Termination, Variant};
use selfplay::EvaluationError;
use selfplay::generator::{Counts, GenerateError, Job, Origin, Progress};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use train::{NetworkFile, TorchEvaluator};

/// Time between two looks at the counters.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Plays one generation, or what an interruption left of it.
pub fn play<V: Variant>(session: &mut Session<V>, plan: &Plan) -> anyhow::Result<Ended> {
    let generation = plan.generation;
    let path = session.folder.network(generation - 1);
    let network = NetworkFile::read(&path)?;
    network.require::<V>(&path)?;
    let mut selfplay = session.config.selfplay.clone();
    selfplay.plies_per_generation = plan.plies_per_slot;
    let slots_file = session.folder.slots();
    let job = Job {
        rules: session.rules,
        search: &session.config.search,
        selfplay: &selfplay,
        origin: Origin {
            run_id: session.run_id.clone(),
            generation,
            worker: "w0".to_owned(),
            network: network.id().to_owned(),
            engine_version: concat!("kirin ", env!("CARGO_PKG_VERSION")).to_owned(),
        },
        provenance: session.provenance.clone(),
        progress: plan.progress_from as f32,
        untrained: generation == 1,
        seed: session.config.run.seed,
        // Threads within network calls are not left for games.
        threads: session.config.evaluator.callers(session.threads()),
        store: &session.store,
        slots_file: &slots_file,
    };
    let evaluator = |_: usize| {
        TorchEvaluator::new(&network, &session.config.evaluator)
            .map_err(|error| EvaluationError::Network(error.to_string()))
    };
    let total = u64::from(plan.plies_per_slot) * u64::from(selfplay.slots);
    let progress = Progress::default();
    let meter = session.progress.stage(&format!("generation {generation} self-play"), total);
    let finished = AtomicBool::new(false);
    let begin = Instant::now();
    let report = thread::scope(|scope| {
        scope.spawn(|| {
            while !finished.load(Ordering::Relaxed) {
                let counts = progress.counts();
                meter.update(counts.positions, || line(&counts, begin.elapsed(), total));
                thread::park_timeout(LOOK_EVERY);
            }
        });
        let report = selfplay::generator::generate(&job, evaluator, &progress, &session.stop);
        finished.store(true, Ordering::Relaxed);
        report
    });
    let report = report.map_err(|error| match error {
        GenerateError::Evaluation { .. } | GenerateError::Network(_) => anyhow::Error::new(error).context(format!(
            "{} cannot be played with, all finished games are kept; restore it from a copy, or begin another run with \
             a lower training.optimiser.learning_rate",
            path.display()
        )),
        error => error.into(),
    })?;
    drop(meter);
    for problem in &report.left_out {
        session.progress.line(&format!("self-play does without earlier games: {problem}"));
    }
    if !report.complete {
        return Ok(Ended::Stopped);
    }
    let seconds = begin.elapsed().as_secs_f64();
    let summary = session.store.summary(V::ID, generation..=generation)?.into_iter().next();
    let shard = report.shard.as_ref();
    let stage = events::Selfplay {
        games: summary.as_ref().map_or(0, |summary| summary.games),
        positions: shard.map_or(0, |shard| shard.positions.rows),
        searched: report.counts.positions,
        evaluations: report.counts.evaluations,
        batch_fill: report.counts.batch_fill(),
        mean_plies: summary.as_ref().map_or(0.0, |summary| summary.mean_plies),
        first_wins: summary.as_ref().map_or(0, |summary| summary.first_wins),
        draws: summary.as_ref().map_or(0, |summary| summary.draws),
        second_wins: summary.as_ref().map_or(0, |summary| summary.first_losses),
        bytes: shard.map_or(0, |shard| shard.games.bytes + shard.positions.bytes),
    };
    session.progress.line(&format!(
        "generation {generation} self-play: {} games of {:.0} plies, {} + {} wins and {} draws, {} positions, {:.0} evaluations/s, batches {:.0} % full",
        stage.games,
        stage.mean_plies,
        stage.first_wins,
        stage.second_wins,
        stage.draws,
        stage.positions,
        stage.evaluations as f64 / seconds.max(1e-3),
        100.0 * stage.batch_fill,
    ));
    Ok(Ended::Done(Stage::Selfplay(stage)))
}

/// The live line: what was played so far, how it ended, and how well the machine is used.
fn line(counts: &Counts, elapsed: Duration, total: u64) -> String {
    let seconds = elapsed.as_secs_f64().max(1e-3);
    let mut text = format!("{} games", counts.games);
    if counts.games > 0 {
        let ended = |terminations: &[Termination]| {
            let games: u64 = terminations.iter().map(|&termination| counts.terminated_by(termination)).sum();
            100.0 * games as f64 / counts.games as f64
        };
        text += &format!(
            " of {:.0} plies ({} + {} wins, {} draws; {:.0} % at the limit, {:.0} % resigned, {:.0} % repeated)",
            counts.mean_plies(),
            counts.first_wins,
            counts.second_wins,
            counts.draws(),
            ended(&[Termination::MaxPlies, Termination::Points]),
            ended(&[Termination::Resign]),
            ended(REPEATED),
        );
    }
    if counts.batches > 0 {
        text += &format!(
            ", {:.0} evaluations/s, batches {:.0} % full, {:.0} % known from memory",
            counts.evaluations as f64 / seconds,
            100.0 * counts.batch_fill(),
            100.0 * counts.cache_hit_rate(),
        );
    }
    if counts.positions > 0 && total > counts.positions {
        text += &format!(", {:.0} s left", seconds * (total - counts.positions) as f64 / counts.positions as f64);
    }
    text
}

/// Ends by repetition.
const REPEATED: &[Termination] =
    &[Termination::Repetition, Termination::PerpetualCheck, Termination::PerpetualChase, Termination::PerpetualThreat];
