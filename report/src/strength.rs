//! Section: how strong each network is.

use super::chart::{Baseline, Chart, Point, Series};
use super::pieces::absent;
use super::ratings::{Rating, Ratings};
use crate::error::ReportError;
use crate::number::{ABSENT, count, fixed, percent, plus_minus, signed};
use eval::benchmark::ScalePlace;
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
    let on_scale = ratings.networks.iter().any(|rating| rating.place.is_some());
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
            (table(&ratings.networks, on_scale))
        }
        p.note {
            @if ratings.networks.iter().any(|rating| rating.cautious) {
                "* Won or lost every game against one opponent: a cautious estimate. "
            }
            @if ratings.with_ladder {
                "Ratings are fitted to all matches of the run and those of Kirin's ladder together (Bradley–Terry), because the "
                "run's alone do not connect all networks"
            } @else {
                "Ratings are fitted to all matches of the run together (Bradley–Terry)"
            }
            "; 400 Elo are odds of ten to one. "
            (anchor) " is at 0. ± and the bars of the plot are the 95\u{a0}% interval of the difference from the "
            "network before. "
            @if on_scale {
                "The fixed scale is that of Kirin's ladder, with the random player at 0, so it is the same in all runs: "
                "these games and the ladder's, fitted together. Read the distance from the nearest player of the ladder; the "
                "distance from random adds up the errors of all matches between. "
            } @else if !ratings.has_scale {
                "There is no fixed scale for this run: Kirin's ladder of the variant has other rules, or there is none. "
            }
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

fn table(ratings: &[Rating], on_scale: bool) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { th.n { "Network" } th.n { "Elo" } th.n { "Above the one before (95\u{a0}%)" }
                    @if on_scale { th.n { "Fixed scale" } th { "Nearest on the ladder (95\u{a0}%)" } }
                    th.n { "Games" } th.n { "Score" } } }
                tbody {
                    @for rating in ratings {
                        tr {
                            td.n title=(rating.name) { (rating.generation) }
                            td.n { (signed(rating.elo)) @if rating.cautious { "*" } }
                            td.n { (gain(rating)) }
                            @if on_scale {
                                td.n { (rating.place.as_ref().map_or_else(|| ABSENT.to_owned(), |place| fixed(place.elo, 0))) }
                                td { (rating.place.as_ref().map_or_else(|| ABSENT.to_owned(), ScalePlace::from_neighbour)) }
                            }
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
