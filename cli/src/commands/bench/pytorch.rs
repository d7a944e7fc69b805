//! Training in PyTorch, for comparison: the Python that `scripts/oracles python` installs runs `python/bench/train.py`,
//! which trains on request.

use anyhow::Context;
use serde::Deserialize;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;
use train::TrainPrecision;

/// The requirements of that Python when this program was built.
const REQUIREMENTS: &str = include_str!("../../../../python/net_tests/requirements.txt");

/// The folder of the script, beside that of its package, in the sources that this program was built from.
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../python/bench");

/// A Python with PyTorch.
pub(super) struct Found {
    python: PathBuf,
}

/// A training that waits for its next turn.
pub(super) struct PyTorch {
    process: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
    version: String,
}

/// The first line of the script's output.
#[derive(Deserialize)]
struct Ready {
    torch: String,
}

/// The output of the script after a turn.
#[derive(Deserialize)]
struct Turn {
    samples: f64,
    seconds: f64,
}

impl PyTorch {
    /// The Python, or `None` and a printed line with the reason.
    pub fn find() -> Option<Found> {
        let cache = match std::env::var_os("XDG_CACHE_HOME") {
            Some(cache) if !cache.is_empty() => PathBuf::from(cache),
            _ => PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache"),
        };
        let folder = cache.join("kirin/oracles/python");
        let list = std::fs::read_to_string(folder.join("requirements.txt")).unwrap_or_default();
        if list != REQUIREMENTS {
            eprintln!("SKIPPED: PyTorch is not compared, because it is not installed (scripts/oracles python)");
            return None;
        }
        if !Path::new(SOURCES).join("train.py").exists() {
            eprintln!("SKIPPED: PyTorch is not compared, because {SOURCES}/train.py is no longer there");
            return None;
        }
        Some(Found { python: folder.join("python") })
    }

    /// Trains for some time. Returns the samples and the seconds that it took.
    ///
    /// # Errors
    /// PyTorch has stopped, or its answer cannot be read.
    pub fn train(&mut self, time: Duration) -> anyhow::Result<[f64; 2]> {
        // If the write fails, the process has ended, and reading the answer fails too.
        let _ = writeln!(self.orders, "{}", time.as_secs_f64());
        let Turn { samples, seconds } = answer(&mut self.answers)?;
        Ok([samples, seconds])
    }

    /// The version of PyTorch.
    pub fn version(&self) -> &str {
        &self.version
    }
}

impl Found {
    /// Starts the training of a network on the batches of a file, and waits until it is ready.
    ///
    /// # Errors
    /// Python cannot be started, PyTorch stops before it is ready, or its answer cannot be read.
    pub fn start(
        &self,
        net: &Path,
        samples: &Path,
        precision: TrainPrecision,
        threads: usize,
    ) -> anyhow::Result<PyTorch> {
        let sources = Path::new(SOURCES);
        let mut process = Command::new(&self.python)
            .arg(sources.join("train.py"))
            .arg("--net")
            .arg(net)
            .arg("--samples")
            .arg(samples)
            .args(["--precision", &precision.to_string(), "--threads", &threads.to_string()])
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", self.python.display()))?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (orders, answers) = pipes.context("PyTorch has no pipes")?;
        let mut peer = PyTorch { process, orders, answers: BufReader::new(answers), version: String::new() };
        peer.version = answer::<Ready>(&mut peer.answers)?.torch;
        Ok(peer)
    }
}

impl Drop for PyTorch {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn answer<T: serde::de::DeserializeOwned>(answers: &mut BufReader<ChildStdout>) -> anyhow::Result<T> {
    let mut line = String::new();
    answers.read_line(&mut line).context("cannot read the output of PyTorch")?;
    anyhow::ensure!(!line.is_empty(), "PyTorch has stopped; its own message is above");
    serde_json::from_str(&line).with_context(|| format!("cannot parse the output of PyTorch: {line:?}"))
}
