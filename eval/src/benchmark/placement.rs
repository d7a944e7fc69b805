//! Finding a player's place on a ladder with few games.

use super::{ANCHOR, Playing, ReferenceLadder};
use crate::error::MatchError;
use crate::matches::{FailedGame, MatchProgress, MatchReport};
use crate::players::PlayerConfig;
use crate::ratings::{Encounter, RatingTable, Wdl, rate};
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;

/// Pairs against each player of the bisection.
const PROBE: u32 = 2;
/// How many neighbours of the place are played at length; games against equals give the most information.
const NEIGHBOURS: usize = 4;
/// In how many rounds: after each the place is known better, and with it the neighbours.
const ROUNDS: u32 = 2;

/// A player to be placed on a ladder.
#[derive(Clone, Copy, Debug)]
pub struct Placement<'a> {
    /// The ladder.
    pub ladder: &'a ReferenceLadder,
    /// Those of its players that are available, under the names of the ladder.
    pub rungs: &'a [PlayerConfig],
    /// The player to be placed.
    pub player: &'a PlayerConfig,
    /// Pairs of games against its neighbours, all together.
    pub pairs: u32,
    /// How to play.
    pub playing: Playing<'a>,
}

/// A player's place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacedPlayer {
    /// Its name.
    pub player: String,
    /// Games it played.
    pub games: u64,
    /// Its results, by the player that moved first.
    pub encounters: Vec<Encounter>,
    /// The ladder with it.
    pub ratings: RatingTable,
    /// Games that a player lost by an error.
    #[serde(default)]
    pub failed: Vec<FailedGame>,
}

/// The games against one rung.
#[derive(Clone, Default)]
struct PlayedEncounters {
    encounters: Vec<Encounter>,
    failed: Vec<FailedGame>,
}

impl Placement<'_> {
    /// The most games it can take.
    pub fn games(&self) -> u64 {
        let probes = (self.rungs.len() + 1).next_power_of_two().ilog2();
        2 * u64::from(PROBE * probes + self.pairs_each() * ROUNDS * NEIGHBOURS.min(self.rungs.len()) as u32)
    }

    /// Pairs against each neighbour in each round.
    fn pairs_each(&self) -> u32 {
        self.pairs.div_ceil(ROUNDS * NEIGHBOURS.min(self.rungs.len()).max(1) as u32)
    }

    /// Finds the place by bisection, then plays the players next to it. The choice of opponents is a function of the
    /// results, so a placement that was stopped can be resumed. `None` if it was stopped. `progress` gets the number
    /// of games so far, the present opponent, and the state of the match against it.
    ///
    /// # Errors
    /// None of the ladder's players is available, one has the player's name, or a match cannot be played.
    pub fn play(
        &self,
        stop: &AtomicBool,
        mut progress: impl FnMut(u64, &str, &MatchProgress),
    ) -> Result<Option<PlacedPlayer>, MatchError> {
        let own = self.ladder.ratings()?;
        let strength = |rung: &PlayerConfig| own.rows.iter().find(|row| row.player == rung.name).map(|row| row.elo);
        let mut rungs: Vec<(&PlayerConfig, f64)> =
            self.rungs.iter().filter_map(|rung| Some((rung, strength(rung)?))).collect();
        rungs.sort_by(|(_, a), (_, b)| a.total_cmp(b));
        if own.rows.iter().any(|row| row.player == self.player.name) {
            let text = format!("{} is the name of a player of the ladder; give this player another", self.player.name);
            return Err(MatchError::Config(vec![text]));
        }
        if rungs.is_empty() {
            return Err(MatchError::Config(vec![format!(
                "no player of the ladder of {} is available",
                self.ladder.variant
            )]));
        }
        let mut met: Vec<PlayedEncounters> = vec![PlayedEncounters::default(); rungs.len()];
        let (mut low, mut high) = (0, rungs.len());
        while low < high {
            let middle = (low + high) / 2;
            if !self.meet(rungs[middle].0, PROBE, &mut met, middle, stop, &mut progress)? {
                return Ok(None);
            }
            if self.results(&met[middle].encounters).score() > Some(0.5) { low = middle + 1 } else { high = middle }
        }
        for _ in 0..ROUNDS {
            let elo = self.placed(&met)?.elo();
            let mut nearest: Vec<usize> = (0..rungs.len()).collect();
            nearest.sort_by(|&a, &b| (rungs[a].1 - elo).abs().total_cmp(&(rungs[b].1 - elo).abs()));
            for &rung in nearest.iter().take(NEIGHBOURS) {
                let pairs = (self.results(&met[rung].encounters).games() / 2) as u32 + self.pairs_each();
                if !self.meet(rungs[rung].0, pairs, &mut met, rung, stop, &mut progress)? {
                    return Ok(None);
                }
            }
        }
        self.placed(&met).map(Some)
    }

    /// Plays against a rung until there are `pairs` pairs; `false` if that was stopped.
    fn meet(
        &self,
        rung: &PlayerConfig,
        pairs: u32,
        met: &mut [PlayedEncounters],
        at: usize,
        stop: &AtomicBool,
        progress: &mut impl FnMut(u64, &str, &MatchProgress),
    ) -> Result<bool, MatchError> {
        let others: u64 = met
            .iter()
            .enumerate()
            .filter(|&(i, _)| i != at)
            .map(|(_, with)| self.results(&with.encounters).games())
            .sum();
        let on_progress = |now: &MatchProgress| progress(others + now.games, &rung.name, now);
        let (report, _) = self.ladder.play([self.player, rung], pairs, self.playing, stop, on_progress)?;
        let MatchReport { moving_first, moving_second, failed, .. } = report;
        // A resumed log may have other names for them.
        let [player, rung] = [&self.player.name, &rung.name].map(String::clone);
        let encounters = vec![
            Encounter { first: player.clone(), second: rung.clone(), results: moving_first },
            Encounter { first: rung, second: player, results: moving_second.reversed() },
        ];
        met[at] = PlayedEncounters { encounters, failed };
        Ok(report.missing_games == 0)
    }

    /// The player's results in some encounters.
    fn results(&self, encounters: &[Encounter]) -> Wdl {
        let seen = encounters.iter().filter_map(|encounter| encounter.seen_by(&self.player.name));
        seen.fold(Wdl::default(), |sum, results| sum + results)
    }

    fn placed(&self, met: &[PlayedEncounters]) -> Result<PlacedPlayer, MatchError> {
        let encounters: Vec<Encounter> = met.iter().flat_map(|met| met.encounters.clone()).collect();
        let all: Vec<Encounter> = self.ladder.results().into_iter().chain(encounters.iter().cloned()).collect();
        let is_shown = |player: &str| player == self.player.name || self.ladder.has(player);
        Ok(PlacedPlayer {
            player: self.player.name.clone(),
            games: self.results(&encounters).games(),
            ratings: rate(&all, Some(ANCHOR))?.only(is_shown),
            failed: met.iter().flat_map(|met| met.failed.clone()).collect(),
            encounters,
        })
    }
}

impl PlacedPlayer {
    /// Its Elo above the ladder's anchor.
    pub fn elo(&self) -> f64 {
        self.ratings.rows.iter().find(|row| row.player == self.player).map_or(0.0, |row| row.elo)
    }
}
