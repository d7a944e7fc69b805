//! The C functions of `torch-sys` as `tch` calls them: each is a trampoline, a single jump to the address that stands in
//! a table. The table is filled when libtorch is opened.
//!
//! `torch-sys` declares the functions and brings a static library that defines them and needs libtorch. This crate
//! defines them as well, and comes first on the linker's command line, so the static library stays out of the program,
//! and libtorch with it. If a function were missing here, the static library would be linked for its sake, define all
//! others a second time, and the build would fail.

#![allow(unsafe_code)]

use std::arch::naked_asm;
use std::mem::offset_of;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The target of all trampolines until the program has opened libtorch. A call of it is a mistake in this crate.
extern "C" fn not_open() {
    eprintln!("kirin called libtorch before it was opened; this is a bug, please report it");
    std::process::abort()
}

/// One trampoline. It keeps all registers, so the arguments arrive as they were given, whatever they are.
#[cfg(target_arch = "x86_64")]
macro_rules! jump {
    ($name:ident) => {
        naked_asm!(
            "jmp qword ptr [rip + {table} + {at}]",
            table = sym TABLE,
            at = const offset_of!(Table, $name),
        )
    };
}

/// One trampoline. It keeps all registers but `x16`, which belongs to such jumps, so the arguments arrive as they were
/// given, whatever they are.
#[cfg(target_arch = "aarch64")]
macro_rules! jump {
    ($name:ident) => {
        naked_asm!(
            "adrp x16, {table} + {at}",
            "ldr x16, [x16, :lo12:{table} + {at}]",
            "br x16",
            table = sym TABLE,
            at = const offset_of!(Table, $name),
        )
    };
}

macro_rules! functions {
    ($declarations:literal $($name:ident)+) => {
        /// A hash of the declarations of all functions.
        pub const DECLARATIONS: u64 = $declarations;

        /// Addresses in the order of the list, which is the order of the shared library.
        #[allow(non_snake_case)] // the names are those of the functions
        #[repr(C)]
        struct Table {
            $($name: AtomicPtr<()>),+
        }

        static TABLE: Table = Table { $($name: AtomicPtr::new(not_open as *mut ())),+ };

        impl Table {
            fn entries(&self) -> impl Iterator<Item = &AtomicPtr<()>> {
                [$(&self.$name),+].into_iter()
            }
        }

        $(
            #[allow(non_snake_case)]
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            extern "C" fn $name() {
                jump!($name)
            }
        )+
    };
}

include!(env!("KIRIN_TORCH_FUNCTIONS"));

/// Lets every trampoline lead to its function.
///
/// # Safety
/// `functions` is the table of a shared library whose declarations are [`DECLARATIONS`], and stays open.
pub unsafe fn connect(functions: *const *mut ()) {
    for (i, entry) in TABLE.entries().enumerate() {
        // SAFETY: equal declarations mean equal lists, so the table of the library has an entry for each of ours.
        entry.store(unsafe { functions.add(i).read() }, Ordering::Release);
    }
}
