//! Games and searched positions as Parquet files, what protects them, and opening statistics.
//!
//! The generator appends finished games to a [`Journal`] and, at the end of a generation, commits them to a
//! [`DataStore`] as one immutable shard: a games file and a positions file, both listed with their digests in a
//! manifest. Training reads shards back through the same store. Whatever kills the program, a shard is there
//! whole or not at all. The files need none of this code: `README.md` says how DuckDB, polars and pandas read them.
//!
//! This is the only crate that knows Parquet and polars. It does not know how games are played.
//!
//! # Examples
//! ```
//! use data::{DataStore, GameRecord, PositionRecord, Provenance};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let root = folder.path().join("data");
//! let game = GameRecord {
//!     game_id: 1,
//!     variant: "wangqi".into(),
//!     moves: vec![1034, 2060],
//!     moves_text: "c2c3 e7e6".into(),
//!     result: 1,
//!     termination: "checkmate".into(),
//!     positions: vec![PositionRecord {
//!         ply: 1,
//!         side: 1,
//!         mv: 2060,
//!         policy_move: vec![2060, 2061],
//!         policy_visits: vec![30, 2],
//!         root_wdl: [0.25, 0.5, 0.25],
//!         ..PositionRecord::default()
//!     }],
//!     ..GameRecord::default()
//! };
//!
//! let (store, _recovery) = DataStore::open(&root)?;
//! store.commit_shard("wangqi", 0, "local", &[game.clone()], &Provenance::default())?;
//!
//! for shard in store.shards("wangqi")? {
//!     assert_eq!(store.read_shard(&shard)?, [game.clone()]);
//! }
//! for shard in store.training_shards("wangqi", 0..=9)? {
//!     let (_entry, games) = shard?;
//!     assert_eq!(games[0].positions[0].result_stm, -1);
//! }
//! # Ok::<(), data::DataError>(())
//! ```

pub mod durable;
mod error;
mod journal;
mod manifest;
mod match_game;
mod reader;
mod record;
pub mod schema;
mod sealed;
mod statistics;
mod store;
mod writer;

pub use error::{DataError, Result};
pub use journal::{Journal, Recovered};
pub use manifest::{FileEntry, MANIFEST, ShardEntry};
pub use match_game::MatchGame;
pub use reader::{TrainingGame, TrainingPosition, read_games_file, read_positions_file};
pub use record::{GameRecord, PositionKey, PositionRecord};
pub use statistics::{GenerationSummary, OpeningQuery, OpeningRow, OpeningTable, wilson};
pub use store::{DataStore, Recovery};
pub use writer::{Provenance, write_match_games};
