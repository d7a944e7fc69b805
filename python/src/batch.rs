//! Many games of one variant, stepped together on several threads.

use crate::any_game::{AnyGame, table};
use crate::refusal::Refusal;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::ThreadPool;
use rules::encode::{self, Features, MoveTokens, Shape};
use rules::{Actions, Game, MoveList, Outcome, Position, Rules, Variant};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Columns of a move in [`AnyBatch::legal`]: source, target, promotion, number of further squares, and those.
pub(crate) const MOVE_COLUMNS: usize = 9;

/// The columns of a move.
pub(crate) fn columns_of(mv: &MoveTokens) -> [u16; MOVE_COLUMNS] {
    let [a, b, c, d, e] = mv.via;
    [mv.source, mv.target, mv.promotes.into(), mv.via_len.into(), a, b, c, d, e]
}

/// The arrays of a batch, a row for each game; `planes` and `mask` may be empty.
pub(crate) struct Rows<'a> {
    pub(crate) planes: &'a mut [f32],
    pub(crate) mask: &'a mut [bool],
    pub(crate) rewards: &'a mut [f32],
    pub(crate) terminated: &'a mut [bool],
    pub(crate) truncated: &'a mut [bool],
    pub(crate) sides: &'a mut [u8],
    pub(crate) counts: &'a mut [i32],
}

/// The first `count` rows of width `width`, taken out of `rows`.
fn take<'a, T>(rows: &mut &'a mut [T], count: usize, width: usize) -> &'a mut [T] {
    let (taken, left) = std::mem::take(rows).split_at_mut(count * width);
    *rows = left;
    taken
}

impl<'a> Rows<'a> {
    /// The rows of the first `count` games, taken out of these.
    fn take(&mut self, count: usize) -> Rows<'a> {
        let games = self.rewards.len();
        let (planes, mask) = (self.planes.len() / games, self.mask.len() / games);
        Rows {
            planes: take(&mut self.planes, count, planes),
            mask: take(&mut self.mask, count, mask),
            rewards: take(&mut self.rewards, count, 1),
            terminated: take(&mut self.terminated, count, 1),
            truncated: take(&mut self.truncated, count, 1),
            sides: take(&mut self.sides, count, 1),
            counts: take(&mut self.counts, count, 1),
        }
    }
}

/// What Python does with a batch, for every variant.
pub(crate) trait AnyBatch: Send + Sync {
    /// Starts every game again, with new random numbers if there is a seed.
    fn reset(&mut self, seed: Option<u64>, rows: Rows<'_>);
    /// Plays an action in each game; games that end start again. Where an action is not legal, nothing is played.
    fn step(&mut self, actions: &[i64], rows: Rows<'_>) -> Result<(), Refusal>;
    /// A random legal action of each game.
    fn sample(&mut self, actions: &mut [i64]);
    /// The legal moves of all games, and where those of each game begin.
    fn legal(&self) -> (Vec<u16>, Vec<i64>);
    /// The games that ended with the last step: index, outcome, plies.
    fn finished(&self) -> Vec<(usize, Outcome, u32)>;
    /// A copy of a game.
    fn game(&self, index: usize) -> Box<dyn AnyGame>;
    /// Length of the row of planes of a game, and of its mask.
    fn widths(&self) -> [usize; 2];
}

/// How the games of a batch are played and shown.
struct Plan<V: Variant> {
    rules: Rules<V>,
    starts: Vec<Position<V>>,
    actions: Option<&'static Actions<V>>,
    features: Option<Features>,
}

/// One game at a time, and its random numbers.
struct Slot<V: Variant> {
    game: Game<V>,
    legal: MoveList,
    /// The numbers of the legal moves; empty in a variant without a table, where an action is a place in `legal`.
    actions: Vec<u16>,
    /// Which of the legal moves is to be played.
    chosen: usize,
    finished: Option<(Outcome, u32)>,
    random: ChaCha8Rng,
}

/// All games of one variant.
pub(crate) struct Batch<V: Variant> {
    plan: Plan<V>,
    slots: Vec<Slot<V>>,
    /// `None`: everything happens on the caller's thread.
    pool: Option<ThreadPool>,
}

impl<V: Variant> Batch<V> {
    pub(crate) fn new(
        games: usize,
        rules: Rules<V>,
        starts: Vec<Position<V>>,
        features: Option<Features>,
        threads: usize,
    ) -> Result<Self, Refusal> {
        let mut legal = MoveList::new();
        for start in &starts {
            let game = Game::from_position(rules, start.clone());
            game.legal_moves(&mut legal);
            if let Some(outcome) = game.outcome(&legal) {
                return Err(Refusal::new(format!(
                    "no game can start where it has ended ({}): {}",
                    outcome.termination,
                    start.fen()
                )));
            }
        }
        let threads = threads.min(games);
        let pool = if threads > 1 { Some(rayon::ThreadPoolBuilder::new().num_threads(threads).build()?) } else { None };
        let slots = (0..games).map(|_| Slot {
            game: Game::from_position(rules, starts[0].clone()),
            legal: MoveList::new(),
            actions: Vec::new(),
            chosen: 0,
            finished: None,
            random: ChaCha8Rng::seed_from_u64(0),
        });
        Ok(Batch { slots: slots.collect(), plan: Plan { rules, starts, actions: table(), features }, pool })
    }

    /// Games of one thread.
    fn share(&self) -> usize {
        self.slots.len().div_ceil(self.pool.as_ref().map_or(1, ThreadPool::current_num_threads))
    }
}

/// Does `work` with each part, on the threads of the pool if there is one.
fn spread<T: Send>(pool: Option<&ThreadPool>, parts: impl Iterator<Item = T> + Send, work: impl Fn(T) + Sync) {
    let work = &work;
    match pool {
        None => parts.for_each(work),
        Some(pool) => pool.scope(|scope| {
            parts.for_each(|part| scope.spawn(move |_| work(part)));
        }),
    }
}

impl<V: Variant> AnyBatch for Batch<V> {
    fn reset(&mut self, seed: Option<u64>, mut rows: Rows<'_>) {
        if let Some(seed) = seed {
            for (stream, slot) in (0..).zip(&mut self.slots) {
                slot.random = ChaCha8Rng::seed_from_u64(seed);
                slot.random.set_stream(stream);
            }
        }
        let (share, plan) = (self.share(), &self.plan);
        let parts = self.slots.chunks_mut(share).map(|slots| (rows.take(slots.len()), slots));
        spread(self.pool.as_ref(), parts, |(mut rows, slots)| {
            for slot in slots {
                let mut row = rows.take(1);
                slot.finished = None;
                slot.restart(plan);
                slot.show(plan, &mut row);
                (row.rewards[0], row.terminated[0], row.truncated[0]) = (0.0, false, false);
            }
        });
    }

    fn step(&mut self, actions: &[i64], mut rows: Rows<'_>) -> Result<(), Refusal> {
        let (share, plan) = (self.share(), &self.plan);
        let wrong = AtomicUsize::new(usize::MAX);
        let parts = self.slots.chunks_mut(share).zip(actions.chunks(share)).enumerate();
        spread(self.pool.as_ref(), parts, |(part, (slots, actions))| {
            for (at, (slot, &action)) in slots.iter_mut().zip(actions).enumerate() {
                match slot.find(plan, action) {
                    Some(chosen) => slot.chosen = chosen,
                    None => drop(wrong.fetch_min(part * share + at, Ordering::Relaxed)),
                }
            }
        });
        let index = wrong.into_inner();
        if let Some(slot) = self.slots.get(index) {
            let fen = slot.game.position().fen();
            return Err(Refusal::new(format!("action {} of game {index} is not legal in {fen}", actions[index])));
        }
        let parts = self.slots.chunks_mut(share).map(|slots| (rows.take(slots.len()), slots));
        spread(self.pool.as_ref(), parts, |(mut rows, slots)| {
            for slot in slots {
                slot.play(plan, &mut rows.take(1));
            }
        });
        Ok(())
    }

    fn sample(&mut self, actions: &mut [i64]) {
        for (slot, action) in self.slots.iter_mut().zip(actions) {
            let place = slot.random.random_range(0..slot.legal.len());
            *action = slot.actions.get(place).map_or(place as i64, |&number| i64::from(number));
        }
    }

    fn legal(&self) -> (Vec<u16>, Vec<i64>) {
        let (mut columns, mut offsets) = (Vec::new(), vec![0]);
        for slot in &self.slots {
            for &mv in slot.legal.iter() {
                columns.extend(columns_of(&encode::tokens(slot.game.position(), mv)));
            }
            offsets.push((columns.len() / MOVE_COLUMNS) as i64);
        }
        (columns, offsets)
    }

    fn finished(&self) -> Vec<(usize, Outcome, u32)> {
        let ended = self.slots.iter().enumerate();
        ended.filter_map(|(index, slot)| slot.finished.map(|(outcome, plies)| (index, outcome, plies))).collect()
    }

    fn game(&self, index: usize) -> Box<dyn AnyGame> {
        self.slots[index].game.copied()
    }

    fn widths(&self) -> [usize; 2] {
        let planes = self.plan.features.map_or(0, |features| Shape::of::<V>(features).input_len());
        [planes, self.plan.actions.map_or(0, Actions::count)]
    }
}

impl<V: Variant> Slot<V> {
    /// Begins a new game from one of the starts.
    fn restart(&mut self, plan: &Plan<V>) {
        let start = match &plan.starts[..] {
            [start] => start,
            starts => &starts[self.random.random_range(0..starts.len())],
        };
        self.game = Game::from_position(plan.rules, start.clone());
        self.game.legal_moves(&mut self.legal);
    }

    /// Which of the legal moves an action is.
    fn find(&self, plan: &Plan<V>, action: i64) -> Option<usize> {
        if plan.actions.is_none() {
            return usize::try_from(action).ok().filter(|&place| place < self.legal.len());
        }
        let action = u16::try_from(action).ok()?;
        self.actions.iter().position(|&legal| legal == action)
    }

    /// Plays the chosen move; a game that ends with it starts again.
    fn play(&mut self, plan: &Plan<V>, row: &mut Rows<'_>) {
        let side = self.game.side();
        self.game.play(self.legal[self.chosen]);
        self.game.legal_moves(&mut self.legal);
        let outcome = self.game.outcome(&self.legal);
        self.finished = outcome.map(|outcome| (outcome, self.game.ply()));
        row.rewards[0] = outcome.map_or(0.0, |outcome| outcome.score(side));
        row.truncated[0] = outcome.is_some_and(|outcome| outcome.is_cut_off());
        row.terminated[0] = outcome.is_some() && !row.truncated[0];
        if outcome.is_some() {
            self.restart(plan);
        }
        self.show(plan, row);
    }

    /// Writes what a player sees of the game.
    fn show(&mut self, plan: &Plan<V>, row: &mut Rows<'_>) {
        let side = self.game.side();
        if let Some(table) = plan.actions {
            self.actions.iter().for_each(|&action| row.mask[usize::from(action)] = false);
            self.actions.clear();
            self.actions.extend(self.legal.iter().map(|&mv| table.number(side, mv) as u16));
            self.actions.iter().for_each(|&action| row.mask[usize::from(action)] = true);
        }
        if let Some(features) = plan.features {
            encode::planes(&self.game, features, row.planes);
        }
        row.sides[0] = side.index() as u8;
        row.counts[0] = self.legal.len() as i32;
    }
}
