//! A network fitted to recorded games, and a run that begins with it.

use crate::tiny::{self, finish, open};
use lab::{About, Fit, Host, LabError, RunFolder, Silent, fit};
use rules::Wangqi;
use std::path::Path;
use std::sync::Arc;
use train::NetworkFile;

fn host() -> Host {
    Host { version: "test", revision: "test", observer: Arc::new(Silent), stop: Arc::default() }
}

/// Fits the network of the small configuration to the games of a run.
fn fitted(games: &Path, network: &Path) -> Result<lab::Fitted, LabError> {
    let mut config = tiny::config();
    config.training.data.validation_share = 0.5;
    let fit_to = Fit { games: games.to_owned(), passes: 2.0, network: network.to_owned() };
    Ok(fit::<Wangqi>(&config, &fit_to, &host())?.expect("nobody stopped it"))
}

#[test]
fn a_run_begins_with_a_network_that_has_learned_from_games() {
    let temporary = tempfile::tempdir().expect("a folder");
    let (old, new) = (RunFolder::new(temporary.path().join("old")), RunFolder::new(temporary.path().join("new")));
    finish(&tiny::config(), &old, None);
    let network = temporary.path().join("learned.safetensors");
    let report = fitted(&old.data(), &network).expect("a network");
    assert!(report.positions > 0 && report.held_out > 0, "{report:?}");
    assert_eq!(report.steps, (2.0 * report.positions as f64 / 16.0).ceil() as u64);
    let (held_out, trained) = (report.validation.expect("validation games"), report.trained.expect("games"));
    // A target of one move has no entropy.
    assert_eq!((held_out.policy_target_entropy, trained.policy_target_entropy), (0.0, 0.0));
    let file = NetworkFile::read(&network).expect("a network");
    assert_eq!(file.id(), report.network);

    // The same games give the same network, and nothing is overwritten.
    let again = temporary.path().join("again.safetensors");
    assert_eq!(fitted(&old.data(), &again).expect("a network").network, report.network);
    let text = fitted(&old.data(), &again).expect_err("it is there").to_string();
    assert!(text.contains("is there already"), "{text}");

    let config = tiny::config();
    assert_eq!(finish(&config, &new, Some(&RunFolder::new(&network))), ["selfplay 1", "train 1", "match 1-0"]);
    assert_eq!(NetworkFile::read(&new.network(0)).expect("a network").id(), report.network);
    let from = About::read(&new).expect("run.json").expect("a run").from.expect("an ancestor");
    assert_eq!((from.network, from.games), (report.network, 0));
    assert_eq!(from.folder, network.display().to_string());
    drop(open(&config, &new, Some(&RunFolder::new(&again))).expect("the same network under another name"));
    let text = open(&config, &new, Some(&old)).map(|_| ()).expect_err("it began otherwise").to_string();
    assert!(text.contains("has begun already, from "), "{text}");
}

#[test]
fn what_cannot_be_learned_from_is_refused_and_named() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(temporary.path().join("empty"));
    drop(open(&tiny::config(), &folder, None).expect("a run"));
    let text = fitted(&folder.data(), &temporary.path().join("net")).expect_err("no games").to_string();
    assert!(text.contains("it has no game of wangqi"), "{text}");
    let nowhere = temporary.path().join("no/such/folder/net");
    let text = fitted(&folder.data(), &nowhere).expect_err("no folder").to_string();
    assert!(text.contains("no/such/folder"), "{text}");

    // A network of another size.
    let mut config = tiny::config();
    let other = folder.network(0);
    config.network.channels = 16;
    let new = RunFolder::new(temporary.path().join("new"));
    let text = open(&config, &new, Some(&RunFolder::new(&other))).map(|_| ()).expect_err("it differs").to_string();
    assert!(text.contains("network.channels: 8 there, 16 here"), "{text}");
    assert!(!new.root().exists(), "no folder is left behind");
}
