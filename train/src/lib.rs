//! The network: its shape, its training, its files, and the evaluator that a search asks.
//!
//! - [`Network`] has a residual trunk on the board, a factorised policy over squares, hand slots and pass, and a
//!   win/draw/loss head with auxiliary outputs: plies left, piece counts some plies ahead, and the value of the near
//!   future. Everything is from the point of view of the side to move.
//! - [`Dataset`] draws samples from the recorded games of a [`data::DataStore`], and [`Trainer`] trains on them.
//! - [`NetworkFile`] is what plays: averaged weights under a name made from their contents. [`NetworkEvaluator`] makes a
//!   [`search::Evaluator`] of it, with libtorch or without.
//!
//! This is the only crate that uses libtorch, which it opens when it makes its first tensor. It does not know how games
//! are searched or how matches are arranged.
//!
//! # Examples
//! Record a game, train on it, play with the result:
//!
//! ```
//! use data::{DataStore, GameRecord, PositionRecord, Provenance};
//! use rules::{Game, MoveList, Outcome, Rules, Side, Termination, Wangqi};
//! use search::{Evaluations, Evaluator, LeafBatch};
//! use std::sync::atomic::AtomicBool;
//! use train::{
//!     Blueprint, Dataset, EvaluatorConfig, NetworkConfig, NetworkEvaluator, TrainConfig, Trainer, TrainingSpan, Workload,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let mut game = Game::<Wangqi>::start(Rules::default());
//! let mut legal = MoveList::new();
//! let mut positions = Vec::new();
//! for ply in 0..40 {
//!     game.legal_moves(&mut legal);
//!     let mv = legal[ply % legal.len()];
//!     positions.push(PositionRecord {
//!         ply: ply as u16,
//!         side: game.side(),
//!         mv,
//!         policy_move: vec![mv],
//!         policy_visits: vec![1],
//!         root_wdl: [0.3, 0.4, 0.3],
//!         full_search: true,
//!         target_weight: 1.0,
//!         ..PositionRecord::default()
//!     });
//!     game.play(mv);
//! }
//! let outcome = Outcome::win(Side::First, Termination::Resign);
//! let record = GameRecord { positions, ..GameRecord::of(&game, outcome) };
//! let (store, _) = DataStore::open(&folder.path().join("data"))?;
//! store.commit_shard(0, "local", &[record], &Provenance::default())?;
//!
//! let mut config = TrainConfig { batch: 16, threads: 1, ..TrainConfig::default() };
//! config.data.validation_share = 0.0;
//! let mut dataset = Dataset::<Wangqi>::new(config.data.clone(), 1);
//! assert_eq!(dataset.refresh(&store)?.rows_trained, 40);
//! let size = NetworkConfig { blocks: 1, channels: 16, ..NetworkConfig::default() };
//! let mut trainer = Trainer::new(Blueprint::of::<Wangqi>(size), config, 1)?;
//! let round = TrainingSpan { generation: 0, first_step: 0, last_step: 5, progress_before: 0.0, progress_after: 1.0 };
//! let report = trainer.train(&dataset, &round, &AtomicBool::new(false), &mut |_| {})?;
//! assert_eq!(report.samples, 5 * 16);
//! trainer.save(&folder.path().join("checkpoint.safetensors"))?;
//!
//! let network = trainer.publish(&dataset, 1)?;
//! let (config, _) = EvaluatorConfig::default().for_network(&network, Workload::default())?;
//! let mut evaluator = NetworkEvaluator::new(&network, &config)?;
//! let mut leaves = LeafBatch::default();
//! game.legal_moves(&mut legal);
//! leaves.push(&game, &legal);
//! let mut out = Evaluations::default();
//! evaluator.evaluate(&leaves, &mut out)?;
//! println!("network {} expects win, draw, loss {:?}", network.id(), out.wdl[0]);
//! # Ok(())
//! # }
//! ```

mod builtin;
mod device;
mod error;
mod heads;
mod host;
mod inference;
mod libtorch;
mod measure;
mod network;
mod samples;
mod staging;
mod threads;
mod training;
mod trunk;

pub use ::network::{
    Agreement, Blueprint, FileError, FileProblem, Kernel, Mixing, NetworkConfig, NetworkFile, RETIRED,
};
pub use builtin::{builtin, has_builtin};
pub use device::DeviceChoice;
pub use error::{DeviceProblem, GameFault, Result, Runaway, TrainError};
pub use heads::{LossConfig, Metrics, Outputs};
pub use inference::config::{Backend, EvaluatorConfig, Layout, Precision};
pub use inference::evaluator::TorchEvaluator;
pub use inference::network_evaluator::NetworkEvaluator;
pub use libtorch::LibraryError;
pub use measure::choice::Workload;
pub use measure::trust::{RoundingError, trusted};
pub use measure::{WDL_TOLERANCE, best_rate, difference, rate};
pub use network::parameters::{Parameter, Parameters, Role};
pub use network::{Network, untrained};
pub use samples::config::{Damaged, DataConfig};
pub use samples::dataset::{Dataset, Split, Window};
pub use samples::features::{FeatureFiles, FeatureFolder};
pub use training::checkpoint::{check_checkpoint, check_checkpoint_bytes};
pub use training::config::TrainConfig;
pub use training::metrics::MetricsEntry;
pub use training::optimiser::OptimiserConfig;
pub use training::precision::TrainPrecision;
pub use training::span::TrainingSpan;
pub use training::times::TrainShares;
pub use training::trainer::{TrainProgress, TrainReport, Trainer};
