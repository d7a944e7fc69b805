//! A child process that reads and writes lines and never outlives its owner.
//!
//! It has no thread of its own: the caller that waits for an answer reads, with a deadline. So an engine that writes
//! without end fills its pipe and blocks, and the output that is kept is bounded.

use super::fault::{EngineFailure, EngineFault};
use super::lines::LineBuffer;
use super::sys::{self, Interest};
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
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
    input: UnixStream,
    output: ChildStdout,
    stderr: Option<ChildStderr>,
    lines: LineBuffer,
    stderr_tail: Vec<u8>,
    /// The value of [`MARK`], unique to this engine.
    mark: String,
    /// Whether its group was killed.
    ended: bool,
}

impl Process {
    /// Starts the program as the leader of a process group of its own.
    ///
    /// # Errors
    /// The program cannot be started, or the system gives no sockets or pipes.
    pub fn start(program: &Path, arguments: &[String]) -> io::Result<Process> {
        sys::count_suspensions();
        let (input, theirs) = sys::socket_pair()?;
        let mut command = Command::new(program);
        command.args(arguments).process_group(0);
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
        sys::die_with_parent(&mut command);
        static STARTED: AtomicU64 = AtomicU64::new(0);
        let mark = format!("{}-{}", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed));
        command.env(MARK, &mark);
        let mut child = command.spawn()?;
        let stderr = child.stderr.take();
        let output = child.stdout.take().ok_or_else(|| io::Error::other("the child has no output"))?;
        Ok(Process {
            child,
            input,
            output,
            stderr,
            lines: LineBuffer::default(),
            stderr_tail: Vec::new(),
            mark,
            ended: false,
        })
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
            match sys::send(&self.input, rest) {
                Ok(sent) => rest = &rest[sent..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if (wait.halt)() {
                        return Err(EngineFailure::Halted);
                    }
                    let Some(slice) = wait.slice() else { return Err(EngineFault::InputFull.into()) };
                    sys::ready([(self.input.as_fd(), Interest::Write)], slice).map_err(EngineFailure::Refused)?;
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
            let readable = match &self.stderr {
                Some(stderr) => {
                    let fds = [(self.output.as_fd(), Interest::Read), (stderr.as_fd(), Interest::Read)];
                    let [output, stderr] = sys::ready(fds, slice).map_err(refused)?;
                    if stderr {
                        self.read_stderr();
                    }
                    output
                }
                None => sys::ready([(self.output.as_fd(), Interest::Read)], slice).map_err(refused)?[0],
            };
            // A grandchild may hold the output open.
            if !readable && sys::has_ended(self.child.id()) {
                return Err(self.exit_fault().into());
            }
            if readable && matches!(self.lines.fill(&mut self.output), Ok(0) | Err(_)) {
                return Err(self.exit_fault().into());
            }
        }
    }

    /// Reads the error output that is there and keeps its end.
    fn read_stderr(&mut self) {
        let mut bytes = [0; 4096];
        match self.stderr.as_mut().map(|stderr| stderr.read(&mut bytes)) {
            Some(Ok(read)) if read > 0 => self.stderr_tail.extend_from_slice(&bytes[..read]),
            _ => self.stderr = None,
        }
        let surplus = self.stderr_tail.len().saturating_sub(STDERR_TAIL);
        self.stderr_tail.drain(..surplus);
    }

    /// Kills the whole group and the processes that have left it, and waits for the leader.
    fn end(&mut self) -> io::Result<ExitStatus> {
        // Once the process has been waited for, the system may give its id to another.
        if !self.ended {
            sys::kill_group(self.child.id());
            sys::kill_marked(&format!("{MARK}={}", self.mark));
            self.ended = true;
        }
        self.child.wait()
    }

    /// Ends a process that has closed its output or its input, and describes how it ended.
    fn exit_fault(&mut self) -> EngineFault {
        let status = self.end();
        while let Some(stderr) = &self.stderr {
            match sys::ready([(stderr.as_fd(), Interest::Read)], Duration::ZERO) {
                Ok([true]) => self.read_stderr(),
                _ => break,
            }
        }
        let mut text = match status {
            Ok(status) => describe_exit(status),
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

fn describe_exit(status: ExitStatus) -> String {
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
