//! Both directions of the pipe: lines that come in, of bounded length, and replies that go out whole.

use crate::protocol::{Protocol, Reply};
use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Longest line that is read, in bytes. A game of 2,000 plies on a 19 × 19 board takes 40,000.
pub const LONGEST_LINE: usize = 1 << 20;

/// A line from the GUI.
#[derive(Debug)]
pub struct InputLine {
    /// When it came; clocks run from here.
    pub received: Instant,
    /// The line; `None` for one that was longer than [`LONGEST_LINE`].
    pub text: Option<String>,
}

impl InputLine {
    /// A line received now.
    pub fn now(text: impl Into<String>) -> InputLine {
        InputLine { received: Instant::now(), text: Some(text.into()) }
    }
}

/// Reads lines until the input ends or the receiver is dropped.
pub fn read_lines(mut input: impl BufRead, to: &Sender<InputLine>) {
    while let Ok(Some(text)) = bounded_line(&mut input) {
        if to.send(InputLine { received: Instant::now(), text }).is_err() {
            return;
        }
    }
}

/// The next line without its end; `Some(None)` if it is too long, `None` at the end of the input. Never holds more than
/// [`LONGEST_LINE`] bytes.
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
        too_long |= line.len() + part.len() > LONGEST_LINE;
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

/// The output to the GUI, shared by several threads.
pub struct Replies {
    out: Mutex<Box<dyn Write + Send>>,
    is_closed: AtomicBool,
}

impl Replies {
    /// Replies are written to `out`.
    pub fn new(out: impl Write + Send + 'static) -> Replies {
        Replies { out: Mutex::new(Box::new(out)), is_closed: AtomicBool::new(false) }
    }

    /// Sends a reply.
    pub(super) fn send(&self, protocol: Protocol, reply: &Reply) {
        self.send_all(protocol, std::slice::from_ref(reply));
    }

    /// Sends replies with nothing in between.
    pub(super) fn send_all(&self, protocol: Protocol, replies: &[Reply]) {
        let text: String = replies.iter().map(|reply| reply.write(protocol) + "\n").collect();
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        // A GUI that does not read any more has closed the input too, which ends the session.
        if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
            self.is_closed.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the GUI no longer reads.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Sends a message for people.
    pub(super) fn message(&self, protocol: Protocol, text: impl Display) {
        self.send(protocol, &Reply::Message(text.to_string()));
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
        let mut text = vec![b'x'; LONGEST_LINE];
        text.extend_from_slice(b"\nisready\n");
        assert_eq!(lines(&text)[0].as_ref().map(String::len), Some(LONGEST_LINE));
        text.insert(0, b'x');
        assert_eq!(lines(&text), [None, Some("isready".to_owned())]);
    }
}
