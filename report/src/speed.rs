//! Section: where the time went.

use super::chart::{Baseline, Chart, Series};
use super::pieces::absent;
use super::times::StageTimes;
use crate::error::ReportError;
use crate::number::{ABSENT, count, duration, optional, percent};
use maud::{Markup, html};

/// Speeds and stage times by generation.
///
/// # Errors
/// The drawing library refuses.
pub fn section(times: &[StageTimes]) -> Result<Markup, ReportError> {
    if times.is_empty() {
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
            times.iter().map(|times| (times.generation, times.evaluations_a_second)),
        )],
    };
    let samples = Chart {
        title: "Training",
        unit: "samples a second",
        across: "generation",
        baseline: Baseline::Zero,
        digits: 0,
        series: vec![Series::new("samples", times.iter().map(|times| (times.generation, times.samples_a_second)))],
    };
    let total = StageTimes::total(times);
    Ok(html! {
        div.columns { (evaluations.figure()?) (samples.figure()?) }
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
                    @for times in times { (row(&times.generation.to_string(), times)) }
                }
                tfoot {
                    @if times.len() > 1 { (row("all", &total)) }
                    @if let Some(shares) = total.shares() { (share_row(shares)) }
                }
            }
        }
        p.note {
            "Evaluations: positions given to the network. Batch fill: their share of the room in the batches. "
            "Training of " (count(total.samples)) " samples in all."
        }
    })
}

fn share_row(shares: [f64; 3]) -> Markup {
    html! {
        tr {
            td.n { "share" }
            @for share in shares { td.n { (percent(share, 1)) } }
            td.n { (percent(1.0, 0)) }
            td {} td {} td {} td {}
        }
    }
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
            td.n { (times.batch_fill.map_or_else(|| ABSENT.to_owned(), |fill| percent(fill, 1))) }
            td.n { (optional(times.samples_a_second, 0)) }
        }
    }
}
