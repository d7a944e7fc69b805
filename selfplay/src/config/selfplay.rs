//! Settings of the self-play generator.

use super::{Algorithm, Complaints, SearchConfig};
use serde::{Deserialize, Serialize};

/// Settings of self-play. Those of its searches are a [`SearchConfig`] beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelfplayConfig {
    /// Games in flight, over all threads, 1 to 65,536 (RECIPE: 64–128 a core). The games do not depend on the
    /// number of threads, but they do on this.
    pub slots: u32,
    /// Searched plies each slot plays in a generation, 1 to 1,000,000. Positions of a generation = slots × this.
    pub plies_per_generation: u32,
    /// Limit of plies of a game, 0 to 10,000; 0 leaves the rule set's own (RECIPE: 160 wangqi, 200 janggi and
    /// xiangqi, 256 shogi while learning).
    pub max_plies: u32,
    /// Weight of the rows of a game drawn by that limit, 0 to 1, beside 1 for others: the result says little
    /// about its positions (RECIPE 0.2).
    pub limit_weight: f32,
    /// Plies from the start of the game in which the move is drawn from the policy found, 0 to 10,000 (RECIPE:
    /// 12 wangqi, 20 others). After them the best is played.
    pub sample_plies: u32,
    /// Temperature of those draws at ply 0, 0.05 to 10: the exponent of a share is its inverse (Gumbel 1; for
    /// PUCT KataGo 0.75).
    pub temperature: f32,
    /// Temperature that is approached late, 0.05 to 10 (KataGo 0.15).
    pub temperature_end: f32,
    /// Plies in which the difference between both halves, 1 to 10,000 (KataGo: the board's side).
    pub temperature_halflife: f32,
    /// Share of games begun with random moves, 0 to 1 (RECIPE 0.3).
    pub opening_share: f32,
    /// Most random moves at the start of such a game, 0 to 100; the number is drawn evenly from 0 (RECIPE 4).
    pub opening_plies: u32,
    /// Random moves at the start of the first game of the last slot, 0 to 1,000; earlier slots have
    /// proportionally fewer. Without it the first results of all slots come late and together.
    pub stagger_plies: u32,
    /// Share of moves searched with `fast_visits` instead of `search.visits`, 0 to 1 (playout cap randomisation;
    /// KataGo 0.75, RECIPE: off up to 32 visits).
    pub fast_share: f32,
    /// Simulations of those, 1 to 10,000,000 and fewer than `search.visits`. Their policy is no target.
    pub fast_visits: u32,
    /// How those choose moves: `puct` (noiseless); `gumbel` was found too noisy for it (RECIPE).
    pub fast_algorithm: Algorithm,
    /// A player whose winning chance (wins + half the draws) by the search is below this resigns, 0 to 0.5;
    /// 0 is never (AobaZero: 0.1 is wrong in 1.2 % of games and saves 26 % of plies).
    pub resign_below: f32,
    /// Searches of the player in a row that must agree before, 1 to 100 (KataGo 3).
    pub resign_after: u32,
    /// Share of games in which nobody resigns, to check how often resigning would have been wrong, 0 to 1
    /// (RECIPE 0.15).
    pub resign_playthrough: f32,
    /// Whether games say when they began and how long they took. Without it equal seeds give equal files.
    pub timestamps: bool,
}

impl Default for SelfplayConfig {
    fn default() -> Self {
        SelfplayConfig {
            slots: 128,
            plies_per_generation: 40,
            max_plies: 0,
            limit_weight: 0.2,
            sample_plies: 20,
            temperature: 1.0,
            temperature_end: 1.0,
            temperature_halflife: 20.0,
            opening_share: 0.3,
            opening_plies: 4,
            stagger_plies: 80,
            fast_share: 0.0,
            fast_visits: 12,
            fast_algorithm: Algorithm::Puct,
            resign_below: 0.0,
            resign_after: 3,
            resign_playthrough: 0.15,
            timestamps: false,
        }
    }
}

impl SelfplayConfig {
    /// Temperature at a ply of a game; `None` where the best move is played.
    pub fn temperature_at(&self, ply: u32) -> Option<f32> {
        let fall = (-(ply as f32) / self.temperature_halflife).exp2();
        (ply < self.sample_plies).then_some(self.temperature_end + (self.temperature - self.temperature_end) * fall)
    }

    /// Appends one message for each value out of range or in contradiction with another, those of `search`
    /// included; `at` is the place of this section in the configuration file.
    pub fn complaints(&self, at: &str, search: &SearchConfig, out: &mut Vec<String>) {
        let mut c = Complaints { at, out };
        c.within("slots", self.slots, 1, 65_536);
        c.within("plies_per_generation", self.plies_per_generation, 1, 1_000_000);
        c.within("max_plies", self.max_plies, 0, 10_000);
        c.within("limit_weight", self.limit_weight, 0.0, 1.0);
        c.within("sample_plies", self.sample_plies, 0, 10_000);
        c.within("temperature", self.temperature, 0.05, 10.0);
        c.within("temperature_end", self.temperature_end, 0.05, 10.0);
        c.within("temperature_halflife", self.temperature_halflife, 1.0, 10_000.0);
        c.within("opening_share", self.opening_share, 0.0, 1.0);
        c.within("opening_plies", self.opening_plies, 0, 100);
        c.within("stagger_plies", self.stagger_plies, 0, 1_000);
        c.within("fast_share", self.fast_share, 0.0, 1.0);
        c.within("fast_visits", self.fast_visits, 1, 10_000_000);
        c.within("resign_below", self.resign_below, 0.0, 0.5);
        c.within("resign_after", self.resign_after, 1, 100);
        c.within("resign_playthrough", self.resign_playthrough, 0.0, 1.0);
        if self.fast_share > 0.0 && self.fast_visits >= search.visits {
            let full = search.visits;
            c.say("fast_visits", format!("{} is not fewer than the {full} of a full search", self.fast_visits));
        }
        if self.max_plies > 0 && self.stagger_plies >= self.max_plies {
            c.say(
                "stagger_plies",
                format!("{} random moves reach the limit of {}", self.stagger_plies, self.max_plies),
            );
        }
    }
}
