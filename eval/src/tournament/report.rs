//! The state of a tournament while it is played, and the report on it.

use super::Tournament;
use crate::error::MatchError;
use crate::identity::PlayerId;
use crate::ladder::{Ladder, LadderResults};
use crate::log::{self, SequentialTestState};
use crate::matches::{MatchReport, write_failed};
use crate::ratings::{RatingError, Wdl};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// The state of a tournament while it is played.
#[derive(Clone, Debug)]
pub struct TournamentProgress<'a> {
    /// Finished games that count.
    pub games: u64,
    /// Games of the whole tournament, unless sequential tests end encounters before.
    pub total: u64,
    /// The two players of the present encounter.
    pub encounter: [&'a str; 2],
    /// The results of that encounter, those of the first named player.
    pub results: Wdl,
    /// How its sequential test stands, if there is one.
    pub sprt: Option<SequentialTestState>,
    /// Warnings from before its first game. Each comes once in a tournament.
    pub notes: Vec<String>,
    pub(super) standings: &'a LadderResults,
    pub(super) anchor: Option<&'a PlayerId>,
}

impl TournamentProgress<'_> {
    /// The standings, computed now; `None` as long as they cannot be: the anchor may not have played yet.
    pub fn ladder(&self) -> Option<Ladder> {
        self.standings.ladder(self.anchor.map(PlayerId::as_str)).ok()
    }
}

impl fmt::Display for TournamentProgress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self.encounter;
        write!(f, "{}/{} games  {a} against {b}: {}", self.games, self.total, self.results)?;
        self.sprt.iter().try_for_each(|sprt| write!(f, "  {sprt}"))
    }
}

/// One encounter of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EncounterReport {
    /// Its log.
    #[serde(serialize_with = "data::shown_path")]
    pub log: PathBuf,
    /// The report on its log.
    pub report: MatchReport,
}

/// The report on a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TournamentReport {
    /// Standings over all logs of the folder; `None` without a finished game.
    pub ladder: Option<Ladder>,
    /// The encounters of this tournament.
    pub encounters: Vec<EncounterReport>,
    /// Games still to be played.
    pub missing_games: u64,
    /// Warnings about these numbers, each with its encounter.
    pub warnings: Vec<String>,
}

impl TournamentReport {
    /// The report on these encounters, from their logs.
    ///
    /// # Errors
    /// A log cannot be read.
    pub(super) fn new(of: &Tournament, encounters: &[([usize; 2], PathBuf)]) -> Result<TournamentReport, MatchError> {
        let (mut reports, mut missing_games) = (Vec::new(), 0);
        for (_, path) in encounters {
            let recorded = log::read(path)?;
            let Some(header) = &recorded.header else {
                missing_games += 2 * u64::from(of.config.pairs);
                continue;
            };
            let report = MatchReport::new(header, &recorded.games, of.config.pairs, recorded.test);
            missing_games += report.missing_games;
            reports.push(EncounterReport { log: path.clone(), report });
        }
        let warnings = reports
            .iter()
            .flat_map(|EncounterReport { report, .. }| {
                let [a, b] = &report.players;
                report.warnings.iter().map(move |warning| format!("{a} against {b}: {warning}"))
            })
            .collect();
        let anchor = of.anchor()?;
        let results = LadderResults::read(of.folder, Some(of.variant.id()))?;
        let ladder = match results.ladder(anchor.as_ref().map(PlayerId::as_str)) {
            Ok(ladder) => Some(ladder),
            Err(MatchError::Rating(RatingError::NoGames | RatingError::UnknownAnchor(_))) => None,
            Err(error) => return Err(error),
        };
        Ok(TournamentReport { ladder, encounters: reports, missing_games, warnings })
    }
}

impl TournamentReport {
    /// Whether every game ended with an error of a player.
    pub fn every_game_failed(&self) -> bool {
        let games = |encounter: &EncounterReport| encounter.report.results.games();
        let failed = |encounter: &EncounterReport| encounter.report.failed.len() as u64;
        let [games, failed] =
            [self.encounters.iter().map(games).sum::<u64>(), self.encounters.iter().map(failed).sum()];
        failed > 0 && failed == games
    }
}

impl fmt::Display for TournamentReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.ladder {
            Some(ladder) => write!(f, "{ladder}")?,
            None => f.write_str("no game is finished yet")?,
        }
        write_failed(
            f,
            "\n",
            &self.encounters.iter().flat_map(|encounter| &encounter.report.failed).collect::<Vec<_>>(),
        )?;
        self.warnings.iter().try_for_each(|warning| write!(f, "\nwarning: {warning}"))
    }
}
