//! One search: a tree whose leaves are appended to a batch, so that a caller can gather the leaves of many searches, or
//! many leaves of one search.
//!
//! The parts follow the paper: select (`gumbel`, `puct`), expand and evaluate (`simulation`), back up (`backup`), and
//! write the result (`result`).

mod backup;
mod begin;
mod forced;
mod gumbel;
mod halving;
#[cfg(test)]
pub(crate) mod invariants_tests;
#[cfg(test)]
mod mctx_tests;
mod noise;
mod pending_leaves;
mod puct;
mod result;
mod root;
mod simulation;

pub use halving::considered_visits;
pub use result::{RootMove, SearchResult};

use crate::config::{Algorithm, SearchConfig};
use crate::evaluator::{EvaluationError, Evaluations, Evaluator, LeafBatch};
use crate::state::GameState;
use crate::tree::{EndingMove, NodeId, Proof, ROOT, Tree, q_of};
use pending_leaves::PendingLeaves;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use root::RootPlan;
use rules::{Game, Move, MoveList};

/// A search over the games of a variant.
pub type Search<V> = TreeSearch<Game<V>>;

/// The state of a search after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It has appended one leaf to the batch and waits for [`TreeSearch::supply`].
    Pending,
    /// It is finished.
    Done,
}

/// The settings of one search that may change from move to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchRequest {
    /// Visits that it adds to the root.
    pub visits: u32,
    /// How moves are chosen.
    pub algorithm: Algorithm,
    /// Whether there is noise at the root (if the configuration has any).
    pub noise: bool,
}

/// A resumable tree search. Its memory is reused from search to search.
///
/// ```
/// use rand::SeedableRng;
/// use rules::{Game, Rules, Xiangqi};
/// use search::{Evaluations, Evaluator, LeafBatch, Proof, Search, SearchConfig, Step, UniformEvaluator};
///
/// // One rook holds the ninth rank, the other can mate on the tenth.
/// let position = rules::Position::from_fen("3k5/R8/1R7/9/9/9/9/9/9/5K3 w - - 0 1")?;
/// let game = Game::<Xiangqi>::from_position(Rules::default(), position);
/// let mut search = Search::new(SearchConfig::default());
/// let (mut network, mut batch, mut answers) =
///     (UniformEvaluator::new(1), LeafBatch::default(), Evaluations::default());
/// search.begin(&game, 16, &mut rand_chacha::ChaCha8Rng::seed_from_u64(1));
/// while search.next_leaf(&mut batch) == Step::Pending {
///     network.evaluate(&batch, &mut answers)?;
///     search.supply(&mut batch, 0, &answers)?;
///     batch.clear();
/// }
/// assert_eq!(search.result().proven, Some((Proof::Win, 1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TreeSearch<S> {
    config: SearchConfig,

    // Per tree.
    tree: Tree,
    /// The game at the root; each simulation plays moves in it and undoes them.
    game: Option<S>,

    // Per search.
    order: SearchRequest,
    root: RootPlan,
    rng: ChaCha8Rng,
    pending: PendingLeaves,
    tally: SimulationCounts,
    result: SearchResult,

    // Per simulation.
    /// Nodes passed and the edges taken from them.
    path: Vec<(NodeId, u32)>,
    legal: MoveList,
    replies: MoveList,
    ends: Vec<EndingMove>,
    weights: Vec<f32>,
}

/// Counts of the finished simulations of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SimulationCounts {
    /// All.
    pub simulations: u64,
    /// Sum of their lengths, plies.
    pub plies: u64,
    /// Plies of the longest.
    pub deepest: usize,
    /// Positions that the network was asked about.
    pub evaluations: u64,
    /// Evaluations that were reused: from an earlier search of the game, or from the cache.
    pub recalled: u64,
}

impl SimulationCounts {
    /// Counts a simulation of so many plies.
    fn add(&mut self, plies: usize) {
        self.simulations += 1;
        self.plies += plies as u64;
        self.deepest = self.deepest.max(plies);
    }
}

impl<S: GameState> TreeSearch<S> {
    /// A search with these settings.
    pub fn new(config: SearchConfig) -> Self {
        let order = SearchRequest { visits: config.visits, algorithm: config.algorithm, noise: true };
        TreeSearch {
            config,
            tree: Tree::default(),
            game: None,
            order,
            root: RootPlan::default(),
            rng: ChaCha8Rng::from_seed([0; 32]),
            pending: PendingLeaves::default(),
            tally: SimulationCounts::default(),
            result: SearchResult::default(),
            path: Vec::new(),
            legal: MoveList::new(),
            replies: MoveList::new(),
            ends: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// The settings.
    pub fn config(&self) -> &SearchConfig {
        &self.config
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Forgets the last tree and its evaluations. This is necessary when the network changes. Otherwise a search reuses
    /// the evaluations of the last search of the same game.
    pub fn forget(&mut self) {
        self.game = None;
    }

    /// Searches until a leaf needs the network, which is appended to `batch`, or the search is finished. Positions
    /// whose evaluation is in the cache of `batch` need no network.
    ///
    /// # Panics
    /// Before [`TreeSearch::begin`], and while an evaluation is awaited.
    #[inline]
    pub fn next_leaf(&mut self, batch: &mut LeafBatch) -> Step {
        match self.next_leaves(1, u32::MAX, batch) {
            0 => Step::Done,
            _ => Step::Pending,
        }
    }

    /// Performs the search that was begun, one leaf at a time, to its end or until `goes_on` is false. At least one position
    /// is evaluated, unless the root is known. Returns the number of evaluations. `batch` is emptied first.
    ///
    /// # Errors
    /// The evaluator fails, or its answer cannot be used. The search must then be begun again.
    ///
    /// # Panics
    /// Before [`TreeSearch::begin`], and while an evaluation is awaited.
    pub fn run_alone<E: Evaluator + ?Sized>(
        &mut self,
        evaluator: &mut E,
        batch: &mut LeafBatch,
        answers: &mut Evaluations,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<u64, EvaluationError> {
        let mut evaluations = 0;
        batch.clear();
        while self.next_leaf(batch) == Step::Pending {
            evaluator.evaluate(batch, answers)?;
            answers.check(batch)?;
            self.supply(batch, 0, answers)?;
            batch.clear();
            evaluations += 1;
            if !goes_on() {
                break;
            }
        }
        Ok(evaluations)
    }

    /// Evaluations that this search reused, from its tree of an earlier search or from the cache.
    pub fn recalled(&self) -> u32 {
        self.tally.recalled as u32
    }

    /// Virtual losses in the whole tree.
    #[cfg(test)]
    pub(crate) fn virtual_losses(&self) -> u64 {
        self.pending.virtual_losses()
    }

    /// Counts of this search.
    pub(crate) fn tally(&self) -> SimulationCounts {
        self.tally
    }

    /// Whether no further simulation is needed, given `pending` ones that are not counted yet.
    fn is_over(&self, pending: u32) -> bool {
        self.is_proven() || self.simulations() + pending >= self.order.visits
    }

    /// Simulations made by this search; none before its root is evaluated.
    pub fn simulations(&self) -> u32 {
        if self.root.planned { self.tree.node(ROOT).visits - self.root.visits_before } else { 0 }
    }

    /// The moves from the present position of the searched game to the pending leaf, for messages about a bad
    /// evaluation.
    pub fn pending_line(&self) -> Vec<Move> {
        let path = self.pending.first().map_or(&[][..], |leaf| &leaf.path);
        path.iter().map(|&(node, edge)| self.tree.edge(node, edge as usize).mv).collect()
    }

    /// The result of a search that is finished or is stopped here.
    ///
    /// # Panics
    /// If not even the root has been evaluated.
    pub fn result(&mut self) -> &SearchResult {
        assert!(self.root.planned, "the root has not been evaluated");
        self.write_result();
        &self.result
    }

    /// The moves most likely to follow, best first: at the root the choice of the search, then the most visited.
    pub fn principal_variation(&mut self, length: usize) -> Vec<Move> {
        let best = self.result().best;
        self.line_after(best, length)
    }

    /// A root move and the line most likely to follow it, at most `length` moves in all: winning moves first, then
    /// the most visited of those that do not lose.
    pub fn line_after(&self, mv: Move, length: usize) -> Vec<Move> {
        let mut line = vec![mv];
        let mut node = self.tree.child_by_move(ROOT, mv);
        while let (Some(id), true) = (node, line.len() < length) {
            let tried = self.tree.edges(id).iter().filter(|edge| self.tree.tried_child(edge).is_some());
            let Some(next) = tried.max_by_key(|edge| {
                let child = self.tree.node(edge.child);
                let distance = child.distance;
                match child.proof {
                    // The quickest win; where all moves lose, the longest resistance.
                    Some(Proof::Loss) => (2, u16::MAX - distance, child.visits),
                    None | Some(Proof::Draw) => (1, 0, child.visits),
                    Some(Proof::Win) => (0, distance, child.visits),
                }
            }) else {
                line.extend(self.win_after(&line, id));
                break;
            };
            node = Some(next.child);
            line.push(next.mv);
        }
        line
    }

    /// The winning move at the end of `line`, if its node is a win in one: such nodes have no edges.
    fn win_after(&self, line: &[Move], id: NodeId) -> Option<Move> {
        let node = self.tree.node(id);
        if (node.proof, node.distance) != (Some(Proof::Win), 1) {
            return None;
        }
        let (mut game, mut legal, mut replies) = (self.game.clone()?, MoveList::new(), MoveList::new());
        line.iter().for_each(|&mv| game.play(mv));
        game.legal_moves(&mut legal);
        game.win_in_one(&legal, &mut replies)
    }

    /// Whether the outcome is certain.
    pub(crate) fn is_proven(&self) -> bool {
        self.tree.node(ROOT).proof.is_some()
    }

    /// Whether all simulations that were asked for have been made.
    pub(crate) fn is_complete(&self) -> bool {
        self.simulations() >= self.order.visits
    }
}

/// Win − loss of a child, for the side to move at its parent.
#[inline(always)]
fn q_for_parent(tree: &Tree, child: NodeId) -> f32 {
    -q_of(tree.node(child).wdl)
}
