//! A small run of self-play in a temporary folder.
#![allow(dead_code, reason = "each test uses a part of it")]

use data::{DataStore, GameRecord, Provenance};
use rules::{Rules, Variant};
use search::{EvaluationError, Evaluator, SearchConfig};
use selfplay::{
    BY_RULES, GenerateError, GenerationProgress, GenerationReport, Job, Origin, RulesJob, RulesReport, SelfplayConfig,
    generate, play_by_rules,
};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Settings and folder of a run.
pub struct ScratchRun {
    pub folder: tempfile::TempDir,
    pub search: SearchConfig,
    pub selfplay: SelfplayConfig,
    pub threads: usize,
    pub progress: GenerationProgress,
    pub progress_of_run: f32,
    pub stop: AtomicBool,
}

impl ScratchRun {
    /// A run with short games and with settings that use every kind of random number.
    pub fn new(threads: usize) -> ScratchRun {
        ScratchRun {
            folder: tempfile::tempdir().expect("a temporary folder"),
            search: SearchConfig { visits: 12, ..SearchConfig::default() },
            selfplay: SelfplayConfig {
                slots: 12,
                plies_per_generation: 40,
                max_plies: 80,
                stagger_plies: 60,
                fast_share: 0.3,
                fast_visits: 4,
                ending_until: 1.0,
                resign_below: 0.45,
                resign_after: 1,
                resign_false_rate: 1.0,
                resign_playthrough: 0.5,
                resign_from: 0.0,
                ..SelfplayConfig::default()
            },
            threads,
            progress: GenerationProgress::default(),
            progress_of_run: 0.0,
            stop: AtomicBool::new(false),
        }
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn slots_file(&self) -> PathBuf {
        self.folder.path().join("slots.json")
    }

    /// Plays one generation as a new process would.
    pub fn generate<V: Variant, E: Evaluator>(
        &self,
        generation: u32,
        evaluators: impl Fn(usize) -> Result<E, EvaluationError> + Sync,
    ) -> Result<GenerationReport, GenerateError> {
        let (store, _) = DataStore::open(&self.data())?;
        let job = Job {
            rules: Rules::<V>::default(),
            search: &self.search,
            selfplay: &self.selfplay,
            origin: Origin {
                run_id: "scratch".into(),
                generation,
                network: format!("hash-{generation}"),
                worker: "local".into(),
                engine_version: "test".into(),
            },
            provenance: Provenance::default(),
            progress: self.progress_of_run,
            seed: 5,
            threads: self.threads,
            store: &store,
            slots_file: &self.slots_file(),
        };
        generate(&job, evaluators, &self.progress, &self.stop)
    }

    /// Plays a generation of random-play games as a new process would.
    pub fn play_by_rules<V: Variant>(&self, generation: u32) -> Result<RulesReport, GenerateError> {
        let (store, _) = DataStore::open(&self.data())?;
        let job = RulesJob {
            rules: Rules::<V>::default(),
            selfplay: &self.selfplay,
            origin: Origin {
                run_id: "scratch".into(),
                generation,
                network: BY_RULES.into(),
                worker: BY_RULES.into(),
                engine_version: "test".into(),
            },
            provenance: Provenance::default(),
            seed: 5,
            threads: self.threads,
            store: &store,
        };
        play_by_rules(&job, &self.progress, &self.stop)
    }

    /// All committed games, shard by shard.
    pub fn games<V: Variant>(&self) -> Vec<GameRecord<V>> {
        let store = DataStore::open_read_only(&self.data()).expect("a data folder");
        let shards = store.shards(V::ID).expect("a manifest");
        shards.iter().flat_map(|shard| store.read_shard(shard).expect("a shard")).collect()
    }

    /// Digests of all committed files, as the manifest has them.
    pub fn digests<V: Variant>(&self) -> Vec<[String; 2]> {
        let store = DataStore::open_read_only(&self.data()).expect("a data folder");
        let shards = store.shards(V::ID).expect("a manifest");
        shards.into_iter().map(|shard| [shard.games.blake3, shard.positions.blake3]).collect()
    }
}
