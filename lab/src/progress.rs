//! Progress of the stage in progress, in a small file of the run folder, for monitoring by other programs. The run
//! itself never reads it.

use crate::error::{LabError, Result};
use crate::folder::RunFolder;
use crate::observer::{Meter, Notice, Observer, Status, Task};
use crate::timestamp::now_ms;
use data::durable;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time between two writes. Each is synced to the disk, and monitoring does not look more often.
const WRITE_EVERY: Duration = Duration::from_secs(2);

/// Most bytes of the file that are read. It has some hundred.
const MOST_BYTES: u64 = 1 << 20;

/// The contents of `progress.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The generation that the stage belongs to.
    pub generation: u32,
    /// The stage.
    pub task: Task,
    /// Units of it that are done: positions, steps or games.
    pub done: u64,
    /// All of its units.
    pub total: u64,
    /// When this program began the stage, milliseconds since 1970, UTC.
    pub began_at_ms: i64,
    /// When this was written, milliseconds since 1970, UTC.
    pub at_ms: i64,
    /// Figures of the stage so far; those that do not apply are absent.
    #[serde(flatten)]
    pub figures: Figures,
}

/// What is known of a stage in progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Games finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
    /// Evaluations by the network a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluations_per_second: Option<f64>,
    /// Policy loss of the latest steps, nats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_loss: Option<f64>,
    /// Value loss of the latest steps, nats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_loss: Option<f64>,
}

impl Figures {
    fn of(done: u64, status: &Status<'_>) -> Figures {
        let none = Figures::default();
        match status {
            Status::RulesGames { counts, .. } => Figures { games: Some(counts.games), ..none },
            Status::Selfplay { counts, elapsed } => {
                let speed = counts.evaluations as f64 / elapsed.as_secs_f64().max(1e-3);
                Figures { games: Some(counts.games), evaluations_per_second: Some(speed), ..none }
            }
            Status::Training(Some(now)) => {
                Figures { policy_loss: Some(now.policy), value_loss: Some(now.value), ..none }
            }
            Status::Training(None) => none,
            Status::Match(_) => Figures { games: Some(done), ..none },
        }
    }
}

impl Progress {
    /// Reads the file; `None` if there is none.
    ///
    /// # Errors
    /// The file cannot be read or is damaged.
    pub fn read(folder: &RunFolder) -> Result<Option<Progress>> {
        let path = folder.progress();
        match data::bounded::read_text(&path, MOST_BYTES) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|source| LabError::Damaged { path, source }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LabError::io("read", &path)(error)),
        }
    }

    /// Part of the stage that is done, 0 to 1.
    pub fn share(&self) -> f64 {
        if self.total == 0 { 0.0 } else { (self.done as f64 / self.total as f64).min(1.0) }
    }

    /// Writes the file. A failure does not stop the run, since nothing depends on the file.
    fn write(&self, path: &Path) {
        let _ = durable::write_atomically(path, |out| Ok(serde_json::to_writer(out, self)?));
    }
}

/// An observer that also writes the progress to the file.
pub(crate) struct Recorder {
    pub inner: Arc<dyn Observer>,
    pub path: PathBuf,
}

impl Observer for Recorder {
    fn notice(&self, notice: &Notice<'_>) {
        self.inner.notice(notice);
    }

    fn begin(&self, generation: u32, task: Task, total: u64) -> Box<dyn Meter> {
        let now = now_ms();
        let figures = Figures::default();
        let progress = Progress { generation, task, done: 0, total, began_at_ms: now, at_ms: now, figures };
        progress.write(&self.path);
        Box::new(RecordingMeter {
            inner: self.inner.begin(generation, task, total),
            path: self.path.clone(),
            written: Mutex::new((Instant::now(), progress)),
        })
    }
}

struct RecordingMeter {
    inner: Box<dyn Meter>,
    path: PathBuf,
    /// What was written last, and when.
    written: Mutex<(Instant, Progress)>,
}

impl Meter for RecordingMeter {
    fn update(&self, done: u64, status: &Status<'_>) {
        self.inner.update(done, status);
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, progress) = &mut *written;
        if last.elapsed() >= WRITE_EVERY {
            (progress.done, progress.at_ms, progress.figures) = (done, now_ms(), Figures::of(done, status));
            progress.write(&self.path);
            *last = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Silent;
    use crate::opponent::Opponent;
    use selfplay::generator::GenerationCounts;

    #[test]
    fn progress_is_written_at_the_beginning_and_then_now_and_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = RunFolder::new(folder.path());
        assert_eq!(Progress::read(&run).expect("no file"), None);
        let recorder = Recorder { inner: Arc::new(Silent), path: run.progress() };
        let meter = recorder.begin(3, Task::Selfplay, 400);
        let begun = Progress::read(&run).expect("a file").expect("progress");
        assert_eq!((begun.generation, begun.task, begun.done, begun.total), (3, Task::Selfplay, 0, 400));
        let counts = GenerationCounts { games: 7, evaluations: 500, ..GenerationCounts::default() };
        let status = Status::Selfplay { counts: &counts, elapsed: Duration::from_secs(10) };
        meter.update(100, &status);
        assert_eq!(Progress::read(&run).expect("a file"), Some(begun), "too soon");
        std::thread::sleep(WRITE_EVERY);
        meter.update(200, &status);
        let later = Progress::read(&run).expect("a file").expect("progress");
        let figures = Figures { games: Some(7), evaluations_per_second: Some(50.0), ..Figures::default() };
        assert_eq!((later.done, later.share(), later.figures), (200, 0.5, figures));
        let played = recorder.begin(3, Task::Match { network: 3, opponent: Opponent::Greedy, pairs: 9 }, 18);
        drop(played);
        let task = Progress::read(&run).expect("a file").expect("progress").task;
        assert_eq!(task, Task::Match { network: 3, opponent: Opponent::Greedy, pairs: 9 });
        std::fs::write(run.progress(), "{").expect("written");
        assert!(Progress::read(&run).expect_err("damaged").to_string().contains("progress.json"));
    }
}
