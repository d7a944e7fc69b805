//! `kirin eval table`: ratings over all matches of a folder.

use clap::Args;
use rules::VariantId;
use std::path::PathBuf;

/// Print the ratings of all players in the match logs of a run, or of any folder of logs.
#[derive(Args)]
pub struct Arguments {
    /// A run folder, or a folder with match logs.
    folder: PathBuf,
    /// Only the logs of this variant. Without it, all must be of one.
    #[arg(long, value_parser = crate::commands::variants())]
    variant: Option<VariantId>,
    /// The player whose rating is 0: its name in the table, the path of its network, or 8 digits of its digest.
    #[arg(long)]
    anchor: Option<String>,
    /// Print CSV: ratings, error bars, likelihood of superiority over the next player, and the cross-table.
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// There is no such folder, a log cannot be read, there are no games, or the anchor is none of the players.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let ladder = eval::ladder_of(&super::logs_of(&arguments.folder)?, arguments.variant, arguments.anchor.as_deref())?;
    if arguments.csv {
        print!("{}", ladder.csv());
    } else if arguments.json {
        println!("{}", serde_json::to_string(&ladder)?);
    } else {
        println!("{ladder}");
    }
    Ok(())
}
