//! Settings of a match.

use crate::adjudication::Adjudication;
use crate::limit::Limit;
use crate::openings::OpeningsConfig;
use crate::ratings::Sprt;
use rules::{Rules, Variant};
use serde::{Deserialize, Serialize};

/// Settings of a match between two players.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MatchConfig {
    /// Pairs of games, 1 to 1,000,000; each is one opening played twice with sides exchanged. 50 pairs tell
    /// 100 Elo apart, 500 tell 30. With a sequential test, the most that are played.
    pub pairs: u32,
    /// Simulations a move of a network player that names no number of its own, 1 to 10,000,000.
    pub visits: u32,
    /// How long players think who have no limit of their own, as a word: see [`Limit`]. With one of time each thread
    /// plays one game at a time, and every player who takes longer loses. Networks take `nodes` as simulations, and
    /// `visits` where it is a depth. Pure MCTS, greedy and random have sizes of their own.
    pub limit: Limit,
    /// What is forgiven for each move beyond a limit of time, milliseconds, 0 to 60,000: for the way to an engine and
    /// back, and for a busy machine.
    pub margin_ms: u32,
    /// Which openings: random ones by default.
    pub openings: OpeningsConfig,
    /// Plies played from the start position before the players take over, 0 to 200; a book's lines have their own
    /// length. With fewer than 3 random ones there are not enough openings for many pairs.
    pub opening_plies: u32,
    /// Limit of plies, opening included, 1 to 65,535; 0 keeps the limit of the rule set.
    pub max_plies: u32,
    /// When games end by the players' scores. Nothing by default.
    pub adjudication: Adjudication,
    /// A test that ends the match as soon as it decides; none by default. It looks at the complete pairs in
    /// the order of their numbers, so that the end depends on the games and not on which of them was finished first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<Sprt>,
    /// Rule-set preset; empty for the variant's default.
    pub ruleset: String,
    /// Games played at once by each thread, so that network batches fill; 0 to 65,536, 0 for as many as fill a batch
    /// of each player.
    pub concurrency: u32,
    /// Threads, 0 to 1,024; 0 for one a core. Games do not depend on it.
    pub threads: u32,
    /// Seed of openings and of players who play by chance. Equal seeds and settings give equal games.
    pub seed: u64,
}

impl Default for MatchConfig {
    fn default() -> Self {
        MatchConfig {
            pairs: 50,
            visits: 64,
            limit: Limit::Own,
            margin_ms: 100,
            openings: OpeningsConfig::default(),
            opening_plies: 6,
            max_plies: 0,
            adjudication: Adjudication::default(),
            sprt: None,
            ruleset: String::new(),
            concurrency: 0,
            threads: 0,
            seed: 1,
        }
    }
}

impl MatchConfig {
    /// Pushes one message for each value out of range; `at` is the place of this section in the config file.
    pub fn complaints(&self, at: &str, out: &mut Vec<String>) {
        let dot = if at.is_empty() { "" } else { "." };
        let mut within = |key: &str, value: u32, low: u32, high: u32| {
            if !(low..=high).contains(&value) {
                out.push(format!("{at}{dot}{key}: {value} is out of range; {low} to {high}"));
            }
        };
        within("pairs", self.pairs, 1, 1_000_000);
        within("visits", self.visits, 1, 10_000_000);
        within("margin_ms", self.margin_ms, 0, 60_000);
        within("opening_plies", self.opening_plies, 0, 200);
        within("max_plies", self.max_plies, 0, 65_535);
        within("concurrency", self.concurrency, 0, 65_536);
        within("threads", self.threads, 0, 1_024);
        self.adjudication.complaints(&format!("{at}{dot}"), out);
        if let Some(test) = &self.sprt {
            test.complaints(&format!("{at}{dot}sprt"), out);
        }
        self.openings.complaints(&format!("{at}{dot}"), self.opening_plies, out);
        if self.openings.has_length() && self.max_plies > 0 && self.max_plies <= self.opening_plies {
            out.push(format!(
                "{at}{dot}max_plies: {} leaves nothing to play after {} opening plies",
                self.max_plies, self.opening_plies
            ));
        }
    }

    /// The same with the names that depend on the variant.
    pub fn complaints_for<V: Variant>(&self, at: &str, out: &mut Vec<String>) {
        self.complaints(at, out);
        if let Err(error) = self.rules::<V>() {
            let dot = if at.is_empty() { "" } else { "." };
            out.push(format!("{at}{dot}ruleset: {error}"));
        }
    }

    /// The rules the games are played by.
    ///
    /// # Errors
    /// The variant has no preset of that name.
    pub fn rules<V: Variant>(&self) -> Result<Rules<V>, rules::UnknownPreset> {
        let rules = if self.ruleset.is_empty() { Rules::default() } else { Rules::named(&self.ruleset)? };
        Ok(if self.max_plies > 0 { rules.with_max_plies(self.max_plies) } else { rules })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Wangqi;

    #[test]
    fn all_complaints_at_once() {
        let mut out = Vec::new();
        let config =
            MatchConfig { pairs: 0, opening_plies: 6, max_plies: 6, ruleset: "blitz".into(), ..MatchConfig::default() };
        config.complaints_for::<Wangqi>("match", &mut out);
        assert_eq!(out[0], "match.pairs: 0 is out of range; 1 to 1000000");
        assert_eq!(out[1], "match.max_plies: 6 leaves nothing to play after 6 opening plies");
        assert!(out[2].starts_with("match.ruleset: wangqi has no rule set \"blitz\"; it has: "));
    }
}
