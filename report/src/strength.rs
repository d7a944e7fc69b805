//! Section: how strong each network is.

use super::chart::{Baseline, Chart, Point, Series};
use super::pieces::absent;
use super::ratings::{Rating, Ratings};
use crate::error::ReportError;
use crate::number::{count, percent, plus_minus, signed};
use lab::events::Match;
use maud::{Markup, html};

/// Ratings of the networks, or why there are none, and the matches they come from.
///
/// # Errors
/// The drawing library refuses.
pub fn section(ratings: &Result<Ratings, String>, played: &[&Match]) -> Result<Markup, ReportError> {
    let ratings = match ratings {
        Ok(ratings) if !ratings.networks.is_empty() => ratings,
        Ok(_) => return Ok(html! { (absent("No network is rated yet: no match is finished.")) (matches(played)) }),
        Err(problem) => return Ok(html! { (absent(problem)) (matches(played)) }),
    };
    let points = ratings
        .networks
        .iter()
        .map(|rating| {
            let error = rating.gain.map_or(0.0, |gain| gain.error);
            Point { x: f64::from(rating.generation), y: rating.elo, error }
        })
        .collect();
    let anchor = ratings.ladder.as_ref().map_or("", |ladder| ladder.ratings.anchor.as_str());
    let chart = Chart {
        title: "Elo of each network",
        unit: "Elo",
        across: "network",
        baseline: Baseline::Free,
        digits: 0,
        series: vec![Series { name: "Elo", points }],
    };
    Ok(html! {
        div.columns {
            (chart.figure()?)
            (table(&ratings.networks))
        }
        p.note {
            @if ratings.networks.iter().any(|rating| rating.cautious) {
                "* Won or lost every game against one opponent: a cautious estimate. "
            }
            "Ratings are fitted to all matches of the run together (Bradley–Terry); 400 Elo are odds of ten to one. "
            (anchor) " is at 0. ± and the bars of the plot are the 95\u{a0}% interval of the difference from the "
            "network before. "
            @if let Some(ladder) = &ratings.ladder {
                (ladder.ratings.first_advantage_text()) " Between equals " (percent(ladder.ratings.draws.value, 0))
                " of the games are drawn."
            }
        }
        (matches(played))
    })
}

/// How far a network is above the one before it.
fn gain(rating: &Rating) -> String {
    plus_minus(rating.gain.map(|gain| gain.value), rating.gain.map(|gain| gain.error))
}

fn table(ratings: &[Rating]) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { th.n { "Network" } th.n { "Elo" } th.n { "Above the one before (95\u{a0}%)" } th.n { "Games" } th.n { "Score" } } }
                tbody {
                    @for rating in ratings {
                        tr {
                            td.n title=(rating.name) { (rating.generation) }
                            td.n { (signed(rating.elo)) @if rating.cautious { "*" } }
                            td.n { (gain(rating)) }
                            td.n { (count(rating.games)) }
                            td.n { (percent(rating.score, 1)) }
                        }
                    }
                }
            }
        }
    }
}

fn matches(all: &[&Match]) -> Markup {
    html! {
        @if !all.is_empty() {
            details {
                summary { "All matches" }
                div.scroll {
                    table {
                        thead {
                            tr {
                                th { "Match" } th.n { "Pairs" } th.n { "Won" } th.n { "Drawn" } th.n { "Lost" }
                                th.n { "Score" } th.n { "95 % interval" } th.n { "Elo difference" }
                            }
                        }
                        tbody {
                            @for played in all {
                                tr {
                                    td { "network " (played.network) " – " (played.opponent.to_string()) }
                                    td.n { (count(played.pairs)) }
                                    td.n { (count(played.wins)) }
                                    td.n { (count(played.draws)) }
                                    td.n { (count(played.losses)) }
                                    td.n { (percent(played.score, 1)) }
                                    td.n { (percent(played.score_low, 1)) " to " (percent(played.score_high, 1)) }
                                    td.n { (plus_minus(played.elo, played.elo_error)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
