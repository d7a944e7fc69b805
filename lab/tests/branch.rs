//! A run that begins from another one.

use crate::tiny::{self, finish, open};
use data::DataStore;
use lab::{About, LabError, RunFolder};
use std::collections::BTreeSet;
use train::NetworkFile;

struct Two {
    _temporary: tempfile::TempDir,
    old: RunFolder,
    new: RunFolder,
}

/// A run of one generation, and a folder for another.
fn two() -> Two {
    let temporary = tempfile::tempdir().expect("a folder");
    let (old, new) = (RunFolder::new(temporary.path().join("old")), RunFolder::new(temporary.path().join("new")));
    finish(&tiny::config(), &old, None);
    Two { _temporary: temporary, old, new }
}

fn refusal(result: Result<rules::VariantId, LabError>) -> String {
    result.expect_err("it does not fit").to_string()
}

#[test]
fn a_run_begins_with_the_network_and_the_games_of_another() {
    let Two { old, new, .. } = &two();
    let mut config = tiny::config();
    // Settings and seed may differ. Equal seeds give equal game ids, which must not collide.
    config.search.visits = 5;
    let id = |path: &std::path::Path| NetworkFile::read(path).expect("a network").id().to_owned();
    let drawn = open(&config, new, Some(old)).expect("a run");
    assert_eq!(id(&new.network(0)), id(&old.network(1)));
    drop(drawn);
    assert_eq!(finish(&config, new, Some(old)), ["selfplay 1", "train 1", "match 1-0"], "the same command goes on");
    assert_ne!(id(&new.network(1)), id(&new.network(0)));

    let games = |folder: &RunFolder| {
        let store = DataStore::open_read_only(&folder.data()).expect("data");
        let shards = store.shards("wangqi").expect("shards");
        shards.iter().flat_map(|shard| store.read_shard(shard).expect("games")).collect::<Vec<_>>()
    };
    let (theirs, ours) = (games(old), games(new));
    let taken = |generation: u32| ours.iter().filter(move |game| game.generation == generation);
    assert!(!theirs.is_empty() && taken(1).count() > 0);
    let moves = |game: &data::GameRecord<rules::Wangqi>| game.moves_text.clone();
    assert_eq!(
        taken(0).map(moves).collect::<BTreeSet<_>>(),
        theirs.iter().map(moves).collect::<BTreeSet<_>>(),
        "all games of the old run are generation 0"
    );
    assert_eq!(ours.iter().map(|game| game.game_id).collect::<BTreeSet<_>>().len(), ours.len(), "every id once");

    let about = About::read(new).expect("run.json").expect("a run");
    let from = about.from.expect("an ancestor");
    assert_eq!((from.run_id.as_str(), from.generation, from.network), ("wangqi-old", 1, id(&old.network(1))));
    assert_eq!(
        (from.games, from.positions),
        (theirs.len() as u64, taken(0).map(|game| game.positions.len() as u64).sum())
    );
    // Training continued from the other run's step.
    let steps = |folder: &RunFolder| {
        tiny::events(folder)
            .iter()
            .filter_map(|event| match &event.stage {
                lab::events::Stage::Train(trained) => Some((trained.steps, trained.window)),
                _ => None,
            })
            .next()
            .expect("a training")
    };
    assert!(steps(new).1 > steps(old).1, "the window holds the games of both: {:?}, {:?}", steps(new), steps(old));
    let metrics = std::fs::read_to_string(new.metrics()).expect("metrics");
    let last = format!("\"step\":{}", steps(old).0 + steps(new).0);
    assert!(metrics.contains(&last), "no {last} in {metrics}");
}

#[test]
fn what_does_not_fit_is_refused_and_named() {
    let Two { old, new, .. } = &two();
    let config = tiny::config();
    let try_with = |change: &dyn Fn(&mut lab::Config), from: &RunFolder| {
        let mut changed = config.clone();
        change(&mut changed);
        refusal(open(&changed, new, Some(from)).map(|_| rules::VariantId::Wangqi))
    };
    let text = try_with(&|config| config.network.channels = 16, old);
    assert!(text.contains("network.channels: 8 there, 16 here"), "{text}");
    let empty = RunFolder::new(new.root().join("nothing"));
    assert!(try_with(&|_| {}, &empty).contains("there is no run"));
    let config_of_xiangqi = |config: &mut lab::Config| config.run.variant = "xiangqi".to_owned();
    let mut xiangqi = config.clone();
    config_of_xiangqi(&mut xiangqi);
    let host =
        lab::Host { version: "", revision: "", observer: std::sync::Arc::new(lab::Silent), stop: Default::default() };
    let other = lab::Run::<rules::Xiangqi>::open(&xiangqi, new.clone(), Some(old.root()), host);
    let text = refusal(other.map(|_| rules::VariantId::Xiangqi));
    assert!(text.contains("it plays wangqi, and this run plays xiangqi"), "{text}");

    // A run that has trained nothing cannot be branched from.
    let untrained = RunFolder::new(new.root().join("untrained"));
    drop(open(&config, &untrained, None).expect("a run"));
    assert!(try_with(&|_| {}, &untrained).contains("has not trained a network yet"));
}

#[test]
fn what_is_damaged_is_named_and_not_taken_over() {
    let Two { old, new, .. } = &two();
    for path in [old.checkpoint(1), old.network(1)] {
        let whole = std::fs::read(&path).expect("a file");
        let mut damaged = whole.clone();
        damaged[whole.len() - 9] ^= 4;
        std::fs::write(&path, damaged).expect("written");
        let text = refusal(open(&tiny::config(), new, Some(old)).map(|_| rules::VariantId::Wangqi));
        assert!(text.contains(&path.display().to_string()) && text.contains("restore it from a copy"), "{text}");
        assert!(!new.network(0).exists() && !new.checkpoint(0).exists(), "nothing of it is copied");
        std::fs::write(&path, whole).expect("repaired");
    }
    assert_eq!(finish(&tiny::config(), new, Some(old)), ["selfplay 1", "train 1", "match 1-0"]);
}

#[test]
fn a_run_stays_what_it_began_as() {
    let Two { old, new, .. } = &two();
    let config = tiny::config();
    drop(open(&config, new, Some(old)).expect("a run"));
    drop(open(&config, new, None).expect("it goes on without --from too"));
    let third = RunFolder::new(new.root().join("third"));
    finish(&config, &third, None);
    let text = refusal(open(&config, new, Some(&third)).map(|_| rules::VariantId::Wangqi));
    assert!(text.contains("has begun already, from ") && text.contains("resume without --from"), "{text}");
    let text = refusal(open(&config, old, Some(&third)).map(|_| rules::VariantId::Wangqi));
    assert!(text.contains("has begun already, from nothing"), "{text}");

    // Killed after the games were taken over and before the run began.
    std::fs::remove_file(new.config()).expect("removed");
    let text = refusal(open(&config, new, None).map(|_| rules::VariantId::Wangqi));
    assert!(text.contains("give the same --from again"), "{text}");
    assert_eq!(finish(&config, new, Some(old)), ["selfplay 1", "train 1", "match 1-0"]);
}
