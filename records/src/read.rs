//! A file to its games.

use rules::{Notation, Rules, Variant};

use crate::encoding::{self, TextEncoding};
use crate::formats::{Contained, Format};
use crate::problem::{Fault, Problem, ReadError};
use crate::record::Record;

/// What the caller knows of a file. The default knows nothing.
#[derive(Clone, Copy, Debug)]
pub struct Options<V: Variant> {
    /// The format; `None`: found from the name and the contents.
    pub format: Option<&'static Format>,
    /// The encoding; `None`: found from the contents.
    pub encoding: Option<TextEncoding>,
    /// The rule set; `None`: the one that the record names, else the variant's default.
    pub rules: Option<Rules<V>>,
}

impl<V: Variant> Default for Options<V> {
    fn default() -> Self {
        Options { format: None, encoding: None, rules: None }
    }
}

/// What a file holds.
#[derive(Clone, Debug)]
pub struct Contents<V: Variant> {
    /// The format it is in.
    pub format: &'static Format,
    /// The encoding of its text.
    pub encoding: TextEncoding,
    /// The games, in their order.
    pub records: Vec<Record<V>>,
    /// The games that were left out.
    pub problems: Vec<Problem>,
}

/// Reads the games of a file. `file` is its name, which hints at the format and is named in problems.
///
/// # Errors
/// The file is no record at all, or a format of another game. What is wrong with single games is in
/// [`Contents::problems`].
pub fn read<V: Variant>(file: &str, bytes: &[u8], options: &Options<V>) -> Result<Contents<V>, ReadError> {
    let (mut records, mut problems) = (Vec::new(), Vec::new());
    let (format, encoding) = read_each(file, bytes, options, |game| match game {
        Ok(record) => records.push(record),
        Err(problem) => problems.push(problem),
    })?;
    Ok(Contents { format, encoding, records, problems })
}

/// Like [`read`], but hands over each game, or what is wrong with it, as soon as it is found: a whole file of games takes much
/// memory. Returns the format and the encoding.
///
/// # Errors
/// As for [`read`].
pub fn read_each<V: Variant>(
    file: &str,
    bytes: &[u8],
    options: &Options<V>,
    mut each: impl FnMut(Result<Record<V>, Problem>),
) -> Result<(&'static Format, TextEncoding), ReadError> {
    let Contained { format, encoding, games } = Format::of(file, bytes, options)?;
    if !format.notations.is_empty() && !format.notations.iter().any(|name| Notation::<V>::named(name).is_ok()) {
        return Err(ReadError::OtherGame { file: file.to_owned(), format: format.name, variant: V::ID });
    }
    for game in games {
        let named =
            |fault: Fault| Problem { file: file.to_owned(), line: fault.line, what: fault.what, why: fault.why };
        each(game.verify(format.notations, options.rules).map_err(named));
    }
    Ok((format, encoding))
}

/// Which encoding a text is in follows from the format where that is known.
pub(crate) fn text_of(bytes: &[u8], asked: Option<TextEncoding>, format: Option<&Format>) -> (String, TextEncoding) {
    encoding::decode(bytes, asked, format.and_then(|format| format.home))
}
