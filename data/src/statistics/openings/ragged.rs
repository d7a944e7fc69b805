//! Many short lists in one allocation.

/// A list of lists, one after the other.
pub(super) struct Ragged<T> {
    values: Vec<T>,
    ends: Vec<usize>,
}

impl<T> Default for Ragged<T> {
    fn default() -> Self {
        Ragged { values: Vec::new(), ends: Vec::new() }
    }
}

impl<T> Ragged<T> {
    /// Number of finished lists.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds to the list that is not finished.
    pub fn extend(&mut self, values: impl IntoIterator<Item = T>) {
        self.values.extend(values);
    }

    /// Length of the list that is not finished.
    pub fn unfinished(&self) -> usize {
        self.values.len() - self.ends.last().copied().unwrap_or_default()
    }

    /// Finishes a list.
    pub fn finish(&mut self) {
        self.ends.push(self.values.len());
    }

    /// A finished list.
    pub fn get(&self, at: usize) -> &[T] {
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.values[begin..self.ends[at]]
    }

    /// Gives back memory that was kept for more.
    pub fn shrink(&mut self) {
        self.values.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}
