//! What can be set: the search, and the self-play around it.
//!
//! Every field states meaning, unit, range and where its default comes from. `complaints` collects all
//! that is wrong with a configuration at once.

mod search;
mod selfplay;

pub use search::{Algorithm, Reuse, SearchConfig};
pub use selfplay::SelfplayConfig;

use std::fmt::Display;

/// Collects complaints about the keys below one place of a configuration file.
struct Complaints<'a> {
    at: &'a str,
    out: &'a mut Vec<String>,
}

impl Complaints<'_> {
    fn say(&mut self, key: &str, what: impl Display) {
        let dot = if self.at.is_empty() { "" } else { "." };
        self.out.push(format!("{}{dot}{key}: {what}", self.at));
    }

    /// Complains unless `low <= value <= high`; a NaN is outside of every range.
    fn within<T: PartialOrd + Display>(&mut self, key: &str, value: T, low: T, high: T) {
        if !(value >= low && value <= high) {
            self.say(key, format!("{value} is out of range; {low} to {high}"));
        }
    }
}
