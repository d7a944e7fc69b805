//! Progress of a stage: an indicatif bar on a terminal, plain timed lines elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Time between plain lines.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

/// Prints what happens in a run, each line with the time since the run (or its continuation) began.
#[derive(Debug)]
pub struct Progress {
    begin: Instant,
    quiet: bool,
}

impl Progress {
    /// Starts the clock. A quiet progress prints nothing (for `--json`).
    pub fn new(quiet: bool) -> Progress {
        Progress { begin: Instant::now(), quiet }
    }

    /// Whether nothing is printed.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Prints a timed line.
    pub fn line(&self, text: &str) {
        if !self.quiet {
            println!("[{}] {text}", clock(self.begin.elapsed()));
        }
    }

    /// Begins a stage of `total` units.
    pub fn stage(&self, title: &str, total: u64) -> Meter {
        let bar = (!self.quiet && std::io::stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template("{prefix:24} {bar:30} {pos:>8}/{len} {elapsed_precise} · {msg}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(total).with_style(style).with_prefix(title.to_owned())
        });
        Meter {
            bar,
            quiet: self.quiet,
            run_begin: self.begin,
            title: title.to_owned(),
            total,
            last_line: Mutex::new(Instant::now()),
        }
    }
}

/// Progress of one stage; may be updated from any thread.
#[derive(Debug)]
pub struct Meter {
    bar: Option<ProgressBar>,
    quiet: bool,
    run_begin: Instant,
    title: String,
    total: u64,
    last_line: Mutex<Instant>,
}

impl Meter {
    /// Tells how far the stage is; `message` is made only when it is shown.
    pub fn update(&self, done: u64, message: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(message());
            return;
        }
        if self.quiet {
            return;
        }
        let mut last = self.last_line.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if last.elapsed() >= PLAIN_EVERY {
            *last = Instant::now();
            println!("[{}] {} {done}/{} · {}", clock(self.run_begin.elapsed()), self.title, self.total, message());
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// `m:ss`, or `h:mm:ss` from an hour on.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_reads_like_a_clock() {
        assert_eq!(clock(Duration::from_secs(9)), "0:09");
        assert_eq!(clock(Duration::from_secs(3_725)), "1:02:05");
    }
}
