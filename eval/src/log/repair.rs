//! Repair of the log of a match: lines that are lost, and games that the rules refute, are played again.

use super::verify::refuted;
use super::{Header, LogLine};
use data::DataError;
use data::repair::{Aside, salvage, salvage_log};
use rules::VariantId;
use std::collections::HashSet;
use std::path::Path;

/// Puts a log without its damaged lines in the place of a damaged one, which is copied aside first; tells whether it did. A
/// log whose settings are lost is moved aside. The match goes on with the same command, and plays what is missing.
///
/// # Errors
/// A file cannot be read or written.
pub fn repair(path: &Path, aside: &mut Aside) -> Result<bool, DataError> {
    let salvaged = salvage::<LogLine>(path)?;
    let has_settings = matches!(salvaged.entries.first(), Some((1, LogLine::Header(_))));
    if !has_settings && salvaged.is_clean() && salvaged.entries.is_empty() {
        // A match that was killed before its first line.
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

/// Keeps the first line with settings, and each game once that follows the rules.
fn keep_sound(header: &Header, lines: &mut Vec<(usize, LogLine)>) {
    // Of a later program: nothing is known of its rules.
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
