//! Openings that were played in self-play.

use super::{LineTree, Opening};
use crate::error::MatchError;
use data::{DataStore, GameFolders, OpeningQuery};
use rules::{Rules, Variant};
use std::path::Path;

/// The lines of `plies` moves that at least `min_games` games of a run (or of a data folder) were played by, with the
/// number of those games: the most played first. Of lines that lead to the same position the most played is kept, with
/// the games of all.
///
/// # Errors
/// The folder holds no games of the variant or cannot be read, or no line has enough games.
pub fn lines<V: Variant>(
    folder: &Path,
    rules: Rules<V>,
    plies: u32,
    min_games: u64,
) -> Result<Vec<(Opening<V>, u64)>, MatchError> {
    let root = DataStore::folder_of(folder)?.ok_or_else(|| {
        let folder = folder.display();
        MatchError::Config(vec![format!("{folder}: holds no games: it has neither data/{0} nor {0}", data::MANIFEST)])
    })?;
    let folders = GameFolders::from(DataStore::open_read_only(&root)?);
    let name = folder.display().to_string();
    let tree = tree_in(&folders, &name, rules, plies, min_games)?.of_length(plies);
    let lines = tree.lines();
    if lines.is_empty() {
        return Err(no_line(&tree, &name, plies, min_games));
    }
    Ok(lines)
}

/// The lines of at most `plies` moves that at least `min_games` games in these folders were played by, as a tree.
///
/// # Errors
/// The folders hold no games of the variant or cannot be read.
pub fn tree_in<V: Variant>(
    folders: &GameFolders,
    name: &str,
    rules: Rules<V>,
    plies: u32,
    min_games: u64,
) -> Result<LineTree<V>, MatchError> {
    let query = OpeningQuery { depth: plies, min_games, ..OpeningQuery::new(V::ID) };
    let table = folders.openings(&query)?;
    LineTree::new(&table, rules).map_err(|reason| MatchError::Line { name: name.to_owned(), reason })
}

/// The error of a tree without a line of `plies` moves.
pub fn no_line<V: Variant>(tree: &LineTree<V>, name: &str, plies: u32, min_games: u64) -> MatchError {
    MatchError::Config(vec![format!(
        "{name}: none of its {} games of {} leads to an opening of {plies} plies that {min_games} games have in common \
         (the longest such line has {}); take fewer opening plies, or fewer games as a minimum",
        tree.games(),
        V::ID,
        tree.longest()
    )])
}
