//! The report of a run, or of a folder of matches: one HTML page that needs nothing but itself.
//!
//! [`Facts`] reads the run folder, [`page`] draws what was read, a file per section. What is missing or cannot
//! be read is said in its section; the rest of the page is there all the same.

mod bar;
mod chart;
mod cross;
mod facts;
mod games;
pub mod lines;
mod losses;
pub mod number;
mod openings;
mod page;
mod ratings;
mod sizes;
mod speed;
mod standings;
mod strength;
mod times;
mod whiskers;

pub use facts::{Facts, FileSizes};
pub use ratings::{Rating, Ratings};
pub use times::StageTimes;

use eval::Standings;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Name of the page in the run folder.
pub const FILE: &str = "report.html";

/// Writes the page of a run, whose facts were read from `run_folder`, and returns its path.
///
/// # Errors
/// The page cannot be written.
pub fn write(run_folder: &Path, facts: &Facts) -> anyhow::Result<PathBuf> {
    let html = page::page(facts)?.into_string();
    let path = run_folder.join(FILE);
    data::durable::write_atomically(&path, |file| file.write_all(html.as_bytes()))?;
    Ok(path)
}

/// Writes the page of a folder of matches into it, and returns its path.
///
/// # Errors
/// The page cannot be written.
pub fn write_matches(folder: &Path, standings: Standings) -> anyhow::Result<PathBuf> {
    let html = page::matches_page(&facts::name_of(folder), standings).into_string();
    let path = folder.join(FILE);
    data::durable::write_atomically(&path, |file| file.write_all(html.as_bytes()))?;
    Ok(path)
}

#[cfg(test)]
mod tests;
