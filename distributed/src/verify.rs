//! Checking a store: whether its objects are what was uploaded, and whether records and shards agree.

use super::objects::{
    Begun, FileObject, Generation, MOST_RECORD_BYTES, MOST_SHARD_BYTES, MatchRequest, ShardNote, WORKERS, fetch,
    generation_key, pair_key, shard_key, shards_prefix,
};
use super::referee::{OTHER, is_of, pair_seed};
use super::settled;
use crate::error::{Result, RoleError};
use crate::store::Store;
use data::ShardBundle;
use data::verify::{Findings, RESTORE, check_outcome};
use lab::{LabError, Taken};
use rules::Variant;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use train::NetworkFile;

/// Checks everything that the records of the run in a store name, and changes nothing: networks and training states by
/// their digests, the shards that were taken, with each of their games replayed, and the pairs of matches. Of shards
/// that are in no record yet only the numbers are checked. `None` if no run has begun in the store.
///
/// # Errors
/// The store cannot be reached, or refuses the credentials.
pub fn verify(store: &Store, progress: &(dyn Fn(u64) + Sync)) -> Result<Option<Findings>> {
    let Some(begun) = Begun::read(store)? else { return Ok(None) };
    let variant = begun.about.variant.parse::<rules::VariantId>()?;
    let findings = rules::dispatch!(variant, V => Check::<V>::new(store, progress, &begun)?.whole(&begun))?;
    Ok(Some(findings))
}

struct Check<'a, V: Variant> {
    store: &'a Store,
    progress: &'a (dyn Fn(u64) + Sync),
    findings: Findings,
    /// Ids of the games seen so far.
    games: HashSet<u64>,
    /// Each worker's next shard.
    next: BTreeMap<u32, u64>,
    /// The id of each network, by its generation.
    ids: BTreeMap<u32, String>,
    run_id: String,
    /// The seed of matches in the run's settings.
    seed: u64,
    variant: std::marker::PhantomData<V>,
}

impl<'a, V: Variant> Check<'a, V> {
    fn new(store: &'a Store, progress: &'a (dyn Fn(u64) + Sync), begun: &Begun) -> Result<Check<'a, V>> {
        let config = settled::config(store, begun)?;
        Ok(Check {
            store,
            progress,
            findings: Findings::default(),
            games: HashSet::new(),
            next: BTreeMap::new(),
            ids: BTreeMap::from([(begun.network.generation, begun.network.id.clone())]),
            run_id: begun.about.run_id.clone(),
            seed: config.evaluation.match_config(&config, 1).seed,
            variant: std::marker::PhantomData,
        })
    }

    fn whole(mut self, begun: &Begun) -> Result<Findings> {
        self.findings.files += 1;
        self.network(&begun.network.file, &begun.network.id)?;
        let first = begun.network.generation;
        let mut expected = first + 1;
        for generation in self.numbers("generations", ".json")?.into_iter().filter(|&number| number > u64::from(first))
        {
            let generation = generation as u32;
            self.missing(u64::from(expected)..u64::from(generation), |number| generation_key(number as u32));
            expected = generation.saturating_add(1);
            match Generation::read(self.store, generation) {
                Ok(Some(record)) => self.generation(&record)?,
                Ok(None) => self.problem(&generation_key(generation), "it is missing"),
                Err(error @ RoleError::Object { .. }) => {
                    self.problem(&generation_key(generation), &error.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        // Shards that no generation has taken yet are only checked for consecutive numbers.
        for worker in self.numbers(WORKERS, "")? {
            let worker = worker as u32;
            let mut expected = self.next.get(&worker).copied().unwrap_or(0);
            for shard in self.numbers(&shards_prefix(worker), "")? {
                if shard >= expected {
                    self.missing(expected..shard, |number| shard_key(worker, number));
                    expected = shard + 1;
                }
            }
        }
        Ok(self.findings)
    }

    /// The numbers in the names of a prefix, sorted.
    fn numbers(&self, prefix: &str, end: &str) -> Result<Vec<u64>> {
        let names = self.store.names_in(prefix)?;
        let mut numbers: Vec<u64> = names.iter().filter_map(|name| name.strip_suffix(end)?.parse().ok()).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Reports names that are missing before an existing one.
    fn missing(&mut self, numbers: std::ops::Range<u64>, key: impl Fn(u64) -> String) {
        match numbers.end.saturating_sub(numbers.start) {
            0 => {}
            1 => self.problem(&key(numbers.start), "it is missing, and a later one is there"),
            many => {
                let what = format!("it is missing, with {} after it, and a later one is there", many - 1);
                self.problem(&key(numbers.start), &what);
            }
        }
    }

    fn problem(&mut self, key: &str, what: &str) {
        self.findings.problem(Path::new(key), what, RESTORE);
    }

    fn generation(&mut self, record: &Generation) -> Result<()> {
        self.findings.files += 1;
        if record.network.generation == record.generation {
            self.network(&record.network.file, &record.network.id)?;
        }
        if let Some(checkpoint) = &record.checkpoint
            && self.content(checkpoint)?.is_some()
        {
            self.findings.networks += 1;
        }
        if let Some(endings) = record.lessons.as_ref().and_then(|lessons| lessons.endings.as_ref()) {
            self.content(endings)?;
        }
        for taken in &record.gathered.shards {
            self.shard(taken)?;
        }
        if record.gathered.next.iter().any(|(worker, next)| self.next.get(worker).unwrap_or(&0) != next) {
            let key = generation_key(record.generation);
            self.problem(&key, "the shards that it names are not those up to which it has seen");
        }
        self.ids.insert(record.network.generation, record.network.id.clone());
        for asked in &record.matches {
            let keys = (0..asked.pairs).map(|pair| pair_key(asked.network, asked.opponent, pair)).collect::<Vec<_>>();
            for ((pair, key), log) in (0..).zip(&keys).zip(self.store.get_all(&keys, MOST_RECORD_BYTES)?) {
                // A missing pair is still to be played.
                if let Some(log) = log {
                    self.pair(*asked, pair, key, &log)?;
                }
            }
        }
        Ok(())
    }

    /// The content of a file in the store, if it is what the record says.
    fn content(&mut self, file: &FileObject) -> Result<Option<Vec<u8>>> {
        self.findings.files += 1;
        match file.read(self.store) {
            Ok(content) => Ok(Some(content)),
            Err(RoleError::Object { key, reason, .. }) => {
                self.problem(&key, &reason);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn network(&mut self, file: &FileObject, id: &str) -> Result<()> {
        let Some(content) = self.content(file)? else { return Ok(()) };
        match NetworkFile::of_bytes(Path::new(&file.key), &content) {
            Ok(network) if network.id() == id => self.findings.networks += 1,
            Ok(network) => {
                self.problem(&file.key, &format!("it is network {}, and the record says {id}", network.id()));
            }
            Err(error) => {
                self.findings.judge(Path::new(&file.key), error.verdict(), error.to_string(), RESTORE);
            }
        }
        Ok(())
    }

    /// A shard that a generation has taken.
    fn shard(&mut self, taken: &Taken) -> Result<()> {
        let key = shard_key(taken.worker, taken.sequence);
        self.findings.files += 1;
        let next = self.next.entry(taken.worker).or_insert(0);
        let in_order = *next == taken.sequence;
        *next = taken.sequence + 1;
        if !in_order {
            self.problem(&key, "the one before it has not been seen");
        }
        if let Some(fault) = &taken.fault {
            self.problem(&key, &format!("the trainer has left it out: {fault}"));
            return Ok(());
        }
        let bytes = match fetch(self.store, &key, MOST_SHARD_BYTES) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => {
                self.problem(&key, "it is missing");
                return Ok(());
            }
            Err(RoleError::Object { reason, .. }) => {
                self.problem(&key, &reason);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        if blake3::hash(&bytes).to_hex().as_str() != taken.blake3 {
            self.problem(&key, "it is not the one that the trainer has seen");
            return Ok(());
        }
        let bundle = match ShardBundle::<V, ShardNote>::unpack(&bytes) {
            Ok(bundle) => bundle,
            Err(error) => {
                self.problem(&key, &error.to_string());
                return Ok(());
            }
        };
        let mut doubles = 0;
        for game in &bundle.games {
            doubles += u64::from(!self.games.insert(game.game_id));
            self.findings.games += 1;
            self.findings.positions += game.positions.len() as u64;
            if let Err(fault) = check_outcome(&game.sheet) {
                self.problem(&key, &format!("game {:016x}: {fault}", game.game_id));
            }
        }
        (self.progress)(bundle.games.len() as u64);
        let games = bundle.games.len() as u64 - doubles;
        if (games, doubles) != (taken.games, taken.doubles) {
            let (said, of) = (taken.games, taken.doubles);
            let what = format!("it has {games} new games and {doubles} doubles, and the record says {said} and {of}");
            self.problem(&key, &what);
        }
        Ok(())
    }

    /// A pair of games, which is a match log of its own: of these networks, with the opening derived from its number.
    fn pair(&mut self, asked: MatchRequest, pair: u32, key: &str, log: &[u8]) -> Result<()> {
        // Its name is unpredictable, and it is removed with the value.
        let folder = tempfile::tempdir().map_err(LabError::io("make a temporary folder in", &std::env::temp_dir()))?;
        let path = folder.path().join("pair.jsonl");
        std::fs::write(&path, log).map_err(LabError::io("write", &path))?;
        let mut found = eval::log::verify(&path, self.progress);
        found.problems.iter_mut().chain(&mut found.leftovers).for_each(|problem| problem.file = key.into());
        let is_sound = found.is_clean();
        self.findings.add(found);
        if let Some(log) = eval::log::read(&path).ok().filter(|_| is_sound) {
            let of = |network: u32| self.ids.get(&network).map_or("", String::as_str);
            let ids = [Some(of(asked.network)), asked.opponent.network().map(of)];
            if !is_of::<V>(&log, ids, pair_seed(&self.run_id, self.seed, asked, pair)) {
                self.problem(key, OTHER);
            }
        }
        Ok(())
    }
}
