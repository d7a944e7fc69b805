//! A file to its games.

use rules::{Notation, Position, Rules, Variant};

use crate::encoding::{self, TextEncoding};
use crate::formats::{RecordFormat, known};
use crate::problem::{GameError, ReadError, RecordProblem};
use crate::record::TaggedGame;
use crate::written::WrittenGame;

/// What the caller knows of a file. The default knows nothing.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions<V: Variant> {
    /// The format; `None`: found from the name and the contents.
    pub format: Option<&'static RecordFormat>,
    /// The encoding; `None`: found from the contents.
    pub encoding: Option<TextEncoding>,
    /// The rule set; `None`: the one that the record names, else the variant's default.
    pub rules: Option<Rules<V>>,
}

impl<V: Variant> Default for ReadOptions<V> {
    fn default() -> Self {
        ReadOptions { format: None, encoding: None, rules: None }
    }
}

/// What a file holds.
#[derive(Clone, Debug)]
pub struct RecordContents<V: Variant> {
    /// The format it is in.
    pub format: &'static RecordFormat,
    /// The encoding of its text.
    pub encoding: TextEncoding,
    /// The games, in their order.
    pub records: Vec<TaggedGame<V>>,
    /// The games that were left out.
    pub problems: Vec<RecordProblem>,
}

/// Reads the games of a file. `file` is its name, which hints at the format and is named in problems.
///
/// # Errors
/// The file is no record at all, or a format of another game. What is wrong with single games is in
/// [`RecordContents::problems`].
pub fn read<V: Variant>(file: &str, bytes: &[u8], options: &ReadOptions<V>) -> Result<RecordContents<V>, ReadError> {
    let (mut records, mut problems) = (Vec::new(), Vec::new());
    let (format, encoding) = read_each(file, bytes, options, |game| match game {
        Ok(record) => records.push(record),
        Err(problem) => problems.push(problem),
    })?;
    Ok(RecordContents { format, encoding, records, problems })
}

/// Like [`read`], but hands over each game, or what is wrong with it, as soon as it is found: a whole file of games
/// takes much memory. Returns the format and the encoding.
///
/// # Errors
/// As for [`read`].
pub fn read_each<V: Variant>(
    file: &str,
    bytes: &[u8],
    options: &ReadOptions<V>,
    mut each: impl FnMut(Result<TaggedGame<V>, RecordProblem>),
) -> Result<(&'static RecordFormat, TextEncoding), ReadError> {
    let Contained { format, encoding, games } = contained(file, bytes, options)?;
    if !format.notations.is_empty() && !format.notations.iter().any(|name| Notation::<V>::named(name).is_ok()) {
        return Err(ReadError::OtherGame { file: file.to_owned(), format: format.name, variant: V::ID });
    }
    let own_start = Position::<V>::start();
    for game in games {
        let named = |fault: GameError| RecordProblem {
            file: file.to_owned(),
            line: fault.line,
            what: fault.what,
            why: fault.why,
        };
        each(game.verify(format.notations, options.rules, &own_start).map_err(named));
    }
    Ok((format, encoding))
}

/// A file whose format is known.
struct Contained {
    format: &'static RecordFormat,
    encoding: TextEncoding,
    games: Vec<WrittenGame>,
}

/// The format of a file and its games. The contents count for more than the ending.
fn contained<V: Variant>(file: &str, bytes: &[u8], options: &ReadOptions<V>) -> Result<Contained, ReadError> {
    let games = |format: &'static RecordFormat, text: String, encoding: Option<TextEncoding>| {
        let (games, encoding) = format.games(bytes, text, encoding);
        Contained { format, encoding, games }
    };
    let by_ending = RecordFormat::of_file(file);
    let by_bytes = || RecordFormat::ALL.iter().find(|format| format.is_of_bytes(bytes));
    if let Some(format) = options.format.or_else(by_bytes).filter(|format| format.is_binary()) {
        return Ok(games(format, String::new(), options.encoding));
    }
    let of_text = by_ending.filter(|format| !format.is_binary());
    let (text, encoding) = text_of(bytes, options.encoding, options.format.or(of_text));
    if text.contains('\0') && of_text == by_ending {
        return Err(ReadError::Binary { file: file.to_owned(), known: known(), hint: encoding::hint(bytes) });
    }
    // The last format takes any text, so the marks of another count for more than its ending, and its ending for
    // nothing.
    let (last, others) =
        RecordFormat::ALL.split_last().map_or((&RecordFormat::ALL[0], RecordFormat::ALL), |split| split);
    let fits = |format: &&RecordFormat| *format != last && format.is_of_text(&text);
    let by_contents = || by_ending.filter(fits).or_else(|| others.iter().find(fits)).or(by_ending);
    let format = options.format.or_else(by_contents).unwrap_or(last);
    if of_text == Some(format) || options.format.is_some() || format.home.is_none() {
        return Ok(games(format, text, Some(encoding)));
    }
    // Only now is the format known, which suggests the encoding.
    let (text, encoding) = text_of(bytes, options.encoding, Some(format));
    Ok(games(format, text, Some(encoding)))
}

/// Which encoding a text is in follows from the format where that is known.
fn text_of(bytes: &[u8], asked: Option<TextEncoding>, format: Option<&RecordFormat>) -> (String, TextEncoding) {
    let (text, encoding) = encoding::decode(bytes, asked, format.and_then(|format| format.home));
    (encoding::with_newlines(text), encoding)
}
