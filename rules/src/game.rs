//! A game: rule set, start position and everything played since.

use crate::moves::{Move, MoveList};
use crate::notated::Notated;
use crate::outcome::Outcome;
use crate::position::Position;
use crate::replay::{IllegalMove, MovesTextError, Replay};
use crate::rulebook::Rulebook;
use crate::ruleset::Rules;
use crate::side::Side;

/// A game in progress: what repetition, limits and notation need beyond the position.
#[derive(Clone, Debug, PartialEq)]
pub struct Game<V: Rulebook> {
    rules: Rules<V>,
    /// Positions from the start to the present one; never empty.
    positions: Vec<Position<V>>,
    /// Low halves of the positions' keys, apart from them so that looking for a repetition reads little memory.
    keys: Vec<u64>,
    moves: Vec<Move>,
}

impl<V: Notated> Game<V> {
    /// A game from the variant's start position.
    pub fn start(rules: Rules<V>) -> Self {
        Self::from_position(rules, Position::start())
    }

    /// A game with these moves, each of which is checked.
    ///
    /// # Errors
    /// The first move that is not legal.
    pub fn from_moves(rules: Rules<V>, start: Position<V>, moves: &[Move]) -> Result<Self, IllegalMove> {
        Replay::new(rules, start, moves).finish()
    }

    /// A game whose moves are written in UCI, separated by white space: what [`moves_text`](Self::moves_text) writes.
    ///
    /// # Errors
    /// The first word that is not a legal move.
    pub fn from_moves_text(rules: Rules<V>, start: Position<V>, text: &str) -> Result<Self, MovesTextError> {
        let mut game = Game::from_position(rules, start);
        for word in text.split_ascii_whitespace() {
            let mv = game.position().parse_move(word);
            game.play(mv.map_err(|source| MovesTextError { ply: game.ply(), source })?);
        }
        Ok(game)
    }

    /// The moves in UCI, separated by single spaces.
    pub fn moves_text(&self) -> String {
        let mut text = String::with_capacity(6 * self.moves.len());
        for (position, &mv) in self.positions.iter().zip(&self.moves) {
            if !text.is_empty() {
                text.push(' ');
            }
            text += &position.format_move(mv);
        }
        text
    }
}

impl<V: Rulebook> Game<V> {
    /// A game from any position. History (repetition) begins with it.
    pub fn from_position(rules: Rules<V>, position: Position<V>) -> Self {
        let position = position.under(&rules);
        Game { rules, keys: vec![position.key().low64()], positions: vec![position], moves: Vec::new() }
    }

    /// Sets memory aside for so many moves.
    pub fn reserve(&mut self, moves: usize) {
        self.positions.reserve(moves);
        self.keys.reserve(moves);
        self.moves.reserve(moves);
    }

    /// The rule set.
    #[inline(always)]
    pub fn rules(&self) -> &Rules<V> {
        &self.rules
    }

    /// The present position.
    #[inline(always)]
    pub fn position(&self) -> &Position<V> {
        &self.positions[self.positions.len() - 1]
    }

    /// The position the game began with.
    pub fn start_position(&self) -> &Position<V> {
        &self.positions[0]
    }

    /// All positions, from the start to the present one.
    #[inline(always)]
    pub fn positions(&self) -> &[Position<V>] {
        &self.positions
    }

    /// The side to move.
    #[inline(always)]
    pub fn side(&self) -> Side {
        self.position().side()
    }

    /// Plies played since the start position.
    #[inline(always)]
    pub fn ply(&self) -> u32 {
        self.moves.len() as u32
    }

    /// The moves played.
    #[inline(always)]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The legal moves of the present position, into `moves`, which is cleared first.
    #[inline]
    pub fn legal_moves(&self, moves: &mut MoveList) {
        self.position().legal_moves(moves);
    }

    /// Plays a move, which must be legal.
    #[inline]
    pub fn play(&mut self, mv: Move) {
        let mut next = self.position().clone();
        next.play(mv);
        self.keys.push(next.key().low64());
        self.positions.push(next);
        self.moves.push(mv);
    }

    /// Takes the last move back and returns it; `None` at the start.
    #[inline]
    pub fn undo(&mut self) -> Option<Move> {
        let mv = self.moves.pop()?;
        self.positions.pop();
        self.keys.pop();
        Some(mv)
    }

    /// How the game has ended in the present position, or `None` if it continues. `legal` are the legal
    /// moves of the present position. Tests come in the order of the rule text: no legal move, the
    /// variant's own ends, the limits of the rule set.
    pub fn outcome(&self, legal: &[Move]) -> Option<Outcome> {
        if legal.is_empty() {
            return Some(V::without_moves(self.position()));
        }
        V::special_end(self).or_else(|| self.is_at_a_limit().then(|| V::at_ply_limit(self)))
    }

    /// Whether the rule set cuts the game off in the present position.
    #[inline(always)]
    fn is_at_a_limit(&self) -> bool {
        self.ply() >= self.rules.max_plies() || self.position().quiet_plies() >= self.rules.max_quiet_plies()
    }

    /// Every move of `legal` that ends the game immediately, other than by leaving the opponent without a move: the
    /// position returns for the last time, or the rules end the game with this very move (a second pass in turn).
    /// `each` gets the move and the outcome; `replies` is overwritten. The ply limit is left out, since it ends the
    /// game with every move.
    pub fn ends_in_one(&mut self, legal: &[Move], replies: &mut MoveList, mut each: impl FnMut(Move, Outcome)) {
        let (last, may_return) = (self.moves.last().copied(), self.may_return());
        for &mv in legal {
            let by_move = V::immediate_end(self.position(), last, mv).is_some();
            if !by_move && !may_return {
                continue;
            }
            self.play(mv);
            if by_move || self.earlier_occurrences().nth(1).is_some() {
                self.legal_moves(replies);
                if let Some(outcome) = self.outcome(replies) {
                    each(mv, outcome);
                }
            }
            self.undo();
        }
    }

    /// Whether the next move may lead to a position that stood twice already, which is the least that ends a game in
    /// any variant. Compares only the low halves of keys.
    fn may_return(&self) -> bool {
        let now = self.keys.len() - 1;
        let first = now - now.min(V::repetition_window(self.position()));
        // The positions with the other side to move.
        (first..now).rev().step_by(2).any(|ply| {
            let key = self.keys[ply];
            (1..=(ply - first) / 2).any(|back| self.keys[ply - 2 * back] == key)
        })
    }

    /// How often the present position stood earlier in this game (0: it is new).
    #[inline]
    pub fn repetitions(&self) -> u32 {
        self.earlier_occurrences().count() as u32
    }

    /// The side that gave check with every move it made after ply `first`, if the other side did not.
    pub(crate) fn sole_checker_since(&self, first: usize) -> Option<Side> {
        let since = &self.positions[first + 1..];
        // The position after a move tells whether that move gave check.
        let always = |side: Side| since.iter().filter(|after| after.side() != side).all(|after| after.is_check());
        match Side::BOTH.map(always) {
            [true, false] => Some(Side::First),
            [false, true] => Some(Side::Second),
            _ => None,
        }
    }

    /// Plies at which the present position stood earlier, the latest first. Where captures cannot be
    /// reversed only the plies since the last irreversible move are looked at.
    #[inline]
    pub fn earlier_occurrences(&self) -> impl Iterator<Item = usize> + '_ {
        let now = self.keys.len() - 1;
        let window = now.min(V::repetition_window(self.position()));
        let key = self.keys[now];
        // The same side is to move, and a position cannot return before four plies (two with a pass
        // by both sides, which is why the step is two and not four).
        (1..=window / 2)
            .map(move |back| now - 2 * back)
            .filter(move |&ply| self.keys[ply] == key && self.positions[ply].key() == self.position().key())
    }
}
