//! Asks the crate and the reference the same question, and asserts that they give the same answer.

use crate::reference::{self, Board};
use rules::{Game, Koshogi, MoveList, Outcome, Position, Rules, Side, Termination};
use std::collections::BTreeMap;

pub fn read(fen: &str) -> Position<Koshogi> {
    let position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    assert_eq!(position.fen(), fen);
    position
}

/// Legal moves and the FENs after them.
pub fn moves(fen: &str) -> BTreeMap<String, String> {
    let position = read(fen);
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    let found: BTreeMap<String, String> = legal
        .iter()
        .map(|&mv| {
            let text = position.format_move(mv);
            assert_eq!(position.parse_move(&text).ok(), Some(mv), "{text} in {fen}");
            let mut next = position.clone();
            next.play(mv);
            (text, next.fen())
        })
        .collect();
    let board = Board::read(fen);
    assert_eq!(board.fen(), fen);
    let expected: BTreeMap<String, String> = board.moves().into_iter().map(|(text, next)| (text, next.fen())).collect();
    assert_eq!(found, expected, "{fen}\n{}", position.draw());
    assert_eq!((legal.len(), position.perft(1)), (expected.len(), expected.len() as u64), "{fen}");
    expected
}

/// `first king_capture`, `draw repetition`.
pub fn described(winner: Option<Side>, by: Termination) -> String {
    format!("{} {by}", winner.map_or("draw".to_owned(), |side| side.to_string()))
}

fn agree(game: &Game<Koshogi>, boards: &[Board], max_plies: usize) -> Option<Outcome> {
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    let outcome = game.outcome(&legal);
    let can_move = !boards[boards.len() - 1].moves().is_empty();
    assert_eq!(!legal.is_empty(), can_move);
    assert_eq!(outcome.map(told), reference::end(boards, can_move, max_plies), "{}", game.position().fen());
    outcome
}

/// An outcome of the crate as the reference tells it.
pub fn told(outcome: Outcome) -> reference::End {
    reference::End { black_wins: outcome.winner().map(|side| side == Side::First), by: outcome.termination.name() }
}

/// The ply with which the game ends, and how.
pub fn end(fen: &str, moves: &[&str]) -> Option<(u32, String)> {
    let rules = Rules::default();
    let max_plies = rules.max_plies() as usize;
    let mut game = Game::from_position(rules, read(fen));
    let mut boards = vec![Board::read(fen)];
    for &text in moves {
        if let Some(outcome) = agree(&game, &boards, max_plies) {
            return Some((game.ply(), described(outcome.winner(), outcome.termination)));
        }
        game.play(game.position().parse_move(text).unwrap_or_else(|error| panic!("{fen}: {error}")));
        let next = boards[boards.len() - 1].moves().remove(text).unwrap_or_else(|| panic!("{text} in {fen}"));
        assert_eq!(game.position().fen(), next.fen(), "after {text}");
        boards.push(next);
    }
    let outcome = agree(&game, &boards, max_plies)?;
    Some((game.ply(), described(outcome.winner(), outcome.termination)))
}
