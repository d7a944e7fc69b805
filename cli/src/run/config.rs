//! The configuration of a run: one TOML file, overridden by `--set`, checked as a whole.
//!
//! Every complaint is reported at once: unknown keys with the nearest known one, wrong types, values out of
//! range, contradictions between keys.

use crate::failure::input;
use crate::run::plan::parse_duration;
use anyhow::Context;
use rules::{Rules, Variant, VariantId};
use serde::{Deserialize, Serialize};
use std::path::Path;
use toml::{Table, Value};

/// Everything a run depends on. The sections are the structs of the crates they steer; `configs/README.md`
/// explains each key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The run as a whole.
    pub run: RunConfig,
    /// The rule set.
    pub rules: RulesConfig,
    /// Search in self-play.
    pub search: selfplay::SearchConfig,
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

/// The run as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunConfig {
    /// The variant's id: one of those `kirin show --help` lists. No default: a run must say what it plays.
    pub variant: String,
    /// Folder of the run, made if missing. Empty: `runs/` and the name of the config file.
    pub folder: String,
    /// Seed of all randomness. Same seed, config and CPU: same games, same weights.
    pub seed: u64,
    /// Generations of self-play and training, at least 1. Not used with a budget.
    pub generations: u32,
    /// Clock time the whole run may take (`90s`, `30m`, `1h30m`), from which generations, self-play, training and
    /// the learning rate are planned with measured speeds; empty: by count. `--budget` sets it.
    pub budget: String,
    /// With a budget: clock time of one generation, seconds, 5 to 3,600. Long rounds waste games on old networks,
    /// short ones spend their time on matches (RECIPE: about 20 s of self-play and 15 s of training).
    pub round_seconds: f64,
    /// Mean number of times a position is trained on, 0.1 to 50 (OpenSpiel 3, KataGo and MiniZero 4, KataGo's small
    /// synchronous loop 8). More uses wring more out of few games, until the value head learns the games by heart.
    pub uses: f64,
    /// Threads; 0: one for each core. Games do not depend on it.
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RulesConfig {
    /// Name of the preset; empty: the variant's default.
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

/// Matches between the networks of a run. Each opening is played twice with sides exchanged; a network
/// searches as in self-play but without noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EvaluationConfig {
    /// Pairs of games between each new network and the one before, 0 (no such matches) to 1,000,000.
    pub pairs: u32,
    /// Pairs of games of the last network against the untrained one, 0 (none) to 1,000,000.
    pub final_pairs: u32,
    /// Simulations a move, 1 to 10,000,000.
    pub visits: u32,
    /// Where openings come from: `random`, `balanced` (judged by the newer network), `book:FILE` or
    /// `statistics:FOLDER`, paths as seen from where the program runs.
    pub openings: eval::OpeningSource,
    /// Plies of each opening, 0 to 200, but for those of a book. With fewer than 3 random ones there are not enough
    /// openings for many pairs.
    pub opening_plies: u32,
    /// Order of openings from a book or statistics: `sequence` or `shuffled`.
    pub opening_order: eval::OpeningOrder,
    /// Balanced openings: the greatest |q|, 0.01 to 1.
    pub opening_balance: f64,
    /// Openings from statistics: games a line must have, at least 1.
    pub opening_min_games: u64,
    /// Limit of plies, opening included, to 65,535; 0 keeps the limit of the rule set.
    pub max_plies: u32,
}

impl Default for EvaluationConfig {
    fn default() -> Self {
        let eval::OpeningsConfig { source, order, balance, min_games } = eval::OpeningsConfig::default();
        EvaluationConfig {
            pairs: 20,
            final_pairs: 100,
            visits: 32,
            openings: source,
            opening_plies: 6,
            opening_order: order,
            opening_balance: balance,
            opening_min_games: min_games,
            max_plies: 0,
        }
    }
}

impl EvaluationConfig {
    /// The settings of a match of `pairs` pairs.
    pub fn match_config(&self, config: &Config, pairs: u32) -> eval::MatchConfig {
        eval::MatchConfig {
            pairs,
            visits: self.visits,
            openings: eval::OpeningsConfig {
                source: self.openings.clone(),
                order: self.opening_order,
                balance: self.opening_balance,
                min_games: self.opening_min_games,
            },
            opening_plies: self.opening_plies,
            max_plies: self.max_plies,
            ruleset: config.rules.preset.clone(),
            threads: config.run.threads as u32,
            seed: config.run.seed,
            ..eval::MatchConfig::default()
        }
    }
}

impl Config {
    /// Reads a config file and applies overrides (`key=value`, the key with dots).
    ///
    /// # Errors
    /// The file cannot be read or is no TOML; or one message with every complaint.
    pub fn load(file: &Path, overrides: &[String]) -> anyhow::Result<Config> {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).with_context(|| format!("cannot read the config {name}"))?;
        let mut table: Table = text.parse().map_err(|error: toml::de::Error| input(format!("{name}: {error}")))?;
        let mut complaints = Vec::new();
        for text in overrides {
            if let Err(problem) = set(&mut table, text) {
                complaints.push(format!("--set {text}: {problem}"));
            }
        }
        let config = Config::from_table(&table, &mut complaints);
        match config {
            Some(config) if complaints.is_empty() => Ok(config),
            _ => {
                let count =
                    if complaints.len() == 1 { "1 problem".into() } else { format!("{} problems", complaints.len()) };
                Err(input(format!("{name}: {count}\n  {}", complaints.join("\n  "))))
            }
        }
    }

    /// Checks the table against the keys and types there are, then the values that are left against each other, so
    /// that everything that is wrong is told at once.
    fn from_table(table: &Table, complaints: &mut Vec<String>) -> Option<Config> {
        let known = Table::try_from(Config::default()).ok()?;
        let sound = compare(table, &known, &mut Vec::new(), complaints);
        match sound.try_into::<Config>() {
            Ok(config) => {
                let mut further = Vec::new();
                config.complaints(&mut further);
                // A key that was left out has its default here, and what is said of that says nothing of the file.
                let key = |text: &str| text.split(": ").next().map(str::to_owned);
                let left_out: Vec<_> = complaints.iter().map(|text| key(text)).collect();
                further.retain(|text| !left_out.contains(&key(text)));
                complaints.append(&mut further);
                Some(config)
            }
            Err(error) => {
                complaints.push(error.message().to_owned());
                None
            }
        }
    }

    fn complaints(&self, out: &mut Vec<String>) {
        if self.run.generations == 0 {
            out.push("run.generations: 0; at least 1".into());
        }
        if !self.run.budget.is_empty()
            && let Err(problem) = parse_duration(&self.run.budget)
        {
            out.push(format!("run.budget: {problem}"));
        }
        if !(0.1..=50.0).contains(&self.run.uses) {
            out.push(format!("run.uses: {} is out of range; 0.1 to 50", self.run.uses));
        }
        if !(5.0..=3600.0).contains(&self.run.round_seconds) {
            out.push(format!("run.round_seconds: {} is out of range; 5 to 3600", self.run.round_seconds));
        }
        match self.run.variant.parse::<VariantId>() {
            Err(error) if self.run.variant.is_empty() => {
                out.push(format!("run.variant: not set; one of {}", error.known))
            }
            Err(error) => {
                let near = nearest(&self.run.variant, VariantId::ALL.iter().map(|id| id.id()));
                let hint = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
                out.push(format!("run.variant: {error}{hint}"));
            }
            Ok(id) => {
                if let Err(error) = rules::dispatch!(id, V => self.rules.resolve::<V>().map(drop)) {
                    out.push(format!("rules.preset: {error}"));
                }
                let setups: Vec<&str> =
                    rules::dispatch!(id, V => <V as Variant>::SETUPS.iter().map(|setup| setup.name).collect());
                for unknown in self.selfplay.setups.iter().filter(|name| !setups.contains(&name.as_str())) {
                    let known = if setups.is_empty() { "none".to_owned() } else { setups.join(", ") };
                    out.push(format!("selfplay.setups: {id} has no set-up {unknown:?}; it has: {known}"));
                }
            }
        }
        self.search.complaints("search", out);
        self.selfplay.complaints("selfplay", &self.search, out);
        self.network.complaints("network", out);
        self.evaluator.complaints("evaluator", out);
        self.training.complaints("training", out);
        self.evaluation.match_config(self, self.evaluation.pairs.max(1)).complaints("evaluation", out);
    }

    /// The variant. The config has been checked.
    pub fn variant(&self) -> anyhow::Result<VariantId> {
        Ok(self.run.variant.parse::<VariantId>()?)
    }

    /// The config as TOML, every key written out.
    ///
    /// # Errors
    /// A value TOML cannot write.
    pub fn to_toml(&self) -> anyhow::Result<String> {
        Ok(toml::to_string_pretty(self)?)
    }
}

/// Applies one `key=value` to a table. The value is read as TOML, and as a string where that fails.
fn set(table: &mut Table, text: &str) -> Result<(), String> {
    let (key, value) = text.split_once('=').ok_or("expected key=value")?;
    let value = value.trim();
    let value = format!("v = {value}")
        .parse::<Table>()
        .ok()
        .and_then(|mut table| table.remove("v"))
        .unwrap_or_else(|| Value::String(value.to_owned()));
    let mut path: Vec<&str> = key.trim().split('.').collect();
    let last = path.pop().filter(|last| !last.is_empty()).ok_or("the key is empty")?;
    let mut section = table;
    for part in path {
        let entry = section.entry(part).or_insert_with(|| Value::Table(Table::new()));
        section = entry.as_table_mut().ok_or_else(|| format!("{part} is a value, not a section"))?;
    }
    section.insert(last.to_owned(), value);
    Ok(())
}

/// Compares what is given with what is known, key by key, and returns what can be used of it.
fn compare(given: &Table, known: &Table, path: &mut Vec<String>, complaints: &mut Vec<String>) -> Table {
    let mut sound = Table::new();
    for (key, value) in given {
        path.push(key.clone());
        let name = path.join(".");
        match (value, known.get(key)) {
            (_, None) => complaints.push(format!("{name}: unknown key{}", hint(path, known))),
            (Value::Table(given), Some(Value::Table(known))) => {
                sound.insert(key.clone(), Value::Table(compare(given, known, path, complaints)));
            }
            (Value::Table(_), Some(_)) => complaints.push(format!("{name}: is a value, not a section")),
            (_, Some(Value::Table(_))) => complaints.push(format!("{name}: is a section, not a value")),
            (value, Some(example)) => {
                let fits = value.same_type(example) || (value.is_integer() && example.is_float());
                if !fits {
                    let (expected, found) = (example.type_str(), value.type_str());
                    complaints.push(format!("{name}: expected {expected}, found {found} {value}"));
                } else if let Err(error) = alone(path, value).try_into::<Config>() {
                    complaints.push(format!("{name}: {}", error.message().lines().next().unwrap_or_default()));
                } else {
                    sound.insert(key.clone(), value.clone());
                }
            }
        }
        path.pop();
    }
    sound
}

/// What may have been meant by the last key of `path`: the nearest known one, or all there are.
fn hint(path: &[String], known: &Table) -> String {
    let (key, parents) = path.split_last().expect("a path has a key");
    match nearest(key, known.keys().map(String::as_str)) {
        Some(near) => format!("; did you mean {}?", [parents, &[near.to_owned()]].concat().join(".")),
        None => format!("; known: {}", known.keys().cloned().collect::<Vec<_>>().join(", ")),
    }
}

/// A table that holds one value only: whether it can be read tells whether that value can.
fn alone(path: &[String], value: &Value) -> Table {
    let mut table = Table::new();
    let (first, rest) = path.split_first().expect("a path has a key");
    let inner = if rest.is_empty() { value.clone() } else { Value::Table(alone(rest, value)) };
    table.insert(first.clone(), inner);
    table
}

/// The candidate most like `word`, if one is like it at all.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const ALIKE: f64 = 0.7;
    candidates
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configs_of_the_repository_are_sound_and_every_variant_has_a_small_one() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
        let mut small = Vec::new();
        for file in std::fs::read_dir(&folder).expect("the folder configs").map(|entry| entry.expect("an entry").path())
        {
            if file.extension().is_some_and(|extension| extension == "toml") {
                let config = Config::load(&file, &[]).unwrap_or_else(|error| panic!("{error:?}"));
                if file.to_string_lossy().ends_with("-smoke.toml") {
                    small.push(config.variant().expect("a variant").id());
                }
            }
        }
        for id in VariantId::ALL {
            assert!(small.contains(&id.id()), "no configs/{id}-smoke.toml");
        }
    }
}
