//! The opening explorer of the page: the data for the scripts next to this file, computed here and embedded as JSON.
//!
//! The scripts know no rules. They are told every position as the squares that differ from the one before, and every move
//! in UCI and, where the variant has one, in its native notation. `data.js` is the only script that knows this JSON: the
//! others ask it through an interface of five methods, so that a server can answer them as well.

mod board;
mod changes;
mod games;
mod tree;

use super::pieces::absent;
use crate::error::ReportError;
use crate::number::count;
use board::Board;
use data::{DataStore, OpeningTable};
use games::Game;
use maud::{Markup, PreEscaped, html};
use rules::{Notation, Variant};
use serde::Serialize;
use tree::Start;

/// Longest line of the tree, in plies.
pub const DEPTH: u32 = 10;
/// Most lines of the tree; the most played ones are kept.
const LINES: usize = 2500;
/// Most sample games, and most plies of all of them together.
const GAMES: usize = 16;
const PLIES: usize = 4000;

/// The scripts in the order in which they build on one another. In the page they are one module.
pub const SCRIPT: &str = concat!(
    include_str!("data.js"),
    include_str!("elements.js"),
    include_str!("variants.js"),
    include_str!("pieces.js"),
    include_str!("grid.js"),
    include_str!("zoom.js"),
    include_str!("board.js"),
    include_str!("tree.js"),
    include_str!("graph.js"),
    include_str!("game.js"),
    include_str!("explorer.js"),
);

/// The style sheet of the explorer.
pub const STYLE: &str = include_str!("explorer.css");

/// All that the explorer shows, as its scripts get it.
#[derive(Debug, Serialize)]
pub struct Explorer {
    board: Board,
    /// Where the tree and the sample were cut off.
    limits: Limits,
    /// The trees, one for each start position; the one with most games first.
    starts: Vec<Start>,
    /// Sample games.
    games: Vec<Game>,
}

/// Where the tree and the sample were cut off.
#[derive(Debug, Serialize)]
struct Limits {
    /// Longest line in plies.
    depth: u32,
    /// Lines with fewer games are left out.
    min_games: u64,
    /// Lines in the tree.
    lines: usize,
    /// Lines that would be there if their number had no limit.
    all_lines: usize,
    /// Most sample games.
    games: usize,
    /// Most plies of all sample games together.
    plies: usize,
}

impl Explorer {
    /// The openings of a table with lines of up to [`DEPTH`] plies, each with at least `min_games` games, and a few games
    /// of the same store.
    ///
    /// # Errors
    /// A shard cannot be read; a stored move is not legal.
    pub fn of<V: Variant>(store: &DataStore, table: &OpeningTable, min_games: u64) -> Result<Explorer, ReportError> {
        let native = native::<V>();
        let samples = store.sample_games::<V>(0..=u32::MAX, GAMES, PLIES)?;
        Ok(Explorer {
            board: Board::of::<V>(native),
            limits: Limits {
                depth: DEPTH,
                min_games,
                lines: table.rows.len().min(LINES),
                all_lines: table.rows.len(),
                games: GAMES,
                plies: PLIES,
            },
            starts: tree::starts(table, LINES, native)?,
            games: samples.iter().map(|sample| Game::of(sample, native)).collect::<Result<_, ReportError>>()?,
        })
    }

    /// The JSON for a script element: no `<` in it can end the element.
    fn json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string(self)?.replace('<', "\\u003c"))
    }
}

/// The notation that players of the variant write, recognised by its native characters; `None` where the variant has UCI
/// alone.
fn native<V: Variant>() -> Option<&'static Notation<V>> {
    V::NOTATIONS.iter().find(|notation| !notation.example.is_ascii())
}

/// The place of the explorer in the page, and its data.
pub fn markup(explorer: &Result<Explorer, String>) -> Markup {
    let json = explorer.as_ref().map_err(String::clone).and_then(|explorer| {
        let limits = &explorer.limits;
        Ok((explorer.json().map_err(|error| error.to_string())?, limits))
    });
    match json {
        Err(problem) => absent(&format!("The boards cannot be drawn: {problem}.")),
        Ok((json, limits)) => html! {
            div.explorer id="explorer" {
                noscript { p.note { "Boards and the tree to click through need JavaScript; the tables below do not." } }
            }
            script type="application/json" id="explorer-data" { (PreEscaped(json)) }
            p.note { (cut_offs(limits)) }
        },
    }
}

/// Where the tree and the sample end, for people.
fn cut_offs(limits: &Limits) -> String {
    let mut text = format!("The tree has lines of up to {} plies", limits.depth);
    if limits.min_games > 1 {
        text += &format!(" that were played in at least {} games", count(limits.min_games));
    }
    if limits.all_lines > limits.lines {
        let (shown, all) = (count(limits.lines as u64), count(limits.all_lines as u64));
        text += &format!(", and of {all} such lines the {shown} that were played most");
    }
    text + &format!(
        ". The sample is at most {} games, {} plies in all, of the newest generation: of each first move one in turn.",
        limits.games,
        count(limits.plies as u64)
    )
}

#[cfg(test)]
mod tests {
    use rules::VariantId;
    use std::path::Path;

    #[test]
    fn only_one_script_names_variants() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/explorer");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let scripts = files.filter(|path| path.extension().is_some_and(|extension| extension == "js"));
        let naming = scripts.filter(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            let mut words = text.split(|character: char| !character.is_alphanumeric());
            words.any(|word| word.parse::<VariantId>().is_ok())
        });
        let names: Vec<_> = naming.map(|path| path.file_name().unwrap().to_owned()).collect();
        assert_eq!(names, ["variants.js"]);
    }

    #[test]
    fn no_script_ends_its_element() {
        assert!(!super::SCRIPT.contains("</script") && !super::SCRIPT.contains("<!--"));
    }
}
