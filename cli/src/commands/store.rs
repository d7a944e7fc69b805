//! `kirin store`: examines the store that the machines of a run share.

use crate::failure::Failure;
use anyhow::Context;
use clap::{Args, Subcommand};
use distributed::store::{RetryPolicy, Store};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Examine the store of a run on many machines.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Doctor(Doctor),
}

/// Prove that a store can hold a run: that an object is never replaced, is read back as soon as it is uploaded, and is
/// listed.
///
/// Some objects are uploaded under doctor/ and removed afterwards. A folder that is missing is created for this and removed
/// again. The exit code is 0 if the store can hold a run, and 78 if the store cannot hold a run or refuses the credentials.
#[derive(Args)]
struct Doctor {
    /// file:///folder, s3://bucket/prefix, gs://bucket/prefix or az://container/prefix.
    url: String,
}

/// Where the objects of a run are.
#[derive(Args)]
pub struct StoreOption {
    /// The store that all machines of the run share: file:///folder, s3://bucket/prefix, gs://bucket/prefix or
    /// az://container/prefix. Credentials come from the environment.
    #[arg(long, value_name = "URL")]
    store: String,
}

impl StoreOption {
    /// The store. Once `stop` is set, a request that fails is hardly tried again.
    ///
    /// # Errors
    /// As for [`Store::open_with`].
    pub fn open(&self, stop: &Arc<AtomicBool>) -> anyhow::Result<Store> {
        Ok(Store::open_with(&self.store, RetryPolicy::default(), Arc::clone(stop))?)
    }
}

/// Runs the command.
///
/// # Errors
/// The store cannot be opened or examined to the end, or has a fault.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let Command::Doctor(Doctor { url }) = &arguments.command;
    // A person waits for the result, so requests are not retried for long.
    let retry_policy = RetryPolicy::of(std::time::Duration::from_secs(5));
    let store = Store::open_with(url, retry_policy, Arc::default())?;
    let examination = distributed::store::examine(&store);
    for finding in &examination.findings {
        let milliseconds = finding.took.as_millis();
        match &finding.fault {
            None => println!("ok     {} ({milliseconds} ms)", finding.what),
            Some(fault) => println!("FAULT  {}: {fault}", finding.what),
        }
    }
    if let Some((objects, error)) = &examination.left_behind {
        println!(
            "note   objects of this examination cannot be removed ({error}); a run removes nothing, so it does not matter. Left \
             behind: {}",
            objects.join(", ")
        );
    }
    if let Some(error) = examination.broke_off {
        return Err(error).with_context(|| format!("cannot examine {url} to the end"));
    }
    match examination.findings.iter().all(|finding| finding.fault.is_none()) {
        true => {
            println!("{url} can hold a run");
            Ok(())
        }
        false => Err(Failure::Input(format!("{url} cannot hold a run; use another store")).into()),
    }
}
