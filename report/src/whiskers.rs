//! Ratings with their intervals on one axis, each in a row of a table. They are boxes of the page rather than a drawing,
//! so that long names wrap next to them and they become narrower with the window.

use crate::number::{plus_minus, signed};
use maud::{Markup, html};

/// Steps between the marks of an axis, in Elo.
const STEPS: [f64; 10] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0];
/// Marks that fit on the axis.
const MARKS: f64 = 4.0;

/// An axis that all rows share.
pub struct Whiskers {
    low: f64,
    high: f64,
    marks: Vec<f64>,
}

impl Whiskers {
    /// The axis of these values and half widths.
    pub fn new(values: impl Iterator<Item = (f64, f64)>) -> Whiskers {
        let (mut low, mut high) = (0.0f64, 0.0f64);
        for (value, error) in values.filter(|(value, error)| value.is_finite() && error.is_finite()) {
            low = low.min(value - error);
            high = high.max(value + error);
        }
        let room = (0.08 * (high - low)).max(1.0);
        (low, high) = (low - room, high + room);
        let step = STEPS.into_iter().find(|step| (high - low) / step <= MARKS).unwrap_or_else(|| {
            let most = STEPS[STEPS.len() - 1];
            most * ((high - low) / most / MARKS).ceil()
        });
        let first = (low / step).ceil() as i64;
        let marks = (first..).map(|n| n as f64 * step).take_while(|&mark| mark <= high).collect();
        Whiskers { low, high, marks }
    }

    /// Per cent from the left end.
    fn at(&self, value: f64) -> f64 {
        if value.is_finite() { (100.0 * (value - self.low) / (self.high - self.low)).clamp(0.0, 100.0) } else { 50.0 }
    }

    /// The axis with its marks.
    pub fn axis(&self) -> Markup {
        html! {
            div.axis {
                @for &mark in &self.marks {
                    span style=(format!("left:{:.2}%", self.at(mark))) { (signed(mark)) }
                }
            }
        }
    }

    /// A value and its interval.
    pub fn row(&self, value: f64, error: f64) -> Markup {
        let (left, right) = (self.at(value - error), self.at(value + error));
        let label = plus_minus(Some(value), Some(error));
        html! {
            div.whisker role="img" aria-label=(label) {
                @for &mark in &self.marks {
                    i.tick.zero[mark == 0.0] style=(format!("left:{:.2}%", self.at(mark))) {}
                }
                @if error > 0.0 { i.interval style=(format!("left:{left:.2}%;width:{:.2}%", right - left)) {} }
                i.mark style=(format!("left:{:.2}%", self.at(value))) {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_holds_everything_and_has_few_marks() {
        for (values, step) in [
            (vec![(0.0, 0.0)], 1.0),
            (vec![(0.0, 0.0), (120.0, 40.0), (-300.0, 25.0)], 200.0),
            (vec![(9_000.0, 3_000.0), (0.0, 0.0)], 4_000.0),
        ] {
            let axis = Whiskers::new(values.iter().copied());
            for &(value, error) in &values {
                assert!(axis.low < value - error && value + error < axis.high);
            }
            assert!((1..=6).contains(&axis.marks.len()) && axis.marks.contains(&0.0), "{:?}", axis.marks);
            assert!(axis.marks.windows(2).all(|pair| pair[1] - pair[0] == step), "{:?}", axis.marks);
        }
    }

    #[test]
    fn what_is_no_number_stays_on_the_axis() {
        let html = Whiskers::new([(f64::NAN, 1.0), (10.0, 5.0)].into_iter()).row(f64::INFINITY, f64::NAN).into_string();
        assert!(html.contains("left:50.00%") && !html.contains("NaN"), "{html}");
    }
}
