//! Outside engines as players, over UCI, USI and UCCI.
//!
//! An engine is set up and compared with our rules before the first game ([`EngineProfile::prepare`]). In a match each
//! of its processes plays one game at a time. Whatever it does wrong there loses that game ([`Fault`]) and the match
//! goes on with a new process; what the system does wrong is nobody's loss.

mod config;
mod dialect;
mod error;
mod fault;
mod fitness;
mod lines;
mod options;
mod process;
mod profile;
mod program;
mod protocol;
mod said;
mod seat;
mod session;
mod sys;
mod telling;

pub use config::EngineConfig;
pub use error::EngineError;
pub use fault::Fault;
pub(crate) use fault::Trouble;
pub use profile::EngineProfile;
pub use protocol::Protocol;
pub(crate) use seat::EngineSeat;
pub(crate) use session::{Decision, Engine, Thought};
