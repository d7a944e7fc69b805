//! `kirin bench selfplay`: evaluations per second in self-play against those of the network alone, in turns.

use super::{Subject, name};
use ::selfplay::generator::{Counts, Job, Origin, Progress};
use ::selfplay::{Algorithm, EvaluationError, SearchConfig, SelfplayConfig};
use clap::{Args, ValueEnum};
use data::{DataStore, Provenance};
use rules::{Rules, Variant};
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use train::{EvaluatorConfig, Load, TorchEvaluator};

/// Self-play's evaluations per second against those of the network alone
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    pub(super) subject: Subject,
    /// Simulations a move.
    #[arg(long, default_value_t = 64)]
    visits: u32,
    /// How moves are chosen in the tree.
    #[arg(long, value_enum, default_value_t = Tree::Gumbel)]
    search: Tree,
    /// Seconds of self-play.
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,
    /// Games in flight; 0: a batch for each thread.
    #[arg(long, default_value_t = 0)]
    slots: u32,
}

#[derive(Clone, Copy, ValueEnum)]
enum Tree {
    Gumbel,
    Puct,
}

/// Turns of self-play and network: what else runs on the machine then disturbs both alike.
const TURNS: u32 = 4;
/// Self-play before counting begins in each turn: games are set up, memory is touched for the first time.
const WARM_UP: Duration = Duration::from_millis(700);

#[derive(Serialize)]
struct Found {
    variant: &'static str,
    network: String,
    visits: u32,
    threads: usize,
    slots: u32,
    evaluator: EvaluatorConfig,
    /// Evaluations per second in self-play.
    evals_per_s: f64,
    /// Evaluations per second of the network alone, with the same batch and threads.
    net_evals_per_s: f64,
    /// The one by the other.
    ratio: f64,
    /// Searched positions per second.
    positions_per_s: f64,
    /// Filled share of the batches' places.
    batch_fill: f64,
    /// Share of the evaluations needed that were known already.
    cache_hit_rate: f64,
    /// Microseconds of one core outside of the network, per evaluation by it. (Simulations are counted when their
    /// search is over, and in a short measurement few are.)
    overhead_us: f64,
    /// Share of the workers' time in the network.
    network_share: f64,
}

pub(super) fn main<V: Variant>(arguments: &Arguments) -> anyhow::Result<()> {
    let subject = &arguments.subject;
    let (file, threads) = (subject.network::<V>()?, subject.threads());
    let open = subject.evaluator()?;
    let most = if arguments.slots == 0 { 128 * threads } else { arguments.slots as usize };
    let evaluator = open.resolve(&file, Load { threads, leaves: most })?;
    let workers = threads.div_ceil(evaluator.threads);
    let slots = if arguments.slots == 0 { (evaluator.batch * workers) as u32 } else { arguments.slots };
    let search = SearchConfig {
        visits: arguments.visits,
        algorithm: match arguments.search {
            Tree::Gumbel => Algorithm::Gumbel,
            Tree::Puct => Algorithm::Puct,
        },
        ..SearchConfig::default()
    };
    let selfplay = SelfplayConfig { slots, plies_per_generation: 1_000_000, ..SelfplayConfig::default() };
    let mut complaints = Vec::new();
    search.complaints("search", &mut complaints);
    selfplay.complaints("selfplay", &search, &mut complaints);
    if !complaints.is_empty() {
        return Err(crate::failure::input(complaints.join("\n")));
    }
    let turn = Duration::from_secs_f64((arguments.seconds / f64::from(TURNS)).clamp(0.2, 3600.0));
    let folder = tempfile::tempdir()?;
    let (store, _) = DataStore::open(&folder.path().join("data"))?;
    let slots_file = folder.path().join("slots.json");
    let progress = Progress::default();
    let job = Job {
        rules: Rules::<V>::default(),
        search: &search,
        selfplay: &selfplay,
        origin: Origin { worker: "bench".into(), network: file.id().to_owned(), ..Origin::default() },
        provenance: Provenance::default(),
        progress: 0.0,
        untrained: false,
        seed: 1,
        threads: workers,
        store: &store,
        slots_file: &slots_file,
    };
    let network =
        |_: usize| TorchEvaluator::new(&file, &evaluator).map_err(|error| EvaluationError::Network(error.to_string()));
    let (mut played, mut net_rate) = (Vec::new(), 0.0);
    for _ in 0..TURNS {
        net_rate += train::rate(&file, &evaluator, workers, turn / 2)? / f64::from(TURNS);
        let stop = AtomicBool::new(false);
        let counted = std::thread::scope(|scope| {
            let clock = scope.spawn(|| {
                let while_playing = |time: Duration| {
                    let begin = Instant::now();
                    while begin.elapsed() < time && !stop.load(Ordering::Relaxed) {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                };
                // The first evaluation says that all networks are loaded.
                let before = progress.counts().batches;
                while progress.counts().batches == before && !stop.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(5));
                }
                while_playing(WARM_UP);
                let (begin, before) = (Instant::now(), progress.counts());
                while_playing(turn);
                let counted = (progress.counts().since(&before), begin.elapsed());
                stop.store(true, Ordering::Relaxed);
                counted
            });
            let report = ::selfplay::generator::generate(&job, network, &progress, &stop);
            stop.store(true, Ordering::Relaxed);
            let counted = clock.join();
            report.map(|_| counted)
        })?;
        played.push(counted.map_err(|_| anyhow::anyhow!("the clock's thread panicked"))?);
    }
    let seconds: f64 = played.iter().map(|(_, time)| time.as_secs_f64()).sum();
    let sum = |of: fn(&Counts) -> u64| played.iter().map(|(counts, _)| of(counts)).sum::<u64>() as f64;
    let evaluations = sum(|counts| counts.evaluations);
    let (inside, outside) = (sum(|counts| counts.network_nanos), sum(|counts| counts.search_nanos));
    let config = &file.blueprint().config;
    let found = Found {
        variant: V::ID,
        network: format!("{}x{}", config.blocks, config.channels),
        visits: arguments.visits,
        threads,
        slots,
        evals_per_s: evaluations / seconds,
        net_evals_per_s: net_rate,
        ratio: evaluations / seconds / net_rate,
        positions_per_s: sum(|counts| counts.positions) / seconds,
        batch_fill: evaluations / sum(|counts| counts.places).max(1.0),
        cache_hit_rate: sum(|counts| counts.cache_hits) / (sum(|counts| counts.cache_hits) + evaluations).max(1.0),
        overhead_us: outside / 1e3 / evaluations.max(1.0),
        network_share: inside / (inside + outside).max(1.0),
        evaluator,
    };
    if subject.json {
        println!("{}", serde_json::to_string(&found)?);
    } else {
        print(&found);
    }
    Ok(())
}

fn print(found: &Found) {
    let EvaluatorConfig { device, precision, layout, batch, threads } = &found.evaluator;
    println!(
        "{} {}, {} visits, {} threads on the {}, {} games at once; {}, {}, batches of {batch}, {threads} threads a call",
        found.variant,
        found.network,
        found.visits,
        found.threads,
        name(device),
        found.slots,
        name(precision),
        name(layout),
    );
    println!("evaluations/s  {:>9.0} in self-play", found.evals_per_s);
    println!("               {:>9.0} by the network alone", found.net_evals_per_s);
    println!("ratio          {:>9.3}", found.ratio);
    println!("positions/s    {:>9.1}", found.positions_per_s);
    println!("batch fill     {:>9.1} %", 100.0 * found.batch_fill);
    println!("known already  {:>9.1} % of the evaluations needed", 100.0 * found.cache_hit_rate);
    println!("overhead       {:>9.2} µs of one core per evaluation, outside the network", found.overhead_us);
    println!("               {:>9.1} % of the workers' time inside it", 100.0 * found.network_share);
}
