//! `kirin.selfplay`: games of a network against itself, written to a data folder.

use crate::analysis::{MOST_BATCH, NetworkArgument, raised};
use crate::any_game;
use crate::network::{BATCH, Network};
use crate::refusal::{self, Refusal, within};
use data::{DataStore, Provenance};
use lab::{RunFolder, SHARD};
use pyo3::prelude::*;
use rules::{Variant, VariantId, dispatch};
use search::{EvaluationError, Evaluator, SearchConfig};
use selfplay::{GamesJob, GenerateError, GenerationProgress, Origin, SelfplayConfig, commit_left_games, play_games};
use settings::Complaints;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Most games of a call.
const MOST_GAMES: i64 = 10_000_000;
/// Largest number that a setting of self-play has.
const MOST: i64 = 10_000_000;

/// Plays games of a network against itself and writes them to a data folder, which kirin.games(), kirin.positions() and the
/// commands of `kirin` read. Other threads run meanwhile.
///
/// `network` is that of kirin.search(): 'builtin', a kirin.Network, a function, or None for a search that knows only the rules.
/// A function gets up to `slots` positions at once, and on one thread, unless `threads` says otherwise; `attacks` and
/// `legal` are those of kirin.search(). Each move is searched with `visits` visits by Gumbel AlphaZero, with its noise, the
/// first moves are drawn from the policy that the search finds, and some games begin with random moves, so that games differ.
/// `slots` games are played at the same time.
///
/// The games depend on all arguments but `threads`, and with a function on what that returns. In a folder that has games
/// already the new ones become the next generation, with other random numbers. Ctrl-C, or an exception in the function,
/// ends the call; the finished games are kept. If the process is killed, the same call plays only the missing games, and
/// another call keeps the finished ones as a generation of their own.
///
/// >>> import kirin, tempfile
/// >>> folder = tempfile.mkdtemp()
/// >>> played = kirin.selfplay("wangqi", folder, games=4, visits=4, ruleset="standard max-plies=20", seed=1)
/// >>> played.games, played.generation
/// (4, 1)
/// >>> import shutil; shutil.rmtree(folder)
#[pyfunction]
#[pyo3(name = "selfplay", signature = (
    variant, folder, *, games=100, network=NetworkArgument::Builtin, visits=32, ruleset=None, slots=128, seed=1,
    threads=None, attacks=false, legal=false,
), text_signature = "(variant, folder, *, games=100, network='builtin', visits=32, ruleset=None, slots=128, seed=1, \
threads=None, attacks=False, legal=False)")]
#[allow(clippy::too_many_arguments)] // the keyword arguments of Python
pub(crate) fn selfplay_games(
    py: Python<'_>,
    variant: &str,
    folder: PathBuf,
    games: i64,
    network: NetworkArgument,
    visits: i64,
    ruleset: Option<&str>,
    slots: i64,
    seed: u64,
    threads: Option<i64>,
    attacks: bool,
    legal: bool,
) -> PyResult<SelfplayReport> {
    let variant: VariantId = variant.parse().map_err(Refusal::from)?;
    let is_function = matches!(network, NetworkArgument::Function(_));
    let threads = if is_function { threads.or(Some(1)) } else { threads };
    let threads = refusal::threads(threads)?;
    let games = within("games", games, MOST_GAMES)? as u32;
    let search = SearchConfig { visits: within("visits", visits, MOST)? as u32, ..SearchConfig::default() };
    let selfplay = SelfplayConfig {
        slots: within("slots", slots, MOST)? as u32,
        // These two are for runs, whose games are read while others are played, and which have earlier generations.
        stagger_plies: 0,
        ending_share: 0.0,
        ..SelfplayConfig::default()
    };
    let mut complaints = Complaints::default();
    search.check(&mut complaints);
    selfplay.check(&search, &mut complaints);
    complaints.into_result().map_err(Refusal::from)?;
    let share = (selfplay.slots.min(games) as usize).div_ceil(threads);
    let batch = if is_function { share.min(MOST_BATCH as usize) } else { BATCH };
    let players = Players { variant, network, batch, attacks, legal, threads };
    // What is wrong with the network is said before a folder is made.
    players.evaluator()?;
    dispatch!(variant, V => {
        let task = Task { rules: any_game::rules::<V>(ruleset)?, games, search, selfplay, seed };
        py.detach(|| task.play(&folder, &players))
    })
}

/// What kirin.selfplay() has written.
///
/// >>> import kirin
/// >>> kirin.SelfplayReport.positions.__doc__
/// 'Searched positions of these games.'
#[pyclass(module = "kirin", frozen, get_all)]
pub(crate) struct SelfplayReport {
    /// Finished games.
    games: u64,
    /// Searched positions of these games.
    positions: u64,
    /// Their generation in the folder, from 1 on.
    generation: u32,
    /// Seconds that the call took.
    seconds: f64,
}

#[pymethods]
impl SelfplayReport {
    fn __repr__(&self) -> String {
        let SelfplayReport { games, positions, generation, .. } = self;
        format!("<SelfplayReport of generation {generation}: {games} games, {positions} positions>")
    }
}

/// What evaluates the positions of both sides, and the number of threads.
struct Players {
    variant: VariantId,
    network: NetworkArgument,
    /// Positions that are evaluated at once.
    batch: usize,
    attacks: bool,
    legal: bool,
    threads: usize,
}

impl Players {
    fn evaluator(&self) -> Result<Box<dyn Evaluator>, Refusal> {
        self.network.evaluator(self.variant, self.batch, self.attacks, self.legal)
    }

    /// The name in the records of the games.
    fn name(&self) -> Result<&str, Refusal> {
        Ok(match &self.network {
            NetworkArgument::Network(network) => network.get().id(),
            NetworkArgument::Builtin => Network::builtin(self.variant)?.id(),
            NetworkArgument::Function(_) => "function",
            NetworkArgument::Nothing => "uniform",
        })
    }
}

/// Games to be played.
struct Task<V: Variant> {
    rules: rules::Rules<V>,
    games: u32,
    search: SearchConfig,
    selfplay: SelfplayConfig,
    seed: u64,
}

impl<V: Variant> Task<V> {
    fn play(&self, folder: &Path, players: &Players) -> PyResult<SelfplayReport> {
        let begun = Instant::now();
        let store = store(folder)?;
        let generation = || store.next_generation::<V>().map_err(Refusal::from);
        let network = players.name()?;
        let Task { search: SearchConfig { visits, .. }, selfplay: SelfplayConfig { slots, .. }, games, rules, seed } =
            self;
        let mut job = GamesJob {
            rules: self.rules,
            search: &self.search,
            selfplay: &self.selfplay,
            origin: Origin {
                // With all that the games depend on, so that only the same call resumes a killed one.
                run_id: format!("python-{network} games={games} visits={visits} slots={slots} seed={seed} {rules}"),
                generation: generation()?,
                network: network.to_owned(),
                worker: SHARD.to_owned(),
                engine_version: concat!("kirin ", env!("CARGO_PKG_VERSION")).to_owned(),
            },
            provenance: Provenance { git_revision: "unknown".to_owned(), ..Provenance::default() },
            games: self.games,
            seed: self.seed,
            threads: players.threads,
            store: &store,
        };
        while commit_left_games(&job).map_err(Refusal::from)? {
            job.origin.generation = generation()?;
        }
        let generation = job.origin.generation;
        let evaluators = |_| players.evaluator().map_err(|refusal| EvaluationError::network(PyErr::from(refusal)));
        let (stop, mut interrupt) = (AtomicBool::new(false), None);
        let look = || {
            if let Err(error) = Python::attach(|py| py.check_signals()) {
                interrupt = Some(error);
                stop.store(true, Ordering::Relaxed);
            }
        };
        let shard = play_games(&job, evaluators, &GenerationProgress::default(), &stop, look);
        if let Some(interrupt) = interrupt {
            return Err(interrupt);
        }
        let shard = shard.map_err(|error| match error {
            GenerateError::Network(EvaluationError::Network(source)) => raised(source),
            error => Refusal::from(error).into(),
        })?;
        let [games, positions] = shard.map_or([0; 2], |shard| [shard.games.rows, shard.positions.rows]);
        Ok(SelfplayReport { games, positions, generation, seconds: begun.elapsed().as_secs_f64() })
    }
}

/// The data folder, which is made where there is none.
///
/// # Errors
/// It is that of a run, or it cannot be opened.
fn store(folder: &Path) -> Result<DataStore, Refusal> {
    let root = DataStore::folder_of(folder)?.unwrap_or_else(|| folder.to_owned());
    // "." has no parent by its name.
    let real = root.canonicalize().unwrap_or_else(|_| root.clone());
    let itself = RunFolder::new(folder).about().is_file().then_some(folder);
    if let Some(run) = itself.or_else(|| RunFolder::owner_of(&real)) {
        let (folder, run) = (folder.display(), run.display());
        return Err(Refusal::new(format!(
            "{folder} has the games of the run in {run}, which only `kirin run` and `kirin selfplay` add to; give a \
             folder of its own"
        )));
    }
    Ok(DataStore::open(&root)?.0)
}
