//! What may change in a run between one call and the next, and what may not.

use crate::about::About;
use crate::config::{Config, MOST_CONFIG_BYTES, Retired};
use crate::error::{LabError, Result};
use crate::folder::RunFolder;
use data::durable::is_there;
use settings::parse_duration;
use std::path::Path;
use std::time::Duration;
use toml::{Table, Value};

/// Keys that may change when a run is resumed: they decide how long it runs and on what hardware, not its games and
/// weights.
const MAY_CHANGE: &[&str] = &[
    "run.generations",
    "run.budget",
    "run.round_seconds",
    "run.threads",
    "run.folder",
    "evaluator.callers",
    "selfplay.cache_mb",
    "training.batch_threads",
    "evaluation.",
];

/// Values that mean "choose here, at the start": the run keeps what it chose.
const CHOICE: &str = "auto";

/// Keys whose 0 means the same as [`CHOICE`].
const CHOSEN_IF_ZERO: &[&str] = &["training.parts", "evaluator.batch", "evaluator.threads", "evaluator.callers"];

/// 16 hex digits that stand for all settings that determine the games and weights of a run, that is, those that may not
/// change. A run keeps the digest it began with.
///
/// # Errors
/// A value TOML cannot write.
pub fn digest(config: &Config) -> Result<String> {
    digest_of(table(config)?)
}

fn digest_of(mut settings: Table) -> Result<String> {
    remove_changeable(&mut settings, "");
    Ok(blake3::hash(toml::to_string(&settings)?.as_bytes()).to_hex()[..16].to_owned())
}

/// The digest of the settings that are stored in a run's folder; `None` where the file is missing.
///
/// # Errors
/// The file cannot be read, is not TOML, or is not what the run's own record says.
pub(crate) fn stored_digest(folder: &RunFolder) -> Result<Option<String>> {
    stored(folder)?.map(|table| known_digest(folder, table)).transpose()
}

/// The configuration in the folder; `None` where there is none.
fn stored(folder: &RunFolder) -> Result<Option<Table>> {
    let path = folder.config();
    match data::bounded::read_text(&path, MOST_CONFIG_BYTES) {
        Ok(text) => text.parse().map(Some).map_err(|source| LabError::Syntax { path, source }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(LabError::ReadConfig { path, source }),
    }
}

/// The digest of stored settings, which must be among those that `run.json` has, if it has any.
fn known_digest(folder: &RunFolder, stored: Table) -> Result<String> {
    let digest = digest_of(stored)?;
    let known = About::read(folder)?.map(|about| about.config_digests).unwrap_or_default();
    if known.is_empty() || known.contains(&digest) {
        return Ok(digest);
    }
    Err(LabError::ConfigChanged { path: folder.config() })
}

fn remove_changeable(settings: &mut Table, prefix: &str) {
    settings.retain(|key, _| !may_change(&format!("{prefix}{key}")));
    for (key, value) in settings.iter_mut() {
        if let Value::Table(section) = value {
            remove_changeable(section, &format!("{prefix}{key}."));
        }
    }
}

/// The configuration as it reads back from its file: there a 32-bit number is 0.1, and not 0.1 rounded to 32 bits.
fn table(config: &Config) -> Result<Table> {
    let text = config.to_toml()?;
    text.parse().map_err(|source| LabError::Syntax { path: "the configuration".into(), source })
}

/// Whether a run that is resumed takes over a new value of this key. A run keeps every other setting that it began with.
pub(crate) fn may_change(name: &str) -> bool {
    MAY_CHANGE.iter().any(|allowed| name.starts_with(allowed))
}

/// A configuration that has been compared with the run that is in the folder.
#[derive(Clone, Debug, PartialEq)]
pub struct Continuation {
    /// The configuration for resuming the run: the stored one, with the keys that may change taken from the new one.
    /// A run that begins has the new one.
    pub config: Config,
    /// Whether the run has begun.
    pub has_begun: bool,
    /// The budget it had until now.
    pub budget_before: Option<Duration>,
    /// The digest of the settings that are stored; `None` where the run has not begun.
    pub stored_digest: Option<String>,
}

impl Continuation {
    /// Compares `config` with the configuration stored in the folder.
    ///
    /// # Errors
    /// The stored configuration cannot be read, is not what the run was given, or differs in what may not change; every
    /// such key is named.
    pub fn of(folder: &RunFolder, config: &Config) -> Result<Continuation> {
        let path = folder.config();
        let Some(mut stored) = stored(folder)? else {
            // It is written before the first plan. If there are plans, it has been removed since.
            let plan = folder.plan();
            if is_there(&plan)? && std::fs::metadata(&plan).map_err(LabError::io("look at", &plan))?.len() > 0 {
                return Err(LabError::ConfigMissing { path });
            }
            let config = config.clone();
            return Ok(Continuation { config, has_begun: false, budget_before: None, stored_digest: None });
        };
        let stored_digest = Some(known_digest(folder, stored.clone())?);
        // A network from before a key existed has that key's default.
        if let (Some(Value::Table(stored)), Some(Value::Table(known))) =
            (stored.get_mut("network"), table(&Config::default())?.get("network"))
        {
            complete(stored, known);
        }
        let mut merged = table(config)?;
        let differences = merge_all(&stored, &mut merged);
        if !differences.is_empty() {
            return Err(LabError::OtherSettings { folder: folder.root().to_owned(), differences });
        }
        let config = merged.try_into().map_err(|source| LabError::Syntax { path, source })?;
        let budget = stored.get("run").and_then(|run| run.get("budget")?.as_str());
        let budget_before = budget.and_then(|budget| parse_duration(budget).ok());
        Ok(Continuation { config, has_begun: true, budget_before, stored_digest })
    }
}

/// The differences, in keys that may not change, between stored settings (TOML, which errors call `place`) and `config`.
///
/// # Errors
/// The stored text is not TOML, or a value of `config` cannot be written.
pub fn differences(stored: &str, place: &Path, config: &Config) -> Result<Vec<String>> {
    let stored = stored.parse().map_err(|source| LabError::Syntax { path: place.to_owned(), source })?;
    Ok(merge_all(&stored, &mut table(config)?))
}

/// Adds missing keys.
fn complete(stored: &mut Table, known: &Table) {
    for (key, value) in known {
        match (stored.get_mut(key), value) {
            (Some(Value::Table(stored)), Value::Table(known)) => complete(stored, known),
            (Some(_), _) => {}
            (None, value) => drop(stored.insert(key.clone(), value.clone())),
        }
    }
}

/// Takes stored settings over into `resolved`, and returns the differences in keys that may not change.
fn merge_all(stored: &Table, resolved: &mut Table) -> Vec<String> {
    let mut differences = Vec::new();
    if let (Some(Value::Table(old)), Some(Value::Table(new))) = (stored.get("evaluator"), resolved.get_mut("evaluator"))
    {
        keep_without_effect(old, new);
    }
    merge(stored, resolved, "", &mut differences);
    differences
}

/// Keys of `[evaluator]` that have no effect without libtorch. A run has the same values in them whatever it was given.
fn keep_without_effect(old: &Table, new: &mut Table) {
    let is_native = |section: &Table| section.get("backend").and_then(Value::as_str) == Some("native");
    if !is_native(old) {
        return;
    }
    let keys = if is_native(new) { &["threads", "layout"][..] } else { &["threads"] };
    for &key in keys {
        if let Some(value) = old.get(key) {
            new.insert(key.to_owned(), value.clone());
        }
    }
}

fn merge(stored: &Table, resolved: &mut Table, prefix: &str, differences: &mut Vec<String>) {
    for (key, old) in stored {
        let name = format!("{prefix}{key}");
        match (old, resolved.get_mut(key)) {
            (Value::Table(old), Some(Value::Table(new))) => merge(old, new, &format!("{name}."), differences),
            (old, Some(new)) if old != new => {
                let chosen_then = CHOSEN_IF_ZERO.contains(&name.as_str()) && new.as_integer() == Some(0);
                if new.as_str() == Some(CHOICE) || chosen_then {
                    *new = old.clone();
                } else if name == "run.budget" && new.as_str() == Some("") {
                    // A run begun with a budget keeps it unless another is given.
                    *new = old.clone();
                } else if !may_change(&name) {
                    differences.push(format!("{name}: {old} in the run, {new} now"));
                }
            }
            (old, None) => {
                if let (Retired::Otherwise(now), false) = (Retired::of(&name, old), may_change(&name)) {
                    differences.push(format!(
                        "{name}: {old} in the run, always {now} now (docs/research/2026-11-26-retired-keys.md)"
                    ));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use train::{Backend, EvaluatorConfig, Layout};

    #[test]
    fn a_run_goes_on_with_the_settings_it_began_with() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = RunFolder::new(folder.path());
        // None of these is a 32-bit number.
        let mut config = Config::default();
        (config.search.c_scale, config.selfplay.opening_share) = (0.3, 0.7);
        std::fs::write(folder.config(), config.to_toml().expect("TOML")).expect("written");
        let same = Continuation::of(&folder, &config).expect("the same settings");
        assert!(same.has_begun && same.budget_before.is_none());
        assert_eq!((&same.config, same.stored_digest), (&config, Some(digest(&config).expect("a digest"))));
        let changed = Config { search: search::SearchConfig { c_scale: 0.4, ..config.search.clone() }, ..config };
        let error = Continuation::of(&folder, &changed).expect_err("other settings").to_string();
        assert!(error.ends_with("search.c_scale: 0.3 in the run, 0.4 now"), "{error}");
    }

    /// What a run without libtorch was given in keys of libtorch, it has not in its folder.
    #[test]
    fn keys_without_effect_do_not_stop_a_resume() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = RunFolder::new(folder.path());
        let [mut given, mut begun] = [Config::default(), Config::default()];
        given.evaluator =
            EvaluatorConfig { backend: Backend::Native, threads: 2, layout: Layout::Contiguous, ..given.evaluator };
        begun.evaluator = EvaluatorConfig { threads: 1, layout: Layout::ChannelsLast, ..given.evaluator.clone() };
        std::fs::write(folder.config(), begun.to_toml().expect("TOML")).expect("written");
        assert_eq!(Continuation::of(&folder, &given).expect("the same settings").config, begun);
        given.evaluator = EvaluatorConfig { backend: Backend::Auto, layout: Layout::Auto, ..given.evaluator };
        assert_eq!(Continuation::of(&folder, &given).expect("the same settings").config, begun);

        begun.evaluator.backend = Backend::Torch;
        std::fs::write(folder.config(), begun.to_toml().expect("TOML")).expect("written");
        let error = Continuation::of(&folder, &given).expect_err("other settings").to_string();
        assert!(error.ends_with("evaluator.threads: 1 in the run, 2 now"), "{error}");
    }

    /// A configuration whose network has changed does not resume an old run by mistake.
    #[test]
    fn keys_that_an_old_network_lacks_have_their_defaults() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = RunFolder::new(folder.path());
        let mut old = table(&Config::default()).expect("a table");
        old.get_mut("network").and_then(Value::as_table_mut).expect("a section").remove("features");
        std::fs::write(folder.config(), toml::to_string(&old).expect("TOML")).expect("written");
        let mut config = Config::default();
        assert_eq!(Continuation::of(&folder, &config).expect("the same settings").config, config);
        config.network.features.attacks = true;
        let error = Continuation::of(&folder, &config).expect_err("another network").to_string();
        assert!(error.ends_with("network.features.attacks: false in the run, true now"), "{error}");
    }

    /// A run of an earlier version resumes if its retired keys have their present values. Its digest, which counts them,
    /// stays.
    #[test]
    fn a_run_with_retired_keys_resumes_unless_they_had_other_values() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = RunFolder::new(folder.path());
        let config = Config::default();
        let begun_with = |weight: f64, order: &str| {
            let mut old = table(&config).expect("a table");
            let mut insert = |section: &str, key: &str, value: Value| {
                let section = old.get_mut(section).and_then(Value::as_table_mut).expect("a section");
                section.insert(key.to_owned(), value);
            };
            insert("selfplay", "limit_weight", weight.into());
            insert("training", "batch_threads", 3.into());
            insert("evaluation", "opening_order", order.into());
            std::fs::write(folder.config(), toml::to_string(&old).expect("TOML")).expect("written");
            (digest_of(old).expect("a digest"), Continuation::of(&folder, &config))
        };
        let (stored, same) = begun_with(0.2, "sequence");
        let same = same.expect("the same settings");
        assert_eq!((&same.config, &same.stored_digest), (&config, &Some(stored.clone())));
        assert_ne!(stored, digest(&config).expect("a digest"));
        // Matches may change, so a key of their section is no reason to refuse the run.
        assert_eq!(begun_with(0.2, "shuffled").1.expect("the same settings").config, config);
        let error = begun_with(0.7, "sequence").1.expect_err("other settings").to_string();
        assert!(
            error.ends_with(
                "selfplay.limit_weight: 0.7 in the run, always 0.2 now (docs/research/2026-11-26-retired-keys.md)"
            ),
            "{error}"
        );
    }

    #[test]
    fn the_digest_is_of_what_may_not_change() {
        let digest = |change: &dyn Fn(&mut Config)| {
            let mut config = Config::default();
            change(&mut config);
            digest(&config).expect("a digest")
        };
        let plain = digest(&|_| {});
        assert_eq!(plain.len(), 16);
        assert_eq!(plain, digest(&|config| config.run.folder = "elsewhere".into()));
        assert_eq!(plain, digest(&|config| config.run.threads = 7));
        assert_eq!(plain, digest(&|config| config.run.generations = 77));
        assert_eq!(plain, digest(&|config| config.evaluation.visits = 7));
        assert_ne!(plain, digest(&|config| config.run.seed = 7));
        assert_ne!(plain, digest(&|config| config.search.visits = 7));
        assert_ne!(plain, digest(&|config| config.training.data.mirror = 0.25));
    }
}
