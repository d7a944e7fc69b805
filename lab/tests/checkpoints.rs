//! A run loses no training: after any interruption or damage it gets the same weights, or reports that it cannot.

use crate::tiny::{self, copy, damage};
use lab::events::{Repaired, Stage};
use lab::{Config, Ended, Host, LabError, Meter, Notice, Observer, Run, RunFolder, Status, Task};
use rules::Wangqi;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A damage: its name, the expected message, and how it is done.
type Damage<'a> = (&'a str, &'a str, &'a dyn Fn(&RunFolder));

/// Three generations without matches.
fn config() -> Config {
    let mut config = tiny::config();
    (config.run.generations, config.evaluation.pairs, config.evaluation.final_pairs) = (3, 0, 0);
    config.run.uses = 4.0;
    config
}

/// The last network and the training state after it, as bytes.
fn outcome(folder: &RunFolder) -> [Vec<u8>; 2] {
    [folder.network(3), folder.checkpoint(3)].map(|path| std::fs::read(path).expect("a file"))
}

/// A run that was stopped before its last training, and the result of that training undisturbed.
struct Made {
    temporary: tempfile::TempDir,
    before: RunFolder,
    expected: [Vec<u8>; 2],
}

impl Made {
    fn new() -> Made {
        let temporary = tempfile::tempdir().expect("a folder");
        let before = RunFolder::new(temporary.path().join("before/run"));
        let mut run = tiny::open(&config(), &before, None).expect("a run");
        while let Some((plan, task)) = run.next_task().expect("a plan") {
            if (plan.generation, task) == (3, Task::Training) {
                break;
            }
            assert!(matches!(run.perform(&plan, task).expect("a stage"), Ended::Done(_)));
        }
        drop(run);
        let whole = RunFolder::new(temporary.path().join("whole/run"));
        copy(before.root(), whole.root());
        let stages = tiny::finish(&config(), &whole, None);
        assert_eq!(stages, ["selfplay 1", "train 1", "selfplay 2", "train 2", "selfplay 3", "train 3"]);
        let expected = outcome(&whole);
        Made { temporary, before, expected }
    }

    /// The run before its last training, with some damage.
    fn damaged(&self, name: &str, damage: impl FnOnce(&RunFolder)) -> RunFolder {
        let folder = RunFolder::new(self.temporary.path().join(name).join("run"));
        copy(self.before.root(), folder.root());
        damage(&folder);
        folder
    }
}

/// Keeps the reports of damaged checkpoints, and copies the run's folder at some steps of training, as a kill would
/// leave it.
struct Witness {
    damaged: Mutex<Vec<String>>,
    folder: PathBuf,
    copies: PathBuf,
    at: Vec<u64>,
}

impl Witness {
    fn of(folder: &RunFolder, copies: PathBuf, at: Vec<u64>) -> Arc<Witness> {
        Arc::new(Witness { damaged: Mutex::default(), folder: folder.root().to_owned(), copies, at })
    }

    fn host(self: &Arc<Witness>) -> Host {
        Host { version: "test", revision: "test", observer: self.clone(), stop: Arc::default() }
    }
}

impl Observer for Witness {
    fn notice(&self, notice: &Notice<'_>) {
        if let Notice::CheckpointDamaged { network, problem } = notice {
            let mut damaged = self.damaged.lock().unwrap_or_else(PoisonError::into_inner);
            damaged.push(format!("{network}: {problem}"));
        }
    }

    fn begin(&self, _: u32, task: Task, _: u64) -> Box<dyn Meter> {
        let at = if task == Task::Training { self.at.clone() } else { Vec::new() };
        Box::new(Camera { folder: self.folder.clone(), copies: self.copies.clone(), at })
    }
}

struct Camera {
    folder: PathBuf,
    copies: PathBuf,
    at: Vec<u64>,
}

impl Meter for Camera {
    fn update(&self, done: u64, _: &Status<'_>) {
        if self.at.contains(&done) {
            copy(&self.folder, &self.copies.join(done.to_string()).join("run"));
        }
    }
}

fn train_on(folder: &RunFolder, witness: &Arc<Witness>) -> Result<(), LabError> {
    let mut run = Run::<Wangqi>::open(&config(), folder.clone(), None, witness.host())?;
    while let Some((plan, task)) = run.next_task()? {
        assert!(matches!(run.perform(&plan, task)?, Ended::Done(_)));
    }
    Ok(())
}

fn repairs(folder: &RunFolder) -> Vec<Repaired> {
    let stages = tiny::events(folder).into_iter().map(|event| event.stage);
    stages.filter_map(|stage| if let Stage::Repaired(repaired) = stage { Some(repaired) } else { None }).collect()
}

/// A damaged file is never used: the checkpoint before it is used instead, with a report, and the weights are the same.
#[test]
fn a_damaged_checkpoint_is_made_again_from_the_one_before() {
    let made = Made::new();
    let flipped = |folder: &RunFolder| damage::flip(&folder.checkpoint(2));
    let shortened = |folder: &RunFolder| {
        let file = std::fs::File::options().write(true).open(folder.checkpoint(2)).expect("a file");
        file.set_len(1000).expect("shortened");
    };
    let removed = |folder: &RunFolder| std::fs::remove_file(folder.checkpoint(2)).expect("removed");
    let damages: [Damage<'_>; 3] = [
        ("flipped", "digest", &flipped),
        ("shortened", "damaged or not a kirin file", &shortened),
        ("removed", "cannot read", &removed),
    ];
    for (name, said, damage) in damages {
        let folder = made.damaged(name, damage);
        let witness = Witness::of(&folder, PathBuf::new(), Vec::new());
        train_on(&folder, &witness).expect("trained");
        assert!(outcome(&folder) == made.expected, "{name}: the weights are others");
        let told = witness.damaged.lock().unwrap_or_else(PoisonError::into_inner).clone();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("2: ") && told[0].contains(said), "{told:?}");
        let repairs = repairs(&folder);
        assert_eq!((repairs[0].network, repairs[0].from, repairs[0].same), (2, 1, true), "{repairs:?}");
        assert!(repairs.len() == 1 && repairs[0].steps > 0 && repairs[0].reason.contains(said), "{repairs:?}");
    }
}

#[test]
fn without_any_whole_checkpoint_the_run_stops_and_says_what_to_do() {
    let made = Made::new();
    let folder = made.damaged("both", |folder| {
        for network in [1, 2] {
            std::fs::write(folder.checkpoint(network), "nothing").expect("written");
        }
    });
    let witness = Witness::of(&folder, PathBuf::new(), Vec::new());
    let error = train_on(&folder, &witness).expect_err("no checkpoint").to_string();
    assert!(error.contains("networks 2 and 1 are both damaged") && error.contains("--from"), "{error}");
    assert!(error.contains("gen-0002.safetensors"), "{error}");
    assert!(!folder.network(3).exists() && repairs(&folder).is_empty());
}

/// The folder at the first step, in the middle, at the last step, after the checkpoint, and after the network.
#[test]
fn kills_at_any_point_of_a_training_give_the_same_weights() {
    let made = Made::new();
    let folder = made.damaged("filmed", |_| {});
    let copies = made.temporary.path().join("copies");
    let steps = tiny_steps(&made);
    assert!(steps > 8, "{steps} steps are too few to cut off");
    let witness = Witness::of(&folder, copies.clone(), vec![1, steps / 2, steps]);
    train_on(&folder, &witness).expect("trained");
    let mut cut: Vec<PathBuf> = [1, steps / 2, steps].map(|at| copies.join(at.to_string()).join("run")).into();

    let events = std::fs::read_to_string(folder.events()).expect("events");
    let without_last: String = events.lines().take(5).map(|line| format!("{line}\n")).collect();
    for (name, has_network) in [("checkpointed", false), ("written", true)] {
        let at = copies.join(name).join("run");
        copy(folder.root(), &at);
        let at = RunFolder::new(at);
        std::fs::write(at.events(), &without_last).expect("written");
        copy(&made.before.root().join("checkpoints"), &at.root().join("checkpoints"));
        if !has_network {
            std::fs::remove_file(at.network(3)).expect("removed");
        }
        cut.push(at.root().to_owned());
    }
    for path in cut {
        let folder = RunFolder::new(path);
        let events = tiny::events(&folder).len();
        assert_eq!(events, 5, "{}: the training is not over", folder.root().display());
        tiny::finish(&config(), &folder, None);
        assert!(outcome(&folder) == made.expected, "{}: the weights are others", folder.root().display());
        assert!(repairs(&folder).is_empty(), "nothing was damaged");
    }
}

/// Steps of the last training.
fn tiny_steps(made: &Made) -> u64 {
    let whole = RunFolder::new(made.temporary.path().join("whole/run"));
    let last = tiny::events(&whole).pop().expect("an event");
    let Stage::Train(train) = last.stage else { panic!("not a training: {last:?}") };
    train.steps
}

/// A cause that makes training diverge.
type Spoil = fn(&mut Config);

/// Loss, gradient and weights diverge, each separately: in the last case loss and gradient are finite to the end,
/// because the only step is the one that spoils the weights.
#[test]
fn a_training_that_leaves_all_reason_stops_before_anything_is_written() {
    let wild: [(&str, Spoil); 3] = [
        ("the loss became", |config| config.training.loss.value = 1e300),
        ("the norm of the gradient became", |config| config.training.loss.value = 1e6),
        ("has a value that is not finite", |config| {
            (config.training.batch, config.training.optimiser.learning_rate) = (1024, 1e42);
        }),
    ];
    for (said, spoil) in wild {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = RunFolder::new(temporary.path().join("run"));
        let mut wild = config();
        spoil(&mut wild);
        let mut run = tiny::open(&wild, &folder, None).expect("a run");
        let (plan, task) = run.next_task().expect("a plan").expect("a task");
        assert!(matches!(run.perform(&plan, task).expect("games"), Ended::Done(_)));
        let (plan, task) = run.next_task().expect("a plan").expect("a task");
        let error = run.perform(&plan, task).expect_err("no training").to_string();
        assert!(error.contains("generation 1 was stopped at step") && error.contains(said), "{said}: {error}");
        assert!(error.contains("training.optimiser.learning_rate"), "{error}");
        assert!(!folder.network(1).exists() && !folder.checkpoint(1).exists(), "{said}");
        assert_eq!(train::MetricsEntry::read(&folder.metrics()).expect("metrics"), [], "{said}: nor in the metrics");
        assert_eq!(tiny::stages(&folder), ["selfplay 1"], "{said}");
    }
}
