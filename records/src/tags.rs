//! What a record states in addition to the moves.

/// Names, date, event and result of a game, each as the record writes it; `None` where it says nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tags {
    /// Tournament or match.
    pub event: Option<String>,
    /// Place or server.
    pub site: Option<String>,
    /// The day, perhaps with a time. [`crate::date::seconds`] reads most ways of writing it.
    pub date: Option<String>,
    /// Round.
    pub round: Option<String>,
    /// Name of the first player.
    pub first: Option<String>,
    /// Name of the second player.
    pub second: Option<String>,
    /// The result, in whatever words.
    pub result: Option<String>,
    /// Name of the opening.
    pub opening: Option<String>,
    /// Rating of the first player, on the scale of its server or federation.
    pub first_rating: Option<f32>,
    /// Rating of the second player.
    pub second_rating: Option<f32>,
    /// Moves at the beginning that no player chose, as Kirin writes them: random ones, or those of an opening that a
    /// match gave to its players. 0 where the record does not say.
    pub opening_plies: u32,
}

/// A value that says something: not empty, and not the question marks or the dash of PGN.
pub(crate) fn value(text: &str) -> Option<String> {
    let text = text.trim();
    let says_nothing = text.chars().all(|character| matches!(character, '?' | '.' | '-'));
    (!says_nothing).then(|| text.to_owned())
}

/// A rating: `2450`, `2450.5`, or one that is marked as provisional, `2450?`.
pub(crate) fn rating(text: &str) -> Option<f32> {
    let text = text.trim().trim_end_matches('?');
    let is_number = text.starts_with(|first: char| first.is_ascii_digit() || first == '-');
    text.parse::<f32>().ok().filter(|rating| is_number && rating.is_finite())
}

/// A value on one line, without control characters that a terminal would obey.
pub(crate) fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}
