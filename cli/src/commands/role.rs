//! What the roles of a run on many machines share: options, numbers and the final message.

use super::run::{Configured, host};
use super::store::StoreOption;
use crate::console::Console;
use crate::failure::{Failure, input};
use clap::Args;
use distributed::store::{Store, StoreEvent};
use distributed::{Left, Post, RunEvent};
use lab::{Config, Host, RunFolder};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Variables in which schedulers give a task its number: arrays of SLURM, Indexed Jobs of Kubernetes.
const INDEX_VARIABLES: [&str; 2] = ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"];

/// Options of every role.
#[derive(Args)]
pub struct RoleOptions {
    #[command(flatten)]
    configured: Configured,
    #[command(flatten)]
    store: StoreOption,
    /// Print nothing but errors.
    #[arg(long)]
    quiet: bool,
}

/// A role that is about to begin.
pub struct Role {
    /// The settings that it was given.
    pub config: Config,
    /// The folder of the run on this machine.
    pub folder: RunFolder,
    /// The store of the run.
    pub store: Store,
    /// The program that plays the role.
    pub host: Host,
    /// The console for its messages.
    pub console: Arc<Console>,
}

impl RoleOptions {
    /// Reads the settings and opens the store.
    ///
    /// # Errors
    /// The config is wrong, the store cannot be opened, or the system refuses to report signals.
    pub fn open(&self) -> anyhow::Result<Role> {
        let (config, folder) = self.configured.load(&[])?;
        let (host, console) = host(self.quiet)?;
        let listener = Arc::clone(&console);
        let store = self.store.open(&host.stop)?.telling(move |event| match event {
            StoreEvent::Answers { .. } => listener.line(&event.to_string()),
            StoreEvent::Waiting { .. } | StoreEvent::Quarantined { .. } => listener.warn(&event.to_string()),
        });
        Ok(Role { config, folder, store, host, console })
    }
}

impl Role {
    /// A folder of this role, next to the folder of the run.
    pub fn own_folder(&self, role: &str, index: u32) -> PathBuf {
        let name = self.folder.root().file_name().unwrap_or_default().to_string_lossy();
        self.folder.root().with_file_name(format!("{name}-{role}-{index}"))
    }

    /// The context of its work; `tell` receives its events.
    pub fn post<'a>(&'a self, tell: &'a dyn Fn(RunEvent)) -> Post<'a> {
        Post { config: &self.config, store: &self.store, host: &self.host, tell }
    }

    /// Prints how the role has ended.
    ///
    /// # Errors
    /// [`Failure::Drained`], if the role was stopped before the run was over.
    pub fn conclude(&self, left: Left) -> anyhow::Result<()> {
        let usage = self.store.usage();
        let used = format!("{} requests to the store, {:.1} s in them", usage.requests, usage.time.as_secs_f64());
        match left {
            Left::Over => {
                self.console.line(&format!("the run is over; {used}"));
                Ok(())
            }
            Left::Stopped => {
                let kept = "stopped; what is finished is kept; resume with the same command";
                Err(Failure::Drained(format!("{kept}; {used}")).into())
            }
        }
    }
}

/// Seconds given on the command line.
///
/// # Errors
/// They are fewer than 0.01, no number, or too many for a [`Duration`].
pub fn seconds(option: &str, seconds: f64) -> anyhow::Result<Duration> {
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if seconds >= 0.01 => Ok(duration),
        _ => Err(input(format!("{option} {seconds} is out of range; 0.01 or more"))),
    }
}

/// The number from the command line, or else the number of the scheduler's task.
///
/// # Errors
/// The scheduler's variable is not a number.
pub fn number(given: Option<u32>) -> anyhow::Result<u32> {
    if let Some(number) = given {
        return Ok(number);
    }
    for variable in INDEX_VARIABLES {
        if let Ok(text) = std::env::var(variable) {
            return text.parse().map_err(|_| input(format!("${variable} is {text:?}, not a number; give --index")));
        }
    }
    Ok(0)
}
