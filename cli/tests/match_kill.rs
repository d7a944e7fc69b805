//! A match that is killed at any moment, and resumed by the same command, has the table and the decision of an
//! undisturbed match.

use crate::kirin::{command, kirin_in};
use eval::log::{self, FinishedGames};
use eval::ratings::SprtDecision;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::Value;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The log in each test's folder.
const LOG: &str = "match.jsonl";

/// A match that a sequential test ends after some dozen pairs.
fn arguments(opponent: &str) -> Vec<&str> {
    let mut words = vec!["eval", "match", "--variant", "wangqi", "greedy", opponent, "--log", LOG, "--json"];
    words.extend("--pairs 400 --max-plies 40 --threads 2 --concurrency 2".split(' '));
    words.extend("--sprt --model logistic --elo0 0 --elo1 60".split(' '));
    words
}

/// The result of a match: its report and the ratings without times, and the games that count.
#[derive(Debug, PartialEq)]
struct End {
    report: Value,
    ratings: eval::Ladder,
    games: FinishedGames,
}

impl End {
    /// Plays a match to its end, from wherever its log stands; with the time that its games took.
    fn of(folder: &Path, opponent: &str) -> (End, Duration) {
        let ran = kirin_in(folder, &arguments(opponent));
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        let mut report: Value = serde_json::from_str(&ran.out).expect("one report");
        let play = Duration::from_secs_f64(report["seconds"].as_f64().expect("seconds"));
        for field in ["seconds", "games_per_second", "uncounted_games"] {
            report.as_object_mut().expect("an object").remove(field).expect(field);
        }
        let ratings = eval::ladder(folder, None).expect("ratings");
        let games = timeless(log::read(&folder.join(LOG)).expect("a log").counted());
        (End { report, ratings, games }, play)
    }
}

fn timeless(mut games: FinishedGames) -> FinishedGames {
    for game in games.values_mut() {
        (game.session, game.elapsed_ms, game.finished_at) = (0, 0, None);
        // What a move of an engine took is no part of the game.
        game.spent_ms.iter_mut().for_each(|ms| *ms = 0);
    }
    games
}

/// A number from 0 to 1.
fn share(rng: &mut ChaCha8Rng) -> f64 {
    f64::from(rng.next_u32()) / f64::from(u32::MAX)
}

/// Whole lines of a file; none if it is not there.
fn lines(path: &Path) -> usize {
    std::fs::read(path).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count())
}

/// Kills a match at so many moments, most of them spread over its play and at random within each part of it, and resumes
/// it.
fn kill(opponent: &str, moments: u32, seed: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let begin = Instant::now();
    let (whole, play) = End::of(folder.path(), opponent);
    let start = begin.elapsed().saturating_sub(play);
    assert_eq!(whole.report["sprt"]["decision"], "h1", "{}", whole.report);
    let decided = whole.games.len();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut hits, mut misses, mut caught) = (0, 0, Vec::new());
    while hits < moments {
        let folder = tempfile::tempdir().expect("a folder");
        let mut child = command(folder.path(), &arguments(opponent))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("kirin starts");
        // One in seven while it starts; the others when so many games are finished, and a little later.
        let moment = if hits % 7 == 0 {
            start.mul_f64(share(&mut rng))
        } else {
            let games = decided as f64 * (f64::from(hits) + share(&mut rng)) / f64::from(moments);
            // Two more lines: the settings and the test.
            while lines(&folder.path().join(LOG)) < games as usize + 2 && child.try_wait().expect("a child").is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            Duration::from_secs_f64(0.01 * share(&mut rng))
        };
        std::thread::sleep(moment);
        let at_work = child.try_wait().expect("a child").is_none();
        child.kill().expect("killed");
        if !at_work || child.wait().expect("waited for").success() {
            // The match ended in those milliseconds.
            misses += 1;
            assert!(misses < 40, "{misses} matches ended before they could be killed");
            continue;
        }
        hits += 1;
        let path = folder.path().join(LOG);
        let before = timeless(log::read(&path).expect("a log").games);
        caught.push(before.len());
        let (end, _) = End::of(folder.path(), opponent);
        assert_eq!(end, whole, "killed after {moment:?} with {} games", before.len());
        let after = timeless(log::read(&path).expect("a log").games);
        assert!(before.iter().all(|(key, game)| after.get(key) == Some(game)), "what was finished is kept");
    }
    println!("{opponent}: {decided} games count; killed with {caught:?}");
    // The moments were spread over the match indeed.
    assert!(caught.contains(&0) && caught.iter().any(|&games| 2 * games >= decided), "{caught:?}");
    // The decision is that of the games that count and no other.
    let mut trial = log::StoppingRule::new(log::read(&folder.path().join(LOG)).expect("a log").test);
    trial.follow(&whole.games);
    let state = trial.state().expect("a test");
    assert_eq!((state.decision, 2 * state.pairs as usize), (SprtDecision::H1, decided));
}

#[test]
fn at_forty_two_random_moments() {
    kill("mcts:100", 42, 42);
}

/// Our own engine plays as an outside one over UCI: every game has a process of its own, which the kill orphans.
#[test]
fn at_eight_random_moments_with_an_engine() {
    let program = env!("CARGO_BIN_EXE_kirin");
    let arguments = "arg=engine&arg=--variant&arg=wangqi&arg=--net&arg=none";
    kill(&format!("engine:{program}?{arguments}&protocol=uci&handshake_ms=60000&nodes=1"), 8, 8);
}

/// Stops a match of three pairs against greedy for so long after its first game, and returns what it says. Nobody loses a
/// game by that.
fn stopped(player: &str, limit: &str, time: Duration) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let mut words = vec!["eval", "match", "--variant", "wangqi", player, "greedy", "--log", LOG, "--threads", "1"];
    words.extend("--pairs 3 --max-plies 60".split(' ').chain(limit.split(' ').filter(|word| !word.is_empty())));
    let mut child = command(folder.path(), &words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("kirin");
    let log = folder.path().join(LOG);
    while lines(&log) < 2 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let signal = |name: &str| {
        let sent = Command::new("kill").args([name, &child.id().to_string()]).status().expect("kill");
        assert!(sent.success(), "{name}");
    };
    signal("-STOP");
    std::thread::sleep(time);
    signal("-CONT");
    let mut told = String::new();
    child.stderr.take().expect("errors").read_to_string(&mut told).expect("text");
    assert!(child.wait().expect("an end").success(), "{told}");
    let games = log::read(&log).expect("a log").games;
    assert_eq!(games.len(), 6);
    assert!(games.values().all(|game| game.reason.is_empty()), "nobody lost by it: {told}");
    told
}

#[test]
fn a_game_during_which_the_program_was_stopped_is_played_again() {
    // A network of the program thinks for most of the time; being stopped takes longer than the clock and its margin allow.
    let told = stopped("builtin", "--limit time:40ms --margin-ms 2000", Duration::from_millis(2_500));
    let again = told.matches("the program was stopped while a clock ran, so the game does not count").count();
    assert_eq!(again, 1, "{told}");
}

/// The engine is not stopped: its answer waits.
#[test]
fn an_engine_that_thinks_while_the_program_is_stopped_is_not_too_late() {
    let program = env!("CARGO_BIN_EXE_kirin");
    let engine = format!("engine:{program}?arg=engine&arg=--variant&arg=wangqi&protocol=uci&nodes=200");
    let told = stopped(&format!("{engine}&handshake_ms=60000&timeout_ms=3000"), "", Duration::from_millis(3_500));
    assert!(!told.contains("does not count"), "{told}");
}
