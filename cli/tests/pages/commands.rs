//! The commands of README.md, the tutorials and the how-to pages. The blocks ```sh of a page are run in their order in
//! one folder for each page; blocks ```console are not run. That every call of `kirin` in any page has options that
//! exist is tested in cli/src/help/pages.rs.
//!
//! A tiny run lies in the folder runs/wangqi-smoke, as `make run` leaves it behind, and the files in the folder configs
//! are those of the repository, made tiny. A budget is replaced by a number of generations.

use super::{Page, files, root};
use crate::lab::Lab;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a line has that is not run, and why. The rest of the block is run.
const NOT_RUN: &[(&str, &str)] = &[
    ("make ", "builds, and trains for minutes"),
    ("alias ", "the test has its own"),
    ("git clone", "fetches"),
    ("cd ", "the test is in its folder"),
    ("pip install", "installs into the user's Python"),
    ("--dry-run", "measures for a minute"),
    ("kirin ablate", "trains for minutes (cli/tests/ablate.rs)"),
    ("kirin bench", "measures for a minute (cli/tests/bench.rs)"),
    ("kirin trainer", "waits for workers (cli/tests/cluster.rs)"),
    ("kirin worker", "waits for a trainer (cli/tests/cluster.rs)"),
    ("kirin referee", "waits for a trainer (cli/tests/cluster.rs)"),
    ("kirin serve", "waits for Ctrl-C (cli/tests/studio.rs)"),
    ("kirin verify file:", "there is no such run (cli/tests/cluster.rs)"),
    ("ENGINE", "stands for an engine"),
];

/// The settings of a tiny config.
const TINY: &str = include_str!("../lab/tiny.toml");

/// The lines of the shell blocks of a page, without their comments; a line that ends in a backslash continues in the
/// next.
fn commands(page: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let (mut in_block, mut here) = (false, None::<String>);
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block && line.trim() == "```sh";
            continue;
        }
        if !in_block {
            continue;
        }
        let line = line.split("  #").next().unwrap_or_default().trim_end();
        // A text that is written to a file (<<) belongs to its command.
        if let Some(end) = here.clone() {
            let last = commands.last_mut().expect("a command");
            *last = format!("{last}\n{line}");
            if line == end {
                here = None;
            }
            continue;
        }
        match commands.last_mut().filter(|last| last.ends_with('\\')) {
            Some(last) => {
                last.pop();
                last.push_str(line.trim_start());
            }
            None if line.is_empty() || line.starts_with('#') => {}
            None => commands.push(line.to_owned()),
        }
        let begun = commands.last().and_then(|last| last.split_once("<<"));
        here = begun.map(|(_, end)| end.trim().trim_matches(['\'', '"']).to_owned());
    }
    commands
}

/// A line as the test runs it.
fn shortened(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let budget = words.iter().position(|word| *word == "--budget");
    budget.map_or_else(
        || line.to_owned(),
        |at| [&words[..at], &["--generations", "4"], words.get(at + 2..).unwrap_or_default()].concat().join(" "),
    )
}

/// Runs a line in a shell that finds `kirin`; what it printed. No libtorch of the environment is used.
pub fn run(folder: &Path, line: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_kirin"));
    let mut path = program.parent().expect("a folder").as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(folder).env("PATH", path).stdin(Stdio::null());
    let output = shell.env_remove("LIBTORCH").env_remove("LD_LIBRARY_PATH").output().expect("a shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{line}\n{}\n{out}{err}", output.status);
    out
}

/// Writes the folder configs with a tiny config in place of each.
fn write_configs(folder: &Path) {
    std::fs::create_dir(folder.join("configs")).expect("a folder");
    for path in files(".toml").into_iter().filter(|path| path.parent() == Some(Path::new("configs"))) {
        let text = std::fs::read_to_string(root().join(&path)).expect("a config");
        let config: toml::Table = text.parse().expect("TOML");
        let mut tiny: toml::Table = TINY.parse().expect("TOML");
        let run = tiny["run"].as_table_mut().expect("a section");
        run.remove("folder");
        run.insert("variant".to_owned(), config["run"]["variant"].clone());
        std::fs::write(folder.join(path), tiny.to_string()).expect("written");
    }
}

#[test]
fn every_command_of_the_pages_works_as_it_stands() {
    let lab = Lab::new("wangqi")
        .set("run.folder=runs/wangqi-smoke")
        .set("run.generations=3")
        .set("selfplay.plies_per_generation=60");
    let out = lab.succeed("run", &[]);
    let (_, to_try) = out.split_once("\nTry next:\n").expect("commands to try");
    let to_try: Vec<&str> = to_try.lines().map(str::trim).collect();
    assert!(to_try.len() == 3 && to_try.iter().all(|line| line.starts_with("kirin ")), "{to_try:?}");
    write_configs(lab.path());
    let is_tried = |path: &Path| {
        path == Path::new("README.md") || path.starts_with("docs/tutorials") || path.starts_with("docs/how-to")
    };
    let mut ran = 0;
    for path in files(".md").into_iter().filter(|path| is_tried(path)) {
        let folder = lab.copy();
        for linked in ["rules", "train"] {
            std::os::unix::fs::symlink(root().join(linked), folder.path().join(linked)).expect("a link");
        }
        let page = std::fs::read_to_string(root().join(&path)).expect("a page");
        for command in commands(&page) {
            if NOT_RUN.iter().all(|(part, _)| !command.contains(part)) {
                run(folder.path(), &shortened(&command));
                ran += 1;
            }
        }
    }
    assert!(ran > 20, "only {ran} commands");
    for command in to_try {
        run(lab.path(), &shortened(command));
    }
}

#[test]
fn pages_say_where_the_program_is_before_they_call_it() {
    let is_for_users = |path: &Path| path == Path::new("README.md") || path.starts_with("docs");
    let is_note = |path: &Path| path.starts_with("docs/research") || path.starts_with("docs/reference");
    for path in files(".md").into_iter().filter(|path| is_for_users(path) && !is_note(path)) {
        let commands: Vec<String> = Page::read(&path).commands.into_iter().map(|(_, line)| line).collect();
        let Some(first) = commands.iter().position(|line| line.starts_with("kirin ")) else { continue };
        let is_said = |line: &String| line.starts_with("alias kirin=") || line.starts_with("pip install");
        assert!(commands[..first].iter().any(is_said), "{}: {}", path.display(), commands[first]);
    }
}

#[test]
fn commands_are_found_in_pages() {
    let page = "```sh\nkirin run a.toml  # a comment\nkirin eval \\\n  table x\ncat > a <<'END'\n[run]\nEND\nls\n```\n\n```console\nnot\n```\n";
    assert_eq!(commands(page), ["kirin run a.toml", "kirin eval table x", "cat > a <<'END'\n[run]\nEND", "ls"]);
    assert_eq!(shortened("kirin run a --budget 30m --json"), "kirin run a --generations 4 --json");
}
