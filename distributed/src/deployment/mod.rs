//! The plan of a run on many machines, before it begins: the files that a scheduler needs. The example `simulate` is a
//! model of how fast the run will be and what it will cost.
//!
//! The user provides the scheduler. [`slurm`] writes job files and [`kubernetes`] writes manifests for one
//! [`Deployment`]: its workers, its trainer and its referee. Each is a command of `kirin` that knows the run only by
//! its store.
//!
//! This module does no input or output, starts nothing and knows no network, no game and no store. It turns text into
//! text; the program writes the files.
//!
//! # Examples
//! ```
//! use distributed::deployment::{Deployment, Needs, Pace, slurm};
//!
//! let needs = Needs { cpus: 2, memory: "4G".parse()?, gpus: 0 };
//! let deployment = Deployment {
//!     name: "demo".to_owned(),
//!     store: "s3://bucket/demo".to_owned(),
//!     config: "[run]\n".to_owned(),
//!     workers: 8,
//!     worker: needs,
//!     trainer: needs,
//!     referee: needs,
//!     grace: 120,
//!     spool: "1G".parse()?,
//!     pace: Pace::default(),
//! };
//! let files = slurm::files(&deployment, &slurm::Options::default())?;
//! let worker = files.iter().find(|file| file.name == "worker.sbatch").expect("one of the files");
//! assert!(worker.text.contains("#SBATCH --array=0-7\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod kubernetes;
mod memory;
mod shell;
pub mod slurm;

pub use memory::{Memory, NotMemory};
pub use shell::quoted;

use settings::Complaints;

/// A command of `kirin` that a scheduler starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Plays games with the newest network.
    Worker,
    /// Trains networks on the games.
    Trainer,
    /// Plays the matches between networks.
    Referee,
}

settings::named!(Role { Worker = "worker", Trainer = "trainer", Referee = "referee" });

impl Role {
    /// All roles.
    pub const ALL: [Role; 3] = [Role::Worker, Role::Trainer, Role::Referee];
}

/// What one process needs of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Cores.
    pub cpus: u32,
    /// Memory.
    pub memory: Memory,
    /// GPUs, whole ones.
    pub gpus: u32,
}

/// How often processes use the store. For absent values the program's defaults apply.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    /// Seconds after its first game at which a worker closes a shard.
    pub shard_seconds: Option<f64>,
    /// Games after which a worker closes a shard, even before that age.
    pub shard_games: Option<u32>,
    /// Seconds between two looks at a store that had nothing new, for every process.
    pub poll_seconds: Option<f64>,
}

/// A run on many machines.
#[derive(Clone, Debug, PartialEq)]
pub struct Deployment {
    /// The name of the run; jobs are named after it. Lower-case letters, digits and `-`.
    pub name: String,
    /// The store that all processes share, as a URL.
    pub store: String,
    /// The complete configuration of the run, as TOML.
    pub config: String,
    /// Workers, numbered from 0.
    pub workers: u32,
    /// What each worker needs.
    pub worker: Needs,
    /// What the trainer needs.
    pub trainer: Needs,
    /// What the referee needs.
    pub referee: Needs,
    /// Seconds that a process has for its uploads when it is asked to stop.
    pub grace: u32,
    /// Disk space for a worker's shards that are not uploaded yet.
    pub spool: Memory,
    /// How often processes use the store.
    pub pace: Pace,
}

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFile {
    /// Its name, without a folder.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// Name of the configuration file, next to the other files.
pub const CONFIG_FILE: &str = "config.toml";

/// Most workers: as many indexes as an Indexed Job of Kubernetes with a limit for each index may have.
const MOST_WORKERS: u32 = 100_000;

/// Longest name: with a role, an index and the suffix of a pod it must fit into 63 characters.
const LONGEST_NAME: usize = 40;

/// Schemes of stores.
const SCHEMES: [&str; 4] = ["file", "s3", "gs", "az"];

impl Deployment {
    /// What a process of this role needs.
    pub fn needs(&self, role: Role) -> &Needs {
        match role {
            Role::Worker => &self.worker,
            Role::Trainer => &self.trainer,
            Role::Referee => &self.referee,
        }
    }

    /// The name of the job of this role.
    pub fn job(&self, role: Role) -> String {
        format!("{}-{role}", self.name)
    }

    /// The program's arguments for a role, as words of its command line; without a worker's number and folder.
    pub fn arguments(&self, role: Role, config: &str) -> Vec<String> {
        let mut words = [&role.to_string(), config, "--store", &self.store].map(str::to_owned).to_vec();
        let mut tell = |flag: &str, value: Option<String>| {
            if let Some(value) = value {
                words.extend([flag.to_owned(), value]);
            }
        };
        let Pace { shard_seconds, shard_games, poll_seconds } = self.pace;
        tell("--poll-seconds", poll_seconds.map(|seconds| seconds.to_string()));
        if role == Role::Worker {
            tell("--shard-seconds", shard_seconds.map(|seconds| seconds.to_string()));
            tell("--shard-games", shard_games.map(|games| games.to_string()));
            tell("--spool-mb", Some(self.spool.mebibytes().to_string()));
        }
        words
    }

    /// Checks the deployment, and whatever `more` checks.
    ///
    /// # Errors
    /// The complaints; each names the flag of the program.
    pub fn checked(&self, more: impl FnOnce(&mut Complaints)) -> Result<(), Complaints> {
        let mut complaints = Complaints::default();
        self.check(&mut complaints);
        more(&mut complaints);
        complaints.into_result()
    }

    /// Checks the requirements of every scheduler. Each complaint names the flag of the program.
    fn check(&self, complaints: &mut Complaints) {
        if let Some(problem) = label_problem(&self.name, LONGEST_NAME) {
            complaints.say("--name", problem);
        }
        if let Some(problem) = store_problem(&self.store) {
            complaints.say("--store", problem);
        }
        complaints.within("--workers", self.workers, 1, MOST_WORKERS);
        complaints.within("--grace", self.grace, 5, 3600);
        for (flag, seconds) in
            [("--shard-seconds", self.pace.shard_seconds), ("--poll-seconds", self.pace.poll_seconds)]
        {
            if let Some(seconds) = seconds {
                complaints.within(flag, seconds, 0.01, 86_400.0);
            }
        }
        if let Some(games) = self.pace.shard_games {
            complaints.within("--shard-games", games, 1, 1_000_000);
        }
        for role in Role::ALL {
            let flag = |what: &str| match role {
                Role::Worker => format!("--{what}"),
                Role::Trainer | Role::Referee => format!("--{role}-{what}"),
            };
            let needs = self.needs(role);
            complaints.within(&flag("cpus"), needs.cpus, 1, 1024);
            complaints.within(&flag("gpus"), needs.gpus, 0, 64);
        }
    }
}

/// Why a name is not a DNS label (RFC 1123), which Kubernetes requires and every scheduler accepts.
pub fn label_problem(name: &str, longest: usize) -> Option<String> {
    let is_inside = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = name.as_bytes();
    let is_label = bytes.iter().all(|&byte| is_inside(byte) || byte == b'-')
        && bytes.first().is_some_and(u8::is_ascii_lowercase)
        && bytes.last().is_some_and(|&byte| is_inside(byte));
    if !is_label {
        let rule = "use lower-case letters, digits and -, with a letter first and no - at the end";
        return Some(format!("{name:?} is no name of a job; {rule}"));
    }
    (name.len() > longest).then(|| format!("{name:?} has {} characters; at most {longest}", name.len()))
}

/// What is wrong with the URL of a store. Only characters that would be harmful in a job file are rejected, since the
/// store itself is not asked here.
fn store_problem(store: &str) -> Option<String> {
    let shape = "write file:///FOLDER, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or az://CONTAINER/PREFIX";
    let Some((scheme, rest)) = store.split_once("://") else {
        return Some(format!("{store:?} is no URL of a store; {shape}"));
    };
    if !SCHEMES.contains(&scheme) {
        return Some(format!("{scheme:?} is no scheme of a store; {shape}"));
    }
    if rest.contains('@') {
        // The text is not quoted: it may contain a password.
        return Some(
            "credentials do not belong in a URL, which everybody can read; give them in the environment".into(),
        );
    }
    if scheme == "file" && !rest.starts_with('/') {
        return Some(format!("{store:?} is no whole path; write file:///FOLDER"));
    }
    if rest.trim_matches('/').is_empty() {
        return Some(format!("{store:?} names no place; {shape}"));
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~/%+=,".contains(c);
    let odd = rest.chars().find(|&c| !is_plain(c));
    odd.map(|odd| format!("{store:?} has the character {odd:?}; letters, digits and -._~/%+=, are allowed"))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A valid deployment.
    pub fn demo() -> Deployment {
        let needs = |cpus, memory: &str| Needs { cpus, memory: memory.parse().unwrap(), gpus: 0 };
        Deployment {
            name: "demo".to_owned(),
            store: "s3://bucket/demo".to_owned(),
            config: "# A run.\n[run]\nvariant = \"wangqi\"\n".to_owned(),
            workers: 4,
            worker: needs(2, "4G"),
            trainer: needs(8, "16G"),
            referee: needs(1, "2G"),
            grace: 120,
            spool: "1G".parse().unwrap(),
            pace: Pace::default(),
        }
    }

    /// The complaints about a deployment.
    fn complaints(change: impl FnOnce(&mut Deployment)) -> String {
        let mut deployment = demo();
        change(&mut deployment);
        let mut complaints = Complaints::default();
        deployment.check(&mut complaints);
        complaints.to_string()
    }

    #[test]
    fn all_complaints_come_at_once_and_name_the_flag() {
        assert_eq!(complaints(|_| {}), "");
        let all = complaints(|wrong| {
            wrong.name = "My Run".to_owned();
            wrong.store = "bucket".to_owned();
            wrong.workers = 0;
            wrong.grace = 1;
            wrong.worker.cpus = 0;
            wrong.trainer.gpus = 65;
            wrong.pace = Pace { shard_seconds: Some(0.0), shard_games: Some(0), poll_seconds: Some(f64::INFINITY) };
        });
        let flags: Vec<&str> = all.lines().map(|line| line.split(": ").next().unwrap()).collect();
        let expected = [
            "--name",
            "--store",
            "--workers",
            "--grace",
            "--shard-seconds",
            "--poll-seconds",
            "--shard-games",
            "--cpus",
            "--trainer-gpus",
        ];
        assert_eq!(flags, expected, "{all}");
    }

    #[test]
    fn each_role_is_told_what_concerns_it() {
        let pace = Pace { shard_seconds: Some(300.0), shard_games: Some(50), poll_seconds: Some(0.5) };
        let deployment = Deployment { pace, ..demo() };
        let told = |role| deployment.arguments(role, "run.toml").join(" ");
        assert_eq!(told(Role::Trainer), "trainer run.toml --store s3://bucket/demo --poll-seconds 0.5");
        assert_eq!(told(Role::Referee), "referee run.toml --store s3://bucket/demo --poll-seconds 0.5");
        assert_eq!(
            told(Role::Worker),
            "worker run.toml --store s3://bucket/demo --poll-seconds 0.5 --shard-seconds 300 --shard-games 50 \
             --spool-mb 1024"
        );
    }

    #[test]
    fn names_are_labels() {
        for right in ["a", "run-1", "x9"] {
            assert_eq!(label_problem(right, 40), None);
        }
        for wrong in ["", "9", "-a", "a-", "A", "a_b", "a b", "a.b", "é", "a\n"] {
            assert!(label_problem(wrong, 40).is_some(), "{wrong:?}");
        }
        assert_eq!(label_problem("abc", 2).unwrap(), "\"abc\" has 3 characters; at most 2");
    }

    #[test]
    fn stores_are_plain_urls_without_credentials() {
        for right in ["file:///scratch/run", "s3://bucket", "s3://bucket/a/b-c", "gs://b/p", "az://container/p"] {
            assert_eq!(store_problem(right), None, "{right}");
        }
        for wrong in [
            "",
            "bucket",
            "ftp://host/x",
            "s3://",
            "s3:///",
            "file://relative",
            "s3://b/a b",
            "s3://b/$(x)",
            "s3://b/\n",
        ] {
            assert!(store_problem(wrong).is_some(), "{wrong}");
        }
        let secret = store_problem("s3://key:password@bucket/x").unwrap();
        assert!(!secret.contains("password"), "{secret}");
    }
}
