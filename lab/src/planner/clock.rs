//! What is left of a budget, by the speeds that were measured.

use super::Planner;
use crate::events::{CountedPairs, Event, Stage};
use crate::plan::Plan;

/// Weight of a stage in the measured speeds, relative to the next stage of its kind. A single stage is too noisy to
/// plan by, and a long memory would react too late when another program begins to use the machine.
const FADING: f64 = 0.5;

/// Part of the time for matches that is planned with. The rest is for matches that turn out to be slow, and for matches
/// at the end of the run that bring neighbours in the ratings closer.
const MATCH_MARGIN: f64 = 0.8;

/// Most of the time for matches that is reserved for the last one, which shows what the run achieved.
const FINAL_MATCH_SHARE: f64 = 0.5;

/// Pairs of a match that is worth playing; where there is time for fewer, it comes later. Fewer say little, and their
/// batches are nearly empty.
const FEWEST_PAIRS: u32 = 10;

/// Pairs of the first match, which measures how long a pair takes. Until then the time of a pair is a guess, for Shogi against
/// greedy 20 times too long, and the more pairs the first match has, the later it comes.
const FIRST_PAIRS: u32 = 4;

/// How many times as long a simulation may take in a match as in self-play, until a match has been timed: a match has
/// fewer games to fill its batches with.
pub(crate) const SLOWER_IN_MATCHES: f64 = 2.0;

/// Time over the amount of work done in it, the latest stages counting most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Pace {
    seconds: f64,
    amount: f64,
}

impl Pace {
    fn count(&mut self, seconds: f64, amount: f64) {
        // After a kill there may have been nothing left to play, or too few positions to train on: that gives no speed.
        if amount > 0.0 {
            (self.seconds, self.amount) = (FADING * self.seconds + seconds, FADING * self.amount + amount);
        }
    }

    /// Seconds for a unit of work; `None` before the first measurement.
    fn seconds_each(&self) -> Option<f64> {
        (self.amount > 0.0).then(|| self.seconds / self.amount)
    }
}

/// Speeds measured in the run so far: seconds of a simulation in self-play, of a sample in training, of a pair of games in
/// matches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Speeds {
    pub per_simulation: Option<f64>,
    pub per_sample: Option<f64>,
    pub per_pair: Option<f64>,
    /// Whether a match has been timed; if not, the speed of a pair is a guess from self-play.
    pub has_timed_match: bool,
}

impl Speeds {
    /// The speeds that the finished stages show, the latest counting most.
    pub fn of(planner: &Planner, plans: &[Plan], events: &[Event]) -> Speeds {
        let [mut selfplay, mut training, mut matches] = [Pace::default(); 3];
        let mut counted = CountedPairs::default();
        let mut longest_games: Option<f64> = None;
        for event in events {
            match &event.stage {
                Stage::Selfplay(stage) => {
                    let plan = plans.iter().find(|plan| plan.generation == event.generation);
                    let visits = planner.visits(plan.map_or(0.0, |plan| plan.progress_from));
                    selfplay.count(event.seconds, stage.searched as f64 * visits);
                    let plies = Some(stage.mean_plies).filter(|_| stage.games > 0);
                    longest_games = longest_games.into_iter().chain(plies).reduce(f64::max);
                }
                Stage::Train(stage) => training.count(event.seconds, stage.samples as f64),
                // In simulations of self-play, so that a machine that has become slower is slower in matches too.
                Stage::Match(stage) => {
                    let pairs = counted.count(stage);
                    let Some(simulation) = selfplay.seconds_each() else { continue };
                    matches.count(event.seconds / simulation, pairs as f64);
                }
                // A repeated training gives no new speed.
                Stage::Untrained(_) | Stage::Repaired(_) => {}
            }
        }
        let per_simulation = selfplay.seconds_each();
        // Until a match has been timed: two games as long as those of the generation with the longest mean. In a
        // generation with few finished games, these may have begun near their end.
        let guess = || {
            let simulations = 2.0 * longest_games? * f64::from(planner.match_visits);
            Some(SLOWER_IN_MATCHES * simulations * per_simulation?)
        };
        let per_sample = training.seconds_each();
        let timed = matches.seconds_each().zip(per_simulation).map(|(simulations, each)| simulations * each);
        Speeds { per_simulation, per_sample, per_pair: timed.or_else(guess), has_timed_match: timed.is_some() }
    }
}

/// State of a budget.
#[derive(Debug)]
pub(super) struct Clock {
    /// The whole budget, seconds.
    pub budget: f64,
    /// The part that is not for matches, seconds.
    pub playing: f64,
    /// What is left of `playing`, seconds.
    pub left: f64,
    /// What all matches may take together, seconds.
    matches: f64,
    /// What of `matches` is reserved for the last one, seconds.
    final_match: f64,
    /// What of `matches` has been used, seconds.
    used_on_matches: f64,
    pub speeds: Speeds,
}

impl Clock {
    /// The state of a budget of so many seconds after these events.
    pub fn new(planner: &Planner, budget: f64, plans: &[Plan], events: &[Event]) -> Clock {
        let used: f64 = events.iter().map(|event| event.seconds + event.seconds_before).sum();
        let matches_played = events.iter().filter(|event| matches!(event.stage, Stage::Match(_)));
        let used_on_matches: f64 = matches_played.map(|event| event.seconds).sum();
        let speeds = Speeds::of(planner, plans, events);
        let matches = MATCH_MARGIN * planner.match_share * budget;
        let for_pairs = |pairs: f64, most: f64| speeds.per_pair.map_or(most, |pair| (pairs * pair).min(most));
        let most = if planner.matches > 0 { FINAL_MATCH_SHARE * matches } else { matches };
        let final_match = if planner.final_pairs > 0 { for_pairs(planner.final_pairs.into(), most) } else { 0.0 };
        let others = for_pairs(f64::from(planner.matches) * f64::from(planner.pairs), matches - final_match);
        let still_for_others = (others - used_on_matches).max(0.0);
        // Time without planned pairs, for matches at the end that bring neighbours in the ratings closer.
        let closing = if planner.final_pairs > 0 { (1.0 - MATCH_MARGIN) * planner.match_share * budget } else { 0.0 };
        let left = (budget - used - final_match - still_for_others - closing).max(0.0);
        let playing = (left + used - used_on_matches).max(1.0);
        Clock { budget, playing, left, matches, final_match, used_on_matches, speeds }
    }

    /// The part of the run that is done, 0 to 1.
    pub fn done(&self) -> f64 {
        1.0 - self.left / self.playing
    }

    /// Pairs of a match when this part of the run is done. The time for matches accrues as the run progresses, so that
    /// its last matches get their share. If too little time has accrued, the match is skipped, and the next one has
    /// more.
    pub fn match_pairs(&self, planner: &Planner, progress: f64) -> u32 {
        let earned = progress * (self.matches - self.final_match) - self.used_on_matches;
        let [fewest, most] = if self.speeds.has_timed_match { [FEWEST_PAIRS, planner.pairs] } else { [FIRST_PAIRS; 2] };
        let pairs = self.pairs_in(earned).min(most.min(planner.pairs));
        if pairs < fewest.min(planner.pairs) { 0 } else { pairs }
    }

    /// Pairs of the last match, when one of so many pairs is to be played before it. If it is the only match, only the
    /// guess is available.
    pub fn final_pairs(&self, planner: &Planner, before: u32) -> u32 {
        let before = self.speeds.per_pair.map_or(0.0, |pair| f64::from(before) * pair);
        self.pairs_in(self.matches - self.used_on_matches - before).min(planner.final_pairs)
    }

    /// Pairs that fit into so many seconds; none until the time of a pair is known.
    fn pairs_in(&self, seconds: f64) -> u32 {
        self.speeds.per_pair.map_or(0, |pair| (seconds / pair) as u32)
    }
}
