//! The path of a newcomer: README's quick start and the tutorials "first run" and "train your own", command by command, with
//! only what the pages say. The built program stands for `make run`, in a run that is small.

use crate::lab::Lab;
use crate::pages::commands::run;
use std::path::Path;

/// Pages in the order in which a newcomer reads them.
const PAGES: [&str; 3] = ["README.md", "docs/tutorials/first-run.md", "docs/tutorials/train-your-own.md"];

/// Commands that take minutes, or a time that says little on a busy machine, and what is run for them.
const SHORTENED: [(&str, &str); 4] = [
    ("kirin play --net runs/wangqi-smoke", "kirin play --net runs/wangqi-smoke --visits 5"),
    (
        "kirin run mine.toml --budget 30s",
        "kirin run mine.toml --set run.budget=none --generations 2 --set search.visits=4 --set selfplay.slots=16 \
         --set selfplay.plies_per_generation=120 --set selfplay.rules_games=100 --set evaluation.matches=0 \
         --set evaluation.final_pairs=0",
    ),
    ("kirin run runs/mine --budget 30m --set run.round_seconds=40", "kirin run runs/mine --generations 3"),
    (
        "kirin run mine.toml --from runs/mine --set run.folder=runs/deeper --set search.visits=48",
        "kirin run mine.toml --from runs/mine --set run.folder=runs/deeper --set search.visits=6 --set selfplay.slots=16 \
         --set run.budget=none --generations 1 --set evaluation.matches=0 --set evaluation.final_pairs=0",
    ),
];

/// Commands that are not run, each with the reason.
const LEFT_OUT: [(&str, &str); 3] = [
    ("kirin serve runs --open", "waits for Ctrl-C (cli/tests/studio.rs)"),
    (
        "kirin run mine.toml --budget 30m --set run.round_seconds=40 --dry-run",
        "measures for a minute (cli/tests/forecast.rs)",
    ),
    (
        "kirin ablate mine.toml --vary search.visits=16,32 --seeds 2 --budget 10m --folder ablation",
        "trains for 40 minutes (cli/tests/ablate.rs)",
    ),
];

/// What the pages promise, from the folder in which the commands are given.
const PROMISED: [&str; 13] = [
    "runs/wangqi-smoke/config.toml",
    "runs/wangqi-smoke/data",
    "runs/wangqi-smoke/nets",
    "runs/wangqi-smoke/matches",
    "runs/wangqi-smoke/report.html",
    "games.pgn",
    "imported",
    "first.jsonl",
    "first.pgn",
    "runs/mine/config.toml",
    "runs/mine/nets/gen-0003.safetensors",
    "runs/mine/report.html",
    "runs/deeper/nets/gen-0001.safetensors",
];

/// A block of a page: the word behind the fence, and the lines.
fn blocks(page: &str) -> Vec<(&str, Vec<&str>)> {
    let mut blocks: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match line.strip_prefix("```") {
            Some(_) if inside => inside = false,
            Some(kind) => {
                inside = true;
                blocks.push((kind, Vec::new()));
            }
            None if inside => blocks.last_mut().expect("a block has begun").1.push(line),
            None => {}
        }
    }
    blocks
}

/// Changes the lines of a configuration as a page shows them: each key is in its section once, with another value.
fn edit(config: &Path, lines: &[&str]) {
    let text = std::fs::read_to_string(config).expect("the copied configuration");
    let mut text: Vec<&str> = text.lines().collect();
    let mut section = 0;
    for &line in lines.iter().filter(|line| !line.is_empty()) {
        if line.starts_with('[') {
            section = text.iter().position(|old| *old == line).unwrap_or_else(|| panic!("no section {line}"));
            continue;
        }
        let key = line.split(" = ").next().expect("a key");
        let inside = text[section + 1..].iter_mut().take_while(|old| !old.starts_with('['));
        let mut found = inside.filter(|old| old.split(" = ").next() == Some(key));
        let old = found.next().unwrap_or_else(|| panic!("no line of {key}"));
        assert_ne!(*old, line, "the page changes nothing");
        *old = line;
    }
    std::fs::write(config, text.join("\n") + "\n").expect("written");
}

#[test]
fn from_the_first_page_to_a_network_of_ones_own() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    // What `make run` leaves behind, only smaller.
    let lab = Lab::new("wangqi")
        .set("run.folder=runs/wangqi-smoke")
        .set("run.generations=3")
        .set("selfplay.plies_per_generation=60");
    lab.succeed("run", &[]);
    for folder in ["rules", "configs"] {
        std::os::unix::fs::symlink(root.join(folder), lab.path().join(folder)).expect("a link");
    }
    let (mut listed, mut ran, mut printed) = (0, 0, String::new());
    for page in PAGES {
        let text = std::fs::read_to_string(root.join(page)).expect(page);
        for (kind, lines) in blocks(&text) {
            if kind == "toml" {
                edit(&lab.path().join("mine.toml"), &lines);
            }
            let marked = match kind {
                "sh" => true,
                "console" => false,
                _ => continue,
            };
            for line in lines {
                let command = line.split("  #").next().unwrap_or_default().trim_end();
                if marked && ["make ", "alias ", "pip install "].iter().any(|start| command.starts_with(start)) {
                    continue;
                }
                let short = SHORTENED.iter().find(|(long, _)| *long == command).map(|(_, short)| *short);
                let left_out = LEFT_OUT.iter().any(|(left, _)| *left == command);
                listed += usize::from(short.is_some() || left_out);
                assert!(marked || short.is_some() || left_out, "{page}: neither run nor left out: {command}");
                if !left_out {
                    printed += &run(lab.path(), short.unwrap_or(command));
                    ran += 1;
                }
            }
        }
    }
    assert_eq!(listed, SHORTENED.len() + LEFT_OUT.len(), "a command of the lists is in no page");
    assert!(ran > 20, "only {ran} commands");
    for file in PROMISED {
        assert!(lab.path().join(file).exists(), "{file} was not made");
    }
    // A game was played to its end, and the page has openings to look at.
    assert!(printed.contains("The opponent wins: resign."), "no game ended:\n{printed}");
    let page = std::fs::read_to_string(lab.path().join("runs/mine/report.html")).expect("the page");
    assert!(page.contains("id=\"explorer-data\""), "the page of the own run has no explorer");
}
