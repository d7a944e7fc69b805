//! The few system calls that the standard library does not offer; every `unsafe` of this crate is here.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What to wait for on a descriptor.
#[derive(Clone, Copy)]
pub(super) enum Interest {
    /// Something can be read, or the other side is closed.
    Read,
    /// Something can be written, or the other side is closed.
    Write,
}

/// Waits until one of the descriptors is ready, at most `timeout` (rounded up to a millisecond), and says which are.
pub(super) fn ready<const N: usize>(fds: [(BorrowedFd<'_>, Interest); N], timeout: Duration) -> io::Result<[bool; N]> {
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

/// Writes what there is room for, without waiting; returns how many bytes that were. A closed other side is the error
/// `BrokenPipe`, whatever the program does about SIGPIPE.
pub(super) fn send(socket: &UnixStream, bytes: &[u8]) -> io::Result<usize> {
    // SAFETY: pointer and length are those of one slice, and the descriptor is borrowed, so open.
    let sent = unsafe { libc::send(socket.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), SEND_FLAGS) };
    usize::try_from(sent).map_err(|_| io::Error::last_os_error())
}

/// Sockets of which our end raises no SIGPIPE.
pub(super) fn socket_pair() -> io::Result<(UnixStream, UnixStream)> {
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
pub(super) fn kill_group(leader: u32) {
    if let Ok(group) = i32::try_from(leader) {
        // SAFETY: plain integers. It does not matter if the group no longer exists.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

/// Kills all processes whose environment had this `NAME=value` when they began (Linux; other systems do not report it).
pub(super) fn kill_marked(mark: &str) {
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

/// Whether a child has ended. It still has to be waited for.
pub(super) fn has_ended(child: u32) -> bool {
    // SAFETY: all zeros are a `siginfo_t`.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: `info` is ours. The call leaves it unchanged while the child runs.
    let asked = unsafe { libc::waitid(libc::P_PID, child, &raw mut info, flags) };
    asked == 0 && info.si_signo == libc::SIGCHLD
}

/// Lets the system kill the child when the thread that starts it ends in any way (Linux; on other systems the child only
/// sees the end of its input).
pub(super) fn die_with_parent(command: &mut Command) {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::process::CommandExt;
        // SAFETY: between fork and exec this calls `prctl` alone, which is async-signal-safe, and allocates nothing.
        unsafe {
            command.pre_exec(|| match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            });
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}
