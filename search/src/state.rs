//! What a search needs of a game. [`rules::Game`] implements it; tests add small games of their own.

use crate::evaluator::LeafBatch;
use rules::{Game, Move, MoveList, Variant, encode};

/// A game with its history, in which a search plays and undoes moves.
pub trait GameState: Clone {
    /// The legal moves of the present position, into `moves`, which is emptied first.
    fn legal_moves(&self, moves: &mut MoveList);

    /// Score of the finished game for the player to move (+1, 0, −1); `None` if it is not over.
    fn final_score(&self, legal: &[Move]) -> Option<f32>;

    /// A move of `legal` that wins immediately, if the game can find one.
    fn win_in_one(&self, legal: &[Move], scratch: &mut MoveList) -> Option<Move>;

    /// Every move of `legal` that ends the game immediately in another way than mate, with its score (+1, 0, −1) for
    /// the player making it, if the game knows such ends. `scratch` is overwritten.
    fn ends_in_one(&mut self, legal: &[Move], scratch: &mut MoveList, each: impl FnMut(Move, f32)) {
        let _ = (legal, scratch, each);
    }

    /// Plays a legal move.
    fn play(&mut self, mv: Move);

    /// Takes the last move back.
    fn undo(&mut self);

    /// The moves played since the start.
    fn moves(&self) -> &[Move];

    /// Whether `other` began the same way: same rules, same start position.
    fn same_start(&self, other: &Self) -> bool;

    /// A key of the whole network input of the present position, for an [`EvaluationCache`](crate::EvaluationCache);
    /// `None` keeps it out of the cache.
    fn input_key(&self) -> Option<u128> {
        None
    }

    /// Appends the present position to a batch.
    fn push_to(&self, legal: &[Move], batch: &mut LeafBatch);
}

impl<V: Variant> GameState for Game<V> {
    #[inline]
    fn legal_moves(&self, moves: &mut MoveList) {
        Game::legal_moves(self, moves);
    }

    #[inline]
    fn final_score(&self, legal: &[Move]) -> Option<f32> {
        self.outcome(legal).map(|outcome| outcome.score(self.side()))
    }

    #[inline]
    fn win_in_one(&self, legal: &[Move], scratch: &mut MoveList) -> Option<Move> {
        self.position().win_in_one(legal, scratch)
    }

    #[inline]
    fn ends_in_one(&mut self, legal: &[Move], scratch: &mut MoveList, mut each: impl FnMut(Move, f32)) {
        let to_move = self.side();
        Game::ends_in_one(self, legal, scratch, |mv, outcome| each(mv, outcome.score(to_move)));
    }

    #[inline]
    fn play(&mut self, mv: Move) {
        Game::play(self, mv);
    }

    #[inline]
    fn undo(&mut self) {
        Game::undo(self);
    }

    fn moves(&self) -> &[Move] {
        Game::moves(self)
    }

    fn same_start(&self, other: &Self) -> bool {
        self.rules() == other.rules() && self.start_position() == other.start_position()
    }

    #[inline]
    fn input_key(&self) -> Option<u128> {
        Some(encode::input_key(self))
    }

    #[inline]
    fn push_to(&self, legal: &[Move], batch: &mut LeafBatch) {
        batch.push(self, legal);
    }
}
