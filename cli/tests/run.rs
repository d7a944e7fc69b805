//! The whole loop through the program, in a folder of its own.

mod kirin;
mod lab;

use lab::{Lab, wait_until};
use rules::VariantId;
use serde_json::Value;

/// Kinds of the finished stages of a run: `selfplay 1`, `train 1`, `match 1-0`.
fn stages(lab: &Lab) -> Vec<String> {
    let name = |stage: &Value| match stage["stage"].as_str() {
        Some("match") => format!("match {}-{}", stage["network"], stage["opponent"]),
        kind => format!("{} {}", kind.unwrap_or_default(), stage["generation"]),
    };
    lab.state().stages.iter().map(name).collect()
}

fn whole_loop(id: VariantId) {
    let lab = Lab::new(id.id());
    let out = lab.succeed("run", &[]);
    for heading in ["Elo of each network", "Time of each stage", "Openings", "Parquet files", "report: run/report.html"]
    {
        assert!(out.contains(heading), "no {heading:?} in\n{out}");
    }
    let first = lab.state();
    assert_eq!(stages(&lab), ["selfplay 1", "train 1", "match 1-0", "selfplay 2", "train 2", "match 2-1", "match 2-0"]);
    assert_eq!(first.shards.len(), 4, "games and positions of two generations");
    assert_eq!(first.networks.len(), 3);
    assert_eq!(first.plans.len(), 2);
    assert_eq!(first.matches.len(), 2 * (2 + 2 + 3), "pairs of games");
    let ids: Vec<&String> = first.networks.values().collect();
    assert!(ids[0] != ids[1] && ids[1] != ids[2], "training changes the network");
    for game in first.games.values() {
        assert_eq!(game.variant, id.id());
        assert_eq!(game.moves.len(), game.moves_text.split_whitespace().count());
        assert!((1..=2).contains(&game.generation) && !game.positions.is_empty());
        // The network that was newest when the game ended.
        let newest = ids[game.generation as usize - 1];
        assert!(game.net_first == *newest && game.net_second == *newest, "{} by {}", game.game_id, game.net_first);
    }
    let searched = |stage: &Value| stage["positions"].as_u64().unwrap_or(0);
    let positions: u64 = first.stages.iter().map(searched).sum();
    assert_eq!(positions, first.games.values().map(|game| game.positions.len() as u64).sum::<u64>());

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
    assert_eq!(stages(&lab)[7..], ["selfplay 3", "train 3", "match 3-2", "match 3-0"]);
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
    let lab = Lab::new("wangqi").set("run.generations=1");
    lab.succeed("run", &[]);
    let report = kirin::kirin_in(lab.path(), &["report", "run", "--json"]);
    assert_eq!(report.code, Some(0), "{}", report.err);
    let report: Value = serde_json::from_str(&report.out).expect("JSON");
    assert_eq!(report["stages"].as_array().map(Vec::len), Some(1));
    assert_eq!(report["ratings"].as_array().map(Vec::len), Some(2));
    assert_eq!(report["files"][0]["games"].as_u64(), Some(lab.state().games.len() as u64));

    // What was played becomes a book, and the book a match.
    for format in ["moves", "epd"] {
        let book =
            ["openings", "run", "--depth", "1", "--min-games", "1", "--book", "book.txt", "--book-format", format];
        let written = kirin::kirin_in(lab.path(), &book);
        assert!(written.code == Some(0) && written.out.contains(" openings of 1 plies"), "{}", written.err);
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
    // The match that is due belongs to neither: whichever comes next plays it.
    assert!(lab.refused(78, "train", &[]).contains("generation 2 waits for `kirin selfplay`"));
    assert_eq!(stages(&lab), ["selfplay 1", "train 1", "match 1-0"]);
    lab.succeed("selfplay", &[]);
    lab.succeed("train", &[]);
    lab.succeed("run", &[]);
    for command in ["selfplay", "train"] {
        let message = lab.refused(78, command, &[]);
        assert!(message.contains("the run in run is complete; raise run.generations"), "{message}");
    }
    lab.state().assert_same(&whole.state());
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
    lab.succeed("run", &["--set", "evaluation.final_pairs=4", "--set", "run.threads=2"]);
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
        assert!(message.contains("another kirin is working in run"), "{message}");
    }
    assert!(first.try_wait().expect("a child").is_none(), "the first goes on");
    first.kill().expect("killed");
    first.wait().expect("waited for");
    // The lock died with it.
    assert!(lab.refused(78, "train", &[]).contains("waits for `kirin selfplay`"));
    lab.state();
}
