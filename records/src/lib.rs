//! Game records of other programs: readers for PGN, KIF, KI2, CSA, DhtmlXQ, XQF, CBL, `.gib` and plain lists of moves,
//! and writers for PGN, KIF and CSA. Also, in both directions, training data for Shogi (HCPE, PSV) and [books](book) of
//! openings (YaneuraOu's DB2016, `.obk`).
//!
//! A reader gives each game of a file as a [`TaggedGame`], whose moves have been found legal one by one. A game that is
//! broken or not legal is left out, and a [`RecordProblem`] says in which line and why; the games around it are kept.
//! `README.md` of this crate lists the formats and what is not read.
//!
//! There is no input or output here, and no variant is named: a format gives the moves of a game as they are written,
//! and the rules engine finds them by the name of their notation ([`rules::Notation::named`]).
//!
//! Why no library: those for Shogi (`rsshogi`, `shogi-kifu-converter`, `csa`) have boards and rules of their own, stop
//! at the first error in a file, and know nothing of the other games. `docs/research/2026-11-27-rsshogi.md` compares
//! the first with ours, file by file.
//!
//! # Examples
//! ```
//! use records::{ReadOptions, read};
//! use rules::Shogi;
//!
//! let text = "先手：Sente\n後手：Gote\n手数----指手--\n 1 ７六歩(77)\n 2 ３四歩(33)\n 3 ２二角成(88)\n 4 投了\n";
//! let contents = read::<Shogi>("game.kif", text.as_bytes(), &ReadOptions::default())?;
//! let record = &contents.records[0];
//! assert_eq!(record.game.moves_text(), "c3c4 g7g6 b2h8+");
//! assert_eq!(record.outcome.map(|outcome| outcome.termination.name()), Some("resign"));
//! assert_eq!(record.tags.second.as_deref(), Some("Gote"));
//! # Ok::<(), records::ReadError>(())
//! ```

#![forbid(unsafe_code)]

mod annotation;
pub mod book;
mod cbl;
pub mod csa;
pub mod date;
mod dhtmlxq;
mod diagram;
mod encoding;
mod formats;
mod gib;
mod ki2;
pub mod kif;
mod moves;
mod note;
mod old_cbl;
pub mod pgn;
mod points;
mod problem;
mod read;
mod record;
mod san;
mod tags;
pub mod training;
mod verify;
mod written;
mod wxf;
mod xqf;

pub use annotation::Annotation;
pub use encoding::{TextEncoding, file_name};
pub use formats::RecordFormat;
pub use problem::{ReadError, Reason, RecordProblem, UnknownName};
pub use read::{ReadOptions, RecordContents, read, read_each};
pub use record::TaggedGame;
pub use tags::Tags;
