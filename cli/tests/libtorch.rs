//! The program without libtorch: most commands need none, and the others say what is missing.

#![cfg(target_os = "linux")]

mod kirin;

use kirin::kirin_at;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// One test at a time: a program that the other test starts while a copy is being written would inherit the open file, and
/// Linux starts no program that is open for writing.
static COPYING: Mutex<()> = Mutex::new(());

/// The program alone in a folder, as if it had been copied there.
fn alone(folder: &Path) -> PathBuf {
    let program = folder.join("kirin");
    std::fs::copy(env!("CARGO_BIN_EXE_kirin"), &program).expect("room for a copy");
    program
}

const NETWORK: [&str; 6] = ["bench", "net", "--variant", "wangqi", "--net", "1x16"];

#[test]
fn a_program_without_libtorch_does_all_that_needs_no_network() {
    let _one = COPYING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("a folder");
    let program = alone(folder.path());
    for arguments in
        [&["--help"][..], &["show", "--variant", "xiangqi"], &["perft", "--variant", "shogi", "--depth", "2"]]
    {
        let ran = kirin_at(&program, folder.path(), arguments);
        assert_eq!(ran.code, Some(0), "kirin {arguments:?}: {}", ran.err);
    }
    let ran = kirin_at(&program, folder.path(), &NETWORK);
    assert_eq!(ran.code, Some(74), "{}", ran.err);
    assert!(ran.err.contains("libkirin_torch.so") && ran.err.contains("copy it from target/release"), "{}", ran.err);

    let library = folder.path().join("libkirin_torch.so");
    std::fs::write(&library, "junk").expect("room for a word");
    let ran = kirin_at(&program, folder.path(), &NETWORK);
    assert_eq!(ran.code, Some(74), "{}", ran.err);
    assert!(ran.err.contains(&format!("cannot open {}", library.display())), "{}", ran.err);
}

/// A library that opens but is none of ours: the C library.
#[test]
fn a_library_of_another_kind_is_refused() {
    let _one = COPYING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("a folder");
    let program = alone(folder.path());
    let maps = std::fs::read_to_string("/proc/self/maps").expect("Linux has it");
    let libc = maps.lines().filter_map(|line| line.split_whitespace().last()).find(|path| path.ends_with("/libc.so.6"));
    std::fs::copy(libc.expect("this program uses it"), folder.path().join("libkirin_torch.so"))
        .expect("room for a copy");
    let ran = kirin_at(&program, folder.path(), &NETWORK);
    assert_eq!(ran.code, Some(74), "{}", ran.err);
    assert!(ran.err.contains("kirin_torch_functions"), "the missing function is named: {}", ran.err);
}
