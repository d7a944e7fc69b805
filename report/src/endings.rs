//! Games by the reason they ended.

use super::bar;
use crate::number::{count, share};
use data::GenerationSummary;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// The table of all games of some generations.
pub fn of_generations(summary: &[GenerationSummary]) -> Markup {
    let mut reasons = BTreeMap::<&str, u64>::new();
    for (name, games) in summary.iter().flat_map(|generation| &generation.terminations) {
        *reasons.entry(name).or_default() += games;
    }
    table(reasons.into_iter())
}

/// A table of the reasons, the most frequent first.
pub fn table<'a>(endings: impl Iterator<Item = (&'a str, u64)>) -> Markup {
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
                            td.wide { (bar::share(games, all)) }
                        }
                    }
                }
            }
        }
    }
}
