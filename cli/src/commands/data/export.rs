//! `kirin data export`: games of a data folder for other programs.

use super::{FilterArguments, FolderArguments, OpenFolders, doubled_line, left_out_lines, none_left, rows};
use crate::failure::input;
use crate::out;
use clap::{Args, ValueEnum};
use data::{ExcludedGames, GameFilter, GameRecord, IMPORTED, MATCHES};
use records::training::{HCPE, PSV};
use records::{TaggedGame, Tags, csa, date, kif, pgn};
use report::number::counted;
use rules::{IllegalMove, Notation, Variant};
use selfplay::generator::BY_RULES;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

/// Write the games of runs or of data folders to a file.
///
/// These are games of self-play and imported ones. (`kirin eval export` writes the games of matches.) In PGN, KIF and CSA
/// each move is checked before it is written. The players are the networks, or the names of imported games. Date,
/// event, site, round, ratings and opening are written where they are known, and how many moves at the beginning no
/// player chose. `kirin data import` reads all of this again. The file appears whole or not at all. In CSV a text that
/// a spreadsheet would take for a formula has an apostrophe before it.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    folders: FolderArguments,
    /// The format.
    #[arg(long)]
    to: Format,
    /// The notation of the moves in PGN, such as `wxf`; the tag Format names it [default: uci]. A game with a move that
    /// could not be read again in it is in UCI.
    #[arg(long)]
    notation: Option<String>,
    /// The file to write, or `-` for standard output. A file of that name is replaced; a pipe or a device is written to.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    games: FilterArguments,
}

/// A format of games.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Moves in UCI or another notation, with variant, rule set and start position.
    Pgn,
    /// For Japanese programs; only of variants whose moves KIF can write.
    Kif,
    /// For servers of Japanese programs; only of variants whose moves CSA can write.
    Csa,
    /// Training data of dlshogi: the positions that were searched, with move, value and winner; only of Shogi.
    Hcpe,
    /// Training data of YaneuraOu (PackedSfenValue), likewise.
    Psv,
    /// An object in each line.
    Jsonl,
    /// With a line of column names. What is missing is empty.
    Csv,
}

/// Runs the command.
///
/// # Errors
/// The folders cannot be read or are damaged, the variant has no such format or notation, a condition is wrong, or the
/// file cannot be written.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let open = arguments.folders.open()?;
    rules::dispatch!(open.variant, V => run::<V>(arguments, &open))
}

fn run<V: Variant>(arguments: &Arguments, open: &OpenFolders) -> anyhow::Result<()> {
    let needed = match arguments.to {
        Format::Kif => Some("kif"),
        Format::Csa => Some("csa"),
        Format::Hcpe | Format::Psv => Some("usi"),
        Format::Pgn | Format::Jsonl | Format::Csv => None,
    };
    if let Some(name) = needed {
        Notation::<V>::named(name)?;
    }
    let notation = match arguments.notation.as_deref() {
        None => &Notation::UCI,
        Some(_) if arguments.to != Format::Pgn => return Err(input("--notation is for `--to pgn`")),
        Some(name) => pgn::notation_named::<V>(name).map_err(|error| input(error.to_string()))?,
    };
    let out = out::file_or_stream("--out", &arguments.out, &[])?;
    let filter = arguments.games.filter::<V>()?;
    let mut tally = ExcludedGames::default();
    // An error while games are read is not an error of the file that is written.
    let mut failed = None;
    let written = out.write(|file| {
        write_all::<V>(arguments.to, notation, open, &filter, &mut tally, file).map_err(|error| {
            match error.downcast::<io::Error>() {
                Ok(error) => error,
                Err(error) => {
                    failed = Some(error);
                    io::Error::other("the games cannot be read")
                }
            }
        })
    });
    if let Some(error) = failed {
        return Err(error);
    }
    let lines = left_out_lines(&filter, &tally.excluded);
    lines.into_iter().chain(doubled_line(tally.doubled)).for_each(|line| println!("{line}"));
    println!("{} of {}: {}", counted(written?, "game", "games"), V::ID, arguments.out.display());
    Ok(())
}

fn write_all<V: Variant>(
    format: Format,
    notation: &'static Notation<V>,
    open: &OpenFolders,
    filter: &GameFilter,
    tally: &mut ExcludedGames,
    out: &mut (dyn Write + Send),
) -> anyhow::Result<u64> {
    let mut games = 0;
    for shard in open.folders.shards_for(V::ID, filter, &mut tally.excluded)? {
        let first_searched = match format {
            Format::Jsonl | Format::Csv => BTreeMap::new(),
            _ => open.folders.first_searched(&shard)?,
        };
        let win_chances = match format {
            Format::Hcpe | Format::Psv => open.folders.win_chances(&shard)?,
            _ => BTreeMap::new(),
        };
        for game in &open.folders.read_games_for::<V>(&shard, filter, tally)? {
            let (mut text, mut bytes) = (String::new(), Vec::new());
            let win_chance = |ply| win_chances.get(&(game.game_id, ply)).copied();
            let illegal = |source| open.folders.illegal(&shard, game.game_id, source);
            let record = || record(game, first_searched.get(&game.game_id).copied()).map_err(illegal);
            if format == Format::Csv && games == 0 {
                text += &rows::csv_header(game);
            }
            match format {
                Format::Hcpe => HCPE.write(&mut bytes, &record()?, win_chance)?,
                Format::Psv => PSV.write(&mut bytes, &record()?, win_chance)?,
                Format::Jsonl => text += &rows::json(game),
                Format::Csv => text += &rows::csv(game),
                Format::Pgn => pgn::write_annotated(&mut text, &record()?, notation, &[]),
                Format::Kif => kif::write(&mut text, &record()?)?,
                Format::Csa => {
                    text += if games > 0 { "/\n" } else { "" };
                    let mut game_text = String::new();
                    csa::write(&mut game_text, &record()?)?;
                    text += &game_text;
                }
            }
            out.write_all(text.as_bytes())?;
            out.write_all(&bytes)?;
            games += 1;
        }
    }
    if games == 0 && filter.criteria().next().is_some() {
        return Err(none_left::<V>(open, filter)?);
    }
    Ok(games)
}

/// The event of games of self-play, before the name of the run. Their round is generation and id.
pub const SELF_PLAY: &str = "Kirin self-play, run ";

/// The name of random players in files for other programs, which do not know our short name.
const RANDOM_PLAY: &str = "Kirin random play";

/// A game with what PGN, KIF and CSA record besides the moves. `searched` is the ply of the first position that was
/// searched.
pub fn record<V: Variant>(game: &GameRecord<V>, searched: Option<u32>) -> Result<TaggedGame<V>, IllegalMove> {
    let replayed = game.sheet.replay().finish()?;
    let self_play = game.run_id != IMPORTED && game.run_id != MATCHES;
    let ours = |text: String| self_play.then_some(text);
    let is_random = self_play && game.net_first == BY_RULES;
    let named = |name: &str| match name {
        "" => None,
        _ if is_random => Some(RANDOM_PLAY.to_owned()),
        name => Some(name.to_owned()),
    };
    let tags = Tags {
        event: game.event.clone().or_else(|| ours(format!("{SELF_PLAY}{}", game.run_id))),
        site: game.site.clone().or_else(|| ours("Kirin".to_owned())),
        date: (game.started_at != 0).then(|| date::text_with_time(game.started_at.div_euclid(1000))),
        round: game.round.clone().or_else(|| ours(format!("{}.{}", game.generation, game.game_id))),
        first: named(&game.net_first),
        second: named(&game.net_second),
        result: None,
        opening: game.opening.clone(),
        first_rating: game.rating_first,
        second_rating: game.rating_second,
        // A game of random play has a few stored positions, and no player chose any of its moves.
        opening_plies: if is_random { replayed.ply() } else { searched.unwrap_or(0).max(game.opening_plies) },
    };
    Ok(TaggedGame { line: 1, tags, game: replayed, outcome: Some(game.sheet.outcome) })
}
