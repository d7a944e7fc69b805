//! The place of a run's networks on the fixed scale ([`FixedScale`]): by their games and those of the ladder together.

use crate::config::Config;
use crate::events::Match;
use crate::opponent::Opponent;
use eval::PlayerSpec;
use eval::benchmark::{FixedPlayer, FixedScale, OnScale, ScalePlace};
use eval::ratings::{Encounter, RatingTable, Wdl};
use std::collections::BTreeSet;

/// The fixed scale of a run; `None` if no ladder of its variant comes with the program, or the ladder has other rules.
pub fn fixed_scale(config: &Config) -> Option<&'static FixedScale> {
    FixedScale::of(config.variant().ok()?).filter(|scale| scale.has_rules(&config.rules.preset))
}

/// The players of the scale that a run's networks may meet, weakest first. Tree search with playouts takes too long for
/// them.
pub(crate) fn opponents(scale: &'static FixedScale) -> impl Iterator<Item = (Opponent, &'static FixedPlayer)> {
    scale.players().iter().filter_map(|player| Some((opponent(player)?, player)))
}

fn opponent(player: &FixedPlayer) -> Option<Opponent> {
    match player.spec {
        PlayerSpec::Random => Some(Opponent::Random),
        PlayerSpec::Greedy => Some(Opponent::Greedy),
        PlayerSpec::Builtin { visits, temperature: None } => Some(Opponent::Builtin(visits)),
        PlayerSpec::Builtin { .. } => player.level.map(Opponent::Level),
        _ => None,
    }
}

/// The place of each network that has played, by these matches.
pub(crate) fn places(scale: &FixedScale, matches: &[&Match]) -> Vec<(u32, ScalePlace)> {
    let Some(on_scale) = together(scale, matches) else { return Vec::new() };
    let in_matches = matches.iter().flat_map(|played| [Some(played.network), played.opponent.network()]);
    let networks: BTreeSet<u32> = in_matches.flatten().collect();
    let place = |network| Some((network, on_scale.place(&Opponent::Network(network).to_string())?));
    networks.into_iter().filter_map(place).collect()
}

/// The ratings of all players of these matches and of the ladder.
pub(crate) fn table(scale: &FixedScale, matches: &[&Match]) -> Option<RatingTable> {
    Some(together(scale, matches)?.ratings)
}

/// What a player of a run's matches is called in [`table`].
pub(crate) fn name(scale: &'static FixedScale, player: Opponent) -> String {
    let known = opponents(scale).find(|(opponent, _)| *opponent == player);
    known.map_or_else(|| player.to_string(), |(_, player)| player.name.clone())
}

fn together<'a>(scale: &'a FixedScale, matches: &[&Match]) -> Option<OnScale<'a>> {
    // A match that was extended is on record again, with all of its games.
    let is_last = |at: usize| {
        let same = |other: &&Match| (other.network, other.opponent) == (matches[at].network, matches[at].opponent);
        !matches[at + 1..].iter().any(same)
    };
    let played = (0..matches.len()).filter(|&at| is_last(at)).map(|at| matches[at]);
    scale.with(played.flat_map(|played| encounters(scale, played)).collect())
}

/// The games of a match. Each player moves first in half of them, and the record does not separate their results.
fn encounters(scale: &FixedScale, played: &Match) -> Vec<Encounter> {
    let network = Opponent::Network(played.network).to_string();
    let opponent = match known(scale, played) {
        Some(player) => player.name.clone(),
        None if played.opponent.network().is_some() => played.opponent.to_string(),
        // Its name must not be that of a player of the ladder.
        None => format!("{} of another version", played.opponent),
    };
    let [wins, draws, losses] = [played.wins, played.draws, played.losses];
    let begun = Wdl::new(wins.div_ceil(2), draws.div_ceil(2), losses.div_ceil(2));
    let answered = Wdl::new(losses / 2, draws / 2, wins / 2);
    let both = [
        Encounter { first: network.clone(), second: opponent.clone(), results: begun },
        Encounter { first: opponent, second: network, results: answered },
    ];
    both.into_iter().filter(|encounter| encounter.results.games() > 0).collect()
}

/// The opponent of a match as a player of the scale. Records of earlier programs do not say which network came with them.
fn known<'a>(scale: &'a FixedScale, played: &Match) -> Option<&'a FixedPlayer> {
    match played.opponent {
        by_rules @ (Opponent::Random | Opponent::Greedy) => {
            scale.players().iter().find(|player| opponent(player) == Some(by_rules))
        }
        _ => scale.player(&played.opponent_id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::VariantId;

    fn scale() -> &'static FixedScale {
        FixedScale::of(VariantId::Wangqi).expect("a scale")
    }

    fn played(network: u32, opponent: Opponent, results: [u64; 3], opponent_id: &str) -> Match {
        let [wins, draws, losses] = results;
        let pairs = (wins + draws + losses) / 2;
        Match { network, opponent, pairs, wins, draws, losses, opponent_id: opponent_id.to_owned(), ..Match::default() }
    }

    #[test]
    fn networks_have_places_by_their_games_against_players_of_the_ladder() {
        let (best, player) = opponents(scale()).last().expect("the bundled network");
        let level = played(2, best, [10, 0, 10], player.id.as_str());
        let all =
            [played(1, Opponent::Greedy, [10, 0, 10], ""), played(2, Opponent::Network(1), [18, 0, 2], ""), level];
        let places = places(scale(), &all.each_ref());
        let elo = |network: u32| places.iter().find(|(other, _)| *other == network).map(|(_, place)| place.elo);
        let greedy = opponents(scale()).find(|(opponent, _)| *opponent == Opponent::Greedy).expect("greedy").1.elo;
        // The three matches contradict one another somewhat, so network 1 is not quite at greedy.
        assert!(elo(1) > Some(greedy - 1.0) && elo(2) < Some(player.elo + 1.0) && elo(1) < elo(2), "{places:?}");

        // A bundled network of another version, or of a program that did not say which, is nowhere on the scale.
        for id in ["", "0123456789abcdef"] {
            let other = played(2, best, [10, 0, 10], id);
            let rated = super::places(scale(), &[&other]);
            assert!(rated.is_empty(), "{id}: {rated:?}");
        }
    }

    #[test]
    fn a_match_that_was_extended_counts_once() {
        let short = played(1, Opponent::Greedy, [6, 0, 4], "");
        let long = played(1, Opponent::Greedy, [10, 0, 10], "");
        assert_eq!(places(scale(), &[&short, &long]), places(scale(), &[&long]));
    }

    #[test]
    fn a_run_by_other_rules_has_no_scale() {
        let mut config = Config::default();
        config.run.variant = "shogi".to_owned();
        assert!(fixed_scale(&config).is_some());
        config.rules.preset = "declare27".to_owned();
        assert!(fixed_scale(&config).is_none());
    }
}
