//! Networks under limits of time.

use super::play;
use engine::Limit;
use eval::{GameEntry, MatchConfig, MatchReport, PlayerConfig, log};
use rules::{Termination, VariantId};
use search::fakes::HashEvaluator;
use search::{EvaluationError, Evaluations, Evaluator, LeafBatch, SearchConfig};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A network that takes its time for every batch, and counts the positions it is asked about.
struct SlowNetwork {
    inner: HashEvaluator,
    time: Duration,
    leaves: Arc<AtomicU64>,
}

impl Evaluator for SlowNetwork {
    fn batch_size(&self) -> usize {
        self.inner.batch_size()
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        std::thread::sleep(self.time);
        self.leaves.fetch_add(batch.len() as u64, Ordering::Relaxed);
        self.inner.evaluate(batch, out)
    }
}

fn slow(name: &str, time: Duration) -> (PlayerConfig, Arc<AtomicU64>) {
    let leaves = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&leaves);
    let player_config = PlayerConfig::network(name, name, &SearchConfig::default(), move || {
        let inner = HashEvaluator::new(1, 7);
        Ok(Box::new(SlowNetwork { inner, time, leaves: Arc::clone(&counter) }) as Box<dyn Evaluator>)
    });
    (player_config, leaves)
}

struct Played {
    report: MatchReport,
    games: Vec<GameEntry>,
    /// Positions evaluated for a move of the slow player.
    leaves_per_move: f64,
}

/// One pair of the slow player against a greedy one.
fn under(limit: &str, margin_ms: u32, time: Duration, log: &Path) -> Played {
    let (player, leaves) = slow("slow", time);
    let limit: Limit = limit.parse().unwrap();
    let config =
        MatchConfig { pairs: 1, max_plies: 30, threads: 1, limit, margin_ms, seed: 3, ..MatchConfig::default() };
    let report = play(VariantId::Wangqi, &config, &player, &PlayerConfig::greedy(), log);
    let games: Vec<GameEntry> = log::read(log).unwrap().games.into_values().collect();
    let moves: usize = games.iter().map(|game| own(game).count()).sum();
    let leaves_per_move = leaves.load(Ordering::Relaxed) as f64 / moves as f64;
    Played { report, games, leaves_per_move }
}

/// Milliseconds of the slow player's moves. It is the first named one, so in the first game it has the even plies.
fn own(game: &GameEntry) -> impl Iterator<Item = u32> + '_ {
    let skip = game.opening_plies as usize + game.side_of_first_named.index();
    game.spent_ms.iter().skip(skip).step_by(2).copied()
}

const LEAF: Duration = Duration::from_micros(500);
/// Milliseconds that a busy machine may add.
const MARGIN: u32 = 400;

#[test]
fn they_keep_their_time_and_use_it() {
    let folder = tempfile::tempdir().unwrap();
    for (short, long) in
        [("time:20ms", "time:80ms"), ("clock:300ms+5ms", "clock:1200ms+20ms"), ("byoyomi:0s+20ms", "byoyomi:0s+80ms")]
    {
        let [less, more] = [short, long].map(|limit| {
            let played = under(limit, MARGIN, LEAF, &folder.path().join(format!("{limit}.jsonl")));
            assert!(!played.report.terminations.contains_key("error"), "{limit}: {}", played.report);
            played
        });
        println!("{short}: {:.1} positions a move; {long}: {:.1}", less.leaves_per_move, more.leaves_per_move);
        assert!(more.leaves_per_move > 2.0 * less.leaves_per_move, "{short}, {long}");
        // Most moves are in time even without the margin, which is for the machine and not for the player.
        for (played, limit) in [(&less, short), (&more, long)] {
            let allowed = match limit.parse().unwrap() {
                Limit::Time(time) | Limit::Byoyomi { period: time, .. } => time.as_millis() as u32,
                Limit::Clock { base, .. } => base.as_millis() as u32 / 2,
                _ => unreachable!(),
            };
            let mut times: Vec<u32> = played.games.iter().flat_map(own).collect();
            times.sort();
            assert!(times[times.len() / 2] <= allowed, "{limit}: {times:?}");
        }
    }
}

#[test]
fn a_clock_is_shared_out_over_the_game() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let played = under("clock:600ms+0s", MARGIN, LEAF, &path);
    let games: Vec<Vec<u32>> = played.games.iter().map(|game| own(game).collect()).collect();
    for times in &games {
        let spent: u32 = times.iter().sum();
        assert!(spent < 600 + MARGIN, "{spent} ms: {times:?}");
        // A game that ends early by mate has not used its time.
        assert!(times.len() < 8 || spent > 100, "it uses what it has: {times:?}");
    }
    assert!(games.iter().any(|times| times.len() >= 8), "{games:?}");
}

#[test]
fn greedy_has_no_clock() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    under("clock:2s+50ms", MARGIN, LEAF, &path);
    let log = log::read(&path).unwrap();
    for game in log.games.values() {
        let text =
            eval::pgn::export(&log.header.clone().unwrap(), &[((0, game.side_of_first_named), game.clone())].into());
        let [left, taken] = ["%clk", "%emt"].map(|kind| text.matches(kind).count());
        assert_eq!(
            (left, left + taken),
            (own(game).count(), game.spent_ms.len() - game.opening_plies as usize),
            "{text}"
        );
    }
}

#[test]
fn who_comes_late_loses() {
    let folder = tempfile::tempdir().unwrap();
    for limit in ["time:20ms", "clock:30ms+5ms", "byoyomi:0s+20ms"] {
        let path = folder.path().join(format!("{limit}.jsonl"));
        let played = under(limit, 10, Duration::from_millis(120), &path);
        assert_eq!((played.report.results.losses, played.report.results.games()), (2, 2), "{limit}: {}", played.report);
        for game in &played.games {
            assert_eq!(game.termination, Termination::Error);
            assert!(game.reason.starts_with("no move within 0.0"), "{}", game.reason);
        }
    }
}
