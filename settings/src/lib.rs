//! What the settings of every crate have in common: checks, values with names, durations and thread counts. It also has
//! the kinds of errors behind exit codes ([`ExitKind`]).
//!
//! A configuration struct is defined in the crate whose code it steers and has a method `check`, which reports all
//! errors to [`Complaints`]. So one message can list all mistakes of a file, each with its full key. This crate knows
//! no configuration, no file format and no other crate.
//!
//! # Examples
//! ```
//! use settings::Complaints;
//!
//! struct SearchConfig {
//!     visits: u32,
//! }
//!
//! impl SearchConfig {
//!     fn check(&self, complaints: &mut Complaints) {
//!         complaints.within("visits", self.visits, 1, 10_000_000);
//!     }
//! }
//!
//! let mut complaints = Complaints::default();
//! complaints.section("search", |complaints| SearchConfig { visits: 0 }.check(complaints));
//! assert_eq!(complaints.to_string(), "search.visits: 0 is out of range; 1 to 10000000");
//! assert!(complaints.into_result().is_err());
//! ```

#![forbid(unsafe_code)]

mod complaints;
mod counted;
mod duration;
mod exit;
mod named;
mod nearest;
mod threads;
mod words;

pub use complaints::{Complaint, Complaints, Range};
pub use counted::{counted, thousands};
pub use duration::{NotADuration, parse_duration};
pub use exit::ExitKind;
pub use named::UnknownSetting;
pub use nearest::nearest;
pub use threads::threads;
pub use words::in_words;
