//! The events of a run, one after the other.

use super::limits::{LISTED, PUTS_OF_GENERATION};
use super::outcome::Tally;
use super::store::{Request, Store};
use super::{Measurements, Outcome};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Generations, at the trainer's own pace, that are simulated before counting begins, and as many that are counted.
const GENERATIONS: f64 = 20.0;

/// Shards of each worker that are counted, at least.
const SHARDS: f64 = 10.0;

/// Most workers that can be simulated.
const MOST_WORKERS: u32 = 100_000;

/// Parts of a second in which events are ordered.
const TICKS: f64 = 1e6;

/// Simulates a run of so many workers until it is in its steady state, and for a while longer.
///
/// # Panics
/// If there are no workers or more than 100,000. The measurements must have passed their check.
pub fn simulate(measured: &Measurements, workers: u32) -> Outcome {
    assert!((1..=MOST_WORKERS).contains(&workers), "{workers} workers");
    let rows = measured.rows_per_second * f64::from(workers);
    let trained = measured.samples_per_second / measured.uses.max(f64::MIN_POSITIVE);
    let generation = measured.generation_rows / rows.min(trained);
    let span = (GENERATIONS * generation).max(SHARDS * measured.shard_period());
    let begin = generation.max(measured.shard_period()) + span / 2.0;
    let tally = Tally { from: begin, until: begin + span, ..Tally::default() };
    let mut run = Run {
        measured,
        workers: (0..workers).map(|index| Worker::new(measured, index)).collect(),
        store: Store::new(measured, begin..begin + span),
        tally,
        shards: BinaryHeap::new(),
        gathered: 0.0,
        generation: 0,
    };
    run.play();
    run.tally.outcome(measured, workers, run.store.counted)
}

/// A moment as a whole number, and the process that acts then; the trainer is numbered after all workers.
type Event = Reverse<(u64, u32)>;

fn event(at: f64, who: u32) -> Event {
    Reverse(((at * TICKS).round() as u64, who))
}

struct Run<'a> {
    measured: &'a Measurements,
    workers: Vec<Worker>,
    store: Store<'a>,
    tally: Tally,
    /// Shards uploaded and not gathered: when each becomes visible, and its rows in thousandths.
    shards: BinaryHeap<Reverse<(u64, u64)>>,
    /// Rows gathered and not trained on.
    gathered: f64,
    /// Networks so far.
    generation: u64,
}

/// A worker, which plays except while it asks the store.
struct Worker {
    /// When it resumed playing, in seconds.
    resumed: f64,
    /// Rows of the open shard, up to `resumed`.
    rows: f64,
    /// When the open shard was opened.
    opened: f64,
    /// When it looks for a network next.
    look: f64,
    /// The network it plays with.
    generation: u64,
}

impl Worker {
    /// Workers begin one after the other: their first shards and looks are spread evenly, for any number of workers.
    fn new(measured: &Measurements, index: u32) -> Worker {
        let spread = |ratio: f64| (f64::from(index) * ratio).fract();
        // Two irrational ratios, so that shards and looks do not coincide.
        let (opened, look) = (spread(0.618_033_988_749_895), spread(0.414_213_562_373_095));
        Worker {
            resumed: 0.0,
            rows: 0.0,
            opened: -opened * measured.shard_period(),
            look: look * measured.poll_seconds,
            generation: 0,
        }
    }

    /// When the open shard is closed, if nothing happens before: old enough, or full.
    fn closes(&self, measured: &Measurements) -> f64 {
        let full = self.resumed + (measured.shard_rows() - self.rows) / measured.rows_per_second;
        full.min(self.opened + measured.shard_seconds).max(self.resumed)
    }

    /// When it acts next.
    fn next(&self, measured: &Measurements) -> f64 {
        self.look.max(self.resumed).min(self.closes(measured))
    }
}

impl Run<'_> {
    fn play(&mut self) {
        let trainer = self.workers.len() as u32;
        let mut events: BinaryHeap<Event> = BinaryHeap::with_capacity(self.workers.len() + 1);
        for (index, worker) in self.workers.iter().enumerate() {
            events.push(event(worker.next(self.measured), index as u32));
        }
        events.push(event(0.0, trainer));
        while let Some(Reverse((ticks, who))) = events.pop() {
            let now = ticks as f64 / TICKS;
            if now >= self.tally.until {
                break;
            }
            let next = if who == trainer { self.gather(now) } else { self.advance(who as usize, now) };
            events.push(event(next.max(now + 1.0 / TICKS), who));
        }
        for worker in &self.workers {
            self.tally.rows += self.measured.rows_per_second * self.tally.within(worker.resumed, f64::INFINITY);
        }
    }

    /// A worker looks at the store or closes its shard; returns when it acts again.
    fn advance(&mut self, index: usize, now: f64) -> f64 {
        let measured = self.measured;
        let worker = &mut self.workers[index];
        let made = measured.rows_per_second * (now - worker.resumed).max(0.0);
        self.tally.rows += made * self.tally.part(worker.resumed, now);
        worker.rows += made;
        // Both may be due in one tick; the shard is first.
        let back = if worker.closes(measured) <= worker.look.max(worker.resumed) {
            let back = self.store.ask(Request::Put, now, measured.shard_bytes(worker.rows));
            self.shards.push(Reverse(((back * TICKS).round() as u64, (worker.rows * 1000.0).round() as u64)));
            (worker.rows, worker.opened) = (0.0, back);
            back
        } else {
            let mut back = self.store.ask(Request::Get, now, 0.0);
            if worker.generation < self.generation {
                // The record of the newest network, and the network.
                back = self.store.ask_later(Request::Get, back, 0.0);
                back = self.store.ask_later(Request::Get, back, measured.network_bytes);
                worker.generation = self.generation;
            }
            worker.look = back + measured.poll_seconds;
            back
        };
        self.tally.store_seconds += self.tally.within(now, back);
        worker.resumed = back;
        worker.next(measured)
    }

    /// The trainer gathers the available shards, and trains if there are enough rows; returns when it gathers again.
    fn gather(&mut self, now: f64) -> f64 {
        let measured = self.measured;
        let (mut shards, mut rows) = (0.0, 0.0);
        while let Some(&Reverse((there, thousandths))) = self.shards.peek() {
            if there as f64 / TICKS > now || self.gathered + rows >= measured.generation_rows {
                break; // not there yet, or for the next generation
            }
            self.shards.pop();
            shards += 1.0;
            rows += thousandths as f64 / 1000.0;
        }
        self.gathered += rows;
        // Every worker is asked until it has no more shards.
        let workers = self.workers.len() as f64;
        let bytes = shards * measured.bytes_per_shard + rows * measured.bytes_per_row;
        self.store.count(Request::Put, now, (workers / LISTED).ceil(), 0.0);
        self.store.count(Request::Get, now, workers + shards, bytes);
        let each = (measured.get_ms / 1000.0 / measured.gets_at_once).max(1.0 / measured.most_gets_per_second);
        let asked = now + workers * each;
        let read = asked + shards * each + measured.transfer(bytes) + rows / measured.read_rows_per_second;
        if self.gathered < measured.generation_rows {
            self.tally.reading += self.tally.within(asked, read);
            return read.max(now + measured.poll_seconds);
        }
        self.tally.reading += self.tally.within(now, read);
        let trained = read + self.gathered * measured.uses / measured.samples_per_second;
        self.tally.training += self.tally.within(read, trained);
        self.tally.trained += self.gathered * self.tally.part(read, trained);
        self.gathered = 0.0;
        let mut put = trained;
        let sizes: [f64; PUTS_OF_GENERATION] = [measured.checkpoint_bytes, measured.network_bytes, 0.0];
        for bytes in sizes {
            put = self.store.ask_later(Request::Put, put, bytes);
        }
        self.generation += 1;
        self.tally.networks += self.tally.part(now, put);
        put
    }
}
