//! Ratings of all players over all matches of a folder.

use crate::error::MatchError;
use crate::log::{self, Header};
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

/// Rates the players of all match logs (`*.jsonl`) in a folder; `anchor` gets 0 Elo ([`rate`] says who does without
/// it). A player is who has the same name, network and search; where one name means several, each gets its
/// network's digest and its visits behind it.
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
    /// Reads all match logs (`*.jsonl`) of a folder, of one variant; which, the first of them says if nobody does.
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
                by_side[usize::from(!game.first_named_first)].count(game.result_of_first_named());
            }
            let players = [0, 1].map(|player| names.of(header, player));
            results.logs.insert(path.clone(), LogResults { players, by_side });
        }
        Ok(results)
    }

    /// The match of this log now stands so.
    pub fn set(&mut self, log: &Path, players: [&str; 2], by_side: [Wdl; 2]) {
        match self.logs.get_mut(log) {
            // Its players keep the names by which they are told from others of the same name.
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
        self.sum(|other| other != player, player)
    }

    /// A player's results against another.
    pub fn between(&self, player: &str, opponent: &str) -> Wdl {
        self.sum(|other| other == opponent, player)
    }

    fn sum(&self, counts: impl Fn(&str) -> bool, player: &str) -> Wdl {
        self.encounters.iter().fold(Wdl::default(), |sum, Encounter { first, second, results }| {
            if first == player && counts(second) {
                sum + *results
            } else if second == player && counts(first) {
                sum + results.reversed()
            } else {
                sum
            }
        })
    }
}

/// Which players share a name.
struct Names<'a> {
    meanings: BTreeMap<&'a str, BTreeSet<String>>,
}

impl<'a> Names<'a> {
    fn new(headers: impl Iterator<Item = &'a Header>) -> Names<'a> {
        let mut meanings: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for player in headers.flat_map(|header| &header.players) {
            meanings.entry(&player.name).or_default().insert(format!("{} {}", player.identity, player.search));
        }
        Names { meanings }
    }

    fn of(&self, header: &Header, player: usize) -> String {
        let player = &header.players[player];
        if self.meanings.get(player.name.as_str()).is_none_or(|meanings| meanings.len() == 1) {
            return player.name.clone();
        }
        let short: String = player.identity.chars().take(8).collect();
        let limit = player.search.get("limit").and_then(|limit| limit.as_str());
        match (limit, player.search.get("visits")) {
            (Some(limit), _) => format!("{} ({short}, {limit})", player.name),
            (None, Some(visits)) => format!("{} ({short}, {visits} visits)", player.name),
            (None, None) => format!("{} ({short})", player.name),
        }
    }
}

impl fmt::Display for Ladder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ratings = &self.ratings;
        let width = ratings.rows.iter().map(|row| row.player.chars().count()).max().unwrap_or(0).max(6);
        writeln!(
            f,
            "{:>3} {:width$} {:>6} {:>6} {:>7} {:>7} {:>6} {:>6} {:>6}",
            "", "player", "Elo", "±", "games", "score", "won", "drawn", "lost"
        )?;
        for (place, row) in ratings.rows.iter().enumerate() {
            let mark = if row.prior { " *" } else { "" };
            let error = if row.player == ratings.anchor { "-".to_owned() } else { format!("{:.0}", row.error) };
            let Wdl { wins, draws, losses } = self.results_of(&row.player);
            writeln!(
                f,
                "{:>3} {:width$} {:>6.0} {error:>6} {:>7} {:>5.1} % {wins:>6} {draws:>6} {losses:>6}{mark}",
                place + 1,
                row.player,
                row.elo,
                row.games,
                100.0 * row.score
            )?;
        }
        write!(
            f,
            "Moving first is worth {:.0} ± {:.0} Elo; {:.0} ± {:.0} % of the games between equals are drawn.",
            ratings.first_advantage.value,
            ratings.first_advantage.error,
            100.0 * ratings.draws.value,
            100.0 * ratings.draws.error
        )?;
        if ratings.rows.iter().any(|row| row.prior) {
            write!(f, "\n* All points went one way; a weak prior keeps the rating finite.")?;
        }
        for group in &ratings.unrated {
            write!(f, "\nNot rated, for want of games against the others: {}", group.join(", "))?;
        }
        Ok(())
    }
}
