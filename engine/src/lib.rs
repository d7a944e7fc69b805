//! Engines over UCI, USI and UCCI: the messages ([`protocol`]), other people's engines as players ([`client`]), and the
//! search as an engine for GUIs and match runners ([`server`]).
//!
//! What both ends have in common: how long a player may think ([`Limit`], [`GameClock`]), and the scale of the scores that it
//! reports ([`Score`]). The crate knows no matches and no network.

pub mod client;
mod limit;
pub mod protocol;
mod score;
pub mod server;

pub use client::{EngineConfig, EngineError, EngineProfile};
pub use limit::{GameClock, Limit, LimitError, equivalent};
pub use score::Score;
