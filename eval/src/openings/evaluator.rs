//! The search that judges whether an opening is balanced.

use crate::error::MatchError;
use crate::players::{Mcts, PlayerConfig, PlayerKind};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Variant};
use search::{EvaluationError, Evaluations, Evaluator, LeafBatch, Search, SearchConfig, Step};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Builder};

/// Most visits of a network's search for one opening.
const MOST_VISITS: u32 = 400;

/// Playouts for one opening if no player has a network. Their mean is uncertain by at most ±0.05.
const PLAYOUTS: u32 = 400;

/// A position to be evaluated, with the seed of its random numbers.
pub(super) type SeededPosition<V> = (Game<V>, u64);

/// Evaluates openings, for networks and outside engines alike. The opinion of an engine would cost its time, have a scale of
/// its own, and favour the engine.
pub(super) struct BalanceEvaluator<'a> {
    network: Option<(&'a PlayerConfig, SearchConfig)>,
    threads: usize,
}

impl<'a> BalanceEvaluator<'a> {
    /// The first network among the players, or pure MCTS.
    pub fn new(players: &[&'a PlayerConfig], threads: usize) -> BalanceEvaluator<'a> {
        let network = players.iter().find_map(|&player| match &player.kind {
            PlayerKind::Network { search, .. } => {
                Some((player, SearchConfig { visits: search.visits.min(MOST_VISITS), ..search.clone() }))
            }
            _ => None,
        });
        BalanceEvaluator { network, threads }
    }

    /// Its name, for the header of the log, because the openings depend on it.
    pub fn name(&self) -> String {
        match &self.network {
            Some((player, search)) => {
                let identity: String = player.identity.chars().take(16).collect();
                format!("{} ({identity}), {} visits", player.name, search.visits)
            }
            None => format!("mcts:{PLAYOUTS}"),
        }
    }

    /// q of the side to move in each position, −1 to 1; fewer values if it was halted. The value of a position does not
    /// depend on the others.
    ///
    /// # Errors
    /// The network fails, or the system refuses a thread.
    pub fn values<V: Variant>(
        &self,
        questions: &[SeededPosition<V>],
        halt: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<f64>, MatchError> {
        self.values_by(Builder::new, questions, halt)
    }

    fn values_by<V: Variant>(
        &self,
        builder: impl Fn() -> Builder,
        questions: &[SeededPosition<V>],
        halt: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<f64>, MatchError> {
        let share = questions.len().div_ceil(self.threads).max(1);
        let refused = AtomicBool::new(false);
        // If a thread is refused, those already started need not finish their work.
        let halted = || refused.load(Ordering::Relaxed) || halt();
        let halted: &(dyn Fn() -> bool + Sync) = &halted;
        thread::scope(|scope| {
            let begin = |part| {
                let builder = builder().name("openings".to_owned());
                builder.spawn_scoped(scope, move || self.part::<V>(part, halted))
            };
            let parts = questions.chunks(share).map(begin).collect::<Result<Vec<_>, _>>().map_err(|source| {
                refused.store(true, Ordering::Relaxed);
                MatchError::Thread { task: "judges openings", source }
            })?;
            let mut values = Vec::with_capacity(questions.len());
            for part in parts {
                values.extend(part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok(values)
        })
    }

    fn part<V: Variant>(
        &self,
        questions: &[SeededPosition<V>],
        halt: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<f64>, MatchError> {
        match &self.network {
            Some((player, search)) => {
                by_network(player, search, questions, halt).map_err(|source| MatchError::Evaluation {
                    player: player.name.clone(),
                    game: "evaluation of the openings".to_owned(),
                    source,
                })
            }
            None => {
                let mut mcts = Mcts::new(PLAYOUTS);
                let judged = questions.iter().take_while(|_| !halt());
                Ok(judged.map(|(game, seed)| mcts.value(game, &mut ChaCha8Rng::seed_from_u64(*seed))).collect())
            }
        }
    }
}

/// Searches as many positions at the same time as fill a batch of the network.
fn by_network<V: Variant>(
    player: &PlayerConfig,
    config: &SearchConfig,
    questions: &[SeededPosition<V>],
    halt: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<f64>, EvaluationError> {
    let PlayerKind::Network { factory, .. } = &player.kind else { return Ok(Vec::new()) };
    let mut evaluator = factory()?;
    let mut batch = LeafBatch::new(evaluator.features());
    let mut answers = Evaluations::default();
    let mut values = Vec::with_capacity(questions.len());
    for group in questions.chunks(evaluator.batch_size().max(1)) {
        let mut searches: Vec<Search<V>> = group.iter().map(|_| Search::new(config.clone())).collect();
        for (search, (game, seed)) in searches.iter_mut().zip(group) {
            search.begin(game, config.visits, &mut ChaCha8Rng::seed_from_u64(*seed));
        }
        let mut running: Vec<&mut Search<V>> = searches.iter_mut().collect();
        while !running.is_empty() {
            if halt() {
                return Ok(values);
            }
            batch.clear();
            running.retain_mut(|search| search.next_leaf(&mut batch) == Step::Pending);
            if running.is_empty() {
                break;
            }
            evaluator.evaluate(&batch, &mut answers)?;
            answers.check(&batch)?;
            for (leaf, search) in running.iter_mut().enumerate() {
                search.supply(&mut batch, leaf, &answers)?;
            }
        }
        values.extend(searches.iter_mut().map(|search| f64::from(search.result().root_q)));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Rules, Wangqi};
    use std::cell::Cell;

    #[test]
    fn a_thread_that_is_refused_is_named() {
        let evaluator = BalanceEvaluator::new(&[], 3);
        let questions: Vec<SeededPosition<Wangqi>> = (0..3).map(|seed| (Game::start(Rules::default()), seed)).collect();
        for possible in 0..4 {
            let asked = Cell::new(0);
            // No system has room for this stack.
            let builder = || match asked.replace(asked.get() + 1) < possible {
                true => Builder::new(),
                false => Builder::new().stack_size(1 << 60),
            };
            match evaluator.values_by(builder, &questions, &|| false) {
                Ok(values) => assert_eq!((values.len(), possible), (3, 3)),
                Err(error) => {
                    assert!(possible < 3 && matches!(error, MatchError::Thread { .. }), "{error}");
                    assert!(error.to_string().starts_with("cannot start the thread that judges openings; "), "{error}");
                    assert_eq!(asked.get(), possible + 1, "no other was tried");
                }
            }
        }
    }
}
