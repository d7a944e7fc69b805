//! One running game of a match.

use super::worker::Task;
use crate::log::{GameEntry, GameKey};
use crate::openings::generator;
use crate::players::{Outfit, Seat};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Outcome, Position, Rules, Side, Variant};
use selfplay::{EvaluationError, LeafBatch, Step};

/// What has become of a game after a step.
pub(super) enum Turn {
    /// A move was played.
    Played,
    /// A leaf was pushed to the batch of this player.
    Waiting(usize),
    /// It has ended.
    Over(GameEntry),
}

/// A game and the two players' minds in it.
pub(super) struct Running<V: Variant> {
    key: GameKey,
    opening_plies: u32,
    /// FEN of the start position if it is not the variant's own.
    fen: String,
    game: Game<V>,
    legal: MoveList,
    rng: ChaCha8Rng,
    seats: [Seat<V>; 2],
    /// Whether the search of the player to move has begun.
    searching: bool,
}

impl<V: Variant> Running<V> {
    pub fn new(rules: Rules<V>, task: &Task<V>, seed: u64, outfits: &[Outfit; 2]) -> Self {
        Running {
            key: task.key,
            opening_plies: task.opening.moves.len() as u32,
            fen: task.opening.position.as_ref().map_or_else(String::new, Position::fen),
            game: task.opening.game(rules),
            legal: MoveList::new(),
            rng: generator(seed, "game", task.key),
            seats: outfits.each_ref().map(Outfit::seat),
            searching: false,
        }
    }

    /// Number of the player to move: 0 for the first named one.
    fn to_move(&self) -> usize {
        usize::from(self.game.side() != self.key.1)
    }

    /// Goes on to the next move or leaf.
    pub fn advance(&mut self, batches: &mut [&mut LeafBatch; 2]) -> Turn {
        let player = self.to_move();
        if !self.searching {
            self.game.legal_moves(&mut self.legal);
            if let Some(outcome) = self.game.outcome(&self.legal) {
                return Turn::Over(self.entry(outcome));
            }
            if let [only] = self.legal[..] {
                return self.play(only);
            }
        }
        match &mut self.seats[player] {
            Seat::Chooser(chooser) => {
                let mv = chooser.choose(&self.game, &self.legal, &mut self.rng);
                self.play(mv)
            }
            Seat::Search { search, visits } => {
                if !self.searching {
                    search.begin(&self.game, *visits, &mut self.rng);
                    self.searching = true;
                }
                match search.next_leaf(batches[player]) {
                    Step::Pending => Turn::Waiting(player),
                    Step::Done => {
                        let best = search.result().best;
                        self.play(best)
                    }
                }
            }
        }
    }

    fn play(&mut self, mv: Move) -> Turn {
        self.game.play(mv);
        self.searching = false;
        Turn::Played
    }

    /// Answers the leaf that waits.
    pub fn supply(&mut self, logits: &[f32], wdl: [f32; 3]) -> Result<(), EvaluationError> {
        match &mut self.seats[self.to_move()] {
            Seat::Chooser(_) => Ok(()),
            Seat::Search { search, .. } => search.supply(logits, wdl),
        }
    }

    /// Which game this is and how it went so far, for messages.
    pub fn describe(&self) -> String {
        let order = if self.key.1 == Side::First { "first" } else { "second" };
        format!("pair {}, {order} game, after {:?}", self.key.0, self.moves())
    }

    fn moves(&self) -> String {
        let mut position = self.game.start_position().clone();
        let mut text = String::new();
        for &mv in self.game.moves() {
            if !text.is_empty() {
                text.push(' ');
            }
            text += &position.format_move(mv);
            position.play(mv);
        }
        text
    }

    fn entry(&self, outcome: Outcome) -> GameEntry {
        GameEntry {
            pair: self.key.0,
            first_named_first: self.key.1 == Side::First,
            fen: self.fen.clone(),
            opening_plies: self.opening_plies,
            moves: self.moves(),
            plies: self.game.ply(),
            result: outcome.score(Side::First) as i8,
            termination: outcome.termination.name().to_owned(),
            session: 0,
            elapsed_ms: 0,
        }
    }
}
