//! What is declared of a head of the value branch.

use super::{HEADS, PerHead, Sample};
use rules::encode::Shape;
use std::ops::Range;

/// A head of the value branch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    /// The name of its output and of its target.
    pub name: &'static str,
    /// How many numbers it says.
    pub width: Width,
    /// What it says, for people.
    #[cfg_attr(not(test), expect(dead_code, reason = "the pages and the Python package are made of it"))]
    pub output: &'static str,
    /// Writes the target of a sample.
    pub target: fn(&Sample, &mut [f32]),
    /// What the target is, for people.
    #[cfg_attr(not(test), expect(dead_code, reason = "docs/reference/files.md is made of it"))]
    pub target_meaning: &'static str,
    /// How much a sample counts for it; `None`: all count alike.
    pub counts: Option<SampleWeight>,
    /// How far it is from its target.
    pub loss: Loss,
    /// The name of its weight in configurations, and of its loss in logs.
    pub key: &'static str,
    /// Whether its loss is drawn as a curve.
    pub drawn: bool,
}

/// How many numbers a head says.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Width {
    /// One, which is no list in files.
    Number,
    /// A list of so many.
    Numbers(usize),
    /// A list of as many as a field of the shape says. With 0 a network lacks the head.
    OfShape {
        /// The field's name.
        #[cfg_attr(not(test), expect(dead_code, reason = "the pages and the Python package are made of it"))]
        field: &'static str,
        /// Reads it.
        count: fn(Shape) -> usize,
    },
}

impl Width {
    /// The number for a variant.
    pub fn of(self, shape: Shape) -> usize {
        match self {
            Width::Number => 1,
            Width::Numbers(count) => count,
            Width::OfShape { count, .. } => count(shape),
        }
    }

    /// The sizes of a sample's target.
    pub fn sizes(self, shape: Shape) -> Vec<usize> {
        match self {
            Width::Number => Vec::new(),
            _ => vec![self.of(shape)],
        }
    }
}

/// What is minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// The cross-entropy of a softmax over the numbers of the head, whose targets sum to 1.
    CrossEntropy,
    /// The Huber loss, its mean over the numbers of the head.
    Huber,
}

/// How much a sample counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SampleWeight {
    /// The weight of its value.
    Value,
    /// The weight of its distance from the end.
    Plies,
    /// The weight of the points at the end.
    Points,
}

impl SampleWeight {
    /// All of them, in the order of their declaration.
    pub const ALL: [SampleWeight; 3] = [SampleWeight::Value, SampleWeight::Plies, SampleWeight::Points];

    /// Whether a head of a network of this shape has such a weight.
    pub fn counts_in(self, shape: Shape) -> bool {
        HEADS.iter().any(|head| head.counts == Some(self) && head.width.of(shape) > 0)
    }

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            SampleWeight::Value => "value_weight",
            SampleWeight::Plies => "plies_weight",
            SampleWeight::Points => "points_weight",
        }
    }

    /// What it is, for people: docs/reference/files.md is made of it.
    #[cfg(test)]
    pub fn meaning(self) -> &'static str {
        match self {
            SampleWeight::Value => "weight of `wdl` in the loss",
            SampleWeight::Plies => "weight of `plies_left`: 0 where the game was cut off",
            SampleWeight::Points => "weight of `points`: 0 where the rule set counts none",
        }
    }

    /// Its value for a sample.
    pub fn of(self, sample: &Sample) -> f32 {
        match self {
            SampleWeight::Value => sample.value_weight,
            SampleWeight::Plies => sample.plies_weight,
            SampleWeight::Points => sample.points_weight,
        }
    }
}

/// Numbers that all heads of the value branch say.
pub(crate) fn values(shape: Shape) -> usize {
    HEADS.iter().map(|head| head.width.of(shape)).sum()
}

/// Where the numbers of each head are among them.
pub(crate) fn places(shape: Shape) -> PerHead<Range<usize>> {
    let mut end = 0;
    HEADS.as_ref().map(|head| {
        let begin = end;
        end += head.width.of(shape);
        begin..end
    })
}

/// A column of the files for other programs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Column {
    /// The targets of a head.
    Head(&'static Head),
    /// How much the samples count.
    Weight(SampleWeight),
}

/// The columns in their order: the heads, and after each the weights for which it is the first.
pub(crate) fn columns() -> Vec<Column> {
    let mut columns = Vec::new();
    let mut weights = SampleWeight::ALL.to_vec();
    for head in HEADS.iter() {
        columns.push(Column::Head(head));
        columns.extend(weights.extract_if(.., |weight| head.counts == Some(*weight)).map(Column::Weight));
    }
    columns
}
