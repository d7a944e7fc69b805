//! Players, matches of paired games, and ratings.
//!
//! A match is pairs of games from the same opening with sides exchanged. Its append-only log is the only truth: tables,
//! ratings and test results are functions of it, so after any interruption a match resumes with the games that are
//! missing. Network players bring a [`search::Evaluator`]; this crate does not know what is behind it. Outside engines
//! are players, too, by the crate [`engine`].
//!
//! ```
//! use eval::{PlayerConfig, Match, MatchConfig, OpeningsConfig};
//! use rules::VariantId;
//! use std::sync::atomic::AtomicBool;
//!
//! # let folder = tempfile::tempdir()?;
//! # let log = folder.path().join("greedy-random.jsonl");
//! let config = MatchConfig { pairs: 4, openings: OpeningsConfig::random(4), ..MatchConfig::default() };
//! let report = Match {
//!     variant: VariantId::Wangqi,
//!     config: &config,
//!     players: [&PlayerConfig::greedy(), &PlayerConfig::random()],
//!     log: &log,
//! }
//! .play(&AtomicBool::new(false), |progress| println!("{progress}"))?;
//! assert_eq!(report.results.games(), 8);
//! println!("{report}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod adjudication;
pub mod benchmark;
mod config;
mod error;
pub mod export;
pub mod game_statistics;
mod identity;
mod ladder;
pub mod log;
pub mod matches;
pub mod openings;
pub mod pgn;

pub mod players;
pub mod ratings;
pub mod review;
pub mod standings;
pub mod stats;
pub mod tournament;

pub use adjudication::{Adjudication, Agreement, DrawRule, RuleError, WinRule};
pub use config::MatchConfig;
pub use error::{EntryError, MatchError};
pub use identity::{EngineSettings, NetworkSettings, PlayerId, PlayerRecord, PlayerSettings, Roster, network_name};
pub use ladder::{Ladder, LadderPlayer, ladder, ladder_of};
pub use log::{GameEntry, MatchHeader, MatchLog};
pub use matches::{FailedGame, Match, MatchProgress, MatchReport};
pub use openings::{OpeningOrder, OpeningSource, OpeningsConfig};
pub use players::{Player, PlayerConfig, PlayerSpec};
pub use standings::{OpeningResults, Standings, standings, standings_of};
pub use tournament::{Schedule, Tournament, TournamentReport};
