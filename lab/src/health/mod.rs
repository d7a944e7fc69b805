//! Run health: figures of each generation that show whether a run is on track, the healthy range of each, and what to
//! do outside of it.
//!
//! [`CHECKS`] is the table of them, and `docs/research/2026-11-22-health-ranges.md` gives the reasons for its ranges.
//! Everything is computed from the [events](crate::events) of a run. A figure that these lack is left out, as in records of
//! older programs and for random-play games.
//!
//! # Examples
//! ```
//! use lab::events::{Event, Ends, Selfplay, Stage};
//! use lab::health::Health;
//!
//! let ends = Ends { capped: 60, ..Ends::default() };
//! let played = Selfplay { games: 100, first_wins: 50, second_wins: 50, ends: Some(ends), ..Selfplay::default() };
//! let event = Event { at_ms: 0, generation: 3, seconds: 40.0, seconds_before: 0.0, stage: Stage::Selfplay(played) };
//! let health = Health::of(&[event]);
//! let capped = health[0].figure("capped").expect("a figure");
//! assert_eq!((capped.value, capped.is_healthy()), (0.6, false));
//! assert!(capped.remedy.as_ref().is_some_and(|remedy| remedy.starts_with("in the next run, ")));
//! assert!(capped.keys_for_next_run.contains(&"selfplay.max_plies"), "a run that is resumed keeps it");
//! ```

mod checks;

pub use checks::{Bound, CHECKS, Check, Unit};

use crate::continuation::may_change;
use crate::events::{Event, Selfplay, Stage, Train};
use data::wilson;
use serde::Serialize;
use std::collections::BTreeMap;

/// A figure of one generation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Its short name, for scripts: `capped`.
    pub name: &'static str,
    /// What it is, for people: `games cut off at the ply limit`.
    pub title: &'static str,
    /// What it is measured in.
    pub unit: Unit,
    /// The figure.
    pub value: f64,
    /// The lower end of the healthy range; absent where it has none.
    pub low: Option<f64>,
    /// The upper end of the healthy range; absent where it has none.
    pub high: Option<f64>,
    /// What to do, if the figure is outside of its range by more than chance explains: [`Bound::remedy`]. Absent where
    /// it is healthy.
    pub remedy: Option<String>,
    /// The keys of the remedy that a resumed run takes over.
    pub keys_when_resumed: Vec<&'static str>,
    /// The keys of the remedy that a resumed run cannot change, so that only the next run can have other values.
    pub keys_for_next_run: Vec<&'static str>,
}

impl Figure {
    /// Whether the figure is in its range, or outside by no more than chance explains.
    pub fn is_healthy(&self) -> bool {
        self.remedy.is_none()
    }

    fn new(check: &'static Check, measured: Measured) -> Figure {
        let Measured { value, least, most } = measured;
        let too_low = check.low.as_ref().filter(|bound| most < bound.at);
        let too_high = check.high.as_ref().filter(|bound| least > bound.at);
        let passed = too_low.or(too_high);
        let (keys_when_resumed, keys_for_next_run) =
            passed.into_iter().flat_map(Bound::keys).partition(|key| may_change(key));
        Figure {
            name: check.name,
            title: check.title,
            unit: check.unit,
            value,
            low: check.low.as_ref().map(|bound| bound.at),
            high: check.high.as_ref().map(|bound| bound.at),
            remedy: passed.map(Bound::remedy),
            keys_when_resumed,
            keys_for_next_run,
        }
    }
}

/// A value with the bounds of its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measured {
    value: f64,
    least: f64,
    most: f64,
}

impl Measured {
    /// A value without an interval.
    fn exact(value: f64) -> Measured {
        Measured { value, least: value, most: value }
    }

    /// A share of `whole`, with its 95 % interval (Wilson); `None` where `whole` is 0.
    fn share(part: f64, whole: u64) -> Option<Measured> {
        let value = part / whole as f64;
        let (least, most) = wilson(value, whole);
        (whole > 0).then_some(Measured { value, least, most })
    }
}

/// The figures of one generation, in the order of [`CHECKS`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Health {
    /// The generation.
    pub generation: u32,
    /// Those of its figures that are known.
    pub figures: Vec<Figure>,
}

impl Health {
    /// The health of each generation that has finished a stage, oldest first.
    pub fn of(events: &[Event]) -> Vec<Health> {
        let mut seen = BTreeMap::<u32, Seen<'_>>::new();
        for (at, event) in events.iter().enumerate() {
            let seen = seen.entry(event.generation).or_default();
            match &event.stage {
                Stage::Selfplay(stage) => seen.selfplay = Some(stage),
                Stage::Train(stage) => (seen.train, seen.has_trained) = (Some(stage), true),
                Stage::Untrained(_) => seen.has_trained = true,
                Stage::Match(_) | Stage::Repaired(_) => {}
            }
            // What comes before the first stage is the start of the run.
            let between = if at == 0 { 0.0 } else { event.seconds_before };
            seen.seconds.count(event, between);
        }
        let (mut so_far, mut by_the_rules) = (Seconds::default(), 0);
        let mut all = Vec::new();
        for (generation, mut seen) in seen {
            // Random-play games take almost no time and say nothing about how later generations divide it.
            if let Some(stage) = seen.selfplay.filter(|stage| stage.undecided.is_some()) {
                seen.has_trained = false;
                by_the_rules += stage.positions;
            } else {
                so_far.add(&seen.seconds);
            }
            (seen.seconds, seen.by_the_rules) = (so_far, by_the_rules);
            let figures = CHECKS.iter().filter_map(|check| Some(Figure::new(check, (check.measure)(&seen)?)));
            all.push(Health { generation, figures: figures.collect() });
        }
        all
    }

    /// The figure of this name, if it is known.
    pub fn figure(&self, name: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.name == name)
    }

    /// The figures that are outside of their range.
    pub fn ills(&self) -> impl Iterator<Item = &Figure> {
        self.figures.iter().filter(|figure| !figure.is_healthy())
    }
}

/// The newest value of a figure, and the generation it is of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Newest {
    /// The generation.
    pub generation: u32,
    /// The figure.
    #[serde(flatten)]
    pub figure: Figure,
}

/// The newest value of each known figure, in the order of [`CHECKS`]. The stages of a generation end one after the
/// other, so the values may be of different generations.
pub fn newest(health: &[Health]) -> Vec<Newest> {
    let of = |check: &Check| {
        let known = |health: &Health| Some((health.generation, health.figure(check.name)?.clone()));
        health.iter().rev().find_map(known).map(|(generation, figure)| Newest { generation, figure })
    };
    CHECKS.iter().filter_map(of).collect()
}

/// Figures that left their range with the last of these events for the first time, each with its generation.
pub fn newly_ill(events: &[Event]) -> Vec<(u32, Figure)> {
    let Some((_, before)) = events.split_last() else { return Vec::new() };
    let known: Vec<&str> = Health::of(before)
        .iter()
        .flat_map(|health| health.ills().map(|figure| figure.name).collect::<Vec<_>>())
        .collect();
    let now = Health::of(events);
    let ills = now.iter().flat_map(|health| health.ills().map(|figure| (health.generation, figure.clone())));
    let mut new: Vec<(u32, Figure)> = Vec::new();
    for (generation, figure) in ills {
        if !known.contains(&figure.name) && new.iter().all(|(_, other)| other.name != figure.name) {
            new.push((generation, figure));
        }
    }
    new
}

/// What a check looks at.
#[derive(Debug, Default)]
pub(crate) struct Seen<'a> {
    selfplay: Option<&'a Selfplay>,
    train: Option<&'a Train>,
    /// Whether training is finished, so that the times of the stages can be compared.
    has_trained: bool,
    /// Positions of random-play games in the run so far.
    by_the_rules: u64,
    /// Time of the stages of the generation at first, then of the run so far.
    seconds: Seconds,
}

/// Time of the stages.
#[derive(Clone, Copy, Debug, Default)]
struct Seconds {
    selfplay: f64,
    training: f64,
    matches: f64,
    between: f64,
}

impl Seconds {
    fn count(&mut self, event: &Event, between: f64) {
        self.between += between;
        *match event.stage {
            Stage::Selfplay(_) => &mut self.selfplay,
            Stage::Train(_) | Stage::Untrained(_) | Stage::Repaired(_) => &mut self.training,
            Stage::Match(_) => &mut self.matches,
        } += event.seconds;
    }

    fn add(&mut self, other: &Seconds) {
        self.selfplay += other.selfplay;
        self.training += other.training;
        self.matches += other.matches;
        self.between += other.between;
    }

    fn together(&self) -> f64 {
        self.selfplay + self.training + self.matches + self.between
    }
}

#[cfg(test)]
mod tests;
