//! Section: where the time went.

use super::chart::{Baseline, Chart, Series};
use super::facts::Facts;
use super::number::{count, duration, optional, percent, rate};
use super::page::{absent, figure};
use super::times::StageTimes;
use maud::{Markup, html};

/// Speeds and stage times.
pub fn section(facts: &Facts) -> anyhow::Result<Markup> {
    if facts.events.is_empty() {
        return Ok(absent("No stage is finished yet."));
    }
    let evaluations = Chart {
        title: "Self-play",
        unit: "evaluations a second",
        across: "generation",
        baseline: Baseline::Zero,
        digits: 0,
        series: vec![Series::new(
            "evaluations",
            facts.selfplays().map(|(generation, seconds, stage)| (generation, rate(stage.evaluations, seconds))),
        )],
    };
    let samples = Chart {
        title: "Training",
        unit: "samples a second",
        across: "generation",
        baseline: Baseline::Zero,
        digits: 0,
        series: vec![Series::new(
            "samples",
            facts.times().iter().map(|times| (times.generation, times.samples_a_second)),
        )],
    };
    let times = facts.times();
    let total = StageTimes::total(&times);
    Ok(html! {
        div.columns { (figure(&evaluations)?) (figure(&samples)?) }
        div.scroll {
            table {
                thead {
                    tr {
                        th.n { "Generation" } th.n { "Self-play" } th.n { "Training" } th.n { "Matches" } th.n { "Together" }
                        th.wide {
                            span.legend {
                                span { i.swatch.s0 {} "self-play" } span { i.swatch.s1 {} "training" } span { i.swatch.s2 {} "matches" }
                            }
                        }
                        th.n { "Evaluations/s" } th.n { "Batch fill" } th.n { "Samples/s" }
                    }
                }
                tbody {
                    @for times in &times { (row(&times.generation.to_string(), times)) }
                }
                @if times.len() > 1 { tfoot { (row("all", &total)) } }
            }
        }
        p.note {
            "Evaluations: positions given to the network. Batch fill: their share of the room in the batches. "
            "Training of " (count(facts.trainings().map(|(_, stage)| stage.samples).sum())) " samples in all."
        }
    })
}

fn row(name: &str, times: &StageTimes) -> Markup {
    let all = times.together();
    html! {
        tr {
            td.n { (name) }
            td.n { (duration(times.selfplay)) }
            td.n { (duration(times.training)) }
            td.n { (duration(times.matches)) }
            td.n { (duration(all)) }
            td.wide {
                @if all > 0.0 {
                    div.parts {
                        @for (at, part) in [times.selfplay, times.training, times.matches].into_iter().enumerate() {
                            @if part > 0.0 { span class={ "s" (at) } style=(format!("width:{:.2}%", 100.0 * part / all)) {} }
                        }
                    }
                }
            }
            td.n { (optional(times.evaluations_a_second, 0)) }
            td.n { (times.batch_fill.map_or_else(|| super::number::ABSENT.to_owned(), |fill| percent(fill, 1))) }
            td.n { (optional(times.samples_a_second, 0)) }
        }
    }
}
