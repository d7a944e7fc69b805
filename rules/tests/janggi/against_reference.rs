//! The crate's Janggi and the reference's are one game.

use crate::against::{self, position_after};
use crate::reference::{Board, Ends, Point, in_palace, verdict};
use crate::vectors::rules;
use crate::vectors_of_text::described;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Janggi, Move, MoveList, Position};
use std::collections::BTreeMap;

/// Compares a position, by the rules that it has, and returns the board of the reference.
fn compare(position: &Position<Janggi>, may_face: bool) -> Board {
    let board = Board { may_face, ..Board::read(&position.fen()) };
    let after = board.moves().into_iter().map(|(mv, next)| (mv, next.text()));
    against::compare(position, &board.text(), board.attacked(board.cho_to_move), after);
    board
}

#[test]
fn moves_of_games() {
    let mut positions = 0;
    let setups = ["inner", "outer", "left", "right", "fifth"];
    for seed in 0..40 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let chosen = [(); 2].map(|()| *setups.choose(&mut rng).expect("five"));
        let mut position = Position::<Janggi>::start_with(chosen).expect("setups");
        let mut legal = MoveList::new();
        for _ in 0..120 {
            compare(&position, false);
            positions += 1;
            position.legal_moves(&mut legal);
            let captures: Vec<Move> = legal
                .iter()
                .copied()
                .filter(|mv| !mv.is_pass() && !position.cell(mv.destination()).is_empty())
                .collect();
            let pool = if rng.random_range(0..3) == 0 && !captures.is_empty() { &captures[..] } else { &legal[..] };
            let Some(&mv) = pool.choose(&mut rng) else { break };
            position.play(mv);
        }
    }
    assert!(positions > 3_000, "{positions}");
}

/// A board with generals in their palaces and `others` pieces anywhere, most of them where they matter to a general.
fn strewn(rng: &mut ChaCha8Rng, others: usize) -> Position<Janggi> {
    const RANKS: [i32; 6] = [0, 1, 2, 7, 8, 9];
    const LETTERS: [char; 9] = ['C', 'C', 'C', 'R', 'R', 'N', 'B', 'P', 'A'];
    let mut pieces: BTreeMap<Point, char> = BTreeMap::new();
    pieces.insert((rng.random_range(3..6), rng.random_range(0..3)), 'K');
    pieces.insert((rng.random_range(3..6), rng.random_range(7..10)), 'k');
    for _ in 0..others {
        let at = match rng.random_range(0..4) {
            0 => (rng.random_range(3..6), RANKS[rng.random_range(0..RANKS.len())]),
            1 => (rng.random_range(3..6), rng.random_range(0..10)),
            2 => (rng.random_range(0..9), RANKS[rng.random_range(0..RANKS.len())]),
            _ => (rng.random_range(0..9), rng.random_range(0..10)),
        };
        let letter = LETTERS[rng.random_range(0..LETTERS.len())];
        let cho = rng.random();
        if letter == 'A' && !in_palace(cho, at) {
            continue;
        }
        pieces.entry(at).or_insert(if cho { letter } else { letter.to_ascii_lowercase() });
    }
    let fen = Board { pieces, cho_to_move: rng.random(), may_face: false }.text();
    Position::from_fen(&fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

#[test]
fn moves_on_strewn_boards() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (mut positions, mut checks, mut facing, mut both, mut mates) = (0, 0, 0, 0, 0);
    for number in 0..8_000 {
        let position = strewn(&mut rng, 1 + number % 24);
        let board = compare(&position, false);
        compare(&position.clone().under(&rules("casual")), true);
        positions += 1;
        checks += usize::from(position.is_check());
        facing += usize::from(board.facing());
        both += usize::from(board.facing() && position.is_check());
        mates += usize::from(position.perft(1) == 0);
    }
    let counts = (positions, checks, facing, both, mates);
    assert!(positions > 4_000 && checks > 1_000 && facing > 300 && both > 100 && mates > 20, "{counts:?}");
    println!("{counts:?}: positions, checks, facing, facing and in check, mates");
}

/// Presets by turns, two of them twice.
const NAMES: [&str; 8] =
    ["kja", "traditional", "fairy", "casual", "kja", "traditional", "fairy-traditional", "fairy-casual"];

/// Games from strewn boards whose players check, shuttle and pass a good deal: the outcome after every ply.
#[test]
fn ends_of_games() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let mut legal = MoveList::new();
    for number in 0..4_000 {
        let name = NAMES[number % NAMES.len()];
        let may_face = name.ends_with("casual");
        let max_plies = 30 + number % 60;
        let rules = rules(name).with_max_plies(max_plies as u32);
        let ends = Ends {
            points_decide: !name.ends_with("traditional") && !may_face,
            fairy: name.starts_with("fairy"),
            quiet_before: 76,
            max_plies,
        };
        let board = Board { may_face, ..Board::read(&strewn(&mut rng, number % 9).fen()) };
        let start = Position::from_fen(&format!("{} - - 76 1", board.text())).expect("the same board");
        let mut boards = vec![board];
        if boards[0].attacked(!boards[0].cho_to_move) {
            continue; // no game begins so
        }
        let mut game = Game::<Janggi>::from_position(rules, start);
        loop {
            game.legal_moves(&mut legal);
            let outcome = game.outcome(&legal).map(described);
            assert_eq!(outcome, verdict(&boards, ends), "{name} {}\n{}", boards[0].text(), game.position().draw());
            if let Some(outcome) = outcome {
                let reason = outcome.split(' ').nth(1).expect("a reason").to_owned();
                *found.entry(reason).or_default() += 1;
                break;
            }
            game.play(choose(&game, &legal, number, &mut rng));
            boards.push(Board { may_face, ..Board::read(&game.position().fen()) });
        }
    }
    println!("{found:?}");
    for reason in [
        "checkmate",
        "bikjang",
        "mutual_pass",
        "repetition",
        "perpetual_check",
        "no_progress",
        "insufficient_material",
        "points",
        "max_plies",
    ] {
        assert!(found.get(reason).is_some_and(|&count| count > 10), "{reason}: {found:?}");
    }
}

/// In two games of three the players check if they can, and take their last moves back if they can; else they
/// seldom do, and sometimes pass.
fn choose(game: &Game<Janggi>, legal: &[Move], number: usize, rng: &mut ChaCha8Rng) -> Move {
    let position = game.position();
    let persistent = number % 9 < 6;
    let [.., last, _] = game.moves() else {
        let checks: Vec<Move> = legal.iter().copied().filter(|&mv| position_after(position, mv).is_check()).collect();
        return *checks.choose(rng).filter(|_| persistent).unwrap_or_else(|| legal.choose(rng).expect("a move"));
    };
    let back = last.source_square().map(|source| Move::board(last.destination(), source));
    let back = back.filter(|back| legal.contains(back) && !back.is_pass());
    let share = if persistent { 30 } else { 2 };
    if let Some(back) = back.filter(|_| rng.random_range(0..32) < share) {
        return back;
    }
    let others: Vec<Move> = legal.iter().copied().filter(|mv| !mv.is_pass()).collect();
    *others.choose(rng).filter(|_| rng.random_range(0..8) > 0).unwrap_or_else(|| legal.choose(rng).expect("a move"))
}
