//! Section: how strong each network is.

use super::chart::{Baseline, Chart, Point, Series};
use super::pieces::absent;
use super::ratings::{Rating, Ratings};
use crate::number::{count, percent, plus_minus};
use lab::events::Match;
use maud::{Markup, html};

/// Ratings of the networks, or why there are none, and the matches they come from.
pub fn section(ratings: &Result<Ratings, String>, played: &[&Match]) -> anyhow::Result<Markup> {
    let ratings = match ratings {
        Ok(ratings) if !ratings.networks.is_empty() => ratings,
        Ok(_) => return Ok(html! { (absent("No network is rated yet: no match is finished.")) (matches(played)) }),
        Err(problem) => return Ok(html! { (absent(problem)) (matches(played)) }),
    };
    let points = ratings
        .networks
        .iter()
        .map(|rating| Point { x: f64::from(rating.generation), y: rating.elo, error: rating.error.unwrap_or(0.0) })
        .collect();
    let chart = Chart {
        title: "Elo of each network",
        unit: "Elo (network 0 = 0)",
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
                "* Won or lost every game against somebody: a cautious estimate. "
            }
            "Ratings are fitted to all matches of the run together (Bradley–Terry); 400 Elo are odds of ten to one. "
            "± is half the 95 % interval; the intervals are those of the difference from network 0. "
            @if let Some((first, draws)) = ratings.seats {
                "Moving first is worth " (plus_minus(Some(first.value), Some(first.error))) " Elo; between equals "
                (percent(draws.value, 0)) " of the games are drawn."
            }
        }
        (matches(played))
    })
}

fn table(ratings: &[Rating]) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { th.n { "Network" } th.n { "Elo" } th.n { "Games" } th.n { "Score" } } }
                tbody {
                    @for rating in ratings {
                        tr {
                            td.n { (rating.generation) }
                            td.n { (plus_minus(Some(rating.elo), rating.error)) @if rating.cautious { "*" } }
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
                                    td { "network " (played.network) " – network " (played.opponent) }
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
