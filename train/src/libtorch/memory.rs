//! The memory that libtorch works in.
//!
//! The passes of a step or of an evaluation need some hundred megabytes for a moment, again and again. The allocator of the
//! C library (glibc) gives memory back to the system as soon as the end of one of its heaps is free, and deletes heaps of
//! 64 MB that are all free. In training that made every step touch each page for the first time: 8,269 page faults for
//! 256 samples of Xiangqi in a network of 2×32 (`train/tests/memory.rs` counts them).

#![allow(unsafe_code)]

use std::ffi::c_int;

unsafe extern "C" {
    /// One of the C library's settings of its allocator (`malloc.h`); 1 if it was accepted.
    fn mallopt(parameter: c_int, value: c_int) -> c_int;
}

const TRIM_THRESHOLD: c_int = -1;
const TOP_PAD: c_int = -2;
const MMAP_THRESHOLD: c_int = -3;

/// Largest free end of a heap that is kept. Only the main heap can become that large.
const KEPT: c_int = 1 << 30;
/// A free heap is kept if there is less room than this before it: the size of a whole heap, so always.
const HEAP: c_int = 64 << 20;
/// Larger blocks are mapped one by one: the largest value that the C library accepts, half a heap.
const MAPPED: c_int = 32 << 20;

/// Tells the allocator to keep the memory that the program has used. The size of the program stays at its peak.
pub(super) fn keep() {
    // SAFETY: the function is the C library's, sets numbers under a lock, and takes any value. What it refuses stays as it
    // was, which costs time and nothing else.
    unsafe {
        mallopt(TRIM_THRESHOLD, KEPT);
        mallopt(TOP_PAD, HEAP);
        mallopt(MMAP_THRESHOLD, MAPPED);
    }
}
