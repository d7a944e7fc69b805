//! Suggestions for an unknown word.

/// Least similarity (Jaro-Winkler, 0 to 1) at which one word is suggested for another.
const ALIKE: f64 = 0.7;

/// The candidate most similar to `word`, if one is similar enough.
///
/// ```
/// let keys = ["visits", "algorithm"];
/// assert_eq!(settings::nearest("visit", keys), Some("visits"));
/// assert_eq!(settings::nearest("zzz", keys), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
