//! Openings that were played in self-play.

use super::Opening;
use crate::error::MatchError;
use data::{DataStore, GameFolders, OpeningQuery, OpeningRow};
use rules::{Game, Key, MoveList, Position, Rules, Variant};
use std::collections::HashMap;
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
    lines_in(&folders, &folder.display().to_string(), rules, plies, min_games)
}

/// Like [`lines`], for the games in several folders. `name` is what they are called in messages.
///
/// # Errors
/// The folders hold no games of the variant or cannot be read, or no line has enough games.
pub fn lines_in<V: Variant>(
    folders: &GameFolders,
    name: &str,
    rules: Rules<V>,
    plies: u32,
    min_games: u64,
) -> Result<Vec<(Opening<V>, u64)>, MatchError> {
    let refused = |reason: String| MatchError::Config(vec![format!("{name}: {reason}")]);
    let query = OpeningQuery { depth: plies, min_games, ..OpeningQuery::new(V::ID) };
    let table = folders.openings(&query)?;
    let mut lines: Vec<(Opening<V>, u64)> = Vec::new();
    let mut places: HashMap<Key, usize> = HashMap::new();
    for row in table.rows.iter().filter(|row| row.ply == plies) {
        let illegal = |reason| MatchError::Line { name: name.to_owned(), reason };
        let Some(opening) = opening(row, rules).map_err(illegal)? else { continue };
        match places.get(&opening.end().key()) {
            Some(&place) => lines[place].1 += row.games,
            None => {
                places.insert(opening.end().key(), lines.len());
                lines.push((opening, row.games));
            }
        }
    }
    if lines.is_empty() {
        let most = table.rows.iter().map(|row| row.ply).max().unwrap_or(0);
        return Err(refused(format!(
            "none of its {} games of {} leads to an opening of {plies} plies that {min_games} games have in common \
             (the longest such line has {most}); take fewer opening plies, or fewer games as a minimum",
            table.games,
            V::ID
        )));
    }
    // Adding up may have changed the order.
    lines.sort_by_key(|&(_, games)| std::cmp::Reverse(games));
    Ok(lines)
}

/// The opening of a line; `None` if the game ends with it.
fn opening<V: Variant>(row: &OpeningRow, rules: Rules<V>) -> Result<Option<Opening<V>>, String> {
    let position = match (&row.setup_first, &row.setup_second) {
        (Some(first), Some(second)) => {
            let position = Position::start_with([first, second]).map_err(|error| error.to_string())?;
            Some(position).filter(|position| *position != Position::start())
        }
        _ => None,
    };
    let start = position.clone().unwrap_or_else(Position::start);
    let game =
        Game::from_moves_text(rules, start, &row.moves).map_err(|error| format!("the line {}: {error}", row.moves))?;
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    let goes_on = game.outcome(&legal).is_none();
    Ok(goes_on.then(|| Opening { position, moves: game.moves().to_vec() }))
}
