//! Players, matches of paired games, and ratings.
//!
//! A match is pairs of games from the same opening with sides exchanged. Its append-only log is the only truth: tables,
//! ratings and test results are functions of it, so a match goes on after any interruption with the games that are
//! missing. Network players bring a [`selfplay::Evaluator`]; this crate does not know what is behind it. Outside engines
//! are players over UCI, USI and UCCI ([`engine`]), and the search can be such an engine itself ([`server`]).
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

mod adjudication;
pub mod benchmark;
mod cholesky;
mod config;
pub mod engine;
mod error;
pub mod export;
mod identity;
mod ladder;
mod limit;
pub mod log;
pub mod matches;
pub mod openings;
pub mod pgn;
pub mod played;
pub mod players;
pub mod protocol;
pub mod ratings;
mod score;
pub mod server;
pub mod standings;
pub mod stats;
pub mod tournament;

pub use adjudication::{Adjudication, Agreement, DrawRule, RuleError, WinRule};
pub use config::MatchConfig;
pub use engine::{EngineConfig, EngineError, EngineProfile};
pub use error::MatchError;
pub use identity::{PlayerId, Roster, network_name};
pub use ladder::{Ladder, LadderPlayer, ladder, ladder_of};
pub use limit::{Limit, LimitError};
pub use log::{GameEntry, Header, MatchLog};
pub use matches::{FailedGame, Match, MatchProgress, MatchReport};
pub use openings::{OpeningOrder, OpeningSource, OpeningsConfig};
pub use players::{Player, PlayerConfig, PlayerSpec};
pub use score::Score;
pub use standings::{OpeningResults, Standings, standings, standings_of};
pub use tournament::{Schedule, Tournament, TournamentReport};
