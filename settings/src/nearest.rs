//! What may have been meant by a word that is not known.

/// Least likeness (Jaro-Winkler, 0 to 1) at which one word is offered for another.
const ALIKE: f64 = 0.7;

/// The candidate that is most like `word`, if one is like it at all.
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
