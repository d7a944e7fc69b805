//! The stage before the first self-play: random-play games, since an untrained network plays no better.

use super::selfplay::{figures, origin, watched};
use super::stage_context::StageContext;
use crate::error::Result;
use crate::events;
use crate::observer::{Status, Task};
use crate::plan::Plan;
use rules::Variant;
use selfplay::generator::{BY_RULES, GenerationProgress, RulesJob, play_by_rules};
use std::time::Instant;

/// Plays the games of the plan; `None` if it was stopped. A stop or a kill discards all of them, and the stage starts
/// over: it takes seconds.
///
/// # Errors
/// The system refuses a thread, or the games cannot be written or read.
pub fn play<V: Variant>(context: &StageContext<V>, plan: &Plan) -> Result<Option<events::Selfplay>> {
    let generation = plan.generation;
    let mut selfplay = context.config.selfplay.clone();
    selfplay.rules_games = plan.rules_games;
    let job = RulesJob {
        rules: context.rules,
        selfplay: &selfplay,
        origin: origin(context, generation, BY_RULES, BY_RULES),
        provenance: context.provenance.clone(),
        seed: context.config.run.seed,
        threads: context.threads(),
        store: &context.store,
    };
    let progress = GenerationProgress::default();
    let meter = context.host.observer.begin(generation, Task::RulesGames, u64::from(plan.rules_games));
    let begin = Instant::now();
    let look = || {
        let counts = progress.counts();
        meter.update(counts.games, &Status::RulesGames { counts: &counts, elapsed: begin.elapsed() });
    };
    let report = watched(look, || play_by_rules(&job, &progress, &context.host.stop))??;
    drop(meter);
    if !report.complete {
        return Ok(None);
    }
    // Nothing was searched: the self-play counters stay 0.
    let played = figures(context, generation, report.shard.as_ref(), &Default::default(), &Default::default())?;
    Ok(Some(events::Selfplay { undecided: Some(report.undecided), ends: None, ..played }))
}
