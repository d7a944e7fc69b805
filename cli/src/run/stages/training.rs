//! The training stage: from the checkpoint of the generation before to this one's, and the network that plays next.

use crate::run::events::{self, Stage};
use crate::run::plan::Plan;
use crate::run::session::{Ended, Session};
use anyhow::Context;
use rules::Variant;
use std::sync::atomic::Ordering;
use train::{Blueprint, Dataset, Round, Trainer, Window};

/// Trains one generation. What it makes depends on the last checkpoint, the committed games and the plan only, so
/// it may be cut off anywhere and done again.
pub fn train<V: Variant>(session: &mut Session<V>, plan: &Plan) -> anyhow::Result<Ended> {
    let generation = plan.generation;
    let config = &session.config;
    let blueprint = Blueprint::of::<V>(config.network.clone());
    let mut trainer = match generation {
        1 => Trainer::new(blueprint, config.training.clone(), config.run.seed)?,
        _ => Trainer::resume(&session.folder.checkpoint(generation - 1), blueprint, config.training.clone())
            .context("cannot go on with the training")?,
    };
    trainer.log_to(&session.folder.metrics())?;
    let window = session.dataset.refresh(&session.store)?;
    for damaged in &window.skipped {
        session.progress.line(&format!("left out: {damaged}"));
    }
    let steps = steps(session, plan, &window)?;
    let first_step = trainer.step();
    let round = Round {
        generation,
        first_step,
        last_step: first_step + steps,
        progress_before: plan.progress_from,
        progress_after: plan.progress_to,
    };
    let meter = session.progress.stage(&format!("generation {generation} training"), steps);
    let report = trainer.train(&session.dataset, &round, &session.stop, &mut |progress| {
        meter.update(progress.step - first_step, || {
            progress.figures.map_or_else(String::new, |figures| {
                format!("policy loss {:.3}, value loss {:.3}", figures.policy, figures.value)
            })
        });
    })?;
    drop(meter);
    if report.stopped || session.stop.load(Ordering::Relaxed) {
        return Ok(Ended::Stopped);
    }
    // The checkpoint first: a network without its checkpoint would be a generation that cannot go on.
    trainer.save(&session.folder.checkpoint(generation))?;
    let network = trainer.export(generation)?;
    network.write(&session.folder.network(generation))?;
    let stage = events::Train {
        steps,
        samples: steps * session.config.training.batch as u64,
        window: window.rows_trained,
        policy_loss: report.training.policy,
        value_loss: report.training.value,
        validation_policy_loss: report.validation.map(|figures| figures.policy),
        validation_value_loss: report.validation.map(|figures| figures.value),
        learning_rate: report.learning_rate,
        network: network.id().to_owned(),
    };
    session.progress.line(&format!(
        "generation {generation} training: {} steps on {} positions at {:.0} samples/s, policy loss {:.3}, value loss {:.3}",
        stage.steps, stage.window, report.samples_per_second, stage.policy_loss, stage.value_loss
    ));
    session.prune_checkpoints(generation);
    Ok(Ended::Done(Stage::Train(stage)))
}

/// Steps of this generation: those planned, but no more than the games allow. A plan counts searched positions, and
/// those of games that go on are not there yet: in the first generations few games have ended, and the planned steps
/// would learn them by heart. The last generation may go over the whole window, since no new games come.
fn steps<V: Variant>(session: &Session<V>, plan: &Plan, window: &Window) -> anyhow::Result<u64> {
    let new_rows = match plan.last {
        true => window.rows_trained,
        false => {
            let shards = session.store.shards(V::ID)?;
            shards.iter().filter(|shard| shard.generation == plan.generation).map(|shard| shard.positions.rows).sum()
        }
    };
    if window.rows_trained == 0 {
        return Ok(0);
    }
    Ok(plan.steps.min(session.config.training.steps_for(new_rows, session.config.run.uses)))
}

/// An empty window for this run.
pub fn dataset<V: Variant>(config: &crate::run::config::Config) -> Dataset<V> {
    Dataset::new(config.training.data.clone(), config.run.seed)
}
