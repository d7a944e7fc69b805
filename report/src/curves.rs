//! The figures of a run as curves for TensorBoard.

use super::Facts;
use crate::error::ReportError;
use lab::Opponent;
use lab::events::{Event, Stage};
use lab::health::Health;
use lab::tensorboard::{self, Scalar};
use std::io::Write;
use std::path::{Path, PathBuf};
use train::{MetricsEntry, Split};

/// Writes the curves of a run into a folder of its name below `folder`, as TensorBoard wants its runs, and returns the
/// path of the file. An earlier file of this run is replaced.
///
/// # Errors
/// The file cannot be written.
pub fn write(folder: &Path, facts: &Facts, metrics: &[MetricsEntry]) -> Result<PathBuf, ReportError> {
    let folder = folder.join(&facts.name);
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(FILE);
    let bytes = tensorboard::encode(&scalars(facts, metrics));
    data::durable::write_atomically(&path, |file| file.write_all(&bytes))?;
    Ok(path)
}

/// TensorBoard recognises its files by the part `tfevents`. The number after it is meant to be a time; here it is always
/// the same, so that no point is there twice.
const FILE: &str = "events.out.tfevents.0.kirin";

/// All values: by generation, and those of `step` by optimiser step.
pub fn scalars(facts: &Facts, metrics: &[MetricsEntry]) -> Vec<Scalar> {
    let at = |generation: u32| {
        let of = |event: &&Event| event.generation <= generation;
        facts.events.iter().filter(of).map(|event| event.at_ms).max().unwrap_or(0)
    };
    let mut curves = Curves(Vec::new());
    for event in &facts.events {
        curves.stage(event);
    }
    for times in facts.times() {
        let generation = times.generation;
        curves.add("speed/evaluations_per_second", generation, at(generation), times.evaluations_a_second);
        curves.add("speed/samples_per_second", generation, at(generation), times.samples_a_second);
    }
    let mut rated = None;
    for rating in facts.ratings.iter().flat_map(|ratings| &ratings.networks) {
        // A network that played with several settings is several players; the one with the most games comes first.
        if rated.replace(rating.generation) != Some(rating.generation) {
            curves.add("rating/elo", rating.generation, at(rating.generation), Some(rating.elo));
        }
    }
    for health in Health::of(&facts.events) {
        for figure in &health.figures {
            let tag = format!("health/{}", figure.name);
            curves.add(&tag, health.generation, at(health.generation), Some(figure.value));
        }
    }
    for entry in metrics.iter().filter(|entry| entry.split == Split::Training) {
        for (loss, value) in entry.metrics.curves() {
            curves.push(&format!("step/{loss}_loss"), entry.step, at(entry.generation), value);
        }
        curves.push("step/learning_rate", entry.step, at(entry.generation), entry.learning_rate);
    }
    curves.0
}

struct Curves(Vec<Scalar>);

impl Curves {
    fn stage(&mut self, event: &Event) {
        let mut add = |tag: &str, value| self.add(tag, event.generation, event.at_ms, value);
        match &event.stage {
            Stage::Selfplay(stage) => {
                add("selfplay/games", Some(stage.games as f64));
                add("selfplay/plies", Some(stage.mean_plies).filter(|_| stage.games > 0));
                add("speed/batch_fill", Some(stage.batch_fill).filter(|&fill| fill > 0.0));
            }
            Stage::Train(stage) => {
                add("loss/policy", Some(stage.trained_policy_loss.unwrap_or(stage.policy_loss)));
                add("loss/policy_held_out", stage.validation_policy_loss);
                add("loss/value", Some(stage.trained_value_loss.unwrap_or(stage.value_loss)));
                add("loss/value_held_out", stage.validation_value_loss);
                add("policy/divergence", stage.policy_divergence);
            }
            Stage::Match(played) => {
                match played.opponent {
                    // Old runs ended with a match against it.
                    Opponent::Network(0) => {}
                    Opponent::Network(_) => add("match/score_against_one_before", Some(played.score)),
                    fixed => add(&format!("match/score_against_{}", fixed.file_name()), Some(played.score)),
                }
                add("match/elo_on_the_fixed_scale", played.place.as_ref().map(|place| place.elo));
            }
            Stage::Untrained(_) | Stage::Repaired(_) => {}
        }
    }

    fn add(&mut self, tag: &str, generation: u32, at_ms: i64, value: Option<f64>) {
        if let Some(value) = value {
            self.push(tag, u64::from(generation), at_ms, value);
        }
    }

    /// Leaves out values that are no numbers, because TensorBoard would then draw no line at all.
    fn push(&mut self, tag: &str, step: u64, at_ms: i64, value: f64) {
        if value.is_finite() {
            self.0.push(Scalar { tag: tag.to_owned(), step: step as i64, at_ms, value: value as f32 });
        }
    }
}
