//! Slots that play without end in memory, from one network to the next, for a worker of a run on many machines, whose
//! games are uploaded as they end.
//!
//! A generation on one machine is a quota for each slot, and its games are the same after any interruption. Here
//! networks arrive at any time, so only the seeds and ids of games are fixed: the n-th game of a slot always has the
//! same ones, which shows if it was played twice.

use super::history::History;
use super::randomness::GameSeed;
use super::shared::Shared;
use super::slot::Slot;
use super::snapshot::Snapshot;
use super::{GenerateError, GenerationProgress, Origin, limited, searches};
use crate::config::SelfplayConfig;
use data::{DataError, GameRecord};
use rules::{Rules, Variant};
use search::{EvaluationError, Evaluator, SearchConfig};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// The longest time between two calls of `on_game`.
const ATTEND_EVERY: Duration = Duration::from_millis(100);

/// Settings and history of the games, until one of them changes.
#[derive(Clone, Debug)]
pub struct PoolSettings<'a, V: Variant> {
    /// The rule set; [`SelfplayConfig`] may limit its games further.
    pub rules: Rules<V>,
    /// Settings of the searches.
    pub search: &'a SearchConfig,
    /// Settings of the games; the quota of plies is ignored.
    pub selfplay: &'a SelfplayConfig,
    /// The origin in the games' records.
    pub origin: &'a Origin,
    /// What is taken from earlier generations.
    pub history: &'a History<V>,
    /// Part of the run that is done, 0 to 1.
    pub progress: f32,
    /// Threads, at least 1.
    pub threads: usize,
}

/// Slots with their unfinished games.
#[derive(Debug)]
pub struct SelfplayPool<V: Variant> {
    slots: Vec<Slot<V>>,
    seed: u64,
}

impl<V: Variant> SelfplayPool<V> {
    /// Slots without games; `numbers` has the number of the first game of each. Equal seeds and numbers give equal ids.
    pub fn new(seed: u64, search: &SearchConfig, numbers: &[u64]) -> SelfplayPool<V> {
        let slots = (0..).zip(numbers).map(|(index, &number)| Slot::new(index, number, search)).collect();
        SelfplayPool { slots, seed }
    }

    /// The id of a slot's game.
    pub fn game_id(&self, slot: u32, number: u64) -> u64 {
        GameSeed::new(self.seed, slot, number).id
    }

    /// Resumes the unfinished games that [`SelfplayPool::save`] has written. Those of slots that have advanced since
    /// are skipped.
    ///
    /// # Errors
    /// The file is not of this seed and variant, or has an illegal game.
    pub fn resume(&mut self, file: &Path, rules: Rules<V>, selfplay: &SelfplayConfig) -> Result<(), GenerateError> {
        let Some(snapshot) = Snapshot::read::<V>(file, self.seed)? else { return Ok(()) };
        let numbers: Vec<u64> = self.slots.iter().map(|slot| slot.number).collect();
        let slots = snapshot.restore(file, std::mem::take(&mut self.slots), limited(rules, selfplay))?;
        self.slots = slots;
        for (slot, number) in self.slots.iter_mut().zip(numbers) {
            if slot.number < number {
                (slot.number, slot.game) = (number, None);
            }
        }
        Ok(())
    }

    /// Writes the unfinished games to a file. A search in progress is abandoned; the moves before it stay.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&mut self, file: &Path) -> Result<(), DataError> {
        self.restart_searches();
        Snapshot::of(&self.slots, self.seed, 0).write(file)
    }

    /// Forgets the results of searches, for another network. The current searches restart, and no search has
    /// evaluations of two networks.
    pub fn restart_searches(&mut self) {
        self.slots.iter_mut().for_each(Slot::restart_search);
    }

    /// Plays until `halt` is set. `on_game` is called on this thread with each finished game, and now and then without
    /// one, while the games continue. `evaluators(i)` makes the evaluator of thread `i`, on that thread.
    ///
    /// # Errors
    /// The network failed or there are no threads.
    pub fn play<E, F>(
        &mut self,
        settings: &PoolSettings<V>,
        evaluators: F,
        progress: &GenerationProgress,
        halt: &AtomicBool,
        mut on_game: impl FnMut(Option<GameRecord<V>>),
    ) -> Result<(), GenerateError>
    where
        E: Evaluator,
        F: Fn(usize) -> Result<E, EvaluationError> + Sync,
    {
        let search = searches(settings.search, settings.progress);
        let shared = Shared {
            rules: limited(settings.rules, settings.selfplay),
            rule_set: settings.rules,
            search: &search,
            config: settings.selfplay,
            history: settings.history,
            ending_share: settings.selfplay.ending_share_at(settings.progress),
            limit_weight: SelfplayConfig::limit_weight_at(settings.progress),
            origin: settings.origin,
            run_seed: self.seed,
            quota: u32::MAX,
            progress,
        };
        self.slots.iter_mut().for_each(|slot| slot.plies_done = 0);
        super::play(&mut self.slots, settings.threads, &evaluators, &shared, halt, |receiver| {
            each_game(&receiver, |game| {
                on_game(game);
                Ok(())
            })
        })
    }
}

/// Calls `on_game` with each finished game, and now and then without one, until no thread plays.
///
/// # Errors
/// That of `on_game`.
pub(super) fn each_game<V: Variant>(
    receiver: &Receiver<GameRecord<V>>,
    mut on_game: impl FnMut(Option<GameRecord<V>>) -> Result<(), DataError>,
) -> Result<(), DataError> {
    loop {
        match receiver.recv_timeout(ATTEND_EVERY) {
            Ok(game) => on_game(Some(game))?,
            Err(RecvTimeoutError::Timeout) => on_game(None)?,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use data::Provenance;
    use rules::{Termination, Wangqi};
    use search::fakes::HashEvaluator;
    use std::collections::BTreeMap;
    use std::sync::atomic::Ordering;

    fn settings() -> (SearchConfig, SelfplayConfig) {
        let search = SearchConfig { visits: 4, ..SearchConfig::default() };
        let selfplay = SelfplayConfig { slots: 4, max_plies: 20, stagger_plies: 8, ..SelfplayConfig::default() };
        (search, selfplay)
    }

    /// Plays until this number of games is finished.
    fn play(
        selfplay_pool: &mut SelfplayPool<Wangqi>,
        games: usize,
        threads: usize,
        network: &str,
    ) -> Vec<GameRecord<Wangqi>> {
        play_after(&History::none(), settings(), selfplay_pool, games, threads, network)
    }

    fn play_after(
        history: &History<Wangqi>,
        (search, selfplay): (SearchConfig, SelfplayConfig),
        selfplay_pool: &mut SelfplayPool<Wangqi>,
        games: usize,
        threads: usize,
        network: &str,
    ) -> Vec<GameRecord<Wangqi>> {
        let origin =
            Origin { worker: "w00001".to_owned(), network: network.to_owned(), generation: 3, ..Origin::default() };
        let settings = PoolSettings {
            rules: Rules::default(),
            search: &search,
            selfplay: &selfplay,
            origin: &origin,
            history,
            progress: 0.5,
            threads,
        };
        let (halt, mut all) = (AtomicBool::new(false), Vec::new());
        let on_game = |game| {
            all.extend(game);
            halt.store(all.len() >= games, Ordering::Relaxed);
        };
        selfplay_pool
            .play(&settings, |_| Ok(HashEvaluator::new(2, 5)), &GenerationProgress::default(), &halt, on_game)
            .expect("played");
        all
    }

    #[test]
    fn games_go_on_over_networks_and_have_the_ids_of_their_numbers() {
        let mut selfplay_pool = SelfplayPool::new(7, &settings().0, &[0, 0, 5, 0]);
        let mut games = play(&mut selfplay_pool, 10, 2, "first");
        selfplay_pool.restart_searches();
        games.extend(play(&mut selfplay_pool, 10, 1, "second"));
        let mut by_slot: BTreeMap<u32, u64> = BTreeMap::from([(2, 5)]);
        for game in &games {
            let slot: u32 = game.worker.strip_prefix("w00001/").expect("a slot").parse().expect("a number");
            let number = by_slot.entry(slot).or_default();
            assert_eq!(game.game_id, selfplay_pool.game_id(slot, *number));
            *number += 1;
            game.check().expect("sound");
            assert_eq!(game.generation, 3);
        }
        assert!(games.iter().any(|game| game.net_first == "first"));
        assert!(games.iter().any(|game| game.net_first == "second"));
        // They are games like any others.
        let folder = tempfile::tempdir().expect("a folder");
        let (store, _) = data::DataStore::open(folder.path()).expect("a store");
        store.commit_shard(3, "w00001", &games, &Provenance::default()).expect("committed");
    }

    #[test]
    fn what_earlier_games_teach_is_made_use_of() {
        let (search, mut selfplay) = settings();
        (selfplay.ending_share, selfplay.ending_until, selfplay.ending_plies_max) = (1.0, 1.0, 8);
        let mut selfplay_pool = SelfplayPool::new(7, &search, &[0; 4]);
        let first = play(&mut selfplay_pool, 3, 1, "first");
        assert!(first.iter().all(|game| game.sheet.outcome.termination != Termination::Resign));
        let endings: Vec<_> = first.into_iter().map(|game| game.sheet).collect();
        // Every player resigns as soon as there are enough searches.
        selfplay.resign_playthrough = 0.0;
        let history = History { endings: endings.clone(), resign_below: 1.0, ..History::none() };
        let mut selfplay_pool = SelfplayPool::new(8, &search, &[0; 4]);
        let games = play_after(&history, (search, selfplay), &mut selfplay_pool, 12, 1, "second");
        assert!(games.iter().any(|game| game.sheet.outcome.termination == Termination::Resign));
        // At progress 0.5 of an annealing that ends with the run, half of the games begin from an ending.
        let goes_on = |game: &&GameRecord<Wangqi>| {
            endings.iter().any(|ending| {
                let kept = ending.plies().saturating_sub(8);
                kept > 0 && game.sheet.moves.starts_with(&ending.moves[..kept])
            })
        };
        let from_endings = games.iter().filter(goes_on).count();
        assert!((1..games.len()).contains(&from_endings), "{from_endings} of {}", games.len());
    }

    #[test]
    fn unfinished_games_are_taken_up_unless_they_are_finished_elsewhere() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("slots.json");
        let mut selfplay_pool = SelfplayPool::new(7, &settings().0, &[0; 4]);
        play(&mut selfplay_pool, 3, 1, "first");
        selfplay_pool.save(&file).expect("written");
        let left: Vec<_> =
            selfplay_pool.slots.iter().map(|slot| (slot.number, slot.game.clone().map(|game| game.game))).collect();
        assert!(left.iter().any(|(_, game)| game.as_ref().is_some_and(|game| game.ply() > 0)));

        let mut next = SelfplayPool::<Wangqi>::new(7, &settings().0, &[0, 0, 0, 9]);
        next.resume(&file, Rules::default(), &settings().1).expect("resumed");
        for (slot, (number, game)) in next.slots.iter().zip(&left).take(3) {
            assert_eq!(slot.number, *number);
            assert_eq!(
                slot.game.as_ref().map(|game| game.game.moves_text()),
                game.as_ref().map(|game| game.moves_text())
            );
        }
        assert!(next.slots[3].number == 9 && next.slots[3].game.is_none());
        assert!(play(&mut next, 6, 2, "second").len() >= 6);
        assert!(
            SelfplayPool::<Wangqi>::new(8, &settings().0, &[0]).resume(&file, Rules::default(), &settings().1).is_err()
        );
    }
}
