//! Forced wins by exhaustive search: slow, obvious, and sharing nothing with the search but the rules.

use rules::{Game, Move, MoveList, Variant};

/// Whether the player to move can force a win within so many plies (an odd number).
pub fn wins_within<V: Variant>(game: &mut Game<V>, plies: u16) -> bool {
    // Most forced wins are by checks, so these come first; if there is no win, every move must be examined anyway.
    checks_first(game).into_iter().any(|mv| wins_by(game, mv, plies))
}

/// Whether `mv` forces a win within so many plies (an odd number), itself included.
pub fn wins_by<V: Variant>(game: &mut Game<V>, mv: Move, plies: u16) -> bool {
    let (side, mut replies) = (game.side(), MoveList::new());
    game.play(mv);
    game.legal_moves(&mut replies);
    let wins = match game.outcome(&replies) {
        Some(outcome) => outcome.winner() == Some(side),
        None => plies > 1 && replies.iter().all(|&reply| wins_after(game, reply, plies - 2)),
    };
    game.undo();
    wins
}

/// Whether the player to move after `reply` can force a win within so many plies.
fn wins_after<V: Variant>(game: &mut Game<V>, reply: Move, plies: u16) -> bool {
    game.play(reply);
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    let wins = match game.outcome(&legal) {
        Some(outcome) => outcome.winner() == Some(game.side()),
        None => wins_within(game, plies),
    };
    game.undo();
    wins
}

fn checks_first<V: Variant>(game: &mut Game<V>) -> Vec<Move> {
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    let mut moves: Vec<(bool, Move)> = legal
        .iter()
        .map(|&mv| {
            game.play(mv);
            let check = game.position().is_check();
            game.undo();
            (!check, mv)
        })
        .collect();
    moves.sort();
    moves.into_iter().map(|(_, mv)| mv).collect()
}
