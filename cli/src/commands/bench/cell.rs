//! Self-play with one network and one setting, measured in turns with the network alone.

use super::{Machine, size};
use crate::failure::sound;
use clap::ValueEnum;
use data::{DataStore, Provenance};
use rules::{Rules, Variant};
use selfplay::generator::{Counts, Job, Origin, Progress, generate};
use selfplay::{Algorithm, EvaluationError, SearchConfig, SelfplayConfig};
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use train::{EvaluatorConfig, Load, NetworkFile, TorchEvaluator};

/// Self-play before counting begins in each turn, at most as long as the turn: games are set up, memory is touched for
/// the first time.
const WARM_UP: Duration = Duration::from_millis(700);

/// How moves are chosen in the tree.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Tree {
    Gumbel,
    Puct,
}

/// What is played.
#[derive(Clone, Copy)]
pub(super) struct Games {
    /// Simulations a move.
    pub visits: u32,
    pub tree: Tree,
    /// Games in flight; 0: a batch for each thread.
    pub slots: u32,
}

/// What was found.
#[derive(Serialize)]
pub(super) struct Found {
    pub variant: &'static str,
    pub network: String,
    pub visits: u32,
    pub threads: usize,
    pub slots: u32,
    pub evaluator: EvaluatorConfig,
    /// Evaluations per second in self-play.
    pub evals_per_s: f64,
    /// Evaluations per second of the network alone, with the same batch and threads.
    pub net_evals_per_s: f64,
    /// The one by the other.
    pub ratio: f64,
    /// Simulations per second.
    pub simulations_per_s: f64,
    /// Searched positions per second: simulations by those of a search. (Counted as they are finished, a short
    /// measurement of long searches would see none, or all at once.)
    pub positions_per_s: f64,
    /// Filled share of the batches' places.
    pub batch_fill: f64,
    /// Share of the evaluations needed that were known already.
    pub cache_hit_rate: f64,
    /// Microseconds of one core outside of the network, per simulation.
    pub overhead_us: f64,
    /// Share of the workers' time in the network.
    pub network_share: f64,
    /// Where the time of the threads goes; the shares sum to 1.
    pub time: Shares,
}

/// Shares of the threads' time, 0 to 1.
#[derive(Serialize)]
pub(super) struct Shares {
    /// The network, as fast as it is alone: the ratio.
    pub network: f64,
    /// Places in batches that no position filled.
    pub empty_places: f64,
    /// What the network took longer than alone (below 0: was quicker, by chance).
    pub slower_network: f64,
    /// Simulations down the trees, rules, encoding; playing moves and recording games.
    pub search: f64,
    /// Answers into the trees: expansion and backup.
    pub supply: f64,
    /// Neither: threads waiting or not begun.
    pub waiting: f64,
}

/// One network, one setting, and what was counted so far.
pub(super) struct Cell<V: Variant> {
    file: NetworkFile,
    evaluator: EvaluatorConfig,
    threads: usize,
    callers: usize,
    search: SearchConfig,
    selfplay: SelfplayConfig,
    folder: TempDir,
    store: DataStore,
    progress: Progress,
    played: Vec<(Counts, Duration)>,
    net_rates: Vec<f64>,
    rules: Rules<V>,
}

impl<V: Variant> Cell<V> {
    /// Settles what is open in `evaluator` for this network, once.
    pub fn new(
        file: NetworkFile,
        machine: &Machine,
        evaluator: &EvaluatorConfig,
        games: Games,
    ) -> anyhow::Result<Self> {
        let threads = machine.threads();
        let leaves = match games.slots {
            0 => machine.leaves(evaluator)?,
            slots => slots as usize,
        };
        let evaluator = evaluator.resolve(&file, Load { threads, leaves })?;
        let callers = evaluator.callers(threads);
        let slots = if games.slots == 0 { (evaluator.batch * callers) as u32 } else { games.slots };
        let search = SearchConfig {
            visits: games.visits,
            algorithm: match games.tree {
                Tree::Gumbel => Algorithm::Gumbel,
                Tree::Puct => Algorithm::Puct,
            },
            ..SearchConfig::default()
        };
        let selfplay = SelfplayConfig { slots, plies_per_generation: 1_000_000, ..SelfplayConfig::default() };
        let mut complaints = Vec::new();
        search.complaints("search", &mut complaints);
        selfplay.complaints("selfplay", &search, &mut complaints);
        sound(&complaints)?;
        let folder = tempfile::tempdir()?;
        let (store, _) = DataStore::open(&folder.path().join("data"))?;
        Ok(Cell {
            file,
            evaluator,
            threads,
            callers,
            search,
            selfplay,
            folder,
            store,
            progress: Progress::default(),
            played: Vec::new(),
            net_rates: Vec::new(),
            rules: Rules::default(),
        })
    }

    /// A turn of the network alone and one of self-play: what else runs on the machine then disturbs both alike.
    pub fn turn(&mut self, time: Duration) -> anyhow::Result<()> {
        self.net_rates.push(train::rate(&self.file, &self.evaluator, self.callers, time / 2)?);
        let slots_file = self.folder.path().join("slots.json");
        let job = Job {
            rules: self.rules,
            search: &self.search,
            selfplay: &self.selfplay,
            origin: Origin { worker: "bench".into(), network: self.file.id().to_owned(), ..Origin::default() },
            provenance: Provenance::default(),
            progress: 0.0,
            untrained: false,
            seed: 1,
            threads: self.callers,
            store: &self.store,
            slots_file: &slots_file,
        };
        let network = |_: usize| {
            TorchEvaluator::new(&self.file, &self.evaluator)
                .map_err(|error| EvaluationError::Network(error.to_string()))
        };
        let (progress, stop) = (&self.progress, AtomicBool::new(false));
        let counted = std::thread::scope(|scope| {
            let clock = scope.spawn(|| {
                let while_playing = |is: &dyn Fn() -> bool| {
                    while is() && !stop.load(Ordering::Relaxed) {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                };
                // The first evaluation says that all networks are loaded.
                let before = progress.counts().batches;
                while_playing(&|| progress.counts().batches == before);
                let begin = Instant::now();
                while_playing(&|| begin.elapsed() < WARM_UP.min(time));
                let (begin, before) = (Instant::now(), progress.counts());
                while_playing(&|| begin.elapsed() < time);
                let counted = (progress.counts().since(&before), begin.elapsed());
                stop.store(true, Ordering::Relaxed);
                counted
            });
            let report = generate(&job, network, progress, &stop);
            stop.store(true, Ordering::Relaxed);
            let counted = clock.join();
            report.map(|_| counted)
        })?;
        self.played.push(counted.map_err(|_| anyhow::anyhow!("the clock's thread panicked"))?);
        Ok(())
    }

    /// What the turns have shown.
    pub fn found(&self) -> Found {
        let seconds: f64 = self.played.iter().map(|(_, time)| time.as_secs_f64()).sum();
        let sum = |of: fn(&Counts) -> u64| self.played.iter().map(|(counts, _)| of(counts)).sum::<u64>() as f64;
        let (evaluations, places) = (sum(|counts| counts.evaluations), sum(|counts| counts.places));
        let (simulations, known) = (sum(|counts| counts.simulations), sum(|counts| counts.cache_hits));
        let (inside, outside) = (sum(|counts| counts.network_nanos) / 1e9, sum(|counts| counts.search_nanos) / 1e9);
        let supply = sum(|counts| counts.supply_nanos) / 1e9;
        let net_rate = self.net_rates.iter().sum::<f64>() / self.net_rates.len() as f64;
        let of_threads = |time: f64| time / (seconds * self.callers as f64);
        let network = evaluations / seconds / net_rate;
        let places_alone = places / seconds / net_rate;
        Found {
            variant: V::ID,
            network: size(&self.file),
            visits: self.search.visits,
            threads: self.threads,
            slots: self.selfplay.slots,
            evaluator: self.evaluator.clone(),
            evals_per_s: evaluations / seconds,
            net_evals_per_s: net_rate,
            ratio: network,
            simulations_per_s: simulations / seconds,
            positions_per_s: simulations / seconds / f64::from(self.search.visits),
            batch_fill: evaluations / places.max(1.0),
            cache_hit_rate: known / (known + evaluations).max(1.0),
            overhead_us: outside * 1e6 / simulations.max(1.0),
            network_share: inside / (inside + outside).max(1e-9),
            time: Shares {
                network,
                empty_places: places_alone - network,
                slower_network: of_threads(inside) - places_alone,
                search: of_threads(outside - supply),
                supply: of_threads(supply),
                waiting: 1.0 - of_threads(inside + outside),
            },
        }
    }
}
