//! The games of match logs that count.

use super::{FinishedGames, MatchHeader, check_games, folder_of, paths_in, read};
use crate::error::MatchError;
use rules::VariantId;
use std::path::{Path, PathBuf};

/// The games of one log that count.
#[derive(Clone, Debug)]
pub struct LoggedGames {
    /// The path of the log.
    pub log: PathBuf,
    /// The header of the log.
    pub header: MatchHeader,
    /// The games that count.
    pub games: FinishedGames,
    /// How many games ended after the decision of the sequential test, and do not count.
    pub excluded: usize,
}

impl LoggedGames {
    /// Those of a log, or those of all logs of a run or a folder in the order of their names, of one variant or of all. Every
    /// game is replayed by the rules.
    ///
    /// # Errors
    /// The source or a log cannot be read, a game cannot be replayed, or no game is finished.
    pub fn read(source: &Path, variant: Option<VariantId>) -> Result<Vec<LoggedGames>, MatchError> {
        let logs = if source.is_dir() { paths_in(&folder_of(source))? } else { vec![source.to_owned()] };
        let mut out = Vec::new();
        for log in logs {
            let recorded = read(&log)?;
            let Some(header) = recorded.header.clone() else { continue };
            if variant.is_some_and(|variant| header.variant != variant.id()) {
                continue;
            }
            let all = recorded.games.len();
            let games = recorded.counted();
            check_games(&log, &header, &games)?;
            out.push(LoggedGames { log, header, excluded: all - games.len(), games });
        }
        match out.iter().all(|logged| logged.games.is_empty()) {
            true => Err(MatchError::NoGames { path: source.to_owned(), variant }),
            false => Ok(out),
        }
    }
}
