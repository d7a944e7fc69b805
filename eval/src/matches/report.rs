//! What a match has shown, computed from its log.

use crate::log::{Games, Header, PlayerRecord};
use crate::ratings::{Pentanomial, Strength, Wdl};
use rules::Side;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::fmt;

/// How a match stands while it is played, told of the first named player.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Finished games.
    pub games: u64,
    /// Games of the whole match.
    pub total: u64,
    /// Results so far.
    pub results: Wdl,
    /// Complete pairs so far.
    pub pairs: Pentanomial,
    /// Strength by the complete pairs so far.
    pub strength: Strength,
}

impl Progress {
    pub(super) fn new(games: &Games, pairs: u32) -> Progress {
        let tally = Tally::new(games);
        Progress {
            games: tally.results.games(),
            total: 2 * u64::from(pairs),
            results: tally.results,
            pairs: tally.pairs,
            strength: Strength::of_pairs(tally.pairs),
        }
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} games  {}  {}", self.games, self.total, self.results, EloText(&self.strength))
    }
}

/// `Elo +35 ± 20`, with what is unknown as n/a.
struct EloText<'a>(&'a Strength);

impl fmt::Display for EloText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Strength { elo, elo_error, elo_low, elo_high, .. } = *self.0;
        match (elo, elo_error, elo_low, elo_high) {
            (Some(elo), Some(error), ..) => write!(f, "Elo {elo:+.0} ± {error:.0}"),
            (_, _, Some(low), None) => write!(f, "Elo above {low:+.0}"),
            (_, _, None, Some(high)) => write!(f, "Elo below {high:+.0}"),
            _ => f.write_str("Elo n/a"),
        }
    }
}

#[derive(Default)]
struct Tally {
    results: Wdl,
    by_side: [Wdl; 2],
    pairs: Pentanomial,
}

impl Tally {
    fn new(games: &Games) -> Tally {
        let mut tally = Tally::default();
        for (&(pair, side), game) in games {
            let result = game.result_of_first_named();
            tally.results.count(result);
            tally.by_side[side.index()].count(result);
            if let (Side::First, Some(other)) = (side, games.get(&(pair, Side::Second))) {
                tally.pairs.count([result, other.result_of_first_named()]);
            }
        }
        tally
    }
}

/// A match as its log tells it. Results are those of the first named player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchReport {
    /// Variant.
    pub variant: String,
    /// Rule-set preset.
    pub ruleset: String,
    /// Names of the players.
    pub players: [String; 2],
    /// Results of all finished games.
    pub results: Wdl,
    /// Results of the games in which the first named player moved first.
    pub moving_first: Wdl,
    /// Results of the games in which it moved second.
    pub moving_second: Wdl,
    /// Complete pairs by their score: two losses, …, two wins.
    pub pairs: Pentanomial,
    /// Strength of the first named player over the other, from the complete pairs: score, Elo, nElo, LOS.
    pub strength: Strength,
    /// Share of drawn games.
    pub draw_ratio: Option<f64>,
    /// Mean number of plies of a game, opening included.
    pub mean_plies: Option<f64>,
    /// Games by the reason they ended.
    pub terminations: BTreeMap<String, u64>,
    /// Seconds of playing, over all runs of the program.
    pub seconds: f64,
    /// Finished games a second of playing.
    pub games_per_second: Option<f64>,
    /// Games that are move for move like another one, so that they tell nothing new.
    pub repeated_games: u64,
    /// Games still to be played.
    pub missing_games: u64,
    /// What should be known before these numbers are trusted.
    pub warnings: Vec<String>,
}

impl MatchReport {
    /// The report on a log. `wanted` is the number of pairs of the match.
    pub fn new(header: &Header, games: &Games, wanted: u32) -> MatchReport {
        let Tally { results, by_side: [moving_first, moving_second], pairs } = Tally::new(games);
        let count = games.len() as u64;
        let mut terminations = BTreeMap::new();
        let mut sessions = BTreeMap::new();
        // The two games of a pair between equal players may well be alike; that is no repetition.
        let mut seen = [HashSet::new(), HashSet::new()];
        let mut repeated_games = 0;
        for (&(_, side), game) in games {
            *terminations.entry(game.termination.clone()).or_default() += 1;
            let last = sessions.entry(game.session).or_insert(0u64);
            *last = game.elapsed_ms.max(*last);
            repeated_games += u64::from(!seen[side.index()].insert((&game.fen, &game.moves)));
        }
        let seconds = sessions.values().sum::<u64>() as f64 / 1000.0;
        let mut warnings = Vec::new();
        if repeated_games > 0 {
            let cause = if header.players.iter().any(PlayerRecord::plays_by_chance) {
                "there are too few openings"
            } else {
                "neither player plays by chance, and openings repeat: use more opening plies or a longer list"
            };
            warnings.push(format!(
                "{repeated_games} of {count} games are move for move like another one ({cause}); the error bars are too small"
            ));
        }
        MatchReport {
            variant: header.variant.clone(),
            ruleset: header.ruleset.clone(),
            players: header.players.each_ref().map(|player| player.name.clone()),
            results,
            moving_first,
            moving_second,
            pairs,
            strength: Strength::of_pairs(pairs),
            draw_ratio: results.draw_ratio(),
            mean_plies: (count > 0)
                .then(|| games.values().map(|game| f64::from(game.plies)).sum::<f64>() / count as f64),
            terminations,
            seconds,
            games_per_second: (seconds > 0.0).then(|| count as f64 / seconds),
            repeated_games,
            missing_games: (2 * u64::from(wanted)).saturating_sub(count),
            warnings,
        }
    }
}

impl fmt::Display for MatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = &self.players;
        let known = |value: Option<f64>, factor: f64, digits: usize| {
            value.map_or_else(|| "n/a".to_owned(), |value| format!("{:.digits$}", factor * value))
        };
        writeln!(f, "{a} against {b}, {} ({}), {} games", self.variant, self.ruleset, self.results.games())?;
        let s = &self.strength;
        writeln!(
            f,
            "  score    {} % (95 %: {} to {})   {}   pairs {:?}",
            known(s.score, 100.0, 1),
            known(s.score_low, 100.0, 1),
            known(s.score_high, 100.0, 1),
            self.results,
            self.pairs.0
        )?;
        writeln!(f, "  strength {}   nElo {}   LOS {} %", EloText(s), known(s.nelo, 1.0, 0), known(s.los, 100.0, 1))?;
        writeln!(f, "  moving first {}   moving second {}", self.moving_first, self.moving_second)?;
        let ends: Vec<String> = self.terminations.iter().map(|(name, count)| format!("{name} {count}")).collect();
        write!(
            f,
            "  plies {}   {}   {} games/s",
            known(self.mean_plies, 1.0, 0),
            ends.join(", "),
            known(self.games_per_second, 1.0, 1)
        )?;
        self.warnings.iter().try_for_each(|warning| write!(f, "\n  warning: {warning}"))
    }
}
