//! The report of a run or of a folder of matches: one HTML page that loads no other file.
//!
//! [`Facts`] reads the run folder. `page` hands each section what it draws; a section is a file and knows nothing of
//! the page or of the other sections. Where something is missing or cannot be read, its section says so, and the rest of
//! the page is drawn all the same.

#![forbid(unsafe_code)]

mod bar;
mod chart;
mod cross;
mod curves;
mod endings;
mod error;
mod explorer;
mod facts;
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
mod speed;
mod standings;
mod strength;
mod times;
mod whiskers;

pub use curves::write as write_curves;
pub use error::ReportError;
pub use facts::Facts;
pub use metrics::write as write_metrics;
pub use page::is_uncertain;
pub use ratings::{Rating, Ratings, read as ratings};
pub use sizes::FileSizes;
pub use times::StageTimes;

use data::Output;
use eval::Standings;
use std::path::{Path, PathBuf};

/// Name of the page in the run folder.
pub const FILE: &str = "report.html";

/// Writes the page of a run, whose facts were read from `run_folder`, and returns its path.
///
/// # Errors
/// The page cannot be written.
pub fn write(run_folder: &Path, facts: &Facts) -> Result<PathBuf, ReportError> {
    let html = page::page(facts)?.into_string();
    let path = run_folder.join(FILE);
    Output::new(&path)?.write(|file| file.write_all(html.as_bytes()))?;
    Ok(path)
}

/// Writes the page of a folder of matches into it, and returns its path.
///
/// # Errors
/// The page cannot be written.
pub fn write_matches(folder: &Path, standings: Standings) -> Result<PathBuf, ReportError> {
    let html = page::matches_page(&facts::name_of(folder), standings).into_string();
    let path = folder.join(FILE);
    Output::new(&path)?.write(|file| file.write_all(html.as_bytes()))?;
    Ok(path)
}

#[cfg(test)]
mod tests;
