//! A run on many machines, as far as it can be decided before it begins: the files that a scheduler needs. The example
//! `simulate` is a model of how fast the run will be and what it will cost.
//!
//! The scheduler is the user's own. [`slurm`] writes job files and [`kubernetes`] writes manifests for one
//! [`Deployment`]: its workers, its trainer and its referee, each of them a command of `kirin` that knows the run by
//! its store alone.
//!
//! This crate does no input or output, starts nothing and knows no network, no game and no store. Text goes in and
//! comes out; the program writes the files.
//!
//! # Examples
//! ```
//! use cluster::{Deployment, Needs, Pace, slurm};
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

#![forbid(unsafe_code)]

mod deployment;
pub mod kubernetes;
mod memory;
mod shell;
pub mod slurm;

pub use deployment::{Deployment, Needs, Pace, Role, TextFile};
pub use memory::{Memory, NotMemory};
pub use shell::quoted;
