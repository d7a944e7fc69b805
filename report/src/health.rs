//! Section: figures that tell whether the run is healthy, with their ranges and remedies.

use super::pieces::absent;
use crate::number::{ABSENT, fixed, percent};
use lab::health::{Figure, Health, Unit};
use maud::{Markup, html};

/// All figures, newest values first, then generation by generation.
pub fn section(health: &[Health]) -> Markup {
    let newest = lab::health::newest(health);
    let figures: Vec<&Figure> = newest.iter().map(|newest| &newest.figure).collect();
    if figures.is_empty() {
        return absent("No generation of self-play is finished yet.");
    }
    html! {
        div.scroll {
            table {
                thead {
                    tr { th { "Figure" } th.n { "Newest" } th.n { "Healthy" } th { "Outside in generation" } }
                }
                tbody {
                    @for figure in &figures {
                        @let ill = ill_in(health, figure.name);
                        tr {
                            td { (figure.title) }
                            td.n { (value(figure)) @if !figure.is_healthy() { " !" } }
                            td.n { (range(figure)) }
                            td { (ill.iter().map(|(at, _)| at.to_string()).collect::<Vec<_>>().join(", ")) }
                        }
                        @if let Some((_, remedy)) = ill.last() {
                            tr.remedy { td colspan="4" { b { "What to do: " } (with_keys(remedy)) } }
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
            "A share is outside of its range only if its whole 95 % interval is. Random-play games are not judged. "
            "What to do about a figure: docs/how-to/troubleshooting.md."
        }
    }
}

/// A remedy with the keys that it names marked.
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
fn ill_in<'a>(health: &'a [Health], name: &str) -> Vec<(u32, &'a str)> {
    health.iter().filter_map(|health| Some((health.generation, health.figure(name)?.remedy.as_deref()?))).collect()
}

/// The figure for people: `30.0 %`, `0.21 nats`. One outside of its range has as many digits as show that it is.
pub fn value(figure: &Figure) -> String {
    let ends: Vec<f64> = figure.low.into_iter().chain(figure.high).collect();
    let differs = |more: &usize| {
        ends.iter().all(|&end| shown(figure.unit, figure.value, *more) != shown(figure.unit, end, *more))
    };
    let more = if figure.is_healthy() { 0 } else { (0..=MOST_MORE_DIGITS).find(differs).unwrap_or(MOST_MORE_DIGITS) };
    shown(figure.unit, figure.value, more)
}

/// Digits that may be added to tell a figure from the end of its range.
const MOST_MORE_DIGITS: usize = 12;

/// A number in its unit, with more digits than usual.
fn shown(unit: Unit, value: f64, more: usize) -> String {
    match unit {
        Unit::Share => percent(value, 1 + more),
        Unit::Nats => format!("{} nats", fixed(value, 2 + more)),
    }
}

/// Its range for people: `up to 15.0 %`, `30.0 % to 70.0 %`.
pub fn range(figure: &Figure) -> String {
    let end = |at: f64| shown(figure.unit, at, 0);
    match (figure.low, figure.high) {
        (Some(low), Some(high)) => format!("{} to {}", end(low), end(high)),
        (Some(low), None) => format!("from {}", end(low)),
        (None, Some(high)) => format!("up to {}", end(high)),
        (None, None) => ABSENT.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_outside_of_its_range_never_looks_like_its_end() {
        let figure = |unit, value, remedy: Option<&str>| Figure {
            name: "policy_gap",
            title: "policy loss, validation over training",
            unit,
            value,
            low: None,
            high: Some(0.2),
            remedy: remedy.map(str::to_owned),
            keys_when_resumed: Vec::new(),
            keys_for_next_run: Vec::new(),
        };
        assert_eq!(value(&figure(Unit::Nats, 0.2031, Some("train less"))), "0.203 nats");
        assert_eq!(value(&figure(Unit::Nats, 0.200_04, Some("train less"))), "0.20004 nats");
        assert_eq!(value(&figure(Unit::Share, 0.200_4, Some("train less"))), "20.04 %");
        assert_eq!(value(&figure(Unit::Nats, 0.2031, None)), "0.20 nats");
        assert_eq!(value(&figure(Unit::Nats, 0.31, Some("train less"))), "0.31 nats");
        for past in 1..2_000 {
            let ill = figure(Unit::Nats, 0.2 + f64::from(past) * 1e-5, Some("train less"));
            assert_ne!(value(&ill), "0.20 nats");
            assert_eq!(range(&ill), "up to 0.20 nats");
        }
    }
}
