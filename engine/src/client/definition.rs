//! Definitions, in Fairy-Stockfish's own language, of variants that it does not know by itself.

use rules::VariantId;

/// Fairy-Stockfish's file of further variants: a section `[ID]` or `[ID:BASE]` for each of those that it can be taught.
const DEFINITIONS: &str = include_str!("fairy-stockfish.ini");

/// The file for Fairy-Stockfish's option `VariantPath` that defines the variant; `None` if Fairy-Stockfish needs no
/// definition of it or cannot play it.
///
/// ```
/// use rules::VariantId;
///
/// let defined = VariantId::ALL.iter().find_map(|&id| engine::client::variant_definition(id)).expect("there is one");
/// assert!(defined.lines().any(|line| line.starts_with("startFen = ")));
/// ```
pub fn variant_definition(variant: VariantId) -> Option<&'static str> {
    let is_its_section = |line: &str| {
        let title = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        title.is_some_and(|title| title.split(':').next() == Some(variant.id()))
    };
    DEFINITIONS.lines().any(is_its_section).then_some(DEFINITIONS)
}
