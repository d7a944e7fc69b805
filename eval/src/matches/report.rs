//! The report on a match, computed from its log.

use crate::log::{FinishedGames, GameEntry, GameKey, MatchHeader, SequentialTestState, StoppingRule, game_name};
use crate::ratings::{Pentanomial, Sprt, SprtDecision, Strength, Wdl};
use rules::{Side, Termination};
use serde::{Deserialize, Serialize};
use settings::counted;
use std::collections::{BTreeMap, HashSet};
use std::fmt;

/// The state of a match while it is played. Results are those of the first named player.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchProgress {
    /// Finished games.
    pub games: u64,
    /// Games of the whole match, unless a test ends it before.
    pub total: u64,
    /// Results so far.
    pub results: Wdl,
    /// Complete pairs so far.
    pub pairs: Pentanomial,
    /// The games in which the first named player moved first, and those in which it moved second.
    pub by_side: [Wdl; 2],
    /// Strength by the complete pairs so far.
    pub strength: Strength,
    /// How the sequential test stands, if there is one.
    pub sprt: Option<SequentialTestState>,
    /// What to tell people, each once: warnings about the openings before the first game, then each game that ended with an
    /// error of a player, and each that is played again.
    pub notes: Vec<String>,
}

impl MatchProgress {
    pub(super) fn new(games: &FinishedGames, pairs: u32, stopping_rule: &StoppingRule) -> MatchProgress {
        let tally = MatchScore::new(&games_that_count(games, stopping_rule));
        MatchProgress {
            games: tally.results.games(),
            total: 2 * u64::from(pairs),
            results: tally.results,
            pairs: tally.pairs,
            by_side: tally.by_side,
            strength: Strength::of_pairs(tally.pairs),
            sprt: stopping_rule.state(),
            notes: Vec::new(),
        }
    }
}

impl fmt::Display for MatchProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.results, self.strength.elo_text())?;
        if self.pairs.pairs() > 0 {
            write!(f, " over {}", counted(self.pairs.pairs(), "pair", "pairs"))?;
        }
        self.sprt.iter().try_for_each(|sprt| write!(f, "  {sprt}"))
    }
}

/// The games that count: where the test has decided, those of the pairs up to its decision.
fn games_that_count<'a>(games: &'a FinishedGames, stopping_rule: &StoppingRule) -> BTreeMap<GameKey, &'a GameEntry> {
    let end = stopping_rule.end();
    games.iter().map(|(&key, game)| (key, game)).take_while(|(key, _)| end.is_none_or(|end| *key < end)).collect()
}

#[derive(Default)]
struct MatchScore {
    results: Wdl,
    by_side: [Wdl; 2],
    pairs: Pentanomial,
}

impl MatchScore {
    fn new(games: &BTreeMap<GameKey, &GameEntry>) -> MatchScore {
        let mut tally = MatchScore::default();
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

/// A game that a player lost by an error: it crashed, hung, moved too late or illegally.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedGame {
    /// Number of the pair, from 0.
    pub pair: u32,
    /// Whether the player named first in the match moved first.
    pub first_named_first: bool,
    /// The player that failed.
    pub player: String,
    /// The opponent.
    pub opponent: String,
    /// Plies played before that.
    pub plies: u32,
    /// What the player did.
    pub reason: String,
}

impl FailedGame {
    /// `None` for a game that ended otherwise.
    pub fn new(header: &MatchHeader, game: &GameEntry) -> Option<FailedGame> {
        let loser = usize::from(game.result_of_first_named() > 0);
        if game.termination != Termination::Error {
            return None;
        }
        let [a, b] = header.names();
        let [player, opponent] = if loser == 0 { [a, b] } else { [b, a] };
        Some(FailedGame {
            pair: game.pair,
            first_named_first: game.side_of_first_named == Side::First,
            player,
            opponent,
            plies: game.plies,
            reason: game.reason.clone(),
        })
    }
}

/// `scripted loses to random by an error (pair 3, first game, after 10 plies): no move within 0.3 s`.
impl fmt::Display for FailedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FailedGame { pair, first_named_first, player, opponent, plies, reason } = self;
        let side = if *first_named_first { Side::First } else { Side::Second };
        let (game, plies) = (game_name((*pair, side)), counted(u64::from(*plies), "ply", "plies"));
        write!(f, "{player} loses to {opponent} by an error ({game}, after {plies}): {reason}")
    }
}

/// Most games that a report lists; the log has all.
const MOST_LISTED: usize = 10;

/// A line for each of the first games.
///
/// # Errors
/// The formatter refuses.
pub(crate) fn write_failed(f: &mut fmt::Formatter<'_>, prefix: &str, failed: &[&FailedGame]) -> fmt::Result {
    failed.iter().take(MOST_LISTED).try_for_each(|game| write!(f, "{prefix}{game}"))?;
    match failed.len().saturating_sub(MOST_LISTED) {
        0 => Ok(()),
        more => write!(f, "{prefix}and {more} more; the log has all"),
    }
}

/// The report on a match. Results are those of the first named player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchReport {
    /// Variant.
    pub variant: String,
    /// Rule-set preset.
    pub ruleset: String,
    /// Names of the players.
    pub players: [String; 2],
    /// Results of the games that count: all that are finished, or where the sequential test has decided, those of the
    /// pairs up to its decision.
    pub results: Wdl,
    /// Results of the games in which the first named player moved first.
    pub moving_first: Wdl,
    /// Results of the games in which it moved second.
    pub moving_second: Wdl,
    /// Complete pairs by their score, from two losses to two wins.
    pub pairs: Pentanomial,
    /// Strength of the first named player over the other, from the complete pairs: score, Elo, nElo, LOS.
    pub strength: Strength,
    /// Share of drawn games.
    pub draw_ratio: Option<f64>,
    /// Mean number of plies of a game, opening included.
    pub mean_plies: Option<f64>,
    /// Games by the reason they ended.
    pub terminations: BTreeMap<String, u64>,
    /// Games ended by the players' scores, by the rule that ended them.
    pub adjudicated: BTreeMap<String, u64>,
    /// Games that a player lost by an error.
    #[serde(default)]
    pub failed: Vec<FailedGame>,
    /// How the sequential test stands, if there is one.
    pub sprt: Option<SequentialTestState>,
    /// Games in the log that do not count because they were finished after the test's decision.
    pub uncounted_games: u64,
    /// Seconds of play, over all runs of the program.
    pub seconds: f64,
    /// Finished games per second of play.
    pub games_per_second: Option<f64>,
    /// Games that equal another one move for move and so add no information.
    pub repeated_games: u64,
    /// Games still to be played.
    pub missing_games: u64,
    /// Warnings about these numbers.
    pub warnings: Vec<String>,
}

impl MatchReport {
    /// The report on a log. `wanted` is the number of pairs of the match, `test` the test that ends it.
    pub fn new(header: &MatchHeader, games: &FinishedGames, wanted: u32, test: Option<Sprt>) -> MatchReport {
        let mut stopping_rule = StoppingRule::new(test);
        let decided = stopping_rule.follow(games);
        let logged = games.len() as u64;
        let games = games_that_count(games, &stopping_rule);
        let MatchScore { results, by_side: [moving_first, moving_second], pairs } = MatchScore::new(&games);
        let count = games.len() as u64;
        let failed = games.values().filter_map(|game| FailedGame::new(header, game)).collect();
        let mut terminations = BTreeMap::new();
        let mut adjudicated = BTreeMap::new();
        let mut sessions = BTreeMap::new();
        // The two games of a pair between equal players may well be alike; that is no repetition.
        let mut seen = [HashSet::new(), HashSet::new()];
        let mut repeated_games = 0;
        for (&(_, side), &game) in &games {
            *terminations.entry(game.termination.name().to_owned()).or_default() += 1;
            if game.termination == Termination::Adjudicated {
                *adjudicated.entry(game.reason.clone()).or_default() += 1;
            }
            let last = sessions.entry(game.session).or_insert(0u64);
            *last = game.elapsed_ms.max(*last);
            repeated_games += u64::from(!seen[side.index()].insert((&game.start_fen, &game.moves)));
        }
        let seconds = sessions.values().sum::<u64>() as f64 / 1000.0;
        let mut warnings = Vec::new();
        if repeated_games > 0 {
            let cause = if header.plays_by_chance() {
                "there are too few openings"
            } else {
                "neither player plays by chance, and openings repeat: use more opening plies or a longer book"
            };
            warnings.push(format!(
                "{repeated_games} of {count} games are move for move like another one ({cause}); the error bars are too small"
            ));
        }
        // There may be games of pairs beyond those that are wanted now.
        let played_of_wanted = games.keys().filter(|(pair, _)| *pair < wanted).count() as u64;
        MatchReport {
            variant: header.variant.clone(),
            ruleset: header.ruleset.clone(),
            players: header.names(),
            results,
            moving_first,
            moving_second,
            pairs,
            strength: Strength::of_pairs(pairs),
            draw_ratio: results.draw_ratio(),
            mean_plies: (count > 0)
                .then(|| games.values().map(|game| f64::from(game.plies)).sum::<f64>() / count as f64),
            terminations,
            adjudicated,
            failed,
            sprt: stopping_rule.state(),
            uncounted_games: logged - count,
            seconds,
            games_per_second: (seconds > 0.0).then(|| count as f64 / seconds),
            repeated_games,
            missing_games: if decided { 0 } else { 2 * u64::from(wanted) - played_of_wanted },
            warnings,
        }
    }
}

impl MatchReport {
    /// Whether every game ended with an error of a player, so that the results say nothing about strength.
    pub fn every_game_failed(&self) -> bool {
        !self.failed.is_empty() && self.failed.len() as u64 == self.results.games()
    }
}

impl fmt::Display for MatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = &self.players;
        let known = |value: Option<f64>, factor: f64, digits: usize| {
            value.map_or_else(|| "n/a".to_owned(), |value| format!("{:.digits$}", factor * value))
        };
        writeln!(f, "{a} against {b}, {} ({})", self.variant, self.ruleset)?;
        let (results, first, second) = (self.results, self.moving_first, self.moving_second);
        writeln!(f, "  games    {}: {results}; moving first {first}, second {second}", results.games())?;
        let [ll, ld, level, wd, ww] = self.pairs.0;
        writeln!(
            f,
            "  pairs    {} complete: {ww} won 2-0, {wd} won, {level} level, {ld} lost, {ll} lost 0-2",
            self.pairs.pairs()
        )?;
        let s = &self.strength;
        writeln!(
            f,
            "  score    {} % of the complete pairs (95 %: {} to {})",
            known(s.score, 100.0, 1),
            known(s.score_low, 100.0, 1),
            known(s.score_high, 100.0, 1)
        )?;
        writeln!(
            f,
            "  strength {}, nElo {}, LOS {} %, from the complete pairs",
            s.elo_text(),
            known(s.nelo, 1.0, 0),
            known(s.los, 100.0, 1)
        )?;
        let ends: Vec<String> = self.terminations.iter().map(|(name, count)| format!("{name} {count}")).collect();
        write!(
            f,
            "  ends     {}; {} plies a game, {} games/s",
            ends.join(", "),
            known(self.mean_plies, 1.0, 0),
            known(self.games_per_second, 1.0, 1)
        )?;
        self.adjudicated.iter().try_for_each(|(rule, count)| write!(f, "\n  adjudicated {count}: {rule}"))?;
        write_failed(f, "\n  error    ", &self.failed.iter().collect::<Vec<_>>())?;
        if let Some(sprt) = &self.sprt {
            let Sprt { model, elo0, elo1, alpha, beta } = sprt.test;
            write!(
                f,
                "\n  SPRT {model} {elo0} to {elo1}, α {alpha}, β {beta}: {sprt} after {}",
                counted(sprt.pairs, "pair", "pairs")
            )?;
            if sprt.decision == SprtDecision::Continue {
                f.write_str(", not decided")?;
            }
            if self.uncounted_games > 0 {
                let games = counted(self.uncounted_games, "game", "games");
                write!(f, "\n  not counted, because finished after the decision: {games}")?;
            }
        }
        self.warnings.iter().try_for_each(|warning| write!(f, "\n  warning: {warning}"))
    }
}
