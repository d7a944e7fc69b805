//! Why a filter leaves no game, and what there is instead.

use std::collections::BTreeMap;
use std::fmt;

use super::{Criterion, FilterValues, GameFilter, GameSource, result_name, seen};
use crate::error::Result;
use crate::folders::GameFolders;
use rules::GameResult;

/// Values of a condition that a message lists.
const LISTED: usize = 8;

/// Why a filter leaves no game. Its text is the message for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoneLeft {
    conditions: Vec<ConditionCount>,
}

/// A condition of the filter.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ConditionCount {
    /// The condition in words.
    wanted: String,
    /// Games that meet it.
    meeting: u64,
    /// The values that occur, with their number of games: generations and lengths in their order, others most games
    /// first.
    there: Vec<(String, u64)>,
}

impl fmt::Display for NoneLeft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let games = |games: u64| if games == 1 { "1 game".to_owned() } else { format!("{games} games") };
        if let Some(ConditionCount { wanted, there, .. }) =
            self.conditions.iter().find(|condition| condition.meeting == 0)
        {
            write!(f, "no game has {wanted}")?;
            if there.is_empty() {
                return Ok(());
            }
            let listed: Vec<String> =
                there.iter().take(LISTED).map(|(value, count)| format!("{value} ({})", games(*count))).collect();
            write!(f, "; there are {}", listed.join(", "))?;
            return match there.len().saturating_sub(LISTED) {
                0 => Ok(()),
                more => write!(f, " and {more} more"),
            };
        }
        let all: Vec<String> =
            self.conditions.iter().map(|one| format!("{} ({})", one.wanted, games(one.meeting))).collect();
        write!(f, "no game meets all of: {}", all.join(", "))
    }
}

impl GameFolders {
    /// Says why a filter leaves no game of a variant. `None` if it has no conditions, or there are no games at all.
    ///
    /// # Errors
    /// A shard cannot be read or is not what its manifest says.
    pub fn none_left(&self, variant: &str, filter: &GameFilter) -> Result<Option<NoneLeft>> {
        let criteria: Vec<Criterion> = filter.criteria().collect();
        let names = filter.columns();
        let mut found: Vec<(u64, BTreeMap<String, u64>)> = vec![Default::default(); criteria.len()];
        let shards = self.shards(variant)?;
        let games: u64 = shards.iter().map(|shard| shard.entry.games.rows).sum();
        for shard in &shards {
            let entry = &shard.entry;
            let in_generation = filter.generations.contains(&entry.generation);
            self.store_of(shard).read_columns(
                &entry.games,
                if names.is_empty() { &["game_id"] } else { &names },
                |columns| {
                    for game in seen(columns, &names)? {
                        for (&criterion, (meeting, values)) in criteria.iter().zip(&mut found) {
                            let is_generation = criterion == Criterion::Generation;
                            let meets = if is_generation { in_generation } else { filter.meets(criterion, &game) };
                            *meeting += u64::from(meets);
                            for value in values_of(criterion, &game, entry.generation) {
                                *values.entry(value).or_default() += 1;
                            }
                        }
                    }
                    Ok(())
                },
            )?;
        }
        let condition = |(&criterion, (meeting, values)): (&Criterion, (u64, BTreeMap<String, u64>))| {
            let mut values: Vec<_> = values.into_iter().collect();
            // Numbers stay in their order; others come most games first.
            match criterion {
                Criterion::Generation | Criterion::Plies | Criterion::Rating => {
                    values.sort_by_key(|(value, _)| value.parse::<u32>().ok())
                }
                Criterion::Date => {}                                            // in their order
                _ => values.sort_by_key(|&(_, games)| std::cmp::Reverse(games)), // stable
            }
            ConditionCount { wanted: filter.wanted(criterion), meeting, there: values }
        };
        let conditions: Vec<_> = criteria.iter().zip(found).map(condition).collect();
        Ok((games > 0 && !conditions.is_empty()).then_some(NoneLeft { conditions }))
    }
}

/// The values of a game that a condition looks at.
fn values_of(criterion: Criterion, game: &FilterValues, generation: u32) -> Vec<String> {
    let source = GameSource::of_run(&game.run_id);
    let named = |of_players: bool| {
        let mut names = if (source != GameSource::SelfPlay) == of_players { game.nets.to_vec() } else { Vec::new() };
        names.retain(|name| !name.is_empty());
        names.dedup();
        names
    };
    match criterion {
        Criterion::Generation => vec![generation.to_string()],
        Criterion::Ruleset => vec![game.ruleset.clone()],
        Criterion::Source => vec![source.name().to_owned()],
        Criterion::Network => named(false),
        Criterion::Player => named(true),
        Criterion::Result => {
            GameResult::try_from(game.result).map(|result| vec![result_name(result).to_owned()]).unwrap_or_default()
        }
        Criterion::Plies => vec![game.plies.to_string()],
        Criterion::Event => game.event.iter().cloned().collect(),
        Criterion::Date => game.date().map(|date| date.to_string()).into_iter().collect(),
        Criterion::Rating => game.ratings().map(|rating| rating.to_string()).collect(),
    }
}
