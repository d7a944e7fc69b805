//! Bytes to text. Records of the last decades are in UTF-8 or in the encoding of their country.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};
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
