//! `kirin eval table`: ratings over all matches of a folder.

use clap::Args;
use std::path::PathBuf;

/// Print the ratings of all players in the match logs of a run (or of any folder of logs).
#[derive(Args)]
pub struct Arguments {
    /// A run folder, or a folder with match logs.
    folder: PathBuf,
    /// The player whose rating is 0.
    #[arg(long)]
    anchor: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let logs = arguments.folder.join("matches");
    let folder = if logs.is_dir() { &logs } else { &arguments.folder };
    let ladder = eval::ladder(folder, arguments.anchor.as_deref())?;
    if arguments.json {
        println!("{}", serde_json::to_string(&ladder)?);
        return Ok(());
    }
    println!("{ladder}");
    Ok(())
}
