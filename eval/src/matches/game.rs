//! One running game of a match.

use super::worker::Task;
use crate::engine::{Decision, Engine, Fault, Trouble};
use crate::limit::Clock;
use crate::log::GameEntry;
use crate::openings::generator;
use crate::players::{Outfit, Seat};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Outcome, Position, Rules, Side, Termination, Variant};
use selfplay::{EvaluationError, LeafBatch, Step};
use std::io;
use std::time::{Duration, Instant};

/// What has become of a game after a step.
pub(super) enum Turn {
    /// A move was played.
    Played,
    /// A leaf was pushed to the batch of this player.
    Waiting(usize),
    /// It has ended.
    Over(GameEntry),
    /// The system refused this player's engine something: the game is to be played again.
    Refused(usize, io::Error),
    /// The match is being stopped.
    Halted,
}

/// A game and the two players' minds in it.
pub(super) struct Running<V: Variant> {
    task: Task<V>,
    game: Game<V>,
    legal: MoveList,
    rng: ChaCha8Rng,
    seats: [Seat<V>; 2],
    /// The players' clocks, by player.
    clocks: [Clock; 2],
    /// How long each move took; nothing where nobody's time is measured.
    spent: Option<Vec<Duration>>,
    /// The search of the player to move, if it has begun.
    searching: Option<Searching>,
}

/// A network's search for a move.
#[derive(Clone, Copy)]
struct Searching {
    began: Instant,
    /// When it is ended as it is; `None` without a limit of time.
    until: Option<Instant>,
    /// Whether the root has been evaluated, without which there is no result.
    rooted: bool,
}

impl<V: Variant> Running<V> {
    /// `spares`: processes of engines without a game.
    pub fn new(
        rules: Rules<V>,
        task: Task<V>,
        seed: u64,
        outfits: &[Outfit; 2],
        spares: &mut [Vec<Engine>; 2],
    ) -> Self {
        let timed = outfits.iter().any(Outfit::is_timed);
        let [a, b] = spares;
        Running {
            game: task.opening.game(rules),
            legal: MoveList::new(),
            rng: generator(seed, "game", task.key),
            seats: [outfits[0].seat(a.pop()), outfits[1].seat(b.pop())],
            clocks: outfits.each_ref().map(|outfit| Clock::new(outfit.limit, outfit.margin)),
            spent: timed.then(|| vec![Duration::ZERO; task.opening.moves.len()]),
            searching: None,
            task,
        }
    }

    /// What is being played.
    pub fn task(&self) -> Task<V> {
        self.task.clone()
    }

    /// Gives back the processes that can play another game.
    pub fn leave(self, spares: &mut [Vec<Engine>; 2]) {
        for (seat, spares) in self.seats.into_iter().zip(spares) {
            if let Seat::Engine(seat) = seat {
                spares.extend(seat.leave());
            }
        }
    }

    /// Number of the player to move: 0 for the first named one.
    fn to_move(&self) -> usize {
        usize::from(self.game.side() != self.task.key.1)
    }

    /// Goes on to the next move or leaf.
    pub fn advance(&mut self, batches: &mut [&mut LeafBatch; 2], halt: &dyn Fn() -> bool) -> Turn {
        let player = self.to_move();
        if self.searching.is_none() {
            self.game.legal_moves(&mut self.legal);
            if let Some(outcome) = self.game.outcome(&self.legal) {
                return Turn::Over(self.entry(outcome, String::new()));
            }
            if let [only] = self.legal[..] {
                return self.play(only, Duration::ZERO);
            }
        }
        let clock = self.clocks[player];
        match &mut self.seats[player] {
            Seat::Chooser(chooser) => {
                let began = self.spent.as_ref().map(|_| Instant::now());
                let mv = chooser.choose(&self.game, &self.legal, &mut self.rng);
                self.play(mv, began.map_or(Duration::ZERO, |began| began.elapsed()))
            }
            Seat::Search { search, visits, pace } => {
                let searching = match self.searching {
                    Some(searching) => searching,
                    None => {
                        let began = Instant::now();
                        let share = clock.share();
                        let visits = match (share, &pace) {
                            (Some(share), Some(pace)) => pace.visits_in(share),
                            _ => *visits,
                        };
                        search.begin(&self.game, visits, &mut self.rng);
                        let until = share.map(|share| began + share);
                        *self.searching.insert(Searching { began, until, rooted: false })
                    }
                };
                let late = searching.rooted && searching.until.is_some_and(|until| Instant::now() >= until);
                if !late && search.next_leaf(batches[player]) == Step::Pending {
                    return Turn::Waiting(player);
                }
                let used = searching.began.elapsed();
                let result = search.result();
                if let Some(pace) = pace {
                    pace.learn(result.visits, used);
                }
                let best = result.best;
                self.play(best, used)
            }
            Seat::Engine(seat) => {
                let clocks = [&clock, &self.clocks[1 - player]];
                match seat.choose(&self.game, &self.legal, clocks, halt) {
                    Ok((Decision::Move(mv), used)) => self.play(mv, used),
                    Ok((Decision::Resign, _)) => self.lost(Termination::Resign, String::new()),
                    Err(Trouble::Fault(fault)) => self.lost(Termination::Error, fault.to_string()),
                    Err(Trouble::Refused(error)) => Turn::Refused(player, error),
                    Err(Trouble::Halted) => Turn::Halted,
                }
            }
        }
    }

    /// Plays a move that took this long.
    fn play(&mut self, mv: Move, used: Duration) -> Turn {
        let clock = &mut self.clocks[self.to_move()];
        if let Some(allowed) = clock.too_long()
            && used > allowed
        {
            return self.lost(Termination::Error, Fault::OutOfTime { allowed, obeyed_stop: true }.to_string());
        }
        clock.spend(used);
        if let Some(spent) = &mut self.spent {
            spent.push(used);
        }
        self.game.play(mv);
        self.searching = None;
        Turn::Played
    }

    /// The player to move has lost, not on the board.
    fn lost(&self, termination: Termination, reason: String) -> Turn {
        Turn::Over(self.entry(Outcome::win(self.game.side().other(), termination), reason))
    }

    /// Answers the leaf that waits.
    pub fn supply(&mut self, logits: &[f32], wdl: [f32; 3]) -> Result<(), EvaluationError> {
        if let Some(searching) = &mut self.searching {
            searching.rooted = true;
        }
        match &mut self.seats[self.to_move()] {
            Seat::Search { search, .. } => search.supply(logits, wdl),
            Seat::Chooser(_) | Seat::Engine(_) => Ok(()),
        }
    }

    /// Which game this is and how it went so far, for messages.
    pub fn describe(&self) -> String {
        let order = if self.task.key.1 == Side::First { "first" } else { "second" };
        format!("pair {}, {order} game, after {:?}", self.task.key.0, self.moves())
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

    fn entry(&self, outcome: Outcome, reason: String) -> GameEntry {
        let ms = |time: &Duration| time.as_millis().min(u32::MAX.into()) as u32;
        GameEntry {
            pair: self.task.key.0,
            first_named_first: self.task.key.1 == Side::First,
            fen: self.task.opening.position.as_ref().map_or_else(String::new, Position::fen),
            opening_plies: self.task.opening.moves.len() as u32,
            moves: self.moves(),
            plies: self.game.ply(),
            result: outcome.score(Side::First) as i8,
            termination: outcome.termination.name().to_owned(),
            reason,
            spent_ms: self.spent.iter().flatten().map(ms).collect(),
            session: 0,
            elapsed_ms: 0,
        }
    }
}
