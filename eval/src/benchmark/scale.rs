//! The fixed scale: Elo above the random player, by the ladder of a variant. Ratings on it can be compared between runs,
//! machines and days.

use super::{ANCHOR, ReferenceLadder, Rung};
use crate::identity::{NetworkSettings, PlayerId, PlayerRecord, PlayerSettings};
use crate::players::{PlayerConfig, PlayerSpec};
use crate::ratings::{Encounter, Estimate, RatingTable, rate};
use engine::Limit;
use rules::{Rules, Variant, VariantId};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// A player of the ladder that is no outside program.
#[derive(Clone, Debug, PartialEq)]
pub struct FixedPlayer {
    /// Its name on the ladder.
    pub name: String,
    /// How it plays.
    pub spec: PlayerSpec,
    /// The level that it is, if it is one.
    pub level: Option<u32>,
    /// Who it is in matches. Games against another player of the same name say nothing on this scale.
    pub id: PlayerId,
    /// Elo above the random player.
    pub elo: f64,
}

/// The fixed scale of a variant.
#[derive(Clone, Debug)]
pub struct FixedScale {
    ladder: ReferenceLadder,
    variant: VariantId,
    players: Vec<FixedPlayer>,
    earlier: Vec<FixedPlayer>,
}

/// Games rated together with those of the ladder; the random player is at 0.
#[derive(Clone, Debug)]
pub struct OnScale<'a> {
    /// All players, those of the ladder under their names there.
    pub ratings: RatingTable,
    /// The players of the ladder that took part in the games.
    met: Vec<&'a FixedPlayer>,
}

/// A player's place on the fixed scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalePlace {
    /// Elo above the random player.
    pub elo: f64,
    /// Half the 95 % interval of that difference. It adds up the errors of all matches between the two, those of the
    /// ladder included.
    pub error: f64,
    /// The nearest player of the ladder among those that took part in the matches.
    pub neighbour: String,
    /// Elo above that neighbour.
    pub above: f64,
    /// Half the 95 % interval of that difference.
    pub above_error: f64,
}

impl FixedScale {
    /// The scale of a variant; `None` if no ladder of it comes with the program.
    pub fn of(variant: VariantId) -> Option<&'static FixedScale> {
        static SCALES: OnceLock<Vec<FixedScale>> = OnceLock::new();
        // A test reads and rates every ladder.
        let all = SCALES.get_or_init(|| {
            let ladders = ReferenceLadder::own().unwrap_or_default();
            ladders.into_iter().filter_map(FixedScale::of_ladder).collect()
        });
        all.iter().find(|scale| scale.variant == variant)
    }

    /// The scale of this ladder; `None` if it has no games, or is of no variant of this program.
    pub fn of_ladder(ladder: ReferenceLadder) -> Option<FixedScale> {
        let variant = ladder.variant.parse().ok()?;
        let ratings = rate(&ladder.results(), Some(ANCHOR)).ok()?;
        let fixed = |rung: &Rung| {
            let elo = ratings.rows.iter().find(|row| row.player == rung.name)?.elo;
            let (id, name, spec) = (identity(&rung.player, &rung.version)?, rung.name.clone(), rung.player.clone());
            Some(FixedPlayer { name, spec, level: rung.level, id, elo })
        };
        let of = |rungs: &[Rung]| {
            let mut players: Vec<FixedPlayer> = rungs.iter().filter_map(fixed).collect();
            players.sort_by(|a, b| a.elo.total_cmp(&b.elo));
            players
        };
        let (players, earlier) = (of(&ladder.rungs), of(&ladder.earlier.rungs));
        Some(FixedScale { ladder, variant, players, earlier })
    }

    /// Its players that can play, weakest first.
    pub fn players(&self) -> &[FixedPlayer] {
        &self.players
    }

    /// The player of this id (the text of a [`PlayerId`]), if it is one of the ladder's, today's or an earlier one.
    pub fn player(&self, id: &str) -> Option<&FixedPlayer> {
        self.all().find(|player| player.id.as_str() == id)
    }

    fn all(&self) -> impl Iterator<Item = &FixedPlayer> {
        self.players.iter().chain(&self.earlier)
    }

    /// Whether games by this rule set (empty: the variant's default) can be compared with those of the ladder.
    pub fn has_rules(&self, ruleset: &str) -> bool {
        rules::dispatch!(self.variant, V => same_rules::<V>(&self.ladder.ruleset, ruleset))
    }

    /// These games and the ladder's together. In `encounters` the players of the ladder have their names on it, and no other
    /// player has one of these. `None` if the ratings do not converge.
    pub fn with(&self, encounters: Vec<Encounter>) -> Option<OnScale<'_>> {
        let took_part = |player: &&FixedPlayer| encounters.iter().any(|it| it.seen_by(&player.name).is_some());
        let met = self.all().filter(took_part).collect();
        let mut games = self.ladder.results();
        games.extend(encounters);
        Some(OnScale { ratings: rate(&games, Some(ANCHOR)).ok()?, met })
    }
}

impl OnScale<'_> {
    /// The place of a player; `None` where no chain of games connects it with the ladder.
    pub fn place(&self, player: &str) -> Option<ScalePlace> {
        let row = self.ratings.rows.iter().find(|row| row.player == player)?;
        let from = |other: &&FixedPlayer| Some((other.name.clone(), self.ratings.difference(player, &other.name)?));
        let distance = |(_, above): &(String, Estimate)| above.value.abs();
        let others = self.met.iter().filter(|other| other.name != player);
        let nearest = others.filter_map(from).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let (neighbour, above) = nearest?;
        Some(ScalePlace { elo: row.elo, error: row.error, neighbour, above: above.value, above_error: above.error })
    }
}

/// The id that a player of the ladder has in matches; `None` for an engine, whose program is not known here.
fn identity(spec: &PlayerSpec, version: &str) -> Option<PlayerId> {
    match spec {
        PlayerSpec::Random => Some(PlayerConfig::random().id(Limit::Own)),
        PlayerSpec::Greedy => Some(PlayerConfig::greedy().id(Limit::Own)),
        PlayerSpec::Mcts { playouts } => Some(PlayerConfig::mcts(*playouts).id(Limit::Own)),
        PlayerSpec::Builtin { visits, temperature } => {
            let search = super::levels::search(*visits, *temperature);
            let settings = PlayerSettings::Network(NetworkSettings { search, limit: None, evaluation: None });
            Some(PlayerId::of(&PlayerRecord { name: String::new(), identity: version.to_owned(), settings }))
        }
        PlayerSpec::Network { .. } | PlayerSpec::Level { .. } | PlayerSpec::Engine { .. } => None,
    }
}

fn same_rules<V: Variant>(one: &str, other: &str) -> bool {
    let named = |name: &str| if name.is_empty() { Ok(Rules::<V>::default()) } else { Rules::<V>::named(name) };
    matches!((named(one), named(other)), (Ok(one), Ok(other)) if one.name() == other.name())
}

impl ScalePlace {
    /// `45 ± 120 above level 4`.
    pub fn from_neighbour(&self) -> String {
        let side = if self.above < 0.0 { "below" } else { "above" };
        format!("{:.0} ± {:.0} {side} {}", self.above.abs(), self.above_error, self.neighbour)
    }
}

/// `1432 Elo, 45 ± 120 above level 4 (± 310 from random)`.
impl std::fmt::Display for ScalePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.0} Elo, {} (± {:.0} from random)", self.elo, self.from_neighbour(), self.error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ratings::Wdl;

    fn scale() -> &'static FixedScale {
        FixedScale::of("wangqi".parse().unwrap()).unwrap()
    }

    #[test]
    fn a_place_is_told_by_the_neighbour_and_by_the_random_player() {
        let games =
            |first: &str, second: &str, results| Encounter { first: first.into(), second: second.into(), results };
        let encounters = vec![
            games("net", "greedy", Wdl::new(12, 0, 8)),
            games("greedy", "net", Wdl::new(8, 0, 12)),
            games("other", "third", Wdl::new(5, 0, 5)),
        ];
        let on_scale = scale().with(encounters).unwrap();
        let place = on_scale.place("net").unwrap();
        let greedy = scale().players().iter().find(|player| player.name == "greedy").unwrap();
        assert_eq!(place.neighbour, "greedy");
        assert!((place.elo - greedy.elo - 70.0).abs() < 15.0 && (place.above - 70.0).abs() < 15.0, "{place:?}");
        assert!(place.above_error < 120.0 && place.error > 200.0, "{place:?}");
        assert!(
            place.to_string().contains(" above greedy (± ") && place.to_string().ends_with(" from random)"),
            "{place}"
        );
        assert_eq!(on_scale.place("other"), None, "no games connect it with the ladder");
    }

    #[test]
    fn other_rules_have_no_place_on_the_scale() {
        let shogi = FixedScale::of("shogi".parse().unwrap()).unwrap();
        assert!(shogi.has_rules("") && !shogi.has_rules("declare27") && !shogi.has_rules("none of them"));
    }

    #[test]
    fn players_of_the_scale_are_known_by_what_they_are() {
        for player in scale().all() {
            assert_eq!(scale().player(player.id.as_str()), Some(player));
        }
        assert!(scale().player(PlayerConfig::mcts(77).id(Limit::Own).as_str()).is_none());
        assert!(scale().players().is_sorted_by(|a, b| a.elo <= b.elo));
    }

    /// Ids in the records of a run of Janggi that met the network of 2026-11-26: with 64 visits, and as level 6.
    #[test]
    fn networks_that_came_with_earlier_programs_are_known() {
        let scale = FixedScale::of("janggi".parse().unwrap()).unwrap();
        for (id, name) in
            [("01e564ee6f28e20e", "network of Kirin, 64 visits (82b7eabb)"), ("a7134cfbd1e0b8b3", "level 6 (82b7eabb)")]
        {
            let player = scale.player(id).expect(name);
            assert!(player.name == name && scale.earlier.contains(player), "{player:?}");
            assert!(!scale.players().contains(player), "{name} cannot play");
        }
    }
}
