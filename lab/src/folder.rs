//! The folder of a run: where its files are, and the lock that keeps two programs from writing to it.

use crate::error::{LabError, Result};
use crate::opponent::Opponent;
use data::durable::is_there;
use data::{LockOwner, bounded, durable};
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Most bytes read of a file that is copied or sent unchanged: the cap of networks and checkpoints.
const MOST_WHOLE_BYTES: u64 = 8 << 30;

/// Name of a generation's shard, where one machine plays.
pub const SHARD: &str = "w0";

/// Reads a file whole.
///
/// # Errors
/// It cannot be read, is no ordinary file, or has more than 8 GiB.
pub fn read_whole(path: &Path) -> Result<Vec<u8>> {
    bounded::read_ordinary(path, MOST_WHOLE_BYTES).map_err(LabError::io("read", path))
}

/// The files in a folder whose names have this extension, sorted; none where there is no such folder.
///
/// # Errors
/// The folder cannot be listed.
pub(crate) fn files_in(folder: &Path, extension: &str) -> std::io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|end| end == extension));
    paths.sort();
    Ok(paths)
}

/// The generation in the name `gen-0003.safetensors`.
pub(crate) fn generation_of(path: &Path) -> Option<u32> {
    path.file_stem()?.to_str()?.strip_prefix("gen-")?.parse().ok()
}

/// The network of the highest generation in a folder of networks, and that generation; `None` where it holds none, or
/// is not there.
///
/// # Errors
/// The folder cannot be listed.
pub fn newest_network(nets: &Path) -> std::io::Result<Option<(u32, PathBuf)>> {
    Ok(networks_in(nets)?.pop_last())
}

/// The networks in a folder of networks by their generations, of which some may have made none.
///
/// # Errors
/// The folder cannot be listed.
pub fn networks_in(nets: &Path) -> std::io::Result<BTreeMap<u32, PathBuf>> {
    let files = files_in(nets, "safetensors")?;
    Ok(files.into_iter().filter_map(|path| Some((generation_of(&path)?, path))).collect())
}

/// Writes a file whole or not at all.
///
/// # Errors
/// It cannot be written, synced or given its name.
pub fn write_whole(path: &Path, content: &[u8]) -> Result<()> {
    Ok(durable::write_atomically(path, |out| out.write_all(content))?)
}

/// Names of files and folders in the folder of a run, and of the objects of a run on many machines.
const OWN: &[&str] = &[
    "run.json",
    "config.toml",
    "plan.jsonl",
    "events.jsonl",
    "metrics.jsonl",
    "slots.json",
    "progress.json",
    "lock",
    "report.html",
    "data",
    "nets",
    "checkpoints",
    "matches",
    "tournament",
    "gathered",
    "damaged",
    "workers",
    "shards",
    "slots",
    "generations",
    "longer",
    "networks",
    "endings",
];

/// Paths of a run.
#[derive(Clone, Debug)]
pub struct RunFolder {
    root: PathBuf,
}

impl RunFolder {
    /// The folder at `root`; nothing is made.
    pub fn new(root: impl Into<PathBuf>) -> RunFolder {
        RunFolder { root: root.into() }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether it is the folder of a run: the files of a run exist in it, whatever their contents.
    ///
    /// # Errors
    /// The system cannot tell.
    pub fn is_run(&self) -> Result<bool> {
        Ok(is_there(&self.about())? || is_there(&self.config())? || is_there(&self.plan())?)
    }

    /// The resolved configuration.
    pub fn config(&self) -> PathBuf {
        self.root.join("config.toml")
    }

    /// What the run is: program version, git revision, seed.
    pub fn about(&self) -> PathBuf {
        self.root.join("run.json")
    }

    /// Finished stages, a JSON line each.
    pub fn events(&self) -> PathBuf {
        self.root.join("events.jsonl")
    }

    /// Planned generations, a JSON line each.
    pub fn plan(&self) -> PathBuf {
        self.root.join("plan.jsonl")
    }

    /// Progress of the stage in progress; for monitoring.
    pub fn progress(&self) -> PathBuf {
        self.root.join("progress.json")
    }

    /// Games and positions.
    pub fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    /// The slots of self-play with their unfinished games, between generations.
    pub fn slots(&self) -> PathBuf {
        self.root.join("slots.json")
    }

    /// The folder of the networks.
    pub fn networks(&self) -> PathBuf {
        self.root.join("nets")
    }

    /// The network of a generation.
    pub fn network(&self, generation: u32) -> PathBuf {
        self.networks().join(format!("gen-{generation:04}.safetensors"))
    }

    /// The training state after a generation.
    pub fn checkpoint(&self, generation: u32) -> PathBuf {
        self.root.join("checkpoints").join(format!("gen-{generation:04}.safetensors"))
    }

    /// Training metrics, a JSON line every few steps.
    pub fn metrics(&self) -> PathBuf {
        self.root.join("metrics.jsonl")
    }

    /// What a trainer has gathered from its store, a file for each generation. Only runs that have used a store have it.
    pub fn gathered(&self) -> PathBuf {
        self.root.join("gathered")
    }

    /// Logs of matches.
    pub fn matches(&self) -> PathBuf {
        self.root.join("matches")
    }

    /// The log of the match of a network with an opponent, for example a network of this generation.
    pub fn match_log(&self, network: u32, opponent: impl Into<Opponent>) -> PathBuf {
        let [network, opponent] = [Opponent::Network(network), opponent.into()].map(Opponent::file_name);
        self.matches().join(format!("{network}-vs-{opponent}.jsonl"))
    }

    /// The folders of the run itself, without those of its data.
    pub fn subfolders(&self) -> [PathBuf; 3] {
        [self.networks(), self.root.join("checkpoints"), self.matches()]
    }

    /// The file whose lock shows that a program works in the folder.
    pub fn lock_file(&self) -> PathBuf {
        self.root.join("lock")
    }

    /// The run or store that a file belongs to, by its path, whether it exists or not; `None` if it belongs to none. A
    /// path in a run's folder whose name is not one of the run's own names is free.
    pub fn owner_of(path: &Path) -> Option<&Path> {
        path.ancestors().skip(1).find(|folder| {
            let run = RunFolder::new(*folder);
            let first = path.strip_prefix(folder).ok().and_then(|rest| rest.iter().next()?.to_str());
            first.is_some_and(|name| OWN.contains(&name))
                && (run.about().exists() || run.plan().exists() || (run.config().exists() && run.events().exists()))
        })
    }

    /// Makes the folder and takes its lock, which is held until the file is dropped.
    ///
    /// # Errors
    /// The folder cannot be made, or another program is working in it.
    pub fn lock(&self) -> Result<File> {
        std::fs::create_dir_all(&self.root).map_err(LabError::io("make the folder", &self.root))?;
        let path = self.lock_file();
        let opened = bounded::open_ordinary(&path, File::options().create(true).truncate(false).write(true));
        let file = opened.map_err(LabError::io("open", &path))?;
        match durable::lock(&file) {
            Ok(()) => {
                LockOwner::sign(&file, &path);
                Ok(file)
            }
            Err(TryLockError::WouldBlock) => {
                Err(LabError::Locked { folder: self.root.clone(), holder: LockOwner::of(&path) })
            }
            Err(TryLockError::Error(error)) => Err(LabError::io("lock", &path)(error)),
        }
    }
}
