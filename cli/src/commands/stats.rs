//! `kirin stats`: statistics of the games of a variant.

use super::data::{
    FilterArguments, FolderArguments, OpenFolders, doubled_line, filter_json, left_out_lines, none_left,
};
use super::openings::print_starts;
use crate::table;
use clap::Args;
use data::ExcludedGames;
use eval::game_statistics::{GameStatistics, game_statistics};
use report::number::{count, counted, fixed, percent};
use rules::Variant;

/// Show statistics of games: length, ends, values of the pieces.
///
/// The tables also have the number of legal moves and how many pieces are left, and in Janggi the results by the setups of
/// both players.
/// Every game is replayed by the rules. The values of the pieces are fitted to the results of decided games (logistic
/// regression on the difference in material, 16 positions a game, with errors that allow for the positions of a game having
/// one result). They hold for the play of these games: where players lose by mate in spite of their material, pieces look
/// cheap.
///
/// The game-tree complexity is the power of ten of the number of games in a tree with this many moves and plies.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    folders: FolderArguments,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    games: FilterArguments,
}

/// Runs the command.
///
/// # Errors
/// The folders cannot be read or are damaged, a condition is wrong, or no game is left.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let open = arguments.folders.open()?;
    rules::dispatch!(open.variant, V => run::<V>(arguments, &open))
}

fn run<V: Variant>(arguments: &Arguments, open: &OpenFolders) -> anyhow::Result<()> {
    let filter = arguments.games.filter::<V>()?;
    let mut tally = ExcludedGames::default();
    let Some(found) = game_statistics::<V>(&open.folders, &filter, &mut tally)? else {
        return Err(none_left::<V>(open, &filter)?);
    };
    if arguments.json {
        let mut value = serde_json::to_value(&found)?;
        value["doubled"] = tally.doubled.into();
        value["filter"] = filter_json(&filter, &tally.excluded);
        println!("{value}");
        return Ok(());
    }
    let lines = left_out_lines(&filter, &tally.excluded);
    lines.into_iter().chain(doubled_line(tally.doubled)).for_each(|line| println!("{line}"));
    print::<V>(&found);
    Ok(())
}

/// Plies between two rows of the table of choices, so that it stays short.
const BETWEEN_ROWS: usize = 10;
/// Rows of that table.
const ROWS: usize = 12;

fn print<V: Variant>(found: &GameStatistics) {
    let share = |games: u64| percent(games as f64 / found.games as f64, 1);
    let plies = &found.plies;
    println!("{}: {}, {} positions\n", V::TITLE, counted(found.games, "game", "games"), count(found.positions));
    println!(
        "plies       mean {}, median {}, nine in ten between {} and {}, from {} to {}",
        fixed(plies.mean, 1),
        plies.median,
        plies.tenth,
        plies.ninetieth,
        plies.shortest,
        plies.longest
    );
    println!("moves       {} legal moves on average", fixed(found.mean_moves, 1));
    println!("complexity  10^{}", fixed(found.complexity, 0));
    println!(
        "results     first player {}, drawn {}, second player {}; score of the first player {} (95 %: {} to {})",
        share(found.first_wins),
        share(found.draws),
        share(found.first_losses),
        percent(found.first_score, 1),
        fixed(100.0 * found.first_score_low, 1),
        fixed(100.0 * found.first_score_high, 1),
    );
    let mut ends: Vec<_> = found.terminations.iter().collect();
    ends.sort_by_key(|&(name, games)| (std::cmp::Reverse(*games), name));
    let ends: Vec<String> = ends.into_iter().map(|(name, &games)| format!("{name} {}", share(games))).collect();
    println!("ends        {}", ends.join(", "));
    if !found.setups.is_empty() {
        println!();
        print_starts(&found.setups);
    }
    println!("\nLegal moves");
    let rows = found.choices.iter().step_by(BETWEEN_ROWS).take(ROWS);
    let rows: Vec<Vec<String>> =
        rows.map(|row| vec![row.ply.to_string(), count(row.games), fixed(row.moves, 1)]).collect();
    table::print(&[">after plies", ">games", ">moves"], &rows, &[]);
    let unseen = found.choices.len().saturating_sub(BETWEEN_ROWS * ROWS);
    if unseen > 0 {
        println!("{} more in --json", counted(unseen as u64, "ply", "plies"));
    }
    println!("\nValue of a piece, fitted to the results");
    if found.piece_values.is_empty() {
        println!("Too few games are decided.");
    } else {
        let row = |value: &eval::game_statistics::PieceValue| {
            let logit = format!("{} ± {}", fixed(value.logit, 2), fixed(value.error, 2));
            vec![value.kind.clone(), value.native.clone(), logit, fixed(value.elo, 0)]
        };
        let rows: Vec<Vec<String>> = found.piece_values.iter().map(row).collect();
        table::print(&["piece", "", ">log-odds (95 %)", ">Elo"], &rows, &[]);
    }
    println!("\nPieces on the board, both sides");
    let row = |kind: &eval::game_statistics::KindLeft| {
        vec![kind.kind.clone(), kind.native.clone(), fixed(kind.start, 1), fixed(kind.end, 1)]
    };
    let rows: Vec<Vec<String>> = found.pieces_left.iter().map(row).collect();
    table::print(&["piece", "", ">at the start", ">at the end"], &rows, &[]);
}
