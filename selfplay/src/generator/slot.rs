//! A slot: one game at a time, one after another, searched move by move.

use super::history::is_played_through;
use super::randomness::{GameSeed, Purpose};
use super::record::{self, position_record};
use super::shared::Shared;
use super::unfinished_game::UnfinishedGame;
use super::{choice, opening, sparse};
use data::GameRecord;
use rand::RngExt;
use rules::{Game, MoveList, Outcome, Termination, Variant};
use search::{EvaluationError, Evaluations, LeafBatch, Search, SearchConfig, SearchRequest, Step, setups};

/// Bits of a game's number that count games; the higher bits hold the generation in which its slot was new.
const GAMES_BITS: u32 = 32;

/// The number of the first game of a slot that is new in `generation`.
pub fn first_number(generation: u32) -> u64 {
    u64::from(generation) << GAMES_BITS
}

/// Whether a game of this number is the first of its slot.
fn is_first(number: u64) -> bool {
    number & ((1 << GAMES_BITS) - 1) == 0
}

/// The state of a slot after [`Slot::advance`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Advance {
    /// A leaf was pushed to the batch.
    Pending,
    /// It has played its plies of this generation, or its games.
    QuotaDone,
}

/// One game at a time.
#[derive(Clone, Debug)]
pub(super) struct Slot<V: Variant> {
    pub index: u32,
    /// Number of the present or next game.
    pub number: u64,
    /// The number of the first game that it does not play.
    pub end: u64,
    pub game: Option<UnfinishedGame<V>>,
    /// Searched plies in this generation.
    pub plies_done: u32,
    /// Number of records of the present game when the search tree was last empty: from there the game can be replayed
    /// without the tree.
    fresh_records: usize,
    search: Search<V>,
    /// The search in progress and whether it is a full one.
    searching: Option<(SearchRequest, bool)>,
    /// Simulations not counted yet, of finished searches and of the search in progress.
    uncounted: u32,
    counted: u32,
    legal: MoveList,
}

impl<V: Variant> Slot<V> {
    /// A slot without a game, whose next game has this number.
    pub fn new(index: u32, number: u64, search: &SearchConfig) -> Self {
        Slot {
            index,
            number,
            end: u64::MAX,
            game: None,
            plies_done: 0,
            fresh_records: 0,
            search: Search::new(search.clone()),
            searching: None,
            uncounted: 0,
            counted: 0,
            legal: MoveList::new(),
        }
    }

    /// Resumes a game where an earlier process left it.
    pub fn resume(&mut self, game: UnfinishedGame<V>) {
        self.fresh_records = game.records.len();
        self.game = Some(game);
    }

    /// Plays on until the network is needed or the quota is reached. Finished games go to `finished`.
    pub fn advance(
        &mut self,
        shared: &Shared<V>,
        batch: &mut LeafBatch,
        finished: &mut impl FnMut(GameRecord<V>),
    ) -> Advance {
        loop {
            if self.searching.is_none() {
                if self.plies_done >= shared.quota || self.number >= self.end {
                    return Advance::QuotaDone;
                }
                self.begin_search(shared);
            }
            if self.search.next_leaf(batch) == Step::Pending {
                return Advance::Pending;
            }
            if let Some(game) = self.play(shared) {
                finished(game);
            }
        }
    }

    /// Evaluates the pending leaf, which is `leaf` of `batch`.
    ///
    /// # Errors
    /// The evaluation has numbers that are not finite, or probabilities that are no distribution.
    pub fn supply(&mut self, batch: &mut LeafBatch, leaf: usize, answers: &Evaluations) -> Result<(), EvaluationError> {
        self.search.supply(batch, leaf, answers)
    }

    /// How much of its quota is done, in visits.
    pub fn work_done(&self, shared: &Shared<V>) -> u64 {
        let visits = shared.search.visits;
        let in_progress = if self.searching.is_some() { self.search.simulations().min(visits) } else { 0 };
        u64::from(self.plies_done) * u64::from(visits) + u64::from(in_progress)
    }

    /// Simulations made since the last call.
    pub fn take_simulations(&mut self) -> u64 {
        let in_progress = if self.searching.is_some() { self.search.simulations() } else { 0 };
        let fresh = self.uncounted + in_progress - self.counted;
        (self.uncounted, self.counted) = (0, in_progress);
        u64::from(fresh)
    }

    /// The game at the pending leaf.
    pub fn pending_game(&self) -> Option<Game<V>> {
        let mut game = self.game.as_ref()?.game.clone();
        self.search.pending_line().into_iter().for_each(|mv| game.play(mv));
        Some(game)
    }

    fn begin_search(&mut self, shared: &Shared<V>) {
        let (index, number) = (self.index, self.number);
        let unfinished = self.game.get_or_insert_with(|| new_game(shared, index, number));
        let (seed, ply) = (unfinished.seed, unfinished.game.ply());
        let config = shared.config;
        let full = config.fast_share == 0.0 || seed.rng(ply, Purpose::PlayoutCap).random::<f32>() >= config.fast_share;
        let order =
            if full { full_order(shared, unfinished.from_ending) } else { fast_order(shared, unfinished.from_ending) };
        let kept = self.search.begin_as(&unfinished.game, order, &mut seed.rng(ply, Purpose::Search));
        if !kept {
            self.fresh_records = unfinished.records.len();
        }
        self.searching = Some((order, full));
    }

    /// Plays the move the finished search has found. Returns the game if that ends it.
    fn play(&mut self, shared: &Shared<V>) -> Option<GameRecord<V>> {
        let (order, full) = self.searching.take()?;
        let unfinished = self.game.as_mut()?;
        shared.progress.add_cache_hits(self.search.recalled());
        self.uncounted += self.search.simulations() - self.counted;
        self.counted = 0;
        let result = self.search.result();
        let (ply, side) = (unfinished.game.ply(), unfinished.game.side());
        let temperature = shared.config.temperature_at(ply).filter(|_| !unfinished.from_ending);
        let mv = choice::choose(result, temperature, &mut unfinished.seed.rng(ply, Purpose::Choice));
        let generation = shared.origin.generation;
        unfinished.records.push(position_record(&unfinished.game, result, mv, full, order.algorithm, generation));
        let (below, after) = (shared.history.resign_below, shared.config.resign_after);
        if choice::would_resign(&unfinished.records, below, after) && !is_played_through(shared.config, unfinished.seed)
        {
            // The search led to no move, so it gets no row.
            unfinished.records.pop();
            return self.finish(shared, Outcome::win(side.other(), Termination::Resign));
        }
        shared.progress.add_position();
        self.plies_done += 1;
        unfinished.game.play(mv);
        unfinished.game.legal_moves(&mut self.legal);
        let outcome = unfinished.game.outcome(&self.legal)?;
        self.finish(shared, outcome)
    }

    fn finish(&mut self, shared: &Shared<V>, outcome: Outcome) -> Option<GameRecord<V>> {
        let unfinished = self.game.take()?;
        self.number += 1;
        self.search.forget();
        // Where resigning is on, a threshold that was raised during the game would only show players who recovered.
        let doubter = choice::doubter(&unfinished.records, shared.history.resign_below, shared.config.resign_after)
            .filter(|_| is_played_through(shared.config, unfinished.seed));
        let game = record::game(unfinished, self.index, outcome, doubter, shared);
        shared.progress.add_game(&game);
        Some(game)
    }

    /// Abandons the search in progress and the results of earlier ones; the game stays as it is.
    pub fn restart_search(&mut self) {
        if self.searching.take().is_some() {
            self.uncounted += self.search.simulations() - self.counted;
            self.counted = 0;
        }
        self.search.forget();
        self.fresh_records = self.game.as_ref().map_or(0, |unfinished| unfinished.records.len());
    }

    /// Abandons the search in progress and the part of the game that depends on its tree: the rest can be resumed by
    /// another process and gives the same game. (No tree outlives a generation, so a slot that has played its quota has
    /// nothing to abandon.)
    pub fn settle_for_snapshot(&mut self, quota: u32) {
        self.searching = None;
        let Some(unfinished) = self.game.as_mut().filter(|_| self.plies_done < quota) else { return };
        let undone = unfinished.records.len() - self.fresh_records;
        if undone > 0 {
            let ply = u32::from(unfinished.records[self.fresh_records].ply);
            while unfinished.game.ply() > ply {
                unfinished.game.undo();
            }
            unfinished.records.truncate(self.fresh_records);
            self.plies_done = self.plies_done.saturating_sub(undone as u32);
        }
    }
}

/// New slots for `generation`. Game numbers start at the generation's own block, so that they stay unique in a run
/// whose slots file was deleted.
pub(super) fn new_slots<V: Variant>(count: u32, generation: u32, search: &SearchConfig) -> Vec<Slot<V>> {
    (0..count).map(|index| Slot::new(index, first_number(generation), search)).collect()
}

/// A full search. Near the end of a decided game it has no noise, so that wins are not missed.
fn full_order<V: Variant>(shared: &Shared<V>, from_ending: bool) -> SearchRequest {
    SearchRequest { visits: shared.search.visits, algorithm: shared.search.algorithm, noise: !from_ending }
}

/// A fast search. Gumbel's choice among few moves needs its noise: without it the same moves are considered again and
/// again. PUCT has none.
fn fast_order<V: Variant>(shared: &Shared<V>, from_ending: bool) -> SearchRequest {
    let (visits, algorithm) = (shared.config.fast_visits, shared.config.fast_algorithm);
    SearchRequest { visits, algorithm, noise: algorithm.needs_noise() && !from_ending }
}

fn new_game<V: Variant>(shared: &Shared<V>, slot: u32, number: u64) -> UnfinishedGame<V> {
    let seed = GameSeed::new(shared.run_seed, slot, number);
    let mut rng = seed.rng(0, Purpose::Start);
    let ending = shared.history.ending(shared.ending_share, shared.rules, shared.config, &mut rng);
    let from_ending = ending.is_some();
    let game = ending.unwrap_or_else(|| {
        let start = setups::draw(&shared.config.setups, &mut rng);
        sparse::begin(shared, seed, &start).unwrap_or_else(|| {
            let mut game = Game::from_position(shared.rules, start);
            opening::play(&mut game, shared.config, seed, slot, is_first(number));
            game
        })
    });
    UnfinishedGame { game, seed, from_ending, records: Vec::new() }
}
