//! The data folder that a path names, and the variant of its games.

use super::sources;
use crate::failure::{input, must_exist};
use anyhow::Context;
use clap::Args;
use data::{DataStore, GameFolders};
use report::FolderGames;
use report::number::counted;
use rules::VariantId;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Folders whose games are read together.
#[derive(Args)]
pub struct FolderArguments {
    /// A run folder, a data folder, a match log (NAME.jsonl), or a folder with match logs. With several sources, a game
    /// that is in more than one of them counts once.
    #[arg(required = true, value_name = "SOURCE")]
    folders: Vec<PathBuf>,
    /// The variant; needed only if the folders hold games of several.
    #[arg(long, value_parser = crate::commands::variants())]
    variant: Option<VariantId>,
}

/// Folders opened for reading.
pub struct OpenFolders {
    /// The folders.
    pub folders: GameFolders,
    /// Their name in messages.
    pub name: String,
    /// The variant of the games to read.
    pub variant: VariantId,
    /// Temporary folders with the games of matches.
    _matches: Vec<TempDir>,
}

impl FolderArguments {
    /// Opens the folders, and chooses the variant: the one asked for, or else the only one that all of them hold.
    ///
    /// # Errors
    /// There are no games in one of them; they hold games of different variants, or of several and none is asked for.
    pub fn open(&self) -> anyhow::Result<OpenFolders> {
        let opened = stores(&self.folders)?;
        let held = held(&opened.named)?;
        let name = opened.named.iter().map(|(folder, _)| folder.display().to_string()).collect::<Vec<_>>().join(", ");
        let variant = self.variant.map_or_else(|| common_variant(&held), Ok)?;
        // A single folder may have no games yet, as that of a run that has just begun.
        let may_be_empty = held.len() == 1;
        let lacks = |variants: &BTreeSet<String>| {
            let is_new = may_be_empty && variants.is_empty();
            !is_new && !variants.contains(variant.id())
        };
        if let Some((folder, variants)) = held.iter().find(|(_, variants)| lacks(variants)) {
            return Err(input(format!("{} holds {}, and not of {variant}", folder.display(), games_of(variants))));
        }
        let stores = opened.named.into_iter().map(|(_, store)| store).collect();
        Ok(OpenFolders { folders: GameFolders::new(stores), name, variant, _matches: opened.matches })
    }
}

/// Different folders, opened for reading.
pub struct NamedStores {
    /// Each as it is named, and its games.
    pub named: Vec<(PathBuf, DataStore)>,
    /// Temporary folders with the games of matches, to be kept as long as those are read.
    pub matches: Vec<TempDir>,
}

/// Opens folders and match logs for reading, each under the name by which it is first named: one that is named twice counts
/// once, and so do a run and its data folder. The games of matches are copied to temporary folders.
///
/// # Errors
/// There are no games in one of them, or it cannot be read.
pub fn stores(folders: &[PathBuf]) -> anyhow::Result<NamedStores> {
    let (mut named, mut matches, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
    for folder in folders {
        let place = match is_log(folder) {
            true => folder.clone(),
            false => {
                must_be_folder(folder)?;
                DataStore::folder_of(folder)?.unwrap_or_else(|| folder.clone())
            }
        };
        if !seen.insert(place.canonicalize().unwrap_or(place)) {
            continue;
        }
        let FolderGames { store, copied } = report::games_in(folder)?.ok_or_else(|| no_games(folder))?;
        named.push((folder.clone(), store));
        matches.extend(copied);
    }
    Ok(NamedStores { named, matches })
}

/// The variant of which all of these folders hold games.
///
/// # Errors
/// There is none, or there are several.
pub fn only_variant(stores: &[(PathBuf, DataStore)]) -> anyhow::Result<VariantId> {
    common_variant(&held(stores)?)
}

/// The variants of the games in each folder.
fn held(stores: &[(PathBuf, DataStore)]) -> anyhow::Result<Vec<(&PathBuf, BTreeSet<String>)>> {
    let variants = |store: &DataStore| -> anyhow::Result<BTreeSet<String>> {
        Ok(store.all_shards()?.into_iter().map(|shard| shard.variant).collect())
    };
    stores.iter().map(|(folder, store)| Ok((folder, variants(store)?))).collect()
}

/// What a folder holds, for messages.
fn games_of(variants: &BTreeSet<String>) -> String {
    match variants.is_empty() {
        true => "no games yet".to_owned(),
        false => format!("games of {}", variants.iter().map(String::as_str).collect::<Vec<_>>().join(", ")),
    }
}

/// The variant of which all folders hold games.
fn common_variant(held: &[(&PathBuf, BTreeSet<String>)]) -> anyhow::Result<VariantId> {
    let all: BTreeSet<&String> = held.iter().flat_map(|(_, variants)| variants).collect();
    let in_all = |name: &&String| held.iter().all(|(_, variants)| variants.contains(*name));
    let common: Vec<&String> = all.iter().copied().filter(in_all).collect();
    match common.as_slice() {
        [name] => name.parse().with_context(|| format!("games in {}", held[0].0.display())),
        [] => {
            let list: Vec<String> =
                held.iter().map(|(folder, held)| format!("{} holds {}", folder.display(), games_of(held))).collect();
            let which = if held.len() > 1 { ": name folders with games of one variant" } else { "" };
            Err(input(format!("{}{which}", list.join(", "))))
        }
        several => {
            let known = several.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
            let folders = held.iter().map(|(folder, _)| folder.display().to_string()).collect::<Vec<_>>().join(", ");
            let hold = if held.len() > 1 { "hold" } else { "holds" };
            Err(input(format!("{folders} {hold} games of {known}; choose one with --variant")))
        }
    }
}

/// A line for people if games were in the folders twice.
pub fn doubled_line(doubled: u64) -> Option<String> {
    (doubled > 0).then(|| format!("{} there twice, counted once", counted(doubled, "game is", "games are")))
}

/// Opens the data of a run or a data folder for reading, and chooses the variant: the one asked for, or else the only one
/// that it holds.
///
/// # Errors
/// There is no data in the folder, or no variant is asked for and it holds games of none or of several.
pub fn open(folder: &Path, variant: Option<VariantId>) -> anyhow::Result<(DataStore, VariantId)> {
    let store = DataStore::open_read_only(&data_folder(folder)?)?;
    let held = store.all_shards()?.into_iter().map(|shard| shard.variant).collect();
    let variant = variant.map_or_else(|| common_variant(&[(&store.root().to_owned(), held)]), Ok)?;
    Ok((store, variant))
}

/// The data of a run, or the folder itself.
///
/// # Errors
/// There is nothing at the path, or no data in it.
pub fn data_folder(folder: &Path) -> anyhow::Result<PathBuf> {
    must_be_folder(folder)?;
    DataStore::folder_of(folder)?.ok_or_else(|| no_games(folder))
}

/// Checks that a folder named on the command line is there, and a folder.
///
/// # Errors
/// It is not; of a file the message says what to do.
pub fn must_be_folder(folder: &Path) -> anyhow::Result<()> {
    must_exist(folder)?;
    if folder.is_dir() {
        return Ok(());
    }
    let shown = folder.display();
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    Err(input(if sources::has_known_ending(&name) {
        format!("{shown} is a file of games; import it first: kirin data import {shown} --variant V --to DIR")
    } else {
        format!("{shown} is a file; name the folder that it is in")
    }))
}

/// Whether a file has a name such as match logs have.
pub fn is_log(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|extension| extension == "jsonl")
}

fn no_games(folder: &Path) -> anyhow::Error {
    if is_log(folder) {
        return input(format!("{} holds no games yet", folder.display()));
    }
    input(format!("{} holds no games: it has neither data/{1} nor {1}", folder.display(), data::MANIFEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_games_is_named() {
        let error = format!("{:#}", data_folder(Path::new("no/such/run")).unwrap_err());
        assert!(error.starts_with("cannot read no/such/run: "), "{error}");
        let folder = tempfile::tempdir().unwrap();
        for (file, expected) in [
            ("x.pgn", "x.pgn is a file of games; import it first: kirin data import "),
            ("m.jsonl", "m.jsonl is a file; name the folder that it is in"),
        ] {
            let file = folder.path().join(file);
            std::fs::write(&file, "").unwrap();
            let error = data_folder(&file).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            let error = stores(std::slice::from_ref(&file)).map(drop).unwrap_err().to_string();
            let expected = if is_log(&file) { "m.jsonl holds no games yet" } else { expected };
            assert!(error.contains(expected), "{error}");
        }
        let error = data_folder(folder.path()).unwrap_err().to_string();
        assert!(error.contains(&folder.path().display().to_string()) && error.contains("no games"), "{error}");
    }

    #[test]
    fn folders_of_different_variants_are_named() {
        let [a, b] = ["a", "b"].map(PathBuf::from);
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<BTreeSet<_>>();
        let common = |a_holds, b_holds| {
            common_variant(&[(&a, names(a_holds)), (&b, names(b_holds))]).map_err(|error| error.to_string())
        };
        assert_eq!(common(&["shogi"], &["janggi", "shogi"]).unwrap().id(), "shogi");
        let refused = "a holds games of janggi, b holds games of shogi: name folders with games of one variant";
        assert_eq!(common(&["janggi"], &["shogi"]).unwrap_err(), refused);
        let empty = "a holds games of janggi, b holds no games yet: name folders with games of one variant";
        assert_eq!(common(&["janggi"], &[]).unwrap_err(), empty);
        let several = common(&["janggi", "shogi"], &["janggi", "shogi"]).unwrap_err();
        assert_eq!(several, "a, b hold games of janggi, shogi; choose one with --variant");
    }
}
