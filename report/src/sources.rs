//! What a page of games shows that are not one run: imports, matches, and several sources together.

use crate::bar::{Results, bar};
use crate::endings;
use crate::error::ReportError;
use crate::explorer::Explorer;
use crate::facts::openings_of;
use crate::number::{ABSENT, count, fixed, share};
use crate::pieces::{absent, tile};
use data::{GameFolders, GenerationSummary, OpeningTable};
use eval::Standings;
use maud::{Markup, html};
use rules::VariantId;

/// Games of one variant from some sources. A part that cannot be read is the reason why, as a sentence.
#[derive(Debug)]
pub struct Sources {
    /// The variant.
    pub variant: VariantId,
    /// The names of the sources.
    pub names: Vec<String>,
    /// Games of each generation by result and by the reason they ended, those of all sources together.
    pub summary: Vec<GenerationSummary>,
    /// Opening statistics.
    pub openings: Result<OpeningTable, String>,
    /// The openings with boards; none where there is no game.
    pub explorer: Option<Result<Explorer, String>>,
    /// Ratings and results of the players, for each source that is a folder of matches.
    pub standings: Vec<(String, Standings)>,
}

impl Sources {
    /// Reads the games of a variant in folders that people know by these names, as many as there are folders.
    ///
    /// # Errors
    /// A folder cannot be read or is damaged.
    pub fn read(
        variant: VariantId,
        folders: &GameFolders,
        names: Vec<String>,
        standings: Vec<(String, Standings)>,
    ) -> Result<Sources, ReportError> {
        let summary = folders.summary(variant.id(), 0..=u32::MAX)?;
        let (openings, explorer) = openings_of(variant, folders, &names);
        Ok(Sources { variant, names, summary, openings, explorer, standings })
    }

    /// Number of games, duplicates counted once.
    pub fn games(&self) -> u64 {
        self.summary.iter().map(|generation| generation.games).sum()
    }

    /// All games by result.
    fn results(&self) -> Results {
        let sum = |of: fn(&GenerationSummary) -> u64| self.summary.iter().map(of).sum();
        Results {
            first: sum(|generation| generation.first_wins),
            draws: sum(|generation| generation.draws),
            second: sum(|generation| generation.first_losses),
        }
    }

    fn mean_plies(&self) -> Option<f64> {
        let plies: f64 = self.summary.iter().map(|generation| generation.mean_plies * generation.games as f64).sum();
        (self.games() > 0).then(|| plies / self.games() as f64)
    }

    /// The main figures.
    pub fn tiles(&self) -> Markup {
        let results = self.results();
        html! {
            dl.tiles {
                (tile("games", &count(self.games())))
                (tile("mean plies", &self.mean_plies().map_or_else(|| ABSENT.to_owned(), |plies| fixed(plies, 0))))
                (tile("won by the first player", &share(results.first, results.games())))
                (tile("drawn", &share(results.draws, results.games())))
            }
        }
    }

    /// Section: results, and why the games ended.
    pub fn section(&self) -> Markup {
        if self.games() == 0 {
            return absent("There are no games.");
        }
        html! {
            div.columns {
                @if self.summary.len() > 1 { (self.by_generation()) } @else { div { h3 { "Results" } (bar(self.results())) } }
                (endings::of_generations(&self.summary))
            }
        }
    }

    fn by_generation(&self) -> Markup {
        html! {
            div.scroll {
                table {
                    thead {
                        tr { th.n { "Generation" } th.n { "Games" } th.n { "Plies" } th.wide { "First won, drawn, second won" } }
                    }
                    tbody {
                        @for row in &self.summary {
                            tr {
                                td.n { (row.generation) }
                                td.n { (count(row.games)) }
                                td.n { (fixed(row.mean_plies, 1)) }
                                td.wide {
                                    (bar(Results { first: row.first_wins, draws: row.draws, second: row.first_losses }))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
