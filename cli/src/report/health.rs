//! Section: figures that tell whether the run is healthy, with their ranges and remedies.

use super::pieces::absent;
use crate::number::{ABSENT, fixed, percent};
use lab::health::{CHECKS, Figure, Health, Unit};
use maud::{Markup, html};

/// All figures, newest values first, then generation by generation.
pub fn section(health: &[Health]) -> Markup {
    let newest = |name: &str| health.iter().rev().find_map(|health| health.figure(name));
    let names: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
    let figures: Vec<&Figure> = names.iter().filter_map(|name| newest(name)).collect();
    if figures.is_empty() {
        return absent("No generation of self-play is finished yet.");
    }
    html! {
        div.scroll {
            table {
                thead {
                    tr { th { "Figure" } th.n { "Newest" } th.n { "Healthy" } th { "Outside in generation" } th { "What to do" } }
                }
                tbody {
                    @for figure in &figures {
                        @let ill = ill_in(health, figure.name);
                        tr {
                            td { (figure.title) }
                            td.n { (value(figure)) @if !figure.is_healthy() { " !" } }
                            td.n { (range(figure)) }
                            td { (ill.iter().map(|(at, _)| at.to_string()).collect::<Vec<_>>().join(", ")) }
                            td.line { @if let Some((_, remedy)) = ill.last() { (with_keys(remedy)) } }
                        }
                    }
                }
            }
        }
        details {
            summary { "By generation" }
            div.scroll {
                table {
                    thead { tr { th.n { "Generation" } @for figure in &figures { th.n { (figure.title) } } } }
                    tbody {
                        @for health in health.iter().filter(|health| !health.figures.is_empty()) {
                            tr {
                                td.n { (health.generation) }
                                @for figure in &figures { td.n { (health.figure(figure.name).map_or_else(absence, value)) } }
                            }
                        }
                    }
                }
            }
        }
        p.note {
            "A share is outside of its range only if its whole 95 % interval is. Games by the rules alone are not judged. "
            "Where the ranges come from: docs/health.md."
        }
    }
}

/// A remedy, the keys that it names set apart.
fn with_keys(remedy: &str) -> Markup {
    html! {
        @for (at, part) in remedy.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn absence() -> String {
    ABSENT.to_owned()
}

/// Generations in which a figure was outside of its range, with the remedy.
fn ill_in<'a>(health: &'a [Health], name: &'a str) -> Vec<(u32, &'static str)> {
    health.iter().filter_map(|health| Some((health.generation, health.figure(name)?.remedy?))).collect()
}

/// The figure for people: `30.0 %`, `0.21 nats`.
pub fn value(figure: &Figure) -> String {
    match figure.unit {
        Unit::Share => percent(figure.value, 1),
        Unit::Nats => format!("{} nats", fixed(figure.value, 2)),
    }
}

/// Its range for people: `up to 15.0 %`, `30.0 % to 70.0 %`.
pub fn range(figure: &Figure) -> String {
    let end = |at: f64| value(&Figure { value: at, ..figure.clone() });
    match (figure.low, figure.high) {
        (Some(low), Some(high)) => format!("{} to {}", end(low), end(high)),
        (Some(low), None) => format!("from {}", end(low)),
        (None, Some(high)) => format!("up to {}", end(high)),
        (None, None) => ABSENT.to_owned(),
    }
}
