//! Monte Carlo tree search: how a position is judged better than by one evaluation of a network.
//!
//! From the inside out: [`Evaluator`] is the interface to the network, with stand-ins in [`fakes`]; [`tree`] holds
//! nodes and edges; [`TreeSearch`] selects a path down the tree (Gumbel AlphaZero or PUCT), expands a leaf, has it
//! evaluated and backs up its value and what is proven; [`Analysis`] searches one position with many leaves in flight.
//! [`SearchConfig`] has the settings. The crate knows no network, no variant and no games on disk.
//!
//! [`TreeSearch`] has an example of a search, [`analysis`] one of an analysis.

#![forbid(unsafe_code)]

pub mod analysis;
mod cache;
mod config;
mod evaluator;
pub mod fakes;
mod random_games;
pub mod setups;
mod state;
pub mod tree;
mod tree_search;

pub use analysis::{Analysis, AnalysisConfig, AnalysisError, AnalysisRequest, Finish};
pub use cache::EvaluationCache;
pub use config::{Algorithm, DEVIATION_SHARE, Q_RANGE_FLOOR_AT_FIRST, RETIRED, RETIRED_OF_NOISE, Reuse, SearchConfig};
pub use evaluator::{EvaluationError, Evaluations, Evaluator, LeafBatch};
pub use fakes::{DeviceEvaluator, HashEvaluator, NotFiniteEvaluator, ScriptedEvaluator, UniformEvaluator};
pub use random_games::{random_games, random_leaves};
pub use state::GameState;
pub use tree::Proof;
pub use tree_search::{RootMove, Search, SearchRequest, SearchResult, Step, TreeSearch, considered_visits};
