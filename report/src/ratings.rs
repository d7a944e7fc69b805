//! Ratings of the networks of a run, from the logs of all their matches together.

use eval::benchmark::{FixedScale, ScalePlace};
use eval::ratings::{Encounter, Estimate, RatingTable};
use eval::{Ladder, LadderPlayer, PlayerId};
use lab::events::{Event, Stage};
use lab::{Config, RunFolder};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The ratings of a run's networks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ratings {
    /// The networks that a chain of games connects with the anchor, those of the ladder included, by generation.
    pub networks: Vec<Rating>,
    /// All players of the matches; `None` without a finished game.
    pub ladder: Option<Ladder>,
    /// Whether there is a fixed scale for the run: false if no ladder of its variant comes with Kirin, or the ladder has
    /// other rules.
    pub has_scale: bool,
    /// Whether the ladder's games count in these ratings, because those of the run do not connect all networks.
    pub with_ladder: bool,
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
    let first = networks.iter().min_by_key(|&(id, generation)| (*generation, Reverse(games[id])));
    let players = logs.iter().filter(|(_, _, games)| !games.is_empty()).flat_map(|(_, header, _)| &header.players);
    let greedy = players.filter(|player| player.name == GREEDY).map(PlayerId::of).next();
    let anchor = match first {
        Some((id, 0)) => Some(id),
        _ => greedy.as_ref().or(first.map(|(id, _)| id)),
    };
    let ladder = eval::ladder(&folder.matches(), anchor.map(PlayerId::as_str))?;
    let scale = Config::load(&folder.config(), &[]).ok().and_then(|config| lab::fixed_scale(&config));
    let (networks, with_ladder) = rated(&ladder, scale, &networks);
    Ok(Ratings { networks, ladder: Some(ladder), has_scale: scale.is_some(), with_ladder })
}

/// The ratings of these networks, whose generations are given, by the games of a run; and whether the games of the fixed
/// scale's players among each other were needed to connect them all.
fn rated(ladder: &Ladder, scale: Option<&FixedScale>, networks: &BTreeMap<PlayerId, u32>) -> (Vec<Rating>, bool) {
    let mut named: Vec<(u32, &str)> =
        ladder.players.iter().filter_map(|player| Some((*networks.get(&player.id)?, player.name.as_str()))).collect();
    let names = names_on(scale, &ladder.players, networks);
    let renamed = |it: &Encounter| Encounter {
        first: names[it.first.as_str()].clone(),
        second: names[it.second.as_str()].clone(),
        results: it.results,
    };
    let on_scale = scale.and_then(|scale| scale.with(ladder.encounters.iter().map(renamed).collect()));
    let row = |table: &RatingTable, name: &str| table.rows.iter().find(|row| row.player == name).cloned();
    let is_apart = named.iter().any(|(_, name)| row(&ladder.ratings, name).is_none());
    let together = on_scale.as_ref().filter(|_| is_apart).map(|on_scale| &on_scale.ratings);
    let table = together.unwrap_or(&ladder.ratings);
    let in_table = |name: &str| if together.is_some() { names[name].clone() } else { name.to_owned() };

    let anchor = &ladder.ratings.anchor;
    let mut before = None;
    named.sort_by_key(|&(generation, name)| (generation, Reverse(ladder.results_of(name).games())));
    let rating = |(generation, name): (u32, &str)| {
        let key = in_table(name);
        let (row, above) = (row(table, &key)?, table.difference(&key, &in_table(anchor))?);
        let gain = before.replace(key.clone()).and_then(|before| table.difference(&key, &before));
        let played = ladder.results_of(name);
        Some(Rating {
            generation,
            name: name.to_owned(),
            elo: above.value,
            error: (name != anchor).then_some(above.error),
            gain,
            games: played.games(),
            score: played.score().unwrap_or(0.5),
            cautious: row.prior,
            place: on_scale.as_ref().and_then(|on_scale| on_scale.place(&names[name])),
        })
    };
    (named.into_iter().filter_map(rating).collect(), together.is_some())
}

/// What the players of a run are called on the fixed scale. A player of the ladder is known by what it is, not by its name:
/// another version of Kirin may have another network, and a network of the run may come with Kirin today.
fn names_on<'a>(
    scale: Option<&FixedScale>,
    players: &'a [LadderPlayer],
    networks: &BTreeMap<PlayerId, u32>,
) -> BTreeMap<&'a str, String> {
    let name = |player: &LadderPlayer| match scale.and_then(|scale| scale.player(player.id.as_str())) {
        Some(known) => known.name.clone(),
        None if networks.contains_key(&player.id) => player.name.clone(),
        // Its name must not be that of a player of the ladder.
        None => format!("{} of this run", player.name),
    };
    players.iter().map(|player| (player.name.as_str(), name(player))).collect()
}

/// The generation in a name like `gen-0012`.
fn generation(name: &str) -> Option<u32> {
    name.strip_prefix(PREFIX)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Limit;
    use eval::PlayerConfig;
    use eval::ratings::{Wdl, rate};
    use rules::VariantId;

    fn player(name: &str, id: &PlayerId) -> LadderPlayer {
        LadderPlayer { id: id.clone(), identity: String::new(), name: name.into() }
    }

    fn games(first: &str, second: &str) -> Encounter {
        Encounter { first: first.into(), second: second.into(), results: Wdl::new(6, 2, 4) }
    }

    fn ladder(variant: VariantId, players: Vec<LadderPlayer>, encounters: Vec<Encounter>) -> Ladder {
        let ratings = rate(&encounters, Some("greedy")).expect("ratings");
        Ladder { variant: variant.to_string(), matches: encounters.len(), players, ratings, encounters }
    }

    /// Some player that is not on the ladder.
    fn unknown(number: u32) -> PlayerId {
        PlayerConfig::mcts(number).id(Limit::Own)
    }

    #[test]
    fn names_tell_the_generation() {
        assert_eq!(generation("gen-0012"), Some(12));
        assert_eq!(generation("random"), None);
    }

    /// The first network has met greedy alone, the second the bundled one alone.
    #[test]
    fn the_ladder_connects_networks_that_no_game_of_the_run_connects() {
        let scale = FixedScale::of(VariantId::Wangqi).expect("a ladder");
        let fixed = |name: &str| scale.players().iter().find(|player| player.name == name).expect("a player");
        let (greedy, bundled) = (fixed("greedy"), fixed("network of Kirin, 64 visits"));
        let [one, two] = [1, 2].map(unknown);
        let of = |connected: bool| {
            let mut encounters = vec![games("gen-0001", "greedy"), games("gen-0002", "builtin@64")];
            encounters.extend(connected.then(|| games("gen-0002", "gen-0001")));
            let players = vec![
                player("builtin@64", &bundled.id),
                player("gen-0001", &one),
                player("gen-0002", &two),
                player("greedy", &greedy.id),
            ];
            ladder(VariantId::Wangqi, players, encounters)
        };
        let networks = BTreeMap::from([(one.clone(), 1), (two.clone(), 2)]);

        let (alone, with_ladder) = rated(&of(false), None, &networks);
        assert_eq!((alone.len(), with_ladder), (1, false), "nothing connects the second");
        let (ratings, with_ladder) = rated(&of(false), Some(scale), &networks);
        let [first, second] = ratings.as_slice() else { panic!("{ratings:?}") };
        assert!(with_ladder && (first.generation, second.generation) == (1, 2));
        let expected = bundled.elo - greedy.elo;
        assert!((second.elo - first.elo - expected).abs() < 60.0, "{expected}: {ratings:?}");
        assert_eq!(second.gain.map(|gain| gain.value), Some(second.elo - first.elo));
        assert!(ratings.iter().all(|rating| rating.place.is_some() && rating.games == 12));

        let (ratings, with_ladder) = rated(&of(true), Some(scale), &networks);
        assert!(!with_ladder && ratings.len() == 2);
    }

    /// The second network has met only the network that came with Kirin on 2026-11-26, the third one comes with it today.
    #[test]
    fn a_run_that_met_an_earlier_network_of_kirin_keeps_its_places() {
        let scale = FixedScale::of(VariantId::Janggi).expect("a ladder");
        let earlier = scale.player("01e564ee6f28e20e").expect("the earlier network");
        let today =
            scale.players().iter().find(|player| player.name == "network of Kirin, 64 visits").expect("today's");
        let greedy = scale.players().iter().find(|player| player.name == "greedy").expect("greedy");
        let [one, two] = [1, 2].map(unknown);
        let players = vec![
            player("builtin@64", &earlier.id),
            player("gen-0001", &one),
            player("gen-0002", &two),
            player("gen-0003", &today.id),
            player("greedy", &greedy.id),
        ];
        let encounters =
            vec![games("gen-0001", "greedy"), games("gen-0002", "builtin@64"), games("gen-0003", "builtin@64")];
        let networks = BTreeMap::from([(one, 1), (two, 2), (today.id.clone(), 3)]);
        let (ratings, with_ladder) = rated(&ladder(VariantId::Janggi, players, encounters), Some(scale), &networks);
        assert!(with_ladder && ratings.len() == 3, "{ratings:?}");
        assert!(ratings.iter().all(|rating| rating.games == 12), "{ratings:?}");
        let places: Vec<&ScalePlace> = ratings.iter().filter_map(|rating| rating.place.as_ref()).collect();
        let neighbours: Vec<&str> = places.iter().map(|place| place.neighbour.as_str()).collect();
        assert_eq!(neighbours, ["greedy", &earlier.name, &earlier.name]);
        let errors = places.iter().zip([greedy.elo, earlier.elo, today.elo]).map(|(place, elo)| place.elo - elo);
        assert!(errors.into_iter().all(|error| error.abs() < 100.0), "{places:?}");
    }

    #[test]
    fn a_folder_without_matches_has_no_ratings() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(&RunFolder::new(folder.path()), &[]).unwrap(), Ratings::default());
        std::fs::create_dir(folder.path().join("matches")).unwrap();
        assert_eq!(read(&RunFolder::new(folder.path()), &[]).unwrap(), Ratings::default());
    }
}
