//! Hands the list of libtorch's C functions, which crate `torch` has made, on to `src/libtorch/functions.rs`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let list = std::env::var("DEP_KIRIN_TORCH_FUNCTIONS").expect("crate `torch` names its list");
    println!("cargo::rustc-env=KIRIN_TORCH_FUNCTIONS={list}");
}
