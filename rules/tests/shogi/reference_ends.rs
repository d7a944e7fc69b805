//! How games end, from the rule text: a function of all positions of the game.

use crate::reference::{Board, Stone, in_enemy_camp};

/// How a game has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Wins { sente: bool, by: &'static str },
    Draw { by: &'static str },
}

/// Rook and bishop 5, king 0, others 1.
fn points_of(letter: char) -> usize {
    match letter {
        'R' | 'B' => 5,
        'K' => 0,
        _ => 1,
    }
}

/// Points of the stones of a side that count, and of all it holds.
fn points(board: &Board, sente: bool, counts: impl Fn((usize, usize)) -> bool) -> usize {
    let own = |stone: &Stone| stone.sente == sente;
    let on_board: usize =
        board.stones().filter(|(at, stone)| own(stone) && counts(*at)).map(|(_, stone)| points_of(stone.letter)).sum();
    let held: usize = "RBGSNLP".chars().map(|letter| points_of(letter) * board.in_hand(sente, letter)).sum();
    on_board + held
}

fn both_entered(board: &Board) -> bool {
    [true, false].iter().all(|&sente| in_enemy_camp(sente, board.king(sente).1))
}

/// The counter of an impasse after the last of these positions.
fn counter(positions: &[Board]) -> usize {
    let mut counter = 0;
    for pair in positions.windows(2) {
        // A capture takes a stone from the board; nothing else does.
        let captured = pair[1].number_of_stones() < pair[0].number_of_stones();
        counter = if both_entered(&pair[1]) && !pair[1].check() && !captured { counter + 1 } else { 0 };
    }
    counter
}

fn impasse(positions: &[Board]) -> Option<End> {
    let now = positions.last().unwrap();
    (counter(positions) >= 20).then(|| match [true, false].map(|sente| points(now, sente, |_| true) >= 24) {
        [false, true] => End::Wins { sente: false, by: "impasse" },
        [true, false] => End::Wins { sente: true, by: "impasse" },
        _ => End::Draw { by: "impasse" },
    })
}

fn declaration(now: &Board) -> Option<End> {
    let sente = now.sente_to_move;
    let in_camp = |(_, rank): (usize, usize)| in_enemy_camp(sente, rank);
    let others = now.stones().filter(|(at, stone)| stone.sente == sente && stone.letter != 'K' && in_camp(*at)).count();
    let needed = if sente { 28 } else { 27 };
    let may = in_camp(now.king(sente)) && others >= 10 && points(now, sente, in_camp) >= needed && !now.check();
    may.then_some(End::Wins { sente, by: "declaration" })
}

fn repetition(positions: &[Board]) -> Option<End> {
    let now = positions.last().unwrap();
    let same: Vec<usize> = (0..positions.len()).filter(|&ply| positions[ply].is_same(now)).collect();
    let first = *same.get(same.len().checked_sub(4)?)?;
    let always =
        |sente: bool| positions[first + 1..].iter().filter(|after| after.sente_to_move != sente).all(Board::check);
    Some(match (always(true), always(false)) {
        (true, false) => End::Wins { sente: false, by: "perpetual_check" },
        (false, true) => End::Wins { sente: true, by: "perpetual_check" },
        _ => End::Draw { by: "repetition" },
    })
}

/// The end of a game that went through these positions, the present one last, by one of the two presets.
pub fn end(positions: &[Board], declares: bool, max_plies: usize) -> Option<End> {
    let now = positions.last().unwrap();
    if now.moves().is_empty() {
        let by = if now.check() { "checkmate" } else { "stalemate" };
        return Some(End::Wins { sente: !now.sente_to_move, by });
    }
    repetition(positions)
        .or_else(|| if declares { declaration(now) } else { impasse(positions) })
        .or_else(|| (positions.len() > max_plies).then_some(End::Draw { by: "max_plies" }))
}
