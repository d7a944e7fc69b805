//! What the program prints. Those macros of std panic where the output is full or closed; the macros of the same names
//! here, which every file of the program has instead, do not.
//!
//! Results go through [`print`](fn@print). One that cannot be printed is an error at the end of the command
//! ([`failure::exit_code`](crate::failure::exit_code)); where the reader of a pipe has gone, the program ends quietly,
//! as other Unix tools do. What tells how far the work is goes through [`tell`] or to standard error: such a line may
//! be lost, and no work stops for it.

use crate::terminal;
use signal_hook::consts::SIGPIPE;
use signal_hook::low_level;
use std::fmt;
use std::io::{self, Write};
use std::sync::OnceLock;

/// Why the first result that was lost could not be printed.
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

/// The text with a sign for each control character: names come from files, and a terminal would obey them.
fn visible(text: fmt::Arguments<'_>) -> String {
    let is_obeyed = |c: char| c.is_control() && c != '\n' && c != '\t';
    text.to_string().replace(is_obeyed, "\u{fffd}")
}

/// Prints a part of a result.
pub fn print(text: fmt::Arguments<'_>) {
    if let Err(error) = io::stdout().write_all(visible(text).as_bytes()) {
        if error.kind() == io::ErrorKind::BrokenPipe {
            end_quietly();
        }
        LOST.get_or_init(|| error);
    }
}

/// Prints a line of a log to standard output, if it takes one.
pub fn tell(text: fmt::Arguments<'_>) {
    let _ = writeln!(io::stdout(), "{}", visible(text));
}

/// Prints a line to standard error, if it takes one.
pub fn warn(text: fmt::Arguments<'_>) {
    let line = visible(text);
    let line = if terminal::has_colour() { terminal::painted(&line) } else { line };
    let _ = writeln!(io::stderr(), "{line}");
}

/// Hands over what is still kept back; why the first result that was lost was lost, if one was.
pub fn finish() -> Option<&'static io::Error> {
    if let Err(error) = io::stdout().flush() {
        LOST.get_or_init(|| error);
    }
    LOST.get()
}

/// Ends the program as a closed pipe ends other programs.
pub fn end_quietly() -> ! {
    let _ = low_level::emulate_default_handler(SIGPIPE);
    low_level::exit(128 + SIGPIPE)
}
