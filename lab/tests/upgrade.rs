//! Runs that a program of another revision left in the middle of a stage resume with this one.
//!
//! `fixtures/run-of-cefdd92` has three folders that the program of that revision left when it was killed (-9): in
//! self-play with games in its journal, in training after its first metrics, and in a match with games in its log. From
//! these the tests construct what a kill leaves at other points: files of a later stage are removed, and the record
//! ends before the stage.

use crate::tiny::{copy, finish, stages};
use data::{DataStore, Journal};
use lab::verify::verify;
use lab::{Config, Opponent, RunFolder};
use rules::Wangqi;
use std::fs;
use std::path::{Path, PathBuf};
use train::{Blueprint, Trainer};

/// A copy of one of the folders.
fn left_in(stage: &str) -> (tempfile::TempDir, RunFolder, Config) {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(temporary.path().join(stage));
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/run-of-cefdd92");
    copy(&fixtures.join(stage), folder.root());
    let config = Config::load(&folder.config(), &[]).expect("its own configuration");
    (temporary, folder, config)
}

const WHOLE: [&str; 5] = ["selfplay 1", "train 1", "selfplay 2", "train 2", "match 2-1"];

/// Finishes a run, which then has all its stages and no findings.
fn finished(config: &Config, folder: &RunFolder) {
    assert_eq!(finish(config, folder, None), WHOLE);
    let findings = verify(folder, &|_| ());
    assert!(findings.is_clean(), "{findings:?}");
}

#[test]
fn left_in_self_play_it_keeps_the_games_of_the_journal() {
    let (_temporary, folder, config) = left_in("selfplay");
    let path = folder.data().join("journal/variant=wangqi/gen=0001.jsonl");
    // A copy, because opening the log repairs it.
    let aside: PathBuf = folder.root().join("journal-of-before.jsonl");
    fs::copy(&path, &aside).expect("a copy");
    let (_, before) = Journal::<Wangqi>::open(&aside).expect("a journal");
    fs::remove_file(&aside).expect("removed");
    assert!(before.games.len() >= 2);
    finished(&config, &folder);
    let store = DataStore::open_read_only(&folder.data()).expect("data");
    let shards = store.shards("wangqi").expect("shards");
    let games = store.read_shard::<Wangqi>(&shards[0]).expect("games");
    assert!(before.games.iter().all(|game| games.contains(game)), "its games are in the shard as they were");
}

/// Removes the last stage from the record, and the files made after it.
fn without_the_last_stage(folder: &RunFolder, later: &[PathBuf]) {
    let text = fs::read_to_string(folder.events()).expect("a record");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    fs::write(folder.events(), lines[..lines.len() - 1].concat()).expect("written");
    later.iter().for_each(|path| fs::remove_file(path).expect("a file of a later stage"));
}

/// The files of the first shard.
fn first_shard(folder: &RunFolder) -> [Vec<u8>; 2] {
    ["games", "positions"]
        .map(|table| fs::read(folder.data().join(table).join("variant=wangqi/gen=0001/w0.parquet")).expect("a shard"))
}

/// The slots for the next generation are written first, then the line in the manifest, then the journal is removed,
/// then self-play is recorded. The shard names the other revision as its maker, and so it is not written again.
#[test]
fn left_between_the_manifest_and_the_end_of_the_journal_it_keeps_the_shard() {
    let (_temporary, folder, config) = left_in("training");
    let store = DataStore::open_read_only(&folder.data()).expect("data");
    let games = store.read_shard::<Wangqi>(&store.shards("wangqi").expect("shards")[0]).expect("games");
    let journal = folder.data().join("journal/variant=wangqi/gen=0001.jsonl");
    fs::create_dir_all(journal.parent().expect("a folder")).expect("a folder");
    Journal::open(&journal).expect("a journal").0.append_all(&games).expect("written");
    without_the_last_stage(&folder, &[folder.metrics()]);
    assert_eq!(stages(&folder), [] as [&str; 0]);
    let before = first_shard(&folder);
    finished(&config, &folder);
    assert!(!journal.exists());
    assert!(first_shard(&folder) == before, "its shard was written again");
    let shards = store.shards("wangqi").expect("shards");
    assert_eq!(shards.iter().filter(|shard| shard.generation == 1).count(), 1);
}

#[test]
fn left_between_the_end_of_the_journal_and_the_record_it_keeps_the_shard() {
    let (_temporary, folder, config) = left_in("training");
    without_the_last_stage(&folder, &[folder.metrics()]);
    let before = first_shard(&folder);
    finished(&config, &folder);
    assert!(first_shard(&folder) == before, "its shard was written again");
}

/// The checkpoint is written before the network; if the training is not on record, both are made again.
#[test]
fn left_after_the_checkpoint_or_after_the_network_it_trains_again() {
    for has_network in [false, true] {
        let (_temporary, folder, config) = left_in("match");
        let network = (!has_network).then(|| folder.network(1));
        let later: Vec<PathBuf> = network.into_iter().chain([folder.match_log(1, 0)]).collect();
        without_the_last_stage(&folder, &later);
        assert_eq!(stages(&folder), WHOLE[..1]);
        assert_eq!((folder.checkpoint(1).exists(), folder.network(1).exists()), (true, has_network));
        let before = first_shard(&folder);
        finished(&config, &folder);
        assert!(first_shard(&folder) == before);
    }
}

/// The training is recorded last before the match begins its log. The match that is played now is another one, with a
/// fixed player, since an untrained network no longer plays matches.
#[test]
fn left_before_the_first_line_of_a_match_it_plays_it() {
    let (_temporary, folder, config) = left_in("match");
    fs::remove_file(folder.match_log(1, 0)).expect("a log");
    let before = [folder.network(1), folder.checkpoint(1)].map(|path| fs::read(path).expect("a file"));
    let mut generation = config.clone();
    generation.run.generations = 1;
    assert_eq!(finish(&generation, &folder, None), WHOLE[..2]);
    assert!(folder.match_log(1, Opponent::Greedy).exists() && !folder.match_log(1, 0).exists());
    assert!([folder.network(1), folder.checkpoint(1)].map(|path| fs::read(path).expect("a file")) == before);
    finished(&config, &folder);
}

#[test]
fn left_in_training_it_trains_again_from_the_games() {
    let (_temporary, folder, config) = left_in("training");
    assert_eq!(stages(&folder), WHOLE[..1]);
    let games = folder.data().join("games/variant=wangqi/gen=0001/w0.parquet");
    let before = fs::read(&games).expect("a shard");
    finished(&config, &folder);
    assert_eq!(fs::read(&games).expect("a shard"), before);
}

#[test]
fn left_in_a_match_that_is_no_longer_asked_for_it_keeps_the_games() {
    let (_temporary, folder, config) = left_in("match");
    assert_eq!(stages(&folder), WHOLE[..2]);
    let log = folder.match_log(1, 0);
    let before = fs::read_to_string(&log).expect("a log");
    assert!(before.lines().count() >= 2, "a header and a game");
    finished(&config, &folder);
    assert_eq!(fs::read_to_string(&log).expect("a log"), before);
}

/// That revision kept weights, averages and moments in tensors of their own, this one keeps them in long vectors. The
/// file format is the same.
#[test]
fn its_checkpoint_is_read_and_would_be_written_again_byte_for_byte() {
    let (_temporary, folder, config) = left_in("match");
    let blueprint = Blueprint::of::<Wangqi>(config.network.clone());
    let trainer = Trainer::resume(&folder.checkpoint(1), blueprint, config.training.clone()).expect("a checkpoint");
    assert_eq!(trainer.step(), 6);
    let again = folder.root().join("again.safetensors");
    trainer.save(&again).expect("saved");
    assert!(fs::read(folder.checkpoint(1)).expect("bytes") == fs::read(again).expect("bytes"));
}
