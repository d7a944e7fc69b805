//! The options by which several commands choose games.

use super::OpenFolders;
use crate::failure::input;
use chrono::NaiveDate;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use data::{Excluded, GameFilter, GameSource, result_name};
use report::number::counted;
use rules::{GameResult, Rules, Variant};
use serde_json::Value;

/// Which games to read.
#[derive(Args)]
#[command(next_help_heading = "Choosing games")]
pub struct FilterArguments {
    /// Only games of this generation and of later ones.
    #[arg(long, value_name = "GENERATION", default_value_t = 0, hide_default_value = true)]
    from_generation: u32,
    /// Only games of this generation and of earlier ones.
    #[arg(long, value_name = "GENERATION", default_value_t = u32::MAX, hide_default_value = true)]
    to_generation: u32,
    /// Only games by this rule set, such as `full`, or `full max-plies=160` for one that differs from it.
    #[arg(long)]
    ruleset: Option<String>,
    /// Only games of self-play, only those of other programs, or only those of matches.
    #[arg(long, value_parser = sources())]
    source: Option<GameSource>,
    /// Only games of self-play in which the id of a player's network begins with this text.
    #[arg(long, value_name = "ID")]
    network: Option<String>,
    /// Only imported games and games of matches in which the name of a player contains this text; upper and lower case are
    /// the same.
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Only games whose event contains this text; upper and lower case are the same.
    #[arg(long, value_name = "TEXT")]
    event: Option<String>,
    /// Only games that began on this day (such as 2026-11-25) or later.
    #[arg(long, value_name = "DATE")]
    since: Option<NaiveDate>,
    /// Only games that began on this day or earlier.
    #[arg(long, value_name = "DATE")]
    until: Option<NaiveDate>,
    /// Only games in which a player has at least this rating, and not more than --max-rating.
    #[arg(long, value_name = "RATING", default_value_t = 0, hide_default_value = true)]
    min_rating: u32,
    /// Only games in which a player has at most this rating, and not less than --min-rating.
    #[arg(long, value_name = "RATING", default_value_t = u32::MAX, hide_default_value = true)]
    max_rating: u32,
    /// Only games that the first player won, that were drawn, or that the second player won.
    #[arg(long, value_parser = results())]
    result: Option<GameResult>,
    /// Only games of at least this many plies.
    #[arg(long, value_name = "PLIES", default_value_t = 0, hide_default_value = true)]
    min_plies: u32,
    /// Only games of at most this many plies.
    #[arg(long, value_name = "PLIES", default_value_t = u32::MAX, hide_default_value = true)]
    max_plies: u32,
}

fn sources() -> impl TypedValueParser<Value = GameSource> {
    let all = GameSource::ALL;
    let named =
        move |name: String| all.into_iter().find(|source| source.name() == name).ok_or("there is no such source");
    PossibleValuesParser::new(all.map(GameSource::name)).try_map(named)
}

fn results() -> impl TypedValueParser<Value = GameResult> {
    let all = [GameResult::FirstWins, GameResult::Draw, GameResult::SecondWins];
    let named = move |name: String| {
        all.into_iter().find(|&result| result_name(result) == name).ok_or("there is no such result")
    };
    PossibleValuesParser::new(all.map(result_name)).try_map(named)
}

impl FilterArguments {
    /// The filter that the options ask for.
    ///
    /// # Errors
    /// The variant has no such rule set, or a range holds nothing.
    pub fn filter<V: Variant>(&self) -> anyhow::Result<GameFilter> {
        if let Some(text) = &self.ruleset {
            text.parse::<Rules<V>>().map_err(|error| input(format!("--ruleset: {error}")))?;
        }
        for (what, from, to) in [
            ("generation", self.from_generation, self.to_generation),
            ("rating", self.min_rating, self.max_rating),
            ("plies", self.min_plies, self.max_plies),
        ] {
            if from > to {
                return Err(input(format!("{what}: {from} is more than {to}; exchange the two numbers")));
            }
        }
        let dates = self.since.unwrap_or(NaiveDate::MIN)..=self.until.unwrap_or(NaiveDate::MAX);
        if dates.is_empty() {
            return Err(input(format!("--since {} is after --until {}", dates.start(), dates.end())));
        }
        Ok(GameFilter {
            generations: self.from_generation..=self.to_generation,
            ruleset: self.ruleset.clone(),
            source: self.source,
            network: self.network.clone(),
            player: self.player.clone(),
            event: self.event.clone(),
            dates,
            ratings: self.min_rating..=self.max_rating,
            result: self.result,
            plies: self.min_plies..=self.max_plies,
        })
    }
}

/// A line for people for each condition that has left out games.
pub fn left_out_lines(filter: &GameFilter, left_out: &Excluded) -> Vec<String> {
    let line = |(&criterion, &games): (_, &u64)| {
        format!("{} left out: not {}", counted(games, "game", "games"), filter.wanted(criterion))
    };
    left_out.iter().map(line).collect()
}

/// The conditions of a filter and the games that each has left out, for JSON.
pub fn filter_json(filter: &GameFilter, left_out: &Excluded) -> Value {
    let condition = |criterion| {
        let games = left_out.get(&criterion).copied().unwrap_or_default();
        serde_json::json!({ "condition": filter.wanted(criterion), "left_out": games })
    };
    filter.criteria().map(condition).collect()
}

/// The error of a filter that leaves no game.
///
/// # Errors
/// The folders cannot be read. The error that is asked for is the value.
pub fn none_left<V: Variant>(open: &OpenFolders, filter: &GameFilter) -> anyhow::Result<anyhow::Error> {
    let name = &open.name;
    let hold = if open.folders.stores().len() > 1 { "hold" } else { "holds" };
    Ok(match open.folders.none_left(V::ID, filter)? {
        Some(why) => input(format!("{name}: {why}")),
        None => input(format!("{name} {hold} no games of {}", V::TITLE)),
    })
}
