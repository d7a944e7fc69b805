//! Output of the program. The macros of std panic where the output is full or closed; the macros of the same names here,
//! which every file of the program uses instead, do not.
//!
//! Results go through [`print`](fn@print). One that cannot be printed is an error at the end of the command
//! ([`failure::exit_code`](crate::failure::exit_code)); where the reader of a pipe has closed it, the program ends quietly,
//! as other Unix tools do. Progress goes through [`tell`] or to standard error: such a line may be lost, and no work stops
//! for it.

use crate::terminal;
use signal_hook::low_level;
use std::fmt;
use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether standard output is the output file of a command, so that messages go to standard error.
static DIVERTED: AtomicBool = AtomicBool::new(false);

/// The reason why the first lost result could not be printed.
static LOST: OnceLock<io::Error> = OnceLock::new();

macro_rules! print {
    ($($text:tt)*) => { $crate::output::print(format_args!($($text)*)) };
}

macro_rules! println {
    () => { $crate::output::print(format_args!("\n")) };
    ($($text:tt)*) => { $crate::output::print(format_args!("{}\n", format_args!($($text)*))) };
}

macro_rules! eprintln {
    () => { $crate::output::warn(format_args!("")) };
    ($($text:tt)*) => { $crate::output::warn(format_args!($($text)*)) };
}

/// The text with a visible sign for each character that a terminal would obey instead of showing it, because names come
/// from files: control characters, and Unicode characters that change the direction of text.
fn visible(text: fmt::Arguments<'_>) -> String {
    text.to_string().replace(|c: char| is_obeyed(c) && c != '\n' && c != '\t', "\u{fffd}")
}

/// Whether a terminal obeys a character, or lays out others by it.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Sends what is printed from now on to standard error: standard output is the output file of the command.
pub fn divert() {
    DIVERTED.store(true, Ordering::Relaxed);
}

/// Prints a part of a result.
pub fn print(text: fmt::Arguments<'_>) {
    if DIVERTED.load(Ordering::Relaxed) {
        let _ = io::stderr().write_all(visible(text).as_bytes());
        return;
    }
    if let Err(error) = io::stdout().write_all(visible(text).as_bytes()) {
        if error.kind() == io::ErrorKind::BrokenPipe {
            end_quietly();
        }
        LOST.get_or_init(|| error);
    }
}

/// Prints a line of a log to standard output, if it takes one.
pub fn tell(text: fmt::Arguments<'_>) {
    if DIVERTED.load(Ordering::Relaxed) {
        return warn(text);
    }
    let _ = writeln!(io::stdout(), "{}", visible(text));
}

/// Prints a line to standard error, if it takes one.
pub fn warn(text: fmt::Arguments<'_>) {
    let line = visible(text);
    let line = if terminal::has_colour() { terminal::painted(&line) } else { line };
    let _ = writeln!(io::stderr(), "{line}");
}

/// Flushes the output; returns why the first lost result could not be printed, if one was lost.
pub fn finish() -> Option<&'static io::Error> {
    if let Err(error) = io::stdout().flush() {
        LOST.get_or_init(|| error);
    }
    LOST.get()
}

/// Ends the program like other programs whose pipe is closed.
pub fn end_quietly() -> ! {
    /// Exit code of a program that SIGPIPE ended, as shells give it. Windows has no code of its own for this.
    const CLOSED_PIPE: i32 = 141;
    #[cfg(unix)]
    let _ = low_level::emulate_default_handler(signal_hook::consts::SIGPIPE);
    low_level::exit(CLOSED_PIPE)
}
