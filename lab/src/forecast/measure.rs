//! A run in miniature, in a folder of its own: it measures some seconds of each stage on this machine.

use super::Measured;
use crate::config::Config;
use crate::error::{LabError, Result};
use crate::events::{Selfplay, Stage};
use crate::folder::RunFolder;
use crate::host::Host;
use crate::observer::{Meter, Notice, Observer, Silent, Task};
use crate::opponent::Opponent;
use crate::plan::Plan;
use crate::planner::Planner;
use crate::run::{Ended, Run};
use data::durable;
use rules::Variant;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Random-play games: enough to measure their speed and to give training some rows.
const RULES_GAMES: u32 = 100;
/// Time of all self-play after which it no longer waits for a game to end, seconds.
const PATIENCE: f64 = 60.0;
/// Steps of the first training, which shows how many steps fit into a given time.
const FIRST_STEPS: u64 = 6;
/// Time of the training that counts, as a multiple of that of self-play: the network should know how games end, since
/// that makes them shorter and searches faster.
const TRAINING: f64 = 1.5;
/// Part of the run that the learning rate is taken from: after the warm-up.
const PROGRESS: f64 = 0.1;
/// Time of the match, as a part of the time of the other stages.
const MATCH: f64 = 0.5;
/// Bytes of the file that is written to measure the disk.
const WRITTEN: usize = 16 << 20;

/// Measures a configuration, which has been checked, on this machine. The generation of self-play that counts takes at
/// least `seconds`, and the training that counts half as many more; the whole takes about five times as long. `folder`
/// must be empty and on the disk to be measured; the caller removes it. `None` if the host asked to stop.
///
/// # Errors
/// Any error of a run, or no game to train on ended within [a minute](LabError::Unmeasured).
pub fn measure<V: Variant>(config: &Config, folder: &RunFolder, seconds: f64, host: &Host) -> Result<Option<Measured>> {
    let begin = Instant::now();
    let mut miniature = Miniature::<V>::open(config, folder, seconds, host)?;
    let opening_seconds = begin.elapsed().as_secs_f64();
    let longest_game = f64::from(miniature.longest_game());
    let mut measured =
        Measured { opening_seconds, threads: miniature.run.threads(), longest_game, ..Measured::default() };
    let done = miniature.rules_games(&mut measured)?
        && (measured.rows_per_rules_game == 0.0 || miniature.training(&mut measured)?)
        && miniature.selfplay(&mut measured)?
        && (measured.samples_per_second > 0.0 || miniature.training(&mut measured)?)
        && miniature.play(&mut measured)?;
    if !done {
        return Ok(None);
    }
    measured.network_bytes = size(&folder.network(0));
    measured.checkpoint_bytes = size(&folder.checkpoint(miniature.run.newest_network()));
    measured.write_bytes_per_second = write_speed(folder)?;
    measured.memory_bytes = most_memory();
    measured.seconds = begin.elapsed().as_secs_f64();
    Ok(Some(measured))
}

/// The run in miniature.
struct Miniature<V: Variant> {
    run: Run<V>,
    planner: Planner,
    listener: Arc<Listener>,
    /// Time of a stage that counts, seconds.
    time: f64,
    generation: u32,
}

impl<V: Variant> Miniature<V> {
    fn open(config: &Config, folder: &RunFolder, time: f64, host: &Host) -> Result<Miniature<V>> {
        let mut config = config.clone();
        config.run.budget = "none".to_owned();
        // Few games have been played; the same rows are used many times.
        config.run.uses = 50.0;
        let listener = Arc::new(Listener::default());
        let host = Host { observer: listener.clone(), ..host.clone() };
        let planner = Planner::of(&config, None, true);
        let run = Run::open(&config, folder.clone(), None, host)?;
        Ok(Miniature { run, planner, listener, time, generation: 0 })
    }

    /// Ply limit of a game of self-play.
    fn longest_game(&self) -> u32 {
        match self.run.config().selfplay.max_plies {
            0 => self.run.rules().max_plies(),
            limit => limit,
        }
    }

    /// A stage and the seconds it took; `None` if it was stopped.
    fn perform(&mut self, plan: &Plan, task: Task) -> Result<Option<(Stage, f64)>> {
        let begin = Instant::now();
        Ok(match self.run.perform(plan, task)? {
            Ended::Done(stage) => Some((stage, begin.elapsed().as_secs_f64())),
            Ended::Stopped => None,
        })
    }

    /// The plan of another generation, with the progress of the very beginning of a run.
    fn plan(&mut self, plies_per_slot: u32) -> Plan {
        self.generation += 1;
        Plan {
            generation: self.generation,
            plies_per_slot,
            rules_games: 0,
            steps: FIRST_STEPS,
            progress_from: 0.0,
            progress_to: PROGRESS,
            // All rows may be trained on, not only those of the generation.
            last: true,
            match_pairs: None,
            final_pairs: None,
            budget_seconds: None,
        }
    }

    /// Random-play games, also where the run has none: they are quick, and training needs some games.
    fn rules_games(&mut self, measured: &mut Measured) -> Result<bool> {
        let Some((mut played, mut seconds)) = self.rules_stage(RULES_GAMES)? else { return Ok(false) };
        // As many as in the run, unless they take longer than a stage should.
        let in_time = (self.time * f64::from(RULES_GAMES) / seconds) as u32;
        let games = self.planner.rules_games.min(in_time).max(RULES_GAMES);
        if games > RULES_GAMES {
            let Some(more) = self.rules_stage(games)? else { return Ok(false) };
            (played, seconds) = more;
        }
        measured.rules_games_per_second = f64::from(games) / seconds;
        measured.rows_per_rules_game = played.positions as f64 / f64::from(games);
        measured.bytes_per_row = bytes_per_row(&played);
        measured.plies_per_game = match played.games {
            0 => measured.longest_game / 2.0,
            _ => played.mean_plies,
        };
        Ok(true)
    }

    /// Random-play games, in a generation of their own, and the seconds they took.
    fn rules_stage(&mut self, games: u32) -> Result<Option<(Selfplay, f64)>> {
        let plan = Plan { rules_games: games, ..self.plan(1) };
        Ok(match self.perform(&plan, Task::RulesGames)? {
            Some((Stage::Selfplay(played), seconds)) => Some((played, seconds)),
            _ => None,
        })
    }

    /// One training to measure its speed, and one that counts.
    fn training(&mut self, measured: &mut Measured) -> Result<bool> {
        let mut plan = self.plan(1);
        let Some((_, seconds)) = self.perform(&plan, Task::Training)? else { return Ok(false) };
        let batch = self.planner.batch as f64;
        let first = self.listener.speed().unwrap_or(FIRST_STEPS as f64 * batch / seconds);
        let steps = ((TRAINING * self.time * first / batch) as u64).max(FIRST_STEPS);
        plan = Plan { steps, ..self.plan(1) };
        let Some((Stage::Train(trained), seconds)) = self.perform(&plan, Task::Training)? else { return Ok(false) };
        measured.samples_per_second = self.listener.speed().unwrap_or(first);
        let steps = trained.samples as f64 / measured.samples_per_second;
        measured.training_overhead_seconds = (seconds - steps).max(0.0);
        Ok(true)
    }

    /// Generations of self-play, each longer than the one before, until one is long enough to measure and there is
    /// something to train on.
    fn selfplay(&mut self, measured: &mut Measured) -> Result<bool> {
        let (mut searched, mut games, mut plies, mut together) = (0, 0, 1, 0.0);
        // The first time is always slower, so measuring begins with the second generation.
        let (mut short, first) = (None, self.generation + 1);
        loop {
            let plan = self.plan(plies);
            let Some((Stage::Selfplay(played), seconds)) = self.perform(&plan, Task::Selfplay)? else {
                return Ok(false);
            };
            searched += played.searched;
            games += played.games;
            together += seconds;
            let is_trainable = games > 0 || measured.rows_per_rules_game > 0.0;
            if seconds >= self.time && is_trainable {
                let (fewer, in_less) = short.unwrap_or((played.searched, seconds));
                let overhead = (in_less - fewer as f64 * seconds / played.searched.max(1) as f64).max(0.0);
                let simulations = played.searched as f64 * self.planner.visits(0.0);
                measured.selfplay_overhead_seconds = overhead;
                measured.simulations_per_second = simulations / (seconds - overhead);
                // Slots begin at random points of a game (`selfplay.stagger_plies`), so games end at the same rate from
                // the beginning.
                measured.positions_per_game = match games {
                    0 => measured.plies_per_game,
                    _ => (searched as f64 / games as f64).clamp(1.0, measured.longest_game),
                };
                measured.unfinished_bytes = size(&self.run.folder().slots());
                if played.games > 0 {
                    measured.plies_per_game = played.mean_plies.max(measured.positions_per_game);
                    measured.bytes_per_row = bytes_per_row(&played);
                }
                return Ok(true);
            }
            if together > PATIENCE && !is_trainable {
                return Err(LabError::Unmeasured { seconds: together });
            }
            if seconds < self.time {
                plies *= if seconds * 4.0 > self.time { 2 } else { 4 };
            }
            if self.generation > first && short.is_none() {
                short = Some((played.searched, seconds));
            }
        }
    }

    /// A match with as many parallel games as the first one of the run, and of so few plies that it ends soon.
    fn play(&mut self, measured: &mut Measured) -> Result<bool> {
        let pairs = self.planner.pairs.max(1);
        let (games, visits) = (2.0 * f64::from(pairs), f64::from(self.planner.match_visits));
        let plies = (MATCH * self.time * measured.simulations_per_second / (games * visits)).clamp(1.0, 40.0) as u32;
        let opening = self.run.config().evaluation.opening_plies;
        self.run.limit_matches(opening + plies);
        let (plan, network) = (self.plan(1), self.run.newest_network());
        let Some((_, seconds)) = self.perform(&plan, Task::Match { network, opponent: Opponent::Network(0), pairs })?
        else {
            return Ok(false);
        };
        // A match loads two networks, self-play one.
        let playing = (seconds - 2.0 * measured.selfplay_overhead_seconds).max(seconds / 2.0);
        measured.match_simulations_per_second = Some(games * f64::from(plies) * visits / playing);
        Ok(true)
    }
}

/// Records how fast training was, and reports nothing.
#[derive(Default)]
struct Listener {
    samples_per_second: Mutex<Option<f64>>,
}

impl Listener {
    /// Samples a second of the newest training.
    fn speed(&self) -> Option<f64> {
        *self.samples_per_second.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Listener {
    fn notice(&self, notice: &Notice<'_>) {
        if let Notice::Finished { speed: Some(speed), .. } = notice {
            *self.samples_per_second.lock().unwrap_or_else(PoisonError::into_inner) = Some(*speed);
        }
    }

    fn begin(&self, _: u32, _: Task, _: u64) -> Box<dyn Meter> {
        Box::new(Silent)
    }
}

fn bytes_per_row(played: &Selfplay) -> f64 {
    played.bytes as f64 / played.positions.max(1) as f64
}

/// Size of a file; 0 where there is none.
fn size(file: &std::path::Path) -> u64 {
    file.metadata().map_or(0, |metadata| metadata.len())
}

/// Writes a file as a run does, whole and synced, and removes it.
fn write_speed(folder: &RunFolder) -> Result<f64> {
    let path = folder.root().join("written");
    let bytes: Vec<u8> = (0..WRITTEN).map(|at| (at * 31 / 7) as u8).collect();
    let begin = Instant::now();
    durable::write_atomically(&path, |out| out.write_all(&bytes))?;
    let seconds = begin.elapsed().as_secs_f64();
    std::fs::remove_file(&path).map_err(LabError::io("remove", &path))?;
    Ok(WRITTEN as f64 / seconds.max(1e-9))
}

/// Peak memory of this program so far, as Linux reports it.
fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
