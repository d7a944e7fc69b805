//! All errors of a configuration, collected before they are reported.

use std::fmt::{self, Display};

/// One error: the key with its sections, and what is wrong with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The key as it is in the file: `training.optimiser.learning_rate`. A whole section if the error concerns no
    /// single key.
    pub key: String,
    /// What is wrong, and what would be right.
    pub problem: String,
}

impl Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon = if self.key.is_empty() { "" } else { ": " };
        write!(f, "{}{colon}{}", self.key, self.problem)
    }
}

/// The range of a key, as the check of a configuration has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The key with its sections: `search.visits`.
    pub key: String,
    /// The smallest value that is accepted.
    pub low: String,
    /// The largest value that is accepted.
    pub high: String,
}

/// Complaints about a configuration, in the order in which they were made. As an error it is one line for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Complaints {
    /// The section that is being checked, with its parents; empty at the top level.
    section: String,
    list: Vec<Complaint>,
    /// The ranges that were checked, where they are recorded.
    ranges: Option<Vec<Range>>,
}

impl Complaints {
    /// The ranges that `check` asks for with [`within`](Self::within), in their order: for documentation.
    ///
    /// ```
    /// let ranges = settings::Complaints::ranges(|complaints| complaints.within("visits", 32, 1, 400));
    /// assert_eq!((ranges[0].key.as_str(), ranges[0].low.as_str(), ranges[0].high.as_str()), ("visits", "1", "400"));
    /// ```
    pub fn ranges(check: impl FnOnce(&mut Complaints)) -> Vec<Range> {
        let mut complaints = Complaints { ranges: Some(Vec::new()), ..Complaints::default() };
        check(&mut complaints);
        complaints.ranges.unwrap_or_default()
    }

    /// Checks a section: within `check`, all keys belong to it.
    pub fn section(&mut self, name: &str, check: impl FnOnce(&mut Complaints)) {
        let inner = self.key(name);
        let outer = std::mem::replace(&mut self.section, inner);
        check(self);
        self.section = outer;
    }

    /// Complains about a key of the present section; about the section itself if `key` is empty.
    pub fn say(&mut self, key: &str, problem: impl Display) {
        let key = self.key(key);
        self.list.push(Complaint { key, problem: problem.to_string() });
    }

    /// Complains unless `low <= value <= high`; a NaN is outside of every range.
    pub fn within<T: PartialOrd + Display>(&mut self, key: &str, value: T, low: T, high: T) {
        if let Some(ranges) = &mut self.ranges {
            let dot = if self.section.is_empty() { "" } else { "." };
            let (low, high) = (low.to_string(), high.to_string());
            ranges.push(Range { key: format!("{}{dot}{key}", self.section), low, high });
        }
        if !(value >= low && value <= high) {
            self.say(key, format_args!("{value} is out of range; {low} to {high}"));
        }
    }

    /// The complaints so far.
    pub fn list(&self) -> &[Complaint] {
        &self.list
    }

    /// Keeps the complaints for which `keep` returns true.
    pub fn retain(&mut self, keep: impl FnMut(&Complaint) -> bool) {
        self.list.retain(keep);
    }

    /// Appends all complaints of another collection.
    pub fn append(&mut self, other: Complaints) {
        self.list.extend(other.list);
    }

    /// Whether there are no complaints.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// An error if there are complaints.
    ///
    /// # Errors
    /// The complaints themselves.
    pub fn into_result(self) -> Result<(), Complaints> {
        if self.is_empty() { Ok(()) } else { Err(self) }
    }

    /// A key of the present section, with the section's path.
    fn key(&self, key: &str) -> String {
        let dot = if self.section.is_empty() || key.is_empty() { "" } else { "." };
        format!("{}{dot}{key}", self.section)
    }
}

impl Display for Complaints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, complaint) in self.list.iter().enumerate() {
            let newline = if number == 0 { "" } else { "\n" };
            write!(f, "{newline}{complaint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Complaints {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_carry_their_sections() {
        let mut complaints = Complaints::default();
        complaints.say("alone", "no section");
        complaints.section("training", |complaints| {
            complaints.within("batch", 1, 2, 65_536);
            complaints.section("loss", |complaints| {
                complaints.within("policy", f64::NAN, 0.0, 10.0);
                complaints.say("", "all weights are 0");
            });
            complaints.within("parts", 3, 0, 1024);
            complaints.say("threads", "after an inner section");
        });
        complaints.section("", |complaints| complaints.say("top", "an unnamed section adds nothing"));
        let expected = "alone: no section\n\
                        training.batch: 1 is out of range; 2 to 65536\n\
                        training.loss.policy: NaN is out of range; 0 to 10\n\
                        training.loss: all weights are 0\n\
                        training.threads: after an inner section\n\
                        top: an unnamed section adds nothing";
        assert_eq!(complaints.to_string(), expected);
        complaints.retain(|complaint| complaint.key == "top");
        assert_eq!(complaints.list().len(), 1);
        assert_eq!(complaints.clone().into_result(), Err(complaints));
        assert_eq!(Complaints::default().into_result(), Ok(()));
    }
}
