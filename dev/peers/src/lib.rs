//! Other people's engines: oracles of our tests (`tests/`), and programs to measure against in our bench
//! (`benches/side_by_side.rs`). No crate of the product depends on this one.
//!
//! | peer | where from | plays |
//! |---|---|---|
//! | Fairy-Stockfish 11.1 | Debian package `fairy-stockfish` | what it knows by itself |
//! | pyffish, the rules of a later Fairy-Stockfish | PyPI | that and `engine/src/client/fairy-stockfish.ini` |
//! | that Fairy-Stockfish as a program | built from the sources of pyffish | the same |
//! | `haitaka`, `rsshogi` | crates | shogi |
//!
//! `scripts/oracles` installs the first two, `scripts/oracles bench` the third as well. A peer that is not here is
//! skipped loudly, or is a failure where `KIRIN_ORACLES=required`:
//!
//! ```no_run
//! use peers::{Engine, or_skip};
//! if let Some(mut engine) = or_skip(Engine::debian("janggi")) {
//!     let start = "rnba1abnr/4k4/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/4K4/RNBA1ABNR w - - 0 1";
//!     assert_eq!(engine.perft(start, 2)?.nodes, 1024);
//! }
//! # Ok::<(), peers::PeerError>(())
//! ```

#![forbid(unsafe_code)]

mod clock;
mod engine;
mod found;
pub mod pyffish;
pub mod shogi;

pub use clock::CpuClock;
pub use engine::{Divide, Engine};
pub use found::{PeerError, or_skip};
