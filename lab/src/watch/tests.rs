use super::*;
use crate::events::{Selfplay, Train};
use crate::progress::Figures;

fn plan(generation: u32, progress: [f64; 2], last: bool) -> Plan {
    Plan {
        generation,
        plies_per_slot: 10,
        rules_games: 0,
        steps: 5,
        progress_from: progress[0],
        progress_to: progress[1],
        last,
        match_pairs: None,
        final_pairs: None,
        budget_seconds: None,
    }
}

fn event(generation: u32, stage: Stage) -> Event {
    Event { at_ms: 1_000_000, generation, seconds: 30.0, seconds_before: 0.0, stage }
}

fn selfplay() -> Stage {
    Stage::Selfplay(Selfplay { games: 20, positions: 400, first_wins: 10, second_wins: 10, ..Selfplay::default() })
}

fn train() -> Stage {
    Stage::Train(Train { policy_loss: 2.0, value_loss: 0.9, trained_value_loss: Some(0.8), ..Train::default() })
}

/// A run of four generations without matches: the first is finished, and self-play of the second is half done.
struct Folder {
    folder: RunFolder,
    config: Config,
    _temporary: tempfile::TempDir,
}

impl Folder {
    fn new() -> Folder {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = RunFolder::new(temporary.path().join("run"));
        std::fs::create_dir_all(folder.root()).expect("a folder");
        let mut config = Config::default();
        config.run.variant = "wangqi".to_owned();
        config.run.generations = 4;
        (config.evaluation.matches, config.evaluation.final_pairs) = (0, 0);
        let it = Folder { folder, config, _temporary: temporary };
        it.configure();
        it.log(&[plan(1, [0.0, 0.25], false), plan(2, [0.25, 0.5], false)], &[event(1, selfplay()), event(1, train())]);
        it
    }

    fn configure(&self) {
        std::fs::write(self.folder.config(), self.config.to_toml().expect("TOML")).expect("written");
    }

    fn log(&self, plans: &[Plan], events: &[Event]) {
        LineLog::replace(&self.folder.plan(), plans).expect("plans");
        LineLog::replace(&self.folder.events(), events).expect("events");
    }

    /// Self-play of generation 2, begun some seconds ago and half done.
    fn in_progress(&self, seconds: i64) {
        let figures = Figures { games: Some(3), ..Figures::default() };
        let (began_at_ms, at_ms) = (now_ms() - 1000 * seconds, now_ms());
        let progress =
            Progress { generation: 2, task: Task::Selfplay, done: 40, total: 80, began_at_ms, at_ms, figures };
        std::fs::write(self.folder.progress(), serde_json::to_string(&progress).expect("JSON")).expect("written");
    }

    fn state(&self) -> RunState {
        RunState::read(&self.folder).expect("a run")
    }
}

#[test]
fn a_run_in_progress_tells_where_it_is_and_when_it_ends() {
    let run = Folder::new();
    run.in_progress(10);
    let lock = run.folder.lock().expect("the lock");
    let state = run.state();
    assert_eq!((state.condition, state.generation, state.generations), (Condition::Running, 2, Some(4)));
    assert_eq!(state.stage.as_ref().map(Progress::share), Some(0.5));
    assert!((state.done - 0.3125).abs() < 1e-9, "a quarter, and a quarter of the next: {}", state.done);
    assert_eq!((state.games, state.positions, state.network), (20, 400, 1));
    let losses = state.losses.expect("losses");
    assert_eq!((losses.policy, losses.value, losses.policy_held_out), (2.0, 0.8, None));
    // 60 s a generation, three to go, 10 s of which have passed.
    let near = |seconds: Option<f64>, expected: f64| seconds.is_some_and(|seconds| (seconds - expected).abs() < 2.0);
    assert!(near(state.seconds_left, 170.0) && near(Some(state.seconds), 70.0), "{state:?}");
    assert_eq!(state.health.iter().map(|newest| newest.figure.name).next(), Some("first_score"));
    drop(lock);

    let mut run = run;
    run.config.run.budget = "5m".to_owned();
    run.configure();
    let lock = run.folder.lock().expect("the lock, though the run was watched");
    let state = run.state();
    assert_eq!((state.generations, state.budget_seconds), (None, Some(300.0)));
    assert!(near(state.seconds_left, 230.0), "{state:?}");
    drop(lock);
}

#[test]
fn an_interrupted_run_is_told_from_one_that_is_over() {
    let run = Folder::new();
    run.in_progress(10);
    let state = run.state();
    assert_eq!((state.condition, state.seconds_left, state.seconds), (Condition::Interrupted, None, 60.0));
    assert_eq!(state.stage.map(|stage| stage.task), Some(Task::Selfplay), "where it was interrupted");

    let plans: Vec<Plan> =
        (1..=4).map(|at| plan(at, [0.25 * f64::from(at - 1), 0.25 * f64::from(at)], at == 4)).collect();
    let mut events: Vec<Event> = (1..=4).flat_map(|at| [event(at, selfplay()), event(at, train())]).collect();
    run.log(&plans, &events);
    assert_eq!(run.state().condition, Condition::Finished);
    assert_eq!(run.state().done, 1.0);

    // Self-play of generation 2 is on record now, so the progress file is outdated.
    events.truncate(3);
    events[2].at_ms = now_ms() + 1000;
    run.log(&plans[..2], &events);
    let state = run.state();
    assert_eq!((state.condition, state.stage, state.done), (Condition::Interrupted, None, 0.375));
}

/// After self-play of a generation, the losses shown and their alarm are still those of the generation before.
#[test]
fn each_figure_is_the_newest_one_whatever_generation_it_is_of() {
    let run = Folder::new();
    let (validation, trained) = (Some(1.0), Some(0.5));
    let overfit = Train { validation_value_loss: validation, trained_value_loss: trained, ..Train::default() };
    let begun = [plan(1, [0.0, 0.25], false), plan(2, [0.25, 0.5], false)];
    run.log(&begun, &[event(1, selfplay()), event(1, Stage::Train(overfit)), event(2, selfplay())]);
    let state = run.state();
    let at = |name: &str| state.health.iter().find(|newest| newest.figure.name == name).expect("a figure");
    assert_eq!((at("value_gap").generation, at("value_gap").figure.is_healthy()), (1, false));
    assert_eq!((at("first_score").generation, at("first_score").figure.is_healthy()), (2, true));
}

/// `Run::open` takes the lock first and writes the configuration last.
#[test]
fn a_run_that_is_being_opened_says_so() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(temporary.path().join("run"));
    let lock = folder.lock().expect("the lock");
    let state = RunState::read(&folder).expect("a state");
    assert_eq!((state.condition, state.generation, state.stage), (Condition::Opening, 0, None));
    drop(lock);
    let error = RunState::read(&folder).expect_err("a folder that holds no run").to_string();
    assert!(error.contains("is not a run folder"), "{error}");
}

#[test]
fn a_run_that_has_not_begun_and_a_folder_that_is_none() {
    let run = Folder::new();
    run.log(&[], &[]);
    let state = run.state();
    assert_eq!((state.condition, state.generation, state.done, state.network), (Condition::Interrupted, 0, 0.0, 0));
    assert!(state.losses.is_none() && state.last_match.is_none() && state.health.is_empty());
    let none = RunFolder::new(run.folder.root().join("nowhere"));
    let error = RunState::read(&none).expect_err("no run").to_string();
    assert!(error.contains("nowhere is not a run folder"), "{error}");
    assert!(!none.root().exists(), "nothing is made");
}
