//! A run whose network has more blocks in its second half.

use crate::tiny::{self, finish, open, problems, stages};
use lab::{Config, Ended, RunFolder, Task};
use std::fs;
use train::NetworkFile;

/// Four generations, with one block in two of them and then two blocks.
fn config() -> Config {
    let mut config = tiny::config();
    (config.run.generations, config.evaluation.pairs, config.evaluation.final_pairs) = (4, 0, 0);
    (config.network.blocks, config.training.first_blocks) = (2, 1);
    config
}

/// Performs tasks until `end` is next.
fn until(config: &Config, folder: &RunFolder, end: (u32, Task)) {
    let mut run = open(config, folder, None).expect("a run");
    while let Some((plan, task)) = run.next_task().expect("a plan")
        && (plan.generation, task) != end
    {
        assert!(matches!(run.perform(&plan, task).expect("a stage"), Ended::Done(_)));
    }
}

fn network(folder: &RunFolder, generation: u32) -> NetworkFile {
    NetworkFile::read(&folder.network(generation)).expect("a network")
}

#[test]
fn the_network_grows_at_half_time_and_the_run_resumes_around_it() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = |name: &str| RunFolder::new(temporary.path().join(name).join("run"));
    let (whole, killed, branched) = (folder("whole"), folder("killed"), folder("branched"));
    let expected = ["selfplay 1", "train 1", "selfplay 2", "train 2", "selfplay 3", "train 3", "selfplay 4", "train 4"];
    assert_eq!(finish(&config(), &whole, None), expected);
    let blocks = |generation| network(&whole, generation).blueprint().config.blocks;
    assert_eq!([0, 1, 2, 3, 4].map(blocks), [1, 1, 1, 2, 2]);
    assert_eq!(problems(&whole), [""; 0]);

    // A run that is opened again before the training in which the network grows. Then the state after that training is lost,
    // and is made again.
    until(&config(), &killed, (3, Task::Training));
    assert_eq!(problems(&killed), [""; 0]);
    until(&config(), &killed, (4, Task::Training));
    assert_eq!(problems(&killed), [""; 0], "states of both sizes");
    fs::write(killed.checkpoint(3), b"nothing").expect("damaged");
    assert_eq!(finish(&config(), &killed, None)[7..], ["repaired 3", "train 4"]);
    for generation in [3, 4] {
        assert_eq!(network(&killed, generation).id(), network(&whole, generation).id(), "network {generation}");
    }

    // A run that begins from a young network grows at its own half time.
    let young = folder("young");
    until(&config(), &young, (2, Task::Selfplay));
    assert_eq!(finish(&config(), &branched, Some(&young)), expected);
    assert_eq!(network(&branched, 0).id(), network(&whole, 1).id());
    assert_eq!([2, 3].map(|generation| network(&branched, generation).blueprint().config.blocks), [1, 2]);
    // One that begins from a grown network keeps its blocks.
    let late = folder("late");
    assert_eq!(finish(&config(), &late, Some(&whole)), expected);
    assert_eq!([0, 1, 4].map(|generation| network(&late, generation).blueprint().config.blocks), [2, 2, 2]);
    assert_eq!(stages(&late).len(), expected.len());
}

#[test]
fn a_network_cannot_shrink() {
    let config = Config { training: train::TrainConfig { first_blocks: 3, ..config().training }, ..config() };
    let mut complaints = settings::Complaints::default();
    config.check(&mut complaints);
    assert_eq!(complaints.to_string(), "training.first_blocks: 3 is more than network.blocks (2)");
}
