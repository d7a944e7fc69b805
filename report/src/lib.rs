//! The report of a run, or of games from other sources: one HTML page that loads no other file.
//!
//! [`Facts`] reads a run folder, and [`Sources`] games of imports, matches and several sources together. `page` hands
//! each section what it draws; a section is a file and knows nothing of the page or of the other sections. Where
//! something is missing or cannot be read, its section says so, and the rest of the page is drawn all the same.
//!
//! ```no_run
//! use report::Facts;
//! use std::path::Path;
//!
//! let run = Path::new("runs/wangqi-smoke");
//! report::write(&report::page_in(run)?, &Facts::read(run)?)?;
//! # Ok::<(), report::ReportError>(())
//! ```

#![forbid(unsafe_code)]

mod bar;
mod chart;
mod cross;
mod curves;
mod endings;
mod error;
pub mod explorer;
mod facts;
mod folder_games;
mod games;
pub mod health;
pub mod lines;
mod losses;
mod metrics;
pub mod number;
mod openings;
mod page;
mod pieces;
mod ratings;
mod sizes;
mod sources;
mod speed;
mod standings;
mod strength;
mod times;
mod whiskers;

pub use curves::write as write_curves;
pub use error::ReportError;
pub use facts::{Facts, name_of};
pub use folder_games::{FolderGames, games_in};
pub use metrics::write as write_metrics;
pub use page::{STYLE, is_uncertain};
pub use ratings::{Rating, Ratings, read as ratings};
pub use sizes::FileSizes;
pub use sources::Sources;
pub use times::StageTimes;

use data::Output;
use std::path::Path;

/// Name of the page in a folder.
pub const FILE: &str = "report.html";

/// The page in a folder, or beside a match log under its name.
///
/// # Errors
/// Something else has its name there.
pub fn page_in(source: &Path) -> Result<Output, ReportError> {
    let page = if source.is_file() { source.with_extension("html") } else { source.join(FILE) };
    Ok(Output::new(&page)?)
}

/// Writes the page of a run.
///
/// # Errors
/// The page cannot be written.
pub fn write(out: &Output, facts: &Facts) -> Result<(), ReportError> {
    let html = page::page(facts)?.into_string();
    Ok(out.write(|file| file.write_all(html.as_bytes()))?)
}

/// Writes the page of games that are not one run.
///
/// # Errors
/// The page cannot be written.
pub fn write_sources(out: &Output, sources: &Sources) -> Result<(), ReportError> {
    let html = page::sources_page(sources).into_string();
    Ok(out.write(|file| file.write_all(html.as_bytes()))?)
}

#[cfg(test)]
mod tests;
