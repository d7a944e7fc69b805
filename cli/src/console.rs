//! Progress of a long command: timed lines, and a status. On a terminal the status is one line that is updated in place;
//! elsewhere a plain line is printed now and then.

use crate::output;
use crate::terminal::{self, Margin};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time between two drawings of the status.
const DRAW_EVERY: Duration = Duration::from_millis(200);
/// Time between plain lines where there is no terminal.
const PLAIN_EVERY: Duration = Duration::from_secs(10);
/// How long a piece of work must have run before the time left is estimated.
const ESTIMATE_AFTER: Duration = Duration::from_secs(2);

/// `generation 5 self-play ██████░░░░░░ 50 %, 40 s left · 134 games`. The message is cut off where the terminal ends.
const STATUS: &str = "{prefix} {bar:12} {percent} %{left} {wide_msg}";
/// The status of work whose end is not known.
const ENDLESS_STATUS: &str = "{prefix} {wide_msg}";

/// Prints events, each line with the time since the command began.
#[derive(Debug)]
pub struct Console {
    begin: Instant,
    quiet: bool,
    screen: Option<Screen>,
    /// The subject of all lines, with a colon and a space; empty if there is only one.
    subject: String,
}

/// The status on standard error, where that is a terminal.
#[derive(Clone, Debug)]
struct Screen {
    terminal: Margin,
    bars: MultiProgress,
}

impl Screen {
    fn on(terminal: Margin) -> Screen {
        let target = ProgressDrawTarget::term_like(Box::new(terminal.clone()));
        Screen { terminal, bars: MultiProgress::with_draw_target(target) }
    }

    /// A bar for `total` units, below what is drawn already; without a bar for 0.
    fn bar(&self, title: &str, total: u64) -> ProgressBar {
        let template = if total == 0 { ENDLESS_STATUS } else { STATUS };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let style =
            style.progress_chars("█░").with_key("left", |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                if state.elapsed() > ESTIMATE_AFTER {
                    // A text that cannot be made is not shown.
                    let _ = out.write_str(&left(state.eta()));
                }
            });
        self.bars.add(ProgressBar::new(total).with_style(style).with_prefix(title.to_owned()))
    }

    /// Lines of text below what is drawn already.
    fn text(&self) -> ProgressBar {
        let style = ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
        self.bars.add(ProgressBar::no_length().with_style(style))
    }
}

impl Console {
    /// Starts the clock. A quiet console prints only warnings (for `--json`).
    pub fn new(quiet: bool) -> Console {
        let screen = (!quiet && std::io::stderr().is_terminal()).then(|| Screen::on(Margin::stderr()));
        Console { begin: Instant::now(), quiet, screen, subject: String::new() }
    }

    /// A console for one of several things; the thing's name begins each line.
    pub fn named(&self, name: &str) -> Console {
        Console { begin: self.begin, quiet: self.quiet, screen: self.screen.clone(), subject: format!("{name}: ") }
    }

    /// Prints a timed line.
    pub fn line(&self, text: &str) {
        if self.quiet {
            return;
        }
        let text = &format!("{}{text}", self.subject);
        let time = format!("[{}]", clock(self.begin.elapsed()));
        self.without_status(|| match terminal::columns() {
            Some(width) => {
                let words: Vec<&str> = text.split(' ').collect();
                output::tell(format_args!("{}", terminal::wrap(&time, &words, time.len() + 1, width)));
            }
            None => output::tell(format_args!("{time} {text}")),
        });
    }

    /// Prints a warning to standard error, even if the console is quiet.
    pub fn warn(&self, text: &str) {
        self.without_status(|| eprintln!("warning: {}{text}", self.subject));
    }

    /// Prints with no status on the screen, and draws it again below.
    fn without_status(&self, print: impl FnOnce()) {
        match &self.screen {
            Some(screen) => screen.bars.suspend(print),
            None => print(),
        }
    }

    /// Begins a piece of work of `total` units; 0 if their number is not known.
    pub fn stage(&self, title: &str, total: u64) -> Meter {
        let title = &format!("{}{title}", self.subject);
        let drawn = self.screen.as_ref().map(|screen| Drawn {
            terminal: screen.terminal.clone(),
            status: screen.bar(title, total),
            details: screen.text(),
        });
        Meter {
            drawn,
            quiet: self.quiet,
            title: title.to_owned(),
            total,
            run_begin: self.begin,
            shown: Mutex::default(),
        }
    }
}

/// Shows the progress of a piece of work; may be updated from any thread.
#[derive(Debug)]
pub struct Meter {
    drawn: Option<Drawn>,
    quiet: bool,
    title: String,
    total: u64,
    run_begin: Instant,
    /// The time of the last display; `None` before the first update.
    shown: Mutex<Option<Instant>>,
}

/// What a meter draws on a terminal.
#[derive(Debug)]
struct Drawn {
    terminal: Margin,
    status: ProgressBar,
    details: ProgressBar,
}

impl Drawn {
    fn draw(&self, done: u64, message: &str, details: impl FnOnce(usize) -> Vec<String>) {
        self.status.set_position(done);
        self.status.set_message(if message.is_empty() { String::new() } else { format!("· {message}") });
        let (width, _) = self.terminal.room();
        let details: Vec<String> = details(width).iter().map(|line| terminal::cut(line, width)).collect();
        if !details.is_empty() {
            self.details.set_message(details.join("\n"));
        }
    }
}

impl Meter {
    /// Shows the progress; `message` is called only when it is shown.
    pub fn update(&self, done: u64, message: impl FnOnce() -> String) {
        self.update_with(done, message, |_| Vec::new());
    }

    /// As [`Meter::update`]; on a terminal the lines of `details`, which is told the width, are drawn below the status.
    pub fn update_with(&self, done: u64, message: impl FnOnce() -> String, details: impl FnOnce(usize) -> Vec<String>) {
        if self.quiet {
            return;
        }
        let now = Instant::now();
        let mut shown = self.shown();
        match &self.drawn {
            Some(drawn) => {
                if shown.is_none() {
                    // Work of an earlier call of the program says nothing about the time left.
                    drawn.status.set_position(done);
                    drawn.status.reset_elapsed();
                } else if shown.is_some_and(|last| now - last < DRAW_EVERY) {
                    return;
                }
                *shown = Some(now);
                drawn.draw(done, &message(), details);
            }
            None if now - *shown.get_or_insert(now) >= PLAIN_EVERY => {
                *shown = Some(now);
                let of_total = if self.total > 0 { format!("/{}", self.total) } else { String::new() };
                eprintln!("[{}] {} {done}{of_total} · {}", clock(now - self.run_begin), self.title, message());
            }
            None => {}
        }
    }

    fn shown(&self) -> MutexGuard<'_, Option<Instant>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some(drawn) = &self.drawn {
            drawn.details.finish_and_clear();
            drawn.status.finish_and_clear();
        }
    }
}

/// `, 40 s left`; nothing where the time left is not known.
fn left(time: Duration) -> String {
    match time.as_secs() {
        0 => String::new(),
        seconds @ 1..=99 => format!(", {seconds} s left"),
        seconds @ 100..=5999 => format!(", {} min left", seconds.div_ceil(60)),
        seconds => format!(", {} h left", seconds.div_ceil(3600)),
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
    use terminal_size::{Height, Width};

    #[test]
    fn clock_reads_like_a_clock() {
        assert_eq!(clock(Duration::from_secs(9)), "0:09");
        assert_eq!(clock(Duration::from_secs(3_725)), "1:02:05");
    }

    #[test]
    fn the_status_is_one_line_with_details_below() {
        let (terminal, written) = Margin::for_test(|| Some((Width(60), Height(24))));
        let console =
            Console { begin: Instant::now(), quiet: false, screen: Some(Screen::on(terminal)), subject: String::new() };
        let meter = console.stage("match", 40);
        meter.update_with(10, || "+3 −5 =2".to_owned(), |width| vec![format!("{width} columns")]);
        let drawn = written.take();
        let last = drawn.rsplit("\x1b[2K").next().unwrap();
        assert!(last.contains("match ███░░░░░░░░░ 25 % · +3 −5 =2 "), "{last:?}");
        assert!(last.trim_end().ends_with("\r\n57 columns"), "{last:?}");
        console.warn("printed by a test");
        let again = written.take();
        assert!(again.contains("match ███"), "a line is printed above the status: {again:?}");
        drop(meter);
        assert!(!written.take().trim_end().ends_with('%'));
    }

    #[test]
    fn work_whose_end_is_not_known_has_no_bar() {
        let (terminal, written) = Margin::for_test(|| Some((Width(60), Height(24))));
        let console =
            Console { begin: Instant::now(), quiet: false, screen: Some(Screen::on(terminal)), subject: String::new() };
        let meter = console.stage("verify", 0);
        meter.update(1_234, || "1,234 games".to_owned());
        let drawn = written.take();
        assert!(drawn.contains("verify · 1,234 games") && !drawn.contains(['█', '░', '%']), "{drawn:?}");
    }

    #[test]
    fn the_time_left_is_rounded_as_people_say_it() {
        let seconds = Duration::from_secs;
        for (time, text) in
            [(0, ""), (99, ", 99 s left"), (100, ", 2 min left"), (5999, ", 100 min left"), (7300, ", 3 h left")]
        {
            assert_eq!(left(seconds(time)), text);
        }
    }
}
