//! The training stage: from the last checkpoint to this generation's, and the network that plays next.

use super::stage_context::StageContext;
use crate::error::{LabError, Result};
use crate::events::{self, Untrained};
use crate::observer::{Notice, Status, Task};
use crate::plan::Plan;
use rules::Variant;
use train::{Blueprint, Dataset, NetworkFile, TrainError, TrainReport, Trainer, TrainingSpan, Window};

/// Fewest positions of validation games for which losses are reported: the similar positions of one or two games say
/// nothing about others.
const FEWEST_HELD_OUT: f64 = 200.0;

/// The result of a training.
pub enum Trained {
    /// A network, with its samples a second.
    Network(events::Train, f64),
    /// No network, because there was nothing new to train on.
    Nothing(Untrained),
    /// It was stopped.
    Stopped,
}

/// Trains one generation. The result depends only on the last checkpoint, the committed games and the plan, so training
/// may be interrupted at any point and repeated. `previous` is the generation of the newest network.
///
/// # Errors
/// The games or the last checkpoint cannot be read or are damaged, the training fails, or the checkpoint, the network
/// or the metrics cannot be written.
pub fn train<V: Variant>(
    context: &StageContext<V>,
    dataset: &mut Dataset<V>,
    plan: &Plan,
    previous: u32,
) -> Result<Trained> {
    let generation = plan.generation;
    let config = &context.config;
    let observer = &context.host.observer;
    let window = dataset.refresh_until(&context.store, generation)?;
    for damaged in &window.skipped {
        observer.notice(&Notice::ShardLeftOut(damaged));
    }
    let new_positions = new_positions(context, plan, &window)?;
    let steps = if window.rows_trained == 0 {
        0
    } else {
        plan.steps.min(config.training.steps_for(new_positions, config.run.uses))
    };
    if steps == 0 {
        let Window { rows_held_out, games, .. } = window;
        return Ok(Trained::Nothing(Untrained { games, held_out: rows_held_out }));
    }
    if steps < plan.steps {
        observer.notice(&Notice::FewerSteps { generation, steps, planned: plan.steps, positions: new_positions });
    }
    let mut trainer = trainer_after(context, previous)?;
    trainer.log_to(&context.folder.metrics())?;
    let report = descend(context, &mut trainer, dataset, plan, steps)?;
    if report.stopped || context.host.is_stopped() {
        return Ok(Trained::Stopped);
    }
    let divergence = match previous {
        0 if context.ancestor.is_none() => None,
        // Training does not need the previous network, so one that cannot be read is ignored.
        _ => match NetworkFile::read(&context.folder.network(previous)) {
            Ok(former) => trainer.divergence_from(&former, dataset, plan.progress_to)?,
            Err(_) => None,
        },
    };
    // The checkpoint is written first: a generation whose network has no checkpoint could not be resumed.
    trainer.save(&context.folder.checkpoint(generation))?;
    let network = trainer.publish(dataset, generation)?;
    network.write(&context.folder.network(generation))?;
    let held_out = report.validation.filter(|figures| figures.samples >= FEWEST_HELD_OUT);
    let figures = events::Train {
        steps,
        samples: steps * config.training.batch as u64,
        window: window.rows_trained,
        policy_loss: report.training.policy,
        value_loss: report.training.value,
        validation_policy_loss: held_out.map(|figures| figures.policy),
        validation_value_loss: held_out.map(|figures| figures.value),
        trained_policy_loss: report.validation_trained.map(|figures| figures.policy),
        trained_value_loss: report.validation_trained.map(|figures| figures.value),
        policy_entropy: Some(report.training.policy_entropy),
        policy_divergence: divergence.filter(|_| held_out.is_some()),
        learning_rate: report.learning_rate,
        network: network.id().to_owned(),
        int8_agreement: Some(Box::new(network.calibration().map_err(TrainError::from)?.agreement)),
    };
    Ok(Trained::Network(figures, report.samples_per_second))
}

/// Rebuilds the checkpoint of a network by repeating its training: the generation of this plan, with this number of
/// steps, after the network `before`. Returns the id of the network; `None` if the training was stopped. Neither the
/// network nor its metrics are written: those of the first training exist.
///
/// # Errors
/// The games or the checkpoint before cannot be read or are damaged, the training fails, or the checkpoint cannot be
/// written.
pub fn again<V: Variant>(
    context: &StageContext<V>,
    dataset: &mut Dataset<V>,
    plan: &Plan,
    steps: u64,
    before: u32,
) -> Result<Option<String>> {
    let mut trainer = trainer_after(context, before)?;
    dataset.refresh_until(&context.store, plan.generation)?;
    let report = descend(context, &mut trainer, dataset, plan, steps)?;
    if report.stopped || context.host.is_stopped() {
        return Ok(None);
    }
    trainer.save(&context.folder.checkpoint(plan.generation))?;
    Ok(Some(trainer.export(plan.generation)?.id().to_owned()))
}

/// The trainer in the state after this network was made.
fn trainer_after<V: Variant>(context: &StageContext<V>, network: u32) -> Result<Trainer> {
    let config = &context.config;
    let blueprint = Blueprint::of::<V>(config.network.clone());
    if network == 0 && context.ancestor.is_none() {
        return Ok(Trainer::new(blueprint, config.training.clone(), config.run.seed)?);
    }
    let checkpoint = context.folder.checkpoint(network);
    Trainer::resume(&checkpoint, blueprint, config.training.clone()).map_err(LabError::Resume)
}

/// Makes the steps of a generation.
fn descend<V: Variant>(
    context: &StageContext<V>,
    trainer: &mut Trainer,
    dataset: &Dataset<V>,
    plan: &Plan,
    steps: u64,
) -> Result<TrainReport> {
    let first_step = trainer.step();
    let round = TrainingSpan {
        generation: plan.generation,
        first_step,
        last_step: first_step + steps,
        progress_before: plan.progress_from,
        progress_after: plan.progress_to,
    };
    let meter = context.host.observer.begin(plan.generation, Task::Training, steps);
    Ok(trainer.train(dataset, &round, &context.host.stop, &mut |progress| {
        meter.update(progress.step - first_step, &Status::Training(progress.metrics.as_ref()));
    })?)
}

/// Positions that determine the number of steps of this generation: those of games that ended in it. The plan counts
/// all positions searched, but those of unfinished games are not available yet. In the first generations few games have
/// ended, and the planned steps would overfit them. The last generation may use the whole window, since no new games
/// come.
fn new_positions<V: Variant>(context: &StageContext<V>, plan: &Plan, window: &Window) -> Result<u64> {
    if plan.last {
        return Ok(window.rows_trained);
    }
    let shards = context.store.shards(V::ID)?;
    Ok(shards.iter().filter(|shard| shard.generation == plan.generation).map(|shard| shard.positions.rows).sum())
}
