//! Each thing an engine can do wrong.

use super::{config, entries, play, prepare, processes};
use engine::EngineConfig;
use eval::{Match, MatchConfig, MatchError, PlayerConfig};
use rules::{Termination, VariantId};
use std::os::unix::fs::PermissionsExt;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const XIANGQI: VariantId = VariantId::Xiangqi;

fn small(pairs: u32) -> MatchConfig {
    MatchConfig { pairs, max_plies: 20, threads: 1, ..MatchConfig::default() }
}

/// The scripted engine does something wrong once, at its third move of a game or in the handshake.
fn once(folder: &Path, fault: &str, at: &str) -> (EngineConfig, String) {
    // A name of its own, so that its processes can be told from those of other tests.
    let mark = folder.join(format!("{fault}-{at}")).display().to_string();
    (config(&["--fault", fault, "--at", at, "--once", &mark]), mark)
}

#[test]
fn a_fault_loses_one_game_with_the_reason_and_the_match_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    for (fault, reason) in [
        ("exit", "its process ended with status 3"),
        ("crash", "its process crashed with signal 6; its error output: something terrible has happened"),
        ("stall", "no move within 0.3 s"),
        ("ignore-stop", "no move within 0.3 s, and `stop` was ignored"),
        ("deaf", "no move within 0.3 s, and `stop` was ignored"),
        ("illegal", "\"a1a9\" is not a legal move in "),
        ("no-move", "it reports no legal move in "),
        ("garbage", "\"\u{fffd}("),
        ("flood", "no move within 0.3 s, and `stop` was ignored"),
        ("long-line", "a line of more than 65536 bytes"),
        ("child", "its process ended with status 5"),
        ("daemon", "its process ended with status 6"),
        ("win", "\"win\" is not a legal move in "),
    ] {
        let (engine, mark) = once(folder.path(), fault, "3");
        // The first game of the first pair goes wrong, the others do not.
        std::fs::write(&mark, "").unwrap();
        let engine = prepare(&engine, XIANGQI);
        std::fs::remove_file(&mark).unwrap();
        let log = folder.path().join(format!("{fault}.jsonl"));
        let report = play(XIANGQI, &small(3), [&engine, &PlayerConfig::random()], &log);
        let games = entries(&log);
        assert_eq!((games.len(), report.missing_games), (6, 0), "{fault}");
        let lost: Vec<_> = games.iter().filter(|game| game.termination == Termination::Error).collect();
        assert_eq!(lost.len(), 1, "{fault}: {games:?}");
        assert!(lost[0].reason.starts_with(reason), "{fault}: {:?}", lost[0].reason);
        assert_eq!((lost[0].pair, lost[0].result_of_first_named()), (0, -1), "{fault}");
        assert_eq!(lost[0].plies, 6 + 4, "{fault}: the opening and two moves each");
        assert_eq!(lost[0].spent_ms.len(), 10);
        assert_eq!(processes(&mark), Vec::<String>::new(), "{fault}");
    }
    assert_eq!(processes("sleep 1000"), Vec::<String>::new(), "children of children");
}

#[test]
fn each_game_lost_by_an_error_is_told_when_it_happens_and_in_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let random = PlayerConfig::random();
    let (engine, mark) = once(folder.path(), "illegal", "3");
    std::fs::write(&mark, "").unwrap();
    let engine = prepare(&engine, XIANGQI);
    std::fs::remove_file(&mark).unwrap();
    let log = folder.path().join("match.jsonl");
    let config = small(2);
    let this = Match { variant: XIANGQI, config: &config, players: [&engine, &random], log: &log };
    let mut notes = Vec::new();
    let report = this.play(&AtomicBool::new(false), |now| notes.extend(now.notes.clone())).unwrap();
    let told =
        "scripted loses to random by an error (pair 1, first game, after 10 plies): \"a1a9\" is not a legal move in ";
    assert!(notes.iter().filter(|note| note.starts_with(told)).count() == 1, "{notes:?}");
    assert_eq!((report.failed.len(), report.every_game_failed()), (1, false));
    assert!(report.to_string().contains(&format!("\n  error    {told}")), "{report}");
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!((&json["failed"][0]["player"], &json["failed"][0]["plies"]), (&"scripted".into(), &10.into()));

    // An engine that always fails loses every game, and the report says that this is no measure of strength.
    let engine = prepare(&config_of_always("illegal"), XIANGQI);
    let report = play(XIANGQI, &small(2), [&random, &engine], &folder.path().join("all.jsonl"));
    assert!(report.every_game_failed() && report.results.wins == 4, "{report}");
    assert_eq!(report.failed[3].player, "scripted");
}

/// The scripted engine fails in every game, at its first move after the check of its rules, which asks it for none.
fn config_of_always(fault: &str) -> EngineConfig {
    config(&["--fault", fault, "--at", "1"])
}

#[test]
fn options_without_end_are_refused_and_not_kept() {
    let engine = config(&["--fault", "options", "--at", "0"]);
    let error = engine::EngineProfile::prepare(&engine, XIANGQI, engine::Limit::Own, &|| false).unwrap_err();
    assert!(
        error.to_string().contains("it declares more than 10000 options, or more than 1048576 bytes of them"),
        "{error}"
    );
}

#[test]
fn resigning_is_no_fault() {
    let folder = tempfile::tempdir().unwrap();
    let engine = prepare(&config(&["--fault", "resign", "--at", "2"]), XIANGQI);
    let log = folder.path().join("match.jsonl");
    play(XIANGQI, &small(1), [&PlayerConfig::random(), &engine], &log);
    let games = entries(&log);
    // The second game has the same process, which has already made its second move.
    assert_eq!(games[0].termination, Termination::Resign);
    assert_eq!((games[0].result_of_first_named(), games[0].reason.as_str()), (1, ""));
    assert_eq!(games[1].termination, Termination::MaxPlies);
}

#[test]
fn one_that_always_fails_in_the_handshake_loses_every_game() {
    let folder = tempfile::tempdir().unwrap();
    for fault in ["exit", "deaf"] {
        let (mut engine, mark) = once(folder.path(), fault, "0");
        engine.handshake_ms = 500;
        std::fs::write(&mark, "").unwrap();
        let engine = prepare(&engine, XIANGQI);
        let folder_of_log = folder.path().join(fault);
        std::fs::create_dir(&folder_of_log).unwrap();
        let log = folder_of_log.join("match.jsonl");
        std::fs::remove_file(&mark).unwrap();
        play(XIANGQI, &small(2), [&engine, &PlayerConfig::random()], &log);
        let reasons: Vec<String> = entries(&log).into_iter().map(|game| game.reason).collect();
        let expected =
            if fault == "exit" { "its process ended with status 3" } else { "no answer to \"uci\" within 0.5 s" };
        assert_eq!(reasons[0], expected);
        assert_eq!(reasons[1..], ["", "", ""], "it does so once");
    }
}

/// An engine that hangs once and would have a minute for its move, and the file that shows that it does.
fn hanging(folder: &Path) -> (PlayerConfig, String) {
    let (mut engine, mark) = once(folder, "deaf", "3");
    engine.timeout_ms = 60_000;
    std::fs::write(&mark, "").unwrap();
    let engine = prepare(&engine, XIANGQI);
    std::fs::remove_file(&mark).unwrap();
    (engine, mark)
}

#[test]
fn a_stop_ends_an_engine_that_hangs() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, mark) = hanging(folder.path());
    let log = folder.path().join("match.jsonl");
    let stop = AtomicBool::new(false);
    let began = Instant::now();
    let random = PlayerConfig::random();
    let config = small(5);
    let this = Match { variant: XIANGQI, config: &config, players: [&engine, &random], log: &log };
    let report = std::thread::scope(|scope| {
        let playing = scope.spawn(|| this.play(&stop, |_| {}));
        while !Path::new(&mark).exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(processes(&mark).len(), 1, "it hangs");
        stop.store(true, Ordering::Relaxed);
        playing.join().unwrap().unwrap()
    });
    assert_eq!(report.missing_games, 10);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(processes(&mark), Vec::<String>::new());
}

#[test]
fn a_panic_leaves_no_process_behind() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, mark) = hanging(folder.path());
    let log = folder.path().join("match.jsonl");
    let random = PlayerConfig::random();
    let config = MatchConfig { threads: 2, ..small(50) };
    let this = Match { variant: XIANGQI, config: &config, players: [&engine, &random], log: &log };
    let began = Instant::now();
    let played = std::panic::catch_unwind(AssertUnwindSafe(|| {
        this.play(&AtomicBool::new(false), |_| assert_eq!(processes(&mark).len(), 0, "panics while one of them hangs"))
    }));
    assert!(played.is_err());
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(processes(&mark), Vec::<String>::new());
}

#[test]
fn what_the_system_refuses_is_played_again_and_not_scored() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("engine");
    let log = folder.path().join("match.jsonl");
    let mark = folder.path().join("mark").display().to_string();
    let install = || {
        std::fs::copy(super::scripted(), folder.path().join("new")).unwrap();
        std::fs::rename(folder.path().join("new"), &program).unwrap();
    };
    install();
    let mut engine = config(&["--fault", "unlink", "--at", "3", "--once", &mark]);
    engine.command = program.display().to_string();
    std::fs::write(&mark, "").unwrap();
    let engine = prepare(&engine, XIANGQI);
    std::fs::remove_file(&mark).unwrap();

    // The program removes itself in the first game; after a while it is put back.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while program.exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
            std::thread::sleep(Duration::from_millis(300));
            install();
        });
        play(XIANGQI, &small(3), [&engine, &PlayerConfig::random()], &log);
    });
    let games = entries(&log);
    assert_eq!(games.iter().filter(|game| game.termination == Termination::Error).count(), 1, "the crash itself");
    assert_eq!(games.len(), 6);

    // If the program is not put back, the match ends, keeps its finished games, and says what to do.
    std::fs::remove_file(&mark).unwrap();
    let log = folder.path().join("broken.jsonl");
    let random = PlayerConfig::random();
    let error = Match { variant: XIANGQI, config: &small(2), players: [&engine, &random], log: &log }
        .play(&AtomicBool::new(false), |_| {})
        .unwrap_err();
    assert!(matches!(error, MatchError::Resources { .. }), "{error}");
    assert!(error.to_string().contains("run the same command to resume"), "{error}");
    assert_eq!(entries(&log).len(), 1);
    install();
    assert_eq!(play(XIANGQI, &small(2), [&engine, &random], &log).missing_games, 0);
    assert!(program.metadata().unwrap().permissions().mode() & 0o111 != 0);
}

#[test]
fn who_takes_longer_than_the_clock_loses() {
    let folder = tempfile::tempdir().unwrap();
    let (mut engine, mark) = once(folder.path(), "stall", "3");
    engine.limit = engine::Limit::Own;
    std::fs::write(&mark, "").unwrap();
    let limit = "clock:150ms+50ms".parse().unwrap();
    let engine = PlayerConfig::engine(engine::EngineProfile::prepare(&engine, XIANGQI, limit, &|| false).unwrap());
    std::fs::remove_file(&mark).unwrap();
    let log = folder.path().join("match.jsonl");
    let config = MatchConfig { limit, ..small(2) };
    play(XIANGQI, &config, [&engine, &PlayerConfig::random()], &log);
    let games = entries(&log);
    assert_eq!(games.iter().filter(|game| game.termination == Termination::Error).count(), 1);
    assert!(games[0].reason.starts_with("no move within 0."), "{}", games[0].reason);
    let recorded = eval::log::read(&log).unwrap();
    let pgn = eval::pgn::export(&recorded.header.unwrap(), &recorded.games);
    assert!(pgn.contains("[TimeControl \"clock:150ms+50ms\"]") && pgn.contains("{[%clk 0:00:00.2"), "{pgn}");
}
