//! A number of whole games: as many as asked for, equal for any number of threads, kept after a stop or an error.

use data::{DataStore, GameRecord, Provenance, ShardEntry};
use rules::{Rules, Wangqi};
use search::{EvaluationError, Evaluator, HashEvaluator, NotFiniteEvaluator, SearchConfig};
use selfplay::{GamesJob, GenerateError, GenerationProgress, Origin, SelfplayConfig, commit_left_games, play_games};
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
    with_job(&store, threads, seed, |job| {
        let (progress, stop) = (GenerationProgress::default(), AtomicBool::new(false));
        play_games(job, evaluators, &progress, &stop, || look(&progress, &stop))
    })
}

/// Does `work` with a job in this store.
fn with_job<T>(store: &DataStore, threads: usize, seed: u64, work: impl FnOnce(&mut GamesJob<Wangqi>) -> T) -> T {
    work(&mut GamesJob {
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
        store,
    })
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

/// A call that was stopped commits fewer games than it was asked for. If it is killed before its journal is removed, the same call
/// and others take the next generation.
#[test]
fn a_kill_after_the_commit_of_a_stopped_call_leaves_the_folder_usable() {
    let folder = tempfile::tempdir().expect("a folder");
    let after_two = |progress: &GenerationProgress, stop: &AtomicBool| {
        stop.store(progress.counts().games >= 2, Ordering::Relaxed);
    };
    play(folder.path(), 1, 1, hashes, after_two).expect("played").expect("a shard");
    let kept = games(folder.path());
    assert!(kept.len() < GAMES as usize);
    for (run_id, left) in [("", &kept[..]), ("another", &kept[..]), ("", &kept[..0]), ("another", &kept[..1])] {
        let (store, _) = DataStore::open(folder.path()).expect("a store");
        let (mut journal, _) = store.journal::<Wangqi>(1).expect("a journal");
        journal.append_all(left).expect("written");
        drop(journal);
        assert_eq!(store.next_generation::<Wangqi>().expect("a generation"), 1);
        with_job(&store, 1, 1, |job| {
            job.origin.run_id = run_id.into();
            assert!(commit_left_games(job).expect("committed"));
            job.origin.generation = store.next_generation::<Wangqi>().expect("a generation");
            assert_eq!(job.origin.generation, 2);
            assert!(!commit_left_games(job).expect("nothing is left"));
        });
    }
    assert_eq!(games(folder.path()), kept);
}

/// A call that has all its games finds its own shard again.
#[test]
fn a_kill_after_the_commit_of_a_whole_call_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let shard = play(folder.path(), 1, 1, hashes, |_, _| ()).expect("played");
    let (store, _) = DataStore::open(folder.path()).expect("a store");
    let (mut journal, _) = store.journal::<Wangqi>(1).expect("a journal");
    journal.append_all(&games(folder.path())).expect("written");
    drop(journal);
    assert!(!with_job(&store, 1, 1, |job| commit_left_games(job).expect("nothing to commit")));
    drop(store);
    assert_eq!(play(folder.path(), 1, 1, hashes, |_, _| ()).expect("played"), shard);
    // The journal was damaged and repaired, and another call comes.
    let (store, _) = DataStore::open(folder.path()).expect("a store");
    let (mut journal, _) = store.journal::<Wangqi>(1).expect("a journal");
    journal.append_all(&games(folder.path())[1..3]).expect("written");
    drop(journal);
    with_job(&store, 1, 1, |job| {
        job.origin.run_id = "another".into();
        assert!(commit_left_games(job).expect("nothing to commit"));
        assert_eq!(store.next_generation::<Wangqi>().expect("a generation"), 2);
    });
}
