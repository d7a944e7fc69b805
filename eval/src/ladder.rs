//! Ratings of all players over all matches of a folder.

use crate::error::MatchError;
use crate::identity::{NotFound, PlayerId, PlayerRecord, Roster};
use crate::log::{self, FinishedGames, MatchHeader};
use crate::ratings::{Encounter, RatingError, RatingRow, RatingTable, Wdl, rate};
use rules::VariantId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

/// Ratings over all matches of a folder. Ratings and encounters name each player by its [`LadderPlayer::name`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ladder {
    /// Variant.
    pub variant: String,
    /// Number of matches.
    pub matches: usize,
    /// The players, in the order of their identities.
    pub players: Vec<LadderPlayer>,
    /// The ratings.
    pub ratings: RatingTable,
    /// The cross-table: results of each two players, by the player that moved first.
    pub encounters: Vec<Encounter>,
}

/// A player of a ladder: its identity, and its name there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LadderPlayer {
    /// Its player id.
    pub id: PlayerId,
    /// Digest of its network or program, or the name of a built-in player.
    pub identity: String,
    /// Its name: short, and no other player of the ladder has it.
    pub name: String,
}

/// Rates the players of all match logs (`*.jsonl`) in a folder. Players are told apart by their identities ([`PlayerId`]),
/// whatever they are called. `anchor` gets 0 Elo: a player's name or identity, or at least 8 digits of its digest; without
/// one, [`rate`] chooses.
///
/// # Errors
/// There is no finished game, a log is damaged, the logs are of several variants, or the anchor is not exactly one of the
/// players.
pub fn ladder(folder: &Path, anchor: Option<&str>) -> Result<Ladder, MatchError> {
    ladder_of(folder, None, anchor)
}

/// Like [`ladder`], of the logs of one variant alone.
///
/// # Errors
/// As [`ladder`].
pub fn ladder_of(folder: &Path, variant: Option<VariantId>, anchor: Option<&str>) -> Result<Ladder, MatchError> {
    LadderResults::read(folder, variant.map(VariantId::id))?.ladder(anchor)
}

/// The results of all matches of a folder, from which standings are computed.
#[derive(Clone, Debug)]
pub(crate) struct LadderResults {
    variant: String,
    roster: Roster,
    logs: BTreeMap<PathBuf, LogResults>,
}

/// The results of one match.
#[derive(Clone, Debug)]
struct LogResults {
    players: [PlayerId; 2],
    /// Of the first named player where it moved first, and where it moved second.
    by_side: [Wdl; 2],
}

impl LadderResults {
    /// Reads the match logs (`*.jsonl`) of a folder that are of `variant`. Without it, all must be of one variant.
    ///
    /// # Errors
    /// The folder or a log cannot be read, or, without `variant`, the logs are of several variants.
    pub fn read(folder: &Path, variant: Option<&str>) -> Result<LadderResults, MatchError> {
        LadderResults::of(&log::read_folder(folder)?, variant)
    }

    /// The results of logs that are already read.
    ///
    /// # Errors
    /// [`MatchError::MixedVariants`]: without `variant`, the logs are of several variants.
    pub fn of(
        logs: &[(PathBuf, MatchHeader, FinishedGames)],
        variant: Option<&str>,
    ) -> Result<LadderResults, MatchError> {
        let wanted = variant;
        let first = logs.first().map(|(_, header, _)| header.variant.as_str());
        let variant = variant.or(first).unwrap_or_default().to_owned();
        let mut results = LadderResults { variant, roster: Roster::default(), logs: BTreeMap::new() };
        for (path, header, games) in logs {
            if header.variant != results.variant && wanted.is_some() {
                continue;
            }
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
            results.set(path, header.players.each_ref(), by_side);
        }
        Ok(results)
    }

    /// Sets the results of the match of this log.
    pub fn set(&mut self, log: &Path, players: [&PlayerRecord; 2], by_side: [Wdl; 2]) {
        let players = players.map(|player| self.roster.add(player));
        self.logs.insert(log.to_owned(), LogResults { players, by_side });
    }

    /// Adds a player that may not have played yet.
    pub fn add(&mut self, player: &PlayerRecord) {
        self.roster.add(player);
    }

    /// What each player is called.
    pub fn names(&self) -> BTreeMap<PlayerId, String> {
        self.roster.names()
    }

    /// Games that count of the match of this log.
    pub fn games_of(&self, log: &Path) -> u64 {
        self.logs.get(log).map_or(0, |known| known.by_side.iter().map(Wdl::games).sum())
    }

    /// The standings.
    ///
    /// # Errors
    /// There are no games, the anchor is none of the players or may be several, or the ratings do not converge.
    pub fn ladder(&self, anchor: Option<&str>) -> Result<Ladder, MatchError> {
        let mut results: BTreeMap<[&PlayerId; 2], Wdl> = BTreeMap::new();
        for LogResults { players: [a, b], by_side: [first, second] } in self.logs.values() {
            for (order, games) in [([a, b], *first), ([b, a], second.reversed())] {
                if games.games() > 0 {
                    *results.entry(order).or_default() += games;
                }
            }
        }
        let names = self.names();
        let encounters: Vec<Encounter> = results
            .into_iter()
            .map(|([first, second], results)| Encounter {
                first: names[first].clone(),
                second: names[second].clone(),
                results,
            })
            .collect();
        let anchor = anchor.map(|text| self.anchor(text)).transpose()?;
        let ratings = rate(&encounters, anchor.as_ref().map(|id| names[id].as_str()))?;
        let identity = |id: &PlayerId| self.roster.identity(id).unwrap_or_default().to_owned();
        let players = names.into_iter().map(|(id, name)| LadderPlayer { identity: identity(&id), id, name }).collect();
        Ok(Ladder { variant: self.variant.clone(), matches: self.logs.len(), players, ratings, encounters })
    }

    /// The player that a text means.
    fn anchor(&self, text: &str) -> Result<PlayerId, MatchError> {
        self.roster.find(text).map_err(|none| match none {
            NotFound::Nobody => RatingError::UnknownAnchor(text.to_owned()).into(),
            NotFound::Several(names) => MatchError::Ambiguous { player: text.to_owned(), names },
        })
    }
}

impl Ladder {
    /// What a player is called here; `None` if it is not among the players.
    pub fn name_of(&self, player: &PlayerId) -> Option<&str> {
        self.players.iter().find(|other| other.id == *player).map(|other| other.name.as_str())
    }

    /// The rating of a player; `None` if it has none.
    pub fn row(&self, player: &PlayerId) -> Option<&RatingRow> {
        let name = self.name_of(player)?;
        self.ratings.rows.iter().find(|row| row.player == name)
    }

    /// A player's results against all opponents.
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
            "", "player", "Elo", "±next", "games", "score", "won", "drawn", "lost"
        )?;
        for (place, (row, name)) in ratings.rows.iter().zip(&names).enumerate() {
            let mark = if row.prior { " *" } else { "" };
            let error = row.over_next.map_or_else(|| "-".to_owned(), |over| format!("{:.0}", over.error));
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
            "{} is at 0 Elo. ±next is half the 95 % interval of the difference from the next player.\n\
             {} Between equal players {:.0} ± {:.0} % are drawn.",
            ratings.anchor,
            ratings.first_advantage_text(),
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
