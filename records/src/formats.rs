//! The formats: one table, from which everything else about them follows.

use std::fmt;

use encoding_rs::{EUC_KR, Encoding, GB18030, SHIFT_JIS};
use rules::Variant;

use crate::encoding::TextEncoding;
use crate::problem::{ReadError, UnknownName};
use crate::read::{Options, text_of};
use crate::written::Written;
use crate::{csa, dhtmlxq, gib, ki2, kif, moves, pgn};

/// A format of game records.
pub struct Format {
    /// The name on the command line, lower case.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Endings of files, lower case.
    pub extensions: &'static [&'static str],
    /// The encoding of the country where such files are written.
    pub(crate) home: Option<&'static Encoding>,
    /// The notations its moves may be in; none: whichever of the variant's fits.
    pub(crate) notations: &'static [&'static str],
    /// Whether a text is in this format.
    pub(crate) recognises: fn(&str) -> bool,
    /// The games of a text.
    pub(crate) read: fn(&str) -> Vec<Written>,
}

impl Format {
    /// Every format. Those that are recognised by more come first; the last one takes any text.
    pub const ALL: &'static [Format] = &[
        Format {
            name: "dhtmlxq",
            about: "DhtmlXQ, of Chinese sites: [DhtmlXQ_movelist]7747…",
            extensions: &["dhtmlxq", "ubb"],
            home: Some(GB18030),
            notations: &["ucci"],
            recognises: dhtmlxq::recognises,
            read: dhtmlxq::read,
        },
        Format {
            name: "csa",
            about: "CSA version 2, of the servers where Japanese programs play: +7776FU",
            extensions: &["csa"],
            home: Some(SHIFT_JIS),
            notations: &["csa"],
            recognises: csa::recognises,
            read: csa::read,
        },
        Format {
            name: "gib",
            about: "GIB, of Korean servers: 1. 79졸78 2. 41병42",
            extensions: &["gib"],
            home: Some(EUC_KR),
            notations: &[],
            recognises: gib::recognises,
            read: gib::read,
        },
        Format {
            name: "pgn",
            about: "PGN, in SAN, UCI or a notation of the variant",
            extensions: &["pgn"],
            home: None,
            notations: &[],
            recognises: pgn::recognises,
            read: pgn::read,
        },
        Format {
            name: "kif",
            about: "KIF, of Japanese programs: 1 ７六歩(77)",
            extensions: &["kif", "kifu", "kifz"],
            home: Some(SHIFT_JIS),
            notations: &["kif", "ki2"],
            recognises: kif::recognises,
            read: kif::read,
        },
        Format {
            name: "ki2",
            about: "KI2, of Japanese books: ▲７六歩 △３四歩",
            extensions: &["ki2", "ki2u"],
            home: Some(SHIFT_JIS),
            notations: &["ki2"],
            recognises: ki2::recognises,
            read: ki2::read,
        },
        Format {
            name: "moves",
            about: "lists of moves in any notation of the variant, a game in a line or in numbered lines",
            extensions: &["txt", "moves"],
            home: None,
            notations: &[],
            recognises: |_| true,
            read: moves::read,
        },
    ];

    /// The format of this name.
    ///
    /// # Errors
    /// There is none; the error lists those there are.
    pub fn named(name: &str) -> Result<&'static Format, UnknownName> {
        let unknown = || UnknownName { kind: "format", name: name.to_owned(), known: known() };
        Format::ALL.iter().find(|format| format.name == name).ok_or_else(unknown)
    }

    /// The format and the text of a file. The contents count for more than the ending.
    pub(crate) fn of<V: Variant>(file: &str, bytes: &[u8], options: &Options<V>) -> Result<Contained, ReadError> {
        let ending = file.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default();
        let by_ending = Format::ALL.iter().find(|format| format.extensions.contains(&ending.as_str()));
        let (text, encoding) = text_of(bytes, options.encoding, options.format.or(by_ending));
        if text.contains('\0') {
            return Err(ReadError::Binary { file: file.to_owned(), known: known() });
        }
        let fits = |format: &&Format| (format.recognises)(&text);
        // The last format takes anything, which an ending that is known contradicts.
        let (last, others) = Format::ALL.split_last().map_or((&Format::ALL[0], Format::ALL), |split| split);
        let by_contents = || by_ending.filter(fits).or_else(|| others.iter().find(fits)).or(by_ending);
        let format = options.format.or_else(by_contents).unwrap_or(last);
        if by_ending.is_some() || options.format.is_some() || format.home.is_none() {
            return Ok(Contained { format, encoding, text });
        }
        // Only now is it known where the file comes from.
        let (text, encoding) = text_of(bytes, options.encoding, Some(format));
        Ok(Contained { format, encoding, text })
    }
}

/// A file whose format is known.
pub(crate) struct Contained {
    pub format: &'static Format,
    pub encoding: TextEncoding,
    pub text: String,
}

fn known() -> String {
    Format::ALL.iter().map(|format| format.name).collect::<Vec<_>>().join(", ")
}

impl PartialEq for Format {
    /// Formats are told apart by their names.
    fn eq(&self, other: &Format) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Format").field("name", &self.name).finish_non_exhaustive()
    }
}
