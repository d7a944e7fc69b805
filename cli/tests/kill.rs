//! A run may be ended at any moment, by anything, and the same command resumes it: nothing that was finished is lost, no
//! half file is in sight, and its final state is that of an undisturbed run.

use crate::lab::state::{State, entry, temporaries};
use crate::lab::{Lab, ended, signal, wait_until};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::Value;
use std::os::unix::process::ExitStatusExt;
use std::process::Child;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Kills that must have hit a run at work.
const MOMENTS: u32 = 20;

/// An undisturbed run: its final state, and how long it took.
fn undisturbed() -> (State, Duration) {
    let lab = Lab::new("wangqi");
    let begin = Instant::now();
    lab.succeed("run", &[]);
    (lab.state(), begin.elapsed())
}

/// The final state of every run that is resumed until its end.
static FINAL_STATE: LazyLock<State> = LazyLock::new(|| undisturbed().0);

/// A number from 0 to 1.
fn share(rng: &mut ChaCha8Rng) -> f64 {
    f64::from(rng.next_u32()) / f64::from(u32::MAX)
}

/// Kills a run after `delay`; tells whether it was still at work.
fn kill_after(mut child: Child, delay: Duration) -> bool {
    std::thread::sleep(delay);
    let at_work = child.try_wait().expect("a child").is_none();
    child.kill().expect("killed");
    let status = child.wait().expect("waited for");
    assert!(!at_work || status.signal() == Some(9) || status.success(), "{status}");
    at_work && !status.success()
}

/// Runs the rest and compares the final state.
fn finish(lab: &Lab, reference: &State) {
    lab.succeed("run", &[]);
    lab.state().assert_same(reference);
    assert!(temporaries(lab.path()).is_empty(), "{:?} are left", temporaries(lab.path()));
}

#[test]
fn kill_at_twenty_random_moments() {
    let (reference, whole) = undisturbed();
    let stages = reference.stages.len();
    let each = whole.div_f64(stages as f64);
    let mut rng = ChaCha8Rng::seed_from_u64(20);
    let (mut hits, mut misses) = (0, 0);
    while hits < MOMENTS {
        // Every stage is hit in turn, so the moments are spread over the run on a machine of any speed: at a random moment
        // after the stages before it are finished.
        let finished = hits as usize * stages / MOMENTS as usize;
        let delay = if hits == 0 { Duration::ZERO } else { each.mul_f64(share(&mut rng)) };
        let lab = Lab::new("wangqi");
        let child = lab.start(&[]);
        wait_until(&format!("{finished} stages are finished"), || lab.lines("events.jsonl") >= finished);
        if !kill_after(child, delay) {
            misses += 1;
            assert!(misses < 40, "{misses} runs ended before they could be killed");
            continue;
        }
        hits += 1;
        let state = lab.state();
        assert!(state.stages.len() >= finished, "{} of {finished} stages are kept", state.stages.len());
        lab.succeed("run", &[]);
        let end = lab.state();
        state.assert_kept_in(&end);
        end.assert_same(&reference);
        assert!(temporaries(lab.path()).is_empty(), "{:?} are left", temporaries(lab.path()));
    }
}

#[test]
fn one_run_killed_again_and_again() {
    let (reference, whole) = undisturbed();
    let lab = Lab::new("wangqi");
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let mut before = State::default();
    for _ in 0..8 {
        if !kill_after(lab.start(&[]), whole.mul_f64(0.15 + 0.35 * share(&mut rng))) {
            break;
        }
        let state = lab.state();
        before.assert_kept_in(&state);
        before = state;
    }
    finish(&lab, &reference);
}

/// Sends a signal and waits; returns the exit code, what was said and how long it took.
fn ask_to_stop(child: Child, name: &str) -> (Option<i32>, String, Duration) {
    let begin = Instant::now();
    signal(&child, name);
    let (code, said) = ended(child);
    (code, said, begin.elapsed())
}

#[test]
fn a_signal_stops_cleanly_and_the_same_command_goes_on() {
    let reference = &*FINAL_STATE;
    // In self-play, with games in the journal; before training; before the match; and in the next generation.
    let journal = "data/journal/variant=wangqi/gen=0001.jsonl";
    for (name, file, lines) in
        [("INT", journal, 1), ("TERM", "events.jsonl", 1), ("INT", "events.jsonl", 2), ("TERM", "events.jsonl", 3)]
    {
        let lab = Lab::new("wangqi");
        let child = lab.start(&[]);
        wait_until(&format!("{file} has {lines} lines"), || lab.lines(file) >= lines);
        let (code, said, _) = ask_to_stop(child, name);
        assert_eq!(code, Some(75), "{name} at {file}: {said}");
        assert!(said.contains("all finished games are kept in run; resume with the same command"), "{said}");
        let state = lab.state();
        assert!(state.stages.len() < reference.stages.len(), "there is something left to do");
        assert!(temporaries(lab.path()).is_empty(), "a clean stop leaves no temporary file");
        lab.succeed("run", &[]);
        state.assert_kept_in(&lab.state());
        lab.state().assert_same(reference);
    }
}

#[test]
fn a_signal_in_a_training_step_stops_it_and_it_is_done_again_from_its_beginning() {
    // Steps enough to be met between two of them.
    let lab = || Lab::new("wangqi").set("run.generations=1").set("run.uses=50").set("training.report_every=1");
    let undisturbed = lab();
    undisturbed.succeed("run", &[]);
    let reports = undisturbed.lines("metrics.jsonl");
    let lab = lab();
    let child = lab.start(&[]);
    wait_until("a step is reported", || lab.lines("metrics.jsonl") > 0);
    let (code, said, _) = ask_to_stop(child, "TERM");
    assert_eq!((code, lab.lines("events.jsonl")), (Some(75), 1), "self-play alone is finished: {said}");
    let made = lab.lines("metrics.jsonl");
    assert!(0 < made && made < reports, "{made} of {reports} reports");
    assert!(!lab.file("nets/gen-0001.safetensors").exists() && temporaries(lab.path()).is_empty());
    lab.succeed("run", &[]);
    lab.state().assert_same(&undisturbed.state());
}

/// The terminal goes away. Whatever the tests were started by, one run has SIGHUP as usual and one ignores it, as under
/// `nohup`.
#[test]
fn a_lost_terminal_stops_a_run_cleanly_and_one_under_nohup_not_at_all() {
    let reference = &*FINAL_STATE;
    let as_usual = &["env", "--default-signal=HUP"][..];
    let ignored = &["sh", "-c", "trap '' HUP; exec \"$@\"", "sh"][..];
    for (words, expected) in [(as_usual, Some(75)), (ignored, Some(0))] {
        let lab = Lab::new("wangqi");
        let child = lab.start_by(words);
        wait_until("a game is finished", || lab.lines("data/journal/variant=wangqi/gen=0001.jsonl") > 0);
        let (code, said, _) = ask_to_stop(child, "HUP");
        assert_eq!(code, expected, "{words:?}: {said}");
        let state = lab.state();
        assert!(temporaries(lab.path()).is_empty());
        if expected == Some(75) {
            assert!(said.contains("all finished games are kept in run; resume with the same command"), "{said}");
            assert!(state.stages.len() < reference.stages.len(), "there is something left to do");
            lab.succeed("run", &[]);
            state.assert_kept_in(&lab.state());
        }
        lab.state().assert_same(reference);
    }
}

/// Slot and moves of the games in the slots' file.
fn in_flight(lab: &Lab) -> Vec<(u64, Vec<u64>)> {
    let text = std::fs::read_to_string(lab.file("slots.json")).expect("the slots' file");
    // The first line says how many follow.
    let entries = text.lines().skip(1).map(|line| entry(serde_json::from_str(line).expect("JSON")));
    let slots = entries.map(|entry| entry["slot"].clone()).filter(|slot| !slot["game"].is_null());
    let moves = |slot: &Value| -> Vec<u64> {
        slot["game"]["moves"].as_array().expect("moves").iter().filter_map(Value::as_u64).collect()
    };
    slots.map(|slot| (slot["slot"].as_u64().expect("a number"), moves(&slot))).collect()
}

/// Games in flight at a stop are saved with their moves and continued: nothing of them is searched again, except for the
/// search that was in progress.
#[test]
fn games_in_flight_are_continued() {
    // Long enough to be stopped in the middle.
    let lab = || Lab::new("wangqi").set("run.generations=1").set("selfplay.plies_per_generation=600");
    let undisturbed = lab();
    undisturbed.succeed("run", &[]);
    let lab = lab();
    let child = lab.start(&[]);
    wait_until("a game is finished", || lab.lines("data/journal/variant=wangqi/gen=0001.jsonl") > 0);
    let (code, said, _) = ask_to_stop(child, "TERM");
    assert_eq!((code, lab.lines("events.jsonl")), (Some(75), 0), "{said}");
    let unfinished = in_flight(&lab);
    assert!(unfinished.iter().any(|(_, moves)| moves.len() > 5), "nothing was in flight: {unfinished:?}");
    lab.succeed("run", &[]);
    lab.state().assert_same(&undisturbed.state());
    let (games, open) = (lab.state().games, in_flight(&lab));
    for (slot, moves) in &unfinished {
        let finished = games.values().any(|game| {
            let played = game["moves"].as_array().into_iter().flatten().filter_map(Value::as_u64);
            game["worker"] == format!("w0/{slot}") && played.take(moves.len()).eq(moves.iter().copied())
        });
        let goes_on = open.iter().any(|(other, longer)| other == slot && longer.starts_with(moves));
        assert!(finished || goes_on, "the game of slot {slot} is not gone on with");
    }
    let searched = |lab: &Lab| {
        let events = std::fs::read_to_string(lab.file("events.jsonl")).expect("events");
        let first: Value = serde_json::from_str(events.lines().next().expect("a line")).expect("JSON");
        entry(first)["searched"].as_u64().expect("a count")
    };
    assert!(searched(&lab) < searched(&undisturbed), "all positions were searched after the stop");
}

/// The folder of a run is moved away while it works, in self-play, before training, before the match, and in the next
/// generation: the run ends and says so, nothing is begun in the old place, and with the folder back the run resumes.
#[test]
fn a_vanished_folder_ends_the_run_and_brought_back_it_goes_on() {
    let reference = &*FINAL_STATE;
    let journal = "data/journal/variant=wangqi/gen=0001.jsonl";
    for (file, lines) in [(journal, 1), ("events.jsonl", 1), ("events.jsonl", 2), ("events.jsonl", 3)] {
        let lab = Lab::new("wangqi");
        let (run, elsewhere) = (lab.file(""), lab.path().join("elsewhere"));
        let child = lab.start(&[]);
        wait_until(&format!("{file} has {lines} lines"), || lab.lines(file) >= lines);
        std::fs::rename(&run, &elsewhere).expect("moved");
        let (code, said) = ended(child);
        assert_eq!(code, Some(74), "at {file}: {said}");
        let reason = said.contains("bring it back") || said.contains("No such file");
        assert!(said.contains("run") && reason, "at {file}: {said}");
        assert_eq!(said.matches("error: ").count(), 1, "one message: {said}");
        assert!(!run.exists(), "half a run was begun in the old place, at {file}: {said}");
        std::fs::rename(&elsewhere, &run).expect("moved back");
        let state = lab.state();
        lab.succeed("run", &[]);
        state.assert_kept_in(&lab.state());
        lab.state().assert_same(reference);
        assert!(temporaries(lab.path()).is_empty(), "{:?} are left", temporaries(lab.path()));
    }
}

#[test]
fn a_second_signal_stops_at_once() {
    // A network so large that the batch in progress takes a while: a clean stop waits for it.
    let lab = Lab::new("wangqi")
        .set("network.blocks=12")
        .set("network.channels=128")
        .set("selfplay.slots=64")
        .set("evaluator.batch=64")
        .set("selfplay.plies_per_generation=1000");
    for _ in 0..5 {
        let child = lab.start(&[]);
        wait_until("it plays", || lab.lines("plan.jsonl") == 1);
        std::thread::sleep(Duration::from_millis(600));
        signal(&child, "INT");
        std::thread::sleep(Duration::from_millis(30));
        let (code, said, took) = ask_to_stop(child, "INT");
        lab.state();
        if code == Some(130) {
            assert!(took < Duration::from_secs(2), "{took:?}");
            return;
        }
        // The batch was ready before the second signal came.
        assert_eq!(code, Some(75), "{said}");
    }
    panic!("five times a clean stop took less than 30 milliseconds");
}

#[test]
fn a_budget_is_kept_and_used() {
    let lab = Lab::new("wangqi").set("run.round_seconds=5");
    let begin = Instant::now();
    lab.succeed("run", &["--budget", "15s"]);
    let took = begin.elapsed().as_secs_f64();
    // Far wider than what the planner is tested for by itself: this machine has other things to do too.
    assert!((6.0..40.0).contains(&took), "{took} s");
    let state = lab.state();
    assert!(state.plans.len() >= 2, "{:?}", state.plans);
    let last = state.plans.last().expect("a plan");
    assert_eq!((last["last"].as_bool(), last["progress_to"].as_f64()), (Some(true), Some(1.0)));
    assert!(state.plans[1]["plies_per_slot"].as_u64() > state.plans[0]["plies_per_slot"].as_u64(), "{:?}", state.plans);
    assert_eq!(state.networks.len(), state.plans.len() + 1);
    // The budget is spent: the same command has nothing left to do.
    let events = lab.lines("events.jsonl");
    lab.succeed("run", &["--budget", "15s"]);
    assert_eq!(lab.lines("events.jsonl"), events);
}
