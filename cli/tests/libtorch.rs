//! The program without libtorch: most commands need none, and the others say what is missing.

#![cfg(target_os = "linux")]

mod kirin;
mod lab;

use kirin::kirin_at;
use lab::Lab;
use std::collections::BTreeMap;
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

/// A program that pip installed finds its library in the Python package, and says what pip must install besides.
#[test]
fn an_installed_program_wants_the_pytorch_of_its_environment() {
    let _one = COPYING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("a folder");
    let packages = folder.path().join("lib/python3.12/site-packages");
    for path in [folder.path().join("bin"), packages.join("kirin/lib"), packages.join("torch")] {
        std::fs::create_dir_all(path).expect("a folder");
    }
    let program = alone(&folder.path().join("bin"));
    let ours = Path::new(env!("CARGO_BIN_EXE_kirin")).parent().expect("a folder").join("deps/libkirin_torch.so");
    std::fs::copy(ours, packages.join("kirin/lib/libkirin_torch.so")).expect("room for a copy");
    let ran = kirin_at(&program, folder.path(), &NETWORK);
    assert_eq!(ran.code, Some(74), "{}", ran.err);
    let wanted = format!("PyTorch is not installed in {}", packages.display());
    assert!(ran.err.contains(&wanted) && ran.err.contains("pip install torch==2.11.0"), "{}", ran.err);

    let version = packages.join("torch/version.py");
    std::fs::write(&version, "__version__ = '2.12.0+cpu'\n").expect("written");
    let ran = kirin_at(&program, folder.path(), &NETWORK);
    assert_eq!(ran.code, Some(74), "{}", ran.err);
    assert!(ran.err.contains("is PyTorch 2.12.0+cpu, and kirin needs 2.11.0: pip install"), "{}", ran.err);

    // The library that was built here finds the libtorch that it was built with.
    std::fs::write(&version, "__version__ = '2.11.0'\n").expect("written");
    let ran = kirin_at(&program, folder.path(), &[&NETWORK[..], &["--seconds", "1"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
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

/// All files below a folder with what is in them.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => drop(found.insert(path.clone(), std::fs::read(&path).expect("a file"))),
        }
    }
    found
}

/// Networks are played with and checked without libtorch, and a run that has begun plays on. Training and a new run need
/// it, and say so before anything is made. Network 0 cannot be made again without it, and nothing is moved.
#[test]
fn networks_are_used_and_checked_without_libtorch() {
    let _one = COPYING.lock().unwrap_or_else(PoisonError::into_inner);
    let lab = Lab::new("wangqi").set("run.generations=1").set("evaluator.backend=native");
    lab.succeed("run", &[]);
    let folder = tempfile::tempdir().expect("a folder");
    let program = alone(folder.path());
    for words in [
        &["verify", "run"][..],
        &["verify", "run", "--repair"],
        &["verify", "run/nets/gen-0001.safetensors"],
        &["analyse", "--net", "run", "--visits", "8"],
        &["analyse", "--variant", "xiangqi", "--visits", "8"],
        &["eval", "match", "--variant", "wangqi", "run", "random", "--pairs", "1", "--visits", "4"],
        &["selfplay", "run", "--set", "run.generations=2"],
    ] {
        let ran = kirin_at(&program, lab.path(), words);
        assert_eq!(ran.code, Some(0), "{words:?}: {}{}", ran.out, ran.err);
    }
    for words in [&["train", "run"][..], &["run", "wangqi"]] {
        let ran = kirin_at(&program, lab.path(), words);
        assert_eq!(ran.code, Some(74), "{words:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("training, a GPU"), "{words:?}: {}", ran.err);
    }
    assert!(!lab.path().join("runs").exists(), "a run that cannot begin leaves a folder");
    std::fs::write(lab.file("nets/gen-0000.safetensors"), "junk").expect("written");
    let before = files(lab.path());
    let ran = kirin_at(&program, lab.path(), &["verify", "run", "--repair"]);
    assert_eq!(ran.code, Some(74), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("libkirin_torch.so") && ran.err.contains("training, a GPU"), "{}", ran.err);
    let after = files(lab.path());
    // A lock names its last owner.
    let names = before.keys().chain(after.keys()).filter(|name| !name.to_string_lossy().ends_with("lock"));
    let changed: Vec<_> = names.filter(|&name| before.get(name) != after.get(name)).collect();
    assert!(changed.is_empty(), "{changed:?}");
}

/// A library that was copied in part, or has other bytes than its checksum says.
#[test]
fn a_library_that_is_not_whole_is_an_error_and_no_signal() {
    let _one = COPYING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("a folder");
    let program = alone(folder.path());
    let ours = Path::new(env!("CARGO_BIN_EXE_kirin")).parent().expect("a folder").join("deps/libkirin_torch.so");
    let whole = std::fs::read(ours).expect("the library that was built");
    let library = folder.path().join("libkirin_torch.so");
    let mut told = Vec::new();
    for length in [whole.len() / 8, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&library, &whole[..length]).expect("written");
        told.push(kirin_at(&program, folder.path(), &NETWORK));
    }
    std::fs::write(&library, &whole).expect("written");
    std::fs::write(folder.path().join("libkirin_torch.so.sha256"), format!("{:064}  x\n", 7)).expect("written");
    told.push(kirin_at(&program, folder.path(), &NETWORK));
    for ran in told {
        assert_eq!(ran.code, Some(74), "{}", ran.err);
        assert!(ran.err.contains("libkirin_torch.so is not whole: ") && ran.err.contains("make build"), "{}", ran.err);
    }
}

/// libtorch would end the program where it gets no memory.
#[test]
fn a_limit_of_data_that_is_too_small_for_libtorch_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, said) = kirin::limited(folder.path(), &format!("-d {}", 100 << 10), &NETWORK.join(" "));
    assert!(code == Some(74) && said.contains("ulimit -d"), "{code:?}: {said}");
}
