//! Errors of parsers in plain words.

/// Messages of Rust's parsers, and their plain form.
const WORDS: &[(&str, &str)] = &[
    ("invalid digit found in string", "not a whole number"),
    ("cannot parse integer from empty string", "a number is missing"),
    ("number too large to fit in target type", "the number is too large"),
    ("number too small to fit in target type", "the number is too small"),
    ("invalid float literal", "not a number"),
    ("cannot parse float from empty string", "a number is missing"),
    ("expected usize", "expected a whole number, 0 or more"),
    ("expected u64", "expected a whole number, 0 or more"),
    ("expected u32", "expected a whole number, 0 to 4294967295"),
    ("expected u16", "expected a whole number, 0 to 65535"),
    ("expected u8", "expected a whole number, 0 to 255"),
    ("expected i64", "expected a whole number"),
    ("expected i32", "expected a whole number"),
    ("expected f64", "expected a number"),
    ("expected f32", "expected a number"),
    ("expected a boolean", "expected true or false"),
];

/// A message of a parser without the names of Rust's types.
///
/// ```
/// let said = settings::in_words("invalid type: string \"many\", expected u32");
/// assert_eq!(said, "invalid type: string \"many\", expected a whole number, 0 to 4294967295");
/// assert_eq!(settings::in_words("invalid digit found in string"), "not a whole number");
/// ```
pub fn in_words(message: &str) -> String {
    WORDS.iter().fold(message.to_owned(), |text, (parser, people)| text.replace(parser, people))
}
