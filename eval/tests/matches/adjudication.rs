//! Games that the players' scores end.

use super::{network, play};
use engine::Score;
use eval::{Adjudication, DrawRule, MatchConfig, PlayerConfig, log};
use rules::{GameResult, Termination, VariantId};
use search::{EvaluationError, Evaluations, Evaluator, LeafBatch, SearchConfig};

const WANGQI: VariantId = VariantId::Wangqi;

/// Evaluates every position with the same win, draw and loss of the side to move.
struct FixedWdl([f32; 3]);

impl Evaluator for FixedWdl {
    fn batch_size(&self) -> usize {
        4
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        out.clear();
        out.logits.resize(batch.tokens.len(), 0.0);
        out.wdl.resize(batch.len(), self.0);
        Ok(())
    }
}

/// A network that looks only at the position before it and gives it these chances.
fn sure(name: &str, wdl: [f32; 3]) -> PlayerConfig {
    let search = SearchConfig { visits: 1, ..SearchConfig::default() };
    PlayerConfig::network(name, name, &search, move || Ok(Box::new(FixedWdl(wdl)) as Box<dyn Evaluator>))
}

fn config(adjudication: Adjudication) -> MatchConfig {
    MatchConfig { pairs: 3, max_plies: 60, adjudication, ..MatchConfig::default() }
}

#[test]
fn off_by_default_and_then_nothing_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let drawish = [sure("a", [0.0, 1.0, 0.0]), sure("b", [0.0, 1.0, 0.0])];
    let report = play(WANGQI, &config(Adjudication::default()), &drawish[0], &drawish[1], &path);
    assert!(!report.terminations.contains_key("adjudicated") && report.adjudicated.is_empty(), "{report}");
    let first = std::fs::read_to_string(&path).unwrap().lines().next().unwrap().to_owned();
    assert!(!first.contains("adjudication"), "the first line is as it was before there was adjudication: {first}");
}

#[test]
fn draws_by_score_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let draw = DrawRule { score: 20, moves: 3, from: 16 };
    let rules = Adjudication { win: None, draw: Some(draw) };
    let [a, b] = [sure("a", [0.0, 1.0, 0.0]), sure("b", [0.01, 0.99, 0.0])];
    let report = play(WANGQI, &config(rules), &a, &b, &path);
    println!("{report}");
    let games = log::read(&path).unwrap().games;
    let drawn: Vec<_> = games.values().filter(|game| game.termination == Termination::Adjudicated).collect();
    assert!(drawn.len() >= 4, "{report}");
    for game in &drawn {
        assert_eq!((game.result, game.plies), (GameResult::Draw, 16), "6 plies of the opening, 10 of level play");
        assert_eq!(game.reason, "draw by score: within 20 centipawns for 3 moves each, from ply 16");
        assert!(game.scores[..6].iter().all(Option::is_none) && game.scores.len() == 16);
        assert!(game.scores[6..].iter().flatten().all(|score| score.centipawns().abs() <= 3));
    }
    assert_eq!(report.terminations["adjudicated"], drawn.len() as u64);
    assert_eq!(report.adjudicated[&drawn[0].reason], drawn.len() as u64);
    assert!(report.to_string().contains(&format!("adjudicated {}: draw by score", drawn.len())), "{report}");

    // The settings are part of the match.
    let other = Adjudication { draw: Some(DrawRule { from: 20, ..draw }), ..rules };
    let error = eval::Match { variant: WANGQI, config: &config(other), players: [&a, &b], log: &path }
        .play(&false.into(), |_| {})
        .unwrap_err();
    assert!(error.to_string().contains("adjudication.draw.from is 20 now and 16 in the log"), "{error}");
}

#[test]
fn scores_are_those_of_the_players_and_of_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let quiet = config(Adjudication::default());
    play(WANGQI, &quiet, &PlayerConfig::greedy(), &PlayerConfig::random(), &path);
    assert!(log::read(&path).unwrap().games.values().all(|game| game.scores.is_empty()));
    let path = folder.path().join("other.jsonl");
    play(WANGQI, &quiet, &PlayerConfig::mcts(30), &network("net", 1, 8), &path);
    let games = log::read(&path).unwrap().games;
    assert!(games.values().all(|game| game.scores.len() == game.plies as usize));
    let said = |game: &eval::GameEntry, parity: usize| game.scores.iter().skip(6 + parity).step_by(2).flatten().count();
    assert!(games.values().all(|game| said(game, 0) > 0 && said(game, 1) > 0));
    // In PGN an evaluation is White's, in pawns.
    let recorded = log::read(&path).unwrap();
    let game = recorded.games.values().find(|game| game.scores[6..8].iter().all(Option::is_some)).unwrap();
    let text = eval::pgn::export(recorded.header.as_ref().unwrap(), &recorded.games);
    let word = |score: Score, sign: i32| match score.mate() {
        Some(mate) => format!("{{[%eval #{}]}}", sign * mate),
        None => format!("{{[%eval {:.2}]}}", f64::from(sign * score.centipawns()) / 100.0),
    };
    let moves: Vec<&str> = game.moves.split_whitespace().collect();
    let expected = format!(
        "4. {} {} {} {}",
        moves[6],
        word(game.scores[6].unwrap(), 1),
        moves[7],
        word(game.scores[7].unwrap(), -1)
    );
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains(&expected), "{expected}\n{flat}");
}

#[test]
fn a_log_with_the_wrong_number_of_scores_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    play(WANGQI, &config(Adjudication::default()), &network("a", 1, 4), &network("b", 2, 4), &path);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"scores\":[null,"));
    std::fs::write(&path, text.replacen("\"scores\":[null,", "\"scores\":[", 1)).unwrap();
    assert!(log::read(&path).unwrap_err().to_string().contains("checksum"), "one is missing");
}
