//! The child process of an engine on Unix, with the few system calls that the standard library does not offer.
//! `windows.rs` has its functions for Windows; every `unsafe` of this crate is in these two files.

#![allow(unsafe_code)]

use std::fs::Metadata;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// An engine's process and the pipes to it.
pub(super) struct Child {
    process: std::process::Child,
    input: UnixStream,
    output: ChildStdout,
    errors: Option<ChildStderr>,
}

impl Child {
    /// Starts the program as the leader of a process group of its own.
    ///
    /// # Errors
    /// The program cannot be started, or the system gives no sockets or pipes.
    pub fn start(command: &mut Command) -> io::Result<Child> {
        let (input, theirs) = socket_pair()?;
        command.process_group(0);
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
        die_with_parent(command);
        let mut process = command.spawn()?;
        let errors = process.stderr.take();
        let output = process.stdout.take().ok_or_else(|| io::Error::other("the child has no output"))?;
        Ok(Child { process, input, output, errors })
    }

    /// Writes what there is room for, without waiting; returns how many bytes that were. A closed other side is the error
    /// `BrokenPipe`, whatever the program does about SIGPIPE.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // SAFETY: pointer and length are those of one slice, and the descriptor is borrowed, so open.
        let sent = unsafe { libc::send(self.input.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), SEND_FLAGS) };
        usize::try_from(sent).map_err(|_| io::Error::last_os_error())
    }

    /// Waits until something can be sent, at most `timeout`.
    pub fn wait_for_room(&self, timeout: Duration) -> io::Result<()> {
        ready([(self.input.as_fd(), Interest::Write)], timeout).map(|_| ())
    }

    /// Waits until something can be read, at most `timeout`, and says whether that is the output and the error output.
    pub fn wait_for_output(&self, timeout: Duration) -> io::Result<[bool; 2]> {
        let output = (self.output.as_fd(), Interest::Read);
        match &self.errors {
            Some(errors) => ready([output, (errors.as_fd(), Interest::Read)], timeout),
            None => ready([output], timeout).map(|[output]| [output, false]),
        }
    }

    /// The output, which is ready.
    pub fn output(&mut self) -> impl Read {
        &mut self.output
    }

    /// Reads error output, which is ready, and returns the number of bytes. After the end it is never ready again.
    pub fn read_errors(&mut self, bytes: &mut [u8]) -> usize {
        match self.errors.as_mut().map(|errors| errors.read(bytes)) {
            Some(Ok(read)) if read > 0 => read,
            _ => {
                self.errors = None;
                0
            }
        }
    }

    /// Whether there is error output of a process that has ended.
    pub fn has_late_errors(&self) -> bool {
        let Some(errors) = &self.errors else { return false };
        matches!(ready([(errors.as_fd(), Interest::Read)], Duration::ZERO), Ok([true]))
    }

    /// Whether the process has ended. It still has to be waited for.
    pub fn has_ended(&mut self) -> bool {
        // SAFETY: all zeros are a `siginfo_t`.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // SAFETY: `info` is ours. The call leaves it unchanged while the child runs.
        let asked = unsafe { libc::waitid(libc::P_PID, self.process.id(), &raw mut info, flags) };
        asked == 0 && info.si_signo == libc::SIGCHLD
    }

    /// Kills the whole group, and the processes that have left it, which are known by this `NAME=value` of their
    /// environment. The process must not have been waited for: until then no other process can have its id.
    pub fn kill(&mut self, mark: &str) {
        kill_group(self.process.id());
        kill_marked(mark);
    }

    /// Waits for the end of the process.
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        self.process.wait()
    }
}

/// Whether somebody may execute a file.
pub(super) fn is_executable(file: &Metadata) -> bool {
    file.permissions().mode() & 0o111 != 0
}

/// How a process ended, in words.
pub(super) fn describe_exit(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("its process ended with status {code}"),
        (None, Some(libc::SIGKILL)) => "its process was killed, or closed its output".to_owned(),
        (None, Some(signal)) => format!("its process crashed with signal {signal}"),
        (None, None) => "its process ended".to_owned(),
    }
}

/// What to wait for on a descriptor.
#[derive(Clone, Copy)]
enum Interest {
    /// Something can be read, or the other side is closed.
    Read,
    /// Something can be written, or the other side is closed.
    Write,
}

/// Waits until one of the descriptors is ready, at most `timeout` (rounded up to a millisecond), and says which are.
fn ready<const N: usize>(fds: [(BorrowedFd<'_>, Interest); N], timeout: Duration) -> io::Result<[bool; N]> {
    let mut polled = fds.map(|(fd, interest)| libc::pollfd {
        fd: fd.as_raw_fd(),
        events: match interest {
            Interest::Read => libc::POLLIN,
            Interest::Write => libc::POLLOUT,
        },
        revents: 0,
    });
    let ms = timeout.as_nanos().div_ceil(1_000_000).min(i32::MAX as u128) as i32;
    // SAFETY: pointer and length are those of one array of `pollfd`, and the descriptors are borrowed, so open.
    if unsafe { libc::poll(polled.as_mut_ptr(), N as libc::nfds_t, ms) } < 0 {
        let error = io::Error::last_os_error();
        return if error.kind() == io::ErrorKind::Interrupted { Ok([false; N]) } else { Err(error) };
    }
    Ok(polled.map(|fd| fd.revents != 0))
}

#[cfg(not(target_vendor = "apple"))]
const SEND_FLAGS: i32 = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
#[cfg(target_vendor = "apple")]
const SEND_FLAGS: i32 = libc::MSG_DONTWAIT;

/// How often this process was stopped (SIGSTOP, Ctrl-Z) and continued since [`count_suspensions`].
static SUSPENSIONS: AtomicU64 = AtomicU64::new(0);

/// Begins to count how often this process is stopped and continued. Another handler of SIGCONT stays in its place, and then
/// nothing is counted.
pub fn count_suspensions() {
    extern "C" fn count(_: libc::c_int) {
        SUSPENSIONS.fetch_add(1, Ordering::SeqCst);
    }
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        // SAFETY: all zeros are a `sigaction`. The handler only adds to an atomic number, which is async-signal-safe, and
        // the calls it interrupts are restarted.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            let known = libc::sigaction(libc::SIGCONT, std::ptr::null(), &raw mut action) == 0;
            if known && action.sa_sigaction == libc::SIG_DFL {
                action.sa_sigaction = count as extern "C" fn(libc::c_int) as libc::sighandler_t;
                action.sa_flags = libc::SA_RESTART;
                libc::sigaction(libc::SIGCONT, &raw const action, std::ptr::null_mut());
            }
        }
    });
}

/// The number of suspensions so far.
pub fn suspensions() -> u64 {
    SUSPENSIONS.load(Ordering::SeqCst)
}

/// Whether the process was suspended since there were `before` suspensions. It waits a moment, because the thread that asks
/// may continue before the one that the signal is delivered to.
pub fn was_suspended_since(before: u64) -> bool {
    if suspensions() == before {
        std::thread::sleep(Duration::from_millis(50));
    }
    suspensions() != before
}

/// Sockets of which our end raises no SIGPIPE.
fn socket_pair() -> io::Result<(UnixStream, UnixStream)> {
    let pair = UnixStream::pair()?;
    #[cfg(target_vendor = "apple")]
    {
        let on: i32 = 1;
        // SAFETY: the option's value is an int, and pointer and size are those of one.
        let set = unsafe {
            let value = (&raw const on).cast();
            libc::setsockopt(pair.0.as_raw_fd(), libc::SOL_SOCKET, libc::SO_NOSIGPIPE, value, size_of::<i32>() as u32)
        };
        if set < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(pair)
}

/// Kills all processes of the group of `leader`, which must not have been waited for: until then no other process can
/// have its id.
fn kill_group(leader: u32) {
    if let Ok(group) = i32::try_from(leader) {
        // SAFETY: plain integers. It does not matter if the group no longer exists.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

/// Kills all processes whose environment had this `NAME=value` when they began (Linux; other systems do not report it).
fn kill_marked(mark: &str) {
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        // Processes of other users cannot be read, and are not ours.
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment.split(|&byte| byte == 0).any(|variable| variable == mark.as_bytes()) {
            // SAFETY: plain integers. It does not matter if the process has ended meanwhile.
            unsafe { libc::kill(process, libc::SIGKILL) };
        }
    }
}

/// Lets the system kill the child when the thread that starts it ends in any way (Linux; on other systems the child only
/// sees the end of its input).
fn die_with_parent(command: &mut Command) {
    #[cfg(target_os = "linux")]
    // SAFETY: between fork and exec this calls `prctl` alone, which is async-signal-safe, and allocates nothing.
    unsafe {
        command.pre_exec(|| match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        });
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}
