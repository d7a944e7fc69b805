//! Tree search and self-play.

pub mod evaluator;
pub mod fakes;

pub use evaluator::{EvaluationError, Evaluations, Evaluator, LeafBatch};
pub use fakes::{HashEvaluator, ScriptedEvaluator, UniformEvaluator};
