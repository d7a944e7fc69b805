//! Self-play: a network plays many parallel games against itself, each move chosen by a [`search`], and the finished
//! games go to the crate [`data`].
//!
//! [`generator`] plays a generation, or without end for a worker; [`play_by_rules`] plays random games before there is
//! a network. [`play_games`] plays a number of whole games without a run. [`SelfplayConfig`] has the settings. The crate knows no network and no variant.
//!
//! # Examples
//! A generation of Wangqi without a network, as generation 0 of a run:
//!
//! ```
//! use data::{DataStore, Provenance};
//! use rules::{Rules, Wangqi};
//! use search::{SearchConfig, UniformEvaluator};
//! use selfplay::{Job, Origin, GenerationProgress, SelfplayConfig, generate};
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

mod config;
pub mod generator;
mod random_records;

pub use config::{ENDING_PLIES_MIN, SelfplayConfig};
pub use generator::{BY_RULES, RulesJob, RulesReport, play_by_rules};
pub use generator::{GamesJob, commit_left_games, play_games};
pub use generator::{GenerateError, GenerationCounts, GenerationProgress, GenerationReport, Job, Origin, generate};
pub use random_records::random_records;
