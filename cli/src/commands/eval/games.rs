//! The source of exported games: a match log, a run, or a folder of logs.

use crate::failure::{input, must_exist};
use eval::log::{self, FinishedGames, MatchHeader};
use report::number::counted;
use rules::VariantId;
use std::path::{Path, PathBuf};

/// The games of one log that count.
pub struct LoggedGames {
    /// The path of the log.
    pub log: PathBuf,
    /// The header of the log.
    pub header: MatchHeader,
    /// The games that count.
    pub games: FinishedGames,
}

/// Reads the games that count: those of a log, or those of all logs of a run or of a folder, of one variant or of all. Games
/// that were finished after a sequential test had decided do not count; if there are such games, a line on standard error
/// has their number.
///
/// # Errors
/// The source does not exist, is damaged, or holds no finished game.
pub fn read(source: &Path, variant: Option<VariantId>) -> anyhow::Result<Vec<LoggedGames>> {
    must_exist(source)?;
    let logs = if source.is_dir() { logs_in(&super::logs_of(source)?)? } else { vec![source.to_owned()] };
    let mut out = Vec::new();
    for log in logs {
        let recorded = log::read(&log)?;
        let Some(header) = recorded.header.clone() else { continue };
        if variant.is_some_and(|variant| header.variant != variant.id()) {
            continue;
        }
        let all = recorded.games.len();
        let games = recorded.counted();
        log::check_games(&log, &header, &games)?;
        if games.len() < all {
            let left_out = all - games.len();
            let left_out = counted(left_out as u64, "game", "games");
            eprintln!("{}: left out, because ended after the decision of the test: {left_out}", log.display());
        }
        out.push(LoggedGames { log, header, games });
    }
    if out.iter().all(|logged| logged.games.is_empty()) {
        let of = variant.map_or_else(String::new, |variant| format!(" in {variant}"));
        return Err(input(format!("{} holds no finished game of a match{of}", source.display())));
    }
    Ok(out)
}

/// The logs of a folder in the order of their names.
fn logs_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    Ok(log::read_folder(folder)?.into_iter().map(|(path, ..)| path).collect())
}

/// The games in PGN.
pub fn pgn(logs: &[LoggedGames]) -> String {
    logs.iter().map(|logged| eval::pgn::export(&logged.header, &logged.games)).collect()
}
