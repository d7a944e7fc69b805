//! The commands of README.md, run one after the other as they stand there.

use crate::lab::Lab;
use std::path::Path;
use std::process::{Command, Stdio};

/// Commands that are not run here, each with the reason.
const SKIPPED: &[(&str, &str)] = &[
    ("make run", "builds, and trains for minutes"),
    ("make test", "runs this test"),
    ("kirin run configs/shogi-smoke.toml", "trains for minutes"),
    ("kirin run configs/wangqi-laptop.toml --budget 30m", "trains for half an hour"),
    ("kirin run configs/wangqi-night.toml --dry-run", "measures for a minute"),
    (
        "kirin ablate configs/wangqi-smoke.toml --vary search.visits=16,32 --budget 5m --folder ablation",
        "trains for twenty minutes",
    ),
    (
        "kirin trainer configs/wangqi-smoke.toml --store file://$PWD/shared --set run.budget=none",
        "trains for minutes, with workers (cli/tests/cluster.rs)",
    ),
    (
        "kirin worker configs/wangqi-smoke.toml --store file://$PWD/shared --index 0",
        "waits for a trainer (cli/tests/cluster.rs)",
    ),
    (
        "kirin referee configs/wangqi-smoke.toml --store file://$PWD/shared",
        "waits for a trainer (cli/tests/cluster.rs)",
    ),
    ("kirin verify file://$PWD/shared", "there is no run (cli/tests/cluster.rs)"),
    (r#"kirin eval match --variant xiangqi greedy "engine:ENGINE?nodes=100""#, "ENGINE is a placeholder"),
    (r#"kirin eval benchmark --variant xiangqi "engine:ENGINE?nodes=1000""#, "ENGINE is a placeholder"),
    ("kirin bench net --variant shogi --net 4x64", "measures for a minute"),
    ("kirin bench selfplay --variant shogi --net 4x64", "measures for a minute"),
    ("kirin bench match --variant shogi --net 4x64", "measures for a minute"),
    ("kirin bench train --variant shogi --net 4x64", "measures for a minute"),
    ("kirin bench openings --games 10000", "measures for a minute"),
    (r#"pip install "train/python[digest,onnx]""#, "installs into the user's Python"),
    (
        "python -m kirin_net show runs/wangqi-smoke/nets/gen-0003.safetensors",
        "needs PyTorch, with which train/tests/python.rs tests it",
    ),
    (
        "python -m kirin_net export runs/wangqi-smoke/nets/gen-0003.safetensors --to onnx --out wangqi.onnx",
        "needs PyTorch, with which train/tests/python.rs tests it",
    ),
];

/// Commands that train for minutes, each with what makes it short. The configuration of the small run stands for that of `make
/// run`, whose networks have another size.
const SHORTENED: &[(&str, &str)] = &[
    (
        "kirin run configs/wangqi-smoke.toml --set search.visits=32 --set run.folder=runs/deeper",
        "kirin run runs/wangqi-smoke/config.toml --set search.visits=6 --set run.folder=runs/deeper --generations 1",
    ),
    ("kirin run runs/wangqi-smoke --budget 20m", "kirin run runs/wangqi-smoke --generations 4"),
    (
        "kirin run configs/wangqi-smoke.toml --from runs/wangqi-smoke --set run.folder=runs/second",
        "kirin run runs/wangqi-smoke/config.toml --from runs/wangqi-smoke --set run.folder=runs/second --generations 1",
    ),
    (
        "kirin run configs/wangqi-smoke.toml --from learned.safetensors --set run.folder=runs/third",
        "kirin run configs/wangqi-smoke.toml --from learned.safetensors --set run.folder=runs/third --generations 1 \
         --set selfplay.slots=8 --set selfplay.stagger_plies=20 --set search.visits=2 --set evaluation.final_pairs=1 \
         --set evaluation.pairs=1 --set evaluation.visits=2",
    ),
];

/// The lines of the shell blocks of a page, without their comments.
fn commands(page: &str) -> Vec<&str> {
    let mut commands = Vec::new();
    let mut in_block = false;
    for line in page.lines() {
        if line.starts_with("```") {
            in_block = line == "```sh";
        } else if in_block {
            let command = line.split("  #").next().unwrap_or_default().trim_end();
            commands.extend((!command.is_empty()).then_some(command));
        }
    }
    commands
}

/// Runs a line in a shell that finds `kirin`.
fn run(folder: &Path, line: &str) {
    let program = Path::new(env!("CARGO_BIN_EXE_kirin"));
    let mut path = program.parent().expect("a folder").as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let shell =
        Command::new("sh").args(["-c", line]).current_dir(folder).env("PATH", path).stdin(Stdio::null()).output();
    let output = shell.expect("a shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{line}\n{}{}{}", output.status, text(&output.stdout), text(&output.stderr));
}

#[test]
fn every_command_of_the_readme_works_as_it_stands() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("README.md")).expect("README.md");
    let commands = commands(&page);
    for (skipped, reason) in SKIPPED.iter().chain(SHORTENED) {
        assert!(commands.contains(skipped), "README.md no longer has {skipped:?}, ({reason})");
    }
    // What `make run` leaves behind, only smaller.
    let lab = Lab::new("wangqi")
        .set("run.folder=runs/wangqi-smoke")
        .set("run.generations=3")
        .set("selfplay.plies_per_generation=60");
    let out = lab.succeed("run", &[]);
    let (_, to_try) = out.split_once("\nTry next:\n").expect("commands to try");
    let to_try: Vec<&str> = to_try.lines().map(str::trim).collect();
    assert!(to_try.len() == 3 && to_try.iter().all(|line| line.starts_with("kirin ")), "{to_try:?}");
    for folder in ["rules", "configs"] {
        std::os::unix::fs::symlink(root.join(folder), lab.path().join(folder)).expect("a link");
    }
    let mut ran = 0;
    for command in commands {
        if SKIPPED.iter().all(|(skipped, _)| command != *skipped) {
            let short = SHORTENED.iter().find(|(long, _)| command == *long).map_or(command, |(_, short)| short);
            run(lab.path(), short);
            ran += 1;
        }
    }
    assert!(ran > 20, "only {ran} commands");
    to_try.into_iter().for_each(|command| run(lab.path(), command));
    for file in [
        "book.txt",
        "games.parquet",
        "learned.safetensors",
        "kirin-usi",
        "cup",
        "metrics.parquet",
        "runs/wangqi-smoke/report.html",
        "runs/wangqi-smoke/nets/gen-0006.safetensors",
        "runs/deeper/nets/gen-0001.safetensors",
        "runs/second/nets/gen-0001.safetensors",
        "runs/third/events.jsonl",
    ] {
        assert!(lab.path().join(file).exists(), "{file} was not made");
    }
}
