//! Training metrics of a run as they are written.

use crate::live::{Content, Stamp, stamp};
use serde::Deserialize;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// Bytes of the training metrics that are read at once.
const METRICS_BYTES: u64 = 4 << 20;
/// Most rows of training metrics that are kept; of more, every second one is left out.
const MOST_METRICS: usize = 4_000;

/// Reads the rows that were added to a file of training metrics.
#[derive(Default)]
pub(crate) struct MetricsTail {
    stamp: Stamp,
    offset: u64,
    series: u64,
    rows: Arc<Vec<String>>,
}

/// What is shown of a row; a row of another kind has none of them.
#[derive(Deserialize)]
struct MetricsRow {
    step: u64,
    generation: u32,
    split: String,
    policy: f64,
    value: f64,
}

/// A row with its checksum, or, in files of earlier versions, without.
#[derive(Deserialize)]
#[serde(untagged)]
enum MetricsLine {
    Checked { metrics: MetricsRow },
    Bare(MetricsRow),
}

impl MetricsTail {
    /// Reads on; `true` if there are new rows, or the file began anew.
    pub fn read(&mut self, path: &Path) -> bool {
        let now = stamp(path);
        if now == self.stamp {
            return false;
        }
        let length = now.map_or(0, |(length, _)| length);
        let begins_anew = length < self.offset;
        if begins_anew {
            (self.offset, self.rows) = (0, Arc::default());
            self.series += 1;
        }
        let Some(bytes) = self.part(path) else { return begins_anew };
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        // A line that is not finished, or more than was read at once, is read next time.
        if self.offset + whole as u64 == length {
            self.stamp = now;
        }
        self.offset += whole as u64;
        let lines = bytes[..whole].split(|&byte| byte == b'\n');
        let rows = lines.filter_map(|line| match serde_json::from_slice(line).ok()? {
            MetricsLine::Checked { metrics } | MetricsLine::Bare(metrics) => metrics.told(),
        });
        let rows: Vec<String> = rows.collect();
        if rows.is_empty() {
            return begins_anew;
        }
        let kept = Arc::make_mut(&mut self.rows);
        kept.extend(rows);
        if kept.len() > MOST_METRICS {
            let mut number = 0;
            kept.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.series += 1;
        }
        true
    }

    /// All rows so far.
    pub fn content(&self) -> Content {
        Content::Rows { series: self.series, rows: Arc::clone(&self.rows) }
    }

    /// The bytes from the offset on.
    fn part(&self, path: &Path) -> Option<Vec<u8>> {
        let mut file = data::bounded::open_ordinary(path, File::options().read(true)).ok()?;
        file.seek(SeekFrom::Start(self.offset)).ok()?;
        let mut bytes = Vec::new();
        file.take(METRICS_BYTES).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

impl MetricsRow {
    fn told(&self) -> Option<String> {
        let is_validation = u8::from(self.split != "training");
        let row = (self.step, self.generation, is_validation, round(self.policy)?, round(self.value)?);
        serde_json::to_string(&row).ok()
    }
}

/// A loss with as many digits as a chart shows.
fn round(loss: f64) -> Option<f64> {
    loss.is_finite().then(|| (loss * 1e4).round() / 1e4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(step: u64) -> String {
        format!(
            r#"{{"blake3":"0","metrics":{{"step":{step},"generation":1,"split":"training","policy":1.5,"value":0.7}}}}"#
        )
    }

    #[test]
    fn metrics_are_read_on_from_where_the_last_look_ended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        let mut tail = MetricsTail::default();
        assert!(!tail.read(&path));
        std::fs::write(&path, format!("{}\nnot a row\n{}", row(1), row(2))).unwrap();
        assert!(tail.read(&path));
        assert_eq!(*tail.rows, ["[1,1,0,1.5,0.7]"]);
        std::fs::write(&path, format!("{}\nnot a row\n{}\n", row(1), row(2))).unwrap();
        assert!(tail.read(&path) && !tail.read(&path));
        assert_eq!((tail.rows.len(), tail.series), (2, 0));
        std::fs::write(&path, format!("{}\n", row(3))).unwrap();
        assert!(tail.read(&path));
        assert_eq!((tail.rows.as_slice(), tail.series), (["[3,1,0,1.5,0.7]".to_owned()].as_slice(), 1));
        std::fs::remove_file(&path).unwrap();
        assert!(tail.read(&path) && tail.rows.is_empty());
    }

    #[test]
    fn of_too_many_rows_every_second_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        let mut tail = MetricsTail::default();
        let rows = |count: u64| (1..=count).map(|step| row(step) + "\n").collect::<String>();
        std::fs::write(&path, rows(MOST_METRICS as u64)).unwrap();
        assert!(tail.read(&path));
        assert_eq!((tail.rows.len(), tail.series), (MOST_METRICS, 0));
        std::fs::write(&path, rows(MOST_METRICS as u64 + 2)).unwrap();
        assert!(tail.read(&path));
        assert_eq!((tail.rows.len(), tail.series), (MOST_METRICS / 2 + 1, 1), "clients restart their curves");
        assert!(tail.rows[0].starts_with("[2,") && tail.rows[MOST_METRICS / 2].starts_with("[4002,"));
    }
}
