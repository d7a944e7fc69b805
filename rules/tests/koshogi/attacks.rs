//! What a stone attacks and what its moves kill are the same: on every point, with the enemy that stands there, or with
//! one that is placed there.

use crate::strewn;
use rules::{Encoded, Koshogi, Move, MoveList, Notated, Position, Rulebook, Side, Square, SquareSet};
use std::collections::{BTreeMap, BTreeSet};

const POINTS: usize = Koshogi::SQUARES;

/// The kind of a FEN code.
fn kind(code: &str) -> usize {
    Koshogi::CODES.iter().position(|&known| known == code).unwrap_or_else(|| panic!("a code {code}"))
}

/// The kind of the stone on a square.
fn face(position: &Position<Koshogi>, square: Square) -> usize {
    position.cell(square).piece().expect("a stone").1
}

/// Points from which enemies are gone after some move of each stone of the side to move. The chain of the clerk, which
/// kills wherever it finds something, is left out, with all moves by which a clerk turns.
fn killed(position: &Position<Koshogi>) -> BTreeMap<usize, BTreeSet<usize>> {
    let them = position.side().other();
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    let mut killed = BTreeMap::<usize, BTreeSet<usize>>::new();
    let turns_the_clerk =
        |mv: &Move| mv.promotes() && mv.source_square().is_some_and(|from| face(position, from) == kind("CL"));
    for mv in legal.iter().filter(|mv| !turns_the_clerk(mv)) {
        let Some(from) = mv.source_square() else { continue };
        let mut next = position.clone();
        next.play(*mv);
        let gone = position.pieces(them).squares().filter(|&square| !next.pieces(them).has(square));
        killed.entry(from.index()).or_default().extend(gone.map(Square::index));
    }
    killed
}

/// The board with the other side to move, if neither side has lost.
fn other_turn(position: &Position<Koshogi>) -> Position<Koshogi> {
    let fen = position.fen();
    let turned =
        if position.side() == Side::First { fen.replacen(" w ", " b ", 1) } else { fen.replacen(" b ", " w ", 1) };
    Position::from_fen(&turned).expect("the same board")
}

/// The position with another stone on a point.
fn replaced(position: &Position<Koshogi>, point: usize, code: &str) -> Position<Koshogi> {
    let fen = position.fen();
    let (board, rest) = fen.split_once(' ').expect("fields");
    let mut ranks: Vec<Vec<String>> = board
        .split('/')
        .map(|rank| {
            let items = rank.split(',').flat_map(|item| match item.parse::<usize>() {
                Ok(empty) => vec![String::new(); empty],
                Err(_) => vec![item.to_owned()],
            });
            items.collect()
        })
        .collect();
    ranks[18 - point / 19][point % 19] = code.to_owned();
    let board: Vec<String> = ranks.iter().map(|rank| strewn::written(rank)).collect();
    Position::from_fen(&format!("{} {rest}", board.join("/"))).expect("a board with one stone changed")
}

#[test]
fn enemies_that_are_attacked_are_those_that_moves_kill() {
    let (mut stones, mut attacked) = (BTreeSet::new(), 0);
    for position in strewn::boards(7, 60, 400).into_iter().flat_map(|position| [other_turn(&position), position]) {
        let killed = killed(&position);
        if killed.is_empty() {
            continue; // the game is over
        }
        let (us, them) = (position.side(), position.side().other());
        for from in position.pieces(us).squares() {
            // Fire is in the way of what comes, too: enemies next to a 毒火 that cannot move are attacked by it.
            let (named, fire) = (face(&position, from), kind("+EN"));
            let found: BTreeSet<usize> =
                (Koshogi::attacks(&position, from) & position.pieces(them)).squares().map(Square::index).collect();
            let expected = killed.get(&from.index()).cloned().unwrap_or_default();
            let said = || format!("{named} on {} in {}\n{}", from.index(), position.fen(), position.draw());
            if named == fire {
                let beside = |point: &usize| {
                    let (files, ranks) =
                        ((point % 19).abs_diff(from.index() % 19), (point / 19).abs_diff(from.index() / 19));
                    files <= 1 && ranks <= 1
                };
                let apart =
                    |points: &BTreeSet<usize>| points.iter().copied().filter(|at| !beside(at)).collect::<BTreeSet<_>>();
                assert_eq!(apart(&found), apart(&expected), "{}", said());
                assert!(expected.is_subset(&found), "{}", said());
            } else {
                assert_eq!(found, expected, "{}", said());
            }
            if !expected.is_empty() {
                stones.insert((us.index(), named));
                attacked += expected.len();
            }
        }
    }
    assert!(attacked > 5_000, "{attacked} enemies attacked");
    assert_eq!(stones.len(), 2 * Koshogi::KINDS, "stones of every face and both sides attack something: {stones:?}");
}

#[test]
fn points_that_are_attacked_are_those_where_an_enemy_would_die() {
    // Stones whose presence changes rules elsewhere are not replaced: commanders, and those that make others turn.
    let steady: BTreeSet<usize> =
        ["M", "Q", "CR", "E", "HS", "CA", "PU", "SH", "CH", "CU", "V", "LB", "XB", "C", "WR"].map(kind).into();
    let (mut empty, mut own) = (0, 0);
    for position in strewn::boards(8, 40, 40) {
        let (us, them) = (position.side(), position.side().other());
        if killed(&position).is_empty() {
            continue;
        }
        // A 都司 cannot be told from others by bows, chariots or cannons, and promotes no stone that takes it.
        let enemy = if them == Side::First { "+V" } else { "+v" };
        for point in 0..POINTS {
            let square = Square::new(point);
            let ours = position.pieces(us).has(square);
            if position.pieces(them).has(square) || ours && !steady.contains(&face(&position, square)) {
                continue;
            }
            let killed = killed(&replaced(&position, point, enemy));
            for from in position.pieces(us).squares().filter(|&from| from != square) {
                // 高道 and 神僧 take their own kind alone by displacement; the neighbours of a 毒火 are in its fire.
                if ["TP", "SM", "+EN"].map(kind).contains(&face(&position, from)) {
                    continue;
                }
                let dies = killed.get(&from.index()).is_some_and(|points| points.contains(&point));
                let attacked = Koshogi::attacks(&position, from).has(square);
                assert_eq!(attacked, dies, "{} → {point} in {}\n{}", from.index(), position.fen(), position.draw());
                empty += usize::from(attacked && !ours);
                own += usize::from(attacked && ours);
            }
        }
    }
    assert!(empty > 3_000 && own > 100, "{empty} empty points and {own} protected stones");
}
