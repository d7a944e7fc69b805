//! How strong is a player? A ladder of known players for each variant, which comes with the program, and the place of
//! another player on it.
//!
//! The ladder is a table of matches that were played once (`eval/benchmark/ladders.json`): with its seed and
//! settings they can be played again, game for game. A player is rated by playing some of the ladder's players and
//! fitting its games and the table's together, so that its error bar holds the ladder's own uncertainty too.

mod levels;
mod placement;
mod scale;

pub use levels::{Level, LevelError};
pub use placement::{PlacedPlayer, Placement};
pub use scale::{FixedPlayer, FixedScale, OnScale, ScalePlace};

use crate::config::MatchConfig;
use crate::error::MatchError;
use crate::log::{self, FinishedGames};
use crate::matches::{LogFolder, Match, MatchProgress, MatchReport};
use crate::openings::OpeningsConfig;
use crate::players::{PlayerConfig, PlayerSpec};
use crate::ratings::{Encounter, RatingError, RatingTable, Wdl, rate};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The ladders of all variants that have one.
const LADDERS: &str = include_str!("../../benchmark/ladders.json");

/// The player at 0 Elo.
pub const ANCHOR: &str = "random";

/// Players of known strength in one variant, and the games that made it known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceLadder {
    /// Variant.
    pub variant: String,
    /// Rule-set preset.
    pub ruleset: String,
    /// Ply limit.
    pub max_plies: u32,
    /// Random plies at the start of each pair of games.
    pub opening_plies: u32,
    /// Seed of openings and chance.
    pub seed: u64,
    /// The players.
    pub rungs: Vec<Rung>,
    /// The matches between them.
    pub encounters: Vec<Meeting>,
    /// Players with networks that no longer come with the program, and their matches.
    #[serde(default, skip_serializing_if = "EarlierPlayers::is_empty")]
    pub earlier: EarlierPlayers,
}

/// Players of a ladder that cannot play any more, and their matches with one another and with the other players. Their games
/// count, so that players who have met them keep their place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EarlierPlayers {
    /// The players.
    pub rungs: Vec<Rung>,
    /// The matches.
    pub encounters: Vec<Meeting>,
}

impl EarlierPlayers {
    fn is_empty(&self) -> bool {
        self.rungs.is_empty() && self.encounters.is_empty()
    }
}

/// A player of a ladder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rung {
    /// Name in tables.
    pub name: String,
    /// How it plays.
    pub player: PlayerSpec,
    /// For an engine, the name and version it reported when the games were played: another version may differ in strength.
    /// For the network of the program, its id.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// The number of the level that it is, if it is one; the levels follow one another in the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
}

/// A match between two players of a ladder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meeting {
    /// Their names; results are the first named one's.
    pub players: [String; 2],
    /// Pairs of games.
    pub pairs: u32,
    /// Its results; `None` before it was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<MeetingResult>,
}

/// The results of a meeting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeetingResult {
    /// Games in which the first named player moved first: won, drawn, lost.
    pub moving_first: [u64; 3],
    /// Games in which it moved second.
    pub moving_second: [u64; 3],
    /// Digest of all moves and results ([`digest`]).
    pub games: String,
}

/// How to play on a ladder.
#[derive(Clone, Copy, Debug)]
pub struct Playing<'a> {
    /// Threads, margin and concurrency; what the ladder fixes is taken from there.
    pub config: &'a MatchConfig,
    /// The folder of the match logs. Games in them are not played again.
    pub folder: &'a Path,
}

impl ReferenceLadder {
    /// The ladders that come with the program, one for each variant.
    ///
    /// # Errors
    /// They cannot be read, which is a defect of this program.
    pub fn own() -> Result<Vec<ReferenceLadder>, serde_json::Error> {
        Self::read(LADDERS)
    }

    /// Reads a JSON list of ladders.
    ///
    /// # Errors
    /// The text is not such a list; the message names line and column.
    pub fn read(text: &str) -> Result<Vec<ReferenceLadder>, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Results of all meetings that were played, by the player that moved first.
    pub fn results(&self) -> Vec<Encounter> {
        let mut out = Vec::new();
        for meeting in self.encounters.iter().chain(&self.earlier.encounters) {
            let Some(result) = &meeting.result else { continue };
            let [a, b] = &meeting.players;
            let [first, second] = [result.moving_first, result.moving_second].map(|[w, d, l]| Wdl::new(w, d, l));
            out.push(Encounter { first: a.clone(), second: b.clone(), results: first });
            out.push(Encounter { first: b.clone(), second: a.clone(), results: second.reversed() });
        }
        out
    }

    /// The strength of its players, by all games.
    ///
    /// # Errors
    /// No meeting was played.
    pub fn ratings(&self) -> Result<RatingTable, RatingError> {
        Ok(rate(&self.results(), Some(ANCHOR))?.only(|player| self.has(player)))
    }

    /// Whether a player of this name is on it and can play.
    fn has(&self, player: &str) -> bool {
        self.rungs.iter().any(|rung| rung.name == player)
    }

    /// Plays one meeting, or resumes it from its log. `None` if it was stopped.
    ///
    /// # Errors
    /// As [`Match::play`].
    pub fn play_meeting(
        &self,
        meeting: &Meeting,
        players: [&PlayerConfig; 2],
        playing: Playing<'_>,
        stop: &AtomicBool,
        progress: impl FnMut(&MatchProgress),
    ) -> Result<Option<Meeting>, MatchError> {
        let (report, games) = self.play(players, meeting.pairs, playing, stop, progress)?;
        let counts = |wdl: Wdl| [wdl.wins, wdl.draws, wdl.losses];
        let result = MeetingResult {
            moving_first: counts(report.moving_first),
            moving_second: counts(report.moving_second),
            games: digest(&games),
        };
        let players = meeting.players.clone();
        Ok((report.missing_games == 0).then_some(Meeting { players, pairs: meeting.pairs, result: Some(result) }))
    }

    /// A match by the ladder's settings.
    fn play(
        &self,
        players: [&PlayerConfig; 2],
        pairs: u32,
        playing: Playing<'_>,
        stop: &AtomicBool,
        progress: impl FnMut(&MatchProgress),
    ) -> Result<(MatchReport, FinishedGames), MatchError> {
        let config = MatchConfig {
            pairs,
            openings: OpeningsConfig { plies: self.opening_plies, ..playing.config.openings.clone() },
            max_plies: self.max_plies,
            ruleset: self.ruleset.clone(),
            seed: self.seed,
            ..playing.config.clone()
        };
        let variant = self.variant.parse()?;
        let [a, b] = players;
        let log = LogFolder::read(playing.folder, "", variant).log_of(a, b, config.limit);
        let report = Match { variant, config: &config, players, log: &log }.play(stop, progress)?;
        let log::MatchLogContents { header, mut games, .. } = log::read(&log)?;
        // An earlier call may have played more pairs, which must not change this report.
        games.retain(|&(pair, _), _| pair < pairs);
        let report = header.map_or(report, |header| MatchReport::new(&header, &games, pairs, None));
        Ok((report, games))
    }
}

/// BLAKE3 of the moves and results of some games in the order of their places, 16 hex digits: equal for equal games,
/// whatever the times and threads they took.
pub fn digest(games: &FinishedGames) -> String {
    let mut hasher = blake3::Hasher::new();
    for ((pair, side), game) in games {
        hasher.update(format!("{pair} {side} {} {}\n", game.result.number(), game.moves).as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::VariantId;
    use std::collections::HashSet;

    #[test]
    fn every_ladder_can_be_read_and_rated() {
        let ladders = ReferenceLadder::own().unwrap();
        // A new variant may have no ladder; `cli` asks for one where a network comes with the program.
        let variants: HashSet<VariantId> = ladders.iter().map(|ladder| ladder.variant.parse().unwrap()).collect();
        assert!(!ladders.is_empty() && variants.len() == ladders.len(), "one ladder for a variant");
        for ladder in &ladders {
            let EarlierPlayers { rungs: earlier, encounters: earlier_encounters } = &ladder.earlier;
            let names: HashSet<_> = ladder.rungs.iter().chain(earlier).map(|rung| &rung.name).collect();
            assert_eq!(names.len(), ladder.rungs.len() + earlier.len(), "{}: a name for each", ladder.variant);
            for meeting in ladder.encounters.iter().chain(earlier_encounters) {
                assert!(meeting.players.iter().all(|name| names.contains(&name)), "{}: {meeting:?}", ladder.variant);
                let result = meeting.result.as_ref().unwrap();
                let games: u64 = result.moving_first.iter().chain(&result.moving_second).sum();
                assert_eq!(games, 2 * u64::from(meeting.pairs), "{}: {meeting:?}", ladder.variant);
            }
            let ratings = ladder.ratings().unwrap();
            assert_eq!((ratings.rows.len(), ratings.unrated.len()), (ladder.rungs.len(), 0), "{}", ladder.variant);
            for neighbours in ratings.rows.windows(2) {
                let over = ratings.difference(&neighbours[0].player, &neighbours[1].player);
                assert!(over.is_some() && neighbours[0].over_next == over, "{}: {neighbours:?}", ladder.variant);
            }
        }
    }
}
