//! Self-play with one network and one setting, measured in turns with the network alone.

use super::window::window;
use super::{Machine, size};
use crate::failure::sound;
use data::{DataStore, Provenance};
use rules::{Rules, Variant};
use search::{Algorithm, EvaluationError, SearchConfig};
use selfplay::SelfplayConfig;
use selfplay::generator::{GenerationCounts, GenerationProgress, Job, Origin, generate};
use serde::Serialize;
use settings::Complaints;
use std::time::Duration;
use tempfile::TempDir;
use train::{EvaluatorConfig, NetworkEvaluator, NetworkFile, Workload};

/// Self-play before counting begins in each turn, at most as long as the turn: games are set up, memory is touched for
/// the first time.
const WARM_UP: Duration = Duration::from_millis(700);

/// The settings of self-play.
#[derive(Clone, Copy)]
pub(super) struct Games {
    /// Visits a move.
    pub visits: u32,
    /// How moves are chosen in the tree.
    pub algorithm: Algorithm,
    /// Games in flight; 0: a batch for each thread.
    pub slots: u32,
}

/// Speeds of self-play and of the network alone, over all turns.
#[derive(Serialize)]
pub(super) struct SelfplaySpeed {
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
    /// The first divided by the second.
    pub ratio: f64,
    /// Simulations per second.
    pub simulations_per_s: f64,
    /// Searched positions per second: simulations divided by those of one search. (A count of finished searches would
    /// see none of a long search in a short measurement, or all of it at once.)
    pub positions_per_s: f64,
    /// Share of the places in batches that were filled.
    pub batch_fill: f64,
    /// Share of the needed evaluations that were known already.
    pub cache_hit_rate: f64,
    /// Microseconds of one core outside the network, for each simulation.
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
    /// Time by which the network was slower than alone; below 0 if it happened to be faster.
    pub slower_network: f64,
    /// Simulations down the trees, rules, encoding; playing moves and recording games.
    pub search: f64,
    /// Answers into the trees: expansion and backup.
    pub supply: f64,
    /// None of these: threads that wait or have not begun.
    pub waiting: f64,
}

/// One network with one setting, and what was counted so far.
pub(super) struct Cell<V: Variant> {
    file: NetworkFile,
    evaluator: EvaluatorConfig,
    threads: usize,
    callers: usize,
    search: SearchConfig,
    selfplay: SelfplayConfig,
    folder: TempDir,
    store: DataStore,
    progress: GenerationProgress,
    played: Vec<(GenerationCounts, Duration)>,
    net_rates: Vec<f64>,
    rules: Rules<V>,
}

impl<V: Variant> Cell<V> {
    /// Measures once, for this network, what `evaluator` leaves open.
    ///
    /// # Errors
    /// The device cannot be used, a setting is out of range, libtorch fails, or a temporary folder cannot be made.
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
        let evaluator = evaluator.resolve(&file, Workload { threads, leaves })?;
        let callers = evaluator.callers(threads);
        let slots = if games.slots == 0 { (evaluator.batch * callers) as u32 } else { games.slots };
        let search = SearchConfig { visits: games.visits, algorithm: games.algorithm, ..SearchConfig::default() };
        let selfplay = SelfplayConfig { slots, plies_per_generation: 1_000_000, ..SelfplayConfig::default() };
        let mut complaints = Complaints::default();
        complaints.section("search", |complaints| search.check(complaints));
        complaints.section("selfplay", |complaints| selfplay.check(&search, complaints));
        sound(complaints)?;
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
            progress: GenerationProgress::default(),
            played: Vec::new(),
            net_rates: Vec::new(),
            rules: Rules::default(),
        })
    }

    /// A turn of the network alone and one of self-play, so that other work on the machine slows both equally.
    ///
    /// # Errors
    /// The network or self-play fails.
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
            seed: 1,
            threads: self.callers,
            store: &self.store,
            slots_file: &slots_file,
        };
        let network = |_: usize| NetworkEvaluator::new(&self.file, &self.evaluator).map_err(EvaluationError::network);
        let progress = &self.progress;
        let ([before, after], time) = window(
            [WARM_UP.min(time), time],
            || progress.counts(),
            |before, now| now.batches != before.batches,
            |stop| generate(&job, network, progress, stop),
        )?;
        self.played.push((after.since(&before), time));
        Ok(())
    }

    /// The speeds over all turns so far.
    pub fn speed(&self) -> SelfplaySpeed {
        let seconds: f64 = self.played.iter().map(|(_, time)| time.as_secs_f64()).sum();
        let sum =
            |of: fn(&GenerationCounts) -> u64| self.played.iter().map(|(counts, _)| of(counts)).sum::<u64>() as f64;
        let (evaluations, places) = (sum(|counts| counts.evaluations), sum(|counts| counts.places));
        let (simulations, known) = (sum(|counts| counts.simulations), sum(|counts| counts.cache_hits));
        let (inside, outside) = (sum(|counts| counts.network_nanos) / 1e9, sum(|counts| counts.search_nanos) / 1e9);
        let supply = sum(|counts| counts.supply_nanos) / 1e9;
        let net_rate = self.net_rates.iter().sum::<f64>() / self.net_rates.len() as f64;
        let of_threads = |time: f64| time / (seconds * self.callers as f64);
        let network = evaluations / seconds / net_rate;
        let places_alone = places / seconds / net_rate;
        SelfplaySpeed {
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
