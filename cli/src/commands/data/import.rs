//! `kirin data import`: games of other programs into a data folder.

use super::export::SELF_PLAY;
use super::sources::{Source, Sources};
use crate::failure::{input, must_exist};
use crate::out;
use crate::{table, version};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use data::bounded::is_standard_input;
use data::{DataStore, GameRecord, IMPORTED};
use eval::pgn::MATCH_EVENT;
use records::{ReadOptions, RecordFormat, RecordProblem, TaggedGame, TextEncoding, date, read_each};
use report::number::{count, counted};
use rules::{GameResult, Outcome, Position, Rules, Termination, Variant, VariantId};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Import games of other programs into a data folder.
///
/// The format of a file is found from its contents and its name, and so is its encoding. Files compressed by gzip and
/// zip archives are read as well. Every move is checked. A game that is broken or not legal is left out: standard error
/// names its file, its line and the reason, and the other games of the file are kept. A game is also left out if
/// neither the record nor the rules give its result. If more than eight games of a file are left out, their number and
/// the first of them are named. If no game at all is imported or there already, the command fails.
///
/// In the table `games` the imported ones have run_id `import`, the names of the players in net_first and net_second, the
/// format, file and line in worker, the day and time in started_at, and event, site, round, ratings and opening as the
/// record names them. Moves at the beginning that no player chose, as `kirin data export` writes them, do not count as
/// openings. A game that is in the folder already is not imported again: the same moves, result, names and day are the
/// same game, except that games of self-play and of matches also have numbers by which they differ. `kirin openings`
/// and `kirin data export` read the folder.
#[derive(Args)]
pub struct Arguments {
    /// Files of games, or folders and zip archives, whose files are read in the order of their names, with those in
    /// folders below; `-` is standard input. In folders and archives only files with the ending of a format are read,
    /// such as `.pgn` or `.kif.gz`; with --format all of them are.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The variant. Games of other variants are left out.
    #[arg(long, value_parser = crate::commands::variants())]
    variant: VariantId,
    /// The data folder. It is created if it does not exist.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// The format of all files.
    #[arg(long, value_parser = formats())]
    format: Option<&'static RecordFormat>,
    /// The encoding of all files, such as shift_jis, gb18030 or euc-kr.
    #[arg(long)]
    encoding: Option<String>,
    /// The rule set of all games. Otherwise it is the one that a record names, or the variant's default.
    #[arg(long)]
    ruleset: Option<String>,
    /// Keep games without a result, as draws (termination `adjudicated`): the opening statistics count them so.
    #[arg(long)]
    unfinished: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

fn formats() -> impl TypedValueParser<Value = &'static RecordFormat> {
    let values = RecordFormat::ALL.iter().map(|format| PossibleValue::new(format.name).help(format.about));
    PossibleValuesParser::new(values).try_map(|name| RecordFormat::named(&name))
}

/// Runs the command.
///
/// # Errors
/// An argument is wrong, a file or folder cannot be read, the games cannot be written, or no game of the files could be
/// imported.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    rules::dispatch!(arguments.variant, V => run::<V>(arguments))
}

/// Counts of the imported games.
#[derive(Default)]
struct Summary {
    /// Files.
    files: u64,
    /// Games in the files.
    read: u64,
    /// Games that the folder got.
    kept: u64,
    /// Games that were in the folder, or earlier in the files.
    present: u64,
    /// Of these, games that are in the folder under another rule set.
    otherwise: u64,
    /// Games left out, by reason.
    left_out: BTreeMap<&'static str, u64>,
    /// Files by format.
    formats: BTreeMap<&'static str, u64>,
    /// Files that are no records.
    unreadable: u64,
    /// Files in which there is no game, not even a broken one.
    without_games: u64,
    /// Files of folders and archives that were not read: hidden ones, and those whose endings no format of games has.
    passed_over: u64,
}

fn run<V: Variant>(arguments: &Arguments) -> anyhow::Result<()> {
    let options = ReadOptions {
        format: arguments.format,
        encoding: arguments
            .encoding
            .as_deref()
            .map(TextEncoding::named)
            .transpose()
            .map_err(|error| input(error.to_string()))?,
        rules: arguments.ruleset.as_deref().map(Rules::<V>::named).transpose()?,
    };
    arguments.files.iter().filter(|file| !is_standard_input(file)).try_for_each(|file| must_exist(file))?;
    out::own_folder("--to", &arguments.to)?;
    let sources = Sources::of(&arguments.files, &arguments.to, arguments.format.is_some())?;
    let (mut summary, mut games) = (Summary::default(), Vec::new());
    summary.passed_over =
        sources.each(|source| games_of(&source, &options, arguments.unfinished, &mut summary, &mut games))?;
    tell_assumed_rules(&options, &summary);
    // Without a game no folder is created.
    let games: Vec<GameRecord<V>> = games.into_iter().map(|game| game.record).collect();
    let shard = if games.is_empty() { None } else { commit(&arguments.to, games, &mut summary)? };
    print(arguments, &summary, shard.as_deref());
    if summary.kept + summary.present == 0 {
        return Err(input("no game was imported"));
    }
    Ok(())
}

/// A game of a file.
pub struct FileGame<V: Variant> {
    /// The game; a draw where neither the file nor the rules give a result.
    pub record: GameRecord<V>,
    /// Whether they give one.
    pub has_result: bool,
}

/// The games of files, for a command that only reads them, except those in the folder `out`. What is wrong with others
/// is printed.
///
/// # Errors
/// The rule set is unknown, or a file or folder cannot be read.
pub fn read_record_files<V: Variant>(
    files: &[PathBuf],
    ruleset: Option<&str>,
    out: &Path,
) -> anyhow::Result<Vec<FileGame<V>>> {
    files.iter().filter(|file| !is_standard_input(file)).try_for_each(|file| must_exist(file))?;
    let rules = ruleset.map(Rules::<V>::named).transpose()?;
    let options = ReadOptions { format: None, encoding: None, rules };
    let (mut summary, mut games) = (Summary::default(), Vec::new());
    Sources::of(files, out, false)?.each(|source| games_of(&source, &options, true, &mut summary, &mut games))?;
    tell_assumed_rules(&options, &summary);
    Ok(games)
}

/// Prints by which rules games count whose format cannot say it, though servers differ.
fn tell_assumed_rules<V: Variant>(options: &ReadOptions<V>, summary: &Summary) {
    if options.rules.is_none() && summary.formats.contains_key("gib") {
        let rules = Rules::<V>::default();
        eprintln!("GIB does not name the rule set: its games are taken as played by `{rules}`; else give --ruleset");
    }
}

/// A game that was left out: the line of its file, the reason and the whole message.
struct ExcludedGame {
    line: usize,
    reason: &'static str,
    message: String,
}

/// Up to this many games left out of a file, each of them is named.
const MOST_NAMED: usize = 8;

/// Prints what is wrong with games of a file: with each of them, or, where they are many, with the first.
fn tell(file: &str, format: &str, kept: usize, mut left_out: Vec<ExcludedGame>) {
    left_out.sort_by_key(|game| game.line);
    let Some(first) = left_out.first() else { return };
    if left_out.len() <= MOST_NAMED {
        left_out.iter().for_each(|game| eprintln!("{}", game.message));
        return;
    }
    let mut reasons = BTreeMap::<&str, u64>::new();
    left_out.iter().for_each(|game| *reasons.entry(game.reason).or_default() += 1);
    let reasons: Vec<String> = reasons.iter().map(|(reason, games)| format!("{reason}: {}", count(*games))).collect();
    let [all, out] = [left_out.len() + kept, left_out.len()].map(|games| count(games as u64));
    eprintln!(
        "{file}: read as {format}, {out} of {all} games are left out ({}); the first: {}",
        reasons.join(", "),
        first.message
    );
}

/// Adds the games of a file, and prints what is wrong with the others.
fn games_of<V: Variant>(
    source: &Source,
    options: &ReadOptions<V>,
    unfinished: bool,
    summary: &mut Summary,
    games: &mut Vec<FileGame<V>>,
) {
    summary.files += 1;
    let shown = &source.shown;
    let (before, mut left_out) = (games.len(), Vec::new());
    // It takes long to set up for each game.
    let own_start = Position::<V>::start();
    let drawn = Outcome { result: GameResult::Draw, termination: Termination::Adjudicated, points: None };
    let each = |read: Result<TaggedGame<V>, RecordProblem>| match read {
        Ok(record) => match record.outcome.or(unfinished.then_some(drawn)) {
            Some(outcome) => {
                let place = format!("{}:{}", source.name, record.line);
                let has_result = record.outcome.is_some();
                games.push(FileGame { record: game(&record, outcome, place, &own_start), has_result });
            }
            None => {
                let message = format!("{shown}:{}: no result: neither the record nor the rules give one", record.line);
                left_out.push(ExcludedGame { line: record.line, reason: "no result", message });
            }
        },
        Err(problem) => {
            let problem = RecordProblem { file: shown.clone(), ..problem };
            let (line, reason) = (problem.line, problem.what.name());
            left_out.push(ExcludedGame { line, reason, message: problem.to_string() });
        }
    };
    let read = source.bytes.as_ref().map_err(|why| format!("{shown}: {why}"));
    let read =
        read.and_then(|bytes| read_each(source.format_hint(), bytes, options, each).map_err(|error| error.to_string()));
    let format = match read {
        Ok((format, _)) => format.name,
        Err(error) => {
            eprintln!("{error}");
            summary.unreadable += 1;
            return;
        }
    };
    let kept = games.len() - before;
    games[before..].iter_mut().for_each(|game| game.record.worker.insert_str(0, &format!("{format} ")));
    *summary.formats.entry(format).or_default() += 1;
    summary.read += (kept + left_out.len()) as u64;
    if kept + left_out.len() == 0 {
        eprintln!("{shown}: read as {format}, it has no game");
        summary.without_games += 1;
    }
    left_out.iter().for_each(|game| *summary.left_out.entry(game.reason).or_default() += 1);
    tell(shown, format, kept, left_out);
}

/// The game as a row of the table.
fn game<V: Variant>(
    record: &TaggedGame<V>,
    outcome: Outcome,
    source: String,
    own_start: &Position<V>,
) -> GameRecord<V> {
    let tags = &record.tags;
    let seconds = tags.date.as_deref().and_then(date::seconds).unwrap_or_default();
    let mut game = GameRecord {
        run_id: IMPORTED.to_owned(),
        worker: source,
        net_first: tags.first.clone().unwrap_or_default(),
        net_second: tags.second.clone().unwrap_or_default(),
        started_at: seconds * 1000,
        engine_version: format!("kirin {}", version::VERSION),
        event: tags.event.clone(),
        site: tags.site.clone(),
        round: tags.round.clone(),
        opening: tags.opening.clone(),
        opening_plies: tags.opening_plies,
        rating_first: tags.first_rating,
        rating_second: tags.second_rating,
        ..GameRecord::of(&record.game, outcome)
    };
    game.game_id = identity(&game, own_start);
    game
}

/// Milliseconds of a day.
const MS_PER_DAY: i64 = 86_400_000;

/// A number that depends on the game and not on its file.
fn identity<V: Variant>(game: &GameRecord<V>, own_start: &Position<V>) -> u64 {
    let start = &game.sheet.start;
    let start = if start == own_start { String::new() } else { start.fen() };
    let day = (game.started_at - game.started_at.rem_euclid(MS_PER_DAY)).to_string();
    let result = game.sheet.outcome.result.number().to_string();
    let mut parts = vec![V::ID, &start, &game.moves_text, &result, &game.net_first, &game.net_second, &day];
    // A network may play the same game twice in a day. The round of such a game is its number.
    if let (Some(event), Some(round)) = (&game.event, &game.round)
        && (event.starts_with(SELF_PLAY) || event == MATCH_EVENT)
    {
        parts.extend([event.as_str(), round]);
    }
    let digest = blake3::hash(parts.join("\n").as_bytes());
    let [a, b, c, d, e, f, g, h, ..] = *digest.as_bytes();
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// Commits the games that the folder does not have as one shard; its name, if there are any. The name follows from the
/// games, so the same games give the same files.
fn commit<V: Variant>(
    folder: &Path,
    games: Vec<GameRecord<V>>,
    summary: &mut Summary,
) -> anyhow::Result<Option<String>> {
    let (store, _) = DataStore::open(folder)?;
    let mut known = BTreeMap::new();
    for shard in store.shards(V::ID)? {
        known.extend(store.read_games::<V>(&shard)?.iter().map(|game| (game.game_id, game.sheet.rules)));
    }
    let mut new: Vec<GameRecord<V>> = Vec::new();
    for game in games {
        match known.entry(game.game_id) {
            Entry::Vacant(entry) => {
                entry.insert(game.sheet.rules);
                new.push(game);
            }
            Entry::Occupied(entry) => {
                summary.present += 1;
                summary.otherwise += u64::from(*entry.get() != game.sheet.rules);
            }
        }
    }
    summary.kept = new.len() as u64;
    if new.is_empty() {
        return Ok(None);
    }
    let ids: BTreeSet<u64> = new.iter().map(|game| game.game_id).collect();
    let ids: Vec<u8> = ids.into_iter().flat_map(u64::to_be_bytes).collect();
    let shard = format!("import-{}", &blake3::hash(&ids).to_hex()[..16]);
    let entry = store.commit_shard(0, &shard, &new, &version::provenance())?;
    Ok(Some(entry.games.path))
}

fn print(arguments: &Arguments, summary: &Summary, shard: Option<&str>) {
    let folder = arguments.to.display().to_string();
    if arguments.json {
        let value = serde_json::json!({
            "variant": arguments.variant.id(),
            "folder": folder,
            "shard": shard,
            "files": summary.files,
            "unreadable_files": summary.unreadable,
            "files_without_games": summary.without_games,
            "files_passed_over": summary.passed_over,
            "formats": summary.formats,
            "read": summary.read,
            "kept": summary.kept,
            "present": summary.present,
            "present_under_other_rules": summary.otherwise,
            "left_out": summary.left_out,
        });
        println!("{value}");
        return;
    }
    let files = counted(summary.files, "file", "files");
    println!("{} in {files}", counted(summary.read, "game", "games"));
    let mut rows = vec![vec![format!("imported into {folder}"), count(summary.kept)]];
    if summary.present > 0 {
        rows.push(vec!["there already, and not imported again".to_owned(), count(summary.present)]);
    }
    rows.extend(summary.left_out.iter().map(|(reason, games)| vec![format!("left out: {reason}"), count(*games)]));
    table::print(&["", ">games"], &rows, &[]);
    if summary.otherwise > 0 {
        let games = counted(summary.otherwise, "game that is", "games that are");
        println!("{games} there already keep another rule set; import into a new folder to have this one");
    }
    for (files, what) in [
        (summary.unreadable, "could not be read as a record"),
        (summary.without_games, "without a game"),
        (summary.passed_over, "hidden or of other kinds in folders and archives not read"),
    ] {
        if files > 0 {
            println!("{} {what}", counted(files, "file", "files"));
        }
    }
}
