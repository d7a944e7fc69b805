//! `kirin serve`: Kirin Studio, in the browser.

use crate::signals;
use anyhow::Context;
use clap::Args;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use studio::{Studio, StudioConfig};

/// Watch, explore, play and analyse in the browser.
///
/// It starts a web server for this machine alone and prints its link. The pages show runs in progress, the openings of
/// any games, boards to play and to analyse on, and matches. Ctrl-C ends it.
///
/// Runs, data and match logs are found in the named folders and three levels below them; no file outside of what is
/// named is read, and none is written but temporary copies of the games of matches. Without a name it shows what is in
/// `runs`, if there is such a folder.
///
/// With --listen others can reach the server. Then the link has a random token, and requests without it are refused. The
/// connection is not encrypted.
#[derive(Args)]
pub struct Arguments {
    /// Runs, data, match logs (NAME.jsonl), or folders of these [default: runs].
    #[arg(value_name = "SOURCE")]
    sources: Vec<PathBuf>,
    /// The port; 0 takes one that is free.
    #[arg(long, default_value_t = 7878)]
    port: u16,
    /// The address to listen on; 0.0.0.0 is every one of this machine.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,
    /// Most searches at the same time; others wait [default: one for each core, fewer if memory is short].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    searches: Option<u32>,
    /// Open the link in the browser.
    #[arg(long)]
    open: bool,
}

/// The folder that is shown where none is named.
const DEFAULT_FOLDER: &str = "runs";

/// Runs the command.
///
/// # Errors
/// A source cannot be read or is none, the address cannot be had, or the system refuses to report signals.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let stop = signals::stop_flag()?;
    let mut sources = arguments.sources.clone();
    let default = PathBuf::from(DEFAULT_FOLDER);
    if sources.is_empty() && default.is_dir() {
        sources.push(default);
    }
    let listen = SocketAddr::new(arguments.listen, arguments.port);
    let searches = arguments.searches.unwrap_or(0) as usize;
    let studio = Studio::open(&StudioConfig { sources, listen, searches })?;
    println!("Kirin Studio: {}", studio.address());
    if arguments.open
        && let Err(error) = open::that_detached(studio.address())
    {
        eprintln!("no browser can be opened here ({error}); open the link yourself");
    }
    studio.serve(&stop).context("Kirin Studio")
}
