//! Moves, check, positions after moves and results of whole games against pyffish.

use crate::chance::Style;
use crate::play;
use peers::or_skip;
use peers::pyffish::{Answer, Pyffish, Question};
use rules::{Game, Janggi, Rules, Shogi, Termination, Variant, Wangqi, Xiangqi};

/// A question and what we say ourselves.
struct Case {
    question: Question,
    ours: Answer,
    termination: Option<Termination>,
}

fn case<V: Variant>(game: &Game<V>, with_history: bool) -> Case {
    let position = game.position();
    let mut legal = rules::MoveList::new();
    game.legal_moves(&mut legal);
    let outcome = game.outcome(&legal);
    let (fen, moves) = match with_history {
        true => (game.start_position().fen(), play::moves_of(game)),
        false => (position.fen(), Vec::new()),
    };
    Case {
        question: Question { variant: V::ID, fen, moves },
        ours: Answer {
            fen: position.fen(),
            check: position.is_check(),
            end: outcome.map(|outcome| outcome.score(position.side()) as i8),
            legal: play::legal_moves(position),
        },
        termination: outcome.map(|outcome| outcome.termination),
    }
}

/// What differs from pyffish on purpose: see `rules/README.md`.
struct Differences {
    /// Ends that pyffish does not know, or judges by another rule.
    ends: &'static [Termination],
    /// Whether pyffish lists pawn drops that mate.
    drop_mates: bool,
}

/// Board, hands and side: Fairy-Stockfish keeps its counters in its own way.
fn without_counters(fen: &str) -> String {
    fen.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

fn compare<V: Variant>(rules: Rules<V>, differences: &Differences) {
    let Some(oracle) = or_skip(Pyffish::find()) else { return };
    let (mut positions, mut returning, mut games) = (Vec::new(), Vec::new(), Vec::new());
    play::games(rules, |game, legal, style, _| {
        if game.outcome(legal).is_some() {
            games.push(case(game, true));
        } else if game.ply() % 4 == 0 {
            positions.push(case(game, false));
            if style == Style::Shuttling {
                returning.push(case(game, true));
            }
        }
    });
    let (positions, returning) = (play::sample(positions, 1_200), play::sample(returning, 200));
    assert!(positions.len() >= 1_000 && games.len() as u64 == play::GAMES, "{}: {} positions", V::ID, positions.len());

    let cases: Vec<Case> = positions.into_iter().chain(returning).chain(games).collect();
    let questions: Vec<Question> = cases.iter().map(|case| case.question.clone()).collect();
    let answers = oracle.ask(&questions).unwrap_or_else(|error| panic!("{error}"));
    let (mut results, mut drop_mates) = (0, Vec::new());
    for (Case { question, ours, termination }, theirs) in cases.iter().zip(answers) {
        assert_eq!(without_counters(&theirs.fen), without_counters(&ours.fen), "{question:?}");
        assert_eq!(theirs.check, ours.check, "{question:?}");
        // Whoever could move after an end does not matter: pyffish lets a general be taken there.
        if termination.is_none() || ours.legal.is_empty() {
            let fewer: Vec<&String> = ours.legal.difference(&theirs.legal).collect();
            let more: Vec<&String> = theirs.legal.difference(&ours.legal).collect();
            let known = more.is_empty() || differences.drop_mates && more.iter().all(|mv| mv.starts_with("P@"));
            assert!(fewer.is_empty() && known, "not in pyffish {fewer:?}, only there {more:?}: {question:?}");
            drop_mates.extend(more.into_iter().map(|mv| Question {
                variant: V::ID,
                fen: ours.fen.clone(),
                moves: vec![mv.clone()],
            }));
        }
        let known = termination.is_none_or(|end| !differences.ends.contains(&end));
        if known && !question.moves.is_empty() {
            assert_eq!(theirs.end, ours.end, "{termination:?}: {question:?}");
            results += usize::from(termination.is_some());
        }
    }
    for (question, answer) in drop_mates.iter().zip(oracle.ask(&drop_mates).unwrap_or_else(|error| panic!("{error}"))) {
        assert!(answer.check && answer.legal.is_empty(), "only pyffish lists {question:?}, which does not mate");
    }
    assert!(results >= 150, "{}: only {results} results could be compared", V::ID);
    println!(
        "{}: {} positions; {} games, {results} results compared; {} drop mates",
        V::ID,
        cases.len(),
        play::GAMES,
        drop_mates.len()
    );
}

/// A limit of plies is ours alone; this one lets nearly all games by chance come to another end.
const FAR: u32 = 2_000;

#[test]
fn janggi() {
    let mut preset = Rules::<Janggi>::default().preset();
    (preset.perpetual_check_loses, preset.no_progress_plies) = (true, 100);
    compare::<Janggi>(
        Rules::default().with_preset(preset).with_max_plies(FAR),
        &Differences { ends: &[Termination::MaxPlies, Termination::InsufficientMaterial], drop_mates: false },
    );
}

#[test]
fn shogi() {
    compare::<Shogi>(
        Rules::default().with_max_plies(FAR),
        &Differences { ends: &[Termination::MaxPlies, Termination::Impasse], drop_mates: true },
    );
}

#[test]
fn wangqi() {
    compare::<Wangqi>(
        Rules::default().with_max_plies(FAR),
        &Differences { ends: &[Termination::MaxPlies], drop_mates: false },
    );
}

#[test]
fn xiangqi() {
    let ends = &[
        Termination::MaxPlies,
        Termination::InsufficientMaterial,
        Termination::PerpetualChase,
        Termination::PerpetualThreat,
    ];
    compare::<Xiangqi>(Rules::default().with_max_plies(FAR), &Differences { ends, drop_mates: false });
}
