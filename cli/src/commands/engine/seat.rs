//! A variant's board with a search at it: what a session needs of them, whatever the variant.

use super::go::Go;
use super::options::{Settings, rules_of};
use super::output::{self, View};
use super::pace::{Orders, Paced, Word};
use super::protocol::{Placement, Protocol};
use super::time;
use super::wire::Wire;
use rules::{Game, MoveList, Notation, Position, PositionFormat, Termination, Variant};
use selfplay::analysis::Report;
use selfplay::{Analysis, AnalysisConfig, Evaluator, Request};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Time between two reports of a search.
const REPORTS: Duration = Duration::from_millis(500);
/// How often a search that must reach a depth looks how deep it is.
const DEPTH_LOOKS: Duration = Duration::from_millis(10);
/// Deepest perft that is counted: it cannot be stopped.
const DEEPEST_PERFT: u32 = 4;

/// One thing to think about.
pub struct Order {
    /// How long.
    pub go: Go,
    /// When that was said.
    pub received: Instant,
    /// What else was set.
    pub settings: Settings,
}

/// A board of some variant and who thinks at it.
pub trait Seat: Send {
    /// Sets up a position.
    ///
    /// # Errors
    /// The position or a move cannot be; what was there stays.
    fn place(&mut self, placement: &Placement) -> Result<(), String>;

    /// Forgets what is known of this game.
    fn new_game(&mut self);

    /// Thinks about the position and answers.
    fn think(&mut self, order: &Order, wire: &Wire);
}

/// The board of one variant.
pub struct Board<V: Variant> {
    game: Game<V>,
    /// Where the game comes from.
    placement: Placement,
    notation: &'static Notation<V>,
    /// Whether positions come in SFEN if the variant has it.
    protocol: Protocol,
    analysis: Analysis<Game<V>>,
    tree_bytes: usize,
    evaluator: Paced,
    orders: Arc<Orders>,
}

impl<V: Variant> Board<V> {
    /// The start position.
    ///
    /// # Errors
    /// The variant has not the rule set, or the evaluator does not work.
    pub fn new(
        protocol: Protocol,
        settings: &Settings,
        evaluator: Box<dyn Evaluator>,
        orders: Arc<Orders>,
    ) -> Result<Board<V>, String> {
        let game = Game::start(rules_of(settings)?);
        let mut evaluator = Paced::new(evaluator, Arc::clone(&orders));
        evaluator.warm_up(&game).map_err(|error| error.to_string())?;
        let tree_bytes = (settings.memory as usize) << 20;
        let config = AnalysisConfig { batch: settings.batch as usize, tree_bytes, ..AnalysisConfig::default() };
        Ok(Board {
            game,
            placement: Placement::default(),
            notation: Notation::named(protocol.word()).unwrap_or(const { &Notation::UCI }),
            protocol,
            analysis: Analysis::new(config),
            tree_bytes,
            evaluator,
            orders,
        })
    }

    fn start(&self, text: Option<&str>) -> Result<Position<V>, String> {
        let Some(text) = text else { return Ok(Position::start()) };
        let format = match self.protocol {
            Protocol::Usi => PositionFormat::named("sfen").ok(),
            Protocol::Uci | Protocol::Ucci => None,
        };
        let read = format.map(|format| format.read(text)).filter(Result::is_ok);
        read.unwrap_or_else(|| Position::from_text(text)).map_err(|error| error.to_string())
    }

    /// The game to search: this one; or this position without what led here, if the game is over by our rules and the
    /// GUI plays on; or none, if there is nothing to think about.
    fn searched(&self, legal: &MoveList) -> Option<Game<V>> {
        let here = || Game::from_position(*self.game.rules(), self.game.position().clone());
        match self.game.outcome(legal) {
            None => Some(self.game.clone()),
            Some(_) => Some(here()).filter(|game| game.outcome(legal).is_none()),
        }
    }

    /// Searches and reports until a limit is reached or somebody interrupts; `None` if nothing came of it.
    fn search(&mut self, game: &Game<V>, order: &Order, limit: Limit, wire: &Wire) -> Option<Report> {
        self.evaluator.begin(limit.until);
        let request = Request {
            simulations: limit.simulations,
            time: limit.until.map(|until| until.saturating_duration_since(Instant::now())),
            lines: order.settings.lines as usize,
            every: if limit.depth.is_some() { DEPTH_LOOKS } else { REPORTS },
        };
        let view = View { protocol: self.protocol, wdl: order.settings.wdl, tree_bytes: self.tree_bytes };
        let show = |report: &Report| wire.say(output::info(game.position(), self.notation, report, view));
        let (orders, mut shown) = (&self.orders, Instant::now());
        let on_report = |report: &Report| {
            if limit.depth.is_some_and(|depth| f64::from(report.depth) >= f64::from(depth)) {
                orders.interrupt().store(true, Ordering::Relaxed);
            }
            if shown.elapsed() >= REPORTS {
                shown = Instant::now();
                show(report);
            }
        };
        match self.analysis.run(game, &mut self.evaluator, &request, orders.interrupt(), on_report) {
            Ok((_, report)) => {
                show(&report);
                Some(report)
            }
            Err(error) => {
                wire.tell(self.protocol, format_args!("{error}; any legal move is played"));
                None
            }
        }
    }

    /// Thinks for as long as the order says, waits if it says so, and returns the last report.
    fn report(&mut self, game: Option<&Game<V>>, order: &Order, wire: &Wire) -> Option<Report> {
        let (go, mut since, mut report) = (&order.go, order.received, None);
        if go.ponder {
            report = game.and_then(|game| self.search(game, order, Limit::NONE, wire));
            match self.orders.wait() {
                Word::Stop => return report,
                Word::Hit(at) => since = at,
            }
        }
        if go.infinite {
            report = game.and_then(|game| self.search(game, order, Limit::NONE, wire));
            while self.orders.wait() != Word::Stop {}
            return report;
        }
        let budget = time::budget(go, self.game.side(), order.settings.overhead);
        let limit = Limit {
            simulations: go.nodes.unwrap_or(if go.is_open() { order.settings.visits } else { u32::MAX }),
            until: budget.map(|budget| since + budget),
            depth: go.depth,
        };
        game.and_then(|game| self.search(game, order, limit, wire)).or(report)
    }

    /// The answer to `go`.
    fn answer(&mut self, order: &Order, wire: &Wire) -> String {
        let mut legal = MoveList::new();
        self.game.legal_moves(&mut legal);
        let game = self.searched(&legal);
        let report = self.report(game.as_ref(), order, wire);
        let (position, notation) = (self.game.position(), self.notation);
        if let Some(line) = report.as_ref().and_then(|report| report.lines.first()) {
            return output::best_move(position, notation, line);
        }
        let outcome = self.game.outcome(&legal);
        let has_declared = |outcome: rules::Outcome| {
            outcome.termination == Termination::Declaration && outcome.winner == Some(self.game.side())
        };
        match legal.first() {
            Some(_) if self.protocol == Protocol::Usi && outcome.is_some_and(has_declared) => "bestmove win".to_owned(),
            Some(&mv) => format!("bestmove {}", notation.write(position, mv)),
            None => output::no_move(self.protocol).to_owned(),
        }
    }

    /// The moves with the number of sequences that begin with each, as other engines print them.
    fn perft(&self, depth: u32) -> String {
        let position = self.game.position();
        let mut text = String::new();
        let counts = position.perft_divide(depth);
        for &(mv, count) in &counts {
            let _ = writeln!(text, "{}: {count}", self.notation.write(position, mv));
        }
        let total = if depth == 0 { 1 } else { counts.iter().map(|(_, count)| count).sum() };
        text + &format!("\nNodes searched: {total}")
    }
}

/// When a search ends by itself.
#[derive(Clone, Copy)]
struct Limit {
    simulations: u32,
    until: Option<Instant>,
    depth: Option<u32>,
}

impl Limit {
    const NONE: Limit = Limit { simulations: u32::MAX, until: None, depth: None };
}

impl<V: Variant> Seat for Board<V> {
    fn place(&mut self, placement: &Placement) -> Result<(), String> {
        let known = (placement.start == self.placement.start && placement.moves.starts_with(&self.placement.moves))
            .then(|| (self.game.clone(), self.placement.moves.len()));
        let (mut game, played) = match known {
            Some(known) => known,
            None => (Game::from_position(*self.game.rules(), self.start(placement.start.as_deref())?), 0),
        };
        for (number, text) in placement.moves.iter().enumerate().skip(played) {
            // Shogi programs may say `=` where a piece does not promote.
            let text = if self.protocol == Protocol::Usi { text.strip_suffix('=').unwrap_or(text) } else { text };
            let mv = self.notation.read(game.position(), text);
            game.play(mv.map_err(|error| format!("move {}: {error}", number + 1))?);
        }
        (self.game, self.placement) = (game, placement.clone());
        Ok(())
    }

    fn new_game(&mut self) {
        self.analysis.forget();
        self.game = Game::start(*self.game.rules());
        self.placement = Placement::default();
    }

    fn think(&mut self, order: &Order, wire: &Wire) {
        let answer = match order.go.perft {
            // 詰将棋 allow checks only, which the search does not know.
            None if order.go.mate && self.protocol == Protocol::Usi => "checkmate notimplemented".to_owned(),
            None => self.answer(order, wire),
            Some(depth) if depth <= DEEPEST_PERFT => self.perft(depth),
            Some(_) => return wire.tell(self.protocol, format_args!("perft counts to depth {DEEPEST_PERFT}")),
        };
        wire.say(answer);
    }
}
