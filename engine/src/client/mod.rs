//! Outside engines as players, over UCI, USI and UCCI: the client end of [`crate::protocol`].
//!
//! Before the first game an engine is started, configured and compared with our rules ([`EngineProfile::prepare`]). In
//! a match each of its processes plays one game at a time. A mistake of the engine loses that game ([`EngineFault`]), and the
//! match continues with a new process. If the operating system refuses something, neither player loses the game.

mod config;
mod definition;
mod error;
mod fault;
mod go;
mod lines;
#[cfg(any(windows, test))]
#[path = "sys/pipes.rs"]
mod pipes;
mod player;
mod process;
mod profile;
mod program;
mod rules_check;
mod session;
#[cfg_attr(unix, path = "sys/unix.rs")]
#[cfg_attr(windows, path = "sys/windows.rs")]
mod sys;
mod test_positions;

pub use config::{EngineConfig, EngineSpecError, ProtocolChoice};
pub use definition::variant_definition;
pub use error::EngineError;
pub use fault::{EngineFailure, EngineFault};
pub use player::EnginePlayer;
pub use profile::EngineProfile;
pub use session::{Engine, EngineDecision, EngineMove};
pub use sys::{count_suspensions, suspensions, was_suspended_since};
