//! Playing a match: many of the missing games at the same time, each written to the log when it ends.

mod adjudicator;
mod game;
mod naming;
mod report;
mod worker;

pub use naming::LogFolder;
pub(crate) use report::write_failed;
pub use report::{FailedGame, MatchProgress, MatchReport};

use crate::config::MatchConfig;
use crate::error::MatchError;
use crate::log::{FinishedGames, GameEntry, LiveStoppingRule, MatchHeader, MatchLog, StoppingRule};
use crate::openings::{self, Openings};
use crate::players::{PlayerConfig, PlayerFactory, PlayerKind};
use engine::client::count_suspensions;
use game::ScheduledGame;
use rules::{Rules, Side, Variant, VariantId};
use settings::Complaints;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use worker::MatchWorker;

/// A match between two players.
#[derive(Clone, Copy, Debug)]
pub struct Match<'a> {
    /// What they play.
    pub variant: VariantId,
    /// The settings.
    pub config: &'a MatchConfig,
    /// The players. Results are those of the first named one.
    pub players: [&'a PlayerConfig; 2],
    /// The log. If it exists, the match resumes with the games that it lacks.
    pub log: &'a Path,
}

impl Match<'_> {
    /// Plays the missing games, and reports on all. It ends soon after `stop` is set. Unfinished games are played again
    /// next time, with the same result.
    ///
    /// # Errors
    /// The settings are not possible, there are no openings ([`openings::prepare`]), the log belongs to another match or
    /// cannot be written, a network failed, or the operating system refuses to run an engine (an engine's own mistakes only
    /// lose it the game). Finished games are in the log whatever happens.
    pub fn play(&self, stop: &AtomicBool, progress: impl FnMut(&MatchProgress)) -> Result<MatchReport, MatchError> {
        rules::dispatch!(self.variant, V => {
            let rules = self.checked_rules::<V>()?;
            let openings = openings::prepare(rules, self.config, &self.players, &|| stop.load(Ordering::Relaxed))?;
            self.play_part(&openings, self.config.pairs, stop, progress)
        })
    }

    /// The rules, if the settings make sense.
    ///
    /// # Errors
    /// A setting is out of range or contradicts another, or the players have one name.
    pub(crate) fn checked_rules<V: Variant>(&self) -> Result<Rules<V>, MatchError> {
        let mut complaints = Complaints::default();
        self.config.check_for::<V>(&mut complaints);
        let mut complaints: Vec<String> = complaints.list().iter().map(ToString::to_string).collect();
        let [a, b] = self.players;
        if a.name == b.name {
            complaints.push(format!("both players are called {:?}; give one of them another name", a.name));
        }
        for player in self.players {
            if let PlayerKind::Engine(profile) = &player.kind
                && profile.variant() != self.variant
            {
                complaints.push(format!(
                    "{} was set up for {}, not for {}",
                    player.name,
                    profile.variant(),
                    self.variant
                ));
            }
        }
        if complaints.is_empty()
            && let Ok(rules) = self.config.rules::<V>()
        {
            return Ok(rules);
        }
        Err(MatchError::Config(complaints))
    }

    /// Plays what is missing of the first `pairs` pairs from these openings, and reports on the whole match.
    ///
    /// # Errors
    /// A player cannot be made or fails, or the log cannot be read or written.
    pub(crate) fn play_part<V: Variant>(
        &self,
        openings: &Openings<V>,
        pairs: u32,
        stop: &AtomicBool,
        mut progress: impl FnMut(&MatchProgress),
    ) -> Result<MatchReport, MatchError> {
        let rules = self.checked_rules::<V>()?;
        let limit = self.config.limit;
        let players = self.players.map(|player| player.record(limit));
        let header = MatchHeader {
            kirin_match: MatchHeader::FORMAT,
            variant: V::ID.to_owned(),
            ruleset: rules.name().to_owned(),
            max_plies: rules.max_plies(),
            seed: self.config.seed,
            openings: openings.named.clone(),
            limit,
            adjudication: self.config.adjudication,
            players,
        };
        let mut log = MatchLog::open(self.log, header)?;
        log.set_test(self.config.sprt)?;
        let mut stopping_rule = StoppingRule::new(log.test());
        let tasks = if stopping_rule.follow(log.games()) { Vec::new() } else { missing(openings, pairs, log.games()) };
        if !tasks.is_empty() {
            let mut notes = openings.notes.clone();
            notes.extend(repeats(openings, log.header(), self.config.pairs));
            if !notes.is_empty() {
                progress(&MatchProgress {
                    notes,
                    ..MatchProgress::new(log.games(), self.config.pairs, &stopping_rule)
                });
            }
            self.play_missing(rules, &tasks, &mut log, stop, &mut progress)?;
        }
        Ok(MatchReport::new(log.header(), log.games(), self.config.pairs, log.test()))
    }

    /// Plays the tasks on several threads; this one writes the log.
    fn play_missing<V: Variant>(
        &self,
        rules: Rules<V>,
        tasks: &[ScheduledGame<V>],
        log: &mut MatchLog,
        stop: &AtomicBool,
        progress: &mut impl FnMut(&MatchProgress),
    ) -> Result<(), MatchError> {
        let began = Instant::now();
        count_suspensions();
        let margin = Duration::from_millis(self.config.margin_ms.into());
        let factories = self.players.map(|player| PlayerFactory::of::<V>(player, self.config.limit, margin));
        let threads = self.config.thread_count().min(tasks.len());
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("match-{index}"))
            .build()
            .map_err(|source| MatchError::Threads { threads, source })?;
        let next = AtomicUsize::new(0);
        // Set when the match is over before its last game: it failed, or the test has decided.
        let over = AtomicBool::new(false);
        let halt = || stop.load(Ordering::Relaxed) || over.load(Ordering::Relaxed);
        let live_rule = log.test().map(|test| Mutex::new(LiveStoppingRule::new(test, log.games())));
        let decides = |game: &GameEntry| {
            let Some(live_rule) = &live_rule else { return false };
            live_rule.lock().unwrap_or_else(PoisonError::into_inner).count(game)
        };
        let (sender, receiver) = mpsc::sync_channel::<WorkerEvent>(MOST_WAITING);
        pool.in_place_scope(|scope| {
            for _ in 0..threads {
                let sender = sender.clone();
                let (factories, next, halt, over, decides) = (&factories, &next, &halt, &over, &decides);
                scope.spawn(move |_| {
                    let take = || tasks.get(next.fetch_add(1, Ordering::Relaxed));
                    let share = tasks.len().div_ceil(threads);
                    let finished = |entry: GameEntry| {
                        // Games that have not ended by then are dropped.
                        if decides(&entry) {
                            over.store(true, Ordering::Relaxed);
                        }
                        sender.send(WorkerEvent::Finished(entry)).is_ok() && !halt()
                    };
                    let note = |text| {
                        // If there is no receiver, the log has failed, which is already reported.
                        let _ = sender.send(WorkerEvent::Note(text));
                    };
                    let played = MatchWorker::new(rules, self, factories, share)
                        .and_then(|mut worker| worker.play(&take, &halt, &finished, &note));
                    if let Err(error) = played {
                        over.store(true, Ordering::Relaxed);
                        // If there is no receiver, the log has failed, which is already reported.
                        let _ = sender.send(WorkerEvent::Failed(error));
                    }
                });
            }
            drop(sender);
            // The scope waits for the workers even if this thread panics; then they should come soon.
            let _halting = SetOnDrop(&over);
            self.write_games(receiver, log, &over, began, progress)
        })
    }

    /// Writes games to the log as workers finish them, until no worker is left. The queue ends with this call, so that no
    /// worker waits for a place in it.
    ///
    /// # Errors
    /// A worker has failed, or the log cannot be written, which sets `over`.
    fn write_games(
        &self,
        receiver: mpsc::Receiver<WorkerEvent>,
        log: &mut MatchLog,
        over: &AtomicBool,
        began: Instant,
        progress: &mut impl FnMut(&MatchProgress),
    ) -> Result<(), MatchError> {
        let mut stopping_rule = StoppingRule::new(log.test());
        let mut outcome = Ok(());
        while let Ok(first) = receiver.recv() {
            // All waiting games are written with one sync.
            let (mut entries, mut notes) = (Vec::new(), Vec::new());
            for event in std::iter::once(first).chain(receiver.try_iter()) {
                match event {
                    WorkerEvent::Finished(entry) => {
                        let elapsed_ms = began.elapsed().as_millis() as u64;
                        let finished_at = SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|now| now.as_secs());
                        notes.extend(FailedGame::new(log.header(), &entry).map(|failed| failed.to_string()));
                        entries.push(GameEntry { session: log.session(), elapsed_ms, finished_at, ..entry });
                    }
                    WorkerEvent::Note(text) => notes.push(text),
                    WorkerEvent::Failed(error) if outcome.is_ok() => outcome = Err(error),
                    WorkerEvent::Failed(_) => {}
                }
            }
            if entries.is_empty() && notes.is_empty() {
                continue;
            }
            if let Err(error) = log.append(entries) {
                over.store(true, Ordering::Relaxed);
                return Err(error);
            }
            stopping_rule.follow(log.games());
            progress(&MatchProgress { notes, ..MatchProgress::new(log.games(), self.config.pairs, &stopping_rule) });
        }
        outcome
    }
}

/// What a thread of a match tells the one that writes the log.
enum WorkerEvent {
    /// A game has ended.
    Finished(GameEntry),
    /// Something to tell people.
    Note(String),
    /// The thread cannot continue.
    Failed(MatchError),
}

/// Finished games that may wait to be written; a thread that finishes another one waits too.
const MOST_WAITING: usize = 1024;

/// Sets a flag however a block is left.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The warning if pairs would be played twice: without chance, equal openings are equal games.
fn repeats<V: Variant>(openings: &Openings<V>, header: &MatchHeader, pairs: u32) -> Option<String> {
    if header.plays_by_chance() {
        return None;
    }
    let distinct = openings.distinct();
    (distinct < pairs as usize).then(|| {
        format!(
            "{distinct} different openings for {pairs} pairs of players who never play by chance: the pairs beyond them \
             repeat games and add no information; play {distinct} pairs, or take more opening plies or a longer book"
        )
    })
}

/// The games that the log lacks.
fn missing<V: Variant>(openings: &Openings<V>, pairs: u32, games: &FinishedGames) -> Vec<ScheduledGame<V>> {
    let keys = (0..pairs).flat_map(|pair| Side::BOTH.map(|side| (pair, side)));
    keys.filter(|key| !games.contains_key(key))
        .map(|key| ScheduledGame { key, opening: openings.of_pair(key.0).clone() })
        .collect()
}
