//! One search: a tree that asks for one evaluation at a time, so that a caller can gather the leaves of
//! many searches into one batch.
//!
//! The parts follow the paper: choose a way down (`gumbel`, `puct`), expand, back up (`backup`), and at
//! the end say what was found (`result`).

mod backup;
mod gumbel;
mod halving;
#[cfg(test)]
mod invariants_tests;
#[cfg(test)]
mod mctx_tests;
mod noise;
mod puct;
mod result;
mod root;

pub use halving::considered_visits;
pub use result::{RootMove, SearchResult};

use crate::config::{Algorithm, Reuse, SearchConfig};
use crate::evaluator::{EvaluationError, LeafBatch};
use crate::state::GameState;
use crate::tree::{NO_NODE, NodeId, Proof, ROOT, Tree, q_of};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use root::RootPlan;
use rules::{Game, Move, MoveList};

/// A search over the games of a variant.
pub type Search<V> = TreeSearch<Game<V>>;

/// What a search wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It has pushed one leaf to the batch and waits for [`TreeSearch::supply`].
    Pending,
    /// It is finished.
    Done,
}

/// How one search is to be made, where that may change from move to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    /// Simulations.
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
/// use selfplay::{Evaluations, Evaluator, LeafBatch, Proof, Search, SearchConfig, Step, UniformEvaluator};
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
///     search.supply(&answers.logits, answers.wdl[0])?;
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
    /// The game at the root; walked down and up again by each simulation.
    game: Option<S>,

    // Per search.
    order: Order,
    root: RootPlan,
    rng: ChaCha8Rng,
    result: SearchResult,

    // Per simulation.
    /// Nodes passed and the edges taken from them.
    path: Vec<(NodeId, u32)>,
    waiting: Waiting,
    legal: MoveList,
    replies: MoveList,
    weights: Vec<f32>,
}

/// What [`TreeSearch::supply`] will be an answer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    Nothing,
    Root,
    Leaf(NodeId),
}

impl<S: GameState> TreeSearch<S> {
    /// A search with these settings.
    pub fn new(config: SearchConfig) -> Self {
        let order = Order { visits: config.visits, algorithm: config.algorithm, noise: true };
        TreeSearch {
            config,
            tree: Tree::default(),
            game: None,
            order,
            root: RootPlan::default(),
            rng: ChaCha8Rng::from_seed([0; 32]),
            result: SearchResult::default(),
            path: Vec::new(),
            waiting: Waiting::Nothing,
            legal: MoveList::new(),
            replies: MoveList::new(),
            weights: Vec::new(),
        }
    }

    /// The settings.
    pub fn config(&self) -> &SearchConfig {
        &self.config
    }

    /// The tree, for looking at.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Forgets the last tree, so that the next search depends on nothing before it.
    pub fn forget(&mut self) {
        self.game = None;
    }

    /// Begins a search of `visits` simulations from the present position of `game`, which must have a legal
    /// move. A search not finished is given up.
    pub fn begin(&mut self, game: &S, visits: u32, rng: &mut impl Rng) {
        let order = Order { visits, algorithm: self.config.algorithm, noise: true };
        self.begin_as(game, order, rng);
    }

    /// Like [`TreeSearch::begin`], with all that may change from move to move. Returns whether part of the
    /// last tree was kept ([`Reuse`]).
    pub fn begin_as(&mut self, game: &S, order: Order, rng: &mut impl Rng) -> bool {
        self.order = order;
        self.rng = ChaCha8Rng::from_rng(rng);
        self.rewind();
        let kept = self.follow(game);
        self.tree.reserve(order.visits as usize + 1);
        game.legal_moves(&mut self.legal);
        assert!(!self.legal.is_empty(), "a search needs a legal move");
        self.root.winning = if self.config.win_in_one { game.win_in_one(&self.legal, &mut self.replies) } else { None };
        self.root.planned = false;
        if self.tree.node(ROOT).expanded {
            self.plan_root();
        }
        kept
    }

    /// Takes the moves of an unfinished simulation back. Its leaf has no value, so the tree is of no use any more.
    fn rewind(&mut self) {
        if let (Waiting::Leaf(_), Some(game)) = (self.waiting, &mut self.game) {
            self.path.iter().for_each(|_| game.undo());
            self.tree.reset();
        }
        self.waiting = Waiting::Nothing;
    }

    /// Makes the present position of `game` the root. Returns whether that is a node of the old tree worth
    /// keeping, with all that is below it.
    fn follow(&mut self, game: &S) -> bool {
        let Some(old) = self.game.as_mut().filter(|old| goes_on(*old, game)) else {
            self.game = Some(game.clone());
            self.tree.reset();
            return false;
        };
        let since = &game.moves()[old.moves().len()..];
        since.iter().for_each(|&mv| old.play(mv));
        let node = since.iter().try_fold(ROOT, |node, &mv| self.tree.child_by_move(node, mv));
        let worth_keeping = |node: &NodeId| match self.config.reuse {
            Reuse::None => false,
            Reuse::Proofs => self.tree.node(*node).proof != Proof::Open,
            Reuse::Subtree => true,
        };
        let node = node.filter(worth_keeping);
        match node {
            Some(node) => {
                self.restore_root_priors();
                self.tree.keep(node);
            }
            None => self.tree.reset(),
        }
        node.is_some()
    }

    /// Goes on until a leaf needs the network or the search is finished. Must not be called while an
    /// evaluation is awaited.
    pub fn next_leaf(&mut self, batch: &mut LeafBatch) -> Step {
        assert_eq!(self.waiting, Waiting::Nothing, "supply() comes before the next leaf");
        if !self.root.planned {
            let game = self.game.as_ref().expect("begin() comes first");
            game.push_to(&self.legal, batch);
            self.waiting = Waiting::Root;
            return Step::Pending;
        }
        while !self.is_finished() {
            if self.simulate(batch) == Step::Pending {
                return Step::Pending;
            }
        }
        Step::Done
    }

    /// Whether nothing is left to find out.
    fn is_finished(&self) -> bool {
        self.tree.node(ROOT).proof != Proof::Open || self.simulations() >= self.order.visits
    }

    /// Simulations made by this search.
    fn simulations(&self) -> u32 {
        self.tree.node(ROOT).visits - self.root.visits_before
    }

    /// One way down the tree, to a leaf for the network (pending) or to a known end, which is backed up.
    fn simulate(&mut self, batch: &mut LeafBatch) -> Step {
        let simulation = self.simulations();
        let game = self.game.as_mut().expect("begin() comes first");
        self.path.clear();
        let mut node = ROOT;
        loop {
            let edge = match (self.order.algorithm, node) {
                (Algorithm::Gumbel, ROOT) => gumbel::select_root(&self.tree, &self.root, simulation, &self.config),
                (Algorithm::Gumbel, _) => {
                    gumbel::select_interior(&mut self.tree, node, &mut self.weights, &self.config)
                }
                (Algorithm::Puct, ROOT) => puct::select_root(&self.tree, &self.config),
                (Algorithm::Puct, _) => puct::select_interior(&mut self.tree, node, &self.config),
            };
            self.path.push((node, edge as u32));
            let taken = *self.tree.edge(node, edge);
            game.play(taken.mv);
            if taken.child == NO_NODE {
                let leaf = self.tree.add_child(node, edge);
                game.legal_moves(&mut self.legal);
                if let Some((proof, distance)) = known_end(game, &self.legal, &mut self.replies, &self.config) {
                    backup::settle(&mut self.tree, leaf, proof, distance);
                    backup::back_up(&mut self.tree, &self.path, leaf, proof.wdl(), true);
                    break;
                }
                game.push_to(&self.legal, batch);
                self.waiting = Waiting::Leaf(leaf);
                return Step::Pending;
            }
            let child = *self.tree.node(taken.child);
            if child.proof != Proof::Open {
                backup::back_up(&mut self.tree, &self.path, taken.child, child.proof.wdl(), false);
                break;
            }
            node = taken.child;
        }
        self.path.iter().for_each(|_| game.undo());
        Step::Done
    }

    /// Answers the pending leaf: one logit for each of its legal moves, in their order, and the mover's win,
    /// draw and loss probabilities.
    ///
    /// # Errors
    /// A value is NaN or infinite. The search can only be begun anew then.
    pub fn supply(&mut self, logits: &[f32], wdl: [f32; 3]) -> Result<(), EvaluationError> {
        check_finite(logits, wdl)?;
        let node = match self.waiting {
            Waiting::Nothing => panic!("no evaluation was asked for"),
            Waiting::Root => ROOT,
            Waiting::Leaf(leaf) => leaf,
        };
        expand(&mut self.tree, node, &self.legal, logits, wdl);
        if node == ROOT {
            let root = self.tree.node_mut(ROOT);
            if root.proof == Proof::Open {
                (root.wdl, root.visits) = (wdl, 1);
            }
            self.plan_root();
        } else {
            backup::back_up(&mut self.tree, &self.path, node, wdl, false);
            let game = self.game.as_mut().expect("a simulation has a game");
            self.path.iter().for_each(|_| game.undo());
        }
        self.waiting = Waiting::Nothing;
        Ok(())
    }

    /// Moves that led from the present position of the searched game to the leaf that is waiting: what to
    /// name when its evaluation was no good.
    pub fn pending_line(&self) -> Vec<Move> {
        match self.waiting {
            Waiting::Leaf(_) => self.path.iter().map(|&(node, edge)| self.tree.edge(node, edge as usize).mv).collect(),
            _ => Vec::new(),
        }
    }

    /// What has been found; of a finished search, or of one that is stopped here.
    ///
    /// # Panics
    /// If not even the root has been evaluated.
    pub fn result(&mut self) -> &SearchResult {
        assert!(self.root.planned, "the root has not been evaluated");
        self.write_result();
        &self.result
    }

    /// The moves most likely to follow, best first: at each node the choice of the search, then the most
    /// visited child.
    pub fn principal_variation(&mut self, length: usize) -> Vec<Move> {
        let best = self.result().best;
        let mut line = vec![best];
        let mut node = self.tree.child_by_move(ROOT, best);
        while let (Some(id), true) = (node, line.len() < length) {
            let next = self.tree.edges(id).iter().filter(|edge| edge.child != NO_NODE).max_by_key(|edge| {
                let child = self.tree.node(edge.child);
                (child.proof == Proof::Loss, child.proof != Proof::Win, child.visits)
            });
            node = next.map(|edge| edge.child);
            line.extend(next.map(|edge| edge.mv));
        }
        line
    }
}

/// Whether `later` is the game `earlier`, gone on.
fn goes_on<S: GameState>(earlier: &S, later: &S) -> bool {
    earlier.same_start(later) && later.moves().starts_with(earlier.moves())
}

/// What the rules know of the present position: its end, or a win in one.
#[inline]
fn known_end<S: GameState>(
    game: &S,
    legal: &MoveList,
    replies: &mut MoveList,
    config: &SearchConfig,
) -> Option<(Proof, u16)> {
    if let Some(score) = game.final_score(legal) {
        return Some((Proof::of_score(score), 0));
    }
    (config.win_in_one && game.win_in_one(legal, replies).is_some()).then_some((Proof::Win, 1))
}

/// The smallest prior a move is given, so that no product with it vanishes.
const LEAST_PRIOR: f32 = 1e-30;

/// Gives a node its edges with the softmax of the logits, and the network's opinion of it.
#[inline]
fn expand(tree: &mut Tree, id: NodeId, legal: &[Move], logits: &[f32], wdl: [f32; 3]) {
    tree.node_mut(id).net_wdl = wdl;
    let edges = tree.add_edges(id, legal);
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for (edge, logit) in edges.iter_mut().zip(logits) {
        edge.prior = (logit - highest).exp();
        sum += edge.prior;
    }
    for edge in edges {
        edge.prior = (edge.prior / sum).max(LEAST_PRIOR);
    }
}

fn check_finite(logits: &[f32], wdl: [f32; 3]) -> Result<(), EvaluationError> {
    let name = |i: usize| ["win", "draw", "loss"][i].to_owned();
    if let Some(i) = wdl.iter().position(|x| !x.is_finite()) {
        return Err(EvaluationError::NotFinite { what: name(i), value: wdl[i] });
    }
    match logits.iter().position(|x| !x.is_finite()) {
        Some(i) => Err(EvaluationError::NotFinite { what: format!("logit of move {i}"), value: logits[i] }),
        None => Ok(()),
    }
}

/// The search's opinion of a child, for its parent's mover.
#[inline(always)]
fn q_for_parent(tree: &Tree, child: NodeId) -> f32 {
    -q_of(tree.node(child).wdl)
}
