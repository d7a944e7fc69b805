//! The fixed scale: Elo above the random player, by the ladder of a variant. Ratings on it can be compared between runs,
//! machines and days.

use super::{ANCHOR, ReferenceLadder};
use crate::identity::{NetworkSettings, PlayerId, PlayerRecord, PlayerSettings};
use crate::players::{PlayerConfig, PlayerSpec};
use crate::ratings::{Encounter, Estimate, RatingTable, rate};
use engine::Limit;
use rules::{Rules, Variant, VariantId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// A player of the ladder that needs no outside program.
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
        let ratings = ladder.ratings().ok()?;
        let mut players: Vec<FixedPlayer> = Vec::new();
        for rung in &ladder.rungs {
            let row = ratings.rows.iter().find(|row| row.player == rung.name);
            if let (Some(row), Some(id)) = (row, identity(&rung.player, &rung.version)) {
                let (name, spec) = (rung.name.clone(), rung.player.clone());
                players.push(FixedPlayer { name, spec, level: rung.level, id, elo: row.elo });
            }
        }
        players.sort_by(|a, b| a.elo.total_cmp(&b.elo));
        Some(FixedScale { ladder, variant, players })
    }

    /// Its players, weakest first.
    pub fn players(&self) -> &[FixedPlayer] {
        &self.players
    }

    /// The player of this identity, if it is one of the ladder's.
    pub fn player(&self, id: &PlayerId) -> Option<&FixedPlayer> {
        self.players.iter().find(|player| player.id == *id)
    }

    /// Whether games by this rule set (empty: the variant's default) can be compared with those of the ladder.
    pub fn has_rules(&self, ruleset: &str) -> bool {
        rules::dispatch!(self.variant, V => same_rules::<V>(&self.ladder.ruleset, ruleset))
    }

    /// The ladder and further games, rated together; the random player is at 0. In `encounters` the players of the ladder
    /// have their names on it, and no other player has one of these. `None` if the ratings do not converge.
    pub fn with(&self, encounters: Vec<Encounter>) -> Option<RatingTable> {
        let mut all = self.ladder.results();
        all.extend(encounters);
        rate(&all, Some(ANCHOR)).ok()
    }

    /// The place of each of these players by such games; `None` where no chain of games connects it with the ladder.
    pub fn places(&self, encounters: Vec<Encounter>, players: &[String]) -> Vec<Option<ScalePlace>> {
        let mentioned: BTreeSet<String> =
            encounters.iter().flat_map(|it| [it.first.clone(), it.second.clone()]).collect();
        let met: Vec<&FixedPlayer> = self.players.iter().filter(|player| mentioned.contains(&player.name)).collect();
        let Some(table) = self.with(encounters) else { return vec![None; players.len()] };
        players.iter().map(|player| place(&table, player, &met)).collect()
    }
}

fn place(table: &RatingTable, player: &str, met: &[&FixedPlayer]) -> Option<ScalePlace> {
    let row = table.rows.iter().find(|row| row.player == player)?;
    let from = |other: &FixedPlayer| Some((other.name.clone(), table.difference(player, &other.name)?));
    let distance = |(_, above): &(String, Estimate)| above.value.abs();
    let nearest = met.iter().filter_map(|other| from(other)).min_by(|a, b| distance(a).total_cmp(&distance(b)));
    let (neighbour, above) = nearest?;
    Some(ScalePlace { elo: row.elo, error: row.error, neighbour, above: above.value, above_error: above.error })
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
        let players = ["net", "other"].map(str::to_owned);
        let places = scale().places(encounters, &players);
        let place = places[0].as_ref().unwrap();
        let greedy = scale().players().iter().find(|player| player.name == "greedy").unwrap();
        assert_eq!(place.neighbour, "greedy");
        assert!((place.elo - greedy.elo - 70.0).abs() < 15.0 && (place.above - 70.0).abs() < 15.0, "{place:?}");
        assert!(place.above_error < 120.0 && place.error > 200.0, "{place:?}");
        assert!(
            place.to_string().contains(" above greedy (± ") && place.to_string().ends_with(" from random)"),
            "{place}"
        );
        assert_eq!(places[1], None, "no games connect it with the ladder");
    }

    #[test]
    fn other_rules_have_no_place_on_the_scale() {
        let shogi = FixedScale::of("shogi".parse().unwrap()).unwrap();
        assert!(shogi.has_rules("") && !shogi.has_rules("declare27") && !shogi.has_rules("none of them"));
    }

    #[test]
    fn players_of_the_scale_are_known_by_what_they_are() {
        for player in scale().players() {
            assert_eq!(scale().player(&player.id), Some(player));
        }
        assert!(scale().player(&PlayerConfig::mcts(77).id(Limit::Own)).is_none());
        assert!(scale().players().is_sorted_by(|a, b| a.elo <= b.elo));
    }
}
