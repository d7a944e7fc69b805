//! `kirin bench match`: evaluations per second in a match of two networks against those of the networks alone, in
//! turns.

use super::window::window;
use super::{Subject, size};
use ::eval::players::PlayerKind;
use ::eval::{Match, MatchConfig, MatchError, PlayerConfig};
use ::search::{EvaluationError, Evaluations, Evaluator, LeafBatch, SearchConfig};
use clap::Args;
use lab::{match_evaluator, network_player};
use report::number::counted;
use rules::encode::Features;
use rules::{Variant, VariantId};
use serde::Serialize;
use settings::Complaints;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use train::{Blueprint, EvaluatorConfig, NetworkFile};

/// Measure a match: evaluations per second in a match of two networks of this size, against those of a network alone.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    pub(super) subject: Subject,
    /// Visits for each move.
    #[arg(long, default_value_t = 64)]
    visits: u32,
    /// Pairs of games in a match. With more pairs more games run at once, and batches are larger. Matches are played until
    /// the time is up.
    #[arg(long, default_value_t = 100)]
    pairs: u32,
    /// How many seconds to play.
    #[arg(long, default_value_t = 20.0, value_parser = super::seconds)]
    seconds: f64,
}

/// Turns of match and network, so that other work on the machine slows both equally.
const TURNS: u32 = 4;
/// Playing before counting begins in each turn.
const WARM_UP: Duration = Duration::from_millis(1_500);

#[derive(Serialize)]
struct MatchSpeed {
    variant: &'static str,
    network: String,
    visits: u32,
    pairs: u32,
    threads: usize,
    /// How the networks are evaluated, chosen as for self-play.
    evaluator: EvaluatorConfig,
    /// Evaluations per second in the match, of both networks together.
    evals_per_s: f64,
    /// Evaluations per second of one network alone, with the batch and threads of self-play.
    net_evals_per_s: f64,
    /// The first divided by the second.
    ratio: f64,
    /// Share of the places in batches that were filled.
    batch_fill: f64,
}

pub(super) fn main<V: Variant>(arguments: &Arguments, file: &NetworkFile) -> anyhow::Result<()> {
    let subject = &arguments.subject;
    let threads = subject.machine.threads();
    // An opponent of the same size.
    let other = train::untrained(Blueprint::of::<V>(file.blueprint().config.clone()), 2)?;
    let open = subject.evaluator()?;
    let evaluator = open.resolve(file, subject.workload(&open)?)?;
    let search = SearchConfig { visits: arguments.visits, ..SearchConfig::default() };
    let config =
        MatchConfig { pairs: arguments.pairs, visits: arguments.visits, threads: threads as u32, ..Default::default() };
    let mut complaints = Complaints::default();
    complaints.section("search", |complaints| search.check(complaints));
    complaints.section("match", |complaints| config.check(complaints));
    crate::failure::sound(complaints)?;
    let counts = Arc::new(BatchCounts::default());
    let in_match = match_evaluator(arguments.pairs, &evaluator);
    let [a, b] = [("a", file.clone()), ("b", other)]
        .map(|(name, file)| observed(network_player(name.to_owned(), file, &search, &in_match), &counts));
    let turn = Duration::from_secs_f64((arguments.seconds / f64::from(TURNS)).clamp(0.05, 3600.0));
    let folder = tempfile::tempdir()?;
    let variant: VariantId = V::ID.parse()?;
    let (mut leaves, mut places, mut seconds, mut net_rate) = (0, 0, 0.0, 0.0);
    for number in 0..TURNS {
        net_rate += train::rate(file, &evaluator, evaluator.callers(threads), turn / 2)? / f64::from(TURNS);
        // A match that ends before the time is up is followed by another one.
        let matches = |stop: &AtomicBool| -> Result<(), MatchError> {
            for again in 0.. {
                let log = folder.path().join(format!("{number}-{again}.jsonl"));
                Match { variant, config: &config, players: [&a, &b], log: &log }.play(stop, |_| {})?;
                if stop.load(Ordering::Relaxed) {
                    break;
                }
            }
            Ok(())
        };
        let ([before, after], time) =
            window([WARM_UP.min(turn), turn], || counts.read(), |before, now| now != before, matches)?;
        leaves += after[0] - before[0];
        places += after[1] - before[1];
        seconds += time.as_secs_f64();
    }
    let speed = MatchSpeed {
        variant: V::ID,
        network: size(file),
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
        println!("{}", serde_json::to_string(&speed)?);
        return Ok(());
    }
    println!(
        "{} {}, {} visits, {}, {}; {}",
        speed.variant,
        speed.network,
        speed.visits,
        counted(speed.pairs.into(), "pair", "pairs"),
        counted(speed.threads as u64, "thread", "threads"),
        speed.evaluator.precision
    );
    println!("evaluations/s  {:>9.0} in the match", speed.evals_per_s);
    println!(
        "               {:>9.0} by a network alone, in batches of {}",
        speed.net_evals_per_s, speed.evaluator.batch
    );
    println!("ratio          {:>9.3}", speed.ratio);
    println!("batch fill     {:>9.1} %", 100.0 * speed.batch_fill);
    Ok(())
}

/// Evaluated leaves, and the places in batches that there were for them.
#[derive(Default)]
struct BatchCounts {
    leaves: AtomicU64,
    places: AtomicU64,
}

impl BatchCounts {
    fn read(&self) -> [u64; 2] {
        [&self.leaves, &self.places].map(|count| count.load(Ordering::Relaxed))
    }
}

/// The same player with its evaluations counted.
fn observed(player: PlayerConfig, counts: &Arc<BatchCounts>) -> PlayerConfig {
    let PlayerKind::Network { search, factory, evaluation } = player.kind else { return player };
    let counts = Arc::clone(counts);
    let factory = move || -> Result<Box<dyn Evaluator>, EvaluationError> {
        Ok(Box::new(Counting { inner: factory()?, counts: Arc::clone(&counts) }))
    };
    PlayerConfig { kind: PlayerKind::Network { search, factory: Arc::new(factory), evaluation }, ..player }
}

struct Counting {
    inner: Box<dyn Evaluator>,
    counts: Arc<BatchCounts>,
}

impl Evaluator for Counting {
    fn batch_size(&self) -> usize {
        self.inner.batch_size()
    }

    fn features(&self) -> Features {
        self.inner.features()
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        self.inner.evaluate(batch, out)?;
        self.counts.leaves.fetch_add(batch.len() as u64, Ordering::Relaxed);
        self.counts.places.fetch_add(self.inner.batch_size() as u64, Ordering::Relaxed);
        Ok(())
    }
}
