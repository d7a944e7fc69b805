//! The exit codes that docs/reference/exit-codes.md lists, each provoked.

use crate::damage::overflow;
use crate::kirin::{command, kirin_in};
use crate::lab::{Lab, wait_until};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use train::{Blueprint, NetworkConfig};

/// The codes of the table in docs/reference/exit-codes.md. That a panic has one of them is tested where it is contained
/// (`cli/src/panics.rs`): no command is known to panic.
fn documented() -> BTreeSet<i32> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/exit-codes.md");
    let page = std::fs::read_to_string(page).expect("exit-codes.md");
    let rows = page.lines().skip_while(|line| !line.starts_with("| exit code |")).skip(2);
    rows.map_while(|line| line.strip_prefix("| ")?.split(' ').next()?.parse().ok()).collect()
}

/// A network that says NaN of every position.
fn network_that_overflows(path: &Path) {
    let size = NetworkConfig { blocks: 1, channels: 8, se_hidden: 4, ..NetworkConfig::default() };
    train::untrained(Blueprint::of::<rules::Wangqi>(size), 1).expect("a network").write(path).expect("written");
    overflow(path);
}

/// Sends signals to a run at work; its exit code.
fn after_signals(signals: &[&str]) -> Option<i32> {
    let lab = Lab::new("wangqi").set("selfplay.plies_per_generation=20000");
    let mut child = lab.start(&[]);
    wait_until("it plays", || lab.lines("plan.jsonl") == 1);
    for signal in signals {
        let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
        assert!(sent.expect("kill").success());
    }
    child.wait().expect("waited for").code()
}

#[test]
fn every_documented_exit_code_can_be_provoked_and_there_is_no_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let start = "lnsiksnl/1r4b1/pppppppp/8/8/PPPPPPPP/1B4R1/LNSIKSNL[] w - - 0 1";
    std::fs::write(path.join("wrong.perft"), format!("{start} ;D1 24\n")).expect("written");
    network_that_overflows(&path.join("overflow.safetensors"));
    let provoked = [
        (0, "perft --variant wangqi --depth 1"),
        (1, "perft --variant wangqi --suite wrong.perft"),
        (2, ""),
        (2, "nonsense"),
        (2, "perft --variant wangqi"),
        (2, "perft --variant wangki --depth 1"),
        (2, "bench net --variant wangqi --net 1x16 --seconds nan"),
        (70, "analyse --net overflow.safetensors --visits 10"),
        (74, "perft --variant wangqi --suite nowhere.perft"),
        (74, "openings nowhere"),
        (74, "report nowhere"),
        (74, "play --net nowhere"),
        (74, "analyse --net nowhere"),
        (74, "show --variant wangqi --batch nowhere"),
        (74, "run nowhere.toml"),
        (78, "show --variant wangqi --ruleset nonsense"),
        (78, "analyse"),
        (78, "verify --repair s3://bucket/run"),
        (78, "play --net ."),
        (78, "bench net --net 4x64"),
        (78, "bench net --net nowhere"),
    ];
    for (code, words) in provoked {
        let ran = kirin_in(path, &words.split_whitespace().collect::<Vec<_>>());
        assert_eq!(ran.code, Some(code), "kirin {words}\n{}{}", ran.out, ran.err);
        let paths = ["nowhere", "wrong.perft"].into_iter().filter(|path| words.contains(path));
        for path in paths {
            assert!((ran.out.clone() + &ran.err).contains(path), "kirin {words} does not name {path}: {}", ran.err);
        }
    }
    let made: Vec<_> =
        std::fs::read_dir(path).expect("a folder").map(|entry| entry.expect("a file").file_name()).collect();
    assert_eq!(made.len(), 2, "these commands have left something behind: {made:?}");
    let mut codes: BTreeSet<i32> = provoked.iter().map(|(code, _)| *code).collect();
    // The third is a parent that forwards what its program has got already.
    for signals in [&["INT"][..], &["TERM"], &["INT", "TERM", "TERM"]] {
        assert_eq!(after_signals(signals), Some(75), "{signals:?}");
    }
    // Of 130, a_second_signal_stops_at_once (tests/kill.rs).
    codes.extend([75, 130]);
    assert_eq!(codes, documented());
}

#[test]
fn nothing_is_made_outside_of_what_is_named() {
    // Games whose openings are chosen, for a book.
    let lab = Lab::new("wangqi")
        .set("run.generations=1")
        .set("selfplay.stagger_plies=0")
        .set("selfplay.opening_share=0")
        .set("selfplay.plies_per_generation=60");
    lab.succeed("run", &[]);
    let book = ["openings", "run", "--depth", "1", "--book", "nowhere/book.txt"];
    let ran = kirin_in(lab.path(), &book);
    assert_eq!(ran.code, Some(74), "{}", ran.err);
    assert!(ran.err.contains("nowhere/book.txt") && !lab.path().join("nowhere").exists(), "{}", ran.err);
}

/// A name of an output may lead to anything. Here each kind lies in a temporary folder, so that a program which gets it wrong
/// harms nothing.
#[test]
fn an_output_is_what_its_name_leads_to() {
    let lab = Lab::new("wangqi")
        .set("run.generations=1")
        .set("selfplay.stagger_plies=0")
        .set("selfplay.opening_share=0")
        .set("selfplay.plies_per_generation=60");
    lab.succeed("run", &[]);
    let path = lab.path();
    let played = "eval match --variant wangqi random greedy --pairs 1 --max-plies 12 --log cup.jsonl";
    assert_eq!(kirin_in(path, &played.split(' ').collect::<Vec<_>>()).code, Some(0));
    assert!(Command::new("mkfifo").arg(path.join("pipe")).status().expect("mkfifo").success());
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, path.join(name)).expect("a link");
    link("/proc/self/fd/1", "stdout");
    for (number, words) in [
        "data export run --to csv --out",
        "data export run --to pgn --out",
        "eval export cup.jsonl --to parquet --out",
        "eval export cup.jsonl --to csv --out",
        "openings run --depth 1 --book",
        "report run --metrics",
    ]
    .into_iter()
    .enumerate()
    {
        let ran = |out: &str| {
            let words: Vec<&str> = words.split(' ').chain([out]).collect();
            let output = command(path, &words).output().expect("kirin");
            (output.status.code(), output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
        };
        let plain = format!("plain-{number}");
        let (code, _, err) = ran(&plain);
        assert_eq!(code, Some(0), "{words}: {err}");
        let written = std::fs::read(path.join(&plain)).expect("written");
        assert!(!written.is_empty());
        for standard in ["-", "stdout"] {
            let (code, out, err) = ran(standard);
            assert_eq!(code, Some(0), "{words} {standard}: {err}");
            assert_eq!(out, written, "{words} {standard}: the result alone");
            assert!(!err.is_empty(), "{words} {standard}: what is told goes elsewhere");
        }
        assert!(!path.join("-").exists() && path.join("stdout").is_symlink());

        let reader = std::thread::spawn({
            let pipe = path.join("pipe");
            move || std::fs::read(pipe).expect("read")
        });
        let (code, _, err) = ran("pipe");
        let kind = std::fs::symlink_metadata(path.join("pipe")).expect("it is there").file_type();
        assert!(std::os::unix::fs::FileTypeExt::is_fifo(&kind), "{words}: the pipe is one still");
        assert_eq!(code, Some(0), "{words}: {err}");
        assert!(reader.join().expect("no panic") == written, "{words}");

        let (new, name) = (format!("new-{number}"), format!("link-{number}"));
        link(&new, &name);
        assert_eq!(ran(&name).0, Some(0));
        assert!(path.join(&name).is_symlink(), "{words}");
        assert_eq!(std::fs::read(path.join(&new)).expect("written"), written, "{words}");

        let (code, _, err) = ran("run");
        assert_eq!((code, err.contains("a folder")), (Some(78), true), "{words}: {err}");
        for own in [
            "run/run.json",
            "run/config.toml",
            "run/events.jsonl",
            "run/data/manifest.jsonl",
            "run/data/games/../manifest.jsonl",
            "cup.jsonl",
        ] {
            let before = std::fs::read(path.join(own)).expect("it is there");
            let (code, _, err) = ran(own);
            assert_eq!(code, Some(78), "{words} {own}: {err}");
            assert!(err.contains(own), "{words} {own}: {err}");
            assert!(std::fs::read(path.join(own)).expect("it is there") == before, "{words} {own} was changed");
        }
    }
    for words in [
        "eval match --variant wangqi random greedy --pairs 1 --max-plies 12 --log -",
        "eval match --variant wangqi random greedy --pairs 1 --max-plies 12 --log pipe",
        "eval match --variant wangqi random greedy --pairs 1 --max-plies 12 --log run/matches/x.jsonl",
        "eval tournament --variant wangqi random greedy --pairs 1 --max-plies 12 --folder run/data",
        "data features run --out run/nets/x",
        "report run --tensorboard run/checkpoints",
        "data import cup.jsonl --variant wangqi --to run/matches",
        "data import cup.jsonl --variant wangqi --to plain-0/games",
        "report run --out - --metrics stdout",
        "data export run --variant janggi --to csv --out plain-0",
    ] {
        let ran = kirin_in(path, &words.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, Some(78), "{words}: {}{}", ran.out, ran.err);
    }
    assert!(std::fs::metadata(path.join("plain-0")).expect("it is there").len() > 0, "it is not replaced");
    let metrics = command(path, &["report", "run", "--out", "/dev/null", "--metrics", "-"]).output().expect("kirin");
    assert_eq!((metrics.status.code(), &metrics.stdout[..4]), (Some(0), &b"PAR1"[..]), "two streams are not one");
    lab.succeed("run", &[]);
    assert_eq!(kirin_in(path, &["verify", "run"]).code, Some(0));
}

#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let mut show = command(Path::new("."), &["perft", "--variant", "koshogi", "--depth", "1"]);
    let mut child =
        show.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().expect("kirin");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}
