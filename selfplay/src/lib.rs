//! Tree search and self-play: games played by a network against itself, and the search that makes its moves
//! better than its first impression.
//!
//! From the inside out: [`evaluator`] is the seam to the network, with stand-ins in [`fakes`]; [`tree`] holds
//! nodes and edges; [`search`] chooses ways down the tree (Gumbel AlphaZero or PUCT) and backs up values and
//! proofs; [`generator`] plays many games at once and hands the finished ones to the crate `data`. What can be
//! set is in [`config`]. The crate knows no network and no variant.
//!
//! # Examples
//! A generation of Wangqi without a network, as generation 0 of a run:
//!
//! ```
//! use data::{DataStore, Provenance};
//! use rules::{Rules, Wangqi};
//! use selfplay::{Job, Origin, GenerationProgress, SearchConfig, SelfplayConfig, UniformEvaluator, generate};
//! use std::sync::atomic::AtomicBool;
//!
//! # let folder = tempfile::tempdir()?;
//! # let run = folder.path();
//! let (store, _recovery) = DataStore::open(&run.join("data"))?;
//! let search = SearchConfig { visits: 8, ..SearchConfig::default() };
//! let selfplay = SelfplayConfig { slots: 4, plies_per_generation: 60, max_plies: 50, ..SelfplayConfig::default() };
//! let job = Job {
//!     rules: Rules::<Wangqi>::default(),
//!     search: &search,
//!     selfplay: &selfplay,
//!     origin: Origin { network: "uniform".into(), worker: "local".into(), ..Origin::default() },
//!     provenance: Provenance::default(),
//!     progress: 0.0,
//!     untrained: true,
//!     seed: 1,
//!     threads: 2,
//!     store: &store,
//!     slots_file: &run.join("slots.json"),
//! };
//! let evaluators = |_thread| Ok(UniformEvaluator::new(64));
//! let report = generate(&job, evaluators, &GenerationProgress::default(), &AtomicBool::new(false))?;
//! assert_eq!(report.counts.positions, 4 * 60);
//! assert!(report.counts.games >= 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod analysis;
pub mod cache;
pub mod chance;
pub mod config;
pub mod evaluator;
pub mod fakes;
pub mod generator;
pub mod search;
pub mod setups;
pub mod state;
pub mod tree;

pub use analysis::{Analysis, AnalysisConfig, AnalysisError, Finish, Request};
pub use cache::EvaluationCache;
pub use chance::{random_games, random_leaves, random_records};
pub use config::{Algorithm, Reuse, SearchConfig, SelfplayConfig};
pub use evaluator::{EvaluationError, Evaluations, Evaluator, LeafBatch};
pub use fakes::{DeviceEvaluator, HashEvaluator, NotFiniteEvaluator, ScriptedEvaluator, UniformEvaluator};
pub use generator::{BY_RULES, RulesJob, RulesReport, play_by_rules};
pub use generator::{Counts, GenerateError, GenerationProgress, Job, Origin, Report, generate};
pub use search::{Order, RootMove, Search, SearchResult, Step};
pub use tree::Proof;
