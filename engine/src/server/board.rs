//! A board with a search: what the server needs of every variant.

use super::deadline::{SearchSignals, Signal, TimedEvaluator};
use super::level::LevelSearch;
use super::pipe::Replies;
use super::report::{self, ReportFormat};
use super::settings::Settings;
use super::time;
use crate::protocol::{BestMove, GameNotation, Go, PositionCommand, PositionError, Protocol, Reply};
use rules::{Game, MoveList, Outcome, Rules, Termination, UnknownPreset, Variant};
use search::analysis::AnalysisReport;
use search::{Analysis, AnalysisConfig, AnalysisRequest, EvaluationError, Evaluator, SearchConfig};
use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Time between two reports of a search.
const REPORT_INTERVAL: Duration = Duration::from_millis(500);
/// How often a search that must reach a depth checks how deep it is.
const DEPTH_INTERVAL: Duration = Duration::from_millis(10);
/// Deepest perft that is counted: it cannot be stopped.
const DEEPEST_PERFT: u32 = 4;

/// A `go` with all that the search needs.
pub(super) struct GoRequest {
    pub go: Go,
    /// When the command came.
    pub received: Instant,
    /// The settings at that moment.
    pub settings: Settings,
    /// The search of the level to play at; `None` is full strength.
    pub level: Option<SearchConfig>,
}

/// Why a board cannot be made.
#[derive(Debug, thiserror::Error)]
pub(super) enum BoardError {
    /// The variant does not have the rule set.
    #[error(transparent)]
    Rules(#[from] UnknownPreset),
    /// The evaluator fails.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
}

/// A board with a search.
pub(super) trait SearchBoard: Send {
    /// Sets up a position.
    ///
    /// # Errors
    /// The position or a move is not possible; the previous position stays.
    fn set_position(&mut self, command: &PositionCommand) -> Result<(), PositionError>;

    /// Forgets the present game.
    fn new_game(&mut self);

    /// Searches the present position and answers.
    fn go(&mut self, request: &GoRequest, replies: &Replies);
}

/// The board of one variant.
pub(super) struct VariantBoard<V: Variant> {
    game: Game<V>,
    /// The command that set up `game`.
    position: PositionCommand,
    protocol: Protocol,
    notation: GameNotation<V>,
    analysis: Analysis<Game<V>>,
    weaker: LevelSearch<V>,
    tree_bytes: usize,
    evaluator: TimedEvaluator,
    signals: Arc<SearchSignals>,
}

/// When a search ends by itself.
#[derive(Clone, Copy)]
struct StopConditions {
    simulations: u32,
    deadline: Option<Instant>,
    depth: Option<u32>,
}

impl StopConditions {
    const NEVER: StopConditions = StopConditions { simulations: u32::MAX, deadline: None, depth: None };
}

impl<V: Variant> VariantBoard<V> {
    /// The start position.
    ///
    /// # Errors
    /// The variant does not have the rule set of the settings, or the evaluator fails.
    pub fn new(
        protocol: Protocol,
        settings: &Settings,
        evaluator: Box<dyn Evaluator>,
        is_network: bool,
        signals: Arc<SearchSignals>,
    ) -> Result<VariantBoard<V>, BoardError> {
        let rules = settings.ruleset.as_deref().map_or(Ok(Rules::default()), Rules::named)?;
        let game = Game::start(rules);
        let mut evaluator = TimedEvaluator::new(evaluator, Arc::clone(&signals));
        evaluator.warm_up(&game)?;
        let tree_bytes = (settings.memory as usize) << 20;
        let mut config = AnalysisConfig { batch: evaluator.batch_size(), tree_bytes, ..AnalysisConfig::default() };
        if is_network {
            config.search.cpuct_deviation_share = settings.deviation_percent as f32 / 100.0;
        }
        Ok(VariantBoard {
            game,
            position: PositionCommand::default(),
            protocol,
            notation: GameNotation::of(protocol).unwrap_or_default(),
            analysis: Analysis::new(config),
            weaker: LevelSearch::new(settings.seed),
            tree_bytes,
            evaluator,
            signals,
        })
    }

    /// The game to search: the present one; or, if it is over by our rules and the GUI plays on, its position without
    /// the moves before it and their count; or none, if the position itself is over.
    fn searched_game(&self, legal: &MoveList) -> Option<Game<V>> {
        let position_alone =
            || Game::from_position(*self.game.rules(), self.game.position().clone().without_quiet_plies());
        match self.game.outcome(legal) {
            None => Some(self.game.clone()),
            Some(_) => Some(position_alone()).filter(|game| game.outcome(legal).is_none()),
        }
    }

    /// Searches and reports until a condition is met or a signal comes; `None` if the network failed.
    fn search(
        &mut self,
        game: &Game<V>,
        request: &GoRequest,
        until: StopConditions,
        replies: &Replies,
    ) -> Option<AnalysisReport> {
        self.evaluator.begin(until.deadline);
        let analysis = AnalysisRequest {
            simulations: until.simulations,
            time: until.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())),
            lines: request.settings.lines as usize,
            every: if until.depth.is_some() { DEPTH_INTERVAL } else { REPORT_INTERVAL },
        };
        let (protocol, notation) = (self.protocol, self.notation);
        let format = ReportFormat { protocol, show_wdl: request.settings.show_wdl, tree_bytes: self.tree_bytes };
        let show = |report: &AnalysisReport| {
            replies.send_all(protocol, &report::info(game.position(), notation, report, format));
        };
        let failed =
            |error: &dyn Display| replies.message(protocol, format_args!("{error}; the engine plays any legal move"));
        if let Some(level) = &request.level {
            let interrupt = self.signals.interrupt();
            let searched = self.weaker.run(game, level, until.simulations, &mut self.evaluator, interrupt);
            return searched.inspect(show).inspect_err(|error| failed(error)).ok();
        }
        let (signals, mut shown) = (&self.signals, Instant::now());
        let on_report = |report: &AnalysisReport| {
            if until.depth.is_some_and(|depth| f64::from(report.depth) >= f64::from(depth)) {
                signals.interrupt().store(true, Ordering::Relaxed);
            }
            if shown.elapsed() >= REPORT_INTERVAL {
                shown = Instant::now();
                show(report);
            }
        };
        match self.analysis.run(game, &mut self.evaluator, &analysis, signals.interrupt(), on_report) {
            Ok((_, report)) => {
                show(&report);
                Some(report)
            }
            Err(error) => {
                failed(&error);
                None
            }
        }
    }

    /// Searches as long as the command says, waits if it says so, and returns the last report.
    fn last_report(
        &mut self,
        game: Option<&Game<V>>,
        request: &GoRequest,
        replies: &Replies,
    ) -> Option<AnalysisReport> {
        let (go, mut since, mut report) = (&request.go, request.received, None);
        if go.ponder {
            report = game.and_then(|game| self.search(game, request, StopConditions::NEVER, replies));
            match self.signals.wait() {
                Signal::Stop => return report,
                Signal::PonderHit(at) => since = at,
            }
        }
        if go.infinite {
            report = game.and_then(|game| self.search(game, request, StopConditions::NEVER, replies));
            while self.signals.wait() != Signal::Stop {}
            return report;
        }
        let budget = time::budget(go, self.game.side(), request.settings.overhead);
        let simulations = match go.nodes {
            Some(nodes) => u32::try_from(nodes).unwrap_or(u32::MAX),
            None if go.is_unlimited() => request.settings.visits,
            None => u32::MAX,
        };
        let simulations = match (&request.level, &report) {
            // What a level has searched while pondering counts among its visits.
            (Some(level), Some(made)) if made.visits >= level.visits || made.proven.is_some() => return report,
            (Some(level), Some(made)) => simulations.min(level.visits - made.visits),
            _ => simulations,
        };
        let until = StopConditions { simulations, deadline: budget.map(|budget| since + budget), depth: go.depth };
        game.and_then(|game| self.search(game, request, until, replies)).or(report)
    }

    /// The answer to `go`.
    fn best_move(&mut self, request: &GoRequest, replies: &Replies) -> BestMove {
        let mut legal = MoveList::new();
        self.game.legal_moves(&mut legal);
        let game = self.searched_game(&legal);
        let report = self.last_report(game.as_ref(), request, replies);
        let position = self.game.position();
        if let Some(line) = report.as_ref().and_then(|report| report.lines.first()) {
            let mut moves = report::moves(position, self.notation, line).into_iter();
            return match (moves.next(), moves.next()) {
                (Some(mv), ponder) => BestMove::Move { mv, ponder },
                (None, _) => BestMove::NoMove,
            };
        }
        let has_declared = |outcome: Outcome| {
            outcome.termination == Termination::Declaration && outcome.winner() == Some(self.game.side())
        };
        match legal.first() {
            Some(_) if self.protocol == Protocol::Usi && self.game.outcome(&legal).is_some_and(has_declared) => {
                BestMove::Win
            }
            Some(&mv) => {
                if game.is_none() {
                    replies.message(self.protocol, "the game is over by the rule set; the engine plays any legal move");
                }
                BestMove::Move { mv: self.notation.write_move(position, mv), ponder: None }
            }
            None => BestMove::NoMove,
        }
    }

    /// Each legal move with the number of sequences that begin with it, and their sum.
    fn perft(&self, depth: u32) -> Vec<Reply> {
        let position = self.game.position();
        let counts = position.perft_divide(depth);
        let total = if depth == 0 { 1 } else { counts.iter().map(|(_, count)| count).sum() };
        let reply = |&(mv, leaves)| Reply::PerftMove { mv: self.notation.write_move(position, mv), leaves };
        counts.iter().map(reply).chain([Reply::PerftTotal(total)]).collect()
    }
}

impl<V: Variant> SearchBoard for VariantBoard<V> {
    fn set_position(&mut self, command: &PositionCommand) -> Result<(), PositionError> {
        // A GUI sends the whole game before each move; usually only the last moves are new.
        let goes_on = command.start == self.position.start && command.moves.starts_with(&self.position.moves);
        self.game = if goes_on {
            let (mut game, played) = (self.game.clone(), self.position.moves.len());
            self.notation.play_moves(&mut game, &command.moves[played..], played)?;
            game
        } else {
            self.notation.read_position(*self.game.rules(), command)?
        };
        self.position = command.clone();
        Ok(())
    }

    fn new_game(&mut self) {
        self.analysis.forget();
        self.weaker.forget();
        self.game = Game::start(*self.game.rules());
        self.position = PositionCommand::default();
    }

    fn go(&mut self, request: &GoRequest, replies: &Replies) {
        let answer = match request.go.perft {
            // 詰将棋 allows checks only, a rule that the search does not know.
            None if request.go.mate.is_some() && self.protocol == Protocol::Usi => vec![Reply::NoMateSolver],
            None => vec![Reply::BestMove(self.best_move(request, replies))],
            Some(depth) if depth <= DEEPEST_PERFT => self.perft(depth),
            Some(_) => vec![Reply::Message(format!("perft counts to depth {DEEPEST_PERFT} at most"))],
        };
        replies.send_all(self.protocol, &answer);
    }
}
