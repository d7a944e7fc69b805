//! A GPU stream for each evaluator, so that the calls of several threads overlap.
//!
//! By default libtorch puts the work of all threads into one stream of the device. There a thread that waits for its own
//! answers also waits for what other threads have queued after them, and while it searches afterwards, the device may be
//! idle. In a stream of its own a call waits only for itself, and with two or more threads one batch is computed while
//! the next one is copied and launched.
//!
//! `tch` has no streams. libtorch's stable C interface (`torch/csrc/stable/c/shim.h` and
//! `torch/csrc/inductor/aoti_torch/c/shim.h`, from 2.11 on) has them, in its GPU part.
//! Where it lacks them, calls share the device's one stream: the same answers, with less overlap.

#![allow(unsafe_code)]

use crate::error::{Result, TrainError};
use crate::libtorch;
use std::ffi::c_void;
use tch::Device;

/// Status of a call of the C interface: 0 is success.
type Status = i32;
type FromPool = unsafe extern "C" fn(high_priority: bool, device: i32, stream: *mut *mut c_void) -> Status;
type Enter = unsafe extern "C" fn(stream: *mut c_void, device: i32, guard: *mut *mut c_void) -> Status;
type Leave = unsafe extern "C" fn(guard: *mut c_void) -> Status;

/// A stream from libtorch's pool, which lives as long as the process; on a CPU, nothing.
pub(crate) struct Stream(Option<Held>);

struct Held {
    stream: *mut c_void,
    device: i32,
    enter: Enter,
    leave: Leave,
}

// SAFETY: a CUDA stream may be used from any thread, and libtorch never frees those of its pool.
unsafe impl Send for Stream {}

/// While it lives, everything that its thread asks of the GPU goes into the stream.
pub(crate) struct Entered {
    guard: *mut c_void,
    leave: Leave,
}

impl Stream {
    /// A stream of this device.
    ///
    /// # Errors
    /// libtorch has none to give.
    pub fn new(device: Device) -> Result<Stream> {
        let Device::Cuda(index) = device else { return Ok(Stream(None)) };
        let library = libtorch::cuda()?;
        // SAFETY: the names are of C functions with these signatures in libtorch's stable C interface; the library is
        // never unloaded, so they may be called as long as the process lives.
        let symbols = unsafe {
            let from_pool = library.get::<FromPool>(b"torch_get_cuda_stream_from_pool\0");
            let enter = library.get::<Enter>(b"aoti_torch_create_cuda_stream_guard\0");
            let leave = library.get::<Leave>(b"aoti_torch_delete_cuda_stream_guard\0");
            from_pool.and_then(|a| enter.and_then(|b| leave.map(|c| (*a, *b, *c))))
        };
        let Ok((from_pool, enter, leave)) = symbols else { return Ok(Stream(None)) };
        let (mut stream, device) = (std::ptr::null_mut(), index as i32);
        // SAFETY: `stream` is valid for the write, and libtorch has found the device.
        let status = unsafe { from_pool(false, device, &mut stream) };
        succeeded(status, "give a stream")?;
        Ok(Stream(Some(Held { stream, device, enter, leave })))
    }

    /// Makes it the calling thread's stream until the result is dropped, which must happen on the same thread.
    ///
    /// # Errors
    /// libtorch refuses.
    pub fn enter(&self) -> Result<Option<Entered>> {
        let Some(held) = &self.0 else { return Ok(None) };
        let mut guard = std::ptr::null_mut();
        // SAFETY: the stream is one of the pool, and `guard` is valid for the write.
        let status = unsafe { (held.enter)(held.stream, held.device, &mut guard) };
        succeeded(status, "switch to its stream")?;
        Ok(Some(Entered { guard, leave: held.leave }))
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        // SAFETY: the guard came from `enter` and is given back once, on the thread that took it (it is not `Send`).
        // A status other than 0 would mean that there was nothing to give back.
        let _ = unsafe { (self.leave)(self.guard) };
    }
}

fn succeeded(status: Status, what: &str) -> Result<()> {
    match status {
        0 => Ok(()),
        status => Err(TrainError::Torch(format!("the GPU could not {what} (status {status})"))),
    }
}
