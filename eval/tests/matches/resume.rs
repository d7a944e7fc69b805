//! The log is the only truth: a match resumes after any interruption and ends with the same games.

use super::{games, network, play, timeless};
use data::DataError;
use eval::log::MatchLogContents;
use eval::{Match, MatchConfig, MatchError, MatchLog, MatchReport, OpeningSource, OpeningsConfig, PlayerConfig, log};
use rules::{Side, VariantId};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use testkit::fault;

#[test]
fn a_match_goes_on_after_a_cut_at_any_line_and_within_lines() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (PlayerConfig::greedy(), network("net", 3, 6));
    let config = MatchConfig { pairs: 5, max_plies: 40, threads: 2, ..MatchConfig::default() };
    let whole = folder.path().join("whole.jsonl");
    let report = timeless(&play(VariantId::Wangqi, &config, &a, &b, &whole));
    let bytes = std::fs::read(&whole).unwrap();
    let ends: Vec<usize> = (0..bytes.len()).filter(|&i| bytes[i] == b'\n').map(|i| i + 1).collect();
    assert_eq!(ends.len(), 11, "a header and ten games");
    let torn = ends.iter().flat_map(|&end| [end - 1, end, (end + 17).min(bytes.len())]);
    for cut in [0, 1].into_iter().chain(torn) {
        let log = folder.path().join(format!("cut {cut}.jsonl"));
        std::fs::write(&log, &bytes[..cut]).unwrap();
        assert_eq!(timeless(&play(VariantId::Wangqi, &config, &a, &b, &log)), report, "cut at byte {cut}");
        assert_eq!(games(&log), games(&whole), "cut at byte {cut}");
    }
}

#[test]
fn a_stopped_match_loses_nothing_finished() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (network("a", 1, 8), network("b", 2, 8));
    let config = MatchConfig { pairs: 12, max_plies: 50, threads: 2, ..MatchConfig::default() };
    let whole = folder.path().join("whole.jsonl");
    let report = play(VariantId::Wangqi, &config, &a, &b, &whole);
    assert_eq!(report.missing_games, 0);

    let log = folder.path().join("stopped.jsonl");
    let mut runs = 0;
    loop {
        let stop = AtomicBool::new(false);
        let players = [&a, &b];
        let seen = AtomicUsize::new(0);
        let part = Match { variant: VariantId::Wangqi, config: &config, players, log: &log }
            .play(&stop, |progress| {
                seen.store(progress.games as usize, Ordering::Relaxed);
                stop.store(true, Ordering::Relaxed);
            })
            .unwrap();
        assert!(part.results.games() as usize >= seen.load(Ordering::Relaxed));
        runs += 1;
        if part.missing_games == 0 {
            break;
        }
    }
    assert!(runs > 1, "it was stopped at least once");
    assert_eq!(games(&log), games(&whole));

    // A shorter match than that of the log, one of whose first games is missing.
    let MatchLogContents { header, games: mut played, .. } = log::read(&whole).unwrap();
    let header = header.unwrap();
    played.remove(&(1, Side::Second));
    assert_eq!(MatchReport::new(&header, &played, 4, None).missing_games, 1);
    assert_eq!(MatchReport::new(&header, &played, 1, None).missing_games, 0);
}

#[test]
fn a_kill_or_a_full_disk_at_any_step_loses_nothing_finished() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (PlayerConfig::greedy(), PlayerConfig::random());
    let config = MatchConfig { pairs: 4, max_plies: 40, threads: 2, ..MatchConfig::default() };
    let whole = folder.path().join("whole.jsonl");
    let report = timeless(&play(VariantId::Wangqi, &config, &a, &b, &whole));
    for kind in [fault::FaultKind::Kill, fault::FaultKind::DiskFull] {
        for step in 1.. {
            let log = folder.path().join(format!("{kind:?} {step}.jsonl"));
            let this = Match { variant: VariantId::Wangqi, config: &config, players: [&a, &b], log: &log };
            let mut seen = 0;
            let fault = fault::install(kind, step);
            let played = this.play(&AtomicBool::new(false), |progress| seen = progress.games);
            let happened = fault.happened();
            drop(fault);
            assert_eq!(played.is_err(), happened, "{kind:?} at step {step}: {played:?}");
            assert!(log::read(&log).unwrap().games.len() as u64 >= seen, "{kind:?} at step {step}");
            assert_eq!(timeless(&this.play(&AtomicBool::new(false), |_| {}).unwrap()), report);
            assert_eq!(games(&log), games(&whole), "{kind:?} at step {step}");
            if !happened {
                break;
            }
        }
    }
}

#[test]
fn a_longer_match_keeps_its_games() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("match.jsonl");
    let (a, b) = (PlayerConfig::greedy(), PlayerConfig::random());
    let short = MatchConfig { pairs: 3, ..MatchConfig::default() };
    play(VariantId::Wangqi, &short, &a, &b, &log);
    let before = games(&log);
    let report = play(VariantId::Wangqi, &MatchConfig { pairs: 6, ..short }, &a, &b, &log);
    assert_eq!(report.results.games(), 12);
    let after = games(&log);
    assert!(before.iter().all(|(key, game)| after[key] == *game));
}

#[test]
fn one_writer_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let config = MatchConfig { pairs: 1, ..MatchConfig::default() };
    play(VariantId::Wangqi, &config, &PlayerConfig::random(), &PlayerConfig::greedy(), &path);
    let header = log::read(&path).unwrap().header.unwrap();
    let held = MatchLog::open(&path, header.clone()).unwrap();
    assert!(matches!(MatchLog::open(&path, header.clone()), Err(MatchError::Log(DataError::InUse { .. }))));
    drop(held);
    assert_eq!(MatchLog::open(&path, header).unwrap().session(), 2);
}

/// The evaluation that a machine would choose now must not mix with the one it chose before.
#[test]
fn a_match_goes_on_only_with_networks_evaluated_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let config = MatchConfig { pairs: 1, max_plies: 10, ..MatchConfig::default() };
    let (net, random) = (network("net", 3, 4), PlayerConfig::random());
    let evaluated = |precision| net.clone().evaluated(serde_json::json!({ "precision": precision }));
    play(VariantId::Wangqi, &config, &evaluated("fp32"), &random, &path);
    let found = log::evaluations([path.as_path(), folder.path().join("nowhere").as_path()]);
    assert_eq!(found["hash 3"], serde_json::json!({ "precision": "fp32" }));
    let longer = MatchConfig { pairs: 2, ..config.clone() };
    let again = |a: &PlayerConfig| {
        Match { variant: VariantId::Wangqi, config: &longer, players: [a, &random], log: &path }
            .play(&AtomicBool::new(false), |_| {})
    };
    let MatchError::Changed { differences, .. } = again(&evaluated("bf16")).unwrap_err() else { panic!("mixed") };
    assert!(differences[0].contains("evaluation") && differences[0].contains("bf16"), "{differences:?}");
    assert_eq!(again(&evaluated("fp32")).unwrap().results.games(), 4);

    // The log of an earlier version does not record it.
    let old = folder.path().join("old.jsonl");
    play(VariantId::Wangqi, &config, &net, &random, &old);
    assert_eq!(play(VariantId::Wangqi, &longer, &evaluated("bf16"), &random, &old).results.games(), 4);
    assert!(log::evaluations([old.as_path()]).is_empty());
}

/// The name of a network depends on where its file lies, and on who else plays.
#[test]
fn balanced_openings_are_the_same_under_another_name_of_the_network() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let openings = OpeningsConfig { source: OpeningSource::Balanced, ..OpeningsConfig::default() };
    let config = MatchConfig { pairs: 1, max_plies: 10, openings, ..MatchConfig::default() };
    let random = PlayerConfig::random();
    play(VariantId::Wangqi, &config, &network("a 15", 3, 4), &random, &path);
    let longer = MatchConfig { pairs: 2, ..config.clone() };
    let again = |net: &PlayerConfig| {
        Match { variant: VariantId::Wangqi, config: &longer, players: [net, &random], log: &path }
            .play(&AtomicBool::new(false), |_| {})
    };
    assert_eq!(again(&network("b 15 (4 visits)", 3, 4)).unwrap().results.games(), 4);
    let other = again(&network("a 15", 4, 4)).unwrap_err().to_string();
    assert!(other.contains("openings is \"balanced") && other.contains("by (hash 4), 4 visits"), "{other}");
}
