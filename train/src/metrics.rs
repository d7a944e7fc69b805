//! Figures of the training as JSON lines, one every few steps.

use crate::error::{Result, TrainError};
use crate::loss::Figures;
use crate::trainer::Round;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// One line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Steps made.
    pub step: u64,
    /// The generation whose games were the newest.
    pub generation: u32,
    /// `training` or `validation`.
    pub split: String,
    /// Learning rate of the step; 0 for a validation.
    pub learning_rate: f64,
    /// Means since the line before (training) or over the held-out rows (validation).
    #[serde(flatten)]
    pub figures: Figures,
}

impl Line {
    pub(crate) fn training(round: &Round, step: u64, learning_rate: f64, figures: Figures) -> Line {
        Line { step, generation: round.generation, split: "training".to_owned(), learning_rate, figures }
    }

    pub(crate) fn validation(round: &Round, step: u64, figures: Figures) -> Line {
        Line { step, generation: round.generation, split: "validation".to_owned(), learning_rate: 0.0, figures }
    }

    /// All whole lines of a file; a torn last line is left out.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(path: &Path) -> Result<Vec<Line>> {
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            text => text.map_err(TrainError::io("read", path))?,
        };
        Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }
}

/// The file, open for appending.
#[derive(Debug)]
pub(crate) struct Metrics {
    path: PathBuf,
    file: File,
}

impl Metrics {
    /// Opens a file and drops its lines of steps after `step`.
    pub fn open(path: &Path, step: u64) -> Result<Metrics> {
        let kept: Vec<Line> = Line::read(path)?.into_iter().filter(|line| line.step <= step).collect();
        data::durable::write_atomically(path, |file| {
            kept.iter().try_for_each(|line| writeln!(file, "{}", serde_json::to_string(line)?))
        })?;
        let file = OpenOptions::new().append(true).open(path).map_err(TrainError::io("open", path))?;
        Ok(Metrics { path: path.to_owned(), file })
    }

    /// Appends a line in one write. Figures may be lost with the power, which nothing depends on.
    pub fn append(&mut self, line: &Line) -> Result<()> {
        let text = serde_json::to_string(line).map_err(|e| TrainError::io("write", &self.path)(e.into()))?;
        self.file.write_all(format!("{text}\n").as_bytes()).map_err(TrainError::io("write", &self.path))
    }
}
