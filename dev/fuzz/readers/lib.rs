//! The readers of bytes from outside, each as a function of these bytes that must not panic. `dev/fuzz/tests/readers.rs`
//! calls them in `make test`, and libFuzzer in `make fuzz`.
//!
//! A new reader is a function here, a line in [`ALL`], and a folder of seeds. A new format of game records needs none of
//! that: `records` reads all there are.

#![forbid(unsafe_code)]

mod files;
mod games;
mod texts;

pub use files::{
    about, calibration, checkpoint, config, journal, manifest, match_log, network, run_logs, shard, slots,
};
pub use games::{fen, moves, records};
pub use texts::{book, commands, engine, engines, ladders, suite};

/// A reader, and the folder of its seeds.
pub struct Reader {
    /// Its name, and that of the folder `dev/fuzz/seeds/NAME`.
    pub name: &'static str,
    /// Reads these bytes.
    pub read: fn(&[u8]),
}

/// All readers.
pub const ALL: &[Reader] = &[
    Reader { name: "fen", read: fen },
    Reader { name: "moves", read: moves },
    Reader { name: "records", read: records },
    Reader { name: "config", read: config },
    Reader { name: "network", read: network },
    Reader { name: "calibration", read: calibration },
    Reader { name: "checkpoint", read: checkpoint },
    Reader { name: "journal", read: journal },
    Reader { name: "slots", read: slots },
    Reader { name: "run_logs", read: run_logs },
    Reader { name: "about", read: about },
    Reader { name: "manifest", read: manifest },
    Reader { name: "match_log", read: match_log },
    Reader { name: "book", read: book },
    Reader { name: "suite", read: suite },
    Reader { name: "engine", read: engine },
    Reader { name: "commands", read: commands },
    Reader { name: "engines", read: engines },
    Reader { name: "ladders", read: ladders },
    Reader { name: "shard", read: shard },
];

/// The variant that a byte chooses, and the bytes after it.
fn variant(data: &[u8]) -> Option<(rules::VariantId, &[u8])> {
    let (&choice, rest) = data.split_first()?;
    Some((rules::VariantId::ALL[usize::from(choice) % rules::VariantId::ALL.len()], rest))
}
