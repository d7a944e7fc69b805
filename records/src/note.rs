//! What KIF and CSA have no words for: a comment in which Kirin says how a game ended and by which rules it was played, so
//! that a game comes back as it was written.
//!
//! `Kirin: result=-1 termination=max_plies ruleset=points24 max-plies=200`

use rules::{GameResult, Outcome, Rules, Variant};

use crate::written::{Verdict, Written};

const MARK: &str = "Kirin: result=";

/// The comment, without the sign of the format.
pub(crate) fn write<V: Variant>(rules: &Rules<V>, outcome: &Outcome) -> String {
    format!("{MARK}{} termination={} ruleset={rules}", outcome.result.number(), outcome.termination)
}

/// Takes over what the comment says; a comment that is something else says nothing.
pub(crate) fn read(comment: &str, game: &mut Written) {
    let said = comment.trim().strip_prefix(MARK).and_then(|rest| {
        let (result, rest) = rest.split_once(" termination=")?;
        let (termination, rules) = rest.split_once(" ruleset=")?;
        Some((GameResult::try_from(result.parse::<i32>().ok()?).ok()?, termination.parse().ok()?, rules))
    });
    if let Some((result, termination, rules)) = said {
        game.end(Verdict::Result(result), Some(termination));
        game.rules = Some(rules.to_owned());
    }
}
