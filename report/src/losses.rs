//! Section: what training did to the losses.

use super::chart::{Baseline, Chart, Series};
use super::pieces::absent;
use crate::error::ReportError;
use crate::number::{count, fixed, optional};
use lab::events::Train;
use maud::{Markup, html};

/// Policy and value loss by generation, on training and on validation games, from the stages of training.
///
/// # Errors
/// The drawing library refuses.
pub fn section(trainings: &[(u32, &Train)]) -> Result<Markup, ReportError> {
    if trainings.is_empty() {
        return Ok(absent("No generation has been trained yet."));
    }
    let of = |name, value: fn(&Train) -> Option<f64>| {
        Series::new(name, trainings.iter().map(|&(generation, stage)| (generation, value(stage))))
    };
    let chart = |title, series| Chart {
        title,
        unit: "cross-entropy, nats",
        across: "generation",
        baseline: Baseline::Free,
        digits: 2,
        series,
    };
    let policy = chart(
        "Policy loss",
        vec![
            of("games trained on", |stage| Some(policy_of_trained(stage))),
            of("validation games", |stage| stage.validation_policy_loss),
        ],
    );
    let value = chart(
        "Value loss",
        vec![
            of("games trained on", |stage| Some(value_of_trained(stage))),
            of("validation games", |stage| stage.validation_value_loss),
        ],
    );
    Ok(html! {
        div.columns { (policy.figure()?) (value.figure()?) }
        p.note {
            "Both lines are of the network that each generation made, so the distance between them shows how much "
            "it overfits. (In runs of earlier versions the first line is the mean over the steps of training.) The target changes with every generation, so a policy loss that "
            "rises may mean sharper games and not a worse network. Value loss of a network that knows only that "
            "win, draw and loss exist: ln 3 = 1.10."
        }
        details {
            summary { "By generation" }
            div.scroll {
                table {
                    thead {
                        tr {
                            th.n { "Generation" } th.n { "Steps" } th.n { "Samples" } th.n { "Window" }
                            th.n { "Policy" } th.n { "validation" } th.n { "Value" } th.n { "validation" }
                            th.n { "Learning rate" }
                        }
                    }
                    tbody {
                        @for &(generation, stage) in trainings {
                            tr {
                                td.n { (generation) }
                                td.n { (count(stage.steps)) }
                                td.n { (count(stage.samples)) }
                                td.n { (count(stage.window)) }
                                td.n { (fixed(policy_of_trained(stage), 3)) }
                                td.n { (optional(stage.validation_policy_loss, 3)) }
                                td.n { (fixed(value_of_trained(stage), 3)) }
                                td.n { (optional(stage.validation_value_loss, 3)) }
                                td.n { (fixed(stage.learning_rate, 6)) }
                            }
                        }
                    }
                }
            }
        }
    })
}

fn policy_of_trained(stage: &Train) -> f64 {
    stage.trained_policy_loss.unwrap_or(stage.policy_loss)
}

fn value_of_trained(stage: &Train) -> f64 {
    stage.trained_value_loss.unwrap_or(stage.value_loss)
}
