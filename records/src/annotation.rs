//! What is said about a move of a record.

/// What is said about a move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotation {
    /// A Numeric Annotation Glyph of PGN: `$2` for a mistake (?). KIF has no signs of this kind.
    pub glyph: Option<&'static str>,
    /// A comment of one line; empty for none.
    pub comment: String,
}
