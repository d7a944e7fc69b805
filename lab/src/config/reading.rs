//! From a file and overrides to a configuration, with all complaints reported together.

use super::Config;
use crate::error::{LabError, Result};
use settings::{Complaints, nearest};
use std::path::Path;
use toml::{Table, Value};

/// Largest configuration that is read, bytes. One with every key written out has about 4 kB.
pub(crate) const MOST_CONFIG_BYTES: u64 = 1 << 20;

/// Keys of earlier versions, each with the value (in TOML) that every run has now: experiments that brought no gain, which
/// are off, and numbers that are constants beside the code that they steer. `None`: the key has no effect of its own on games
/// and weights. Configurations may still have such a key with this value. The keys of the network and of the search are in
/// [`train::RETIRED`] and [`search::RETIRED`].
const RETIRED: &[(&str, Option<&str>)] = &[
    ("search.least_expected_visits", Some("0.0")),
    ("selfplay.rules_caution", Some("0.0")),
    ("selfplay.limit_weight", Some("0.2")),
    ("selfplay.limit_weight_end", Some("0.5")),
    ("selfplay.limit_weight_until", Some("0.4")),
    ("selfplay.temperature_halflife", Some("20.0")),
    ("selfplay.ending_plies_min", Some("4")),
    ("selfplay.timestamps", Some("false")),
    ("selfplay.first_visits", Some("0")),
    ("selfplay.regret_share", Some("0.0")),
    ("selfplay.research_above", Some("0.0")),
    ("selfplay.surprise_weight", Some("0.0")),
    ("selfplay.value_surprise_weight", Some("0.0")),
    ("training.batch_threads", None),
    ("training.first_blocks", Some("0")),
    ("training.loss.policy", Some("1.0")),
    ("training.loss.reply", None),
    ("training.loss.short_value", Some("0.25")),
    ("training.loss.plies_left", Some("0.1")),
    ("training.loss.material", Some("0.25")),
    ("training.optimiser.warmup_until", Some("0.03")),
    ("training.optimiser.gradient_clip", Some("1.0")),
    ("training.optimiser.beta1", Some("0.9")),
    ("training.optimiser.beta2", Some("0.999")),
    ("training.data.window_exponent", Some("0.75")),
    ("training.data.window_scale", Some("0.4")),
    ("training.data.search_value_from", Some("0.1")),
    ("training.data.material_ahead", Some("8")),
    ("training.data.short_term_plies", Some("6.0")),
    ("training.data.validation_rows", Some("1024")),
    ("training.data.surprise_share", Some("0.0")),
    ("evaluation.algorithm", Some("\"puct\"")),
    ("evaluation.opening_order", Some("\"sequence\"")),
    ("evaluation.opening_balance", Some("0.2")),
    ("evaluation.opening_min_games", Some("2")),
    ("evaluation.opening_setups", Some("[]")),
];

/// Whether a key has been retired, and whether a configuration may still have it with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retired {
    /// There was no such key.
    Never,
    /// It has the value that every run has now.
    AsNow,
    /// It has another value; this one (in TOML) is the present one.
    Otherwise(&'static str),
}

impl Retired {
    /// What has become of the key with this name and value.
    pub(crate) fn of(name: &str, value: &Value) -> Retired {
        let in_list = |list: &[(&str, &'static str)], key: &str| {
            list.iter().find(|(retired, _)| *retired == key).map(|(_, now)| Some(*now))
        };
        let here = RETIRED.iter().find(|(retired, _)| *retired == name).map(|(_, now)| *now);
        let found = match name.split_once('.') {
            Some(("network", key)) => in_list(&train::RETIRED, key),
            Some(("search", key)) => here.or_else(|| in_list(&search::RETIRED, key)),
            _ => here,
        };
        let is_same = |now: &str| match (number(value), now.parse::<f64>()) {
            (Some(value), Ok(now)) => value == now,
            _ => value.to_string() == now,
        };
        match found {
            None => Retired::Never,
            Some(Some(now)) if !is_same(now) => Retired::Otherwise(now),
            Some(_) => Retired::AsNow,
        }
    }
}

impl Config {
    /// Reads a config file and applies overrides (`key=value`, the key with dots).
    ///
    /// # Errors
    /// The file cannot be read or is not TOML, or [`LabError::Config`] with every complaint.
    pub fn load(file: &Path, overrides: &[String]) -> Result<Config> {
        Config::parse(file, data::bounded::read_text(file, MOST_CONFIG_BYTES), overrides)
    }

    /// Like [`load`](Self::load), for a file that a person names: a file, a pipe, or `-` for standard input.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_named(file: &Path, overrides: &[String]) -> Result<Config> {
        Config::parse(file, data::bounded::read_named_text(file, MOST_CONFIG_BYTES), overrides)
    }

    /// Reads settings that a program has written; errors name `place`.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn stored(place: &Path, text: &str) -> Result<Config> {
        Config::parse(place, Ok(text.to_owned()), &[])
    }

    /// Lowers defaults that what is set rules out, so that a small network, short games, a low learning rate or a small
    /// window need no second key.
    fn fit_defaults(&mut self, is_set: impl Fn(&str) -> bool) {
        if !is_set("network.se_hidden") {
            self.network.se_hidden = self.network.se_hidden.min(self.network.channels);
        }
        let (stagger, limit) = (&mut self.selfplay.stagger_plies, self.selfplay.max_plies);
        if !is_set("selfplay.stagger_plies") && limit > 0 && *stagger >= limit {
            *stagger = limit / 2;
        }
        let optimiser = &mut self.training.optimiser;
        if !is_set("training.optimiser.final_learning_rate") && optimiser.learning_rate > 0.0 {
            optimiser.final_learning_rate = optimiser.final_learning_rate.min(optimiser.learning_rate);
        }
        let data = &mut self.training.data;
        if !is_set("training.data.window_minimum") && data.window_maximum > 0 {
            data.window_minimum = data.window_minimum.min(data.window_maximum);
        }
    }

    pub(super) fn parse(file: &Path, text: std::io::Result<String>, overrides: &[String]) -> Result<Config> {
        let path = || file.to_owned();
        let text = text.map_err(|source| LabError::ReadConfig { path: path(), source })?;
        let mut table: Table = text.parse().map_err(|source| LabError::Syntax { path: path(), source })?;
        let mut complaints = Complaints::default();
        for text in overrides {
            if let Err(problem) = set(&mut table, text) {
                complaints.say(&format!("--set {text}"), problem);
            }
        }
        match from_table(&table, &mut complaints) {
            Some(config) if complaints.is_empty() => Ok(config),
            _ => Err(LabError::Config { path: path(), complaints }),
        }
    }
}

/// Checks the table against the known keys and types, then the remaining values against each other, so that all
/// complaints are reported together.
fn from_table(table: &Table, complaints: &mut Complaints) -> Option<Config> {
    let known = Table::try_from(Config::default()).ok()?;
    let sound = compare(table, &known, &mut Vec::new(), complaints);
    match sound.try_into::<Config>() {
        Ok(mut config) => {
            config.fit_defaults(|key| value_at(table, key).is_some());
            let mut further = Complaints::default();
            config.check(&mut further);
            // A rejected key has its default value here, so a complaint about that value says nothing about the file.
            further.retain(|new| complaints.list().iter().all(|old| old.key != new.key));
            complaints.append(further);
            Some(config)
        }
        Err(error) => {
            complaints.say("", settings::in_words(error.message()));
            None
        }
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

/// Compares the given keys with the known ones and returns the part that can be used.
fn compare(given: &Table, known: &Table, path: &mut Vec<String>, complaints: &mut Complaints) -> Table {
    let mut sound = Table::new();
    for (key, value) in given {
        path.push(key.clone());
        let name = path.join(".");
        match (value, known.get(key)) {
            (value, None) => match Retired::of(&name, value) {
                Retired::AsNow => {}
                Retired::Otherwise(now) => complaints.say(
                    &name,
                    format!("is gone, and always {now} (docs/research/2026-11-26-retired-keys.md); take it out"),
                ),
                Retired::Never => complaints.say(&name, format!("unknown key{}", hint(path, known))),
            },
            (Value::Table(given), Some(Value::Table(known))) => {
                sound.insert(key.clone(), Value::Table(compare(given, known, path, complaints)));
            }
            (Value::Table(_), Some(_)) => complaints.say(&name, "is a value, not a section"),
            (_, Some(Value::Table(_))) => complaints.say(&name, "is a section, not a value"),
            (value, Some(example)) => {
                let fits = value.same_type(example) || (value.is_integer() && example.is_float());
                if !fits {
                    let (expected, found) = (example.type_str(), value.type_str());
                    complaints.say(&name, format!("expected {expected}, found {found} {value}"));
                } else if let Err(error) = alone(path, value).try_into::<Config>() {
                    complaints.say(&name, settings::in_words(error.message().lines().next().unwrap_or_default()));
                } else {
                    sound.insert(key.clone(), value.clone());
                }
            }
        }
        path.pop();
    }
    sound
}

/// The value of a key such as `training.data.mirror`.
fn value_at<'t>(table: &'t Table, key: &str) -> Option<&'t Value> {
    let mut parts = key.split('.');
    let section = table.get(parts.next()?)?;
    parts.try_fold(section, |value, part| value.get(part))
}

/// The value as a number; `None` if it is none.
fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|number| number as f64))
}

/// A hint for the last key of `path`: the nearest known key, or all of them.
fn hint(path: &[String], known: &Table) -> String {
    let (key, parents) = path.split_last().expect("a path has a key");
    match nearest(key, known.keys().map(String::as_str)) {
        Some(near) => format!("; did you mean {}?", [parents, &[near.to_owned()]].concat().join(".")),
        None => format!("; known: {}", known.keys().cloned().collect::<Vec<_>>().join(", ")),
    }
}

/// A table with one value only: if the table can be read, so can the value.
fn alone(path: &[String], value: &Value) -> Table {
    let mut table = Table::new();
    let (first, rest) = path.split_first().expect("a path has a key");
    let inner = if rest.is_empty() { value.clone() } else { Value::Table(alone(rest, value)) };
    table.insert(first.clone(), inner);
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::VariantId;

    /// `--budget 1h` turns a shorter config into one of an hour, and the head of the file says so.
    fn assert_hour(name: &str, file: &Path, config: &Config) {
        let text = std::fs::read_to_string(file).expect("a config");
        let head: String = text.lines().take_while(|line| line.starts_with('#')).collect::<Vec<_>>().join("\n");
        assert!(config.run.budget == "1h" || head.contains("--budget 1h"), "{name}: {} and {head}", config.run.budget);
        let hour = Config::load(file, &["run.budget=1h".to_owned()]).unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(hour.run.budget(), Some(std::time::Duration::from_secs(3600)), "{name}");
    }

    /// What is not set follows what is set; what is set is checked.
    #[test]
    fn defaults_fit_what_is_set() {
        let load = |settings: &[&str]| {
            let overrides: Vec<_> =
                ["run.variant=wangqi"].iter().chain(settings).map(|text| text.to_string()).collect();
            Config::parse(Path::new("a.toml"), Ok(String::new()), &overrides)
        };
        let units = |settings: &[&str]| load(settings).expect("a sound config").network.se_hidden;
        assert_eq!([units(&[]), units(&["network.channels=8"]), units(&["network.channels=128"])], [16, 8, 16]);
        let stagger = |settings: &[&str]| load(settings).expect("a sound config").selfplay.stagger_plies;
        let of_limits = ["0", "81", "80", "7"].map(|limit| stagger(&[&format!("selfplay.max_plies={limit}")]));
        assert_eq!(of_limits, [80, 80, 40, 3]);
        let training = |settings: &[&str]| load(settings).expect("a sound config").training;
        let last = |rate: &str| training(&[&format!("training.optimiser.learning_rate={rate}")]).optimiser;
        assert_eq!(["1e-6", "0.01"].map(|rate| last(rate).final_learning_rate), [1e-6, 1e-4]);
        let least = |most: &str| training(&[&format!("training.data.window_maximum={most}")]).data.window_minimum;
        assert_eq!(["1000", "30000"].map(least), [1_000, 25_000]);
        for (settings, complaint) in [
            (["network.channels=8", "network.se_hidden=16"], "network.se_hidden: 16 is out of range; 4 to 8"),
            (
                ["selfplay.max_plies=30", "selfplay.stagger_plies=80"],
                "selfplay.stagger_plies: 80 random moves reach the limit of 30",
            ),
        ] {
            let Err(LabError::Config { complaints, .. }) = load(&settings) else { panic!("{settings:?} is accepted") };
            assert_eq!(complaints.to_string(), complaint);
        }
    }

    #[test]
    fn a_key_that_is_gone_may_be_off_and_not_on() {
        let load = |value: &str| {
            let overrides = ["run.variant=wangqi".to_owned(), format!("search.least_expected_visits={value}")];
            Config::parse(Path::new("a.toml"), Ok(String::new()), &overrides)
        };
        for off in ["0", "0.0"] {
            load(off).unwrap_or_else(|error| panic!("{off}: {error:?}"));
        }
        for on in ["0.25", "true"] {
            let Err(LabError::Config { complaints, .. }) = load(on) else { panic!("{on} is accepted") };
            assert!(complaints.to_string().contains("search.least_expected_visits: is gone"), "{complaints}");
        }
    }

    /// Of each retired key: the value that it has now is accepted, another one is refused and the present one named.
    #[test]
    fn every_retired_key_may_have_its_present_value_and_no_other() {
        let in_section = |section: &'static str, list: &[(&str, &'static str)]| {
            list.iter().map(|(key, now)| (format!("{section}.{key}"), Some(*now))).collect::<Vec<_>>()
        };
        let here = RETIRED.iter().map(|(name, now)| ((*name).to_owned(), *now));
        let elsewhere = [in_section("network", &train::RETIRED), in_section("search", &search::RETIRED)].concat();
        for (name, now) in here.chain(elsewhere) {
            let load = |value: &str| {
                let overrides = ["run.variant=wangqi".to_owned(), format!("{name}={value}")];
                Config::parse(Path::new("a.toml"), Ok(String::new()), &overrides)
            };
            load(now.unwrap_or("7")).unwrap_or_else(|error| panic!("{name}: {error:?}"));
            let Some(now) = now else { continue };
            let Err(LabError::Config { complaints, .. }) = load("77") else { panic!("{name} = 77 is accepted") };
            let expected =
                format!("{name}: is gone, and always {now} (docs/research/2026-11-26-retired-keys.md); take it out");
            assert_eq!(complaints.to_string(), expected);
        }
    }

    /// The keys of a table, with those of its sections, as `section.key`.
    fn keys(table: &Table, prefix: &str) -> Vec<String> {
        let inner = |(key, value): (&String, &Value)| match value {
            Value::Table(table) => keys(table, &format!("{prefix}{key}.")),
            _ => vec![format!("{prefix}{key}")],
        };
        table.iter().flat_map(inner).collect()
    }

    /// A key needs somebody with a reason to set it (`CONTRIBUTING.md`): a new one takes the place of another.
    #[test]
    fn there_are_no_more_keys_than_now() {
        let known = keys(&Table::try_from(Config::default()).expect("a table"), "");
        assert!(known.len() <= 100, "{} keys:\n{}", known.len(), known.join("\n"));
    }

    #[test]
    fn the_configs_of_the_repository_are_sound_and_there_are_those_for_minutes_an_hour_and_a_night() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
        let mut found = Vec::new();
        for file in std::fs::read_dir(&folder).expect("the folder configs").map(|entry| entry.expect("an entry").path())
        {
            if file.extension().is_some_and(|extension| extension == "toml") {
                let config = Config::load(&file, &[]).unwrap_or_else(|error| panic!("{error:?}"));
                let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let variant = config.variant().expect("a variant").id();
                assert!(name.starts_with(&format!("{variant}-")), "{name} plays {variant}");
                if name.ends_with("-laptop") {
                    assert_hour(&name, &file, &config);
                }
                if name.ends_with("-night") {
                    assert_eq!(config.run.budget, "10h", "{name}");
                }
                found.push(name);
            }
        }
        // A new variant may have neither configuration nor bundled network; either asks for all three configurations.
        let has_any = |id: &VariantId| found.iter().any(|name| name.starts_with(&format!("{id}-")));
        for id in VariantId::ALL.iter().filter(|&id| train::has_builtin(*id) || has_any(id)) {
            for length in ["smoke", "laptop", "night"] {
                assert!(found.contains(&format!("{id}-{length}")), "no configs/{id}-{length}.toml");
            }
        }
    }
}
