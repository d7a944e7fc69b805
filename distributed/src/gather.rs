//! The trainer's self-play stage: it gathers games that workers have uploaded, until there are enough new positions.
//!
//! The list of shards is written before their games are committed. So an interrupted generation is gathered again from
//! the same shards, whatever has been uploaded since.

use super::objects::{MOST_SHARD_BYTES, ShardNote, WORKERS, fetch, shard_key};
use super::{Awaited, wait};
use crate::error::Result;
use crate::store::{RetryPolicy, Store, StoreError};
use data::{GameRecord, ShardBundle};
use lab::stages::StageContext;
use lab::stages::selfplay::figures;
use lab::{Gathered, Notice, Status, Taken, Task};
use lab::{Plan, events};
use rules::Variant;
use selfplay::generator::{GenerationCounts, GenerationTally};
use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

/// Name of the generation's shard in the trainer's data.
pub(super) const SHARD: &str = "store";

/// Workers that are asked for a shard before the trainer checks whether it has enough.
const WORKERS_AT_ONCE: usize = 256;

/// Why a missing shard is left out.
const LOST: &str = "it is missing, and a later one is there";

/// What was taken from the store so far.
#[derive(Debug)]
pub(super) struct Gatherer<'a> {
    store: &'a Store,
    /// Time between two looks at a store that had nothing new.
    poll: Duration,
    /// Ids of all games of the run.
    seen: HashSet<u64>,
    /// Each worker's next shard.
    next: BTreeMap<u32, u64>,
    /// How long each worker's next shard has been waited for.
    awaited: BTreeMap<u32, Awaited>,
    /// Whether shards that were lost are left out.
    pub skip_lost: bool,
    /// The worker that is asked first; it changes, so that all have their turn.
    turn: u32,
}

/// What a generation has gathered so far.
struct GatheredBatch<V: Variant> {
    games: Vec<GameRecord<V>>,
    positions: u64,
    shards: Vec<Taken>,
    counts: GenerationCounts,
}

impl<'a> Gatherer<'a> {
    /// The state after the games in the trainer's data and each worker's shards before `next`.
    ///
    /// # Errors
    /// The trainer's data cannot be read or is damaged.
    pub fn new<V: Variant>(
        store: &'a Store,
        poll: Duration,
        context: &StageContext<V>,
        next: BTreeMap<u32, u64>,
    ) -> Result<Gatherer<'a>> {
        let mut seen = HashSet::new();
        for shard in context.store.shards(V::ID)? {
            seen.extend(context.store.read_games::<V>(&shard)?.iter().map(|game| game.game_id));
        }
        Ok(Gatherer { store, poll, seen, next, awaited: BTreeMap::new(), skip_lost: false, turn: 0 })
    }

    /// Skips the shards that the folder has taken for later generations: those of a generation that was gathered but
    /// not published before a kill.
    ///
    /// # Errors
    /// A list of shards cannot be read or is damaged.
    pub fn resume_after<V: Variant>(&mut self, context: &StageContext<V>, published: u32) -> Result<()> {
        for generation in published + 1.. {
            let Some(list) = Gathered::read(&context.folder, generation)? else { break };
            self.next = list.next;
        }
        Ok(())
    }

    /// Gathers the games that the plan wants and commits them; `None` if it was stopped.
    ///
    /// # Errors
    /// The store cannot be reached or refuses, or a file of the trainer cannot be read or written. A damaged shard is
    /// skipped, which is no error. If the generation was gathered before: as for [`again`](Self::again).
    pub fn gather<V: Variant>(&mut self, context: &StageContext<V>, plan: &Plan) -> Result<Option<events::Selfplay>> {
        let generation = plan.generation;
        if let Some(before) = Gathered::read(&context.folder, generation)? {
            return self.again(context, generation, &before).map(Some);
        }
        let wanted = u64::from(plan.plies_per_slot) * u64::from(context.config.selfplay.slots);
        let begun = Instant::now();
        let meter = context.host.observer.begin(generation, Task::Selfplay, wanted);
        let mut batch = GatheredBatch::<V> {
            games: Vec::new(),
            positions: 0,
            shards: Vec::new(),
            counts: GenerationCounts::default(),
        };
        while batch.positions < wanted {
            let found = self.pass(context, generation, wanted, &mut batch)?;
            let counts = GenerationCounts { games: batch.games.len() as u64, ..batch.counts.clone() };
            meter.update(batch.positions.min(wanted), &Status::Selfplay { counts: &counts, elapsed: begun.elapsed() });
            if !found {
                wait(self.poll, &context.host.stop);
            }
            if context.host.is_stopped() {
                return Ok(None);
            }
        }
        drop(meter);
        let list = Gathered { shards: std::mem::take(&mut batch.shards), next: self.next.clone() };
        list.write(&context.folder, generation)?;
        self.commit(context, generation, batch).map(Some)
    }

    /// Gathers the shards of a list again, and commits their games.
    ///
    /// # Errors
    /// The store cannot be reached or refuses, a shard of the list is missing or has changed, or the trainer's data
    /// cannot be read or written.
    pub fn again<V: Variant>(
        &mut self,
        context: &StageContext<V>,
        generation: u32,
        list: &Gathered,
    ) -> Result<events::Selfplay> {
        let mut batch = GatheredBatch::<V> {
            games: Vec::new(),
            positions: 0,
            shards: Vec::new(),
            counts: GenerationCounts::default(),
        };
        // The commit may be done already; its games are not duplicates.
        for shard in context.store.shards(V::ID)?.iter().filter(|shard| shard.generation == generation) {
            for game in context.store.read_games::<V>(shard)? {
                self.seen.remove(&game.game_id);
            }
        }
        for taken in list.shards.iter().filter(|taken| taken.fault.is_none()) {
            let key = shard_key(taken.worker, taken.sequence);
            let bytes = fetch(self.store, &key, MOST_SHARD_BYTES)?;
            let bytes = bytes.filter(|bytes| blake3::hash(bytes).to_hex().as_str() == taken.blake3);
            let bytes = bytes.ok_or_else(|| {
                super::objects::unusable(self.store, &key, "it is not the shard that the generation has seen")
            })?;
            self.take(context, generation, (taken.worker, taken.sequence), &bytes, &mut batch)?;
        }
        self.next.clone_from(&list.next);
        self.commit(context, generation, batch)
    }

    /// Asks every worker for its next shard, until there are enough games; returns whether any came.
    fn pass<V: Variant>(
        &mut self,
        context: &StageContext<V>,
        generation: u32,
        wanted: u64,
        batch: &mut GatheredBatch<V>,
    ) -> Result<bool> {
        for name in self.store.names_in(WORKERS)? {
            if let Ok(worker) = name.parse() {
                self.next.entry(worker).or_insert(0);
            }
        }
        let turn = self.turn;
        let mut asked: Vec<(u32, u64)> = self.next.iter().map(|(&worker, &sequence)| (worker, sequence)).collect();
        asked.sort_by_key(|&(worker, _)| (worker < turn, worker));
        let mut found = false;
        for asked in asked.chunks(WORKERS_AT_ONCE) {
            let keys: Vec<String> = asked.iter().map(|&(worker, sequence)| shard_key(worker, sequence)).collect();
            for (&(worker, sequence), bytes) in asked.iter().zip(self.shards(&keys)?) {
                match bytes {
                    Ok(Some(bytes)) => self.take(context, generation, (worker, sequence), &bytes, batch)?,
                    Ok(None) if !self.is_lost(context, worker, sequence)? => continue,
                    Ok(None) => self.leave_out(context, (worker, sequence), LOST.to_owned(), batch),
                    Err(fault) => self.leave_out(context, (worker, sequence), fault, batch),
                }
                self.next.insert(worker, sequence + 1);
                self.awaited.remove(&worker);
                found = true;
            }
            if batch.positions >= wanted {
                self.turn = asked.last().map_or(0, |&(worker, _)| worker + 1);
                break;
            }
        }
        Ok(found)
    }

    /// Shards, or for each unreadable one the reason.
    fn shards(&self, keys: &[String]) -> Result<Vec<Result<Option<Vec<u8>>, String>>> {
        match self.store.get_all(keys, MOST_SHARD_BYTES) {
            Ok(all) => Ok(all.into_iter().map(|bytes| Ok(bytes.map(Vec::from))).collect()),
            // One of them is too large.
            Err(StoreError::Object { .. }) => {
                let alone = |key: &String| match self.store.get(key, MOST_SHARD_BYTES) {
                    Err(StoreError::Object { reason, .. }) => Ok(Err(reason)),
                    bytes => Ok(Ok(bytes?.map(Vec::from))),
                };
                keys.iter().map(alone).collect()
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a missing shard was lost and is to be skipped. The loss is reported.
    fn is_lost<V: Variant>(&mut self, context: &StageContext<V>, worker: u32, sequence: u64) -> Result<bool> {
        let awaited = self.awaited.entry(worker).or_default();
        let Some(later) =
            awaited.later(self.store, sequence, RetryPolicy::default(), |sequence| shard_key(worker, sequence))?
        else {
            return Ok(false);
        };
        if !self.skip_lost {
            let (key, url) = (shard_key(worker, sequence), self.store.url());
            let lost = format!("{key} is missing in {url}, and {later} is there");
            context.host.observer.notice(&Notice::ShardLost(&lost));
        }
        Ok(self.skip_lost)
    }

    /// Records a skipped shard.
    fn leave_out<V: Variant>(
        &self,
        context: &StageContext<V>,
        (worker, sequence): (u32, u64),
        fault: String,
        batch: &mut GatheredBatch<V>,
    ) {
        let left_out = format!("{} in {}: {fault}", shard_key(worker, sequence), self.store.url());
        context.host.observer.notice(&Notice::ShardLeftOut(&left_out));
        let (blake3, fault) = (String::new(), Some(fault));
        batch.shards.push(Taken { worker, sequence, blake3, games: 0, doubles: 0, fault });
    }

    /// Takes the games of a shard that are not known yet.
    fn take<V: Variant>(
        &mut self,
        context: &StageContext<V>,
        generation: u32,
        (worker, sequence): (u32, u64),
        bytes: &[u8],
        batch: &mut GatheredBatch<V>,
    ) -> Result<()> {
        let blake3 = blake3::hash(bytes).to_hex().to_string();
        let mut taken = Taken { worker, sequence, blake3, games: 0, doubles: 0, fault: None };
        match opened::<V>(context, bytes) {
            Ok(bundle) => {
                for mut game in bundle.games {
                    if !self.seen.insert(game.game_id) {
                        taken.doubles += 1;
                        continue;
                    }
                    taken.games += 1;
                    // The generation that trains on the game; its rows say which network searched them.
                    game.generation = generation;
                    batch.positions += game.positions.len() as u64;
                    batch.games.push(game);
                }
                batch.counts.positions += bundle.note.searched;
                batch.counts.evaluations += bundle.note.evaluations;
                batch.counts.places += bundle.note.places;
            }
            Err(fault) => {
                let key = shard_key(worker, sequence);
                let left_out = format!("{key} in {}: {fault}", self.store.url());
                context.host.observer.notice(&Notice::ShardLeftOut(&left_out));
                taken.fault = Some(fault);
            }
        }
        batch.shards.push(taken);
        Ok(())
    }

    fn commit<V: Variant>(
        &mut self,
        context: &StageContext<V>,
        generation: u32,
        batch: GatheredBatch<V>,
    ) -> Result<events::Selfplay> {
        let shard = context.store.commit_shard(generation, SHARD, &batch.games, &context.provenance)?;
        // Whether games that were played through after a resignation were lost is not known: workers choose the threshold.
        let rows = || batch.games.iter().flat_map(|game| &game.positions);
        let (searched, proven) = (rows().count() as u64, rows().filter(|row| row.proven).count() as u64);
        let tally = GenerationTally { searched, proven, ..GenerationTally::default() };
        Ok(figures(context, generation, Some(&shard), &batch.counts, &tally)?)
    }
}

/// The games and the note of a shard of this run, or why it is rejected.
fn opened<V: Variant>(context: &StageContext<V>, bytes: &[u8]) -> Result<ShardBundle<V, ShardNote>, String> {
    let bundle = ShardBundle::<V, ShardNote>::unpack(bytes).map_err(|error| error.to_string())?;
    let note = &bundle.note;
    if (&note.run_id, &note.config_digest) != (&context.run_id, &context.provenance.config_digest) {
        return Err(format!("it is of run {} with settings {}", note.run_id, note.config_digest));
    }
    if note.version != context.host.version {
        return Err(format!("kirin {} made it", note.version));
    }
    Ok(bundle)
}
