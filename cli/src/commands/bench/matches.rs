//! `kirin bench match`: evaluations per second in a match of two networks against those of the networks alone, in
//! turns.

use super::{Subject, name, network, size};
use crate::run::stages::matches::network_player;
use ::eval::players::Brain;
use ::eval::{Contender, Match, MatchConfig};
use ::selfplay::{EvaluationError, Evaluations, Evaluator, LeafBatch, SearchConfig};
use clap::Args;
use rules::{Variant, VariantId};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use train::{Blueprint, EvaluatorConfig, NetworkFile};

/// A match's evaluations per second against those of the networks alone
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    pub(super) subject: Subject,
    /// Simulations a move.
    #[arg(long, default_value_t = 64)]
    visits: u32,
    /// Pairs of the match: the more there are, the larger batches it takes. It is stopped when the time is over.
    #[arg(long, default_value_t = 100)]
    pairs: u32,
    /// Seconds of playing.
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,
}

/// Turns of match and network: what else runs on the machine then disturbs both alike.
const TURNS: u32 = 4;
/// Playing before counting begins in each turn.
const WARM_UP: Duration = Duration::from_millis(1_500);

#[derive(Serialize)]
struct Found {
    variant: &'static str,
    network: String,
    visits: u32,
    pairs: u32,
    threads: usize,
    /// What the networks alone take, as self-play would.
    evaluator: EvaluatorConfig,
    /// Evaluations per second in the match, of both networks together.
    evals_per_s: f64,
    /// Evaluations per second of one network alone, with the batch and threads of self-play.
    net_evals_per_s: f64,
    /// The one by the other.
    ratio: f64,
    /// Filled share of the batches' places.
    batch_fill: f64,
}

pub(super) fn main<V: Variant>(arguments: &Arguments) -> anyhow::Result<()> {
    let subject = &arguments.subject;
    let (file, threads) = (network::<V>(&subject.net)?, subject.machine.threads());
    // An opponent of the same size.
    let other = NetworkFile::untrained(Blueprint::of::<V>(file.blueprint().config.clone()), 2)?;
    let open = subject.evaluator()?;
    let evaluator = open.resolve(&file, subject.load(&open)?)?;
    let search = SearchConfig { visits: arguments.visits, ..SearchConfig::default() };
    let config =
        MatchConfig { pairs: arguments.pairs, visits: arguments.visits, threads: threads as u32, ..Default::default() };
    let mut complaints = Vec::new();
    search.complaints("search", &mut complaints);
    config.complaints("match", &mut complaints);
    crate::failure::sound(&complaints)?;
    let counter = Arc::new(Counter::default());
    let [a, b] = [("a", file.clone()), ("b", other)].map(|(name, file)| {
        counted(network_player(name.to_owned(), file, &search, &evaluator, arguments.pairs), &counter)
    });
    let turn = Duration::from_secs_f64((arguments.seconds / f64::from(TURNS)).clamp(0.2, 3600.0));
    let folder = tempfile::tempdir()?;
    let (mut leaves, mut places, mut seconds, mut net_rate) = (0, 0, 0.0, 0.0);
    for number in 0..TURNS {
        net_rate += train::rate(&file, &evaluator, evaluator.callers(threads), turn / 2)? / f64::from(TURNS);
        let stop = AtomicBool::new(false);
        let log = folder.path().join(format!("{number}.jsonl"));
        let game = Match { variant: V::ID.parse::<VariantId>()?, config: &config, players: [&a, &b], log: &log };
        let window = std::thread::scope(|scope| {
            let clock = scope.spawn(|| {
                let begun = counter.read();
                let wait = |until: &dyn Fn() -> bool| {
                    while !until() && !stop.load(Ordering::Relaxed) {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                };
                // The first evaluation says that the networks are loaded.
                wait(&|| counter.read() != begun);
                let warm = Instant::now();
                wait(&|| warm.elapsed() >= WARM_UP);
                let (begin, before) = (Instant::now(), counter.read());
                wait(&|| begin.elapsed() >= turn);
                let (after, time) = (counter.read(), begin.elapsed());
                stop.store(true, Ordering::Relaxed);
                (after[0] - before[0], after[1] - before[1], time.as_secs_f64())
            });
            let played = game.play(&stop, |_| {});
            stop.store(true, Ordering::Relaxed);
            let window = clock.join();
            played.map(|_| window)
        })?;
        let window = window.map_err(|_| anyhow::anyhow!("the clock's thread panicked"))?;
        leaves += window.0;
        places += window.1;
        seconds += window.2;
    }
    let found = Found {
        variant: V::ID,
        network: size(&file),
        visits: arguments.visits,
        pairs: arguments.pairs,
        threads,
        evals_per_s: leaves as f64 / seconds,
        net_evals_per_s: net_rate,
        ratio: leaves as f64 / seconds / net_rate,
        batch_fill: leaves as f64 / (places as f64).max(1.0),
        evaluator,
    };
    if subject.machine.json {
        println!("{}", serde_json::to_string(&found)?);
        return Ok(());
    }
    println!(
        "{} {}, {} visits, {} pairs, {} threads; {}",
        found.variant,
        found.network,
        found.visits,
        found.pairs,
        found.threads,
        name(found.evaluator.precision)
    );
    println!("evaluations/s  {:>9.0} in the match", found.evals_per_s);
    println!(
        "               {:>9.0} by a network alone, in batches of {}",
        found.net_evals_per_s, found.evaluator.batch
    );
    println!("ratio          {:>9.3}", found.ratio);
    println!("batch fill     {:>9.1} %", 100.0 * found.batch_fill);
    Ok(())
}

/// Leaves that were evaluated, and places there were for them.
#[derive(Default)]
struct Counter {
    leaves: AtomicU64,
    places: AtomicU64,
}

impl Counter {
    fn read(&self) -> [u64; 2] {
        [&self.leaves, &self.places].map(|count| count.load(Ordering::Relaxed))
    }
}

/// The same player, whose evaluations are counted.
fn counted(player: Contender, counter: &Arc<Counter>) -> Contender {
    let Brain::Network { search, factory } = player.brain else { return player };
    let counter = Arc::clone(counter);
    let factory = move || -> Result<Box<dyn Evaluator>, EvaluationError> {
        Ok(Box::new(Counting { inner: factory()?, counter: Arc::clone(&counter) }))
    };
    Contender { brain: Brain::Network { search, factory: Arc::new(factory) }, ..player }
}

struct Counting {
    inner: Box<dyn Evaluator>,
    counter: Arc<Counter>,
}

impl Evaluator for Counting {
    fn batch_size(&self) -> usize {
        self.inner.batch_size()
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        self.inner.evaluate(batch, out)?;
        self.counter.leaves.fetch_add(batch.len() as u64, Ordering::Relaxed);
        self.counter.places.fetch_add(self.inner.batch_size() as u64, Ordering::Relaxed);
        Ok(())
    }
}
