//! Outside engines in matches: an engine's error loses a game and nothing else.

mod adjudication;
mod faults;
mod pgn;
mod real;
mod rules_check;

use engine::{EngineConfig, EngineProfile, Limit};
use eval::log::{self, GameEntry};
use eval::{Match, MatchConfig, MatchReport, PlayerConfig};
use rules::VariantId;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use testkit::oracle;

/// The scripted engine (`examples/scripted_engine.rs`), which `cargo test` builds next to the tests.
fn scripted() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().nth(2).unwrap();
    let path = folder.join("examples/scripted_engine");
    assert!(path.exists(), "{} is missing: cargo build --release -p eval --examples", path.display());
    path
}

/// The scripted engine with these arguments, 1 node a move and little patience.
fn config(arguments: &[&str]) -> EngineConfig {
    EngineConfig {
        name: "scripted".into(),
        command: scripted().display().to_string(),
        args: arguments.iter().map(|&argument| argument.to_owned()).collect(),
        limit: Limit::Nodes(1),
        timeout_ms: 300,
        handshake_ms: 2_000,
        ..EngineConfig::default()
    }
}

fn prepare(config: &EngineConfig, variant: VariantId) -> PlayerConfig {
    PlayerConfig::engine(EngineProfile::prepare(config, variant, Limit::Own, &|| false).unwrap())
}

fn play(variant: VariantId, config: &MatchConfig, players: [&PlayerConfig; 2], log: &Path) -> MatchReport {
    Match { variant, config, players, log }.play(&AtomicBool::new(false), |_| {}).unwrap()
}

/// The games of a log in the order of their places.
fn entries(log: &Path) -> Vec<GameEntry> {
    log::read(log).unwrap().games.into_values().collect()
}

/// What `scripts/oracles` has installed under a name that begins with `prefix`.
fn installed(prefix: &str) -> Option<PathBuf> {
    let folder = std::fs::read_dir(oracle::folder()?).ok()?;
    folder.flatten().find(|entry| entry.file_name().to_string_lossy().starts_with(prefix)).map(|entry| entry.path())
}

/// Processes that have this text in their command line.
fn processes(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(bytes) = std::fs::read(entry.path().join("cmdline")) else { continue };
        let line = String::from_utf8_lossy(&bytes).replace('\0', " ");
        if entry.file_name().to_string_lossy().bytes().all(|byte| byte.is_ascii_digit()) && line.contains(text) {
            found.push(line);
        }
    }
    found
}
