//! The network: its shape, its training, its files, and the evaluator that puts it behind a search.
//!
//! - [`Network`]: residual trunk on the board, factorised policy over squares, hand slots and pass, win/draw/loss
//!   with companions (plies left, pieces some plies ahead, value of the near future). All from the mover's view.
//! - [`Dataset`] draws samples from the recorded games of a [`data::DataStore`], [`Trainer`] descends on them.
//! - [`NetworkFile`] is what plays: averaged weights under a name made of their contents. [`TorchEvaluator`] puts
//!   one behind [`selfplay::Evaluator`].
//!
//! This is the only crate that knows libtorch. It does not know how games are searched or matches arranged.
//!
//! # Examples
//! Record a game, train on it, play with the result:
//!
//! ```
//! use data::{DataStore, GameRecord, PositionRecord, Provenance};
//! use rules::{Game, MoveList, Rules, Wangqi};
//! use selfplay::{Evaluations, Evaluator, LeafBatch};
//! use std::sync::atomic::AtomicBool;
//! use train::{Blueprint, Dataset, EvaluatorConfig, NetworkConfig, Precision, Round, TorchEvaluator, TrainConfig, Trainer};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let mut game = Game::<Wangqi>::start(Rules::default());
//! let mut legal = MoveList::new();
//! let mut record = GameRecord { variant: "wangqi".into(), ruleset: "standard".into(), ..GameRecord::default() };
//! for ply in 0..40 {
//!     game.legal_moves(&mut legal);
//!     let mv = legal[ply % legal.len()];
//!     record.positions.push(PositionRecord {
//!         ply: ply as u16,
//!         side: game.side().index() as u8,
//!         mv: mv.raw(),
//!         policy_move: vec![mv.raw()],
//!         policy_visits: vec![1],
//!         root_wdl: [0.3, 0.4, 0.3],
//!         full_search: true,
//!         target_weight: 1.0,
//!         ..PositionRecord::default()
//!     });
//!     record.moves.push(mv.raw());
//!     record.moves_text += &format!("{} ", game.position().format_move(mv));
//!     game.play(mv);
//! }
//! record.termination = "resign".into();
//! let (store, _) = DataStore::open(&folder.path().join("data"))?;
//! store.commit_shard("wangqi", 0, "local", &[record], &Provenance::default())?;
//!
//! let mut config = TrainConfig { batch: 16, threads: 1, ..TrainConfig::default() };
//! config.data.validation_share = 0.0;
//! let mut dataset = Dataset::<Wangqi>::new(config.data.clone(), 1);
//! assert_eq!(dataset.refresh(&store)?.rows_trained, 40);
//! let size = NetworkConfig { blocks: 1, channels: 16, ..NetworkConfig::default() };
//! let mut trainer = Trainer::new(Blueprint::of::<Wangqi>(size), config, 1)?;
//! let round = Round { generation: 0, first_step: 0, last_step: 5, progress_before: 0.0, progress_after: 1.0 };
//! let report = trainer.train(&dataset, &round, &AtomicBool::new(false), &mut |_| {})?;
//! assert_eq!(report.samples, 5 * 16);
//! trainer.save(&folder.path().join("checkpoint.safetensors"))?;
//!
//! let network = trainer.export(1)?;
//! let config = EvaluatorConfig { precision: Precision::Fp32, batch: 8, ..EvaluatorConfig::default() };
//! let mut evaluator = TorchEvaluator::new(&network, &config)?;
//! let mut leaves = LeafBatch::default();
//! game.legal_moves(&mut legal);
//! leaves.push(&game, &legal);
//! let mut out = Evaluations::default();
//! evaluator.evaluate(&leaves, &mut out)?;
//! println!("network {} expects win, draw, loss {:?}", network.id(), out.wdl[0]);
//! # Ok(())
//! # }
//! ```

mod average;
mod blocks;
mod blueprint;
mod checkpoint;
mod data_config;
mod dataset;
mod descent;
mod device;
mod error;
mod evaluator;
mod inference;
mod loss;
mod measure;
mod metrics;
mod network;
mod network_file;
mod optimiser;
mod parameters;
mod policy;
mod prefetch;
mod recorded;
mod sample;
mod staging;
mod stream;
mod sums;
mod tensor_file;
mod train_config;
mod trainer;

pub use average::Average;
pub use blueprint::{Blueprint, Mixing, NetworkConfig};
pub use data_config::{Damaged, DataConfig};
pub use dataset::{Dataset, Window};
pub use device::DeviceChoice;
pub use error::{FileProblem, Result, TrainError};
pub use evaluator::{EvaluatorConfig, Layout, Precision, TorchEvaluator};
pub use loss::{Figures, LossConfig};
pub use measure::{Load, POLICY_TOLERANCE, WDL_TOLERANCE, difference, rate};
pub use metrics::Line;
pub use network::{Network, Outputs};
pub use network_file::NetworkFile;
pub use optimiser::{AdamW, OptimiserConfig};
pub use parameters::{Parameter, Parameters, Role};
pub use train_config::TrainConfig;
pub use trainer::{Progress, Round, TrainReport, Trainer};
