//! What is measured for a forecast: a run in miniature.

use crate::tiny;
use lab::{Forecast, Host, RunFolder, Silent, measure};
use rules::Wangqi;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn a_tiny_run_is_measured_and_what_it_asks_for_is_left_alone() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(temporary.path().join("run"));
    let mut config = tiny::config();
    (config.run.generations, config.run.folder) = (3, "somewhere/else".to_owned());
    let host = Host { version: "test", revision: "test", observer: Arc::new(Silent), stop: Arc::default() };
    let measured = measure::<Wangqi>(&config, &folder, 0.2, &host).expect("measured").expect("to its end");
    assert!(measured.simulations_per_second > 0.0 && measured.samples_per_second > 0.0, "{measured:?}");
    let longest = measured.positions_per_game.max(measured.plies_per_game);
    assert!((1.0..=30.0).contains(&longest), "games have at most 30 plies: {measured:?}");
    assert!(measured.network_bytes > 1000 && measured.checkpoint_bytes > measured.network_bytes, "{measured:?}");
    assert!(measured.match_simulations_per_second.is_some_and(|speed| speed > 0.0), "{measured:?}");
    assert!(!std::path::Path::new("somewhere").exists(), "nothing is made but the folder given");

    let forecast = Forecast::of(&config, &measured);
    assert_eq!(forecast.generations, 3);
    assert_eq!(forecast.searched, 3 * 8 * 24, "three generations of 24 plies in each of 8 slots");
    assert!(forecast.rows <= forecast.searched, "{forecast:?}");
    let [fewest, most] = forecast.games_between;
    assert!(fewest <= forecast.games && forecast.games <= most, "{forecast:?}");
    assert!(forecast.seconds > measured.opening_seconds, "{forecast:?}");
}

#[test]
fn a_stop_ends_the_measuring() {
    let temporary = tempfile::tempdir().expect("a folder");
    let stop = Arc::new(AtomicBool::new(false));
    stop.store(true, Ordering::Relaxed);
    let host = Host { version: "test", revision: "test", observer: Arc::new(Silent), stop };
    let folder = RunFolder::new(temporary.path().join("run"));
    assert_eq!(measure::<Wangqi>(&tiny::config(), &folder, 0.2, &host).expect("no fault"), None);
}
