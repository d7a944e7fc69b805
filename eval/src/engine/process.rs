//! A child process that is talked to in lines and never outlives its owner.
//!
//! There is no thread for it: whoever waits for an answer reads, with a deadline. So an engine that writes without end
//! fills its pipe and stands still, and what is kept of its output is bounded.

use super::fault::{Fault, Trouble};
use super::lines::LineBuffer;
use super::sys::{self, Interest};
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How often it is asked whether to stop while nothing comes.
const PATIENCE: Duration = Duration::from_millis(50);

/// How much of the error output is kept for messages, bytes.
const LAST_WORDS: usize = 400;

/// Until when to wait, and what ends the waiting before.
#[derive(Clone, Copy)]
pub(super) struct Wait<'a> {
    pub deadline: Instant,
    pub halt: &'a dyn Fn() -> bool,
}

impl Wait<'_> {
    /// How long to sleep before looking again; `None` when time is up.
    fn slice(&self) -> Option<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left.min(PATIENCE))
    }
}

/// Why there is no line.
pub(super) enum Silence {
    /// Time is up.
    Late,
    /// Anything else.
    Trouble(Trouble),
}

impl From<Fault> for Silence {
    fn from(fault: Fault) -> Silence {
        Silence::Trouble(fault.into())
    }
}

pub(super) struct Process {
    child: Child,
    input: UnixStream,
    output: ChildStdout,
    errors: Option<ChildStderr>,
    lines: LineBuffer,
    last_words: Vec<u8>,
    /// Whether it was killed and waited for.
    ended: bool,
}

impl Process {
    /// Starts the program as the leader of a process group of its own.
    pub fn start(program: &Path, arguments: &[String]) -> io::Result<Process> {
        let (input, theirs) = sys::socket_pair()?;
        let mut command = Command::new(program);
        command.args(arguments).process_group(0);
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
        sys::die_with_parent(&mut command);
        let mut child = command.spawn()?;
        let errors = child.stderr.take();
        let output = child.stdout.take().ok_or_else(|| io::Error::other("the child has no output"))?;
        Ok(Process { child, input, output, errors, lines: LineBuffer::default(), last_words: Vec::new(), ended: false })
    }

    /// Writes a line.
    pub fn send(&mut self, line: &str, wait: Wait) -> Result<(), Trouble> {
        let text = format!("{line}\n");
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            match sys::send(&self.input, rest) {
                Ok(sent) => rest = &rest[sent..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if (wait.halt)() {
                        return Err(Trouble::Halted);
                    }
                    let Some(slice) = wait.slice() else { return Err(Fault::Deaf.into()) };
                    sys::ready([(self.input.as_fd(), Interest::Write)], slice).map_err(Trouble::Refused)?;
                }
                Err(_) => return Err(self.farewell().into()),
            }
        }
        Ok(())
    }

    /// The next line.
    pub fn line(&mut self, wait: Wait) -> Result<String, Silence> {
        loop {
            if let Some(line) = self.lines.line() {
                return Ok(line);
            }
            if self.lines.is_overlong() {
                return Err(Fault::LongLine.into());
            }
            if (wait.halt)() {
                return Err(Silence::Trouble(Trouble::Halted));
            }
            let slice = wait.slice().ok_or(Silence::Late)?;
            let refused = |error| Silence::Trouble(Trouble::Refused(error));
            let heard = match &self.errors {
                Some(errors) => {
                    let fds = [(self.output.as_fd(), Interest::Read), (errors.as_fd(), Interest::Read)];
                    let [output, errors] = sys::ready(fds, slice).map_err(refused)?;
                    if errors {
                        self.hear_errors();
                    }
                    output
                }
                None => sys::ready([(self.output.as_fd(), Interest::Read)], slice).map_err(refused)?[0],
            };
            // A child of its own may hold the output open.
            if !heard && sys::has_ended(self.child.id()) {
                return Err(self.farewell().into());
            }
            if heard && matches!(self.lines.fill(&mut self.output), Ok(0) | Err(_)) {
                return Err(self.farewell().into());
            }
        }
    }

    /// Reads what there is of the error output and keeps its end.
    fn hear_errors(&mut self) {
        let mut bytes = [0; 4096];
        match self.errors.as_mut().map(|errors| errors.read(&mut bytes)) {
            Some(Ok(read)) if read > 0 => self.last_words.extend_from_slice(&bytes[..read]),
            _ => self.errors = None,
        }
        let surplus = self.last_words.len().saturating_sub(LAST_WORDS);
        self.last_words.drain(..surplus);
    }

    /// Kills the whole group and waits for its leader.
    fn end(&mut self) -> io::Result<ExitStatus> {
        // Once it was waited for, its number may be another's.
        if !self.ended {
            sys::kill_group(self.child.id());
            self.ended = true;
        }
        self.child.wait()
    }

    /// Ends the process that has closed its side, and says how it ended.
    fn farewell(&mut self) -> Fault {
        let status = self.end();
        while let Some(errors) = &self.errors {
            match sys::ready([(errors.as_fd(), Interest::Read)], Duration::ZERO) {
                Ok([true]) => self.hear_errors(),
                _ => break,
            }
        }
        let mut text = match status {
            Ok(status) => ending(status),
            Err(error) => format!("its process is gone: {error}"),
        };
        let words = String::from_utf8_lossy(&self.last_words);
        let words = words.trim();
        if !words.is_empty() {
            text += &format!("; its last words: {}", words.replace(['\n', '\r'], " / "));
        }
        Fault::Exited(text)
    }
}

fn ending(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("its process ended with status {code}"),
        (None, Some(libc::SIGKILL)) => "its process was killed, or closed its output".to_owned(),
        (None, Some(signal)) => format!("its process crashed with signal {signal}"),
        (None, None) => "its process ended".to_owned(),
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.end();
    }
}
