//! The search as an engine for GUIs and match runners, over UCI, USI and UCCI: the server end of
//! [`crate::protocol`].
//!
//! [`Server`] reads commands and sends replies; the search runs in a thread of its own. [`Settings`] holds what a GUI
//! can set. The server does not know what a network is: its creator passes a function that loads an evaluator.
//!
//! ```
//! use engine::server::{InputLine, LoadedEvaluator, Replies, Server, Settings};
//! use search::UniformEvaluator;
//! use std::sync::mpsc;
//!
//! let load = |settings: &Settings, default_variant| {
//!     let variant = settings.variant.unwrap_or(default_variant);
//!     Ok(LoadedEvaluator { variant, evaluator: Box::new(UniformEvaluator::new(16)), network: None, levels: Vec::new() })
//! };
//! let (gui, input) = mpsc::channel();
//! for line in ["uci", "position startpos moves h3e3", "go nodes 100"] {
//!     gui.send(InputLine::now(line))?;
//! }
//! drop(gui); // The end of the input ends the session, after the answer.
//! Server::new(Settings::default(), Box::new(load), Replies::new(std::io::stdout()))?.run(&input)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod board;
mod deadline;
mod level;
mod pipe;
mod report;
mod session;
mod settings;
mod time;

pub use level::EngineLevel;
pub use pipe::{InputLine, LONGEST_LINE, Replies, read_lines};
pub use session::{LoadError, LoadEvaluator, LoadedEvaluator, Server, ServerError};
pub use settings::{SettingError, Settings};
