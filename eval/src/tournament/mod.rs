//! Tournaments: encounters of several players, each a match with a log of its own in one folder.
//!
//! The logs are the only truth. A stopped tournament resumes with the games they lack, and its standings are
//! computed from them ([`ladder`](crate::ladder())). All encounters begin with the same openings.

mod report;
mod schedule;

pub use report::{EncounterReport, TournamentProgress, TournamentReport};
pub use schedule::Schedule;

use crate::config::MatchConfig;
use crate::error::MatchError;
use crate::identity::{NotFound, PlayerId, PlayerRecord, Roster};
use crate::ladder::LadderResults;
use crate::matches::{LogFolder, Match};
use crate::openings;
use crate::players::PlayerConfig;
use rules::{Variant, VariantId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// A tournament.
///
/// ```
/// use eval::{PlayerConfig, MatchConfig, Schedule, Tournament};
/// use rules::VariantId;
/// use std::sync::atomic::AtomicBool;
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// let config = MatchConfig { pairs: 4, max_plies: 60, ..MatchConfig::default() };
/// let players = [PlayerConfig::greedy(), PlayerConfig::mcts(10), PlayerConfig::random()];
/// let report = Tournament {
///     variant: VariantId::Wangqi,
///     config: &config,
///     players: &players,
///     schedule: Schedule::RoundRobin,
///     folder,
///     anchor: Some("random"),
/// }
/// .play(&AtomicBool::new(false), |progress| println!("{progress}"))?;
/// println!("{report}");
/// assert_eq!((report.encounters.len(), report.missing_games), (3, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Tournament<'a> {
    /// What is played.
    pub variant: VariantId,
    /// The settings of each encounter. Its sequential test, if there is one, ends each by itself.
    pub config: &'a MatchConfig,
    /// The players, all different, with different names.
    pub players: &'a [PlayerConfig],
    /// Which players meet.
    pub schedule: Schedule,
    /// The folder of the logs. Other logs of the same variant in it count in the standings too.
    pub folder: &'a Path,
    /// The player at 0 Elo, by its name or identity; `None` for the first in the order of names.
    pub anchor: Option<&'a str>,
}

impl Tournament<'_> {
    /// Plays the games that the logs lack, in passes in which all encounters progress together, and reports on all. After
    /// `stop` is set it ends soon, and the same call resumes.
    ///
    /// # Errors
    /// The settings are not possible, the folder cannot be made, or an error of [`Match::play`]. Finished games are in the
    /// logs whatever happens.
    pub fn play(
        &self,
        stop: &AtomicBool,
        progress: impl FnMut(&TournamentProgress),
    ) -> Result<TournamentReport, MatchError> {
        self.check()?;
        data::durable::create_folder(self.folder)?;
        let encounters = self.encounters();
        match rules::dispatch!(self.variant, V => self.play_encounters::<V>(&encounters, stop, progress)) {
            // Stopping is no error: the report says how much is left.
            Ok(()) | Err(MatchError::Stopped) => TournamentReport::new(self, &encounters),
            Err(error) => Err(error),
        }
    }

    fn play_encounters<V: Variant>(
        &self,
        encounters: &[([usize; 2], PathBuf)],
        stop: &AtomicBool,
        mut progress: impl FnMut(&TournamentProgress),
    ) -> Result<(), MatchError> {
        let mut standings = LadderResults::read(self.folder, Some(V::ID))?;
        let records: Vec<PlayerRecord> = self.players.iter().map(|player| player.record(self.config.limit)).collect();
        records.iter().for_each(|record| standings.add(record));
        let anchor = self.anchor()?;
        let total = 2 * u64::from(self.config.pairs) * encounters.len() as u64;
        // Made once for all encounters, and judged, where they are, by the same player.
        let mut openings = None;
        let mut shown = BTreeSet::new();
        for pairs in schedule::passes(self.config.pairs) {
            for (players, log) in encounters {
                if stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                let numbers = *players;
                let players = numbers.map(|player| &self.players[player]);
                let encounter = players.map(|player| player.name.as_str());
                let others: u64 =
                    encounters.iter().filter(|(_, other)| other != log).map(|(_, log)| standings.games_of(log)).sum();
                let this = Match { variant: self.variant, config: self.config, players, log };
                let openings = match &mut openings {
                    Some(openings) => openings,
                    none => {
                        let all: Vec<&PlayerConfig> = self.players.iter().collect();
                        let halt = || stop.load(Ordering::Relaxed);
                        none.insert(openings::prepare(this.checked_rules::<V>()?, self.config, &all, &halt)?)
                    }
                };
                this.play_part(openings, pairs, stop, |now| {
                    standings.set(log, numbers.map(|player| &records[player]), now.by_side);
                    progress(&TournamentProgress {
                        games: others + now.games,
                        total,
                        encounter,
                        results: now.results,
                        sprt: now.sprt,
                        notes: now.notes.iter().filter(|note| shown.insert((*note).clone())).cloned().collect(),
                        standings: &standings,
                        anchor: anchor.as_ref(),
                    });
                })?;
            }
        }
        Ok(())
    }

    /// The encounters: numbers of the players, and the log.
    fn encounters(&self) -> Vec<([usize; 2], PathBuf)> {
        let encounters = self.schedule.encounters(self.players.len());
        let logs = LogFolder::read(self.folder, "", self.variant);
        let path = |(a, b): (usize, usize)| logs.log_of(&self.players[a], &self.players[b], self.config.limit);
        encounters.into_iter().map(|(a, b)| ([a, b], path((a, b)))).collect()
    }

    /// The player at 0 Elo: one of these players, even if another one in the folder has its name.
    fn anchor(&self) -> Result<Option<PlayerId>, MatchError> {
        let records: Vec<PlayerRecord> = self.players.iter().map(|player| player.record(self.config.limit)).collect();
        let find = |text: &str| {
            Roster::of(&records).find(text).map_err(|none| match none {
                NotFound::Nobody => MatchError::Config(vec![format!("the anchor {text:?} is not among the players")]),
                NotFound::Several(names) => MatchError::Ambiguous { player: text.to_owned(), names },
            })
        };
        self.anchor.map(find).transpose()
    }

    fn check(&self) -> Result<(), MatchError> {
        let mut complaints: Vec<String> = self.schedule.complaint(self.players.len()).into_iter().collect();
        let mut names = BTreeSet::new();
        let mut ids: BTreeMap<PlayerId, &str> = BTreeMap::new();
        for player in self.players {
            let name = player.name.as_str();
            if !names.insert(name) {
                complaints.push(format!("two players are called {name:?}; give one of them another name"));
            } else if let Some(other) = ids.insert(player.id(self.config.limit), name) {
                complaints.push(format!("{other:?} and {name:?} are one player, with the same settings; name it once"));
            }
        }
        match self.anchor() {
            Err(MatchError::Config(texts)) => complaints.extend(texts),
            other => drop(other?),
        }
        if complaints.is_empty() { Ok(()) } else { Err(MatchError::Config(complaints)) }
    }
}
