//! libtorch as one shared library, `libkirin_torch.so`, that a program opens when it needs a network.
//!
//! libtorch registers its thousands of operators when it is loaded, which takes longer than most commands of `kirin`. So
//! no program is linked with it. This library is: it contains the C functions of `torch-sys` (the layer under `tch`) and
//! hands out their addresses in a table. `train` opens it and has a trampoline for each function, see
//! `train/src/libtorch`.
//!
//! Only C crosses the border: numbers, pointers and the functions' own error texts.

#![allow(unsafe_code)]

#[cfg(unix)]
use libc::{c_char, c_void};
// Nothing is called by its Rust name, but the functions have to be linked.
use torch_sys as _;

/// A function of the table. Each has its own arguments, which its caller knows.
type Function = unsafe extern "C" fn();

macro_rules! functions {
    ($declarations:literal $($name:ident)+) => {
        unsafe extern "C" {
            $(fn $name();)+
        }

        /// A hash of the declarations of all functions.
        const DECLARATIONS: u64 = $declarations;

        /// The functions in the order of the list, which is the order of the trampolines.
        static FUNCTIONS: [Function; [$(stringify!($name)),+].len()] = [$($name),+];
    };
}

include!(concat!(env!("OUT_DIR"), "/functions.rs"));

/// The table of functions, or null if the caller was built for other declarations than these.
#[unsafe(no_mangle)]
pub extern "C" fn kirin_torch_functions(declarations: u64) -> *const Function {
    if declarations == DECLARATIONS { FUNCTIONS.as_ptr() } else { std::ptr::null() }
}

/// Opens another part of libtorch, which the dynamic linker finds by this library's rpath and by no other. Returns its
/// handle, or null and the linker's message in `error`.
///
/// # Safety
/// `file` ends with a zero, and `error` can be written. The message is valid until the thread's next call of `dlopen`.
#[cfg(unix)] // programs for Windows are linked with libtorch
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kirin_torch_open(file: *const c_char, error: *mut *const c_char) -> *mut c_void {
    // SAFETY: the caller promises that both pointers are good.
    unsafe {
        let handle = libc::dlopen(file, libc::RTLD_LAZY | libc::RTLD_LOCAL);
        if handle.is_null() {
            *error = libc::dlerror();
        }
        handle
    }
}
