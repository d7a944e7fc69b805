//! Writes the folder of libtorch into the binaries (rpath), so that they start from any folder with no
//! environment variable.
//!
//! `torch-sys` has already settled where libtorch lies (`LIBTORCH`, `LIBTORCH_LIB`, or `LIBTORCH_USE_PYTORCH`)
//! and says so in `DEP_TCH_LIBTORCH_LIB`. A link argument reaches only the package that emits it, so the
//! folder is handed on: a dependent's build script reads it as `DEP_KIRIN_TORCH_LIBTORCH_LIB`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if let Ok(folder) = std::env::var("DEP_TCH_LIBTORCH_LIB") {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
        println!("cargo::metadata=libtorch_lib={folder}");
    }
}
