//! Against Fairy-Stockfish's rules, by its Python module pyffish (0.0.90; `pip install pyffish`).
//!
//! Without pyffish the test says so and passes; with `KIRIN_ORACLES=required` that is a failure. The Python
//! is `KIRIN_PYTHON`, or `python3`.

#[path = "contract/chance.rs"]
mod chance;

use chance::Style;
use rules::{Game, MoveList, Outcome, Rules, Shogi, Side, Termination, Variant, Wangqi, Xiangqi};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

fn python() -> String {
    std::env::var("KIRIN_PYTHON").unwrap_or_else(|_| "python3".into())
}

fn oracle_is_here() -> bool {
    let here = Command::new(python()).args(["-c", "import pyffish"]).output().is_ok_and(|run| run.status.success());
    if !here {
        let required = std::env::var("KIRIN_ORACLES").is_ok_and(|value| value == "required");
        assert!(!required, "{} cannot import pyffish", python());
        eprintln!("SKIPPED: {} cannot import pyffish, so nothing was compared", python());
    }
    here
}

/// A position and what we say of it.
struct Question {
    line: String,
    fen: String,
    check: bool,
    end: Option<&'static str>,
    termination: Option<Termination>,
    legal: BTreeSet<String>,
}

fn question<V: Variant>(game: &Game<V>, with_history: bool) -> Question {
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    let position = game.position();
    let line = if with_history {
        let mut replay = Game::from_position(*game.rules(), game.start_position().clone());
        let mut texts = Vec::new();
        for &mv in game.moves() {
            texts.push(replay.position().format_move(mv));
            replay.play(mv);
        }
        format!("{}\t{}\t{}", V::ID, V::START, texts.join(" "))
    } else {
        format!("{}\t{}\t", V::ID, position.fen())
    };
    let for_mover = |outcome: Outcome, side: Side| match outcome.score(side) {
        score if score > 0.0 => "win",
        score if score < 0.0 => "loss",
        _ => "draw",
    };
    let outcome = game.outcome(&legal);
    Question {
        line,
        fen: position.fen(),
        check: position.is_check(),
        end: outcome.map(|outcome| for_mover(outcome, position.side())),
        termination: outcome.map(|outcome| outcome.termination),
        legal: legal.iter().map(|&mv| position.format_move(mv)).collect(),
    }
}

/// Positions of games by chance, and whole games; those that shuttle are asked about on the way too.
fn questions<V: Variant>(rules: Rules<V>) -> (Vec<Question>, Vec<Question>) {
    let (mut positions, mut histories) = (Vec::new(), Vec::new());
    for seed in 0..200 {
        let style = [Style::Any, Style::Lively, Style::Shuttling][seed as usize % 3];
        let mut last = None;
        chance::play(rules, style, seed, |game, legal| {
            if game.ply() % 16 == seed as u32 % 16 {
                positions.push(question(game, false));
            }
            if style == Style::Shuttling && game.ply() % 8 == 0 {
                histories.push(question(game, true));
            }
            if game.outcome(legal).is_some() {
                last = Some(question(game, true));
            }
        });
        histories.extend(last);
    }
    (positions, histories)
}

/// Asks all questions in one run of the oracle: its answers, field by field.
fn ask(questions: &[Question]) -> Vec<Vec<String>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracles");
    let mut oracle = Command::new(python())
        .args([format!("{folder}/fairy.py"), format!("{folder}/wangqi.ini")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python starts");
    let mut input = oracle.stdin.take().expect("a pipe");
    let lines: String = questions.iter().map(|question| format!("{}\n", question.line)).collect();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = oracle.wait_with_output().expect("the oracle answers");
    writer.join().expect("no panic").expect("all questions are read");
    let answers = String::from_utf8(output.stdout).expect("text");
    let answers: Vec<_> = answers.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect();
    assert_eq!(answers.len(), questions.len(), "{:?}", output.status);
    answers
}

/// Board, hands and side: Fairy-Stockfish keeps its counters in its own way.
fn without_counters(fen: &str) -> String {
    fen.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

/// Compares moves, check and the position after the moves; `ends` says which ends are the same rule on both sides.
fn compare<V: Variant>(rules: Rules<V>, ends: impl Fn(&Question) -> bool) {
    let (positions, histories) = questions(rules);
    assert!(positions.len() >= 1_000, "{}: {} positions", V::ID, positions.len());
    println!("{}: {} positions, {} histories", V::ID, positions.len(), histories.len());
    for (set, with_ends) in [(&positions, false), (&histories, true)] {
        for (question, answer) in set.iter().zip(ask(set)) {
            let [fen, check, end, legal] = &answer[..] else { panic!("four fields: {answer:?}") };
            assert_eq!(without_counters(fen), without_counters(&question.fen), "{}", question.line);
            assert_eq!(check == "check", question.check, "{}", question.line);
            let legal: BTreeSet<String> = legal.split_whitespace().map(str::to_owned).collect();
            assert_eq!(legal, question.legal, "{}", question.line);
            if with_ends && ends(question) {
                assert_eq!(end, question.end.unwrap_or("-"), "{}", question.line);
            }
        }
    }
}

#[test]
fn wangqi() {
    if oracle_is_here() {
        // All ends are the same rules, but for the limit of plies, which is ours alone.
        compare::<Wangqi>(Rules::default(), |question| question.termination != Some(Termination::MaxPlies));
    }
}

#[test]
fn shogi() {
    if oracle_is_here() {
        // Kings in the enemy camps and the limit of plies are ours alone.
        let same = |question: &Question| {
            !matches!(
                question.termination,
                Some(Termination::MaxPlies | Termination::Impasse | Termination::Declaration)
            )
        };
        compare::<Shogi>(Rules::default(), same);
    }
}

#[test]
fn xiangqi() {
    if oracle_is_here() {
        // Repetition and quiet plies are judged otherwise (see README.md): only "no legal move" is compared.
        compare::<Xiangqi>(Rules::default(), |question| question.legal.is_empty());
    }
}
