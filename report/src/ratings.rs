//! Ratings of the networks of a run, from the logs of all their matches together.

use eval::benchmark::{FixedScale, ScalePlace};
use eval::ratings::{Encounter, Estimate, RatingRow};
use eval::{Ladder, PlayerId};
use lab::events::{Event, Stage};
use lab::{Config, RunFolder};
use std::collections::BTreeMap;

/// The ratings of a run's networks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ratings {
    /// The networks that a chain of games connects with the anchor, by generation.
    pub networks: Vec<Rating>,
    /// All players of the matches; `None` without a finished game.
    pub ladder: Option<Ladder>,
    /// Whether there is a fixed scale for the run: false if no ladder of its variant comes with Kirin, or the ladder has
    /// other rules.
    pub has_scale: bool,
}

/// Strength of one network.
#[derive(Clone, Debug, PartialEq)]
pub struct Rating {
    /// Its generation.
    pub generation: u32,
    /// Its name among the players of the matches.
    pub name: String,
    /// Elo above the anchor: network 0 where it has played, else greedy, else the first network that has.
    pub elo: f64,
    /// Half the 95 % interval of the difference from the anchor; `None` for the anchor itself.
    pub error: Option<f64>,
    /// How far it is above the network before it; `None` for the first.
    pub gain: Option<Estimate>,
    /// Games it played.
    pub games: u64,
    /// Its mean score in them, 0–1.
    pub score: f64,
    /// Whether it won or lost all games against some opponent, so that the rating is a cautious estimate.
    pub cautious: bool,
    /// Its place on the fixed scale; `None` if there is no scale, or no chain of games connects it with the ladder's players.
    pub place: Option<ScalePlace>,
}

/// How the matches of a run call a network.
const PREFIX: &str = "gen-";

/// The fixed player whose rating is 0 where network 0 has not played: its strength does not depend on the run.
const GREEDY: &str = "greedy";

/// Rates the networks of a run from its match logs. A network is known by its digest, which `events` has for each that
/// was trained. Any other, such as the first, is known by its name in the run's own logs.
///
/// # Errors
/// A log is damaged.
pub fn read(folder: &RunFolder, events: &[Event]) -> Result<Ratings, eval::MatchError> {
    let logs = eval::log::read_folder(&folder.matches())?;
    if !logs.iter().any(|(_, _, games)| !games.is_empty()) {
        return Ok(Ratings::default());
    }
    let trained: BTreeMap<&str, u32> = events
        .iter()
        .filter_map(|event| match &event.stage {
            Stage::Train(train) => Some((train.network.as_str(), event.generation)),
            _ => None,
        })
        .collect();
    let mut networks: BTreeMap<PlayerId, u32> = BTreeMap::new();
    let mut games: BTreeMap<PlayerId, usize> = BTreeMap::new();
    for (_, header, played) in &logs {
        for player in &header.players {
            let known = trained.get(player.identity.as_str()).copied();
            if let Some(generation) = known.or_else(|| generation(&player.name)) {
                networks.insert(PlayerId::of(player), generation);
                *games.entry(PlayerId::of(player)).or_default() += played.len();
            }
        }
    }
    // Network 0 where it has played, else greedy, else the first network; if that played with several settings, the player with
    // the most games.
    let first = networks.iter().min_by_key(|&(id, generation)| (*generation, std::cmp::Reverse(games[id])));
    let players = logs.iter().filter(|(_, _, games)| !games.is_empty()).flat_map(|(_, header, _)| &header.players);
    let greedy = players.filter(|player| player.name == GREEDY).map(PlayerId::of).next();
    let anchor = match first {
        Some((id, 0)) => Some(id),
        _ => greedy.as_ref().or(first.map(|(id, _)| id)),
    };
    let ladder = eval::ladder(&folder.matches(), anchor.map(PlayerId::as_str))?;
    let mut rated: Vec<(u32, &RatingRow)> =
        networks.iter().filter_map(|(id, &generation)| Some((generation, ladder.row(id)?))).collect();
    rated.sort_by(|(a, x), (b, y)| a.cmp(b).then_with(|| y.games.cmp(&x.games)));
    let scale = Config::load(&folder.config(), &[]).ok().and_then(|config| lab::fixed_scale(&config));
    let names: Vec<String> = rated.iter().map(|(_, row)| row.player.clone()).collect();
    let places = scale.map_or_else(|| vec![None; names.len()], |scale| places(scale, &ladder, &names));
    let before = std::iter::once(None).chain(rated.iter().map(|&(_, row)| Some(row)));
    let networks = rated
        .iter()
        .zip(before)
        .zip(places)
        .map(|((&(generation, row), before), place)| Rating {
            generation,
            name: row.player.clone(),
            elo: row.elo,
            error: (row.player != ladder.ratings.anchor).then_some(row.error),
            gain: before.and_then(|before| ladder.ratings.difference(&row.player, &before.player)),
            games: row.games,
            score: row.score,
            cautious: row.prior,
            place,
        })
        .collect();
    Ok(Ratings { networks, ladder: Some(ladder), has_scale: scale.is_some() })
}

/// The places of these players on the fixed scale, by all matches of the run. A player of the ladder is known by what it
/// is, not by its name: another version of Kirin may have another network.
fn places(scale: &FixedScale, ladder: &Ladder, names: &[String]) -> Vec<Option<ScalePlace>> {
    let name = |name: &str| -> String {
        let player = ladder.players.iter().find(|player| player.name == name);
        match player.and_then(|player| scale.player(&player.id)) {
            Some(known) => known.name.clone(),
            None if names.iter().any(|network| network == name) => name.to_owned(),
            // Its name must not be that of a player of today.
            None => format!("{name} of this run"),
        }
    };
    let renamed = |it: &Encounter| Encounter { first: name(&it.first), second: name(&it.second), results: it.results };
    scale.places(ladder.encounters.iter().map(renamed).collect(), names)
}

/// The generation in a name like `gen-0012`.
fn generation(name: &str) -> Option<u32> {
    name.strip_prefix(PREFIX)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_generation() {
        assert_eq!(generation("gen-0012"), Some(12));
        assert_eq!(generation("random"), None);
    }

    #[test]
    fn a_folder_without_matches_has_no_ratings() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(&RunFolder::new(folder.path()), &[]).unwrap(), Ratings::default());
        std::fs::create_dir(folder.path().join("matches")).unwrap();
        assert_eq!(read(&RunFolder::new(folder.path()), &[]).unwrap(), Ratings::default());
    }
}
