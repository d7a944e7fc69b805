//! Checking logs of matches: checksums, settings, and every game against the rules.

use super::{LogLine, MatchHeader, game_name};
use crate::log::GameEntry;
use data::verify::{Findings, RESTORE, check_outcome};
use rayon::prelude::*;
use rules::{Variant, VariantId};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Games in a log: how long [`verify`] will take. 0 where it cannot be read.
pub fn games_in(path: &Path) -> u64 {
    super::read(path).map_or(0, |recorded| recorded.games.len() as u64)
}

/// The paths of the logs of a folder in the order of their names, or the path of a single log.
///
/// # Errors
/// The folder cannot be listed.
pub fn logs_in(source: &Path) -> std::io::Result<Vec<PathBuf>> {
    if source.is_file() {
        return Ok(vec![source.to_owned()]);
    }
    let paths: std::io::Result<Vec<PathBuf>> = std::fs::read_dir(source)?.map(|entry| Ok(entry?.path())).collect();
    let mut logs: Vec<PathBuf> =
        paths?.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")).collect();
    logs.sort();
    Ok(logs)
}

/// Checks the log of a match and changes nothing: the checksums of its lines, that its settings are its first line, that no
/// game is there twice with different contents, and that every game follows the rules to the result and the termination
/// that it has. `progress` is told of the games when they have been played again.
///
/// # Examples
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// let log = folder.path().join("match.jsonl");
/// std::fs::write(&log, "{\"my\":\"only copy\"}\n").unwrap();
/// let found = eval::log::verify(&log, &|_| ());
/// assert_eq!(found.problems.len(), 1);
/// ```
pub fn verify(path: &Path, progress: &(dyn Fn(u64) + Sync)) -> Findings {
    let mut findings = Findings::default();
    let lines = findings.log::<LogLine>(path);
    let damaged = !findings.is_clean();
    let (mut header, mut games): (Option<MatchHeader>, Vec<(usize, GameEntry)>) = (None, Vec::new());
    for (number, line) in lines {
        match line {
            LogLine::Header(first) if header.is_none() && number == 1 => header = Some(*first),
            LogLine::Header(_) => {
                findings.problem(path, format!("line {number}: settings of a match, which belong in line 1"), RESTORE);
            }
            LogLine::Test(_) => {}
            LogLine::Game(game) => games.push((number, *game)),
        }
    }
    let Some(header) = header else {
        // A match that was killed before its first line has an empty log, and a damaged first line is named already.
        if !games.is_empty() && !damaged {
            findings.problem(path, "its first line is not the settings of a match", RESTORE);
        }
        return findings;
    };
    match header.variant.parse::<VariantId>() {
        Ok(variant) => rules::dispatch!(variant, V => check::<V>(path, &header, &games, &mut findings)),
        Err(unknown) => findings.problem(path, format!("line 1: {unknown}"), "use a newer kirin"),
    }
    progress(games.len() as u64);
    findings
}

/// Plays the games again, on all threads.
fn check<V: Variant>(path: &Path, header: &MatchHeader, games: &[(usize, GameEntry)], findings: &mut Findings) {
    let mut seen = HashSet::new();
    for (number, game) in games {
        if !seen.insert(game.key()) {
            let what = format!("line {number}: {} is there already", game_name(game.key()));
            findings.problem(path, what, "the first one counts; with --repair the others go");
        }
    }
    let faults: Vec<Option<String>> = games.par_iter().map(|(_, game)| refuted::<V>(header, game)).collect();
    for ((number, game), fault) in games.iter().zip(faults) {
        if let Some(fault) = fault {
            let repair = "restore it from a copy; with --repair the game is played again";
            findings.problem(path, format!("line {number}: {}: {fault}", game_name(game.key())), repair);
        }
    }
    findings.games += games.len() as u64;
}

/// How a game breaks the rules; `None` if it does not.
pub(super) fn refuted<V: Variant>(header: &MatchHeader, game: &GameEntry) -> Option<String> {
    match game.scoresheet::<V>(header) {
        Err(error) => Some(error.to_string()),
        Ok(sheet) => check_outcome(&sheet).err().map(|fault| fault.to_string()),
    }
}
