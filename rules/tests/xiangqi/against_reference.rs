//! The crate's Xiangqi and the reference's are one game.

use crate::against::{self, position_after};
use crate::reference::{Board, Point, at_home, in_palace, text};
use crate::reference_repetition;
use crate::vectors_of_text::described;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Position, Rules, Square, Xiangqi};
use std::collections::BTreeMap;

fn compare(position: &Position<Xiangqi>) {
    let board = Board::read(&position.fen());
    let after = board.moves().into_iter().map(|(mv, next)| (mv, next.text()));
    against::compare(position, &board.text(), board.check(), after);
}

#[test]
fn moves_of_games() {
    let mut positions = 0;
    for seed in 0..40 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut position = Position::<Xiangqi>::start();
        let mut legal = MoveList::new();
        for _ in 0..150 {
            compare(&position);
            positions += 1;
            position.legal_moves(&mut legal);
            let captures: Vec<Move> =
                legal.iter().copied().filter(|mv| !position.cell(mv.destination()).is_empty()).collect();
            let pool = if rng.random_range(0..4) == 0 && !captures.is_empty() { &captures[..] } else { &legal[..] };
            let Some(&mv) = pool.choose(&mut rng) else { break };
            position.play(mv);
        }
    }
    assert!(positions > 4_000, "{positions}");
}

/// A board with generals in their palaces and `others` pieces anywhere, many of them on the generals' lines.
fn strewn(rng: &mut ChaCha8Rng, others: usize) -> Option<Position<Xiangqi>> {
    let mut pieces: BTreeMap<Point, char> = BTreeMap::new();
    pieces.insert((rng.random_range(3..6), rng.random_range(0..3)), 'K');
    pieces.insert((rng.random_range(3..6), rng.random_range(7..10)), 'k');
    for _ in 0..others {
        let at = match rng.random_range(0..3) {
            0 => (rng.random_range(3..6), rng.random_range(0..10)),
            1 => (rng.random_range(0..9), *[0, 1, 2, 7, 8, 9].choose(rng)?),
            _ => (rng.random_range(0..9), rng.random_range(0..10)),
        };
        let letter = *"CCRRNNPPAABB".chars().collect::<Vec<_>>().choose(rng)?;
        let red = rng.random();
        if (letter == 'A' && !in_palace(red, at)) || (letter == 'B' && !at_home(red, at)) {
            continue;
        }
        pieces.entry(at).or_insert(if red { letter } else { letter.to_ascii_lowercase() });
    }
    let fen = Board { pieces, red_to_move: rng.random() }.text();
    let board = Board::read(&fen);
    let position = Position::from_fen(&fen);
    assert_eq!(position.is_err(), board.exposed(!board.red_to_move), "{fen}: {position:?}");
    position.ok()
}

#[test]
fn moves_on_strewn_boards() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (mut positions, mut checks, mut ends) = (0, 0, 0);
    for number in 0..12_000 {
        let Some(position) = strewn(&mut rng, 1 + number % 24) else { continue };
        compare(&position);
        positions += 1;
        checks += usize::from(position.is_check());
        ends += usize::from(position.perft(1) == 0);
    }
    assert!(positions > 4_000 && checks > 1_000 && ends > 20, "{positions} positions, {checks} checks, {ends} ends");
}

fn points(mv: Move) -> (Point, Point) {
    let point = |square: Square| ((square.index() % 9) as i32, (square.index() / 9) as i32);
    (point(mv.source_square().expect("a board move")), point(mv.destination()))
}

/// Cycles of four plies from strewn boards: two moves, half of the time checks where there are any, and
/// back again. Judged by the crate and by the reference.
#[test]
fn verdicts_on_cycles() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut verdicts: BTreeMap<String, usize> = BTreeMap::new();
    let mut legal = MoveList::new();
    let mut both_offended = 0;
    for number in 0..24_000 {
        let Some(start) = strewn(&mut rng, 2 + number % 9) else { continue };
        let mut game = Game::<Xiangqi>::from_position(Rules::named("full").expect("a preset"), start);
        let mut there = Vec::new();
        for ply in 0..8 {
            game.legal_moves(&mut legal);
            let quiet: Vec<Move> =
                legal.iter().copied().filter(|mv| game.position().cell(mv.destination()).is_empty()).collect();
            let mv = match ply {
                0 | 1 => {
                    let checks: Vec<Move> =
                        quiet.iter().copied().filter(|&mv| position_after(game.position(), mv).is_check()).collect();
                    checks.choose(&mut rng).filter(|_| number % 2 == 0).or_else(|| quiet.choose(&mut rng)).copied()
                }
                2 | 3 => {
                    let (source, destination): (Square, Square) = there[ply - 2];
                    Some(Move::board(destination, source)).filter(|mv| legal.contains(mv))
                }
                _ => Some(game.moves()[ply - 4]),
            };
            let Some(mv) = mv else { break };
            there.push((mv.source_square().expect("a board move"), mv.destination()));
            game.play(mv);
        }
        game.legal_moves(&mut legal);
        if game.ply() < 8 {
            continue;
        }
        let found = described(game.outcome(&legal).expect("a third occurrence"));
        if found.ends_with("insufficient_material") {
            continue;
        }
        let boards: Vec<Board> = game.positions().iter().map(|position| Board::read(&position.fen())).collect();
        let moves: Vec<(Point, Point)> = game.moves().iter().map(|&mv| points(mv)).collect();
        let (expected, offenders) = reference_repetition::verdict(&boards, &moves);
        both_offended += usize::from(offenders == 2);
        let told = || moves.iter().map(|&(from, to)| text(from, to)).collect::<Vec<_>>().join(" ");
        assert_eq!(found, expected, "{} {}\n{}", boards[0].text(), told(), game.position().draw());
        *verdicts.entry(found).or_default() += 1;
    }
    assert!(both_offended > 20, "{both_offended}");
    for reason in ["check", "threat", "chase"] {
        for winner in ["first", "second"] {
            let name = format!("{winner} perpetual_{reason}");
            assert!(verdicts.get(&name).is_some_and(|&count| count > 5), "{name}: {verdicts:?}");
        }
    }
    assert!(verdicts.get("draw repetition").is_some_and(|&count| count > 100), "{verdicts:?}");
}
