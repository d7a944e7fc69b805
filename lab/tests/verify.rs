//! Checking a run: a finished run has no findings, and any damage is reported with its file.

use crate::tiny;
use crate::tiny::damage::{Made, flip};
use data::verify::Findings;
use data::{LineLog, LogEntry};
use lab::events::{Event, Stage};
use lab::verify::{games_in, verify, verify_network};
use lab::{Plan, RunFolder};
use std::fs;
use std::path::Path;
use std::sync::Mutex;

fn found(folder: &RunFolder) -> Findings {
    verify(folder, &|_| ())
}

/// Changes the entries of a log and keeps its checksums correct.
fn rewrite<T: LogEntry>(path: &Path, change: impl FnOnce(&mut Vec<T>)) {
    let mut entries = LineLog::<T>::read(path).expect("a log").entries;
    change(&mut entries);
    LineLog::replace(path, &entries).expect("written");
}

/// The findings in a copy of the run after this change: the file, by its name in the run, and the text.
fn after(made: &Made, damage: impl FnOnce(&RunFolder)) -> Vec<String> {
    let (_copied, run) = made.again();
    damage(&run);
    let inside = |path: &Path| path.strip_prefix(run.root()).unwrap_or(path).display().to_string();
    found(&run).problems.iter().map(|problem| format!("{}: {}", inside(&problem.file), problem.what)).collect()
}

fn played(events: &mut [Event]) -> &mut lab::events::Match {
    let played = events.iter_mut().rev().find_map(|event| match &mut event.stage {
        Stage::Match(played) => played.opponent.network().is_some().then_some(played),
        _ => None,
    });
    played.expect("a match of two networks")
}

#[test]
fn a_finished_run_is_clean_and_each_damage_is_named() {
    let made = Made::new();
    let (_copied, run) = made.again();
    let told = Mutex::new(0);
    let clean = verify(&run, &|games| *told.lock().expect("a lock") += games);
    assert_eq!(clean.problems, []);
    assert_eq!(clean.leftovers, []);
    assert!(clean.networks >= 5, "three networks and two training states: {clean:?}");
    assert!(clean.games > 0 && clean.positions > 0);
    assert_eq!((*told.lock().expect("a lock"), games_in(&run)), (clean.games, clean.games));
    assert_eq!(verify_network(&run.network(1)).problems, []);

    type Damage = fn(&RunFolder);
    let cases: [(Damage, &str, &str); 18] = [
        (|run| fs::remove_file(run.config()).expect("removed"), "config.toml", "it is missing"),
        (
            |run| {
                let text = fs::read_to_string(run.config()).expect("a text");
                fs::write(run.config(), text.replace("plies_per_generation = 24\n", "")).expect("written");
            },
            "config.toml",
            "it does not have the settings whose digest is in run.json",
        ),
        (|run| fs::remove_file(run.about()).expect("removed"), "run.json", "it is missing"),
        (|run| fs::write(run.about(), "{").expect("written"), "run.json", "is damaged"),
        (|run| flip(&run.events()), "events.jsonl", "line "),
        (|run| flip(&run.plan()), "plan.jsonl", "line "),
        (|run| flip(&run.slots()), "slots.json", "is not a file of slots"),
        (|run| flip(&run.network(1)), "nets/gen-0001.safetensors", ""),
        (|run| fs::remove_file(run.network(2)).expect("removed"), "nets/gen-0002.safetensors", "No such file"),
        (
            |run| {
                fs::copy(run.network(1), run.network(2)).expect("a copy");
            },
            "nets/gen-0002.safetensors",
            ", and events.jsonl says ",
        ),
        (|run| flip(&run.checkpoint(2)), "checkpoints/gen-0002.safetensors", ""),
        (|run| fs::remove_file(run.checkpoint(2)).expect("removed"), "checkpoints/gen-0002", "No such file"),
        (
            |run| flip(&run.data().join("games/variant=wangqi/gen=0001/w0.parquet")),
            "data/games",
            "it has changed since",
        ),
        (
            |run| rewrite::<Event>(&run.events(), |events| played(events).wins += 1),
            "matches/gen-0002-vs-gen-0001.jsonl",
            "and events.jsonl says ",
        ),
        (
            |run| rewrite::<Event>(&run.events(), |events| events.push(events[0].clone())),
            "events.jsonl",
            "self-play of generation 1 is finished twice",
        ),
        (
            |run| rewrite::<Plan>(&run.plan(), |plans| plans[1].generation = 3),
            "plan.jsonl",
            "plan 2 is that of generation 3",
        ),
        (
            |run| rewrite::<Plan>(&run.plan(), |plans| plans[0].progress_from = 0.9),
            "plan.jsonl",
            "generation 2 begins before the one before it has",
        ),
        (
            |run| {
                rewrite::<Event>(&run.events(), |events| {
                    if let Stage::Selfplay(figures) = &mut events[0].stage {
                        figures.games += 1;
                    }
                });
            },
            "data/manifest.jsonl",
            "and events.jsonl says ",
        ),
    ];
    for (number, (damage, file, text)) in cases.into_iter().enumerate() {
        let problems = after(&made, damage);
        let named = problems.iter().any(|problem| problem.starts_with(file) && problem.contains(text));
        assert!(named, "case {number}, {file}: {text:?} is not among {problems:#?}");
    }
}

/// The part of the run that is done is smaller once it is longer.
#[test]
fn a_run_that_was_made_longer_is_clean() {
    let made = Made::new();
    let (_copied, folder) = made.again();
    let mut config = tiny::config();
    config.run.generations = 5;
    tiny::finish(&config, &folder, None);
    let plans = LineLog::<Plan>::read(&folder.plan()).expect("a log").entries;
    assert!(plans[2].progress_from < plans[1].progress_from, "{plans:?}");
    assert_eq!(found(&folder).problems, []);
}

/// Intact lines of which one is missing, doubled or moved. Readers report it, and a repair restores the order of the
/// lines.
#[test]
fn lines_of_a_record_that_are_missing_doubled_or_moved_are_named() {
    type Change = fn(&mut Vec<&str>);
    let changes: [(Change, bool); 4] = [
        (
            |lines| {
                lines.remove(0);
            },
            false,
        ),
        (
            |lines| {
                lines.remove(1);
            },
            false,
        ),
        (|lines| lines.insert(1, lines[0]), true),
        (|lines| lines.swap(0, 1), true),
    ];
    let made = Made::new();
    for name in ["events.jsonl", "plan.jsonl", "metrics.jsonl"] {
        for (number, (change, is_mended)) in changes.iter().enumerate() {
            if name != "events.jsonl" && number == 1 {
                continue; // That is the last line, whose absence is another matter.
            }
            let (_copied, run) = made.again();
            let path = run.root().join(name);
            let text = fs::read_to_string(&path).expect("a log");
            let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
            assert!(lines.len() >= 2, "{name}");
            change(&mut lines);
            fs::write(&path, lines.concat()).expect("written");
            let problems: Vec<String> = found(&run).problems.iter().map(ToString::to_string).collect();
            let named = problems.iter().any(|problem| problem.contains(name) && problem.contains("should follow"));
            assert!(named, "{name}, change {number}: {problems:#?}");
            if name == "events.jsonl" {
                let error = lab::watch::RunState::read(&run).expect_err("a damaged record").to_string();
                assert!(error.contains(name) && error.contains("should follow"), "{error}");
            }
            if *is_mended {
                lab::repair::repair(&run).expect("a repair");
                assert_eq!(tiny::problems(&run), [] as [String; 0], "{name}, change {number}");
                let entries = |text: &str| {
                    text.lines()
                        .map(|line| line[line.find("\",\"").expect("a key") + 2..].to_owned())
                        .collect::<Vec<_>>()
                };
                assert_eq!(entries(&fs::read_to_string(&path).expect("a log")), entries(&text), "{name}");
            }
        }
    }
}

/// A run of two generations from which the last lines of a log, or all lines, were removed. A state that a kill could
/// leave is no finding.
#[test]
fn stages_that_other_files_show_are_missed_in_the_record() {
    let made = Made::new();
    let (_kept, whole) = made.again();
    let reference = tiny::end(&whole);
    let mut config = tiny::config();
    config.run.generations = 2;
    let lines = |name: &str| fs::read_to_string(whole.root().join(name)).expect("a log").lines().count();
    let selfplays: Vec<usize> =
        (0..lines("events.jsonl")).filter(|&at| matches!(tiny::events(&whole)[at].stage, Stage::Selfplay(_))).collect();
    for (name, count) in ["events.jsonl", "plan.jsonl", "metrics.jsonl"].map(|name| (name, lines(name))) {
        for kept in std::iter::once(None).chain((0..count).map(Some)) {
            let case = format!("{name}, of {count} lines {kept:?} are kept");
            let (_copied, run) = made.again();
            let path = run.root().join(name);
            match kept {
                None => fs::remove_file(&path).expect("removed"),
                Some(kept) => {
                    let text = fs::read_to_string(&path).expect("a log");
                    let text: String = text.split_inclusive('\n').take(kept).collect();
                    fs::write(&path, text).expect("written");
                }
            }
            let problems = tiny::problems(&run);
            let named = problems.iter().any(|problem| problem.contains(name) && problem.contains("it "));
            match name {
                // A kill may come between the last network and its record.
                "events.jsonl" if kept.is_some_and(|kept| kept > selfplays[1]) => {
                    assert_eq!(problems, [] as [String; 0], "{case}");
                    tiny::finish(&config, &run, None);
                    assert_eq!(tiny::end(&run), reference, "{case}");
                }
                "metrics.jsonl" => {
                    let read = train::MetricsEntry::read(&path).expect("entries");
                    assert_eq!(named, read.iter().all(|entry| entry.generation < 2), "{case}: {problems:#?}");
                    lab::repair::repair(&run).expect("a repair");
                    assert_eq!(tiny::problems(&run), [] as [String; 0], "{case}");
                }
                _ => {
                    assert!(named, "{case}: {problems:#?}");
                    let state = lab::watch::RunState::read(&run).expect_err("a short record").to_string();
                    let opened = tiny::open(&config, &run, None).map(drop).expect_err("a short record").to_string();
                    for error in [state, opened] {
                        assert!(error.contains(name) && error.contains("from a copy"), "{case}: {error}");
                    }
                }
            }
        }
    }
}

/// Unfinished games are in a file of their own. Without it a longer run would have other games.
#[test]
fn a_run_whose_unfinished_games_are_gone_is_not_lengthened() {
    let made = Made::new();
    let (_copied, run) = made.again();
    fs::remove_file(run.slots()).expect("removed");
    let problems = tiny::problems(&run);
    assert!(
        problems.len() == 1 && problems[0].contains("slots.json") && problems[0].contains("--repair"),
        "{problems:?}"
    );
    let mut config = tiny::config();
    config.run.generations = 3;
    let mut longer = tiny::open(&config, &run, None).expect("a run");
    let (plan, task) = longer.next_task().expect("a plan").expect("a task");
    let error = longer.perform(&plan, task).expect_err("games are gone").to_string();
    assert!(error.contains(&run.slots().display().to_string()) && error.contains("--repair"), "{error}");
    drop(longer);
    lab::repair::repair(&run).expect("a repair");
    assert_eq!(tiny::problems(&run), [] as [String; 0]);
    tiny::finish(&config, &run, None);
    assert_eq!(tiny::problems(&run), [] as [String; 0]);
}

/// The lists that a trainer keeps of the shards it has taken.
#[test]
fn lists_of_gathered_shards_are_checked_and_what_was_left_out_is_told() {
    let made = Made::new();
    let (_copied, run) = made.again();
    let lists = run.root().join("gathered");
    fs::create_dir(&lists).expect("a folder");
    let taken =
        serde_json::json!({ "worker": 3, "sequence": 17, "blake3": "", "games": 0, "doubles": 0, "fault": "torn" });
    let list = serde_json::json!({ "shards": [taken], "next": { "3": 18 } });
    let text = data::checked_json::to_text(&list).expect("a text");
    let path = lists.join("gen-0001.json");
    fs::write(&path, &text).expect("written");
    let findings = found(&run);
    assert_eq!(findings.problems, []);
    let told = findings
        .leftovers
        .iter()
        .any(|told| told.file == path && told.what == "shard 17 of worker 3 was left out: torn");
    assert!(told, "{:#?}", findings.leftovers);
    fs::write(&path, text.replace("18", "19")).expect("written");
    let problems = found(&run).problems;
    assert!(problems.len() == 1 && problems[0].file == path, "{problems:#?}");
}

/// A log with correct checksums and wrong results: one digit of Elo.
#[test]
fn results_of_matches_are_those_of_their_moves() {
    let made = Made::new();
    let problems = after(&made, |run| {
        let log = run.match_log(2, 1);
        let text = fs::read_to_string(&log).expect("a log");
        let lines = text.lines().enumerate().map(|(at, line)| {
            // As earlier programs wrote it, without a checksum.
            let key = r#""match":"#;
            let bare = &line[line.find(key).expect("a line with a checksum") + key.len()..line.len() - 1];
            let result = ["\"result\":0", "\"result\":1", "\"result\":-1"].into_iter().find(|text| bare.contains(text));
            match result {
                Some(result) if at == 1 => {
                    let other = if result.ends_with(":0") { "\"result\":1" } else { "\"result\":0" };
                    bare.replacen(&format!("{result},"), &format!("{other},"), 1)
                }
                _ => bare.to_owned(),
            }
        });
        let text: String = lines.map(|line| line + "\n").collect();
        fs::write(&log, text).expect("written");
    });
    assert!(problems[0].starts_with("matches/gen-0002-vs-gen-0001.jsonl: line 2: pair 1, "), "{problems:#?}");
    assert!(problems.iter().any(|problem| problem.contains("and events.jsonl says ")), "{problems:#?}");
}

/// A run that a very old program left in the middle.
#[test]
fn a_run_of_an_earlier_version_has_nothing_wrong_but_what_it_lacks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/run-of-41d492c");
    let problems = found(&RunFolder::new(folder)).problems;
    // The fixture was made without its training states.
    let others: Vec<_> =
        problems.iter().filter(|problem| !problem.file.to_string_lossy().contains("checkpoints")).collect();
    assert!(others.is_empty(), "{others:#?}");
}
