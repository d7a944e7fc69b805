//! The configuration of a run: one TOML file, overridden by `--set`, checked as a whole.
//!
//! All complaints are reported together: unknown keys with the nearest known one, wrong types, values out of range,
//! contradictions between keys.

mod keys;
mod reading;
mod source;

pub use keys::{Key, Section, sections};
pub(crate) use reading::{MOST_CONFIG_BYTES, Retired};
pub use source::ConfigSource;

use crate::error::Result;
use rules::{Rules, Variant, VariantId};
use serde::{Deserialize, Serialize};
use settings::{Complaints, nearest, parse_duration};
use std::time::Duration;

/// Everything a run depends on. The sections are the structs of the crates they steer; their comments are what `kirin help`
/// and `docs/reference/configuration.md` say of each key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The run as a whole.
    pub run: RunConfig,
    /// The rule set.
    pub rules: RulesConfig,
    /// Search in self-play.
    pub search: search::SearchConfig,
    /// Self-play.
    pub selfplay: selfplay::SelfplayConfig,
    /// The network.
    pub network: train::NetworkConfig,
    /// How networks are evaluated in play.
    pub evaluator: train::EvaluatorConfig,
    /// Training.
    pub training: train::TrainConfig,
    /// Matches between networks.
    pub evaluation: EvaluationConfig,
}

/// The value of `run.budget` for a run that is planned by count, even if it began with a budget.
const NO_BUDGET: &str = "none";

/// The run as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RunConfig {
    /// The variant's id: one of those `kirin show --help` lists. There is no default: a run must name its variant.
    pub variant: String,
    /// Folder of the run, made if missing. Empty: `runs/` and the name of the config file.
    pub folder: String,
    /// Seed of all randomness. Without a budget, equal seeds and configs on one kind of CPU with as many cores give equal
    /// games and weights.
    pub seed: u64,
    /// Generations of self-play and training, at least 1; ignored with a budget.
    pub generations: u32,
    /// Clock time the whole run may take (`90s`, `30m`, `1h30m`), from which generations, self-play, training and the
    /// learning rate are planned with measured speeds. `--budget` sets it. `none`: `generations` counts. Empty: the
    /// budget that the run began with, if any.
    pub budget: String,
    /// With a budget: clock time of one generation, seconds, 5 to 3,600. Long generations waste games on old networks,
    /// short ones lose time at their beginning and end. The last ones are shorter, so that the budget holds.
    pub round_seconds: f64,
    /// Mean number of times a position is trained on, 0.1 to 50 (OpenSpiel 3, KataGo and MiniZero 4, KataGo's small
    /// synchronous loop 8). More uses get more out of few games, until the value head overfits.
    pub uses: f64,
    /// Threads of self-play and matches, 0 to 1,024; 0: one for each core. Games do not depend on it. `training.threads`
    /// are those of training.
    pub threads: usize,
}

impl Default for RunConfig {
    fn default() -> Self {
        RunConfig {
            variant: String::new(),
            folder: String::new(),
            seed: 1,
            generations: 8,
            budget: String::new(),
            round_seconds: 40.0,
            uses: 4.0,
            threads: 0,
        }
    }
}

/// The rule set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RulesConfig {
    /// Name of the preset (`docs/reference/rules.md` lists them); empty: the variant's default.
    pub preset: String,
}

impl RulesConfig {
    /// The rule set of variant `V`.
    ///
    /// # Errors
    /// The variant has no such preset.
    pub fn resolve<V: Variant>(&self) -> Result<Rules<V>, rules::UnknownPreset> {
        if self.preset.is_empty() { Ok(Rules::default()) } else { Rules::named(&self.preset) }
    }
}

/// Matches of the networks of a run, with each other and with fixed players. Each opening is played twice with sides
/// exchanged; a network searches as in self-play but without noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EvaluationConfig {
    /// Matches over a run, 0 to 10,000; 0 plays none. The run is divided into this many equal parts, with a match after each.
    /// The newest network plays half of its pairs against the network of the match before, half against a fixed player
    /// of about its strength from Kirin's ladder of the variant: random, greedy, a level, or the network that comes
    /// with Kirin. So ratings of different runs are on one scale. With a budget and fewer than 19 pairs, all are against
    /// the fixed player. If parts are shorter than a generation, each network has one match.
    pub matches: u32,
    /// Pairs of games (one opening, sides exchanged) in each of these matches, 0 to 1,000,000; 0 plays no such matches.
    pub pairs: u32,
    /// Pairs of games at the end of the run, 0 to 1,000,000; 0 plays none. Half of them are the last network's, against a
    /// fixed player of its strength, the network that comes with Kirin and the strongest earlier network; the others are played where the ratings of two
    /// neighbours are uncertain by more than 190 Elo, if there are such. With a budget these are as many as its share allows.
    pub final_pairs: u32,
    /// Part of the budget that all these matches may take together, 0.001 to 0.5. If they would take more at the
    /// measured speed, they are shorter and fewer. Without a budget all are played. They teach the network nothing, so
    /// the default is small; it is our own.
    pub budget_share: f64,
    /// Visits a move, 1 to 10,000,000.
    pub visits: u32,
    /// PUCT: part of its constant that follows the deviation of the values in the tree, 0 to 1
    /// (`docs/research/2026-11-26-deviation-term.md`).
    pub cpuct_deviation_share: f32,
    /// Where openings come from: `random`, `balanced`, `book:FILE` or `statistics:FOLDER`, paths as seen from where the
    /// program runs. Balanced ones are judged by the newer network. Setups are drawn as in self-play.
    pub openings: eval::OpeningSource,
    /// Plies played before the players take over, 0 to 200; a book's lines have their own length. With fewer than 3 random
    /// ones there are not enough openings for many pairs.
    pub opening_plies: u32,
    /// Ply limit, opening included, 0 to 65,535; 0 keeps that of self-play (`selfplay.max_plies`), because the plies left
    /// are a network input, and another limit would give inputs that it was not trained on.
    pub max_plies: u32,
}

impl Default for EvaluationConfig {
    fn default() -> Self {
        let openings = eval::OpeningsConfig::default();
        EvaluationConfig {
            matches: 10,
            pairs: 30,
            final_pairs: 100,
            budget_share: 0.03,
            visits: 32,
            cpuct_deviation_share: search::DEVIATION_SHARE,
            openings: openings.source,
            opening_plies: openings.plies,
            max_plies: 0,
        }
    }
}

/// How moves are chosen in the tree in matches, whatever self-play does. PUCT keeps its tree from move to move and plays
/// better (measured: `docs/research/2026-11-23-search-in-matches.md`).
const MATCH_ALGORITHM: search::Algorithm = search::Algorithm::Puct;

/// The text whose digest is [`EvaluationConfig::match_settings`].
#[derive(Serialize)]
struct MatchSettings {
    matches: u32,
    pairs: u32,
    final_pairs: u32,
    budget_share: f64,
    visits: u32,
    algorithm: search::Algorithm,
    /// Absent where it is 0, as in earlier versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    cpuct_deviation_share: Option<f32>,
    #[serde(flatten)]
    openings: eval::OpeningsConfig,
    max_plies: u32,
}

/// Most threads of a run.
const MOST_THREADS: usize = 1024;

/// Most pairs of games of a match.
const MOST_PAIRS: u32 = 1_000_000;

/// Most games of a match that a thread plays at the same time.
const MOST_AT_ONCE: u32 = 256;

impl EvaluationConfig {
    /// What all games of a match have in common, as a digest of 16 hex digits.
    pub(crate) fn match_settings(&self) -> String {
        blake3::hash(self.match_settings_text().as_bytes()).to_hex()[..16].to_owned()
    }

    /// The settings that all games of a match have in common, as JSON. It has the keys that earlier versions had, so that the
    /// same settings still have the same digest: those of the number and the time of games at their defaults, and those that
    /// are fixed now.
    fn match_settings_text(&self) -> String {
        let EvaluationConfig { matches, pairs, final_pairs, budget_share, .. } = EvaluationConfig::default();
        let EvaluationConfig { visits, cpuct_deviation_share, max_plies, .. } = *self;
        let cpuct_deviation_share = Some(cpuct_deviation_share).filter(|&share| share > 0.0);
        let (algorithm, openings) = (MATCH_ALGORITHM, self.openings_config());
        let text = MatchSettings {
            matches,
            pairs,
            final_pairs,
            budget_share,
            visits,
            algorithm,
            cpuct_deviation_share,
            openings,
            max_plies,
        };
        serde_json::to_string(&text).unwrap_or_default()
    }

    /// The openings of a match, with all setups. What has no key here has the default of `kirin eval match`.
    fn openings_config(&self) -> eval::OpeningsConfig {
        let (source, plies) = (self.openings.clone(), self.opening_plies);
        eval::OpeningsConfig { source, plies, ..eval::OpeningsConfig::default() }
    }

    /// The settings of a match of `pairs` pairs.
    pub fn match_config(&self, config: &Config, pairs: u32) -> eval::MatchConfig {
        let openings = eval::OpeningsConfig { setups: config.selfplay.setups.clone(), ..self.openings_config() };
        eval::MatchConfig {
            pairs,
            visits: self.visits,
            algorithm: MATCH_ALGORITHM,
            cpuct_deviation_share: self.cpuct_deviation_share,
            openings,
            max_plies: if self.max_plies > 0 { self.max_plies } else { config.selfplay.max_plies },
            ruleset: config.rules.preset.clone(),
            // All in parallel, so that batches are full until few games are left; but each game's tree takes memory.
            concurrency: (2 * pairs.min(MOST_AT_ONCE / 2)).max(1),
            threads: config.run.threads as u32,
            seed: config.run.seed,
            ..eval::MatchConfig::default()
        }
    }
}

impl Config {
    /// Reports everything that is out of range or contradicts something else.
    pub fn check(&self, complaints: &mut Complaints) {
        complaints.section("run", |complaints| self.run.check(complaints));
        if let Ok(id) = self.run.variant.parse::<VariantId>() {
            self.check_for(id, complaints);
        }
        complaints.section("search", |complaints| self.search.check(complaints));
        complaints.section("selfplay", |complaints| self.selfplay.check(&self.search, complaints));
        complaints.section("network", |complaints| self.network.check(complaints));
        complaints.section("evaluator", |complaints| self.evaluator.check(complaints));
        complaints.section("training", |complaints| self.training.check(complaints));
        // This section has no key for threads: `run.threads` already reports a bad number.
        let threads = self.run.threads.min(MOST_THREADS) as u32;
        let played = self.evaluation.match_config(self, 1);
        let played = eval::MatchConfig { threads, ..played };
        complaints.section("evaluation", |complaints| {
            complaints.within("matches", self.evaluation.matches, 0, 10_000);
            complaints.within("pairs", self.evaluation.pairs, 0, MOST_PAIRS);
            complaints.within("final_pairs", self.evaluation.final_pairs, 0, MOST_PAIRS);
            complaints.within("budget_share", self.evaluation.budget_share, 0.001, 0.5);
            played.check(complaints);
        });
    }

    /// Reports names that the variant does not have.
    fn check_for(&self, id: VariantId, complaints: &mut Complaints) {
        if let Err(error) = rules::dispatch!(id, V => self.rules.resolve::<V>().map(drop)) {
            complaints.say("rules.preset", error);
        }
        let setups = &self.selfplay.setups;
        rules::dispatch!(id, V => search::setups::check::<V>("selfplay.setups", setups, complaints));
    }

    /// The variant.
    ///
    /// # Errors
    /// There is none of that name; impossible for a config that was loaded, since it has been checked.
    pub fn variant(&self) -> Result<VariantId> {
        Ok(self.run.variant.parse::<VariantId>()?)
    }

    /// The config as TOML, every key written out.
    ///
    /// # Errors
    /// A value TOML cannot write.
    pub fn to_toml(&self) -> Result<String> {
        Ok(toml::to_string_pretty(self)?)
    }
}

impl RunConfig {
    fn check(&self, complaints: &mut Complaints) {
        if self.generations == 0 {
            complaints.say("generations", "0; at least 1");
        }
        match parse_duration(&self.budget) {
            _ if ["", NO_BUDGET].contains(&self.budget.as_str()) => {}
            Ok(budget) if budget.is_zero() => complaints.say("budget", "no time at all; write 90s, 30m or 1h30m"),
            Ok(_) => {}
            Err(error) => complaints.say("budget", error),
        }
        complaints.within("uses", self.uses, 0.1, 50.0);
        complaints.within("threads", self.threads, 0, MOST_THREADS);
        complaints.within("round_seconds", self.round_seconds, 5.0, 3600.0);
        match self.variant.parse::<VariantId>() {
            Ok(_) => {}
            Err(error) if self.variant.is_empty() => {
                complaints.say("variant", format!("not set; one of {}", error.known));
            }
            Err(error) => {
                let near = nearest(&self.variant, VariantId::ALL.iter().map(|id| id.id()));
                let hint = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
                complaints.say("variant", format!("{error}{hint}"));
            }
        }
    }

    /// The budget, if there is one; the config has been checked.
    pub fn budget(&self) -> Option<Duration> {
        parse_duration(&self.budget).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Matches of a run that was begun by an earlier version have the digests that it wrote.
    #[test]
    fn match_settings_are_those_of_earlier_versions() {
        let earlier = |visits: u32, openings: &str, plies: u32, max_plies: u32| {
            format!(
                "{{\"matches\":10,\"pairs\":30,\"final_pairs\":100,\"budget_share\":0.03,\"visits\":{visits},\
                 \"algorithm\":\"puct\",\"openings\":\"{openings}\",\"opening_plies\":{plies},\
                 \"opening_order\":\"sequence\",\"opening_balance\":0.2,\"opening_min_games\":2,\
                 \"opening_setups\":[],\"max_plies\":{max_plies}}}"
            )
        };
        let now = EvaluationConfig::default();
        assert!(now.match_settings_text().contains("\"algorithm\":\"puct\",\"cpuct_deviation_share\":0.85,"));
        let config = EvaluationConfig { cpuct_deviation_share: 0.0, ..now };
        assert_eq!(config.match_settings_text(), earlier(32, "random", 6, 0));
        let openings = eval::OpeningSource::Balanced;
        let other = EvaluationConfig { pairs: 7, visits: 64, openings, opening_plies: 2, max_plies: 30, ..config };
        assert_eq!(other.match_settings_text(), earlier(64, "balanced", 2, 30));
    }
}
