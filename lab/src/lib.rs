//! Runs: what a self-play laboratory does from one generation to the next, and how it resumes after an interruption.
//!
//! A [`Config`] says what is played and trained. A [`Run`] works on it in a [`RunFolder`]: self-play, training and
//! matches, generation after generation. Each generation is planned before it begins ([`Plan`]), and each stage is
//! recorded when it is finished ([`events`]). A run that was killed resumes where it was when it is opened again.
//!
//! This crate knows no terminal and no command line: a run reports to an [`Observer`] and stops when its [`Host`] says so.
//!
//! # Examples
//! A whole run of one generation, far too small to learn anything:
//!
//! ```
//! use lab::{Config, Ended, Host, Opponent, Run, RunFolder, Silent, Task, events};
//! use rules::Wangqi;
//! use std::sync::Arc;
//!
//! # let temporary = tempfile::tempdir()?;
//! # let folder = temporary.path().join("run");
//! let mut config = Config::default();
//! config.run.variant = "wangqi".to_owned();
//! (config.run.generations, config.run.threads) = (1, 1);
//! (config.selfplay.slots, config.selfplay.plies_per_generation) = (8, 24);
//! (config.selfplay.max_plies, config.selfplay.stagger_plies, config.search.visits) = (30, 20, 4);
//! (config.network.blocks, config.network.channels, config.network.se_hidden) = (1, 8, 4);
//! (config.training.batch, config.training.parts) = (16, 1);
//! config.evaluator = train::EvaluatorConfig { precision: train::Precision::Fp32, batch: 8, threads: 1, ..config.evaluator };
//! (config.evaluation.final_pairs, config.evaluation.visits) = (1, 4);
//! config.evaluation.pairs = 0;
//!
//! let host = Host { version: "0.1.0", revision: "unknown", observer: Arc::new(Silent), stop: Arc::default() };
//! let mut run = Run::<Wangqi>::open(&config, RunFolder::new(folder), None, host)?;
//! let mut tasks = Vec::new();
//! while let Some((plan, task)) = run.next_task()? {
//!     assert!(matches!(run.perform(&plan, task)?, Ended::Done(_)));
//!     tasks.push(task);
//! }
//! // A player of the ladder about as strong, and the network that comes with Kirin.
//! let [Task::Selfplay, Task::Training, Task::Match { opponent: Opponent::Greedy, .. }, last] = tasks[..] else {
//!     panic!("{tasks:?}");
//! };
//! assert!(matches!(last, Task::Match { network: 1, opponent: Opponent::Builtin(_), pairs: 1 }));
//!
//! let stages = events::read(&run.folder().events())?;
//! assert_eq!(stages.len(), 4);
//! assert!(run.folder().network(1).exists());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod ablation;
mod about;
mod branch;
mod config;
mod continuation;
mod error;
pub mod events;
mod fit;
mod folder;
mod forecast;
mod gaps;
mod gathered;
pub mod health;
mod host;
pub mod memory;
mod network_files;
mod observer;
mod opponent;
mod pairing;
mod plan;
mod planner;
mod player;
mod progress;
pub mod repair;
mod run;
mod run_log;
mod scale;
pub mod stages;
pub mod tensorboard;
mod timestamp;
pub mod verify;
pub mod watch;

pub use ablation::{Ablation, Arm, NoVary, Vary, arms};
pub use about::{About, Ancestor};
pub use config::{Config, ConfigSource, EvaluationConfig, Key, RulesConfig, RunConfig, Section, sections};
pub use continuation::differences;
pub use error::{LabError, Result};
pub use fit::{Fit, Fitted, fit};
pub use folder::{RunFolder, SHARD, networks_in, newest_network, read_whole, write_whole};
pub use forecast::{Forecast, Measured, measure};
pub use gathered::{Gathered, Taken};
pub use host::Host;
pub use observer::{Meter, Notice, Observer, Silent, Status, Task};
pub use opponent::Opponent;
pub use plan::Plan;
pub use player::{EvaluatedBefore, match_evaluator, network_player, opponent_player};
pub use progress::{Figures, Progress};
pub use run::{Ended, Run, run_id};
pub use run_log::Record;
pub use scale::fixed_scale;
