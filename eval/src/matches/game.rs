//! One running game of a match.

use super::adjudicator::{Adjudicator, Verdict};
use super::worker::Task;
use crate::config::MatchConfig;
use crate::engine::{Decision, Engine, Fault, Thought, Trouble};
use crate::limit::Clock;
use crate::log::GameEntry;
use crate::openings::generator;
use crate::players::{Outfit, Seat};
use crate::score::Score;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Outcome, Position, Rules, Side, Termination, Variant};
use selfplay::{EvaluationError, LeafBatch, Proof, Step};
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
    /// What the players said of each move.
    scores: Vec<Option<Score>>,
    adjudicator: Adjudicator,
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

/// A move on its way to the board.
struct Choice {
    mv: Move,
    used: Duration,
    /// What the player says of it.
    score: Option<Score>,
    /// Whether the player was asked at all: not if there is only one legal move.
    asked: bool,
}

impl<V: Variant> Running<V> {
    /// `spares`: processes of engines without a game.
    pub fn new(
        rules: Rules<V>,
        task: Task<V>,
        config: &MatchConfig,
        outfits: &[Outfit; 2],
        spares: &mut [Vec<Engine>; 2],
    ) -> Self {
        let timed = outfits.iter().any(Outfit::is_timed);
        let [a, b] = spares;
        Running {
            game: task.opening.game(rules),
            legal: MoveList::new(),
            rng: generator(config.seed, "game", task.key),
            seats: [outfits[0].seat(a.pop()), outfits[1].seat(b.pop())],
            clocks: outfits.each_ref().map(|outfit| Clock::new(outfit.limit, outfit.margin)),
            spent: timed.then(|| vec![Duration::ZERO; task.opening.moves.len()]),
            scores: vec![None; task.opening.moves.len()],
            adjudicator: Adjudicator::new(config.adjudication),
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
            if let Some((verdict, rule)) = self.adjudicator.verdict(self.game.ply()) {
                return Turn::Over(self.entry(self.adjudicated(verdict), rule));
            }
            if let [only] = self.legal[..] {
                return self.play(Choice { mv: only, used: Duration::ZERO, score: None, asked: false });
            }
        }
        let clock = self.clocks[player];
        match &mut self.seats[player] {
            Seat::Chooser(chooser) => {
                let began = self.spent.as_ref().map(|_| Instant::now());
                let mv = chooser.choose(&self.game, &self.legal, &mut self.rng);
                let score = chooser.expected().map(Score::of_expected);
                let used = began.map_or(Duration::ZERO, |began| began.elapsed());
                self.play(Choice { mv, used, score, asked: true })
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
                let score = match result.proven {
                    Some((Proof::Win, plies)) => Score::of_mate((i64::from(plies) + 1) / 2),
                    Some((Proof::Loss, plies)) => Score::of_mate(-(i64::from(plies) + 1) / 2),
                    _ => Score::of_expected(result.root_q),
                };
                let mv = result.best;
                self.play(Choice { mv, used, score: Some(score), asked: true })
            }
            Seat::Engine(seat) => {
                let clocks = [&clock, &self.clocks[1 - player]];
                match seat.choose(&self.game, &self.legal, clocks, halt) {
                    Ok(Thought { decision: Decision::Move(mv), used, score }) => {
                        self.play(Choice { mv, used, score, asked: true })
                    }
                    Ok(Thought { decision: Decision::Resign, .. }) => self.lost(Termination::Resign, String::new()),
                    Err(Trouble::Fault(fault)) => self.lost(Termination::Error, fault.to_string()),
                    Err(Trouble::Refused(error)) => Turn::Refused(player, error),
                    Err(Trouble::Halted) => Turn::Halted,
                }
            }
        }
    }

    /// Plays a move, if it came in time.
    fn play(&mut self, choice: Choice) -> Turn {
        let Choice { mv, used, score, asked } = choice;
        let player = self.to_move();
        let clock = &mut self.clocks[player];
        if let Some(allowed) = clock.too_long()
            && used > allowed
        {
            return self.lost(Termination::Error, Fault::OutOfTime { allowed, obeyed_stop: true }.to_string());
        }
        clock.spend(used);
        if let Some(spent) = &mut self.spent {
            spent.push(used);
        }
        self.scores.push(score);
        if asked {
            self.adjudicator.told(player, score);
        }
        self.game.play(mv);
        self.searching = None;
        Turn::Played
    }

    /// The outcome of a game that the scores end.
    fn adjudicated(&self, verdict: Verdict) -> Outcome {
        match verdict {
            // The key has the side of player 0.
            Verdict::Won(0) => Outcome::win(self.task.key.1, Termination::Adjudicated),
            Verdict::Won(_) => Outcome::win(self.task.key.1.other(), Termination::Adjudicated),
            Verdict::Drawn => Outcome::draw(Termination::Adjudicated),
        }
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
            scores: if self.scores.iter().any(Option::is_some) { self.scores.clone() } else { Vec::new() },
            spent_ms: self.spent.iter().flatten().map(ms).collect(),
            session: 0,
            elapsed_ms: 0,
        }
    }
}
