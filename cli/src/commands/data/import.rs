//! `kirin data import`: games of other programs into a data folder.

use crate::failure::{input, must_exist};
use crate::number::{count, counted};
use crate::out;
use crate::{table, version};
use anyhow::Context;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use data::bounded::is_standard_input;
use data::{DataStore, GameRecord, IMPORTED, Provenance};
use records::{Format, Options, Record, TextEncoding, date, read};
use rules::{GameResult, Outcome, Rules, Termination, Variant, VariantId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Largest file of records that is read, bytes. It is in memory as a whole, several times over.
const MOST_RECORD_BYTES: u64 = 256 << 20;

/// Import games of other programs into a data folder.
///
/// The format of a file is found from its contents and its name, and so is its encoding. Every move is checked. A game that
/// is broken or not legal is left out: standard error names its file and line and says why, and the games around it are
/// kept. So are games left out whose result neither the record nor the rules tell.
///
/// In the table `games` the imported ones have run_id `import`, the names of the players in net_first and net_second, the
/// format, file and line in worker, and the day in started_at. A game that is in the folder already is not imported again:
/// the same moves, result, names and day are the same game. `kirin openings` and `kirin data export` read the folder.
#[derive(Args)]
pub struct Arguments {
    /// Files of games; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The variant. Games of others are left out.
    #[arg(long, value_parser = crate::commands::variants())]
    variant: VariantId,
    /// The data folder. It is made if it is not there.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// The format of all files.
    #[arg(long, value_parser = formats())]
    format: Option<&'static Format>,
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

fn formats() -> impl TypedValueParser<Value = &'static Format> {
    let values = Format::ALL.iter().map(|format| PossibleValue::new(format.name).help(format.about));
    PossibleValuesParser::new(values).try_map(|name| Format::named(&name))
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    rules::dispatch!(arguments.variant, V => run::<V>(arguments))
}

/// What became of the games.
#[derive(Default)]
struct Summary {
    /// Games in the files.
    read: u64,
    /// Games that the folder got.
    kept: u64,
    /// Games that were in the folder, or earlier in the files.
    present: u64,
    /// Games left out, by reason.
    left_out: BTreeMap<&'static str, u64>,
    /// Files by format.
    formats: BTreeMap<&'static str, u64>,
    /// Files that are no records.
    unreadable: u64,
}

fn run<V: Variant>(arguments: &Arguments) -> anyhow::Result<()> {
    let options = Options {
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
    refuse_runs(&arguments.to)?;
    out::folder("--to", &arguments.to)?;
    let mut summary = Summary::default();
    let mut games = Vec::new();
    for file in &arguments.files {
        games_of(file, &options, arguments.unfinished, &mut summary, &mut games)?;
    }
    // No folder is made for nothing.
    let shard = if games.is_empty() { None } else { commit(&arguments.to, games, &mut summary)? };
    print(arguments, &summary, shard.as_deref());
    let lost = summary.left_out.values().sum::<u64>() + summary.unreadable;
    if summary.kept + summary.present == 0 && lost > 0 {
        return Err(input("no game was imported"));
    }
    Ok(())
}

/// Refuses the folder of a run, whose data its own games are.
fn refuse_runs(folder: &Path) -> anyhow::Result<()> {
    let run = [Some(folder), folder.parent()].into_iter().flatten().find(|folder| folder.join("run.json").exists());
    match run {
        Some(run) => {
            let (run, folder) = (run.display(), folder.display());
            Err(input(format!("--to {folder}: {run} is a run, which holds its own games alone; choose another folder")))
        }
        None => Ok(()),
    }
}

/// Adds the games of a file, and prints what is wrong with the others.
fn games_of<V: Variant>(
    file: &Path,
    options: &Options<V>,
    unfinished: bool,
    summary: &mut Summary,
    games: &mut Vec<GameRecord<V>>,
) -> anyhow::Result<()> {
    let bytes = data::bounded::read_named(file, MOST_RECORD_BYTES)
        .with_context(|| format!("cannot read {}", file.display()))?;
    let contents = match read(&file.display().to_string(), &bytes, options) {
        Ok(contents) => contents,
        Err(error) => {
            eprintln!("{error}");
            summary.unreadable += 1;
            return Ok(());
        }
    };
    *summary.formats.entry(contents.format.name).or_default() += 1;
    summary.read += (contents.records.len() + contents.problems.len()) as u64;
    for problem in &contents.problems {
        eprintln!("{problem}");
        *summary.left_out.entry(problem.what.name()).or_default() += 1;
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    for record in contents.records {
        let source = format!("{} {name}:{}", contents.format.name, record.line);
        let drawn = Outcome { result: GameResult::Draw, termination: Termination::Adjudicated, points: None };
        match record.outcome.or(unfinished.then_some(drawn)) {
            Some(outcome) => games.push(game(&record, outcome, source)),
            None => {
                eprintln!(
                    "{}:{}: no result: neither the record nor the rules say who won",
                    file.display(),
                    record.line
                );
                *summary.left_out.entry("no result").or_default() += 1;
            }
        }
    }
    Ok(())
}

/// The game as a row of the table.
fn game<V: Variant>(record: &Record<V>, outcome: Outcome, source: String) -> GameRecord<V> {
    let tags = &record.tags;
    let seconds = tags.date.as_deref().and_then(date::seconds).unwrap_or_default();
    let mut game = GameRecord {
        run_id: IMPORTED.to_owned(),
        worker: source,
        net_first: tags.first.clone().unwrap_or_default(),
        net_second: tags.second.clone().unwrap_or_default(),
        started_at: seconds * 1000,
        engine_version: format!("kirin {}", version::VERSION),
        ..GameRecord::of(&record.game, outcome)
    };
    game.game_id = identity(&game);
    game
}

/// A number that the same game always has, whatever file it comes from.
fn identity<V: Variant>(game: &GameRecord<V>) -> u64 {
    let start = game.sheet.start.start_fen().unwrap_or_default();
    let day = game.started_at.to_string();
    let result = game.sheet.outcome.result.number().to_string();
    let parts = [V::ID, &start, &game.moves_text, &result, &game.net_first, &game.net_second, &day];
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
    let mut known = BTreeSet::new();
    for shard in store.shards(V::ID)? {
        known.extend(store.read_games::<V>(&shard)?.iter().map(|game| game.game_id));
    }
    let all = games.len();
    let new: Vec<GameRecord<V>> = games.into_iter().filter(|game| known.insert(game.game_id)).collect();
    summary.kept = new.len() as u64;
    summary.present = (all - new.len()) as u64;
    if new.is_empty() {
        return Ok(None);
    }
    let ids: BTreeSet<u64> = new.iter().map(|game| game.game_id).collect();
    let ids: Vec<u8> = ids.into_iter().flat_map(u64::to_be_bytes).collect();
    let shard = format!("import-{}", &blake3::hash(&ids).to_hex()[..16]);
    let provenance = Provenance { config_digest: String::new(), git_revision: version::GIT_REVISION.to_owned() };
    let entry = store.commit_shard(0, &shard, &new, &provenance)?;
    Ok(Some(entry.games.path))
}

fn print(arguments: &Arguments, summary: &Summary, shard: Option<&str>) {
    let folder = arguments.to.display().to_string();
    if arguments.json {
        let value = serde_json::json!({
            "variant": arguments.variant.id(),
            "folder": folder,
            "shard": shard,
            "files": arguments.files.len(),
            "unreadable_files": summary.unreadable,
            "formats": summary.formats,
            "read": summary.read,
            "kept": summary.kept,
            "present": summary.present,
            "left_out": summary.left_out,
        });
        println!("{value}");
        return;
    }
    let files = counted(arguments.files.len() as u64, "file", "files");
    println!("{} in {files}", counted(summary.read, "game", "games"));
    let mut rows = vec![vec![format!("imported into {folder}"), count(summary.kept)]];
    if summary.present > 0 {
        rows.push(vec!["there already, and not imported again".to_owned(), count(summary.present)]);
    }
    rows.extend(summary.left_out.iter().map(|(reason, games)| vec![format!("left out: {reason}"), count(*games)]));
    table::print(&["", ">games"], &rows, &[]);
    if summary.unreadable > 0 {
        println!("{} could not be read as a record", counted(summary.unreadable, "file", "files"));
    }
}
