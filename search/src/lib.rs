//! Monte Carlo tree search: how a position is judged better than by one evaluation of a network.
//!
//! From the inside out: [`Evaluator`] is the interface to the network, with stand-ins in [`fakes`]; [`tree`] holds
//! nodes and edges; [`TreeSearch`] selects a path down the tree (Gumbel AlphaZero or PUCT), expands a leaf, has it
//! evaluated and backs up its value and what is proven; [`Analysis`] searches one position with many leaves in flight.
//! [`SearchConfig`] has the settings. The crate knows no network, no variant and no games on disk.
//!
//! ```
//! use rand::SeedableRng;
//! use rules::{Game, Rules, Xiangqi};
//! use search::{Evaluations, LeafBatch, Search, SearchConfig, UniformEvaluator};
//!
//! let game = Game::<Xiangqi>::start(Rules::default());
//! let mut search = Search::new(SearchConfig::default());
//! search.begin(&game, 32, &mut rand_chacha::ChaCha8Rng::seed_from_u64(1));
//! let (mut batch, mut answers) = (LeafBatch::default(), Evaluations::default());
//! search.run_alone(&mut UniformEvaluator::new(1), &mut batch, &mut answers, || true)?;
//! let result = search.result();
//! assert_eq!(result.visits, 32);
//! println!("{}, q {:.2}", game.position().format_move(result.best), result.root_q);
//! # Ok::<(), search::EvaluationError>(())
//! ```
//!
//! [`TreeSearch`] has the same search one leaf at a time, [`analysis`] an analysis.

#![forbid(unsafe_code)]

pub mod analysis;
mod cache;
mod config;
mod evaluator;
pub mod fakes;
mod piece_values;
mod random_games;
pub mod setups;
mod state;
pub mod tree;
mod tree_search;

pub use analysis::{Analysis, AnalysisConfig, AnalysisError, AnalysisRequest, Finish};
pub use cache::EvaluationCache;
pub use config::{Algorithm, DEVIATION_SHARE, Q_RANGE_FLOOR_AT_FIRST, RETIRED, RETIRED_OF_NOISE, Reuse, SearchConfig};
pub use evaluator::{EvaluationError, Evaluations, Evaluator, LeafBatch};
pub use fakes::{DeviceEvaluator, HashEvaluator, NotFiniteEvaluator, UniformEvaluator};
pub use piece_values::piece_values;
pub use random_games::{random_games, random_leaves};
pub use state::GameState;
pub use tree::Proof;
pub use tree_search::{RootMove, Search, SearchRequest, SearchResult, Step, TreeSearch, considered_visits};
