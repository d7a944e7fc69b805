//! The log of training: an entry every few steps.

use crate::error::Result;
use crate::heads::Metrics;
use crate::samples::dataset::Split;
use data::{LineLog, LogEntry};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The metrics of some steps of training, or of a validation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricsEntry {
    /// Steps made.
    pub step: u64,
    /// The generation whose games were the newest.
    pub generation: u32,
    /// Which games the metrics are of.
    pub split: Split,
    /// Learning rate of the step; 0 for a validation.
    pub learning_rate: f64,
    /// Means since the entry before (training) or over the validation rows (validation).
    #[serde(flatten)]
    pub metrics: Metrics,
}

impl LogEntry for MetricsEntry {
    const TAG: &'static str = "metrics";
    const ONCE_WITHOUT_CHECKSUM: bool = true;
    const CHAINED: bool = true;
}

impl MetricsEntry {
    /// The entries of a log. A torn last line is left out.
    ///
    /// # Errors
    /// The file cannot be read, or a line before the last is damaged; the error names it.
    pub fn read(path: &Path) -> Result<Vec<MetricsEntry>> {
        Ok(LineLog::read(path)?.entries)
    }
}

/// Opens a log and drops the entries of steps after `step`.
pub(crate) fn open(path: &Path, step: u64) -> Result<LineLog<MetricsEntry>> {
    let mut entries = MetricsEntry::read(path)?;
    entries.retain(|entry| entry.step <= step);
    Ok(LineLog::replace(path, &entries)?)
}
