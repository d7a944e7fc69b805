//! Section: what the self-play games look like.

use super::bar::{Results, bar};
use super::chart::{Baseline, Chart, Series};
use super::endings;
use super::pieces::absent;
use crate::error::ReportError;
use crate::number::{ABSENT, count, fixed, share};
use data::GenerationSummary;
use lab::events::Selfplay;
use maud::{Markup, html};

/// Length, results and terminations of the games. They come from the stages of self-play with their generations, and from
/// the summary of the games, or the reason why it cannot be read.
///
/// # Errors
/// The drawing library refuses.
pub fn section(
    selfplays: &[(u32, &Selfplay)],
    summary: &Result<Vec<GenerationSummary>, String>,
) -> Result<Markup, ReportError> {
    if selfplays.iter().all(|(_, stage)| stage.games == 0) {
        return Ok(absent("No game is finished yet."));
    }
    let of = |name, value: fn(&Selfplay) -> f64| {
        let values = selfplays.iter().map(|&(generation, stage)| (generation, (stage.games > 0).then(|| value(stage))));
        Series::new(name, values)
    };
    let length = Chart {
        title: "Length of the games",
        unit: "mean plies",
        across: "generation",
        baseline: Baseline::Zero,
        digits: 0,
        series: vec![of("plies", |stage| stage.mean_plies)],
    };
    let results = Chart {
        title: "Results",
        unit: "% of games",
        across: "generation",
        baseline: Baseline::Zero,
        digits: 0,
        series: vec![
            of("first player won", |stage| 100.0 * stage.first_wins as f64 / stage.games as f64),
            of("second player won", |stage| 100.0 * stage.second_wins as f64 / stage.games as f64),
            of("drawn", |stage| 100.0 * stage.draws as f64 / stage.games as f64),
        ],
    };
    Ok(html! {
        div.columns { (length.figure()?) (results.figure()?) }
        div.columns {
            (by_generation(selfplays))
            (terminations(summary))
        }
    })
}

fn by_generation(selfplays: &[(u32, &Selfplay)]) -> Markup {
    html! {
        div.scroll {
            table {
                thead {
                    tr { th.n { "Generation" } th.n { "Games" } th.n { "Plies" } th.n { "Decisive" } th.wide { "First won, drawn, second won" } }
                }
                tbody {
                    @for &(generation, stage) in selfplays {
                        @let results = Results { first: stage.first_wins, draws: stage.draws, second: stage.second_wins };
                        tr {
                            td.n { (generation) @if stage.undecided.is_some() { ", random play" } }
                            td.n { (count(stage.games)) }
                            td.n { (if stage.games > 0 { fixed(stage.mean_plies, 1) } else { ABSENT.to_owned() }) }
                            td.n { (share(results.first + results.second, results.games())) }
                            td.wide { (bar(results)) }
                        }
                    }
                }
            }
        }
    }
}

fn terminations(summary: &Result<Vec<GenerationSummary>, String>) -> Markup {
    match summary {
        Ok(summary) if !summary.is_empty() => endings::of_generations(summary),
        Ok(_) => absent("No games file is committed yet, so it is not known why the games ended."),
        Err(problem) => absent(problem),
    }
}
