//! The formats: one table, from which everything else about them follows.

use std::fmt;

use encoding_rs::{EUC_KR, Encoding, GB18030, SHIFT_JIS, UTF_8};

use crate::encoding::TextEncoding;
use crate::problem::UnknownName;
use crate::training::{HCPE, PSV};
use crate::written::WrittenGame;
use crate::{cbl, csa, dhtmlxq, gib, ki2, kif, moves, pgn, wxf, xqf};

/// A format of game records.
pub struct RecordFormat {
    /// The name on the command line, lower case.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Endings of files, lower case.
    pub extensions: &'static [&'static str],
    /// The encoding of the country where such texts are written.
    pub(crate) home: Option<&'static Encoding>,
    /// The notations its moves may be in; none: whichever of the variant's fits.
    pub(crate) notations: &'static [&'static str],
    pub(crate) reader: FormatReader,
}

/// How games come out of a file.
pub(crate) enum FormatReader {
    /// Out of its text.
    Text {
        /// Whether a text is in this format.
        recognises: fn(&str) -> bool,
        /// The games of a text.
        read: fn(&str) -> Vec<WrittenGame>,
    },
    /// Out of its bytes.
    Bytes {
        /// Whether a file is in this format.
        recognises: fn(&[u8]) -> bool,
        /// The games of a file.
        read: ReadBytes,
    },
}

/// Reads the games of a file, with texts in the encoding asked for, and says in which encoding they are.
type ReadBytes = fn(&[u8], Option<TextEncoding>) -> (Vec<WrittenGame>, TextEncoding);

impl RecordFormat {
    /// Every format. Those with the clearest marks come first; the last one takes any text.
    pub const ALL: &'static [RecordFormat] = &[
        RecordFormat {
            name: "xqf",
            about: "XQF, of XQStudio (象棋演播室), binary",
            extensions: &["xqf"],
            home: None,
            notations: &["ucci"],
            reader: FormatReader::Bytes { recognises: xqf::recognises, read: xqf::read },
        },
        RecordFormat {
            name: "cbl",
            about: "games and libraries of CCBridge (象棋桥), binary",
            extensions: &["cbl", "cbr"],
            home: None,
            notations: &["ucci"],
            reader: FormatReader::Bytes { recognises: cbl::recognises, read: cbl::read },
        },
        RecordFormat {
            name: "hcpe",
            about: "HCPE, training data of dlshogi and Apery, binary",
            extensions: &["hcpe"],
            home: None,
            notations: &["usi"],
            reader: FormatReader::Bytes {
                recognises: |bytes| HCPE.recognises(bytes),
                read: |bytes, encoding| HCPE.read(bytes, encoding),
            },
        },
        RecordFormat {
            name: "psv",
            about: "PSV (PackedSfenValue), training data of YaneuraOu, binary",
            extensions: &["psv"],
            home: None,
            notations: &["usi"],
            reader: FormatReader::Bytes {
                recognises: |bytes| PSV.recognises(bytes),
                read: |bytes, encoding| PSV.read(bytes, encoding),
            },
        },
        RecordFormat {
            name: "wxf",
            about: "WXF, of the world federation: FORMAT WXF … START{ 1. C2.5 h8+7 }END",
            extensions: &["wxf"],
            home: Some(GB18030),
            notations: &["wxf"],
            reader: FormatReader::Text { recognises: wxf::recognises, read: wxf::read },
        },
        RecordFormat {
            name: "dhtmlxq",
            about: "DhtmlXQ, of Chinese sites: [DhtmlXQ_movelist]7747…",
            extensions: &["dhtmlxq", "ubb", "html", "htm"],
            home: Some(GB18030),
            notations: &["ucci"],
            reader: FormatReader::Text { recognises: dhtmlxq::recognises, read: dhtmlxq::read },
        },
        // Its lines may begin with moves that look like those of CSA, which never begins with a tag.
        RecordFormat {
            name: "pgn",
            about: "PGN, in SAN, UCI or a notation of the variant",
            extensions: &["pgn"],
            home: None,
            notations: &[],
            reader: FormatReader::Text { recognises: pgn::recognises, read: pgn::read },
        },
        RecordFormat {
            name: "csa",
            about: "CSA version 2, of the servers where Japanese programs play: +7776FU",
            extensions: &["csa"],
            home: Some(SHIFT_JIS),
            notations: &["csa"],
            reader: FormatReader::Text { recognises: csa::recognises, read: csa::read },
        },
        RecordFormat {
            name: "gib",
            about: "GIB, of Korean servers: 1. 79졸78 2. 41병42",
            extensions: &["gib"],
            home: Some(EUC_KR),
            notations: &[],
            reader: FormatReader::Text { recognises: gib::recognises, read: gib::read },
        },
        RecordFormat {
            name: "kif",
            about: "KIF, of Japanese programs: 1 ７六歩(77)",
            extensions: &["kif", "kifu", "kifz"],
            home: Some(SHIFT_JIS),
            notations: &["kif", "ki2"],
            reader: FormatReader::Text { recognises: kif::recognises, read: kif::read },
        },
        RecordFormat {
            name: "ki2",
            about: "KI2, of Japanese books: ▲７六歩 △３四歩",
            extensions: &["ki2", "ki2u"],
            home: Some(SHIFT_JIS),
            notations: &["ki2"],
            reader: FormatReader::Text { recognises: ki2::recognises, read: ki2::read },
        },
        RecordFormat {
            name: "moves",
            about: "lists of moves in any notation of the variant, a game in a line or in numbered lines",
            extensions: &["txt", "moves"],
            home: None,
            notations: &[],
            reader: FormatReader::Text { recognises: |_| true, read: moves::read },
        },
    ];

    /// The format of this name.
    ///
    /// # Errors
    /// There is no such format; the error lists those there are.
    pub fn named(name: &str) -> Result<&'static RecordFormat, UnknownName> {
        let unknown = || UnknownName { kind: "format", name: name.to_owned(), known: known() };
        RecordFormat::ALL.iter().find(|format| format.name == name).ok_or_else(unknown)
    }

    /// The format whose files have the ending of this name.
    pub fn of_file(name: &str) -> Option<&'static RecordFormat> {
        let ending = name.rsplit_once('.')?.1.to_lowercase();
        RecordFormat::ALL.iter().find(|format| format.extensions.contains(&ending.as_str()))
    }

    pub(crate) fn is_binary(&self) -> bool {
        matches!(self.reader, FormatReader::Bytes { .. })
    }

    pub(crate) fn is_of_bytes(&self, bytes: &[u8]) -> bool {
        matches!(self.reader, FormatReader::Bytes { recognises, .. } if recognises(bytes))
    }

    pub(crate) fn is_of_text(&self, text: &str) -> bool {
        matches!(self.reader, FormatReader::Text { recognises, .. } if recognises(text))
    }

    /// The games of a file in this format, and the encoding of its text. `text` is the text of one that is no binary
    /// format; `encoding` is what it is in, or the one asked for.
    pub(crate) fn games(
        &self,
        bytes: &[u8],
        text: String,
        encoding: Option<TextEncoding>,
    ) -> (Vec<WrittenGame>, TextEncoding) {
        match self.reader {
            FormatReader::Bytes { read, .. } => read(bytes, encoding),
            FormatReader::Text { read, .. } => (read(&text), encoding.unwrap_or(TextEncoding(UTF_8))),
        }
    }
}

/// The names of all formats, for messages.
pub(crate) fn known() -> String {
    RecordFormat::ALL.iter().map(|format| format.name).collect::<Vec<_>>().join(", ")
}

impl PartialEq for RecordFormat {
    /// Formats are told apart by their names.
    fn eq(&self, other: &RecordFormat) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for RecordFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Format").field("name", &self.name).finish_non_exhaustive()
    }
}
