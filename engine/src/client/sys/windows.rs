//! What `unix.rs` has, for Windows: the process is in a job, which the system ends with this program, and threads move
//! the bytes of its pipes.

#![allow(unsafe_code)]

use super::pipes::Pipes;
use std::fs::Metadata;
use std::io::{self, Read};
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::os::windows::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;
use windows_sys::Win32::Foundation::{HANDLE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
    TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, CREATE_SUSPENDED, OpenThread, ResumeThread, THREAD_SUSPEND_RESUME,
};

/// The exit code of processes that are killed here: one that no program uses.
const KILLED: u32 = 0x4b69_726e;

/// How long error output may take from a process that has ended to this one.
const LATE: Duration = Duration::from_millis(100);

/// Does nothing: Windows cannot suspend a program as SIGSTOP does.
pub fn count_suspensions() {}

/// Always 0.
pub fn suspensions() -> u64 {
    0
}

/// Always false.
pub fn was_suspended_since(_: u64) -> bool {
    false
}

/// An engine's process and the pipes to it.
pub(super) struct Child {
    process: std::process::Child,
    /// Closed, it ends its processes.
    job: OwnedHandle,
    pipes: Pipes,
    /// Whether the process had ended when it was looked at last.
    seemed_ended: bool,
}

impl Child {
    /// Starts the program in a job of its own. It gets no Ctrl-C.
    ///
    /// # Errors
    /// The program cannot be started, or the system gives no job, pipes or threads.
    pub fn start(command: &mut Command) -> io::Result<Child> {
        let job = job()?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // It runs only once it is in the job, so that all that it starts is in the job, too.
        let mut process = command.creation_flags(CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP).spawn()?;
        let started = assign(&job, &process).and_then(|()| resume(process.id())).and_then(|()| {
            let missing = || io::Error::other("the child has no pipes");
            let input = process.stdin.take().ok_or_else(missing)?;
            let output = process.stdout.take().ok_or_else(missing)?;
            Pipes::new(input, output, process.stderr.take().ok_or_else(missing)?)
        });
        match started {
            Ok(pipes) => Ok(Child { process, job, pipes, seemed_ended: false }),
            Err(error) => {
                let _ = process.kill();
                Err(error)
            }
        }
    }

    /// Writes what there is room for, without waiting; returns how many bytes that were. A closed other side is the error
    /// `BrokenPipe`.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pipes.send(bytes)
    }

    /// Waits until something can be sent, at most `timeout`.
    pub fn wait_for_room(&self, timeout: Duration) -> io::Result<()> {
        self.pipes.wait_for_room(timeout);
        Ok(())
    }

    /// Waits until something can be read, at most `timeout`, and says whether that is the output and the error output.
    pub fn wait_for_output(&self, timeout: Duration) -> io::Result<[bool; 2]> {
        Ok(self.pipes.wait_for_output(timeout))
    }

    /// The output, which is ready.
    pub fn output(&mut self) -> impl Read {
        self.pipes.output()
    }

    /// Reads error output, which is ready, and returns the number of bytes. After the end it is never ready again.
    pub fn read_errors(&mut self, bytes: &mut [u8]) -> usize {
        self.pipes.read_errors(bytes)
    }

    /// Whether there is error output of a process that has ended.
    pub fn has_late_errors(&self) -> bool {
        self.pipes.wait_for_errors(LATE)
    }

    /// Whether the process has ended, and had when this was asked before: its last output may still be with the thread
    /// that reads it.
    pub fn has_ended(&mut self) -> bool {
        let has_ended = matches!(self.process.try_wait(), Ok(Some(_)));
        std::mem::replace(&mut self.seemed_ended, has_ended)
    }

    /// Kills the process and all that it has started. None of them can leave the job, so the mark is not needed.
    pub fn kill(&mut self, _: &str) {
        // SAFETY: the handle is that of a job, and open.
        unsafe { TerminateJobObject(self.job.as_raw_handle(), KILLED) };
    }

    /// Waits for the end of the process.
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        self.process.wait()
    }
}

/// True: only starting a file tells.
pub(super) fn is_executable(_: &Metadata) -> bool {
    true
}

/// How a process ended, in words.
pub(super) fn describe_exit(status: ExitStatus) -> String {
    match status.code() {
        Some(code) if code as u32 == KILLED => "its process was killed, or closed its output".to_owned(),
        // Codes of exceptions, such as 0xc0000005.
        Some(code) if code < 0 => format!("its process crashed with code {code:#x}"),
        Some(code) => format!("its process ended with status {code}"),
        None => "its process ended".to_owned(),
    }
}

/// A job whose processes end when its handle is closed, also because this program was killed.
fn job() -> io::Result<OwnedHandle> {
    let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    // SAFETY: a job needs neither attributes nor a name; the handle is ours once it is known to be one. Pointer and size
    // of the limits are those of one such structure.
    unsafe {
        let job = CreateJobObjectW(std::ptr::null(), std::ptr::null());
        if job.is_null() {
            return Err(io::Error::last_os_error());
        }
        let job = OwnedHandle::from_raw_handle(job);
        let (pointer, size) = ((&raw const limits).cast(), size_of_val(&limits) as u32);
        done(SetInformationJobObject(job.as_raw_handle(), JobObjectExtendedLimitInformation, pointer, size))?;
        Ok(job)
    }
}

/// Puts a process into a job.
fn assign(job: &OwnedHandle, process: &std::process::Child) -> io::Result<()> {
    // SAFETY: both handles are open.
    done(unsafe { AssignProcessToJobObject(job.as_raw_handle(), process.as_raw_handle()) })
}

/// Lets a process run that was started suspended. The standard library keeps no handle of its thread, so the thread is
/// looked for.
fn resume(process: u32) -> io::Result<()> {
    let mut entry = THREADENTRY32 { dwSize: size_of::<THREADENTRY32>() as u32, ..Default::default() };
    // SAFETY: handles are ours once they are known to be ones, and the entry states its size.
    unsafe {
        let all = owned(CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0))?;
        let mut found = Thread32First(all.as_raw_handle(), &raw mut entry);
        while found != 0 {
            if entry.th32OwnerProcessID == process {
                let thread = owned(OpenThread(THREAD_SUSPEND_RESUME, 0, entry.th32ThreadID))?;
                return if ResumeThread(thread.as_raw_handle()) == u32::MAX {
                    Err(io::Error::last_os_error())
                } else {
                    Ok(())
                };
            }
            found = Thread32Next(all.as_raw_handle(), &raw mut entry);
        }
    }
    Err(io::Error::other("the child has no thread"))
}

/// The handle that a call has returned.
///
/// # Safety
/// It belongs to the caller, or says that the call failed.
unsafe fn owned(handle: HANDLE) -> io::Result<OwnedHandle> {
    if handle.is_null() || handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it is open, and the caller's.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// The error of a call that returned zero.
fn done(result: i32) -> io::Result<()> {
    if result == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
