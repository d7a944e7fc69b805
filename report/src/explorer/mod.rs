//! The opening explorer of the page: the data for the scripts next to this file, computed here and embedded as JSON.
//!
//! The scripts know no rules. They are told every position as the squares that differ from the one before, and every move
//! in UCI and, where the variant has one, in its native notation. `data.js` is the only script that knows this JSON: the
//! others ask it through an interface of a few methods, so that a server can answer them as well.
//!
//! However many games there are, the page has at most 2,500 lines of at most [`DEPTH`] plies, as many that are summed over
//! the setups where games began from several, rows of a bounded number of games, which filters count again, and 64 whole
//! games of 5,000 plies in all.

pub mod board;
mod changes;
mod counted;
pub mod facets;
mod games;
mod tree;

pub use changes::View;
pub use counted::{number, values_of};

use super::pieces::absent;
use crate::error::ReportError;
use crate::number::count;
use board::Board;
use counted::Counted;
use data::{CountedGame, GameFolders, GameSource, OpeningQuery, OpeningTable};
use games::Game;
use maud::{Markup, PreEscaped, html};
use rules::{Notation, Variant};
use serde::Serialize;
use std::collections::BTreeSet;
use tree::Start;

/// Longest line of the tree, in plies.
pub const DEPTH: u32 = 10;
/// A line counts if at least one game in this many played it.
const RARE: u64 = 2000;
/// Most lines of the tree; the most played ones are kept.
const LINES: usize = 2500;
/// Most sample games, and most plies of all of them together.
const GAMES: usize = 64;
const PLIES: usize = 5000;

/// What draws boards, trees, games and filters, in the order in which the scripts build on one another. They make no
/// element of the page by themselves.
macro_rules! components {
    ($($more:literal)*) => {
        concat!(
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
            include_str!("filters.js"),
            include_str!("development.js"),
            include_str!("links.js"),
            include_str!("explorer.js"),
            $(include_str!($more),)*
        )
    };
}

/// The scripts of boards, trees and games, for pages that say themselves what they show.
pub const COMPONENTS: &str = components!();

/// The scripts of the report, which are one module.
pub const SCRIPT: &str = components!("page.js");

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
    /// The tree of all start positions together, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    sum: Option<Start>,
    /// The games that filters choose from.
    counted: Counted,
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
    /// Games that filters choose from.
    counted: usize,
    /// What the sample games are taken from in turn.
    #[serde(skip)]
    turns: &'static str,
}

impl Explorer {
    /// The openings of all games of a variant in some folders, which people know by these names: the table of the
    /// openings, summed over the setups of the players, and all that the page shows of them. The table has lines of up
    /// to [`DEPTH`] plies. A line counts if at least one game in 2,000 played it.
    ///
    /// # Errors
    /// A shard cannot be read; a stored move is not legal.
    pub fn read<V: Variant>(
        folders: &GameFolders,
        names: &[String],
    ) -> Result<(OpeningTable, Result<Explorer, ReportError>), ReportError> {
        let games: u64 = folders.shards(V::ID)?.iter().map(|shard| shard.entry.games.rows).sum();
        let min_games = (games / RARE).max(1);
        let query =
            OpeningQuery { min_games, depth: DEPTH, over_setups: !V::SETUPS.is_empty(), ..OpeningQuery::new(V::ID) };
        let (mut table, counted) = folders.openings_with_games(&query, counted::MOST)?;
        if table.starts.len() < 2 {
            let explorer = Explorer::of::<V>(folders, names, &table, None, &counted, min_games);
            return Ok((table, explorer));
        }
        let mut apart = table.clone();
        apart.rows.retain(|row| row.games >= min_games);
        table.sum_setups(min_games);
        let explorer = Explorer::of::<V>(folders, names, &apart, Some(&table), &counted, min_games);
        Ok((table, explorer))
    }

    /// `table` has the lines of each start position, `sum` those of all together, if there are several.
    fn of<V: Variant>(
        folders: &GameFolders,
        names: &[String],
        table: &OpeningTable,
        sum: Option<&OpeningTable>,
        counted: &[CountedGame],
        min_games: u64,
    ) -> Result<Explorer, ReportError> {
        let native = Notation::<V>::native();
        let samples = folders.sample_games::<V>(GAMES, PLIES)?;
        let is_selfplay = samples.iter().any(|of| GameSource::of_run(&of.record.run_id) == GameSource::SelfPlay);
        let mut games =
            samples.iter().map(|sample| Game::of(sample, names, native)).collect::<Result<Vec<_>, ReportError>>()?;
        let mut used = BTreeSet::new();
        for game in &mut games {
            while !used.insert(game.id.clone()) {
                game.id.push('+');
            }
        }
        let starts = tree::starts(table, LINES, native)?;
        let sum = sum.map(|table| tree::sum(table, LINES, native)).transpose()?;
        Ok(Explorer {
            board: Board::of::<V>(native),
            limits: Limits {
                depth: DEPTH,
                min_games,
                lines: table.rows.len().min(LINES),
                all_lines: table.rows.len(),
                games: GAMES,
                plies: PLIES,
                counted: counted.len(),
                turns: turns(is_selfplay, names.len()),
            },
            counted: Counted::of(counted, table.games, &starts, sum.as_ref(), names),
            starts,
            sum,
            games,
        })
    }

    /// Whether there is a game to look at.
    pub fn has_games(&self) -> bool {
        !self.games.is_empty()
    }

    /// The JSON for a script element: no `<` in it can end the element.
    ///
    /// # Errors
    /// A number cannot be written.
    pub fn json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string(self)?.replace('<', "\\u003c"))
    }
}

/// The place of the explorer in the page, and its data.
pub fn markup(explorer: &Result<Explorer, String>) -> Markup {
    let json = explorer.as_ref().map_err(String::clone).and_then(|explorer| {
        let limits = &explorer.limits;
        Ok((explorer.json().map_err(|error| error.to_string())?, limits, explorer.counted.all))
    });
    match json {
        Err(problem) => absent(&format!("The boards cannot be drawn: {problem}.")),
        Ok((json, limits, counted)) => html! {
            div.explorer id="explorer" {
                noscript { p.note { "Boards and the tree to click through need JavaScript; the tables below do not." } }
            }
            script type="application/json" id="explorer-data" { (PreEscaped(json)) }
            p.note { (cut_offs(limits, counted)) }
        },
    }
}

/// Where the tree and the sample end, for people; `counted` is the number of all games that openings count.
fn cut_offs(limits: &Limits, counted: u64) -> String {
    let mut text = format!("A tree has lines of up to {} plies", limits.depth);
    if limits.min_games > 1 {
        text += &format!(" that were played in at least {} games", count(limits.min_games));
    }
    if limits.all_lines > limits.lines {
        let (shown, all) = (count(limits.lines as u64), count(limits.all_lines as u64));
        text += &format!(", and of {all} such lines the {shown} that were played most");
    }
    text += ".";
    if counted > limits.counted as u64 {
        text += &format!(
            " With a filter, the explorer counts {} of the {} games, evenly chosen; kirin openings counts all.",
            count(limits.counted as u64),
            count(counted)
        );
    }
    text + &format!(
        " The sample is at most {} games, {} plies in all, {}of each first move one in turn.",
        limits.games,
        count(limits.plies as u64),
        limits.turns
    )
}

/// What the sample games of so many sources are taken from in turn, for people. Only self-play has generations.
fn turns(is_selfplay: bool, sources: usize) -> &'static str {
    match (is_selfplay, sources) {
        (true, 0 | 1) => "of every generation in turn (of at most 64, evenly spread), and in it ",
        (true, _) => "of every generation of every source in turn (of at most 64, evenly spread), and in it ",
        (false, 0 | 1) => "",
        (false, _) => "of every source in turn, and in it ",
    }
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
    fn only_self_play_has_generations() {
        assert!([1, 2].iter().all(|&sources| super::turns(true, sources).contains("generation")));
        assert!([1, 2].iter().all(|&sources| !super::turns(false, sources).contains("generation")));
    }

    #[test]
    fn no_script_ends_its_element() {
        assert!(!super::SCRIPT.contains("</script") && !super::SCRIPT.contains("<!--"));
    }
}
