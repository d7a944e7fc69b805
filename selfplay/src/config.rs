//! Settings of the self-play generator. Every field states meaning, unit, range and the source of its default; `check`
//! reports all errors together.

use search::{Algorithm, Reuse, SearchConfig};
use serde::{Deserialize, Serialize};
use settings::Complaints;

/// Weight of the rows of a game that the limit has drawn, at the start of the run; other rows have 1. Such a result says
/// little about the positions before it, and early networks know no better. This value and the next two are our own; others
/// were not measured.
const LIMIT_WEIGHT: f32 = 0.2;

/// Weight of these rows from [`LIMIT_WEIGHT_UNTIL`] on; before that it grows evenly.
const LIMIT_WEIGHT_END: f32 = 0.5;

/// Part of the run at which [`LIMIT_WEIGHT_END`] is reached.
const LIMIT_WEIGHT_UNTIL: f32 = 0.4;

/// Plies in which the difference between the two temperatures halves (KataGo: the side of its board, 19).
const TEMPERATURE_HALFLIFE: f32 = 20.0;

/// Fewest plies before the end of the earlier game from which a game near an ending begins. The value is our own; others
/// were not measured.
pub const ENDING_PLIES_MIN: u32 = 4;

/// Settings of self-play. Its searches have a [`SearchConfig`] of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SelfplayConfig {
    /// Games in flight over all threads, 1 to 65,536. 64 to 128 a core keep the batches full, and the first results
    /// come early (measured on 2 cores). Games depend on this number, but not on the number of threads.
    pub slots: u32,
    /// Searched plies that each slot plays in a generation, 1 to 1,000,000. A generation has slots × this positions.
    pub plies_per_generation: u32,
    /// Ply limit of a game, 0 to 10,000; 0 keeps the limit of the rule set. Early networks make games long (in
    /// AobaZero half of them passed 512 plies), so the files in `configs/` have lower limits. In a run it is the limit of
    /// matches too, unless they have their own.
    pub max_plies: u32,
    /// Plies in a row without a capture or another irreversible event after which a game is cut off as at the ply limit,
    /// 0 to 10,000; 0 keeps the rule set's own ends. Matches do not have this limit.
    pub max_quiet_plies: u32,
    /// Random-play games before any network, 0 to 1,000,000; 0 is none. If a run begins with an untrained network, they
    /// are its first generation: both players move at random and take a win in one. Such games are decided, so the
    /// first network that plays knows how games end. Those that reach the ply limit without a winner are not kept.
    /// `max_plies` is their limit too, unless games begin from sparse boards (`sparse_share`).
    pub rules_games: u32,
    /// Positions of each random-play game that are trained on, 1 to 1,000. They are closer together towards the end,
    /// because the result of a random game says little about its beginning. The default is our own.
    pub rules_rows: u32,
    /// Plies from the start of the game in which the move is drawn from the policy that the search found, 0 to 10,000.
    /// After them the best move is played. The default is our own.
    pub sample_plies: u32,
    /// Temperature of those draws at ply 0, 0.05 to 10: the inverse of the exponent of a share. 1 suits Gumbel;
    /// KataGo has 0.75 with PUCT.
    pub temperature: f32,
    /// Temperature that later draws approach, 0.05 to 10 (KataGo 0.15). The difference halves every 20 plies.
    pub temperature_end: f32,
    /// Share of games that begin with random moves, 0 to 1. The default is our own.
    pub opening_share: f32,
    /// Most random moves at the start of such a game, 0 to 100; the number is drawn evenly from 0. The default is our
    /// own.
    pub opening_plies: u32,
    /// Random moves at the start of the first game of the last slot, 0 to 1,000; earlier slots have proportionally
    /// fewer. Without them the first results of all slots would come late and at the same time. If not set, half of
    /// `max_plies` where that is not greater than the default.
    pub stagger_plies: u32,
    /// Share of games that begin shortly before the end of a decided game of the generation before, 0 to 1. The network
    /// learns how games are won before it can reach such positions itself. Such a game contains the moves of the
    /// earlier game up to that point, so plies and repetitions count on, and none of the following moves is drawn at
    /// random. The share falls evenly to 0 at `ending_until`. The default is our own.
    pub ending_share: f32,
    /// Part of the run after which no game begins near an ending, 0 to 1.
    pub ending_until: f32,
    /// Most plies before the end of the earlier game, 4 to 1,000. The number is drawn evenly from 4 on.
    pub ending_plies_max: u32,
    /// Share of the other games that begin from a sparse board, 0 to 1: from the position of a new random-play game at 30
    /// to 95 % of its length, which the rule set alone limits. Games of hundreds of plies end sooner from there. The ply
    /// limit counts from that position. The default is our own.
    pub sparse_share: f32,
    /// Setups from which each player draws one, in variants that have them (Janggi: `inner`, `outer`, `left`,
    /// `right`, `fifth`). All have equal chances. Empty: all that the variant has.
    pub setups: Vec<String>,
    /// Megabytes in which each thread keeps evaluations for positions that recur in the same or another game, 0 to
    /// 65,536; 0 keeps none. Games do not depend on it.
    pub cache_mb: u32,
    /// Share of moves that are searched with `fast_visits` instead of `search.visits`, 0 to 1: playout cap
    /// randomisation (KataGo 0.75, with searches of hundreds of visits).
    pub fast_share: f32,
    /// Visits of fast searches, 1 to 10,000,000, but fewer than a full search has when the run begins
    /// (`search.double_visits_at`). Their policy is no target.
    pub fast_visits: u32,
    /// How fast searches choose moves. `puct` has no noise in them, and is better than `gumbel` where the best move varies
    /// too much (alphazero-pybind11). `gumbel` has its noise, as in full searches: players of long games then do not
    /// repeat positions.
    pub fast_algorithm: Algorithm,
    /// The highest winning chance at which a player resigns, 0 to 0.5; 0 is never. The winning chance is that of the
    /// search, wins and half of the draws. In AobaZero 0.1 was wrong in 1.2 % of the games and saved 26 % of the
    /// plies. The threshold itself is chosen before each generation: see `resign_false_rate`.
    pub resign_below: f32,
    /// Share of resignations that may be wrong, 0 to 1. The threshold is the highest that would have met this limit in
    /// the latest games that were played through. With too few such games, there is no resigning. The default is our
    /// own.
    pub resign_false_rate: f32,
    /// Part of the run before which no player resigns, 0 to 1. The default is our own.
    pub resign_from: f32,
    /// Consecutive searches of a player that must agree before it resigns, 1 to 100 (KataGo 3).
    pub resign_after: u32,
    /// Share of games in which no player resigns, 0 to 1. They show how often resigning would have been wrong. The
    /// default is our own.
    pub resign_playthrough: f32,
}

impl Default for SelfplayConfig {
    fn default() -> Self {
        SelfplayConfig {
            slots: 128,
            plies_per_generation: 40,
            max_plies: 0,
            max_quiet_plies: 0,
            rules_games: 0,
            rules_rows: 8,
            sample_plies: 20,
            temperature: 1.0,
            temperature_end: 1.0,
            opening_share: 0.3,
            opening_plies: 4,
            stagger_plies: 80,
            ending_share: 0.25,
            ending_until: 0.6,
            ending_plies_max: 40,
            sparse_share: 0.0,
            setups: Vec::new(),
            cache_mb: 32,
            fast_share: 0.0,
            fast_visits: 12,
            fast_algorithm: Algorithm::Puct,
            resign_below: 0.0,
            resign_false_rate: 0.03,
            resign_from: 0.4,
            resign_after: 3,
            resign_playthrough: 0.15,
        }
    }
}

impl SelfplayConfig {
    /// Temperature at a ply of a game; `None` where the best move is played.
    pub fn temperature_at(&self, ply: u32) -> Option<f32> {
        let fall = (-(ply as f32) / TEMPERATURE_HALFLIFE).exp2();
        (ply < self.sample_plies).then_some(self.temperature_end + (self.temperature - self.temperature_end) * fall)
    }

    /// Weight of the rows of a game that the limit has drawn, when `progress` of the run (0 to 1) is done.
    pub fn limit_weight_at(progress: f32) -> f32 {
        if progress >= LIMIT_WEIGHT_UNTIL {
            return LIMIT_WEIGHT_END;
        }
        LIMIT_WEIGHT + (LIMIT_WEIGHT_END - LIMIT_WEIGHT) * progress / LIMIT_WEIGHT_UNTIL
    }

    /// Share of games begun from an ending, when `progress` of the run (0 to 1) is done.
    pub fn ending_share_at(&self, progress: f32) -> f32 {
        if progress < self.ending_until { self.ending_share * (1.0 - progress / self.ending_until) } else { 0.0 }
    }

    /// Reports each value that is out of range or contradicts another, those of `search` included.
    pub fn check(&self, search: &SearchConfig, c: &mut Complaints) {
        c.within("slots", self.slots, 1, 65_536);
        c.within("plies_per_generation", self.plies_per_generation, 1, 1_000_000);
        c.within("max_plies", self.max_plies, 0, 10_000);
        c.within("max_quiet_plies", self.max_quiet_plies, 0, 10_000);
        c.within("rules_games", self.rules_games, 0, 1_000_000);
        c.within("rules_rows", self.rules_rows, 1, 1_000);
        c.within("sample_plies", self.sample_plies, 0, 10_000);
        c.within("temperature", self.temperature, 0.05, 10.0);
        c.within("temperature_end", self.temperature_end, 0.05, 10.0);
        c.within("opening_share", self.opening_share, 0.0, 1.0);
        c.within("opening_plies", self.opening_plies, 0, 100);
        c.within("stagger_plies", self.stagger_plies, 0, 1_000);
        c.within("ending_share", self.ending_share, 0.0, 1.0);
        c.within("ending_until", self.ending_until, 0.0, 1.0);
        c.within("ending_plies_max", self.ending_plies_max, ENDING_PLIES_MIN, 1_000);
        c.within("sparse_share", self.sparse_share, 0.0, 1.0);
        c.within("cache_mb", self.cache_mb, 0, 65_536);
        c.within("fast_share", self.fast_share, 0.0, 1.0);
        c.within("fast_visits", self.fast_visits, 1, 10_000_000);
        c.within("resign_below", self.resign_below, 0.0, 0.5);
        c.within("resign_false_rate", self.resign_false_rate, 0.0, 1.0);
        c.within("resign_from", self.resign_from, 0.0, 1.0);
        c.within("resign_after", self.resign_after, 1, 100);
        c.within("resign_playthrough", self.resign_playthrough, 0.0, 1.0);
        // Never fewer than at the beginning of the run.
        let full = search.visits_at(0.0);
        if self.fast_share > 0.0 && self.fast_visits >= full {
            c.say("fast_visits", format!("{} is not fewer than the {full} of a full search", self.fast_visits));
        }
        let starts_uneven = self.fast_algorithm == Algorithm::Gumbel && search.reuse == Reuse::Subtree;
        if self.fast_share > 0.0 && starts_uneven {
            c.say(
                "fast_algorithm",
                "gumbel counts on root moves starting even, and search.reuse is subtree; use puct here",
            );
        }
        if self.resign_below > 0.0 && self.resign_playthrough == 0.0 {
            c.say("resign_playthrough", "0; without games played through, wrong resignations cannot be counted");
        }
        if self.max_plies > 0 && self.stagger_plies >= self.max_plies {
            c.say(
                "stagger_plies",
                format!("{} random moves reach the limit of {}", self.stagger_plies, self.max_plies),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use settings::Complaints;

    fn complaints(search: &SearchConfig, selfplay: &SelfplayConfig) -> Vec<String> {
        let mut complaints = Complaints::default();
        complaints.section("search", |complaints| search.check(complaints));
        complaints.section("selfplay", |complaints| selfplay.check(search, complaints));
        complaints.list().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_defaults_give_no_cause_for_complaint() {
        let search = SearchConfig::default();
        assert_eq!(complaints(&search, &SelfplayConfig::default()), [""; 0]);
        assert_eq!(complaints(&search.for_matches(), &SelfplayConfig::default()), [""; 0]);
        let puct = SearchConfig { algorithm: Algorithm::Puct, ..search };
        assert_eq!(complaints(&puct.for_matches(), &SelfplayConfig::default()), [""; 0]);
    }

    #[test]
    fn everything_wrong_is_said_at_once() {
        let search = SearchConfig { visits: 0, cpuct: f32::NAN, reuse: Reuse::Subtree, ..SearchConfig::default() };
        let selfplay = SelfplayConfig {
            slots: 0,
            fast_share: 0.5,
            fast_visits: 40,
            max_plies: 50,
            stagger_plies: 60,
            ..SelfplayConfig::default()
        };
        assert_eq!(
            complaints(&search, &selfplay),
            [
                "search.visits: 0 is out of range; 1 to 10000000",
                "search.cpuct: NaN is out of range; 0 to 100",
                "search.reuse: subtree goes with puct; gumbel counts on root moves starting even, use proofs",
                "selfplay.slots: 0 is out of range; 1 to 65536",
                "selfplay.fast_visits: 40 is not fewer than the 0 of a full search",
                "selfplay.stagger_plies: 60 random moves reach the limit of 50",
            ]
        );
    }

    #[test]
    fn visits_double_where_they_should() {
        let search = SearchConfig { visits: 64, double_visits_at: vec![0.25, 0.7], ..SearchConfig::default() };
        let visits = [0.0, 0.2499, 0.25, 0.6, 0.7, 1.0].map(|progress| search.visits_at(progress));
        assert_eq!(visits, [16, 16, 32, 32, 64, 64]);
        assert_eq!(SearchConfig::default().visits_at(0.0), 32);
        assert_eq!(search.for_matches().visits_at(0.0), 64);
        let selfplay = SelfplayConfig { fast_share: 0.5, fast_visits: 16, ..SelfplayConfig::default() };
        assert_eq!(
            complaints(&search, &selfplay),
            ["selfplay.fast_visits: 16 is not fewer than the 16 of a full search"]
        );
        let wrong = SearchConfig { double_visits_at: vec![0.7, 0.25], ..search.clone() };
        let told = complaints(&wrong, &SelfplayConfig::default());
        assert_eq!(told, ["search.double_visits_at: [0.7, 0.25] are not ascending parts of the run, 0 to 1"]);
        let kept = SearchConfig { algorithm: Algorithm::Puct, reuse: Reuse::Subtree, ..SearchConfig::default() };
        let fast = SelfplayConfig { fast_share: 0.5, fast_visits: 8, ..SelfplayConfig::default() };
        assert_eq!(complaints(&kept, &fast), [""; 0]);
        let told = complaints(&kept, &SelfplayConfig { fast_algorithm: Algorithm::Gumbel, ..fast });
        assert_eq!(
            told,
            [
                "selfplay.fast_algorithm: gumbel counts on root moves starting even, and search.reuse is subtree; use puct here"
            ]
        );
        let wrong = SearchConfig { visits: 3, ..search };
        let told = complaints(&wrong, &SelfplayConfig::default());
        assert_eq!(told, ["search.double_visits_at: 3 visits cannot be halved 2 times"]);
    }

    #[test]
    fn the_weight_of_games_drawn_by_the_limit_grows() {
        for (progress, weight) in [(0.0, 0.2), (0.2, 0.35), (0.4, 0.5), (1.0, 0.5)] {
            assert!((SelfplayConfig::limit_weight_at(progress) - weight).abs() < 1e-6, "{progress}");
        }
    }

    #[test]
    fn the_temperature_falls_and_then_the_best_is_played() {
        let config =
            SelfplayConfig { temperature: 0.75, temperature_end: 0.15, sample_plies: 30, ..SelfplayConfig::default() };
        assert_eq!(config.temperature_at(0), Some(0.75));
        assert!((config.temperature_at(20).expect("still drawn") - 0.45).abs() < 1e-6);
        assert_eq!(config.temperature_at(30), None);
    }
}
