//! Engines over UCI, USI and UCCI: the messages ([`protocol`]), other people's engines as players ([`client`]), and the
//! search as an engine for GUIs and match runners ([`server`]).
//!
//! What both ends have in common: how long a player may think ([`Limit`], [`GameClock`]), and the scale of the scores that it
//! reports ([`Score`]). The crate knows no matches and no network.
//!
//! An outside engine is started, and its legal moves are compared with ours, before it plays:
//!
//! ```no_run
//! use engine::client::{EngineConfig, EngineProfile};
//! use engine::Limit;
//! use rules::VariantId;
//!
//! let config: EngineConfig = "/usr/games/fairy-stockfish?nodes=1000".parse()?;
//! let engine = EngineProfile::prepare(&config, VariantId::Xiangqi, Limit::Own, &|| false)?;
//! println!("{}: {}", engine.version(), engine.rules_check());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`server`] has an example of the other end.

pub mod client;
mod limit;
pub mod protocol;
mod score;
pub mod server;

pub use client::{EngineConfig, EngineError, EngineProfile};
pub use limit::{GameClock, Limit, LimitError, equivalent};
pub use score::Score;
