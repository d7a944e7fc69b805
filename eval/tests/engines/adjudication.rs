//! Scores that engines report end games.

use super::{config, entries, play, prepare};
use engine::EngineConfig;
use eval::{Adjudication, Agreement, MatchConfig, PlayerConfig, WinRule};
use rules::{Side, Termination, VariantId};

const XIANGQI: VariantId = VariantId::Xiangqi;

/// The scripted engine, which reports this score with every move.
fn saying(name: &str, protocol: &str, score: &str) -> PlayerConfig {
    let engine = config(&["--only", protocol, "--score", score]);
    prepare(&EngineConfig { name: name.into(), ..engine }, XIANGQI)
}

#[test]
fn wins_by_score_go_to_the_winner_from_either_side() {
    let folder = tempfile::tempdir().unwrap();
    let both = WinRule { score: 600, moves: 3, by: Agreement::Both };
    let loser = WinRule { by: Agreement::Loser, ..both };
    for (number, (rule, winner, loser, ended)) in [
        (both, saying("a", "uci", "cp 650"), saying("b", "ucci", "-700"), true),
        (both, saying("a", "uci", "mate 4"), saying("b", "uci", "cp 5 wdl 0 10 990"), true),
        (both, saying("a", "uci", "cp 650"), saying("b", "uci", "cp -599"), false),
        (both, saying("a", "uci", "cp 650"), PlayerConfig::random(), false),
        (loser, saying("a", "uci", "cp 0"), saying("b", "uci", "cp -600"), true),
        (loser, PlayerConfig::random(), saying("b", "uci", "mate -2"), true),
        (loser, saying("a", "uci", "cp 900"), PlayerConfig::random(), false),
    ]
    .into_iter()
    .enumerate()
    {
        let path = folder.path().join(format!("{number}.jsonl"));
        let adjudication = Adjudication { win: Some(rule), draw: None };
        let config = MatchConfig { pairs: 2, max_plies: 24, threads: 1, adjudication, ..MatchConfig::default() };
        let report = play(XIANGQI, &config, [&winner, &loser], &path);
        let games = entries(&path);
        let by_score = games.iter().filter(|game| game.termination == Termination::Adjudicated).count();
        // Unless a move is forced or a side is mated; neither is likely this early.
        assert_eq!(by_score, if ended { 4 } else { 0 }, "{number}: {report}");
        if !ended {
            continue;
        }
        for game in &games {
            assert_eq!(game.result_of_first_named(), 1, "{number}");
            assert!(
                game.reason.starts_with("win by score: 600 centipawns or more for 3 moves, by "),
                "{}",
                game.reason
            );
            // Three moves of each, or three of the loser, after six plies of the opening.
            let expected = if rule.by == Agreement::Both || game.side_of_first_named == Side::First { 12 } else { 11 };
            assert_eq!(game.plies, expected, "{number}: {game:?}");
        }
        assert_eq!(report.adjudicated.values().sum::<u64>(), 4);
    }
}

#[test]
fn the_last_exact_score_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let config = MatchConfig { pairs: 1, max_plies: 20, threads: 1, ..MatchConfig::default() };
    play(XIANGQI, &config, [&saying("a", "ucci", "-12"), &saying("b", "uci", "cp 77 upperbound")], &path);
    for game in entries(&path) {
        for (ply, score) in game.scores.iter().enumerate().skip(6) {
            let named_first = (ply % 2 == 0) == (game.side_of_first_named == Side::First);
            // The engine is not asked for a move that is the only legal one.
            let said = if named_first { -12 } else { 77 };
            assert!(score.is_none_or(|score| score.centipawns() == said), "{game:?}");
        }
        assert!(game.scores.iter().flatten().count() > 10);
    }
}
