//! Moves, check, positions after moves and results of whole games against pyffish.

use crate::chance::Style;
use crate::play;
use peers::or_skip;
use peers::pyffish::{Answer, Pyffish, Question};
use rules::{Game, Janggi, Rules, Shogi, Termination, Variant, Wangqi, Xiangqi};
use std::collections::BTreeMap;

/// A question and what we say ourselves.
struct Case {
    question: Question,
    ours: Answer,
    termination: Option<Termination>,
}

fn case<V: Variant>(variant: &'static str, game: &Game<V>, with_history: bool) -> Case {
    let position = game.position();
    let mut legal = rules::MoveList::new();
    game.legal_moves(&mut legal);
    let outcome = game.outcome(&legal);
    let (fen, moves) = match with_history {
        true => (game.start_position().fen(), play::moves_of(game)),
        false => (position.fen(), Vec::new()),
    };
    Case {
        question: Question { variant, fen, moves },
        ours: Answer {
            fen: position.fen(),
            check: position.is_check(),
            end: outcome.map(|outcome| outcome.score(position.side()) as i8),
            legal: play::legal_moves(position),
        },
        termination: outcome.map(|outcome| outcome.termination),
    }
}

/// How pyffish calls the variant, and what differs there on purpose: see `docs/reference/rules/`.
struct Theirs {
    variant: &'static str,
    /// Ends that pyffish does not know, or judges by another rule.
    ends: &'static [Termination],
    /// Whether pyffish lists pawn drops that mate.
    drop_mates: bool,
    /// Whether pyffish has ends that we do not have, so that it may end a game that continues here.
    further_ends: bool,
    /// Ends of games that must be compared at least.
    least_results: u64,
}

impl Theirs {
    /// A variant whose other ends are the same in both programs.
    const fn with_ends(variant: &'static str, ends: &'static [Termination]) -> Theirs {
        Theirs { variant, ends, drop_mates: false, further_ends: false, least_results: 150 }
    }
}

/// Board, hands and side: Fairy-Stockfish keeps its counters in its own way.
fn without_counters(fen: &str) -> String {
    fen.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

fn compare<V: Variant>(rules: Rules<V>, theirs: &Theirs) {
    let &Theirs { variant, ends, drop_mates, further_ends, least_results } = theirs;
    let Some(oracle) = or_skip(Pyffish::find()) else { return };
    let (mut positions, mut returning, mut games) = (Vec::new(), Vec::new(), Vec::new());
    play::games(rules, |game, legal, style, _| {
        if game.outcome(legal).is_some() {
            games.push(case(variant, game, true));
        } else if game.ply() % 4 == 0 {
            positions.push(case(variant, game, false));
            if style == Style::Shuttling {
                returning.push(case(variant, game, true));
            }
        }
    });
    let (positions, returning) = (play::sample(positions, 1_200), play::sample(returning, 200));
    assert!(positions.len() >= 1_000 && games.len() as u64 == play::GAMES, "{}: {} positions", V::ID, positions.len());

    let cases: Vec<Case> = positions.into_iter().chain(returning).chain(games).collect();
    let questions: Vec<Question> = cases.iter().map(|case| case.question.clone()).collect();
    let answers = oracle.ask(&questions).unwrap_or_else(|error| panic!("{error}"));
    let (mut results, mut left_out) = (BTreeMap::new(), Vec::new());
    for (Case { question, ours, termination }, theirs) in cases.iter().zip(answers) {
        assert_eq!(without_counters(&theirs.fen), without_counters(&ours.fen), "{question:?}");
        assert_eq!(theirs.check, ours.check, "{question:?}");
        // The legal moves after an end do not matter: pyffish lets a general be taken there.
        if termination.is_none() || ours.legal.is_empty() {
            let fewer: Vec<&String> = ours.legal.difference(&theirs.legal).collect();
            let more: Vec<&String> = theirs.legal.difference(&ours.legal).collect();
            let known = more.is_empty() || drop_mates && more.iter().all(|mv| mv.starts_with("P@"));
            assert!(fewer.is_empty() && known, "not in pyffish {fewer:?}, only there {more:?}: {question:?}");
            left_out.extend(more.into_iter().map(|mv| {
                let (fen, moves) = (ours.fen.clone(), vec![mv.clone()]);
                Question { variant, fen, moves }
            }));
        }
        let comparable = termination.map_or(!further_ends, |end| !ends.contains(&end));
        if comparable && !question.moves.is_empty() {
            assert_eq!(theirs.end, ours.end, "{termination:?}: {question:?}");
            if let Some(end) = termination {
                *results.entry(end.name()).or_insert(0) += 1;
            }
        }
    }
    for (question, answer) in left_out.iter().zip(oracle.ask(&left_out).unwrap_or_else(|error| panic!("{error}"))) {
        assert!(answer.check && answer.legal.is_empty(), "only pyffish lists {question:?}, which does not mate");
    }
    println!("{variant}: {} positions, {} drop mates; {} games: {results:?}", cases.len(), left_out.len(), play::GAMES);
    assert!(results.values().sum::<u64>() >= least_results, "{variant}: too few results could be compared");
}

/// A ply limit is ours alone; with this one nearly all random games end by another rule.
const FAR: u32 = 2_000;

fn janggi(name: &str, variant: &'static str) {
    let rules = Rules::<Janggi>::named(name).expect("a preset of Janggi").with_max_plies(FAR);
    let ends = &[Termination::MaxPlies, Termination::InsufficientMaterial];
    compare(rules, &Theirs::with_ends(variant, ends));
}

#[test]
fn janggi_by_points() {
    janggi("fairy", "janggi");
}

#[test]
fn janggi_traditional() {
    janggi("fairy-traditional", "janggitraditional");
}

#[test]
fn janggi_casual() {
    janggi("fairy-casual", "janggicasual");
}

/// Of the game online, Fairy-Stockfish knows repetition and the end after a number of plies in another form: see
/// `docs/reference/rules/janggi.md`. So mate is the one end to compare, and few of the games come to it.
#[test]
fn janggi_online() {
    let rules = Rules::<Janggi>::named("kakao").expect("a preset of Janggi");
    let ends =
        &[Termination::Repetition, Termination::Points, Termination::MaxPlies, Termination::InsufficientMaterial];
    compare(rules, &Theirs { further_ends: true, least_results: 10, ..Theirs::with_ends("janggimodern", ends) });
}

#[test]
fn shogi() {
    let ends = &[Termination::MaxPlies, Termination::Impasse];
    let rules = Rules::<Shogi>::default().with_max_plies(FAR);
    compare(rules, &Theirs { drop_mates: true, ..Theirs::with_ends("shogi", ends) });
}

#[test]
fn wangqi() {
    let rules = Rules::<Wangqi>::default().with_max_plies(FAR);
    compare(rules, &Theirs::with_ends("wangqi", &[Termination::MaxPlies]));
}

#[test]
fn xiangqi() {
    use Termination::{InsufficientMaterial, MaxPlies, PerpetualChase, PerpetualThreat};
    let ends = &[MaxPlies, InsufficientMaterial, PerpetualChase, PerpetualThreat];
    let rules = Rules::<Xiangqi>::default().with_max_plies(FAR);
    compare(rules, &Theirs::with_ends("xiangqi", ends));
}
