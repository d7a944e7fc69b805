//! Another program reads the exported PGN correctly: pyffish replays the games.
//!
//! Without pyffish the test says so and passes; with `KIRIN_ORACLES=required` that is a failure. The Python is
//! `KIRIN_PYTHON`, or `python3` with what `scripts/oracles` installed.

use super::{config, entries, installed, play, prepare};
use eval::log::GameEntry;
use eval::{MatchConfig, PlayerConfig, log, pgn};
use rules::{Game, Position, Rules, Variant, VariantId};
use std::io::Write;
use std::process::{Command, Stdio};
use testkit::oracle;

fn python() -> Option<Command> {
    let mut python = Command::new(std::env::var("KIRIN_PYTHON").unwrap_or_else(|_| "python3".into()));
    if std::env::var_os("KIRIN_PYTHON").is_none()
        && let Some(folder) = installed("pyffish-")
    {
        python.env("PYTHONPATH", folder);
    }
    if python.args(["-c", "import pyffish"]).output().is_ok_and(|run| run.status.success()) {
        let mut again = Command::new(python.get_program());
        again.envs(python.get_envs().filter_map(|(name, value)| Some((name, value?))));
        return Some(again);
    }
    oracle::missing("pyffish is missing (scripts/oracles, or a Python that has it in KIRIN_PYTHON)")
}

/// The games as pyffish replays them: a line each.
fn replay(mut python: Command, games: &str, definitions: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let ini = folder.path().join("variants.ini");
    std::fs::write(&ini, definitions).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracles/pgn.py");
    let mut child =
        python.arg(script).arg(&ini).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python starts");
    let mut input = child.stdin.take().unwrap();
    let games = games.to_owned();
    let writing = std::thread::spawn(move || input.write_all(games.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// A game as we replay it.
fn ours<V: Variant>(game: &GameEntry) -> String {
    let start = game.start_fen.as_deref().map_or_else(Position::start, |fen| Position::from_fen(fen).unwrap());
    let game = Game::<V>::from_moves_text(Rules::default(), start, &game.moves).unwrap();
    let fen = game.position().fen();
    let fen: Vec<&str> = fen.split_whitespace().take(2).collect();
    format!("{}\t{}\t{}", V::ID, game.ply(), fen.join(" "))
}

#[test]
fn pyffish_replays_what_we_export() {
    if python().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut replayed = Vec::new();
    for &variant in VariantId::ALL {
        let definition = engine::client::variant_definition(variant).unwrap_or_default();
        let path = folder.path().join(format!("{variant}.jsonl"));
        // One player whose time is measured, so that there are comments; one that wins.
        let engine = prepare(&config(&["--variant", variant.id(), "--fault", "crash", "--at", "60"]), variant);
        let match_config = MatchConfig { pairs: 3, max_plies: 150, ..MatchConfig::default() };
        play(variant, &match_config, [&PlayerConfig::greedy(), &engine], &path);
        let recorded = log::read(&path).unwrap();
        let text = pgn::export(&recorded.header.unwrap(), &recorded.games);
        assert!(text.contains("{[%emt 0:00:0") && text.contains("[FEN \""), "{text}");
        let theirs = replay(python().unwrap(), &text, definition);
        assert_eq!(theirs.len(), 6);
        if theirs[0].ends_with("\tunknown") {
            continue;
        }
        let ours: Vec<String> =
            entries(&path).iter().map(|game| rules::dispatch!(variant, V => ours::<V>(game))).collect();
        assert_eq!(theirs, ours);
        replayed.push(variant.id());
    }
    println!("replayed: {replayed:?}");
    assert!(replayed.len() >= 4, "{replayed:?}");
}
