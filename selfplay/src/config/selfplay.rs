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
    /// Share of games begun shortly before the end of a decided game of the generation before, 0 to 1 (RECIPE: a
    /// quarter): the network learns how games are won before it can get there by itself. It falls evenly to
    /// nothing at `ending_until`.
    pub ending_share: f32,
    /// Part of the run after which no game begins so, 0 to 1.
    pub ending_until: f32,
    /// Fewest plies before that end, 1 to 1,000 (RECIPE 4).
    pub ending_plies_min: u32,
    /// Most plies before that end, 1 to 1,000 (RECIPE 40); the number is drawn evenly.
    pub ending_plies_max: u32,
    /// Set-ups the players choose from, each for itself and with equal chances, in variants that have them
    /// (Janggi: `inner`, `outer`, `left`, `right`, `fifth`); empty: all the variant has.
    pub setups: Vec<String>,
    /// Simulations a move in the first generation, 0 to 10,000,000; 0: `search.visits`. An untrained network has
    /// little to say, and more simulations with the proof of wins in one find the defence too: games get longer and
    /// less often decided.
    pub first_visits: u32,
    /// Megabytes in which each thread keeps network outputs for positions that come again in the same or another
    /// game, 0 to 65,536; 0 keeps none. Games do not depend on it.
    pub cache_mb: u32,
    /// Share of moves searched with `fast_visits` instead of `search.visits`, 0 to 1 (playout cap randomisation;
    /// KataGo 0.75, RECIPE: off up to 32 visits).
    pub fast_share: f32,
    /// Simulations of those, 1 to 10,000,000 and fewer than `search.visits`. Their policy is no target.
    pub fast_visits: u32,
    /// How those choose moves: `puct` (noiseless); `gumbel` was found too noisy for it (RECIPE).
    pub fast_algorithm: Algorithm,
    /// A fast search is made again in full if its policy diverges from the network's by more than this many times
    /// the mean of the game's fast searches, 0 to 100; 0 is never (KataGo keeps such rows from 1.5 on; RECIPE: the
    /// most surprising 5 %).
    pub research_above: f32,
    /// Part of the rows' weight in a game that is dealt out by how much the search surprised the network's policy,
    /// 0 to 1 (KataGo 0.5). The sum of the weights stays.
    pub surprise_weight: f32,
    /// The same by how much it surprised the network's value, 0 to 1 (KataGo 0.1).
    pub value_surprise_weight: f32,
    /// A player whose winning chance (wins + half the draws) by the search is below a threshold resigns. This is
    /// the highest threshold, 0 to 0.5; 0 is never (AobaZero: 0.1 is wrong in 1.2 % of games and saves 26 % of
    /// plies). The threshold itself is chosen before each generation, see `resign_false_rate`.
    pub resign_below: f32,
    /// Share of resignations that may be wrong, 0 to 1 (RECIPE 0.03). The threshold is the highest that would have
    /// kept it in the latest games that were played through; while these are too few to tell, nobody resigns.
    pub resign_false_rate: f32,
    /// Part of the run before which nobody resigns, 0 to 1 (RECIPE 0.4).
    pub resign_from: f32,
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
            ending_share: 0.25,
            ending_until: 0.6,
            ending_plies_min: 4,
            ending_plies_max: 40,
            setups: Vec::new(),
            first_visits: 0,
            cache_mb: 32,
            fast_share: 0.0,
            fast_visits: 12,
            fast_algorithm: Algorithm::Puct,
            research_above: 0.0,
            surprise_weight: 0.0,
            value_surprise_weight: 0.0,
            resign_below: 0.0,
            resign_false_rate: 0.03,
            resign_from: 0.4,
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
        c.within("ending_share", self.ending_share, 0.0, 1.0);
        c.within("ending_until", self.ending_until, 0.0, 1.0);
        c.within("ending_plies_min", self.ending_plies_min, 1, 1_000);
        c.within("ending_plies_max", self.ending_plies_max, 1, 1_000);
        c.within("first_visits", self.first_visits, 0, 10_000_000);
        c.within("cache_mb", self.cache_mb, 0, 65_536);
        c.within("fast_share", self.fast_share, 0.0, 1.0);
        c.within("fast_visits", self.fast_visits, 1, 10_000_000);
        c.within("research_above", self.research_above, 0.0, 100.0);
        c.within("surprise_weight", self.surprise_weight, 0.0, 1.0);
        c.within("value_surprise_weight", self.value_surprise_weight, 0.0, 1.0);
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
        let (least, most) = (self.ending_plies_min, self.ending_plies_max);
        if least > most {
            c.say("ending_plies_min", format!("{least} is more than ending_plies_max, {most}"));
        }
        let dealt = self.surprise_weight + self.value_surprise_weight;
        if dealt > 1.0 {
            c.say("surprise_weight", format!("with value_surprise_weight {dealt} of the weight; at most 1"));
        }
        if self.resign_below > 0.0 && self.resign_playthrough == 0.0 {
            c.say("resign_playthrough", "0; without games played through nobody knows when resigning is wrong");
        }
        if self.max_plies > 0 && self.stagger_plies >= self.max_plies {
            c.say(
                "stagger_plies",
                format!("{} random moves reach the limit of {}", self.stagger_plies, self.max_plies),
            );
        }
    }
}
