//! A number of whole games: as many as asked for, equal for any number of threads, kept after a stop or an error.

use data::{DataStore, GameRecord, Provenance, ShardEntry};
use rules::{Rules, Wangqi};
use search::{EvaluationError, Evaluator, HashEvaluator, NotFiniteEvaluator, SearchConfig};
use selfplay::{GamesJob, GenerateError, GenerationProgress, Origin, SelfplayConfig, play_games};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

const GAMES: u32 = 10;

/// Plays in a folder as a new process would. `look` may set the flag.
fn play<E: Evaluator>(
    folder: &Path,
    threads: usize,
    seed: u64,
    evaluators: impl Fn(usize) -> Result<E, EvaluationError> + Sync,
    look: impl Fn(&GenerationProgress, &AtomicBool),
) -> Result<Option<ShardEntry>, GenerateError> {
    let (store, _) = DataStore::open(folder).expect("a store");
    let job = GamesJob {
        rules: Rules::<Wangqi>::default(),
        search: &SearchConfig { visits: 8, ..SearchConfig::default() },
        selfplay: &SelfplayConfig {
            slots: 4,
            max_plies: 40,
            fast_share: 0.3,
            fast_visits: 4,
            ..SelfplayConfig::default()
        },
        origin: Origin { network: "hash".into(), worker: "w0".into(), generation: 1, ..Origin::default() },
        provenance: Provenance::default(),
        games: GAMES,
        seed,
        threads,
        store: &store,
    };
    let (progress, stop) = (GenerationProgress::default(), AtomicBool::new(false));
    play_games(&job, evaluators, &progress, &stop, || look(&progress, &stop))
}

fn hashes(_: usize) -> Result<HashEvaluator, EvaluationError> {
    Ok(HashEvaluator::new(3, 5))
}

fn games(folder: &Path) -> Vec<GameRecord<Wangqi>> {
    let store = DataStore::open_read_only(folder).expect("a data folder");
    let shards = store.shards("wangqi").expect("shards");
    shards.iter().flat_map(|shard| store.read_shard(shard).expect("a shard")).collect()
}

#[test]
fn whole_games_do_not_depend_on_threads() {
    let mut reference = None;
    for threads in [1, 2, 8] {
        let folder = tempfile::tempdir().expect("a folder");
        let shard = play(folder.path(), threads, 1, hashes, |_, _| ()).expect("played").expect("a shard");
        let played = games(folder.path());
        assert_eq!((played.len() as u32, shard.games.rows), (GAMES, u64::from(GAMES)));
        let of_slot = |slot: u32| played.iter().filter(|game| game.worker == format!("w0/{slot}")).count();
        assert_eq!([0, 1, 2, 3].map(of_slot), [3, 3, 2, 2]);
        assert_eq!(*reference.get_or_insert(played.clone()), played, "{threads} threads");
    }
    let folder = tempfile::tempdir().expect("a folder");
    play(folder.path(), 1, 2, hashes, |_, _| ()).expect("played");
    assert_ne!(reference, Some(games(folder.path())), "another seed");
}

#[test]
fn a_stop_keeps_the_finished_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let after_two = |progress: &GenerationProgress, stop: &AtomicBool| {
        stop.store(progress.counts().games >= 2, Ordering::Relaxed);
    };
    let shard = play(folder.path(), 1, 1, hashes, after_two).expect("played").expect("a shard");
    let whole = tempfile::tempdir().expect("a folder");
    play(whole.path(), 1, 1, hashes, |_, _| ()).expect("played");
    let all = games(whole.path());
    let kept = games(folder.path());
    assert_eq!(kept.len() as u64, shard.games.rows);
    assert!(kept.len() >= 2 && kept.iter().all(|game| all.contains(game)));
}

#[test]
fn a_network_that_fails_loses_no_finished_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let failing = |thread| hashes(thread).map(|inner| NotFiniteEvaluator::new(inner, 600));
    let failed = play(folder.path(), 1, 1, failing, |_, _| ());
    assert!(matches!(failed, Err(GenerateError::Network(_) | GenerateError::Evaluation { .. })), "{failed:?}");
    let kept = games(folder.path()).len();
    assert!((1..GAMES as usize).contains(&kept), "{kept} games");
}

#[test]
fn only_the_missing_games_are_played_after_a_kill() {
    let whole = tempfile::tempdir().expect("a folder");
    play(whole.path(), 1, 1, hashes, |_, _| ()).expect("played");
    let all = games(whole.path());
    // What a killed process leaves: a journal.
    let folder = tempfile::tempdir().expect("a folder");
    let (store, _) = DataStore::open(folder.path()).expect("a store");
    let (mut journal, _) = store.journal::<Wangqi>(1).expect("a journal");
    let first_of_slots: Vec<_> = all.iter().filter(|game| game.worker == "w0/0" || game.worker == "w0/3").collect();
    let finished: Vec<GameRecord<Wangqi>> = first_of_slots.into_iter().cloned().collect();
    journal.append_all(&finished).expect("written");
    drop((journal, store));
    let again = std::sync::Mutex::new(0);
    play(folder.path(), 1, 1, hashes, |progress, _| *again.lock().expect("a count") = progress.counts().games)
        .expect("played");
    assert_eq!(games(folder.path()), all);
    assert!(again.into_inner().expect("a count") <= u64::from(GAMES) - finished.len() as u64);
    let ids: BTreeSet<u64> = all.iter().map(|game| game.game_id).collect();
    assert_eq!(ids.len(), all.len());
}
