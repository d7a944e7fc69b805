//! The settings that all roles of a run share, and the refusal of others.

use super::objects::Begun;
use crate::error::{Result, RoleError};
use crate::store::Store;
use lab::{Config, Host};

/// The settings of the run in the store, adapted to this machine: threads and memory are those of this machine,
/// everything else is the run's.
///
/// # Errors
/// The run was begun by another version, or `config` differs in what may not change.
pub fn agreed(store: &Store, begun: &Begun, config: &Config, host: &Host) -> Result<Config> {
    let url = || store.url().to_owned();
    if begun.about.kirin_version != host.version {
        let (theirs, ours) = (begun.about.kirin_version.clone(), host.version.to_owned());
        return Err(RoleError::OtherVersion { url: url(), theirs, ours });
    }
    let differences = lab::differences(&begun.config, store.url().as_ref(), config)?;
    if !differences.is_empty() {
        return Err(RoleError::OtherSettings { url: url(), differences });
    }
    let mut agreed = self::config(store, begun)?;
    agreed.run.threads = config.run.threads;
    agreed.run.folder.clone_from(&config.run.folder);
    agreed.selfplay.cache_mb = config.selfplay.cache_mb;
    if config.evaluator.callers > 0 {
        agreed.evaluator.callers = config.evaluator.callers;
    }
    Ok(agreed)
}

/// The settings of the run in a store.
///
/// # Errors
/// They cannot be read.
pub fn config(store: &Store, begun: &Begun) -> Result<Config> {
    Ok(Config::stored(store.url().as_ref(), &begun.config)?)
}
