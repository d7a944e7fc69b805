//! Section: what the self-play games look like.

use super::bar::{Results, bar};
use super::chart::{Baseline, Chart, Series};
use super::facts::Facts;
use super::number::{count, fixed, share};
use super::page::{absent, figure};
use crate::run::events::Selfplay;
use maud::{Markup, html};

/// Length, results and terminations.
pub fn section(facts: &Facts) -> anyhow::Result<Markup> {
    if facts.selfplays().all(|(_, _, stage)| stage.games == 0) {
        return Ok(absent("No game is finished yet."));
    }
    let of = |name, value: fn(&Selfplay) -> f64| {
        let values =
            facts.selfplays().map(|(generation, _, stage)| (generation, (stage.games > 0).then(|| value(stage))));
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
        div.columns { (figure(&length)?) (figure(&results)?) }
        div.columns {
            (by_generation(facts))
            (terminations(facts))
        }
    })
}

fn by_generation(facts: &Facts) -> Markup {
    html! {
        div.scroll {
            table {
                thead {
                    tr { th.n { "Generation" } th.n { "Games" } th.n { "Plies" } th.n { "Decisive" } th.wide { "First won, drawn, second won" } }
                }
                tbody {
                    @for (generation, _, stage) in facts.selfplays() {
                        @let results = Results { first: stage.first_wins, draws: stage.draws, second: stage.second_wins };
                        tr {
                            td.n { (generation) }
                            td.n { (count(stage.games)) }
                            td.n { (if stage.games > 0 { fixed(stage.mean_plies, 1) } else { super::number::ABSENT.into() }) }
                            td.n { (share(results.first + results.second, results.games())) }
                            td.wide { (bar(results)) }
                        }
                    }
                }
            }
        }
    }
}

fn terminations(facts: &Facts) -> Markup {
    let summary = match &facts.summary {
        Ok(summary) if !summary.is_empty() => summary,
        Ok(_) => return absent("No games file is committed yet, so it is not known why the games ended."),
        Err(problem) => return absent(problem),
    };
    let mut endings = std::collections::BTreeMap::<&str, u64>::new();
    for (name, games) in summary.iter().flat_map(|generation| &generation.terminations) {
        *endings.entry(name).or_default() += games;
    }
    self::endings(endings.into_iter())
}

/// Games by the reason they ended, the most frequent first.
pub fn endings<'a>(endings: impl Iterator<Item = (&'a str, u64)>) -> Markup {
    let mut endings: Vec<(&str, u64)> = endings.collect();
    endings.sort_by_key(|&(_, games)| std::cmp::Reverse(games));
    let all: u64 = endings.iter().map(|(_, games)| games).sum();
    html! {
        div.scroll {
            table {
                thead { tr { th { "Ended by" } th.n { "Games" } th.n { "Share" } th.wide {} } }
                tbody {
                    @for (name, games) in endings {
                        tr {
                            td { (name.replace('_', " ")) }
                            td.n { (count(games)) }
                            td.n { (share(games, all)) }
                            td.wide { (super::bar::share(games, all)) }
                        }
                    }
                }
            }
        }
    }
}
