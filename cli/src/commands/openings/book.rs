//! Books of openings, from the lines of the explorer.

use crate::commands::data::OpenFolders;
use crate::out;
use clap::{Args, ValueEnum};
use eval::openings::{no_line, tree_in};
use records::book::{obk, yaneuraou};
use report::number::counted;
use rules::{Notation, Rules, Variant};
use std::path::PathBuf;

/// The options of a book.
#[derive(Args)]
pub struct BookArguments {
    /// Write a book to this file: the lines of exactly --depth plies that were played in at least --min-games games, the
    /// most played first. `kirin eval match --openings book:FILE` reads it, and so do other programs.
    #[arg(long, value_name = "FILE", conflicts_with_all = BOOK_HAS_NO)]
    pub book: Option<PathBuf>,
    /// The format of the book.
    #[arg(long, value_enum, default_value_t = BookFormat::Moves, requires = "book", value_name = "FORMAT")]
    book_format: BookFormat,
    /// Choose the moves of the book by minimax over the lines of up to --depth plies that were played in at least
    /// --min-games games. Where a line ends, its position is worth the score of its games, with the 95 % interval
    /// (Wilson). In the positions before it, the side to move takes the best of its moves. A move stays if the lower end
    /// for the player who makes it is at most --margin below that of the best move.
    #[arg(long, requires = "book")]
    minimax: bool,
    /// With --minimax: how much worse than the best one a move of the book may be, in per cent of a game.
    #[arg(long, value_name = "PERCENT", default_value_t = 5.0, value_parser = percent, requires = "minimax")]
    margin: f64,
}

/// Options that a book does not have: it is made from all games.
const BOOK_HAS_NO: [&str; 21] = [
    "moves",
    "fen",
    "notation",
    "setup",
    "to",
    "out",
    "json",
    "from_generation",
    "to_generation",
    "ruleset",
    "source",
    "network",
    "player",
    "event",
    "since",
    "until",
    "min_rating",
    "max_rating",
    "result",
    "min_plies",
    "max_plies",
];

/// A format of books.
#[derive(Clone, Copy, ValueEnum)]
enum BookFormat {
    /// `startpos moves …` in UCI, a line each.
    Moves,
    /// The positions after the lines.
    Epd,
    /// YaneuraOu's DB2016: positions and their moves; only of Shogi.
    Yaneuraou,
    /// A database of positions and their moves for Chinese programs; only of Xiangqi.
    Obk,
}

impl BookFormat {
    /// The notation that variants with such books have.
    fn notation(self) -> Option<&'static str> {
        match self {
            BookFormat::Moves | BookFormat::Epd => None,
            BookFormat::Yaneuraou => Some("usi"),
            BookFormat::Obk => Some("ucci"),
        }
    }
}

fn percent(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|error| format!("{error}"))?;
    if (0.0..=100.0).contains(&number) { Ok(number) } else { Err("it is not between 0 and 100".to_owned()) }
}

impl BookArguments {
    /// Writes the book, if one is asked for, from lines of so many plies and games; `false` if none is.
    ///
    /// # Errors
    /// The games cannot be read, no line has enough of them, the variant has no such format, or the file cannot be
    /// written.
    pub fn write<V: Variant>(&self, open: &OpenFolders, plies: u32, min_games: u64) -> anyhow::Result<bool> {
        let Some(file) = &self.book else { return Ok(false) };
        if let Some(notation) = self.book_format.notation() {
            Notation::<V>::named(notation)?;
        }
        let out = out::file_or_stream("--book", file, &[])?;
        let tree = tree_in::<V>(&open.folders, &open.name, Rules::default(), plies, min_games)?;
        let tree = if self.minimax { tree.minimax(self.margin / 100.0) } else { tree.of_length(plies) };
        if tree.refused() > 0 {
            let lines = counted(tree.refused() as u64, "line is", "lines are");
            eprintln!("note: {lines} left out, with moves that the rule set {} refuses", Rules::<V>::default());
        }
        let lines = tree.lines();
        if lines.is_empty() {
            return Err(no_line(&tree, &open.name, plies, min_games).into());
        }
        let bytes: Vec<u8> = match self.book_format {
            BookFormat::Moves => lines.iter().flat_map(|(opening, _)| (opening.line() + "\n").into_bytes()).collect(),
            BookFormat::Epd => {
                let epd = |(opening, games): &(eval::openings::Opening<V>, u64)| {
                    let comment = format!("{}: {}", counted(*games, "game", "games"), opening.line());
                    (opening.epd(&comment) + "\n").into_bytes()
                };
                lines.iter().flat_map(epd).collect()
            }
            BookFormat::Yaneuraou => yaneuraou::write(&tree.positions())?.into_bytes(),
            BookFormat::Obk => obk::write(&tree.positions())?,
        };
        out.write(|out| out.write_all(&bytes))?;
        let openings = counted(lines.len() as u64, "opening", "openings");
        let most = if self.minimax { "up to " } else { "" };
        println!("{openings} of {most}{}: {}", counted(plies.into(), "ply", "plies"), file.display());
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, Command};

    #[test]
    fn a_book_refuses_every_filter() {
        let filters = crate::commands::data::FilterArguments::augment_args(Command::new("openings"));
        let missing: Vec<_> = filters.get_arguments().map(|filter| filter.get_id().as_str()).collect();
        assert!(missing.len() > 10 && missing.iter().all(|filter| BOOK_HAS_NO.contains(filter)), "{missing:?}");
    }
}
