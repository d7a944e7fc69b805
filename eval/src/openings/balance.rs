//! Random openings after which neither side is much better.

use super::evaluator::BalanceEvaluator;
use super::random::{Scratch, random_game};
use super::{Opening, Openings, generator};
use crate::error::MatchError;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Key, Rules, Side, Variant};
use std::collections::HashSet;

/// Most random openings that are evaluated for a pair before the most balanced of them is taken.
const CANDIDATES: usize = 64;

/// Games of random moves tried for one candidate.
const ATTEMPTS: u32 = 50;

/// What openings are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct BalanceSettings<'a> {
    /// Setups from which each player draws one; empty: all there are.
    pub setups: &'a [String],
    pub plies: u32,
    pub pairs: u32,
    pub seed: u64,
    /// Greatest |q|.
    pub within: f64,
}

/// A random opening with its value.
struct OpeningCandidate<V: Variant> {
    game: Game<V>,
    key: Key,
    q: f64,
}

/// The candidates of one pair, in the order of its own random numbers.
struct CandidateStream<V: Variant> {
    rng: ChaCha8Rng,
    candidates: Vec<OpeningCandidate<V>>,
}

/// Balanced openings. No two lead to the same position as long as there are enough. The opening of a pair depends only on
/// the pairs before it, so a longer match begins with the openings of a shorter one.
///
/// # Errors
/// No pair has a balanced candidate, hardly any game continues after so many random plies, the evaluator fails, or a stop
/// was asked for.
pub(super) fn balanced<V: Variant>(
    rules: Rules<V>,
    wanted: &BalanceSettings<'_>,
    evaluator: &BalanceEvaluator,
    halt: &(dyn Fn() -> bool + Sync),
) -> Result<Openings<V>, MatchError> {
    let BalanceSettings { setups, plies, pairs, seed, within } = *wanted;
    let mut drafts: Vec<CandidateStream<V>> = (0..pairs)
        .map(|pair| CandidateStream {
            rng: generator(seed, "balanced opening", (pair, Side::First)),
            candidates: Vec::new(),
        })
        .collect();
    let mut scratch = Scratch::default();
    // Most pairs need one or two candidates. Those that need more get twice as many each time.
    let mut more = 1;
    let chosen = loop {
        let (chosen, undecided) = choose(&drafts, within);
        if undecided.is_empty() {
            break chosen;
        }
        let mut questions = Vec::new();
        let mut asked = Vec::new();
        for pair in undecided {
            for _ in 0..more.min(CANDIDATES - drafts[pair].candidates.len()) {
                let rng = &mut drafts[pair].rng;
                let Some(game) = (0..ATTEMPTS).find_map(|_| random_game(rules, setups, plies, rng, &mut scratch))
                else {
                    return Err(MatchError::Config(vec![format!(
                        "openings: hardly any game continues after {plies} random plies; take fewer opening plies"
                    )]));
                };
                questions.push((game, drafts[pair].rng.random()));
                asked.push(pair);
            }
        }
        let values = evaluator.values(&questions, halt)?;
        if values.len() < questions.len() {
            return Err(MatchError::Stopped);
        }
        for ((pair, (game, _)), q) in asked.into_iter().zip(questions).zip(values) {
            drafts[pair].candidates.push(OpeningCandidate { key: game.position().key(), game, q });
        }
        more = (2 * more).min(CANDIDATES);
    };
    let named = format!("balanced, {plies} plies, |q| up to {within} by {}", evaluator.name());
    let notes = note(&chosen, within, &evaluator.name())?;
    Ok(Openings { list: chosen.into_iter().map(|candidate| Opening::of(&candidate.game)).collect(), named, notes })
}

/// Takes for each pair in turn the first balanced candidate whose position no pair before it has. If there is none among
/// all that may be tried, it takes the most balanced one. Also returns the pairs that need more candidates.
fn choose<V: Variant>(drafts: &[CandidateStream<V>], within: f64) -> (Vec<&OpeningCandidate<V>>, Vec<usize>) {
    let mut seen = HashSet::new();
    let (mut chosen, mut undecided) = (Vec::with_capacity(drafts.len()), Vec::new());
    for (pair, draft) in drafts.iter().enumerate() {
        let mut candidate =
            draft.candidates.iter().find(|candidate| candidate.q.abs() <= within && !seen.contains(&candidate.key));
        if candidate.is_none() && draft.candidates.len() == CANDIDATES {
            // One that was used already comes last of all.
            let rank = |candidate: &&OpeningCandidate<V>| (seen.contains(&candidate.key), candidate.q.abs());
            candidate = draft.candidates.iter().min_by(|a, b| {
                let ((a_seen, a_q), (b_seen, b_q)) = (rank(a), rank(b));
                a_seen.cmp(&b_seen).then(a_q.total_cmp(&b_q))
            });
        }
        match candidate {
            Some(candidate) => {
                seen.insert(candidate.key);
                chosen.push(candidate);
            }
            None => undecided.push(pair),
        }
    }
    (chosen, undecided)
}

/// The warning if not all openings are balanced; an error if none is.
fn note<V: Variant>(chosen: &[&OpeningCandidate<V>], within: f64, evaluator: &str) -> Result<Vec<String>, MatchError> {
    let outside: Vec<f64> = chosen.iter().map(|candidate| candidate.q.abs()).filter(|&q| q > within).collect();
    let worst = outside.iter().copied().fold(0.0, f64::max);
    let text = format!(
        "{} of {} openings are not balanced (|q| above {within}, up to {worst:.2}, by {evaluator}): among \
         {CANDIDATES} tried for a pair none was, or all such were used before; allow a greater imbalance, or take \
         another number of opening plies",
        outside.len(),
        chosen.len()
    );
    match outside.len() {
        0 => Ok(Vec::new()),
        all if all == chosen.len() => Err(MatchError::Config(vec![format!("openings: {text}")])),
        _ => Ok(vec![text]),
    }
}
