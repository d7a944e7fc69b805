//! `kirin openings`: an opening explorer over self-play games, in the terminal.

mod book;
mod lines;
mod setups;
mod tables;

pub use tables::{print, print_starts};

use super::data::{
    FilterArguments, FolderArguments, OpenFolders, doubled_line, filter_json, left_out_lines, none_left,
};
use crate::failure::input;
use crate::format::Format;
use anyhow::Context;
use book::BookArguments;
use clap::Args;
use data::{FigureColumn, OpeningOrigin, OpeningQuery, OpeningRow, OpeningTable};
use lines::{Origins, ShownLine};
use report::lines::{continuations, counted_games, lines_after, most_played};
use report::number::{count, counted};
use rules::{Notation, Position, Variant};
use serde::Serialize;
use setups::SetupChoice;
use std::path::PathBuf;

/// Show which openings were played, how often and with what success.
///
/// The first table lists the moves that were played in the start position, or in the position after --moves. Its column
/// "games" counts the games that arrived by exactly these moves, and "reaching" those that arrived by any moves. Games that
/// begin with random moves, near the end of an earlier game or from another position do not show which moves players choose
/// at the start, so only "reaching" counts them, from their first searched position on. Then follow the shares of games that
/// the first player won, that were drawn and that the second player won. The score is that of the player who makes the move,
/// in per cent with its 95 % interval; a draw counts one half.
///
/// The second table shows the most played lines as a tree. Both tables name the openings of the players, in the native
/// language and in English. With --fen the lines begin in another position, which games may reach by any moves.
///
/// In Janggi the lines are summed over the setups, which have a table of their own; --setup chooses some of them.
///
/// A narrow terminal shows fewer columns; --to and --json give all figures.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    folders: FolderArguments,
    /// Moves to play first, separated by spaces, in any notation of the variant.
    #[arg(long, default_value = "", hide_default_value = true)]
    moves: String,
    /// The position to begin with, in FEN or a native format (SFEN): the games that reached it by any moves are counted
    /// [default: the start of the games].
    #[arg(long)]
    fen: Option<String>,
    /// The notation of the moves that are printed, and of --moves where several could read them.
    #[arg(long, default_value = "uci")]
    notation: String,
    /// Only games from this setup of the first player, such as `inner`; `inner,outer` names that of the second player
    /// too, and `any` stands for all. With `each` lines from different setups are not summed.
    #[arg(long, value_name = "SETUP", conflicts_with = "fen")]
    setup: Option<String>,
    /// Length of the lines in plies, counted from the position shown.
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=200))]
    depth: u32,
    /// Leave out lines that were played in fewer games.
    #[arg(long, default_value_t = 1)]
    min_games: u64,
    /// Rows of the table of lines. The moves of the position are all listed in any case, and csv, jsonl and parquet
    /// have all lines.
    #[arg(long, default_value_t = 24)]
    limit: usize,
    #[command(flatten)]
    book: BookArguments,
    /// The format of the answer. All but the table have a row for each line, with its moves in UCI and in --notation.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    to: Format,
    /// The file to write; `-` is standard output.
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: PathBuf,
    /// Print JSON.
    #[arg(long, conflicts_with_all = ["to", "out"])]
    json: bool,
    #[command(flatten)]
    games: FilterArguments,
}

/// Runs the command.
///
/// # Errors
/// The folders cannot be read or are damaged, a condition, a position or a move is wrong, the filter leaves no game, or
/// the book or the answer cannot be made or written.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let open = arguments.folders.open()?;
    rules::dispatch!(open.variant, V => {
        if arguments.book.write::<V>(&open, arguments.depth, arguments.min_games.max(1))? {
            return Ok(());
        }
        run::<V>(arguments, &open)
    })
}

/// What is asked, and the answer.
struct Explored<V: Variant> {
    notation: &'static Notation<V>,
    table: OpeningTable,
    /// The positions in which the lines of the table begin.
    origins: Origins<V>,
    /// The moves of --moves: in UCI, and the position after them.
    after: (String, Position<V>),
    query: OpeningQuery,
}

fn run<V: Variant>(arguments: &Arguments, open: &OpenFolders) -> anyhow::Result<()> {
    let notation = Notation::<V>::named(&arguments.notation)?;
    let setup = SetupChoice::new::<V>(arguments.setup.as_deref())?;
    let fen = arguments.fen.as_deref().map(Position::<V>::from_text).transpose().context("--fen")?;
    // From a start position the games themselves begin.
    let (setup, fen) = match fen.as_ref().and_then(Position::setups) {
        Some(both) => (SetupChoice::of(both), None),
        None => (setup, fen.filter(|position| *position != Position::start())),
    };
    let file = arguments.to.output(&arguments.out)?;
    let min_games = arguments.min_games.max(1);
    let mut query = OpeningQuery {
        min_games,
        over_setups: setup != SetupChoice::Each && !V::SETUPS.is_empty(),
        setups: setup.of_players(),
        filter: arguments.games.filter::<V>()?,
        ..OpeningQuery::new(V::ID)
    };
    let origins = fen.map_or_else(|| Origins::starts(&query), Origins::at);
    let line = origins.line(&arguments.moves, notation).context("--moves")?;
    let after = line.uci();
    query.depth = arguments.depth.saturating_add(line.moves.len() as u32);
    query.origin = origins.only().map(OpeningOrigin::of);
    let mut table = open.folders.openings(&query)?;
    if table.games + table.unchosen == 0 && table.other_setups > 0 {
        return Err(input(format!(
            "none of {} is from this setup: leave --setup out to see those that are played",
            counted(table.other_setups, "game", "games")
        )));
    }
    if table.games + table.other_starts == 0 && query.filter.criteria().next().is_some() {
        return Err(none_left::<V>(open, &query.filter)?);
    }
    if query.over_setups {
        table.sum_setups(min_games);
    }
    let origins = origins.of(&table);
    let position = origins.first_after(&line);
    let explored = Explored { notation, table, origins, after: (after, position), query };
    match file {
        Some(file) => arguments.to.write(&file, columns(&explored)),
        None if arguments.json => json(arguments, &explored),
        None => {
            people(arguments, &explored);
            Ok(())
        }
    }
}

/// A row in JSON, with its moves in the notation asked for and the names of the first and of the second player's
/// opening.
#[derive(Serialize)]
struct NamedRow<'a> {
    #[serde(flatten)]
    row: &'a OpeningRow,
    line: String,
    names: [Option<&'static eval::openings::OpeningNames>; 2],
}

fn json<V: Variant>(arguments: &Arguments, explored: &Explored<V>) -> anyhow::Result<()> {
    let Explored { notation, table, origins, after: (after, _), query } = explored;
    let lines = most_played(table, after, arguments.limit);
    let named = |rows: Vec<&OpeningRow>| -> anyhow::Result<serde_json::Value> {
        let row = |row| {
            let shown = ShownLine::of(row, origins, Notation::write, notation);
            NamedRow { row, line: shown.texts.join(" "), names: shown.names }
        };
        Ok(serde_json::to_value(rows.into_iter().map(row).collect::<Vec<_>>())?)
    };
    let value = serde_json::json!({
        "variant": V::ID,
        "fen": origins.only().map(Position::fen),
        "moves": after,
        "games": games_after(explored),
        "other_starts": table.other_starts,
        "unchosen": table.unchosen,
        "other_setups": table.other_setups,
        "doubled": table.doubled,
        "filter": filter_json(&query.filter, &table.excluded),
        "depth": query.depth,
        "min_games": query.min_games,
        "rare_lines": table.rare_lines,
        "lines_left_out": lines_after(table, after).count() - lines.len(),
        "starts": table.starts,
        "continuations": named(continuations(table, after))?,
        "lines": named(lines)?,
    });
    println!("{value}");
    Ok(())
}

/// All lines after --moves, for other programs.
fn columns<V: Variant>(explored: &Explored<V>) -> Vec<(&'static str, FigureColumn)> {
    let rows: Vec<&OpeningRow> = lines_after(&explored.table, &explored.after.0).collect();
    let shown: Vec<ShownLine> =
        rows.iter().map(|row| ShownLine::of(row, &explored.origins, Notation::write, explored.notation)).collect();
    let whole = |of: fn(&OpeningRow) -> u64| FigureColumn::Whole(rows.iter().map(|row| Some(of(row))).collect());
    let real = |of: fn(&OpeningRow) -> f64| FigureColumn::Real(rows.iter().map(|row| Some(of(row))).collect());
    let text = |of: fn(&OpeningRow) -> Option<String>| FigureColumn::Text(rows.iter().map(|row| of(row)).collect());
    let name = |player: usize| {
        FigureColumn::Text(shown.iter().map(|line| line.names[player].map(|names| names.title())).collect())
    };
    vec![
        ("ply", whole(|row| row.ply.into())),
        ("moves", text(|row| Some(row.moves.clone()))),
        ("line", FigureColumn::Text(shown.iter().map(|line| Some(line.texts.join(" "))).collect())),
        ("setup_first", text(|row| row.setup_first.clone())),
        ("setup_second", text(|row| row.setup_second.clone())),
        ("opening_first", name(0)),
        ("opening_second", name(1)),
        ("games", whole(|row| row.games)),
        ("share", real(|row| row.share)),
        ("first_wins", whole(|row| row.first_wins)),
        ("draws", whole(|row| row.draws)),
        ("first_losses", whole(|row| row.first_losses)),
        ("score", real(|row| row.score)),
        ("score_low", real(|row| row.score_low)),
        ("score_high", real(|row| row.score_high)),
        ("position_games", FigureColumn::Whole(rows.iter().map(|row| row.position_games).collect())),
    ]
}

/// Prints the tables.
fn people<V: Variant>(arguments: &Arguments, explored: &Explored<V>) {
    let Explored { notation, table, origins, after: (after, _), query } = explored;
    head(explored);
    if after.is_empty() {
        tables::starts(table, query.setups != [None, None]);
    }
    let lines = most_played(table, after, arguments.limit);
    if query.min_games > 1 && continuations(table, after).is_empty() {
        println!("No move from here was played in {} games (--min-games).", count(query.min_games));
    } else {
        tables::explored(table, after, usize::MAX, &lines, origins, notation);
    }
    let lines_left_out = lines_after(table, after).count() - lines.len();
    if lines_left_out > 0 {
        println!("and {} (--limit)", counted(lines_left_out as u64, "more line", "more lines"));
    }
    // Those after --moves are not counted apart.
    if table.rare_lines > 0 && after.is_empty() {
        println!(
            "and {} of fewer than {} games each, with what continues them (--min-games)",
            counted(table.rare_lines, "line", "lines"),
            count(query.min_games)
        );
    }
}

fn head<V: Variant>(explored: &Explored<V>) {
    let Explored { notation, table, origins, after: (after, position), query } = explored;
    let lines = match origins.only() {
        None => counted_games(table, "column \"reaching\""),
        Some(_) => reaching_games(table),
    };
    println!("{}: {}", V::TITLE, lines[0]);
    lines[1..].iter().for_each(|line| println!("{line}"));
    if table.other_setups > 0 {
        println!(
            "{} left out (--setup)",
            counted(table.other_setups, "game from other setups is", "games from other setups are")
        );
    }
    left_out_lines(&query.filter, &table.excluded).iter().for_each(|line| println!("{line}"));
    doubled_line(table.doubled).iter().for_each(|line| println!("{line}"));
    if after.is_empty() && origins.only().is_none() {
        println!();
        return;
    }
    if !after.is_empty() {
        let games = match games_after(explored) {
            Some(games) => counted(games, "game", "games"),
            None => format!("fewer than {} (--min-games)", counted(query.min_games, "game", "games")),
        };
        println!("after {}: {games}", origins.texts(after, notation).join(" "));
    }
    println!();
    if let Some(setups) = origins.setups_of_first(after) {
        println!("{setups}");
    }
    println!("{}", notation.draw(position));
}

/// How many games began with --moves; `None` where they are fewer than --min-games.
fn games_after<V: Variant>(explored: &Explored<V>) -> Option<u64> {
    let Explored { table, after: (after, _), query, .. } = explored;
    if after.is_empty() {
        return Some(table.games);
    }
    let games = table.rows.iter().filter(|row| row.moves == *after).map(|row| row.games).sum();
    (games > 0 || query.min_games <= 1).then_some(games)
}

/// How many games reach the position of --fen: sentences for people.
fn reaching_games(table: &OpeningTable) -> Vec<String> {
    let all = table.games + table.other_starts;
    let verb = if table.games == 1 { "reaches" } else { "reach" };
    let mut lines = vec![format!("{} of {} {verb} the position", count(table.games), counted(all, "game", "games"))];
    if table.unchosen > 0 {
        lines.push(format!(
            "{} more by moves that no search chose (random ones, or those of an earlier game); they are not counted",
            count(table.unchosen)
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Janggi, Rulebook, Wangqi};

    #[test]
    fn a_wrong_move_is_named_with_its_place() {
        let first = Position::<Wangqi>::start().perft_divide(1)[0].0;
        let text = Position::<Wangqi>::start().format_move(first);
        let line = |text: &str| Origins::<Wangqi>::starts(&OpeningQuery::new(Wangqi::ID)).line(text, &Notation::UCI);
        assert_eq!(line(&format!("  {text} ")).unwrap().uci(), text);
        let error = format!("{:#}", line(&format!("{text} {text}")).unwrap_err());
        assert!(error.starts_with("move 2: "), "{error}");
    }

    #[test]
    fn a_move_that_only_other_set_ups_allow_is_no_mistake() {
        // The elephant stands on b1 only in setups other than the first.
        assert!(Position::<Janggi>::start().parse_move("b1d4").is_err());
        let origins = Origins::<Janggi>::starts(&OpeningQuery::new(Janggi::ID));
        for moves in ["b1d4 b10c8", "02象74 12馬33", "b0d3 b9c7"] {
            assert_eq!(origins.line(moves, &Notation::UCI).unwrap().uci(), "b1d4 b10c8", "{moves}");
        }
    }
}
