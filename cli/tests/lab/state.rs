//! What a run's folder shows to an observer, at any moment.

use data::{DataStore, Journal, ShardEntry, durable};
use rules::VariantId;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use train::{NetworkFile, TrainConfig, Trainer};

/// Everything finished in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Committed files by their paths, with their digests.
    pub shards: BTreeMap<String, String>,
    /// Games by their ids, committed or in the journal, as the journal writes them.
    pub games: BTreeMap<u64, Value>,
    /// Ids of the networks by the names of their files.
    pub networks: BTreeMap<String, String>,
    /// Games of matches by log, pair and colours: moves, result, reason.
    pub matches: BTreeMap<(String, eval::log::GameKey), (String, rules::GameResult, rules::Termination)>,
    /// Plans of the generations.
    pub plans: Vec<Value>,
    /// Finished stages without what depends on the clock and on interruptions.
    pub stages: Vec<Value>,
}

impl State {
    /// Reads and checks every file with a final name.
    ///
    /// # Panics
    /// One is damaged or not whole.
    pub fn read(run: &Path, variant: &str) -> State {
        let mut state = State::default();
        for path in files(run) {
            state.file(run, &path, variant);
        }
        if run.join("data").join(data::MANIFEST).exists() {
            state.committed(&run.join("data"), variant);
        }
        state
    }

    fn file(&mut self, run: &Path, path: &Path, variant: &str) {
        let name = path.strip_prefix(run).expect("inside").to_str().expect("UTF-8").to_owned();
        let text = || std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let folder = name.split('/').next().unwrap_or_default();
        let end = path.extension().and_then(|end| end.to_str());
        match (folder, end) {
            _ if durable::is_temporary(path) => {}
            ("lock", None) => {}
            ("data", _) if name.contains("/journal/") => self.journal(path),
            ("data", Some("parquet")) => {
                // Whole from its first bytes to its footer; what is committed is read below.
                let bytes = std::fs::read(path).expect("a readable file");
                assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{name} is cut off");
            }
            ("data", _) => {} // the manifest, which is read by itself, and the lock
            ("nets", Some("safetensors")) => {
                let network = NetworkFile::read(path).expect("a whole network");
                assert_eq!(network.blueprint().variant, variant);
                self.networks.insert(name, network.id().to_owned());
            }
            ("checkpoints", Some("safetensors")) => {
                let network = NetworkFile::read(&run.join("nets/gen-0000.safetensors")).expect("network 0");
                Trainer::resume(path, network.blueprint().clone(), TrainConfig::default()).expect("a whole checkpoint");
            }
            ("matches", Some("jsonl")) => {
                for (key, game) in eval::log::read(path).expect("a whole match log").games {
                    let played = (game.moves.clone(), game.result, game.termination);
                    self.matches.insert((name.clone(), key), played);
                }
            }
            (_, Some("jsonl")) => {
                let lines = lines(&name, &text());
                match name.as_str() {
                    "plan.jsonl" => self.plans = lines,
                    "events.jsonl" => self.stages = lines.iter().map(lasting).collect(),
                    _ => assert_eq!(name, "metrics.jsonl"),
                }
            }
            (_, Some("json")) if name == "slots.json" => drop(lines(&name, &text())),
            (_, Some("json")) => drop(serde_json::from_str::<Value>(&text()).expect("whole JSON")),
            (_, Some("toml")) => drop(text().parse::<toml::Table>().expect("whole TOML")),
            (_, Some("html")) => assert!(text().trim_end().ends_with("</html>"), "{name} is cut off"),
            _ => panic!("{name}: what is this?"),
        }
    }

    fn journal(&mut self, path: &Path) {
        // Opening a journal repairs it, so that is done to a copy.
        let folder = tempfile::tempdir().expect("a temporary folder");
        let copy = folder.path().join("journal.jsonl");
        std::fs::copy(path, &copy).expect("a copy");
        let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).expect("a folder");
        let id = folder.strip_prefix("variant=").and_then(|id| id.parse().ok()).expect("a variant's folder");
        rules::dispatch!(id, V => {
            let (_, recovered) = Journal::<V>::open(&copy).expect("a journal whose lines are whole");
            for game in recovered.games {
                self.games.insert(game.game_id, serde_json::to_value(game).expect("a game is JSON"));
            }
        });
    }

    fn committed(&mut self, data: &Path, variant: &str) {
        let store = DataStore::open_read_only(data).expect("a data folder");
        let shards = store.all_shards().expect("a manifest");
        let id: VariantId = variant.parse().expect("a variant");
        for shard in shards {
            assert_eq!(shard.variant, variant);
            rules::dispatch!(id, V => {
                let games = store.read_shard::<V>(&shard).expect("a shard");
                assert_eq!(games.len() as u64, shard.games.rows);
                assert_eq!(games.iter().map(|game| game.positions.len() as u64).sum::<u64>(), shard.positions.rows);
                for game in games {
                    self.games.insert(game.game_id, serde_json::to_value(game).expect("a game is JSON"));
                }
            });
            let ShardEntry { games: first, positions: second, .. } = shard;
            self.shards.extend([(first.path, first.blake3), (second.path, second.blake3)]);
        }
    }

    /// Asserts that `later` has everything that was finished here.
    pub fn assert_kept_in(&self, later: &State) {
        within("shard", &self.shards, &later.shards);
        within("game", &self.games, &later.games);
        within("network", &self.networks, &later.networks);
        within("match game", &self.matches, &later.matches);
        assert!(later.plans.starts_with(&self.plans), "plans {:?} became {:?}", self.plans, later.plans);
        assert!(later.stages.starts_with(&self.stages), "stages {:?} became {:?}", self.stages, later.stages);
    }

    /// Asserts that two runs have the same final state, naming the first kind of thing that differs.
    pub fn assert_same(&self, other: &State) {
        assert_eq!(self.plans, other.plans, "plans");
        assert_eq!(self.games.keys().collect::<Vec<_>>(), other.games.keys().collect::<Vec<_>>(), "games");
        within("game", &self.games, &other.games);
        assert_eq!(self.networks, other.networks, "networks");
        assert_eq!(self.shards, other.shards, "shards");
        assert_eq!(self.matches, other.matches, "matches");
        assert_eq!(self.stages, other.stages, "stages");
    }
}

fn within<K: Ord + std::fmt::Debug, T: PartialEq>(what: &str, earlier: &BTreeMap<K, T>, later: &BTreeMap<K, T>) {
    for (key, value) in earlier {
        let found = later.get(key).unwrap_or_else(|| panic!("{what} {key:?} has disappeared"));
        assert!(value == found, "{what} {key:?} has changed");
    }
}

/// A finished stage without times and counts of one call of the program.
fn lasting(event: &Value) -> Value {
    let mut event = event.clone();
    let fields = event.as_object_mut().expect("an event is an object");
    for field in
        ["at_ms", "seconds", "seconds_before", "pairs_before", "searched", "evaluations", "batch_fill", "speed"]
    {
        fields.remove(field);
    }
    event
}

/// The whole lines of a log; what follows the last newline was torn.
fn lines(name: &str, text: &str) -> Vec<Value> {
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let line = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {error}: {line}"));
    whole.lines().map(|text| entry(line(text))).collect()
}

/// What a line with a checksum holds in addition to its digest.
pub fn entry(line: Value) -> Value {
    let Value::Object(fields) = line else { panic!("{line} is no object") };
    let entry = fields.into_iter().find(|(key, _)| !["blake3", "line", "batch"].contains(&key.as_str()));
    entry.expect("an entry beside the digest").1
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files
}

/// Names of temporary files below a folder.
pub fn temporaries(folder: &Path) -> Vec<PathBuf> {
    files(folder).into_iter().filter(|path| durable::is_temporary(path)).collect()
}
