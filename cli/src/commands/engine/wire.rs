//! Both directions of the pipe: lines that come in, bounded, and lines that go out, whole.

use super::protocol::Protocol;
use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Longest line that is read, in bytes. A game of 2,000 plies on a 19 × 19 board takes 40,000.
pub const LONGEST: usize = 1 << 20;

/// What comes from the GUI.
#[derive(Debug)]
pub struct Heard {
    /// When it came; clocks run from here.
    pub at: Instant,
    /// The line; `None` for one that was longer than [`LONGEST`].
    pub line: Option<String>,
}

/// Reads lines until the input ends, or nobody listens any more.
pub fn listen(mut input: impl BufRead, to: &Sender<Heard>) {
    while let Ok(Some(line)) = bounded_line(&mut input) {
        if to.send(Heard { at: Instant::now(), line }).is_err() {
            return;
        }
    }
}

/// The next line without its end, `Some(None)` if it is too long, `None` at the end of the input. Never holds more than
/// the bound.
fn bounded_line(input: &mut impl BufRead) -> io::Result<Option<Option<String>>> {
    let (mut line, mut begun, mut too_long) = (Vec::new(), false, false);
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() && !begun {
            return Ok(None);
        }
        let end = chunk.iter().position(|&byte| byte == b'\n');
        let part = &chunk[..end.unwrap_or(chunk.len())];
        too_long |= line.len() + part.len() > LONGEST;
        if too_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(part);
        }
        let (used, ended) = (part.len() + usize::from(end.is_some()), end.is_some() || chunk.is_empty());
        input.consume(used);
        begun = true;
        if ended {
            return Ok(Some((!too_long).then(|| String::from_utf8_lossy(&line).into_owned())));
        }
    }
}

/// The way to the GUI, for several threads.
pub struct Wire {
    out: Mutex<Box<dyn Write + Send>>,
}

impl Wire {
    /// A way that ends in `out`.
    pub fn new(out: impl Write + Send + 'static) -> Wire {
        Wire { out: Mutex::new(Box::new(out)) }
    }

    /// Says lines, all at once.
    pub fn say(&self, lines: impl Display) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        // A GUI that does not listen any more has closed the input too, which ends the program.
        let _ = writeln!(out, "{lines}").and_then(|()| out.flush());
    }

    /// Says something to people.
    pub fn tell(&self, protocol: Protocol, text: impl Display) {
        let text = text.to_string().replace(['\n', '\r'], " ");
        self.say(format_args!("{} {text}", protocol.message()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn lines(text: &[u8]) -> Vec<Option<String>> {
        let mut input = BufReader::with_capacity(16, text);
        std::iter::from_fn(|| bounded_line(&mut input).expect("no failure")).collect()
    }

    #[test]
    fn lines_are_bounded_and_never_lost() {
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"uci\n\nquit"), ["uci", "", "quit"].map(|line| Some(line.to_owned())));
        assert_eq!(lines(b"a\xffb\n"), [Some("a\u{fffd}b".to_owned())]);
        let mut text = vec![b'x'; LONGEST];
        text.extend_from_slice(b"\nisready\n");
        assert_eq!(lines(&text)[0].as_ref().map(String::len), Some(LONGEST));
        text.insert(0, b'x');
        assert_eq!(lines(&text), [None, Some("isready".to_owned())]);
    }
}
