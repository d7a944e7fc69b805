//! Pipes that can be waited for with a deadline where the system cannot do that, as on Windows: a thread for each of them
//! moves the bytes, at most one piece ahead.

use std::io::{self, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Bytes that are read at once.
const PIECE: usize = 8_192;

/// The three pipes to a process. The threads end with the process's ends of them.
pub(super) struct Pipes {
    shared: Arc<Shared>,
    /// Whether the error output has not been read to its end.
    has_errors: bool,
}

/// What one thread has moved, or is to move.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    is_closed: bool,
}

impl Buffer {
    /// Whether something can be read, or the other side is closed.
    fn is_ready(&self) -> bool {
        !self.bytes.is_empty() || self.is_closed
    }
}

#[derive(Default)]
struct Buffers {
    input: Buffer,
    output: Buffer,
    errors: Buffer,
    /// Whether [`Pipes`] was dropped.
    is_abandoned: bool,
}

#[derive(Default)]
struct Shared {
    buffers: Mutex<Buffers>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Buffers> {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits as long as something is so.
    fn wait_while(&self, is_so: impl Fn(&mut Buffers) -> bool) -> MutexGuard<'_, Buffers> {
        self.changed.wait_while(self.lock(), is_so).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits as long as something is so, at most `timeout`.
    fn wait_at_most(&self, timeout: Duration, is_so: impl Fn(&Buffers) -> bool) -> MutexGuard<'_, Buffers> {
        let waited = self.changed.wait_timeout_while(self.lock(), timeout, |buffers| is_so(buffers));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Pipes {
    /// Starts the threads.
    ///
    /// # Errors
    /// The system refuses one.
    pub fn new(
        input: impl Write + Send + 'static,
        output: impl Read + Send + 'static,
        errors: impl Read + Send + 'static,
    ) -> io::Result<Pipes> {
        let pipes = Pipes { shared: Arc::default(), has_errors: true };
        pipes.start(|shared| write_all(input, shared))?;
        pipes.start(|shared| read_all(output, shared, |buffers| &mut buffers.output))?;
        pipes.start(|shared| read_all(errors, shared, |buffers| &mut buffers.errors))?;
        Ok(pipes)
    }

    fn start(&self, work: impl FnOnce(&Shared) + Send + 'static) -> io::Result<()> {
        let shared = Arc::clone(&self.shared);
        thread::Builder::new().name("engine pipe".to_owned()).spawn(move || work(&shared)).map(|_| ())
    }

    /// Hands bytes to the thread that writes, and returns how many: all, or the error `WouldBlock` if it has not written
    /// those before.
    pub fn send(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut buffers = self.shared.lock();
        match &buffers.input {
            Buffer { is_closed: true, .. } => Err(io::ErrorKind::BrokenPipe.into()),
            Buffer { bytes, .. } if !bytes.is_empty() => Err(io::ErrorKind::WouldBlock.into()),
            _ => {
                buffers.input.bytes.extend_from_slice(bytes);
                self.shared.changed.notify_all();
                Ok(bytes.len())
            }
        }
    }

    /// Waits until something can be sent, or the other side is closed, at most `timeout`.
    pub fn wait_for_room(&self, timeout: Duration) {
        let is_full = |buffers: &Buffers| !buffers.input.bytes.is_empty() && !buffers.input.is_closed;
        drop(self.shared.wait_at_most(timeout, is_full));
    }

    /// Waits until something can be read, or a side is closed, at most `timeout`, and says whether that is the output and
    /// the error output.
    pub fn wait_for_output(&self, timeout: Duration) -> [bool; 2] {
        let ready = |buffers: &Buffers| [buffers.output.is_ready(), self.has_errors && buffers.errors.is_ready()];
        ready(&self.shared.wait_at_most(timeout, |buffers| ready(buffers) == [false; 2]))
    }

    /// Waits until error output can be read, at most `timeout`, and says whether it can.
    pub fn wait_for_errors(&self, timeout: Duration) -> bool {
        self.has_errors && self.shared.wait_at_most(timeout, |buffers| !buffers.errors.is_ready()).errors.is_ready()
    }

    /// The output, which is ready.
    pub fn output(&mut self) -> impl Read {
        Output(&self.shared)
    }

    /// Reads error output, which is ready, and returns the number of bytes. After the end it is never ready again.
    pub fn read_errors(&mut self, bytes: &mut [u8]) -> usize {
        let read = take(&self.shared, |buffers| &mut buffers.errors, bytes);
        self.has_errors = read > 0;
        read
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        self.shared.lock().is_abandoned = true;
        self.shared.changed.notify_all();
    }
}

struct Output<'a>(&'a Shared);

impl Read for Output<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        Ok(take(self.0, |buffers| &mut buffers.output, bytes))
    }
}

/// Takes what is there.
fn take(shared: &Shared, of: fn(&mut Buffers) -> &mut Buffer, into: &mut [u8]) -> usize {
    let mut buffers = shared.lock();
    let bytes = &mut of(&mut buffers).bytes;
    let length = bytes.len().min(into.len());
    into[..length].copy_from_slice(&bytes[..length]);
    bytes.drain(..length);
    shared.changed.notify_all();
    length
}

/// Writes what is sent, until the other side is closed or nothing more can be sent.
fn write_all(mut pipe: impl Write, shared: &Shared) {
    loop {
        let buffers = shared.wait_while(|buffers| buffers.input.bytes.is_empty() && !buffers.is_abandoned);
        if buffers.is_abandoned {
            return;
        }
        let bytes = buffers.input.bytes.clone();
        drop(buffers);
        let written = pipe.write_all(&bytes).and_then(|()| pipe.flush());
        let mut buffers = shared.lock();
        buffers.input.bytes.clear();
        buffers.input.is_closed = written.is_err();
        shared.changed.notify_all();
        if written.is_err() {
            return;
        }
    }
}

/// Reads to the end. The next piece is read when the one before was taken.
fn read_all(mut pipe: impl Read, shared: &Shared, of: fn(&mut Buffers) -> &mut Buffer) {
    let mut piece = [0; PIECE];
    loop {
        let read = match pipe.read(&mut piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.unwrap_or(0),
        };
        let mut buffers = shared.lock();
        let buffer = of(&mut buffers);
        buffer.bytes.extend_from_slice(&piece[..read]);
        buffer.is_closed = read == 0;
        shared.changed.notify_all();
        drop(buffers);
        if read == 0 || shared.wait_while(|all| !of(all).bytes.is_empty() && !all.is_abandoned).is_abandoned {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{PipeReader, PipeWriter, pipe};

    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(20);

    /// Pipes, and the engine's ends of them.
    fn pipes() -> (Pipes, PipeReader, PipeWriter, PipeWriter) {
        let (input, output, errors) = (pipe().unwrap(), pipe().unwrap(), pipe().unwrap());
        (Pipes::new(input.1, output.0, errors.0).unwrap(), input.0, output.1, errors.1)
    }

    #[test]
    fn lines_go_both_ways_and_each_end_is_told() {
        let (mut pipes, mut input, mut output, mut errors) = pipes();
        assert_eq!(pipes.wait_for_output(SHORT), [false, false]);
        assert_eq!(pipes.send(b"uci\n").unwrap(), 4);
        let mut bytes = [0; 100];
        assert_eq!(input.read(&mut bytes).unwrap(), 4);
        pipes.wait_for_room(LONG);

        output.write_all(b"uciok\n").unwrap();
        assert_eq!(pipes.wait_for_output(LONG), [true, false]);
        assert_eq!(pipes.output().read(&mut bytes[..3]).unwrap(), 3);
        assert_eq!(pipes.output().read(&mut bytes[3..]).unwrap(), 3);
        assert_eq!(&bytes[..6], b"uciok\n");

        errors.write_all(b"sorry").unwrap();
        assert!(pipes.wait_for_errors(LONG));
        assert_eq!(pipes.read_errors(&mut bytes), 5);
        drop(errors);
        // The end of the error output is told once.
        assert_eq!(pipes.wait_for_output(LONG), [false, true]);
        assert_eq!(pipes.read_errors(&mut bytes), 0);
        assert_eq!(pipes.wait_for_output(SHORT), [false, false]);
        drop(output);
        assert_eq!(pipes.wait_for_output(LONG), [true, false]);
        assert_eq!(pipes.output().read(&mut bytes).unwrap(), 0);
    }

    #[test]
    fn no_side_waits_for_one_that_does_not_read() {
        let (pipes, input, mut output, _errors) = pipes();
        let flood = thread::spawn(move || (0..).map_while(|_| output.write(&[b'x'; PIECE]).ok()).sum::<usize>());
        assert_eq!(pipes.wait_for_output(LONG), [true, false]);
        // An engine that does not read: the pipe is full at some time, and then nothing more can be sent.
        let full = loop {
            pipes.wait_for_room(SHORT);
            if let Err(error) = pipes.send(&[b'x'; PIECE]) {
                break error;
            }
        };
        assert_eq!(full.kind(), io::ErrorKind::WouldBlock);
        drop(input);
        pipes.wait_for_room(LONG);
        assert_eq!(pipes.send(b"x").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        assert!(pipes.shared.lock().output.bytes.len() <= PIECE, "only a piece of the flood is kept");
        drop(pipes);
        assert!(flood.join().unwrap() > 0, "the flood ends with its reader");
    }
}
