//! Settings of a match.

use crate::adjudication::Adjudication;
use crate::openings::config::OpeningsConfig;
use crate::ratings::Sprt;
use engine::Limit;
use rules::{Rules, Variant};
use search::{Algorithm, SearchConfig};
use settings::Complaints;

/// Settings of a match between two players.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchConfig {
    /// Pairs of games, 1 to 1,000,000; each is one opening played twice with sides exchanged. 50 pairs distinguish 100 Elo,
    /// 500 pairs 30 Elo. With a sequential test, the most that are played.
    pub pairs: u32,
    /// Visits a move of network players without a number of their own, 1 to 10,000,000.
    pub visits: u32,
    /// How network players choose moves in their tree. PUCT keeps its tree from move to move, and plays better than
    /// Gumbel search from 64 visits on (measured: `docs/research/2026-11-23-search-in-matches.md`).
    pub algorithm: Algorithm,
    /// PUCT: part of its constant that follows the deviation of the values in the tree, 0 to 1
    /// ([`SearchConfig::cpuct_deviation_share`]).
    pub cpuct_deviation_share: f32,
    /// The limit of thinking for players without one of their own ([`Limit`]). Under a limit of time each thread plays one
    /// game at a time, and a player that takes longer loses. For networks, nodes are visits, and under a limit of
    /// depth they use `visits`. It does not apply to pure MCTS, greedy and random.
    pub limit: Limit,
    /// How far a move may exceed a limit of time, in milliseconds, 0 to 60,000. It allows for the way to an engine and back,
    /// and for a busy machine.
    pub margin_ms: u32,
    /// The openings; random by default.
    pub openings: OpeningsConfig,
    /// Most plies of a game, opening included, 1 to 65,535. 0 is the limit of the rule set.
    pub max_plies: u32,
    /// When games end by the players' scores; by default never.
    pub adjudication: Adjudication,
    /// A test that ends the match as soon as it decides; none by default. It looks at the complete pairs in the order of
    /// their numbers, so that the end depends on the games and not on which of them was finished first.
    pub sprt: Option<Sprt>,
    /// Rule-set preset; empty for the variant's default.
    pub ruleset: String,
    /// Games that each thread plays at the same time, so that network batches fill, 0 to 65,536; so `threads` times this
    /// number in all. 0 is as many as fill a batch of each player, and 1 without networks.
    pub concurrency: u32,
    /// Threads, 0 to 1,024. 0 is one for each core. Games do not depend on it.
    pub threads: u32,
    /// Seed of openings and of players that play by chance. Equal seeds and settings give equal games.
    pub seed: u64,
}

impl Default for MatchConfig {
    fn default() -> Self {
        MatchConfig {
            pairs: 50,
            visits: 64,
            algorithm: Algorithm::Puct,
            cpuct_deviation_share: search::DEVIATION_SHARE,
            limit: Limit::Own,
            margin_ms: 100,
            openings: OpeningsConfig::default(),
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
    /// Complains about each value that is out of range or contradicts another.
    pub fn check(&self, complaints: &mut Complaints) {
        complaints.within("pairs", self.pairs, 1, 1_000_000);
        complaints.within("visits", self.visits, 1, 10_000_000);
        complaints.within("cpuct_deviation_share", self.cpuct_deviation_share, 0.0, 1.0);
        complaints.within("margin_ms", self.margin_ms, 0, 60_000);
        complaints.within("max_plies", self.max_plies, 0, 65_535);
        complaints.within("concurrency", self.concurrency, 0, 65_536);
        complaints.within("threads", self.threads, 0, 1_024);
        complaints.section("adjudication", |complaints| self.adjudication.check(complaints));
        if let Some(test) = &self.sprt {
            complaints.section("sprt", |complaints| test.check(complaints));
        }
        self.openings.check(complaints);
        let opening = self.openings.plies;
        if self.openings.has_length() && self.max_plies > 0 && self.max_plies <= opening {
            let problem = format!("{} leaves nothing to play after {opening} opening plies", self.max_plies);
            complaints.say("max_plies", problem);
        }
    }

    /// Like `check`, and also checks the names that depend on the variant.
    pub fn check_for<V: Variant>(&self, complaints: &mut Complaints) {
        self.check(complaints);
        if let Err(error) = self.rules::<V>() {
            complaints.say("ruleset", error);
        }
        self.openings.check_for::<V>(complaints);
    }

    /// How a network searches in this match: `settings` for all that a match does not decide.
    pub fn search(&self, settings: &SearchConfig) -> SearchConfig {
        let MatchConfig { visits, algorithm, cpuct_deviation_share, .. } = *self;
        SearchConfig { visits, algorithm, cpuct_deviation_share, ..settings.clone() }
    }

    /// Threads to play with.
    pub(crate) fn thread_count(&self) -> usize {
        settings::threads(self.threads as usize)
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
        let mut complaints = Complaints::default();
        let openings = OpeningsConfig { setups: vec!["inner".into()], ..OpeningsConfig::default() };
        let config =
            MatchConfig { pairs: 0, max_plies: 6, ruleset: "blitz".into(), openings, ..MatchConfig::default() };
        complaints.section("match", |complaints| config.check_for::<Wangqi>(complaints));
        let texts: Vec<String> = complaints.list().iter().map(ToString::to_string).collect();
        assert_eq!(texts[0], "match.pairs: 0 is out of range; 1 to 1000000");
        assert_eq!(texts[1], "match.max_plies: 6 leaves nothing to play after 6 opening plies");
        assert!(texts[2].starts_with("match.ruleset: wangqi has no rule set \"blitz\"; it has: "));
        assert_eq!(texts[3], "match.opening_setups: wangqi has no setup \"inner\"; it has: none");
    }
}
