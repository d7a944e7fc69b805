//! Bars in tables: results as an opening explorer shows them, and plain shares.

use crate::number::ABSENT;
use maud::{Markup, html};

/// Below this share, in per cent, a part of a bar has no room for its figure.
const ROOM: f64 = 17.0;

/// Finished games by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// Won by the first player.
    pub first: u64,
    /// Drawn.
    pub draws: u64,
    /// Won by the second player.
    pub second: u64,
}

impl Results {
    /// Number of games.
    pub fn games(self) -> u64 {
        self.first + self.draws + self.second
    }
}

/// First player's wins, draws and second player's wins side by side, each with its share.
pub fn bar(results: Results) -> Markup {
    let all = results.games();
    if all == 0 {
        return html! { (ABSENT) };
    }
    let parts = [("first", results.first), ("draws", results.draws), ("second", results.second)];
    let label = format!("{} first, {} drawn, {} second", results.first, results.draws, results.second);
    html! {
        div.results title=(label) role="img" aria-label=(label) {
            @for (class, games) in parts {
                @let per_cent = 100.0 * games as f64 / all as f64;
                @if games > 0 {
                    span class=(class) style=(format!("width:{per_cent:.2}%")) {
                        @if per_cent >= ROOM { (format!("{per_cent:.0}%")) }
                    }
                }
            }
        }
    }
}

/// One share of a whole.
pub fn share(part: u64, whole: u64) -> Markup {
    let per_cent = 100.0 * part as f64 / whole.max(1) as f64;
    html! { div.share { span style=(format!("width:{per_cent:.2}%")) {} } }
}
