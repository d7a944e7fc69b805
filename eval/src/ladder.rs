//! Ratings of all players over all matches of a folder.

use crate::error::MatchError;
use crate::log::{self, Header, PlayerSettings};
use crate::ratings::{Encounter, RatingTable, Wdl, rate};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

/// Ratings over all matches of a folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ladder {
    /// Variant.
    pub variant: String,
    /// Number of matches.
    pub matches: usize,
    /// The ratings.
    pub ratings: RatingTable,
    /// Who played whom, by who moved first: the cross-table.
    pub encounters: Vec<Encounter>,
}

/// Rates the players of all match logs (`*.jsonl`) in a folder. `anchor` gets 0 Elo; without one, [`rate`] chooses. A
/// player is one name with one identity and one set of settings. If a name stands for several, each gets its identity and
/// its visits or limit behind the name.
///
/// # Errors
/// There is no finished game, a log is damaged, or the logs are of several variants.
pub fn ladder(folder: &Path, anchor: Option<&str>) -> Result<Ladder, MatchError> {
    Results::read(folder, None)?.ladder(anchor)
}

/// The results of all matches of a folder, from which standings are computed.
#[derive(Clone, Debug)]
pub(crate) struct Results {
    variant: String,
    logs: BTreeMap<PathBuf, LogResults>,
}

/// The results of one match.
#[derive(Clone, Debug)]
struct LogResults {
    players: [String; 2],
    /// Of the first named player where it moved first, and where it moved second.
    by_side: [Wdl; 2],
}

impl Results {
    /// Reads all match logs (`*.jsonl`) of a folder. All must be of `variant`, or without it, of the variant of the first.
    pub fn read(folder: &Path, variant: Option<&str>) -> Result<Results, MatchError> {
        let logs = log::read_folder(folder)?;
        let names = Names::new(logs.iter().map(|(_, header, _)| header));
        let first = logs.first().map(|(_, header, _)| header.variant.as_str());
        let variant = variant.or(first).unwrap_or_default().to_owned();
        let mut results = Results { variant, logs: BTreeMap::new() };
        for (path, header, games) in &logs {
            if header.variant != results.variant {
                return Err(MatchError::MixedVariants {
                    path: path.clone(),
                    found: header.variant.clone(),
                    expected: results.variant,
                });
            }
            let mut by_side = [Wdl::default(); 2];
            for game in games.values() {
                by_side[game.side_of_first_named.index()].count(game.result_of_first_named());
            }
            let players = [0, 1].map(|player| names.of(header, player));
            results.logs.insert(path.clone(), LogResults { players, by_side });
        }
        Ok(results)
    }

    /// Sets the results of the match of this log.
    pub fn set(&mut self, log: &Path, players: [&str; 2], by_side: [Wdl; 2]) {
        match self.logs.get_mut(log) {
            // Its players keep the names that distinguish them from others of the same name.
            Some(known) => known.by_side = by_side,
            None => {
                self.logs.insert(log.to_owned(), LogResults { players: players.map(str::to_owned), by_side });
            }
        }
    }

    /// Games that count of the match of this log.
    pub fn games_of(&self, log: &Path) -> u64 {
        self.logs.get(log).map_or(0, |known| known.by_side.iter().map(Wdl::games).sum())
    }

    /// The standings.
    pub fn ladder(&self, anchor: Option<&str>) -> Result<Ladder, MatchError> {
        let mut results: BTreeMap<[&String; 2], Wdl> = BTreeMap::new();
        for LogResults { players: [a, b], by_side: [first, second] } in self.logs.values() {
            for (order, games) in [([a, b], *first), ([b, a], second.reversed())] {
                if games.games() > 0 {
                    *results.entry(order).or_default() += games;
                }
            }
        }
        let encounters: Vec<Encounter> = results
            .into_iter()
            .map(|([first, second], results)| Encounter { first: first.clone(), second: second.clone(), results })
            .collect();
        Ok(Ladder {
            variant: self.variant.clone(),
            matches: self.logs.len(),
            ratings: rate(&encounters, anchor)?,
            encounters,
        })
    }
}

impl Ladder {
    /// A player's results against everybody.
    pub fn results_of(&self, player: &str) -> Wdl {
        self.sum(player, |_| true)
    }

    /// A player's results against another.
    pub fn between(&self, player: &str, opponent: &str) -> Wdl {
        self.sum(player, |encounter| player != opponent && encounter.seen_by(opponent).is_some())
    }

    fn sum(&self, player: &str, counts: impl Fn(&Encounter) -> bool) -> Wdl {
        let encounters = self.encounters.iter().filter(|encounter| encounter.first != encounter.second);
        let seen = encounters.filter(|encounter| counts(encounter)).filter_map(|encounter| encounter.seen_by(player));
        seen.fold(Wdl::default(), |sum, results| sum + results)
    }
}

/// Which players share a name.
struct Names<'a> {
    meanings: BTreeMap<&'a str, Vec<Meaning<'a>>>,
}

/// Who a player is: its identity and its settings.
type Meaning<'a> = (&'a str, &'a PlayerSettings);

impl<'a> Names<'a> {
    fn new(headers: impl Iterator<Item = &'a Header>) -> Names<'a> {
        let mut meanings: BTreeMap<&str, Vec<Meaning>> = BTreeMap::new();
        for player in headers.flat_map(|header| &header.players) {
            let meaning = (player.identity.as_str(), &player.settings);
            let known = meanings.entry(&player.name).or_default();
            if !known.contains(&meaning) {
                known.push(meaning);
            }
        }
        Names { meanings }
    }

    fn of(&self, header: &Header, player: usize) -> String {
        let player = &header.players[player];
        if self.meanings.get(player.name.as_str()).is_none_or(|meanings| meanings.len() == 1) {
            return player.name.clone();
        }
        let short: String = player.identity.chars().take(8).collect();
        match player.settings.effort() {
            Some(effort) => format!("{} ({short}, {effort})", player.name),
            None => format!("{} ({short})", player.name),
        }
    }
}

/// The table of players, best first, and notes below it. No line of the table is longer than 80 columns: long names lose
/// their beginning.
impl fmt::Display for Ladder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ratings = &self.ratings;
        let names = short_names(ratings.rows.iter().map(|row| row.player.as_str()).collect());
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("player".len());
        writeln!(
            f,
            "{:>3} {:width$} {:>6} {:>5} {:>6} {:>7} {:>5} {:>5} {:>5}",
            "", "player", "Elo", "±", "games", "score", "won", "drawn", "lost"
        )?;
        for (place, (row, name)) in ratings.rows.iter().zip(&names).enumerate() {
            let mark = if row.prior { " *" } else { "" };
            let error = if row.player == ratings.anchor { "-".to_owned() } else { format!("{:.0}", row.error) };
            let Wdl { wins, draws, losses } = self.results_of(&row.player);
            writeln!(
                f,
                "{:>3} {name:width$} {:>6.0} {error:>5} {:>6} {:>5.1} % {wins:>5} {draws:>5} {losses:>5}{mark}",
                place + 1,
                row.elo,
                row.games,
                100.0 * row.score
            )?;
        }
        write!(
            f,
            "Moving first is worth {:.0} ± {:.0} Elo. Between equal players {:.0} ± {:.0} % are drawn.",
            ratings.first_advantage.value,
            ratings.first_advantage.error,
            100.0 * ratings.draws.value,
            100.0 * ratings.draws.error
        )?;
        if ratings.rows.iter().any(|row| row.prior) {
            write!(f, "\n* All points against some opponent went one way. A weak prior keeps the rating finite.")?;
        }
        for group in &ratings.unrated {
            write!(f, "\nNot rated, because no games connect them with the others: {}", group.join(", "))?;
        }
        Ok(())
    }
}

/// Most characters of a name in the table.
const LONGEST_NAME: usize = 28;

/// Names that fit the table. Long ones lose their beginning, unless two of them would then be alike.
fn short_names(names: Vec<&str>) -> Vec<String> {
    let shorten = |name: &&str| match name.chars().count().checked_sub(LONGEST_NAME) {
        None | Some(0) => (*name).to_owned(),
        Some(surplus) => format!("…{}", name.chars().skip(surplus + 1).collect::<String>()),
    };
    let short: Vec<String> = names.iter().map(shorten).collect();
    let distinct: BTreeSet<&String> = short.iter().collect();
    if distinct.len() == short.len() { short } else { names.into_iter().map(str::to_owned).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_lose_their_beginning_but_stay_distinct() {
        let path = "runs/a-long-name/nets/gen-0001.safetensors";
        assert_eq!(short_names(vec!["greedy", path]), ["greedy", "…e/nets/gen-0001.safetensors"]);
        let other = "runs/another-long-name/nets/gen-0001.safetensors";
        assert_eq!(short_names(vec![path, other]), [path, other]);
    }
}
