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

/// Refuses to write a file into the data folder that is read. `option` is what named the file.
///
/// # Errors
/// The file lies there, by whatever path.
pub fn refuse_inside(option: &str, out: &Path, root: &Path) -> anyhow::Result<()> {
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (folder.canonicalize(), root.canonicalize()) {
        (Ok(folder), Ok(root)) if folder.starts_with(&root) => {
            Err(input(format!("{option} {} lies in the data folder; choose another place", out.display())))
        }
        _ => Ok(()),
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

    #[test]
    fn nothing_is_written_into_the_folder_that_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("data");
        std::fs::create_dir_all(root.join("games")).unwrap();
        std::os::unix::fs::symlink(&root, folder.path().join("link")).unwrap();
        for inside in ["data/manifest.jsonl", "data/games/x", "link/x", "data/games/../x"] {
            let error = refuse_inside("--book", &folder.path().join(inside), &root).unwrap_err().to_string();
            assert!(error.starts_with("--book ") && error.contains("lies in the data folder"), "{error}");
        }
        refuse_inside("--book", &folder.path().join("book.txt"), &root).unwrap();
        refuse_inside("--book", Path::new("book.txt"), &root).unwrap();
    }
}
