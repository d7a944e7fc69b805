//! Repair of the log of a match: games that are lost or break the rules are played again.

use super::verify::refuted;
use super::{LogLine, MatchHeader};
use data::DataError;
use data::repair::{Aside, salvage, salvage_log};
use rules::VariantId;
use std::collections::HashSet;
use std::path::Path;

/// Replaces a damaged log by one without the damaged lines, after copying it to quarantine; returns whether it did. A log
/// whose settings are lost is moved to quarantine. The same command then resumes the match and plays what is missing.
///
/// # Errors
/// A file cannot be read or written.
pub fn repair(path: &Path, aside: &mut Aside) -> Result<bool, DataError> {
    let salvaged = salvage::<LogLine>(path)?;
    let has_settings = matches!(salvaged.entries.first(), Some((1, LogLine::Header(_))));
    if !has_settings && salvaged.is_clean() && salvaged.entries.is_empty() {
        // The match was killed before its first line.
        return Ok(false);
    }
    if !has_settings {
        aside.take(path, "its settings are lost", "the match is played again", None)?;
        return Ok(true);
    }
    let mut repaired = false;
    salvage_log::<LogLine>(path, aside, |salvaged| {
        let before = salvaged.entries.len() + salvaged.lost.len();
        let header = salvaged.entries.iter().find_map(|(_, line)| match line {
            LogLine::Header(header) => Some(header.as_ref().clone()),
            _ => None,
        });
        if let Some(header) = header {
            keep_sound(&header, &mut salvaged.entries);
        }
        let left = salvaged.entries.len();
        let what = match salvaged.what() {
            what if what.is_empty() => "it has games that the rules refute, or twice".to_owned(),
            what => what,
        };
        repaired = !salvaged.is_clean() || left < before;
        repaired.then(|| (what, format!("{left} of {before} lines are kept; the same match plays what is missing")))
    })?;
    Ok(repaired)
}

/// Keeps the first line with settings, and each game that follows the rules, once.
fn keep_sound(header: &MatchHeader, lines: &mut Vec<(usize, LogLine)>) {
    // A variant of a later version: its rules are unknown here.
    let Ok(variant) = header.variant.parse::<VariantId>() else { return };
    let mut seen = HashSet::new();
    lines.retain(|(number, line)| match line {
        LogLine::Header(_) => *number == 1,
        LogLine::Test(_) => true,
        LogLine::Game(game) => {
            let refuted = rules::dispatch!(variant, V => refuted::<V>(header, game).is_some());
            !refuted && seen.insert(game.key())
        }
    });
}
