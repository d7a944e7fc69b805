//! Tournaments: encounters of several players, each a match with a log of its own in one folder.
//!
//! The logs are the only truth. A tournament that is stopped goes on with the games they lack, and its standings are
//! computed from them ([`ladder`](crate::ladder())). All encounters begin with the same openings.

mod naming;
mod report;
mod schedule;

pub use report::{EncounterReport, TournamentProgress, TournamentReport};
pub use schedule::Schedule;

use crate::config::MatchConfig;
use crate::error::MatchError;
use crate::ladder::Results;
use crate::matches::Match;
use crate::players::Contender;
use rules::VariantId;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// A tournament.
///
/// ```
/// use eval::{Contender, MatchConfig, Schedule, Tournament};
/// use rules::VariantId;
/// use std::sync::atomic::AtomicBool;
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// let config = MatchConfig { pairs: 4, max_plies: 60, ..MatchConfig::default() };
/// let players = [Contender::greedy(), Contender::mcts(10), Contender::random()];
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
    /// The players, all with names of their own.
    pub players: &'a [Contender],
    /// Who meets whom.
    pub schedule: Schedule,
    /// Where the logs lie. It may hold other logs of the same variant: they count in the standings.
    pub folder: &'a Path,
    /// The player at 0 Elo; `None` for the first in the order of names.
    pub anchor: Option<&'a str>,
}

impl Tournament<'_> {
    /// Plays the games that the logs lack, in passes in which all encounters go on together, and reports on all. After
    /// `stop` is set it ends soon, and the same call goes on.
    ///
    /// # Errors
    /// The settings make no sense, the folder cannot be made, or as [`Match::play`]. Finished games are in the logs
    /// whatever happens.
    pub fn play(
        &self,
        stop: &AtomicBool,
        mut progress: impl FnMut(&TournamentProgress),
    ) -> Result<TournamentReport, MatchError> {
        self.check()?;
        data::durable::create_folder(self.folder)?;
        let encounters = self.encounters();
        let mut standings = Results::read(self.folder, Some(self.variant.id()))?;
        let total = 2 * u64::from(self.config.pairs) * encounters.len() as u64;
        for pairs in schedule::passes(self.config.pairs) {
            let config = MatchConfig { pairs, ..self.config.clone() };
            for (players, log) in &encounters {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let [a, b] = players.map(|player| self.players[player].name.as_str());
                let others: u64 =
                    encounters.iter().filter(|(_, other)| other != log).map(|(_, log)| standings.games_of(log)).sum();
                let this = Match { variant: self.variant, config: &config, players: self.pair(*players), log };
                this.play(stop, |now| {
                    standings.set(log, [a, b], now.by_side);
                    progress(&TournamentProgress {
                        games: others + now.games,
                        total,
                        encounter: [a, b],
                        results: now.results,
                        sprt: now.sprt,
                        standings: &standings,
                        anchor: self.anchor,
                    });
                })?;
            }
        }
        TournamentReport::new(self, &encounters)
    }

    /// The encounters: numbers of the players, and the log.
    fn encounters(&self) -> Vec<([usize; 2], PathBuf)> {
        let encounters = self.schedule.encounters(self.players.len());
        let path = |(a, b): (usize, usize)| self.folder.join(naming::log_name(&self.players[a], &self.players[b]));
        encounters.into_iter().map(|(a, b)| ([a, b], path((a, b)))).collect()
    }

    fn pair(&self, players: [usize; 2]) -> [&Contender; 2] {
        players.map(|player| &self.players[player])
    }

    fn check(&self) -> Result<(), MatchError> {
        let mut complaints: Vec<String> = self.schedule.complaint(self.players.len()).into_iter().collect();
        let mut names = BTreeSet::new();
        for player in self.players {
            if !names.insert(player.name.as_str()) {
                complaints.push(format!("two players are called {:?}: their results could not be told apart", player.name));
            }
        }
        if let Some(anchor) = self.anchor.filter(|anchor| !names.contains(anchor)) {
            complaints.push(format!("the anchor {anchor:?} is not among the players"));
        }
        if complaints.is_empty() { Ok(()) } else { Err(MatchError::Config(complaints)) }
    }
}
