//! The crate's wangqi and the reference's are one game.

use crate::against::{self, compare_wins, ranks};
use crate::reference::{self, Board, End};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Outcome, Position, Rules, Side, Termination, Wangqi};
use std::collections::BTreeSet;

const MAX_PLIES: u32 = 240;

fn compare(position: &Position<Wangqi>) {
    let board = Board::read(&position.fen());
    let after = board.moves().into_iter().map(|(mv, next)| (mv, next.text()));
    against::compare(position, &board.text(), board.check(), after);
}

fn expected(outcome: Option<Outcome>) -> Option<End> {
    let by = |outcome: Outcome| match outcome.termination {
        Termination::Checkmate => "checkmate",
        Termination::Stalemate => "stalemate",
        Termination::PerpetualCheck => "perpetual_check",
        other => panic!("nobody wins by {other}"),
    };
    outcome.map(|outcome| match outcome.winner() {
        Some(winner) => End::Wins { sente: winner == Side::First, by: by(outcome) },
        None => End::Draw,
    })
}

/// Mostly any move; often one that captures, drops or promotes, or one that takes the last back.
fn choose(game: &Game<Wangqi>, legal: &[Move], rng: &mut ChaCha8Rng, shuttles: bool) -> Move {
    let position = game.position();
    let back = game.moves().len().checked_sub(2).map(|at| game.moves()[at]);
    let wanted: Vec<Move> = if shuttles {
        let back = back.and_then(|last| Some(Move::board(last.destination(), last.source_square()?)));
        legal.iter().copied().filter(|&mv| Some(mv) == back).collect()
    } else {
        let lively = |mv: Move| mv.source_square().is_none() || !position.cell(mv.destination()).is_empty();
        legal.iter().copied().filter(|&mv| lively(mv)).collect()
    };
    let pool = if !wanted.is_empty() && rng.random_range(0..3) > 0 { &wanted } else { legal };
    pool[rng.random_range(0..pool.len())]
}

#[test]
fn moves_and_results_of_games() {
    let (mut positions, mut ends) = (0, BTreeSet::new());
    for seed in 0..76 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut game = Game::<Wangqi>::start(Rules::default().with_max_plies(MAX_PLIES));
        let mut boards = vec![Board::read(&game.position().fen())];
        let mut legal = MoveList::new();
        loop {
            compare(game.position());
            positions += 1;
            game.legal_moves(&mut legal);
            let outcome = game.outcome(&legal);
            assert_eq!(
                expected(outcome),
                reference::end(&boards, MAX_PLIES as usize),
                "seed {seed} ply {}",
                game.ply()
            );
            if let Some(outcome) = outcome {
                ends.insert(outcome.termination.name());
                break;
            }
            let mv = choose(&game, &legal, &mut rng, seed % 4 == 3);
            let next = boards[boards.len() - 1].moves()[&game.position().format_move(mv)].clone();
            game.play(mv);
            boards.push(next);
        }
    }
    println!("{positions} positions, ends: {ends:?}");
    assert!(positions >= 10_000 && ends.contains("checkmate") && ends.contains("repetition"), "{positions} {ends:?}");
}

/// A board with stones strewn at random: pins, double checks and full hands that play seldom shows.
fn strewn(rng: &mut ChaCha8Rng) -> Option<Position<Wangqi>> {
    let stones = rng.random_range(2..30);
    let mut squares = vec![String::new(); 64];
    let mut hands = String::new();
    let mut codes: Vec<String> = vec!["K".into(), "k".into()];
    for _ in 0..stones {
        let letter = ["P", "P", "L", "N", "S", "B", "R", "I"][rng.random_range(0..8)];
        let letter = if rng.random_range(0..2) == 0 { letter.to_owned() } else { letter.to_ascii_lowercase() };
        match rng.random_range(0..8) {
            0 => hands += &letter,
            1..=3 => codes.push(format!("+{letter}")),
            _ => codes.push(letter),
        }
    }
    for code in codes {
        let square = rng.random_range(0..64);
        if squares[square].is_empty() {
            squares[square] = code;
        }
    }
    let side = if rng.random_range(0..2) == 0 { "w" } else { "b" };
    Position::from_fen(&format!("{}[{hands}] {side}", ranks(&squares, 8))).ok()
}

#[test]
fn strewn_stones() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let positions: Vec<_> = std::iter::repeat_with(|| strewn(&mut rng)).flatten().take(4_000).collect();
    let checks = positions.iter().filter(|position| position.is_check()).count();
    let over = positions.iter().filter(|position| position.perft(1) == 0).count();
    println!("{checks} checks, {over} without a move");
    assert!(checks > 400 && over > 4, "{checks} checks, {over} without a move");
    positions.iter().for_each(compare);
}

/// Many more strewn boards for the wins in one alone: mates by the line a move opens are rare.
#[test]
fn wins_on_strewn_boards() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut legal = MoveList::new();
    let mut mates = 0;
    for position in std::iter::repeat_with(|| strewn(&mut rng)).flatten().take(20_000) {
        position.legal_moves(&mut legal);
        mates += compare_wins(&position, &legal).0;
    }
    println!("{mates} mates");
    assert!(mates > 1_000, "{mates}");
}

/// Stalemates at the limits of what the fast code relies on.
#[test]
fn stalemates_of_many_pieces() {
    // Five knights, all pinned: whatever does not check or let one go is stalemate.
    let (_, stalemates) = wins("R1nkn2R/2nnn3/8/B7/7B/8/8/K2R4[] w - - 0 1");
    assert!(stalemates > 10, "{stalemates}");
    // Three knights can still move; d2a5 takes one, pins one, and opens the line on which the rook pins one.
    assert_eq!(wins("R1nkn2R/2nnn3/8/n7/7B/8/3B4/K2R4[] w - - 0 1"), (0, 1));
}

fn wins(fen: &str) -> (usize, usize) {
    let position = Position::<Wangqi>::from_fen(fen).expect(fen);
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    compare_wins(&position, &legal)
}

/// Few stones against a nearly bare king: stalemates in one, which random games do not show.
#[test]
fn stalemates_in_one() {
    let mut rng = ChaCha8Rng::seed_from_u64(64);
    let mut stalemates = 0;
    let mut legal = MoveList::new();
    for _ in 0..60_000 {
        let mut squares = [""; 64];
        let corner = [0, 7, 56, 63, 1, 3][rng.random_range(0..6)];
        squares[corner] = "k";
        for code in ["K", "R", "I", "B", "S", "p", "l", "n"] {
            let square = rng.random_range(0..64);
            if squares[square].is_empty() && (code == "K" || rng.random_range(0..2) == 0) {
                squares[square] = code;
            }
        }
        let Ok(position) = Position::<Wangqi>::from_fen(&format!("{}[] w", ranks(&squares, 8))) else { continue };
        position.legal_moves(&mut legal);
        stalemates += compare_wins(&position, &legal).1;
    }
    println!("{stalemates} stalemates");
    assert!(stalemates > 100, "{stalemates}");
}
