//! A run that begins from the newest network and the games of another run, or from a network file.
//!
//! The other run's newest network becomes network 0, and generation 1 resumes training from its checkpoint. All its
//! games are committed again as generation 0, so that they are in the training window and the other folder is no longer
//! needed. The run's own generations, learning rate and games begin as in any run.
//!
//! The network of a file becomes network 0, and training begins from its weights with a fresh optimiser.

use crate::about::{About, Ancestor};
use crate::config::Config;
use crate::error::{LabError, Result};
use crate::events::{self, Stage};
use crate::folder::{RunFolder, read_whole, write_whole};
use data::{DataStore, GameRecord, Provenance};
use rules::Variant;
use std::path::{Path, PathBuf};
use train::{NetworkConfig, NetworkFile, Trainer};

/// What a run is to begin from, checked against its configuration.
pub(crate) enum Source {
    /// Another run.
    Run(Box<OtherRun>),
    /// A network file.
    Network {
        /// Where it lies, as it was given.
        path: PathBuf,
        /// The network.
        network: NetworkFile,
    },
}

impl Source {
    /// Opens a run's folder or a network file, whose variant, rule set and network must be those of `config`.
    ///
    /// # Errors
    /// There is no run or network file, or it cannot be read; its variant, rule set or network is another one; or the
    /// run has not trained a network yet.
    pub fn open<V: Variant>(from: &Path, config: &Config) -> Result<Source> {
        if !from.is_file() {
            return OtherRun::open::<V>(&RunFolder::new(from), config).map(|run| Source::Run(Box::new(run)));
        }
        let network = NetworkFile::read(from)?;
        network.require::<V>(from)?;
        let differences = network_differences(&network.blueprint().config, &config.network)?;
        match differences.is_empty() {
            true => Ok(Source::Network { path: from.to_owned(), network }),
            false => Err(of_another_kind(from, &differences)),
        }
    }

    /// Takes over what the source has, network 0 and its checkpoint first. It can be repeated after a kill and gives
    /// the same files.
    ///
    /// # Errors
    /// A file of the source cannot be read or is damaged, libtorch fails, or a file of the new run cannot be written.
    pub fn take<V: Variant>(&self, folder: &RunFolder, store: &DataStore, config: &Config) -> Result<Ancestor> {
        match self {
            Source::Run(other) => other.take::<V>(folder, store),
            Source::Network { path, network } => {
                network.write(&folder.network(0))?;
                let trainer = Trainer::from_network(network, config.training.clone(), config.run.seed)?;
                trainer.save(&folder.checkpoint(0))?;
                Ok(Ancestor {
                    folder: path.display().to_string(),
                    run_id: String::new(),
                    network: network.id().to_owned(),
                    generation: network.generation(),
                    games: 0,
                    positions: 0,
                })
            }
        }
    }
}

/// The keys in which two networks differ, a text for each.
fn network_differences(theirs: &NetworkConfig, ours: &NetworkConfig) -> Result<Vec<String>> {
    let (there, here) = (toml::Table::try_from(theirs)?, toml::Table::try_from(ours)?);
    let other = there.iter().filter(|(key, value)| here.get(*key) != Some(*value));
    let differences = other.map(|(key, value)| {
        let ours = here.get(key).map_or_else(|| "nothing".to_owned(), ToString::to_string);
        format!("network.{key}: {value} there, {ours} here")
    });
    Ok(differences.collect())
}

fn refused(from: &Path, reason: String) -> LabError {
    LabError::Branch { ancestor: from.to_owned(), reason }
}

fn of_another_kind(from: &Path, differences: &[String]) -> LabError {
    let list = differences.join("\n  ");
    refused(from, format!("its games or networks are of another kind; set these alike:\n  {list}"))
}

/// A run to begin from, checked against the configuration of the new one.
pub(crate) struct OtherRun {
    folder: RunFolder,
    about: About,
    /// The generation of its newest network.
    generation: u32,
}

impl OtherRun {
    fn open<V: Variant>(folder: &RunFolder, config: &Config) -> Result<OtherRun> {
        let refused = |reason: String| refused(folder.root(), reason);
        let missing = || refused("there is no run: it has no run.json and config.toml".to_owned());
        let about = About::read(folder)?.ok_or_else(missing)?;
        let theirs = Config::load(&folder.config(), &[])?;
        if theirs.variant()?.id() != V::ID {
            return Err(refused(format!("it plays {}, and this run plays {}", theirs.run.variant, V::ID)));
        }
        let mut differences = Vec::new();
        let (their_rules, our_rules) = (theirs.rules.resolve::<V>()?.name(), config.rules.resolve::<V>()?.name());
        if their_rules != our_rules {
            differences.push(format!("rules.preset: {their_rules:?} there, {our_rules:?} here"));
        }
        differences.extend(network_differences(&theirs.network, &config.network)?);
        if !differences.is_empty() {
            return Err(of_another_kind(folder.root(), &differences));
        }
        let trained = events::read(&folder.events())?;
        let trained = trained.iter().filter(|event| matches!(event.stage, Stage::Train(_)));
        let generation = trained.map(|event| event.generation).max();
        let generation = generation.ok_or_else(|| refused("it has not trained a network yet".to_owned()))?;
        Ok(OtherRun { folder: folder.clone(), about, generation })
    }

    /// Takes the newest network over as network 0, with its checkpoint, both checked, and the games as generation 0.
    fn take<V: Variant>(&self, folder: &RunFolder, store: &DataStore) -> Result<Ancestor> {
        let (path, checkpoint) = (self.folder.network(self.generation), self.folder.checkpoint(self.generation));
        // The bytes that were checked are written, even if the files are replaced in between.
        let (bytes, state) = (read_whole(&path)?, read_whole(&checkpoint)?);
        let network = NetworkFile::of_bytes(&path, &bytes)?;
        network.require::<V>(&path)?;
        train::check_checkpoint_bytes(&checkpoint, &state, network.blueprint())?;
        write_whole(&folder.network(0), &bytes)?;
        write_whole(&folder.checkpoint(0), &state)?;
        let mut ancestor = Ancestor {
            folder: self.folder.root().display().to_string(),
            run_id: self.about.run_id.clone(),
            network: network.id().to_owned(),
            generation: self.generation,
            games: 0,
            positions: 0,
        };
        // The footers keep naming the program and settings that made the games.
        let provenance = Provenance {
            config_digest: self.about.config_digest.clone(),
            git_revision: self.about.git_revision.clone(),
        };
        let theirs = DataStore::open_read_only(&self.folder.data())?;
        for shard in theirs.shards(V::ID)? {
            let games: Vec<_> = theirs.read_shard::<V>(&shard)?.into_iter().map(|game| self.renumber(game)).collect();
            // In the order of the other run's generations, which is the order of the training window.
            let name = format!("gen-{:04}-{}", shard.generation, shard.shard);
            let taken = store.commit_shard(0, &name, &games, &provenance)?;
            ancestor.games += taken.games.rows;
            ancestor.positions += taken.positions.rows;
        }
        Ok(ancestor)
    }

    /// The game as one of generation 0. Ids are a function of seed, slot and number, so a game of the new run may have
    /// the same id; this game gets another.
    fn renumber<V: Variant>(&self, mut game: GameRecord<V>) -> GameRecord<V> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.about.run_id.as_bytes()).update(&game.game_id.to_le_bytes());
        let digest = hasher.finalize();
        game.game_id = u64::from_le_bytes(std::array::from_fn(|byte| digest.as_bytes()[byte]));
        game.generation = 0;
        game.positions.iter_mut().for_each(|position| position.generation = 0);
        game
    }
}

/// The ancestor of a run that has begun, if it is what `from` names.
///
/// # Errors
/// The run began from something else, or from nothing.
pub(crate) fn same_ancestor(folder: &RunFolder, from: &Path, ancestor: Option<Ancestor>) -> Result<Ancestor> {
    let is_same = |ancestor: &Ancestor| -> Result<bool> {
        if from.is_file() {
            return Ok(ancestor.run_id.is_empty() && NetworkFile::read(from)?.id() == ancestor.network);
        }
        let given = About::read(&RunFolder::new(from))?.map(|about| about.run_id);
        Ok(given.as_ref() == Some(&ancestor.run_id))
    };
    let began = match ancestor {
        Some(ancestor) if is_same(&ancestor)? => return Ok(ancestor),
        Some(ancestor) => format!("from {}", ancestor.folder),
        None => "from nothing".to_owned(),
    };
    let reason = format!(
        "the run in {} has begun already, {began}; resume without --from, or choose another folder with --set \
         run.folder=…",
        folder.root().display()
    );
    Err(refused(from, reason))
}

/// Refuses to begin from scratch where games of another run were taken over before a kill.
///
/// # Errors
/// There are such games.
pub(crate) fn require_no_other_games<V: Variant>(folder: &RunFolder, store: &DataStore) -> Result<()> {
    if store.shards(V::ID)?.iter().any(|shard| shard.generation == 0) {
        return Err(LabError::HalfBegun { folder: folder.root().to_owned() });
    }
    Ok(())
}
