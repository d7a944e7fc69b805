//! What KIF and CSA have no words for: comments in which Kirin says how a game ended and by which rules it was played,
//! its round, the ratings of its players, and how many of its moves no player chose, so that a game comes back as it
//! was written.
//!
//! `Kirin: result=-1 termination=max_plies ruleset=points24 max-plies=200`
//! `Kirin: ruleset=declare27`, of a game in progress
//! `Kirin: round=3.1`
//! `Kirin: opening-plies=4`
//! `Kirin: rating-first=2450`
//! `Kirin: rating-second=2300.5`

use rules::{GameResult, Outcome, Rules, Variant};

use crate::record::TaggedGame;
use crate::tags;
use crate::written::{WrittenGame, WrittenResult};

const MARK: &str = "Kirin: result=";
const RULES: &str = "Kirin: ruleset=";
const ROUND: &str = "Kirin: round=";
const OPENING: &str = "Kirin: opening-plies=";
const RATINGS: [&str; 2] = ["Kirin: rating-first=", "Kirin: rating-second="];

/// The comments, without the sign of the format.
pub(crate) fn write<V: Variant>(record: &TaggedGame<V>) -> Vec<String> {
    let rules: &Rules<V> = record.game.rules();
    let ended = |Outcome { result, termination, .. }: &Outcome| {
        format!("{MARK}{} termination={termination} ruleset={rules}", result.number())
    };
    let tags = &record.tags;
    let mut comments = vec![record.outcome.as_ref().map_or_else(|| format!("{RULES}{rules}"), ended)];
    comments.extend(tags.round.iter().map(|round| format!("{ROUND}{}", tags::one_line(round))));
    let ratings = RATINGS.into_iter().zip([tags.first_rating, tags.second_rating]);
    comments.extend(ratings.filter_map(|(mark, rating)| Some(format!("{mark}{}", rating?))));
    comments.extend((tags.opening_plies > 0).then(|| format!("{OPENING}{}", tags.opening_plies)));
    comments
}

/// Takes over what a comment of Kirin says; other comments are ignored.
pub(crate) fn read(comment: &str, game: &mut WrittenGame) {
    let comment = comment.trim();
    if let Some(round) = comment.strip_prefix(ROUND) {
        game.tags.round = tags::value(round);
    } else if let Some(rules) = comment.strip_prefix(RULES) {
        game.rules = Some(rules.to_owned());
    } else if let Some(plies) = comment.strip_prefix(OPENING) {
        game.tags.opening_plies = plies.parse().unwrap_or(0);
    } else if let Some(rating) = comment.strip_prefix(RATINGS[0]) {
        game.tags.first_rating = tags::rating(rating);
    } else if let Some(rating) = comment.strip_prefix(RATINGS[1]) {
        game.tags.second_rating = tags::rating(rating);
    }
    let said = comment.strip_prefix(MARK).and_then(|rest| {
        let (result, rest) = rest.split_once(" termination=")?;
        let (termination, rules) = rest.split_once(" ruleset=")?;
        Some((GameResult::try_from(result.parse::<i32>().ok()?).ok()?, termination.parse().ok()?, rules))
    });
    if let Some((result, termination, rules)) = said {
        game.end(WrittenResult::Result(result), Some(termination));
        game.rules = Some(rules.to_owned());
    }
}
