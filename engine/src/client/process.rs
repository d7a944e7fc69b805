//! A child process that reads and writes lines and never outlives its owner.
//!
//! The caller that waits for an answer reads, with a deadline. So an engine that writes without end fills its pipe and
//! blocks, and the output that is kept is bounded. On Unix the process has no thread of its own here; on Windows a thread
//! for each pipe reads a piece ahead (`sys/pipes.rs`).

use super::fault::{EngineFailure, EngineFault};
use super::lines::LineBuffer;
use super::sys::{self, Child};
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often `halt` is asked while no output comes.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The variable by which the descendants of an engine are known, also those that have left its group.
const MARK: &str = "KIRIN_ENGINE";

/// How much of the end of the error output is kept for messages, bytes.
const STDERR_TAIL: usize = 400;

/// How long to wait, and what ends the wait earlier. If this process is suspended (SIGSTOP, Ctrl-Z), the wait begins again:
/// the engine may have answered, or may have been suspended too.
pub(super) struct Wait<'a> {
    allowed: Duration,
    deadline: Instant,
    suspensions: u64,
    halt: &'a dyn Fn() -> bool,
}

impl<'a> Wait<'a> {
    /// A wait of at most `allowed` from now on. It ends earlier when `halt` returns true.
    pub fn new(allowed: Duration, halt: &'a dyn Fn() -> bool) -> Wait<'a> {
        Wait { allowed, deadline: Instant::now() + allowed, suspensions: sys::suspensions(), halt }
    }

    /// How long to sleep before looking again; `None` when time is up.
    fn slice(&mut self) -> Option<Duration> {
        let mut left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() && sys::was_suspended_since(self.suspensions) {
            *self = Wait::new(self.allowed, self.halt);
            left = self.allowed;
        }
        (!left.is_zero()).then_some(left.min(POLL_INTERVAL))
    }
}

/// Why no line was read.
pub(super) enum ReadLineError {
    /// Time is up.
    Timeout,
    /// Anything else.
    Failure(EngineFailure),
}

impl From<EngineFault> for ReadLineError {
    fn from(fault: EngineFault) -> ReadLineError {
        ReadLineError::Failure(fault.into())
    }
}

pub(super) struct Process {
    child: Child,
    lines: LineBuffer,
    stderr_tail: Vec<u8>,
    /// The value of [`MARK`], unique to this engine.
    mark: String,
    /// Whether its group was killed.
    ended: bool,
}

impl Process {
    /// Starts the program.
    ///
    /// # Errors
    /// The program cannot be started, or the system gives no sockets, pipes or threads.
    pub fn start(program: &Path, arguments: &[String]) -> io::Result<Process> {
        sys::count_suspensions();
        static STARTED: AtomicU64 = AtomicU64::new(0);
        let mark = format!("{}-{}", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed));
        let child = Child::start(Command::new(program).args(arguments).env(MARK, &mark))?;
        Ok(Process { child, lines: LineBuffer::default(), stderr_tail: Vec::new(), mark, ended: false })
    }

    /// Writes a line.
    ///
    /// # Errors
    /// The engine has ended or does not read its input in time, `halt` has ended the wait, or the system refuses to
    /// wait.
    pub fn write_line(&mut self, line: &str, wait: &mut Wait) -> Result<(), EngineFailure> {
        let text = format!("{line}\n");
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            match self.child.send(rest) {
                Ok(sent) => rest = &rest[sent..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if (wait.halt)() {
                        return Err(EngineFailure::Halted);
                    }
                    let Some(slice) = wait.slice() else { return Err(EngineFault::InputFull.into()) };
                    self.child.wait_for_room(slice).map_err(EngineFailure::Refused)?;
                }
                Err(_) => return Err(self.exit_fault().into()),
            }
        }
        Ok(())
    }

    /// Reads the next line.
    ///
    /// # Errors
    /// Time is up ([`ReadLineError::Timeout`]); or the line is too long, the engine has ended, `halt` has ended the wait,
    /// or the system refuses to wait ([`ReadLineError::Failure`]).
    pub fn read_line(&mut self, wait: &mut Wait) -> Result<String, ReadLineError> {
        loop {
            if let Some(line) = self.lines.line() {
                return Ok(line);
            }
            if self.lines.is_overlong() {
                return Err(EngineFault::LongLine.into());
            }
            if (wait.halt)() {
                return Err(ReadLineError::Failure(EngineFailure::Halted));
            }
            let slice = wait.slice().ok_or(ReadLineError::Timeout)?;
            let refused = |error| ReadLineError::Failure(EngineFailure::Refused(error));
            let [readable, stderr] = self.child.wait_for_output(slice).map_err(refused)?;
            if stderr {
                self.read_stderr();
            }
            // A grandchild may hold the output open.
            if !readable && self.child.has_ended() {
                return Err(self.exit_fault().into());
            }
            if readable && matches!(self.lines.fill(&mut self.child.output()), Ok(0) | Err(_)) {
                return Err(self.exit_fault().into());
            }
        }
    }

    /// Reads the error output that is there and keeps its end.
    fn read_stderr(&mut self) {
        let mut bytes = [0; 4096];
        let read = self.child.read_errors(&mut bytes);
        self.stderr_tail.extend_from_slice(&bytes[..read]);
        let surplus = self.stderr_tail.len().saturating_sub(STDERR_TAIL);
        self.stderr_tail.drain(..surplus);
    }

    /// Kills the process and all that it has started, and waits for its end.
    fn end(&mut self) -> io::Result<ExitStatus> {
        // Once the process has been waited for, the system may give its id to another.
        if !self.ended {
            self.child.kill(&format!("{MARK}={}", self.mark));
            self.ended = true;
        }
        self.child.wait()
    }

    /// Ends a process that has closed its output or its input, and describes how it ended.
    fn exit_fault(&mut self) -> EngineFault {
        let status = self.end();
        while self.child.has_late_errors() {
            self.read_stderr();
        }
        let mut text = match status {
            Ok(status) => sys::describe_exit(status),
            Err(error) => format!("its process has ended: {error}"),
        };
        let errors = String::from_utf8_lossy(&self.stderr_tail);
        let errors = errors.trim();
        if !errors.is_empty() {
            text += &format!("; its error output: {}", errors.replace(['\n', '\r'], " / "));
        }
        EngineFault::Exited(text)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.end();
    }
}
