//! The seam between search and network: a batch of leaves goes in, logits and win/draw/loss come out.
//!
//! Everything here is from the point of view of the side to move at the leaf: planes, move tokens, and the resulting
//! win/draw/loss probabilities.

use crate::cache::EvaluationCache;
use rules::encode::{self, Features, MoveTokens, Shape};
use rules::{Game, Move, Variant};
use std::error::Error;

/// Positions waiting for the network, in its memory layout, and the evaluations of earlier ones if it has a cache.
///
/// ```
/// use rules::{Game, MoveList, Rules, Xiangqi};
/// use search::LeafBatch;
///
/// let game = Game::<Xiangqi>::start(Rules::default());
/// let mut legal = MoveList::new();
/// game.legal_moves(&mut legal);
/// let mut batch = LeafBatch::default();
/// batch.push(&game, &legal);
/// assert_eq!((batch.len(), batch.tokens.len(), batch.moves_of(0).len()), (1, 44, 44));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LeafBatch {
    /// The network's input features: they make all planes.
    features: Features,
    /// Input planes of all leaves, one after another, each `[plane][rank][file]`.
    pub planes: Vec<f32>,
    /// The legal moves of all leaves, one leaf after another.
    pub tokens: Vec<MoveTokens>,
    /// `first_move[i]..first_move[i + 1]` are the moves of leaf `i` in `tokens`; `len() + 1` offsets.
    pub first_move: Vec<u32>,
    cache: EvaluationCache,
    /// Cache keys of the leaves; shorter than the batch if there is nothing to keep.
    keys: Vec<Option<u128>>,
}

impl Default for LeafBatch {
    fn default() -> Self {
        LeafBatch::new(Features::default())
    }
}

impl LeafBatch {
    /// An empty batch for a network with these `features` ([`Evaluator::features`]).
    pub fn new(features: Features) -> Self {
        LeafBatch::with_cache(features, 0)
    }

    /// Like [`LeafBatch::new`], but the evaluations of its leaves are kept in at most so many bytes, for the same network
    /// and rule set ([`EvaluationCache`]).
    pub fn with_cache(features: Features, cache_bytes: usize) -> Self {
        let cache = EvaluationCache::new(cache_bytes);
        let (planes, tokens, keys) = (Vec::new(), Vec::new(), Vec::new());
        LeafBatch { features, planes, tokens, first_move: vec![0], cache, keys }
    }

    /// The network's input features.
    pub fn features(&self) -> Features {
        self.features
    }

    /// Prepares an empty batch for a network with these `features`. If they change, cached evaluations are forgotten.
    pub fn set_features(&mut self, features: Features) {
        if self.features != features {
            self.features = features;
            self.cache.clear();
        }
    }

    /// The evaluations that are kept.
    pub fn cache(&self) -> &EvaluationCache {
        &self.cache
    }

    /// Forgets all cached evaluations, as is necessary when the network or the rule set changes.
    pub fn forget(&mut self) {
        self.cache.clear();
    }

    #[inline]
    pub(crate) fn has_cache(&self) -> bool {
        self.cache.has_room()
    }

    /// The cached evaluation for a key: the logits of this many moves; win, draw and loss.
    #[inline]
    pub(crate) fn recall(&mut self, key: Option<u128>, moves: usize) -> Option<(&[f32], [f32; 3])> {
        self.cache.get(key?, moves)
    }

    /// Sets the key under which the evaluation of the last leaf is cached.
    #[inline]
    pub(crate) fn set_key(&mut self, key: Option<u128>) {
        if key.is_some() {
            self.keys.resize(self.len() - 1, None);
            self.keys.push(key);
        }
    }

    /// Caches the evaluation of a leaf that has a key.
    #[inline]
    pub(crate) fn keep(&mut self, leaf: usize, logits: &[f32], wdl: [f32; 3]) {
        if let Some(&Some(key)) = self.keys.get(leaf) {
            self.cache.insert(key, logits, wdl);
        }
    }

    /// Number of leaves.
    pub fn len(&self) -> usize {
        self.first_move.len() - 1
    }

    /// Whether there are no leaves.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all leaves and keeps the memory and the evaluations.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.planes.clear();
        self.tokens.clear();
        self.first_move.clear();
        self.first_move.push(0);
    }

    /// Appends the present position of `game`, whose legal moves are `legal`.
    pub fn push<V: Variant>(&mut self, game: &Game<V>, legal: &[Move]) {
        let start = self.planes.len();
        self.planes.resize(start + Shape::of::<V>(self.features).input_len(), 0.0);
        encode::planes(game, self.features, &mut self.planes[start..]);
        let position = game.position();
        self.push_moves(legal.iter().map(|&mv| encode::tokens(position, mv)));
    }

    /// Appends the moves of a leaf whose planes have been appended to `planes` already.
    pub fn push_moves(&mut self, moves: impl Iterator<Item = MoveTokens>) {
        self.tokens.extend(moves);
        self.first_move.push(self.tokens.len() as u32);
    }

    /// The range of the moves of leaf `index` in `tokens` and in [`Evaluations::logits`].
    pub fn range_of(&self, index: usize) -> std::ops::Range<usize> {
        self.first_move[index] as usize..self.first_move[index + 1] as usize
    }

    /// The moves of leaf `index`.
    pub fn moves_of(&self, index: usize) -> &[MoveTokens] {
        &self.tokens[self.range_of(index)]
    }

    /// The planes of leaf `index`.
    pub fn planes_of(&self, index: usize) -> &[f32] {
        let each = self.planes.len() / self.len();
        &self.planes[index * each..][..each]
    }
}

/// The network's outputs for a batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluations {
    /// One policy logit for each move, parallel to [`LeafBatch::tokens`].
    pub logits: Vec<f32>,
    /// Probability of win, draw and loss for the side to move at each leaf; each sums to 1.
    pub wdl: Vec<[f32; 3]>,
    /// Points by which the side to move at each leaf is expected to be ahead at the end of the game, in units of
    /// [`Rulebook::POINTS_UNIT`](rules::Rulebook::POINTS_UNIT). Empty if the network does not say. The search does not
    /// use them.
    pub points: Vec<f32>,
}

impl Evaluations {
    /// Empties all lists and keeps their memory.
    pub fn clear(&mut self) {
        self.logits.clear();
        self.wdl.clear();
        self.points.clear();
    }

    /// The answer to a leaf of `batch`: a logit for each of its moves; win, draw and loss.
    #[inline]
    pub fn of(&self, batch: &LeafBatch, leaf: usize) -> (&[f32], [f32; 3]) {
        (&self.logits[batch.range_of(leaf)], self.wdl[leaf])
    }

    /// Checks that there is one answer for each leaf and move.
    ///
    /// # Errors
    /// [`EvaluationError::Shape`] if the lengths differ from the batch's.
    pub fn check(&self, batch: &LeafBatch) -> Result<(), EvaluationError> {
        let values = if self.points.is_empty() { self.wdl.len() } else { self.wdl.len().min(self.points.len()) };
        if (values, self.logits.len()) == (batch.len(), batch.tokens.len()) {
            return Ok(());
        }
        Err(EvaluationError::Shape {
            leaves: batch.len(),
            moves: batch.tokens.len(),
            values,
            logits: self.logits.len(),
        })
    }
}

/// A network, or a replacement for one.
///
/// The evaluation of a leaf must not depend on the other leaves of its batch. A network whose kernels
/// change with the batch size therefore pads every batch to [`Evaluator::batch_size`].
pub trait Evaluator: Send {
    /// The largest batch that is evaluated in one call, and the most efficient one; at least 1.
    fn batch_size(&self) -> usize;

    /// The network's input features; its batches must be made for them. A wrapper returns those of the evaluator that
    /// it wraps.
    fn features(&self) -> Features {
        Features::default()
    }

    /// Evaluates all leaves of `batch` (at most [`Evaluator::batch_size`]) into `out`, which is emptied first.
    ///
    /// # Errors
    /// The network failed. Values that are not finite may be returned; the search reports them.
    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError>;
}

impl<E: Evaluator + ?Sized> Evaluator for &mut E {
    fn batch_size(&self) -> usize {
        (**self).batch_size()
    }

    fn features(&self) -> Features {
        (**self).features()
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        (**self).evaluate(batch, out)
    }
}

impl<E: Evaluator + ?Sized> Evaluator for Box<E> {
    fn batch_size(&self) -> usize {
        (**self).batch_size()
    }

    fn features(&self) -> Features {
        (**self).features()
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        (**self).evaluate(batch, out)
    }
}

/// Why an evaluation could not be used.
#[derive(Debug, thiserror::Error)]
pub enum EvaluationError {
    /// The network itself failed.
    #[error("the network failed: {0}")]
    Network(#[source] Box<dyn Error + Send + Sync>),
    /// The network answered with a NaN or an infinity.
    #[error("the network returned {value} as {what}")]
    NotFinite {
        /// `win`, `draw`, `loss`, or `logit of move N`.
        what: String,
        /// The value.
        value: f32,
    },
    /// The network's win, draw and loss are not probabilities.
    #[error("the network returned {0:?} as win, draw and loss, which is no distribution")]
    Distribution([f32; 3]),
    /// The network returned a wrong number of values.
    #[error("{values} values and {logits} logits came back for {leaves} positions with {moves} moves")]
    Shape {
        /// Positions asked.
        leaves: usize,
        /// Their legal moves.
        moves: usize,
        /// Values that came back.
        values: usize,
        /// Logits that came back.
        logits: usize,
    },
}

impl EvaluationError {
    /// The network failed with this error, or for the reason given as a text.
    pub fn network(error: impl Into<Box<dyn Error + Send + Sync>>) -> EvaluationError {
        EvaluationError::Network(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_network_keeps_its_own_error() {
        let error = EvaluationError::network(std::io::Error::other("out of memory"));
        assert_eq!(error.to_string(), "the network failed: out of memory");
        assert!(error.source().is_some_and(|source| source.is::<std::io::Error>()));
        assert_eq!(EvaluationError::network("killed").to_string(), "the network failed: killed");
    }
}
