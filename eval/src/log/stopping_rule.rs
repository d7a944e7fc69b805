//! The sequential test of a match: which pairs it has looked at, and where it ends.
//!
//! Games end in any order. A test that took them as they come would favour short games, and its decision would depend on
//! the machine. So the test counts the pairs in the order of their numbers, each as soon as it and all before it are
//! complete. It looks at the ratio after every fifth pair and ends when that decides. Its decision is therefore a
//! function of the games. Finished games of later pairs stay in the log and do not count.

use super::record::{FinishedGames, GameEntry, GameKey};
use crate::ratings::{SequentialTest, Sprt, SprtDecision};
use rules::Side;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The test of a match, if it has one, and the pairs it has looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppingRule(Option<SequentialTest>);

impl StoppingRule {
    /// A test that has looked at no pair.
    pub fn new(test: Option<Sprt>) -> StoppingRule {
        StoppingRule(test.map(SequentialTest::new))
    }

    /// Looks at the pairs that have become complete in their order. Returns whether the match is decided.
    pub fn follow(&mut self, games: &FinishedGames) -> bool {
        self.follow_results(|key| games.get(&key).map(GameEntry::result_of_first_named))
    }

    /// Like `follow`, from the first named player's results of the finished games.
    fn follow_results(&mut self, result: impl Fn(GameKey) -> Option<i8>) -> bool {
        let Some(test) = &mut self.0 else { return false };
        while test.decision() == SprtDecision::Continue {
            let pair = test.pairs().pairs() as u32;
            let [Some(first), Some(second)] = Side::BOTH.map(|side| result((pair, side))) else { return false };
            test.count([first, second]);
        }
        true
    }

    /// The first game that no longer counts; `None` as long as nothing is decided.
    pub fn end(&self) -> Option<GameKey> {
        let test = self.0.as_ref().filter(|test| test.decision() != SprtDecision::Continue)?;
        Some((test.pairs().pairs() as u32, Side::First))
    }

    /// How the test stands; `None` without one.
    pub fn state(&self) -> Option<SequentialTestState> {
        let test = self.0.as_ref()?;
        Some(SequentialTestState {
            test: *test.test(),
            pairs: test.pairs().pairs(),
            llr: test.llr(),
            llr_bounds: test.test().bounds(),
            decision: test.decision(),
        })
    }
}

/// The test while the match is played. It counts every game as soon as it ends, so that no game begins after the decision
/// just because the log is slow.
pub(crate) struct LiveStoppingRule {
    stopping_rule: StoppingRule,
    /// Results of the first named player.
    results: BTreeMap<GameKey, i8>,
}

impl LiveStoppingRule {
    /// The test after the games of a log, which may be none.
    pub fn new(test: Sprt, games: &FinishedGames) -> LiveStoppingRule {
        let results = games.iter().map(|(&key, game)| (key, game.result_of_first_named())).collect();
        LiveStoppingRule { stopping_rule: StoppingRule::new(Some(test)), results }
    }

    /// A game has ended; returns whether the match is decided.
    pub fn count(&mut self, game: &GameEntry) -> bool {
        self.results.insert(game.key(), game.result_of_first_named());
        let results = &self.results;
        self.stopping_rule.follow_results(|key| results.get(&key).copied())
    }
}

/// How the sequential test of a match stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SequentialTestState {
    /// What is tested.
    pub test: Sprt,
    /// Pairs it has looked at: all from the first up to one that is not complete, or to its decision.
    pub pairs: u64,
    /// The log-likelihood ratio; `None` before the first pair.
    pub llr: Option<f64>,
    /// The ratios at which it accepts H0 and H1.
    pub llr_bounds: [f64; 2],
    /// What it decides.
    pub decision: SprtDecision,
}

/// `LLR 1.20 (-2.94 to 2.94)`, and the decision.
impl fmt::Display for SequentialTestState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [low, high] = self.llr_bounds;
        match self.llr {
            Some(llr) => write!(f, "LLR {llr:.2} ({low:.2} to {high:.2})")?,
            None => write!(f, "LLR n/a ({low:.2} to {high:.2})")?,
        }
        match self.decision {
            SprtDecision::Continue => Ok(()),
            SprtDecision::H0 => write!(f, ", H0 accepted"),
            SprtDecision::H1 => write!(f, ", H1 accepted"),
        }
    }
}
