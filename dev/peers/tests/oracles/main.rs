//! Kirin's rules against those of other engines: `pyffish.rs` (moves, check and results of whole games),
//! `notation.rs` (move texts), `stockfish.rs` (perft), `shogi.rs` (two shogi libraries).
//! The pages in `docs/reference/rules` list what differs on purpose.

#[path = "../../../../rules/tests/contract/chance.rs"]
mod chance;
mod notation;
mod play;
mod pyffish;
mod shogi;
mod stockfish;
