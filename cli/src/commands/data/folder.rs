//! Which data folder a path means, and which variant it holds.

use crate::failure::{input, must_exist};
use anyhow::Context;
use data::DataStore;
use rules::VariantId;
use std::path::{Path, PathBuf};

/// Opens the data of a run or a data folder for reading, and says which variant to look at: the one asked for, or else the
/// only one that it holds.
///
/// # Errors
/// There is no data in the folder, or no variant is asked for and it holds games of none or of several.
pub fn open(folder: &Path, variant: Option<VariantId>) -> anyhow::Result<(DataStore, VariantId)> {
    let store = DataStore::open_read_only(&data_folder(folder)?)?;
    let variant = variant.map_or_else(|| only_variant(&store), Ok)?;
    Ok((store, variant))
}

/// The data of a run, or the folder itself.
///
/// # Errors
/// There is nothing at the path, or no data in it.
pub fn data_folder(folder: &Path) -> anyhow::Result<PathBuf> {
    must_exist(folder)?;
    DataStore::folder_of(folder).ok_or_else(|| {
        input(format!("{} holds no games: it has neither data/{1} nor {1}", folder.display(), data::MANIFEST))
    })
}

/// The variant of all games in a data folder.
fn only_variant(store: &DataStore) -> anyhow::Result<VariantId> {
    let mut names: Vec<String> = store.all_shards()?.into_iter().map(|shard| shard.variant).collect();
    names.dedup();
    match names.as_slice() {
        [name] => name.parse().with_context(|| format!("games in {}", store.root().display())),
        [] => Err(input(format!("{} holds no games yet", store.root().display()))),
        several => {
            let known = several.join(", ");
            Err(input(format!("{} holds games of {known}; choose one with --variant", store.root().display())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_games_is_named() {
        let error = format!("{:#}", data_folder(Path::new("no/such/run")).unwrap_err());
        assert!(error.starts_with("cannot read no/such/run: "), "{error}");
        let folder = tempfile::tempdir().unwrap();
        let error = data_folder(folder.path()).unwrap_err().to_string();
        assert!(error.contains(&folder.path().display().to_string()) && error.contains("no games"), "{error}");
    }
}
