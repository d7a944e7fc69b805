//! `kirin config`: the configurations that come with Kirin.

use crate::configs::{BUNDLED, named};
use crate::failure::input;
use clap::{Args, Subcommand};
use settings::nearest;

/// List or print the configurations that come with Kirin.
///
/// `kirin run NAME` uses one as it is. To change one, print it into a file and name that. `kirin help KEY` explains a key.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List them, with what each is for.
    List,
    /// Print one, as a file to start from.
    Show {
        /// Its name, such as shogi-laptop. A variant stands for its small one.
        name: String,
    },
}

/// Runs the command.
///
/// # Errors
/// There is no such configuration.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::List => {
            let rows: Vec<Vec<String>> =
                BUNDLED.iter().map(|(name, text)| vec![(*name).to_owned(), about(text)]).collect();
            crate::table::print(&["name", "for"], &rows, &[]);
        }
        Command::Show { name } => match named(name) {
            Some((_, text)) => print!("{text}"),
            None => return Err(input(unknown(name))),
        },
    }
    Ok(())
}

/// What a configuration says of itself: the first sentence of its comment.
fn about(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix('#')).map(str::trim);
    let comment = lines.collect::<Vec<_>>().join(" ");
    comment.split_once(". ").map_or(comment.clone(), |(first, _)| format!("{first}."))
}

/// What is wrong with a name that no configuration has.
pub fn unknown(name: &str) -> String {
    let near = nearest(name, BUNDLED.iter().map(|(known, _)| *known));
    let hint = near.map_or_else(String::new, |near| format!(", did you mean {near}?"));
    format!("no configuration {name} comes with Kirin{hint}; `kirin config list` has them")
}
