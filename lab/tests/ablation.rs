//! Runs that differ in one setting take turns and resume where they stopped.

use crate::tiny;
use lab::{Ablation, ConfigSource, Ended, Host, LabError, Silent, Vary, arms};
use rules::Wangqi;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long another run's turn takes: longer than everything between two stages of a tiny run.
const WAIT: Duration = Duration::from_secs(3);

fn host(stop: &Arc<AtomicBool>) -> Host {
    Host { version: "0", revision: "0", observer: Arc::new(Silent), stop: Arc::clone(stop) }
}

fn vary(texts: &[&str]) -> Vec<Vary> {
    texts.iter().map(|text| text.parse().expect("KEY=A,B")).collect()
}

fn config_file(folder: &Path) -> ConfigSource {
    let file = folder.join("tiny.toml");
    std::fs::write(&file, tiny::config().to_toml().expect("TOML")).expect("a file");
    ConfigSource::File(file)
}

#[test]
fn every_combination_is_an_arm_with_every_seed() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = config_file(folder.path());
    let found = arms(&source, &[], &vary(&["search.visits=3,4", "training.data.mirror=0.5,0.0"]), 2, folder.path());
    let found = found.expect("arms");
    let titles: Vec<String> = found.iter().map(lab::Arm::title).collect();
    assert_eq!(titles.len(), 8);
    assert_eq!(titles[..3], ["visits=3 mirror=0.5 seed=1", "visits=3 mirror=0.5 seed=2", "visits=3 mirror=0.0 seed=1"]);
    assert!(found.iter().all(|arm| arm.config.evaluation.pairs == 0 && arm.config.evaluation.final_pairs == 0));
    assert_eq!((found[7].config.search.visits, found[7].config.run.seed), (4, 2));
    let error = arms(&source, &[], &vary(&["search.vists=3,4"]), 1, folder.path()).expect_err("a typo");
    assert!(
        matches!(error, LabError::Config { .. }) && error.to_string().contains("did you mean search.visits?"),
        "{error}"
    );
}

#[test]
fn runs_take_turns_and_go_on_where_they_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = config_file(folder.path());
    let overrides = ["run.generations=2".to_owned()];
    let all = arms(&source, &overrides, &vary(&["search.visits=3,4"]), 1, folder.path()).expect("arms");
    let stop = Arc::new(AtomicBool::new(false));

    let mut ablation = Ablation::<Wangqi>::open(&all, |_| host(&stop)).expect("runs");
    let mut turns = Vec::new();
    for _ in 0..2 {
        std::thread::sleep(WAIT);
        let (number, ended) = ablation.advance().expect("a generation").expect("work");
        assert!(matches!(ended, Ended::Done(_)));
        turns.push(number);
    }
    turns.sort_unstable();
    assert_eq!(turns, [0, 1], "one generation of each");
    stop.store(true, Ordering::Relaxed);
    assert!(matches!(ablation.advance().expect("no error"), Some((_, Ended::Stopped))));
    drop(ablation);

    stop.store(false, Ordering::Relaxed);
    let mut ablation = Ablation::<Wangqi>::open(&all, |_| host(&stop)).expect("the same runs");
    let mut left = 0;
    while let Some((_, ended)) = ablation.advance().expect("a generation") {
        assert!(matches!(ended, Ended::Done(_)));
        left += 1;
        std::thread::sleep(WAIT);
    }
    assert_eq!(left, 2, "the second generation of each");
    for run in ablation.runs() {
        assert_eq!(run.newest_network(), 2);
        let events = lab::events::read(&run.folder().events()).expect("the record");
        let between = events.iter().map(|event| event.seconds_before).fold(0.0, f64::max);
        assert!(between < WAIT.as_secs_f64(), "the turns of others are no time of the run: {between}");
        assert!(run.seconds() > 0.0 && std::fs::read_dir(run.folder().matches()).expect("a folder").next().is_none());
    }
}
