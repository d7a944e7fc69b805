//! Games and searched positions as Parquet files, what protects them, and opening statistics.
//!
//! The generator appends finished games to a [`Journal`] and, at the end of a generation, commits them to a
//! [`DataStore`] as one immutable shard: a games file and a positions file, both listed with their digests in a
//! manifest. Training reads shards back through the same store. Whatever kills the program, a shard is there
//! whole or not at all. The files need none of this code: `README.md` says how DuckDB, polars and pandas read them.
//!
//! A game is a [`rules::Scoresheet`]; a [`GameRecord`] adds what else self-play knows about it. Each column of a table is
//! declared once, with its name, meaning, type, getter and setter; schema, writer, reader and the tables in `README.md`
//! follow from that. This is the only crate that knows Parquet and polars.
//!
//! # Examples
//! ```
//! use data::{DataStore, GameRecord, PositionRecord, Provenance};
//! use rules::{Game, Outcome, Position, Rules, Side, Termination, Wangqi};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let root = folder.path().join("data");
//! let game = Game::<Wangqi>::from_moves_text(Rules::default(), Position::start(), "c3c4 e6e5")?;
//! let record = GameRecord {
//!     game_id: 1,
//!     positions: vec![PositionRecord {
//!         ply: 1,
//!         side: Side::Second,
//!         mv: game.moves()[1],
//!         policy_move: vec![game.moves()[1]],
//!         policy_visits: vec![32],
//!         root_wdl: [0.25, 0.5, 0.25],
//!         ..PositionRecord::default()
//!     }],
//!     ..GameRecord::of(&game, Outcome::win(Side::First, Termination::Resign))
//! };
//!
//! let (store, _recovery) = DataStore::open(&root)?;
//! store.commit_shard(0, "local", &[record.clone()], &Provenance::default())?;
//!
//! for shard in store.shards("wangqi")? {
//!     assert_eq!(store.read_shard::<Wangqi>(&shard)?, [record.clone()]);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod bounded;
pub mod checked_json;
mod cholesky;
mod column;
pub mod durable;
mod error;
mod features;
mod figures;
mod filter;
mod folders;
mod game;
mod identity;
mod journal;
mod line_log;
mod lock_owner;
mod manifest;
mod match_game;
mod material;
mod output;
mod pages;
mod position;
mod position_key;
mod position_table;
mod query;
mod reader;
pub mod repair;
mod shard_bundle;
mod statistics;
mod store;
mod synthetic;
#[cfg_attr(unix, path = "system/unix.rs")]
#[cfg_attr(windows, path = "system/windows.rs")]
mod system;
mod tables;
pub mod threads;
pub mod verify;
mod writer;

pub use cholesky::Cholesky;
pub use error::{ColumnFault, DataError, FileFault, LineFault, Result};
pub use features::{FeatureRow, TargetColumn, write_features};
pub use figures::{FigureColumn, write_figures};
pub use filter::{Criterion, Excluded, GameFilter, GameSource, NoneLeft, result_name};
pub use folders::{ExcludedGames, FolderShard, GameFolders};
pub use game::{GameRecord, IMPORTED, LATEST_MS, MATCHES};
pub use journal::{Journal, Recovered};
pub use line_log::{LineLog, LogContents, LogEntry, LogSurvey};
pub use lock_owner::LockOwner;
pub use manifest::{FileEntry, MANIFEST, ShardEntry};
pub use match_game::{MatchGame, write_match_games};
pub use material::{Fit, logistic, logistic_fit, material_difference, material_features};
pub use output::{Output, OutputError, kept_by_kirin, shown_path};
pub use position::PositionRecord;
pub use position_key::PositionKey;
pub use query::{QueryAnswer, QueryError, query};
pub use shard_bundle::{BundleError, ShardBundle};
pub use statistics::{
    CountedGame, GenerationSummary, OpeningOrigin, OpeningQuery, OpeningRow, OpeningStart, OpeningTable, SampleGame,
    wilson,
};
pub use store::{Compaction, DataStore, Recovery};
pub use synthetic::SyntheticGames;
pub use tables::SCHEMA_VERSION;
pub use writer::Provenance;
