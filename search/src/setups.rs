//! Setups of variants that have them (Janggi), by name: which are allowed, and how they are drawn.

use rand::{Rng, RngExt};
use rules::{Position, Variant};
use settings::Complaints;

/// The start position with a setup drawn independently for each player, from those named, or from all if none is named.
/// The variant's own start if there is no choice; then no random number is drawn.
pub fn draw<V: Variant>(named: &[String], rng: &mut impl Rng) -> Position<V> {
    let listed = |name: &&str| named.is_empty() || named.iter().any(|wanted| wanted == name);
    let allowed: Vec<&str> = V::SETUPS.iter().map(|setup| setup.name).filter(listed).collect();
    if allowed.is_empty() {
        return Position::start();
    }
    let mut draw = || allowed[rng.random_range(0..allowed.len())];
    // The names are the variant's own.
    Position::start_with([draw(), draw()]).unwrap_or_else(|_| Position::start())
}

/// Complains, under this key of the configuration, about each name that is not a setup of the variant.
pub fn check<V: Variant>(key: &str, named: &[String], complaints: &mut Complaints) {
    let known: Vec<&str> = V::SETUPS.iter().map(|setup| setup.name).collect();
    for unknown in named.iter().filter(|name| !known.contains(&name.as_str())) {
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        complaints.say(key, format!("{} has no setup {unknown:?}; it has: {known}", V::ID));
    }
}
