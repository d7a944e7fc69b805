//! Tree search and self-play.

pub mod config;
pub mod evaluator;
pub mod fakes;
pub mod search;
pub mod state;
pub mod tree;

pub use config::{Algorithm, Reuse, SearchConfig};
pub use evaluator::{EvaluationError, Evaluations, Evaluator, LeafBatch};
pub use fakes::{HashEvaluator, ScriptedEvaluator, UniformEvaluator};
pub use search::{RootMove, Search, SearchResult, Step};
pub use tree::Proof;
