//! Bytes to text. Records of the last decades are in UTF-8 or in the encoding of their country.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use unicode_normalization::UnicodeNormalization as _;

use crate::problem::UnknownName;
use crate::tags::one_line;

/// An encoding of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextEncoding(pub(crate) &'static Encoding);

impl TextEncoding {
    /// The encoding of this name: those of the WHATWG's standard, such as `shift_jis`, `gb18030`, `euc-kr`, `big5`.
    ///
    /// # Errors
    /// There is no such encoding.
    pub fn named(name: &str) -> Result<TextEncoding, UnknownName> {
        Encoding::for_label(name.as_bytes()).map(TextEncoding).ok_or_else(|| UnknownName {
            kind: "encoding",
            name: name.to_owned(),
            known: "utf-8, utf-16le, shift_jis, euc-jp, gb18030, big5, euc-kr, and the others of the WHATWG".to_owned(),
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0.name()
    }
}

/// The text of a file, and the encoding it is in: the one asked for, else what its first bytes say, else UTF-8 if it is
/// that, else what is likeliest. `home` is the encoding of the country where such files are written.
pub(crate) fn decode(
    bytes: &[u8],
    asked: Option<TextEncoding>,
    home: Option<&'static Encoding>,
) -> (String, TextEncoding) {
    let by_mark = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let encoding = asked.map(|asked| asked.0).or(by_mark).unwrap_or_else(|| guess(bytes, home));
    let (text, encoding, _) = encoding.decode(bytes);
    (text.into_owned(), TextEncoding(encoding))
}

fn guess(bytes: &[u8], home: Option<&'static Encoding>) -> &'static Encoding {
    if std::str::from_utf8(bytes).is_ok() {
        return UTF_8;
    }
    let is_sound =
        |encoding: &'static Encoding| encoding.decode_without_bom_handling_and_without_replacement(bytes).is_some();
    if let Some(home) = home.filter(|&home| is_sound(home)) {
        return home;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Allow)
}

/// The text with every end of line as one `\n`: old programs of the Macintosh wrote `\r` alone, and files that were
/// copied wrongly have `\r\r\n`.
pub(crate) fn with_newlines(text: String) -> String {
    if !text.contains('\r') {
        return text;
    }
    let mut lines = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('\r') {
        let (line, ends) = rest.split_at(at);
        let after = ends.trim_start_matches('\r');
        lines += line;
        if !after.starts_with('\n') {
            lines.extend(std::iter::repeat_n('\n', ends.len() - after.len()));
        }
        rest = after;
    }
    lines + rest
}

/// What helps to read a file that is no text, in words for the end of a message: its encoding, if the file is in UTF-16
/// without the mark that says so.
pub(crate) fn hint(bytes: &[u8]) -> String {
    let is_sound = |encoding: &&'static Encoding| {
        let text = encoding.decode_without_bom_handling_and_without_replacement(bytes);
        text.is_some_and(|text| !text.contains('\0') && text.contains(['\n', '\r']))
    };
    let found = [UTF_16LE, UTF_16BE].into_iter().find(is_sound).map(|encoding| encoding.name().to_lowercase());
    found.map_or_else(String::new, |name| format!("; it looks like a text in UTF-16: try `--encoding {name}`"))
}

/// The name of a file in an archive, in UTF-8 or in the encoding it is likeliest in, without control characters that a
/// terminal would obey.
///
/// ```
/// assert_eq!(records::file_name("对局/中炮.xqf".as_bytes()), "对局/中炮.xqf");
/// assert_eq!(records::file_name(b"a\x1b[2J.pgn"), "a [2J.pgn");
/// ```
pub fn file_name(bytes: &[u8]) -> String {
    one_line(&decode(bytes, None, None).0)
}

/// The text with full-width letters and digits as ordinary ones, and characters that exist twice as one (NFKC).
pub(crate) fn plain(text: &str) -> String {
    if text.is_ascii() { text.to_owned() } else { text.nfkc().collect() }
}
