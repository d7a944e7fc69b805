//! Writes libtorch's folder (as `train` found it) into the binary's run path, so that `kirin` starts by itself
//! from any folder; and the git revision, which goes into every run.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../.git/HEAD");
    println!("cargo::rerun-if-changed=../.git/logs/HEAD");
    if let Ok(folder) = std::env::var("DEP_KIRIN_TORCH_LIBTORCH_LIB") {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
    }
    let revision = output("git", &["rev-parse", "--short=12", "HEAD"]).unwrap_or_else(|| "unknown".into());
    println!("cargo::rustc-env=KIRIN_GIT_REVISION={revision}");
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
