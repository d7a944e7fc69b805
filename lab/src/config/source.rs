//! Where a configuration comes from.

use super::Config;
use crate::error::Result;
use std::path::{Path, PathBuf};

/// Where a configuration comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigSource {
    /// A file that a person names.
    File(PathBuf),
    /// One that comes with the program.
    Bundled {
        /// Its name: that of its file without the extension.
        name: &'static str,
        /// Its text.
        text: &'static str,
    },
}

impl ConfigSource {
    /// Reads it, and applies overrides (`key=value`, the key with dots).
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn load(&self, overrides: &[String]) -> Result<Config> {
        match self {
            ConfigSource::File(file) => Config::load_named(file, overrides),
            ConfigSource::Bundled { name, text } => Config::parse(Path::new(name), Ok((*text).to_owned()), overrides),
        }
    }

    /// Its name without extension: that of the run's folder, if it names no other.
    pub fn name(&self) -> String {
        match self {
            ConfigSource::File(file) => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            ConfigSource::Bundled { name, .. } => (*name).to_owned(),
        }
    }
}
