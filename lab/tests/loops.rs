//! How runs go on: those of older programs, those in which no game has ended, and those that are over.

mod tiny;

use lab::{About, Config, RunFolder};
use std::fs;
use std::path::Path;
use tiny::{events, finish, open, stages};

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a copy");
        }
    }
}

/// A run that the program at revision 41d492c began and left after its first self-play. Its logs have no seals.
#[test]
fn a_run_of_an_older_program_goes_on() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(temporary.path().join("run"));
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/run-of-41d492c"), folder.root());
    let before = [folder.plan(), folder.events()].map(|path| fs::read_to_string(path).expect("a log"));
    let about = About::read(&folder).expect("run.json");
    let config = Config::load(&folder.config(), &[]).expect("its own configuration");

    let expected =
        ["selfplay 1", "train 1", "match 1-0", "selfplay 2", "train 2", "match 2-1", "match 2-0"].map(str::to_owned);
    assert_eq!(stages(&folder), expected[..1]);
    assert_eq!(finish(&config, &folder, None), expected);
    let after = [folder.plan(), folder.events()].map(|path| fs::read_to_string(path).expect("a log"));
    assert!(
        before.iter().zip(&after).all(|(before, after)| after.starts_with(before.as_str())),
        "lines of before stay"
    );
    assert!(after.iter().all(|after| after.lines().nth(1).is_some_and(|line| line.starts_with("{\"blake3\":"))));
    assert_eq!(About::read(&folder).expect("run.json"), about);
    assert_eq!(finish(&config, &folder, None), expected, "nothing is left to do");
}

#[test]
fn a_generation_in_which_no_game_ends_makes_no_network() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(temporary.path().join("run"));
    // Two games of 30 plies at most, 10 plies a generation, and a position in every generation to hold out.
    let mut config = tiny::config();
    (config.selfplay.slots, config.selfplay.plies_per_generation, config.selfplay.stagger_plies) = (2, 10, 0);
    (config.selfplay.ending_share, config.selfplay.opening_share) = (0.0, 0.0);
    config.run.generations = 4;
    config.training.data.validation_share = 0.0;
    let expected = [
        "selfplay 1",
        "untrained 1",
        "selfplay 2",
        "untrained 2",
        "selfplay 3",
        "train 3",
        "match 3-0",
        "selfplay 4",
        "train 4",
        "match 4-3",
        "match 4-0",
    ];
    assert_eq!(finish(&config, &folder, None), expected);
    let made = (0..=4).filter(|&generation| folder.network(generation).exists()).collect::<Vec<_>>();
    assert_eq!(made, [0, 3, 4]);
    assert_eq!(finish(&config, &folder, None), expected, "nothing is left to do");
}

#[test]
fn what_may_change_changes_and_the_rest_is_named() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(temporary.path().join("run"));
    let config = tiny::config();
    finish(&config, &folder, None);
    let about = About::read(&folder).expect("run.json").expect("a run");
    let mut changed = config.clone();
    (changed.run.generations, changed.run.threads, changed.selfplay.cache_mb) = (2, 2, 1);
    (changed.training.batch_threads, changed.evaluation.visits) = (1, 3);
    assert_eq!(finish(&changed, &folder, None).len(), 3 + 4);
    assert_eq!(About::read(&folder).expect("run.json").expect("a run"), about, "the digest with it");
    (changed.search.visits, changed.training.batch) = (5, 32);
    let refusal = open(&changed, &folder, None).map(drop).expect_err("another run").to_string();
    assert!(refusal.contains("search.visits: 4 in the run, 5 now"), "{refusal}");
    assert!(refusal.contains("training.batch: 16 in the run, 32 now"), "{refusal}");
    assert_eq!(refusal.matches(" in the run, ").count(), 2, "{refusal}");
}

/// With few games held out, their loss says nothing and is not told.
#[test]
fn figures_of_few_positions_are_not_told() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(temporary.path().join("run"));
    let mut config = tiny::config();
    config.training.data.validation_share = 0.5;
    finish(&config, &folder, None);
    let trained = events(&folder).into_iter().find_map(|event| match event.stage {
        lab::events::Stage::Train(trained) => Some(trained),
        _ => None,
    });
    assert_eq!(trained.expect("a training").validation_policy_loss, None);
    let metrics = fs::read_to_string(folder.metrics()).expect("metrics");
    assert!(metrics.contains("validation"), "there were games held out: {metrics}");
}
