//! The report of an analysis.

use super::Analysis;
use crate::state::GameState;
use crate::tree::{Proof, ROOT, flip, q_of};
use crate::tree_search::RootMove;
use rules::Move;
use std::cmp::Reverse;
use std::time::Duration;

/// The state of an analysis, from the point of view of the player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct AnalysisReport {
    /// The best moves, best first, each with the line expected after it. There is always one.
    pub lines: Vec<Variation>,
    /// Win, draw, loss by the search; exact if proven.
    pub wdl: [f32; 3],
    /// Win − loss by the search.
    pub q: f32,
    /// The proven result, and the plies until the game then ends.
    pub proven: Option<(Proof, u16)>,
    /// Visits of this run, without those of a kept tree.
    pub simulations: u64,
    /// Visits of the root, including those of earlier runs.
    pub visits: u32,
    /// Positions the network was asked about in this run.
    pub evaluations: u64,
    /// Positions of this run whose evaluation was known already.
    pub cache_hits: u64,
    /// Mean length of this run's simulations, plies.
    pub depth: f32,
    /// Length of the longest simulation, plies.
    pub seldepth: usize,
    /// Bytes of the tree's nodes and edges.
    pub tree_bytes: usize,
    /// Time since the run began.
    pub elapsed: Duration,
}

/// A move with the line expected after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation {
    /// The move, then the most visited replies.
    pub moves: Vec<Move>,
    /// Visits of the move.
    pub visits: u32,
    /// Its share of the visits of all moves, 0 to 1.
    pub share: f32,
    /// The network's policy for it, 0 to 1.
    pub prior: f32,
    /// Win, draw, loss after it, for the player who makes it; the root's own if the move has not been tried.
    pub wdl: [f32; 3],
    /// The proven result of the move, for that player, and the plies until the game then ends.
    pub proven: Option<(Proof, u16)>,
}

impl Variation {
    /// Win − loss.
    pub fn q(&self) -> f32 {
        q_of(self.wdl)
    }
}

impl AnalysisReport {
    /// Visits a second.
    pub fn simulations_per_second(&self) -> f64 {
        self.simulations as f64 / self.elapsed.as_secs_f64().max(1e-6)
    }
}

/// Longest line, plies.
const LINE: usize = 32;

impl<S: GameState> Analysis<S> {
    /// The state of the analysis, with up to `lines` lines.
    ///
    /// # Panics
    /// Before the first [`Analysis::run`], and after one that failed.
    pub fn report(&mut self, lines: usize) -> AnalysisReport {
        let (tally, elapsed) = (self.search.tally(), self.begun.elapsed());
        let result = self.search.result().clone();
        let tree = self.search.tree();
        let root = tree.node(ROOT);
        let all_visits: u32 = result.moves.iter().map(|mv| mv.visits).sum();
        let mut ranked: Vec<&RootMove> =
            result.moves.iter().filter(|mv| is_known(mv) || mv.mv == result.best).collect();
        ranked.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(std::cmp::Ordering::Equal));
        // The search's own choice is first, however it breaks ties.
        ranked.sort_by_key(|mv| mv.mv != result.best);
        let lines = ranked.into_iter().take(lines.max(1)).map(|mv| Variation {
            moves: self.search.line_after(mv.mv, LINE),
            visits: mv.visits,
            share: mv.visits as f32 / all_visits.max(1) as f32,
            prior: mv.prior,
            wdl: tree
                .child_by_move(ROOT, mv.mv)
                .filter(|_| is_known(mv))
                .map_or(result.root_wdl, |child| flip(tree.node(child).wdl)),
            proven: mv.proven,
        });
        AnalysisReport {
            lines: lines.collect(),
            wdl: result.root_wdl,
            q: result.root_q,
            proven: result.proven,
            simulations: tally.simulations,
            visits: root.visits,
            evaluations: tally.evaluations,
            cache_hits: tally.recalled,
            depth: tally.plies as f32 / tally.simulations.max(1) as f32,
            seldepth: tally.deepest,
            tree_bytes: tree.bytes_used(),
            elapsed,
        }
    }
}

/// Whether a move has been tried.
fn is_known(mv: &RootMove) -> bool {
    mv.visits > 0 || mv.proven.is_some()
}

/// Better moves have higher ranks: the quickest proven win, then moves not proven to lose by visits and value, then
/// the longest resistance.
fn rank(mv: &RootMove) -> (i8, Reverse<u16>, u32, f32, f32) {
    match mv.proven {
        Some((Proof::Win, plies)) => (1, Reverse(plies), mv.visits, mv.q, mv.prior),
        Some((Proof::Loss, plies)) => (-1, Reverse(u16::MAX - plies), mv.visits, mv.q, mv.prior),
        None | Some((Proof::Draw, _)) => (0, Reverse(0), mv.visits, mv.q, mv.prior),
    }
}
