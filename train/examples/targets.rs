//! What a search teaches, measured on recorded positions:
//! `cargo run --release -p train --example targets -- NETWORK DATA VARIANT ROWS JSON…`.
//!
//! Each JSON is a search configuration (`{"visits": 16, "c_scale": 0.3}`). Each searches the same positions, drawn from
//! the validation games of networks in the folder DATA, and is compared with a PUCT search of 800 simulations without noise by the
//! same network. Nothing is played and nothing is learned, so a comparison takes a minute. The columns:
//!
//! - `change`: Kullback–Leibler divergence of the target from the network's policy, nats: near 0, nothing is learned.
//! - `entropy`: of the policy target, nats; `of network`: of the policy that it should improve.
//! - `log-loss`: of the target, and of the network's policy, against the visits of the long search, nats. A target is
//!   worth learning as far as it is nearer to the long search than the network is.
//! - `best`: how often the target's first move is that of the long search; `of network`: how often the network's first
//!   move is.
//! - `regret`: by how much the long search thinks less of the move found than of its best, in units of q.
//! - `narrow`: share of roots whose Q-values differ by less than 0.05.
//! - `value`: log-loss of the search's value, and of the mean of the simulations, against the results of decided games.

use data::DataStore;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Variant, VariantId};
use search::tree::{ROOT, q_of};
use search::{Algorithm, Evaluations, Evaluator, LeafBatch, Search, SearchConfig, SearchResult, Step};
use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::thread;
use train::{DataConfig, EvaluatorConfig, NetworkFile, TorchEvaluator, Workload};

/// Simulations of the long search.
const REFERENCE_VISITS: u32 = 800;
/// Searches that a thread has in progress at the same time.
const AT_ONCE: usize = 64;

type Fault = Box<dyn Error + Send + Sync>;

/// A position to search, and how its game ended for the player to move: +1, 0, −1.
struct Task<V: Variant> {
    game: Game<V>,
    result: Option<f32>,
}

/// What was found of one position.
struct Found {
    result: SearchResult,
    /// Mean of the simulations, win, draw, loss.
    mean_wdl: [f32; 3],
}

fn tasks<V: Variant>(data: &Path, rows: usize) -> Result<Vec<Task<V>>, Fault> {
    let store = DataStore::open_read_only(data)?;
    let mut games = Vec::new();
    for shard in store.shards(V::ID)? {
        games.extend(store.read_shard::<V>(&shard)?);
    }
    let config = DataConfig::default();
    // Random-play games have no visits.
    games.retain(|game| game.visits > 0 && !game.positions.is_empty() && config.holds_out(game.game_id));
    if games.is_empty() {
        return Err(format!("no game of {} in {} is a validation game", V::ID, data.display()).into());
    }
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    Ok((0..rows)
        .map(|_| {
            let game = &games[rng.random_range(0..games.len())];
            let at = &game.positions[rng.random_range(0..game.positions.len())];
            let outcome = game.sheet.outcome;
            let won = f32::from(outcome.result.for_side(at.side));
            Task {
                game: game.sheet.replay_unchecked(usize::from(at.ply)),
                result: (!outcome.is_cut_off()).then_some(won),
            }
        })
        .collect())
}

/// Searches all tasks, `AT_ONCE` at a time.
fn search<V: Variant>(
    tasks: &[Task<V>],
    config: &SearchConfig,
    evaluator: &mut impl Evaluator,
    seed: u64,
) -> Result<Vec<Found>, Fault> {
    let (mut batch, mut answers) = (LeafBatch::with_cache(evaluator.features(), 64 << 20), Evaluations::default());
    let mut found: Vec<Option<Found>> = tasks.iter().map(|_| None).collect();
    let mut waiting = 0..tasks.len();
    let mut running: Vec<(usize, Search<V>)> = Vec::new();
    loop {
        while running.len() < AT_ONCE
            && let Some(task) = waiting.next()
        {
            let mut search = Search::new(config.clone());
            let mut rng = ChaCha8Rng::seed_from_u64(seed ^ task as u64);
            search.begin(&tasks[task].game, config.visits, &mut rng);
            running.push((task, search));
        }
        let mut pending = Vec::new();
        let mut next = Vec::new();
        for (task, mut search) in running.drain(..) {
            if search.next_leaf(&mut batch) == Step::Pending {
                pending.push(next.len());
                next.push((task, search));
            } else {
                let mean_wdl = search.tree().node(ROOT).wdl;
                found[task] = Some(Found { result: search.result().clone(), mean_wdl });
            }
        }
        running = next;
        if pending.is_empty() && running.is_empty() && waiting.is_empty() {
            break;
        }
        if batch.is_empty() {
            continue;
        }
        evaluator.evaluate(&batch, &mut answers)?;
        for (leaf, &at) in pending.iter().enumerate() {
            running[at].1.supply(&mut batch, leaf, &answers)?;
        }
        batch.clear();
    }
    Ok(found.into_iter().flatten().collect())
}

/// Searches all tasks on all cores, each with its share of them.
fn search_all<V: Variant>(
    tasks: &[Task<V>],
    config: &SearchConfig,
    network: &NetworkFile,
    evaluator: &EvaluatorConfig,
) -> Result<Vec<Found>, Fault> {
    let share = tasks.len().div_ceil(settings::threads(0));
    thread::scope(|scope| {
        let parts: Vec<_> = tasks
            .chunks(share)
            .map(|part| {
                scope.spawn(move || -> Result<Vec<Found>, Fault> {
                    search(part, config, &mut TorchEvaluator::new(network, evaluator)?, 11)
                })
            })
            .collect();
        let mut all = Vec::new();
        for part in parts {
            all.extend(part.join().expect("a search does not panic")?);
        }
        Ok(all)
    })
}

fn log_loss(wdl: [f32; 3], result: f32) -> f64 {
    let place = if result > 0.0 {
        0
    } else if result < 0.0 {
        2
    } else {
        1
    };
    -f64::from(wdl[place].max(1e-4)).ln()
}

/// One row of the table.
#[derive(Default)]
struct Sums {
    rows: f64,
    change: f64,
    entropy: f64,
    net_entropy: f64,
    target: f64,
    network: f64,
    best: f64,
    net_best: f64,
    regret: f64,
    narrow: f64,
    decided: f64,
    value: f64,
    mean: f64,
}

impl Sums {
    fn add(&mut self, found: &Found, long: &SearchResult, result: Option<f32>) {
        let now = &found.result;
        // A proven value does not depend on settings.
        if now.proven.is_some() || long.proven.is_some() {
            return;
        }
        self.rows += 1.0;
        self.change += f64::from(now.policy_kld);
        let entropy = |share: f32| if share > 0.0 { -f64::from(share) * f64::from(share.ln()) } else { 0.0 };
        self.entropy += now.moves.iter().map(|mv| entropy(mv.share)).sum::<f64>();
        self.net_entropy += f64::from(now.net_policy_entropy);
        let by_move: HashMap<u32, &search::RootMove> = now.moves.iter().map(|mv| (mv.mv.raw(), mv)).collect();
        let mut most = &long.moves[0];
        for reference in &long.moves {
            let here = by_move[&reference.mv.raw()];
            self.target -= f64::from(reference.share) * f64::from(here.share.max(1e-6).ln());
            self.network -= f64::from(reference.share) * f64::from(here.prior.max(1e-6).ln());
            if reference.visits > most.visits {
                most = reference;
            }
        }
        let highest = |key: &dyn Fn(&search::RootMove) -> f32| {
            now.moves.iter().max_by(|a, b| key(a).total_cmp(&key(b))).map(|mv| mv.mv)
        };
        self.best += f64::from(u8::from(highest(&|mv| mv.share) == Some(most.mv)));
        self.net_best += f64::from(u8::from(highest(&|mv| mv.prior) == Some(most.mv)));
        let chosen = long.moves.iter().find(|mv| mv.mv == now.best).filter(|mv| mv.visits > 0);
        // A move that the long search has not even tried is worth its worst.
        let worst = long.moves.iter().filter(|mv| mv.visits > 0).map(|mv| mv.q).fold(1.0, f32::min);
        self.regret += f64::from((most.q - chosen.map_or(worst, |mv| mv.q)).max(0.0));
        let tried = now.moves.iter().filter(|mv| mv.visits > 0).map(|mv| mv.q);
        let (low, high) = tried.fold((1f32, -1f32), |(low, high), q| (low.min(q), high.max(q)));
        self.narrow += f64::from(u8::from(high - low < 0.05));
        if let Some(result) = result {
            self.decided += 1.0;
            self.value += log_loss(now.root_wdl, result);
            self.mean += log_loss(found.mean_wdl, result);
        }
    }

    fn print(&self, name: &str) {
        let mean = |sum: f64| sum / self.rows.max(1.0);
        let [value, of_mean] = [self.value, self.mean].map(|sum| sum / self.decided.max(1.0));
        println!(
            "| {name} | {:.0} | {:.3} | {:.2} ({:.2}) | {:.3} ({:.3}) | {:.1} % ({:.1} %) | {:.3} | {:.1} % | {value:.4} ({of_mean:.4}) |",
            self.rows,
            mean(self.change),
            mean(self.entropy),
            mean(self.net_entropy),
            mean(self.target),
            mean(self.network),
            100.0 * mean(self.best),
            100.0 * mean(self.net_best),
            mean(self.regret),
            100.0 * mean(self.narrow),
        );
    }
}

fn compare<V: Variant>(network: &Path, data: &Path, rows: usize, settings: &[String]) -> Result<(), Fault> {
    let file = NetworkFile::read(network)?;
    file.require::<V>(network)?;
    let load = Workload { threads: settings::threads(0), leaves: 2 * AT_ONCE };
    let evaluator = EvaluatorConfig { batch: AT_ONCE, ..EvaluatorConfig::default() }.resolve(&file, load)?;
    let tasks = tasks::<V>(data, rows)?;
    let reference = SearchConfig { algorithm: Algorithm::Puct, visits: REFERENCE_VISITS, ..SearchConfig::default() };
    let long = search_all(&tasks, &reference.for_matches(), &file, &evaluator)?;
    let q: f64 = long.iter().map(|found| f64::from(q_of(found.mean_wdl).abs())).sum::<f64>() / long.len() as f64;
    println!("{} positions of {}, mean |q| of the long search {q:.3}\n", tasks.len(), V::ID);
    println!(
        "| search | rows | change | entropy (of network) | log-loss (of network) | best (of network) | regret | narrow | value (mean) |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for text in settings {
        let config: SearchConfig = serde_json::from_str(text)?;
        let found = search_all(&tasks, &config, &file, &evaluator)?;
        let mut sums = Sums::default();
        for ((found, long), task) in found.iter().zip(&long).zip(&tasks) {
            sums.add(found, &long.result, task.result);
        }
        sums.print(text);
    }
    Ok(())
}

fn main() -> Result<(), Fault> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [network, data, variant, rows, settings @ ..] = arguments.as_slice() else {
        return Err("NETWORK DATA VARIANT ROWS JSON… are needed".into());
    };
    let id: VariantId = variant.parse()?;
    rules::dispatch!(id, V => compare::<V>(Path::new(network), Path::new(data), rows.parse()?, settings))
}
