//! The whole loop through the program, in a folder of its own.

use crate::kirin;
use crate::lab::{self, Lab, wait_until};
use rules::VariantId;
use serde_json::Value;
use std::collections::BTreeSet;

/// Kinds of the finished stages of a run: `selfplay 1`, `train 1`, `match 2-1`. Matches with fixed players are left out: which
/// of them a network meets follows from results.
fn stages(lab: &Lab) -> Vec<String> {
    let name = |stage: &Value| match stage["stage"].as_str() {
        Some("match") => format!("match {}-{}", stage["network"], stage["opponent"]),
        kind => format!("{} {}", kind.unwrap_or_default(), stage["generation"]),
    };
    let with_fixed_player = |stage: &&Value| stage["opponent"].is_string();
    lab.state().stages.iter().filter(|stage| !with_fixed_player(stage)).map(name).collect()
}

#[test]
fn commands_take_a_finished_run_as_it_is() {
    let lab = Lab::new("wangqi");
    lab.succeed("run", &[]);
    let on_run = |words: &[&str]| kirin::kirin_in(lab.path(), words);
    let head = on_run(&["data", "head", "run", "--table", "positions", "--rows", "2"]).out;
    let sql = "select * exclude (folder, variant) from positions limit 2";
    assert_eq!(head, on_run(&["query", "run", sql, "--to", "jsonl"]).out);
    assert!(head.lines().count() == 2 && head.contains("\"root_win\""), "{head}");

    let same = on_run(&["report", "run", "--out", "same.out", "--metrics", "same.out"]);
    assert!(same.code == Some(78) && same.err.contains("are both to be same.out"), "{}", same.err);
    let inside =
        on_run(&["bench", "openings", "--variant", "wangqi", "--games", "5", "--turns", "1", "--folder", "run"]);
    assert!(inside.code == Some(78) && inside.err.contains("run is the folder of a run"), "{}", inside.err);
    assert!(!lab.path().join("same.out").exists() && !lab.path().join("run/manifest.jsonl").exists());
    // The settings of a run can be varied.
    let alone = on_run(&["ablate", "run", "--vary", "search.visits=2", "--seeds", "1", "--folder", "a"]);
    assert!(alone.code == Some(78) && alone.err.contains("one run alone"), "{}", alone.err);

    // Not every generation makes a network, and one may have been moved aside.
    std::fs::remove_file(lab.path().join("run/nets/gen-0001.safetensors")).expect("removed");
    let ladder = on_run(&["eval", "tournament", "--ladder", "run", "--pairs", "1", "--folder", "cup"]);
    assert!(ladder.code == Some(0) && ladder.out.contains("gen-0002"), "{}{}", ladder.out, ladder.err);
}

fn whole_loop(id: VariantId) {
    let lab = Lab::new(id.id());
    let out = lab.succeed("run", &[]);
    for heading in ["Elo of each network", "Time of each stage", "Openings", "Parquet files", "report: run/report.html"]
    {
        assert!(out.contains(heading), "no {heading:?} in\n{out}");
    }
    let shares = out.lines().find(|line| line.trim_start().starts_with("share ")).expect("shares of the stages");
    assert_eq!(shares.matches('%').count(), 4, "{shares}");
    let first = lab.state();
    assert_eq!(stages(&lab), ["selfplay 1", "train 1", "selfplay 2", "train 2", "match 2-1"]);
    assert_eq!(first.shards.len(), 4, "games and positions of two generations");
    assert_eq!(first.networks.len(), 3);
    assert_eq!(first.plans.len(), 2);
    let logs: BTreeSet<&String> = first.matches.keys().map(|(log, _)| log).collect();
    assert!(logs.iter().any(|log| log.contains("gen-0001-vs-greedy")), "{logs:?}");
    // Which fixed player the next network meets follows from the first one's results.
    let is_fixed = |log: &&&String| ["greedy", "random", "level-", "mcts"].iter().any(|player| log.contains(player));
    assert!(logs.iter().filter(is_fixed).any(|log| log.contains("gen-0002-vs-")), "{logs:?}");
    let table = kirin::kirin(&["eval", "table", lab.path().join("run").to_str().expect("a path"), "--json"]);
    let table: Value = serde_json::from_str(&table.out).expect("JSON");
    let rows = table["ratings"]["rows"].as_array().expect("rows");
    assert_eq!(
        rows.iter().filter(|row| row["over_next"].is_null()).count(),
        1,
        "all but the last are compared: {rows:?}"
    );
    assert_eq!(rows.len(), table["players"].as_array().map_or(0, Vec::len), "all players are connected: {table}");
    let ids: Vec<&String> = first.networks.values().collect();
    assert!(ids[0] != ids[1] && ids[1] != ids[2], "training changes the network");
    let positions_of = |game: &Value| game["positions"].as_array().map_or(0, |positions| positions.len() as u64);
    for game in first.games.values() {
        assert_eq!(game["variant"], id.id());
        let (moves, text) = (game["moves"].as_array().expect("moves"), game["moves_text"].as_str().expect("a text"));
        assert_eq!(moves.len(), text.split_whitespace().count());
        let generation = game["generation"].as_u64().expect("a generation");
        assert!((1..=2).contains(&generation) && positions_of(game) > 0);
        // The network that was newest when the game ended.
        let newest = ids[generation as usize - 1];
        assert!(game["net_first"] == **newest && game["net_second"] == **newest, "{game}");
    }
    let searched = |stage: &Value| stage["positions"].as_u64().unwrap_or(0);
    let positions: u64 = first.stages.iter().map(searched).sum();
    assert_eq!(positions, first.games.values().map(positions_of).sum::<u64>());

    let page = std::fs::read_to_string(lab.file("report.html")).expect("a report");
    assert!(page.contains("<svg") && page.contains("Policy loss"), "plots");
    assert!(!page.contains("NaN") && !page.contains("inf%"), "every figure is a number");

    let events = std::fs::read(lab.file("events.jsonl")).expect("events");
    lab.succeed("run", &[]);
    assert_eq!(std::fs::read(lab.file("events.jsonl")).expect("events"), events, "nothing was left to do");
    lab.state().assert_same(&first);

    lab.succeed("run", &["--set", "run.generations=3"]);
    let third = lab.state();
    first.assert_kept_in(&third);
    let stages = stages(&lab);
    assert_eq!(stages[5..8], ["selfplay 3", "train 3", "match 3-2"]);
    assert!(stages[8..].iter().all(|stage| stage.starts_with("match ")), "then the strongest one before: {stages:?}");
    assert_eq!(lab::state::temporaries(lab.path()), Vec::<std::path::PathBuf>::new());
}

#[test]
fn every_variant_runs_the_whole_loop_and_goes_on() {
    for &id in VariantId::ALL {
        whole_loop(id);
    }
}

#[test]
fn the_json_of_report_and_openings_is_read_from_a_run() {
    // Games that begin with random moves are no openings, so this run has others: every slot plays one to the limit.
    let lab = Lab::new("wangqi").set("run.generations=1").set("selfplay.plies_per_generation=30");
    let lab = lab.set("selfplay.stagger_plies=0").set("selfplay.opening_share=0");
    lab.succeed("run", &[]);
    let report = kirin::kirin_in(lab.path(), &["report", "run", "--json"]);
    assert_eq!(report.code, Some(0), "{}", report.err);
    let report: Value = serde_json::from_str(&report.out).expect("JSON");
    assert_eq!(report["stages"].as_array().map(Vec::len), Some(1));
    assert_eq!(report["ratings"].as_array().map(Vec::len), Some(1));
    assert_eq!(report["files"][0]["games"].as_u64(), Some(lab.state().games.len() as u64));

    // What was played becomes a book, and the book a match.
    for format in ["moves", "epd"] {
        let book =
            ["openings", "run", "--depth", "1", "--min-games", "1", "--book", "book.txt", "--book-format", format];
        let written = kirin::kirin_in(lab.path(), &book);
        assert!(written.code == Some(0) && written.out.contains(" of 1 ply: book.txt"), "{}", written.err);
        let log = format!("{format}.jsonl");
        let game = ["eval", "match", "greedy", "random", "--variant", "wangqi", "--pairs", "1", "--log", &log];
        let played = kirin::kirin_in(lab.path(), &[&game[..], &["--openings", "book:book.txt"]].concat());
        assert_eq!(played.code, Some(0), "{}", played.err);
    }
}

#[test]
fn stages_can_be_made_one_by_one_and_say_whose_turn_it_is() {
    let whole = Lab::new("wangqi");
    whole.succeed("run", &[]);
    let lab = Lab::new("wangqi");
    assert!(lab.refused(78, "train", &[]).contains("generation 1 waits for `kirin selfplay`"));
    lab.succeed("selfplay", &[]);
    assert_eq!(stages(&lab), ["selfplay 1"]);
    assert!(lab.refused(78, "selfplay", &[]).contains("generation 1 waits for `kirin train`"));
    lab.succeed("train", &[]);
    assert_eq!(stages(&lab), ["selfplay 1", "train 1"]);
    // Matches are left to `kirin run`.
    assert!(lab.refused(78, "train", &[]).contains("generation 2 waits for `kirin selfplay`"));
    lab.succeed("selfplay", &[]);
    lab.succeed("train", &[]);
    assert_eq!(stages(&lab), ["selfplay 1", "train 1", "selfplay 2", "train 2"]);
    for command in ["selfplay", "train"] {
        let message = lab.refused(78, command, &[]);
        assert!(message.contains("all generations of the run in run are played and trained"), "{message}");
    }
    lab.succeed("run", &[]);
    assert_eq!(stages(&lab)[4..], ["match 2-1"]);
    // The final state is the same, but for the order of the stages.
    let sorted = |lab: &Lab| {
        let mut state = lab.state();
        state.stages.sort_by_key(Value::to_string);
        state
    };
    sorted(&lab).assert_same(&sorted(&whole));
}

#[test]
fn the_same_seed_gives_the_same_run_on_one_thread_or_two() {
    let one = Lab::new("wangqi");
    one.succeed("run", &[]);
    let one = one.state();
    let again = Lab::new("wangqi");
    again.succeed("run", &[]);
    again.state().assert_same(&one);
    // Threads of self-play and matches. Those of training are 1 in all of these runs (training.threads in
    // tiny.toml): the last bits of the weights may depend on them.
    let two = Lab::new("wangqi").set("run.threads=2");
    two.succeed("run", &[]);
    two.state().assert_same(&one);
    let other = Lab::new("wangqi").set("run.seed=2");
    other.succeed("run", &[]);
    let other = other.state();
    assert!(other.shards.iter().all(|(path, digest)| one.shards.get(path).is_some_and(|ours| ours != digest)));
    assert!(other.networks.iter().all(|(path, id)| one.networks.get(path).is_some_and(|ours| ours != id)));
}

#[test]
fn a_run_goes_on_only_with_its_own_settings() {
    let lab = Lab::new("wangqi").set("run.generations=1");
    lab.succeed("run", &[]);
    let before = lab.state();
    let changed = ["run.seed=9", "search.visits=5", "network.channels=16", "run.generations=2"];
    let arguments: Vec<&str> = changed.iter().flat_map(|setting| ["--set", setting]).collect();
    let message = lab.refused(78, "run", &arguments);
    for line in [
        "run holds a run with other settings",
        "run.seed: 1 in the run, 9 now",
        "search.visits: 4 in the run, 5 now",
        "network.channels: 8 in the run, 16 now",
    ] {
        assert!(message.contains(line), "no {line:?} in {message}");
    }
    assert!(!message.contains("generations"), "that one may change: {message}");
    lab.state().assert_same(&before);
    // Matches may be made longer; what was played of them stays.
    lab.succeed("run", &["--set", "evaluation.pairs=3", "--set", "run.threads=2"]);
    let after = lab.state();
    before.assert_kept_in(&after);
    assert_eq!(after.matches.len(), before.matches.len() + 2);
    // And another variant is another run.
    let message = lab.refused(78, "run", &["--set", "run.variant=xiangqi"]);
    assert!(message.contains("run.variant"), "{message}");
}

#[test]
fn two_programs_do_not_work_in_one_folder() {
    let lab = Lab::new("wangqi").set("selfplay.plies_per_generation=20000").set("run.generations=1");
    let mut first = lab.start(&[]);
    wait_until("the first has begun to play", || lab.lines("plan.jsonl") == 1);
    for command in ["run", "selfplay", "train"] {
        let message = lab.refused(78, command, &[]);
        let holder = format!("another kirin is working in run (process {}", first.id());
        assert!(message.contains(&holder), "{message}");
    }
    assert!(first.try_wait().expect("a child").is_none(), "the first goes on");
    first.kill().expect("killed");
    first.wait().expect("waited for");
    // The lock died with it.
    assert!(lab.refused(78, "train", &[]).contains("waits for `kirin selfplay`"));
    lab.state();
}

#[test]
fn a_run_folder_or_a_variant_stands_for_a_config() {
    let lab = Lab::new("wangqi").set("run.generations=1");
    lab.succeed("run", &[]);
    let before = lab.state();
    let kirin = |arguments: &[&str]| kirin::kirin_in(lab.path(), arguments);
    let over = kirin(&["run", "run"]);
    assert_eq!(over.code, Some(0), "{}", over.err);
    assert!(over.out.contains("nothing is left to do"), "{}", over.out);
    let more = kirin(&["run", "run", "--set", "run.generations=2"]);
    assert_eq!(more.code, Some(0), "{}", more.err);
    before.assert_kept_in(&lab.state());
    assert_eq!(lab.state().networks.len(), 3);
    // Its settings in another folder are another run.
    let other = kirin(&["run", "run", "--set", "run.folder=other", "--set", "run.generations=1"]);
    assert!(other.code == Some(0) && lab.path().join("other/config.toml").exists(), "{}", other.err);

    let refused = kirin(&["run", "."]);
    assert_eq!(refused.code, Some(78), "{}", refused.err);
    assert!(refused.err.contains(". is a folder without a run: it has no config.toml"), "{}", refused.err);
    // The configurations that come with the program are known by name, from any folder; those of a folder go before them.
    let refused = kirin(&["run", "wangqi", "--set", "run.generations=0"]);
    assert_eq!(refused.code, Some(78), "{}", refused.err);
    assert!(refused.err.contains("error: wangqi-smoke: 1 problem\n  run.generations: 0"), "{}", refused.err);
    let refused = kirin(&["run", "wangki"]);
    assert!(
        refused.err.contains("wangki is no file") && refused.err.contains("did you mean wangqi-"),
        "{}",
        refused.err
    );
    let shown = kirin(&["config", "show", "wangqi"]);
    assert_eq!(shown.out, include_str!("../../configs/wangqi-smoke.toml"));
    let listed = kirin(&["config", "list"]).out;
    assert!(listed.contains("\nshogi-night") && listed.contains("王棋, small and quick"), "{listed}");
    let small = lab.path().join("configs/wangqi-smoke.toml");
    std::fs::create_dir(lab.path().join("configs")).expect("a folder");
    std::fs::copy(lab.path().join(lab::CONFIG), &small).expect("a copy");
    let refused = kirin(&["run", "wangqi", "--set", "run.generations=0"]);
    assert!(refused.err.contains("configs/wangqi-smoke.toml: 1 problem\n  run.generations: 0"), "{}", refused.err);
}

#[test]
fn a_run_begins_from_another_one() {
    let lab = Lab::new("wangqi").set("run.generations=1");
    lab.succeed("run", &[]);
    let from = |more: &[&str]| {
        let arguments = lab.arguments("run", &[&["--from", "run", "--set", "run.folder=second"], more].concat());
        kirin::kirin_in(lab.path(), &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let refused = from(&["--set", "network.channels=16"]);
    assert_eq!(refused.code, Some(78), "{}", refused.err);
    assert!(refused.err.contains("network.channels: 8 there, 16 here"), "{}", refused.err);
    assert!(!lab.path().join("second").exists(), "a folder was made for nothing");
    let begun = from(&[]);
    assert_eq!(begun.code, Some(0), "{}", begun.err);
    assert!(begun.out.contains("begun from network 1 of run, with "), "{}", begun.out);
    // The number of visits depends on the ladder.
    assert!(begun.out.contains("Network 1 against the network that comes with Kirin ("), "{}", begun.out);
}

#[test]
fn a_training_without_games_says_so_and_play_goes_on() {
    let lab = Lab::new("wangqi").set("selfplay.slots=2").set("selfplay.plies_per_generation=4");
    let lab = lab.set("selfplay.stagger_plies=0");
    lab.succeed("selfplay", &[]);
    let message = lab.refused(78, "train", &[]);
    assert!(message.contains("generation 1 has nothing to train on: no game has ended yet"), "{message}");
    assert!(message.contains("Play on with `kirin selfplay`"), "{message}");
    assert!(!lab.file("nets/gen-0001.safetensors").exists(), "a network trained on nothing");
    lab.succeed("selfplay", &[]);
    assert_eq!(lab.state().networks.len(), 1);
}

#[test]
fn a_run_that_is_over_goes_on_with_a_budget() {
    let lab = Lab::new("wangqi").set("run.round_seconds=5");
    lab.succeed("run", &[]);
    let before = lab.state();
    lab.succeed("run", &["--budget", "20s"]);
    let after = lab.state();
    before.assert_kept_in(&after);
    assert!(after.plans.len() > before.plans.len(), "{:?}", after.plans);
    assert_eq!(after.plans.last().expect("a plan")["budget_seconds"].as_f64(), Some(20.0));
    // By count again: as many generations as there are, so nothing is left to do.
    lab.succeed("run", &["--set", "run.budget=none"]);
    lab.state().assert_same(&after);
}
