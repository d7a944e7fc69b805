//! One running game of a match.

use super::adjudicator::{AdjudicatedResult, Adjudicator};
use crate::config::MatchConfig;
use crate::log::{GameEntry, GameKey, game_name};
use crate::openings::{Opening, generator};
use crate::players::{GamePlayer, PlayerFactory};
use engine::client::{
    Engine, EngineDecision, EngineFailure, EngineFault, EngineMove, suspensions, was_suspended_since,
};
use engine::{GameClock, Score};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Outcome, Rules, Scoresheet, Termination, Variant};
use search::{EvaluationError, Evaluations, LeafBatch, Proof, Step};
use std::io;
use std::time::{Duration, Instant};

/// A game to be played.
#[derive(Clone, Debug)]
pub(super) struct ScheduledGame<V: Variant> {
    pub key: GameKey,
    pub opening: Opening<V>,
}

/// The state of a game after a step.
pub(super) enum GameStep {
    /// A move was played.
    Played,
    /// A leaf was pushed to the batch of this player.
    Waiting(usize),
    /// It has ended.
    Over(GameEntry),
    /// The operating system refused this player's engine something; the game must be played again.
    Refused(usize, io::Error),
    /// The match is being stopped.
    Halted,
}

/// A game and its two players.
pub(super) struct Running<V: Variant> {
    task: ScheduledGame<V>,
    game: Game<V>,
    legal: MoveList,
    rng: ChaCha8Rng,
    players: [GamePlayer<V>; 2],
    /// The players' clocks, by player.
    clocks: [GameClock; 2],
    /// How long each move took; `None` if no player's time is measured.
    spent: Option<Vec<Duration>>,
    /// The score that the player who moved reported with each move.
    scores: Vec<Option<Score>>,
    adjudicator: Adjudicator,
    /// The search of the player to move, if it has begun.
    searching: Option<Searching>,
    /// How often the process had been suspended when the game began; `None` where no clock runs.
    suspensions: Option<u64>,
}

/// A network's search for a move.
#[derive(Clone, Copy)]
struct Searching {
    began: Instant,
    /// When the search is cut off; `None` without a limit of time.
    until: Option<Instant>,
    /// Whether the root has been evaluated, without which there is no result.
    rooted: bool,
}

/// A move to be played.
struct Choice {
    mv: Move,
    used: Duration,
    /// The score that the player reports with it.
    score: Option<Score>,
    /// Whether the player was asked; it is not if there is only one legal move.
    asked: bool,
}

impl<V: Variant> Running<V> {
    /// `spares`: processes of engines without a game.
    pub fn new(
        rules: Rules<V>,
        task: ScheduledGame<V>,
        config: &MatchConfig,
        factories: &[PlayerFactory; 2],
        spares: &mut [Vec<Engine>; 2],
    ) -> Self {
        let timed = factories.iter().any(PlayerFactory::is_timed);
        let [a, b] = spares;
        Running {
            game: task.opening.game(rules),
            legal: MoveList::new(),
            rng: generator(config.seed, "game", task.key),
            players: [factories[0].player(a.pop()), factories[1].player(b.pop())],
            clocks: factories.each_ref().map(|factory| GameClock::new(factory.limit, factory.margin)),
            spent: timed.then(|| vec![Duration::ZERO; task.opening.moves.len()]),
            scores: vec![None; task.opening.moves.len()],
            adjudicator: Adjudicator::new(config.adjudication),
            searching: None,
            suspensions: factories.iter().any(|factory| factory.limit.is_of_time()).then(suspensions),
            task,
        }
    }

    /// Whether the process was suspended (SIGSTOP, Ctrl-Z) while a clock of this game ran. Then its times are not the
    /// players' times. `late`: a player has lost, perhaps for that reason.
    pub fn was_suspended(&self, late: bool) -> bool {
        self.suspensions.is_some_and(|before| if late { was_suspended_since(before) } else { suspensions() != before })
    }

    /// What is being played.
    pub fn task(&self) -> ScheduledGame<V> {
        self.task.clone()
    }

    /// Gives back the processes that can play another game.
    pub fn release_engines(self, spares: &mut [Vec<Engine>; 2]) {
        for (player, spares) in self.players.into_iter().zip(spares) {
            if let GamePlayer::Engine(engine) = player {
                spares.extend(engine.into_process());
            }
        }
    }

    /// Number of the player to move: 0 for the first named one.
    fn to_move(&self) -> usize {
        usize::from(self.game.side() != self.task.key.1)
    }

    /// Advances to the next move or leaf.
    pub fn advance(&mut self, batches: &mut [&mut LeafBatch; 2], halt: &dyn Fn() -> bool) -> GameStep {
        let player = self.to_move();
        if self.searching.is_none() {
            self.game.legal_moves(&mut self.legal);
            if let Some(outcome) = self.game.outcome(&self.legal) {
                return GameStep::Over(self.entry(outcome, String::new()));
            }
            if let Some((verdict, rule)) = self.adjudicator.verdict(self.game.ply()) {
                return GameStep::Over(self.entry(self.adjudicated(verdict), rule));
            }
            if let [only] = self.legal[..] {
                return self.play(Choice { mv: only, used: Duration::ZERO, score: None, asked: false });
            }
        }
        let clock = self.clocks[player];
        match &mut self.players[player] {
            GamePlayer::MovePolicy(move_policy) => {
                let began = self.spent.as_ref().map(|_| Instant::now());
                let mv = move_policy.choose(&self.game, &self.legal, &mut self.rng);
                let score = move_policy.expected().map(Score::of_expected);
                let used = began.map_or(Duration::ZERO, |began| began.elapsed());
                self.play(Choice { mv, used, score, asked: true })
            }
            GamePlayer::Search { search, visits, pace } => {
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
                    return GameStep::Waiting(player);
                }
                let used = searching.began.elapsed();
                let result = search.result();
                if let Some(pace) = pace
                    && self.suspensions.is_none_or(|before| suspensions() == before)
                {
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
            GamePlayer::Engine(engine) => {
                let clocks = [&clock, &self.clocks[1 - player]];
                match engine.choose(&self.game, &self.legal, clocks, halt) {
                    Ok(EngineMove { decision: EngineDecision::Move(mv), used, score }) => {
                        self.play(Choice { mv, used, score, asked: true })
                    }
                    Ok(EngineMove { decision: EngineDecision::Resign, .. }) => {
                        self.lost(Termination::Resign, String::new())
                    }
                    Err(EngineFailure::Fault(fault)) => self.lost(Termination::Error, fault.to_string()),
                    Err(EngineFailure::Refused(error)) => GameStep::Refused(player, error),
                    Err(EngineFailure::Halted) => GameStep::Halted,
                }
            }
        }
    }

    /// Plays a move, if it came in time.
    fn play(&mut self, choice: Choice) -> GameStep {
        let Choice { mv, used, score, asked } = choice;
        let player = self.to_move();
        let clock = &mut self.clocks[player];
        if let Some(allowed) = clock.too_long()
            && used > allowed
        {
            return self.lost(Termination::Error, EngineFault::OutOfTime { allowed, obeyed_stop: true }.to_string());
        }
        clock.spend(used);
        if let Some(spent) = &mut self.spent {
            spent.push(used);
        }
        self.scores.push(score);
        if asked {
            self.adjudicator.update(player, score);
        }
        self.game.play(mv);
        self.searching = None;
        GameStep::Played
    }

    /// The outcome of a game that the scores end.
    fn adjudicated(&self, verdict: AdjudicatedResult) -> Outcome {
        match verdict {
            // The key has the side of player 0.
            AdjudicatedResult::Won(0) => Outcome::win(self.task.key.1, Termination::Adjudicated),
            AdjudicatedResult::Won(_) => Outcome::win(self.task.key.1.other(), Termination::Adjudicated),
            AdjudicatedResult::Drawn => Outcome::draw(Termination::Adjudicated),
        }
    }

    /// The player to move has lost for a reason other than the position.
    fn lost(&self, termination: Termination, reason: String) -> GameStep {
        GameStep::Over(self.entry(Outcome::win(self.game.side().other(), termination), reason))
    }

    /// Evaluates the waiting leaf, which is `leaf` of `batch`.
    ///
    /// # Errors
    /// The evaluation has numbers that are not finite, or probabilities that are no distribution.
    pub fn supply(&mut self, batch: &mut LeafBatch, leaf: usize, answers: &Evaluations) -> Result<(), EvaluationError> {
        if let Some(searching) = &mut self.searching {
            searching.rooted = true;
        }
        match &mut self.players[self.to_move()] {
            GamePlayer::Search { search, .. } => search.supply(batch, leaf, answers),
            GamePlayer::MovePolicy(_) | GamePlayer::Engine(_) => Ok(()),
        }
    }

    /// Which game this is, for messages.
    pub fn name(&self) -> String {
        game_name(self.task.key)
    }

    /// Which game this is and how it went so far, for messages.
    pub fn describe(&self) -> String {
        format!("{}, after {:?}", self.name(), self.game.moves_text())
    }

    fn entry(&self, outcome: Outcome, reason: String) -> GameEntry {
        let ms = |time: &Duration| time.as_millis().min(u32::MAX.into()) as u32;
        let sheet = Scoresheet::of(&self.game, outcome);
        GameEntry {
            pair: self.task.key.0,
            side_of_first_named: self.task.key.1,
            start_fen: sheet.start.start_fen(),
            opening_plies: self.task.opening.moves.len() as u32,
            moves: self.game.moves_text(),
            plies: sheet.plies() as u32,
            result: sheet.outcome.result,
            termination: sheet.outcome.termination,
            reason,
            scores: if self.scores.iter().any(Option::is_some) { self.scores.clone() } else { Vec::new() },
            spent_ms: self.spent.iter().flatten().map(ms).collect(),
            session: 0,
            elapsed_ms: 0,
            finished_at: None,
        }
    }
}
