//! `kirin data import`: games of other programs into a data folder.

use crate::failure::{input, must_exist};
use crate::out;
use crate::{table, version};
use anyhow::Context;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use data::bounded::is_standard_input;
use data::{DataStore, GameRecord, IMPORTED, Provenance};
use flate2::read::MultiGzDecoder;
use records::{ReadOptions, RecordFormat, RecordProblem, TaggedGame, TextEncoding, date, read};
use report::number::{count, counted};
use rules::{GameResult, Outcome, Rules, Termination, Variant, VariantId};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Largest file of records that is read, bytes. The file is in memory several times.
const MOST_RECORD_BYTES: u64 = 256 << 20;

/// Import games of other programs into a data folder.
///
/// The format of a file is found from its contents and its name, and so is its encoding. Files compressed by gzip are read
/// as well. Every move is checked. A game that is broken or not legal is left out: standard error names its file, its line
/// and the reason, and the other games of the file are kept. A game is also left out if neither the record nor the rules
/// give its result. If most games of a file are left out, only the first of them is named.
///
/// In the table `games` the imported ones have run_id `import`, the names of the players in net_first and net_second, the
/// format, file and line in worker, the day in started_at, and event, site, round and opening as the record names them.
/// Moves at the beginning that no player chose, as `kirin data export` writes them, do not count as openings. A game that is
/// in the folder already is not imported again: the same moves, result, names and day are the same game. `kirin openings`
/// and `kirin data export` read the folder.
#[derive(Args)]
pub struct Arguments {
    /// Files of games, or folders, whose files are read in the order of their names, with those in folders below; `-` is
    /// standard input.
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
    /// Games left out, by reason.
    left_out: BTreeMap<&'static str, u64>,
    /// Files by format.
    formats: BTreeMap<&'static str, u64>,
    /// Files that are no records.
    unreadable: u64,
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
    refuse_runs(&arguments.to)?;
    out::folder("--to", &arguments.to)?;
    let files = record_files(&arguments.files, &arguments.to)?;
    let mut summary = Summary { files: files.len() as u64, ..Summary::default() };
    let mut games = Vec::new();
    for file in &files {
        games_of(file, &options, arguments.unfinished, &mut summary, &mut games)?;
    }
    // Without a game no folder is created.
    let shard = if games.is_empty() { None } else { commit(&arguments.to, games, &mut summary)? };
    print(arguments, &summary, shard.as_deref());
    let lost = summary.left_out.values().sum::<u64>() + summary.unreadable;
    if summary.kept + summary.present == 0 && lost > 0 {
        return Err(input("no game was imported"));
    }
    Ok(())
}

/// The games of files, for a command that only reads them, except those in the folder `out`. One without a result counts as
/// drawn. What is wrong with others is printed.
///
/// # Errors
/// The rule set is unknown, or a file or folder cannot be read.
pub fn read_record_files<V: Variant>(
    files: &[PathBuf],
    ruleset: Option<&str>,
    out: &Path,
) -> anyhow::Result<Vec<GameRecord<V>>> {
    files.iter().filter(|file| !is_standard_input(file)).try_for_each(|file| must_exist(file))?;
    let rules = ruleset.map(Rules::<V>::named).transpose()?;
    let options = ReadOptions { format: None, encoding: None, rules };
    let (mut summary, mut games) = (Summary::default(), Vec::new());
    for file in &record_files(files, out)? {
        games_of(file, &options, true, &mut summary, &mut games)?;
    }
    Ok(games)
}

/// Refuses the folder of a run, whose data folder holds only its own games.
fn refuse_runs(folder: &Path) -> anyhow::Result<()> {
    let run = [Some(folder), folder.parent()].into_iter().flatten().find(|folder| folder.join("run.json").exists());
    match run {
        Some(run) => {
            let (run, folder) = (run.display(), folder.display());
            Err(input(format!("--to {folder}: {run} is a run, which holds only its own games; choose another folder")))
        }
        None => Ok(()),
    }
}

/// A file of games.
struct RecordFile {
    path: PathBuf,
    /// Its name in the table: below the folder that was named, so that files of one name in several folders differ.
    name: String,
    /// Whether it was found in a folder. Only what a person names may be a pipe.
    is_found: bool,
}

/// The files that these arguments mean: those of a folder in the order of their names.
fn record_files(named: &[PathBuf], to: &Path) -> anyhow::Result<Vec<RecordFile>> {
    let mut files = Vec::new();
    for path in named {
        if !is_standard_input(path) && path.is_dir() {
            let before = files.len();
            add_folder(path, path, to, &mut files)?;
            if files.len() == before {
                return Err(input(format!("{} holds no files of games", path.display())));
            }
        } else {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.push(RecordFile { path: path.clone(), name, is_found: false });
        }
    }
    Ok(files)
}

/// Adds the files of a folder and of those below it. Hidden ones, links to folders and the folder that the games go to are
/// passed over.
fn add_folder(root: &Path, folder: &Path, to: &Path, files: &mut Vec<RecordFile>) -> anyhow::Result<()> {
    let cannot_read = |path: &Path| format!("cannot read {}", path.display());
    let is_target = |path: &Path| path.canonicalize().is_ok_and(|path| to.canonicalize().is_ok_and(|to| path == to));
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let mut entries = entries.with_context(|| cannot_read(folder))?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        if entry.file_type().with_context(|| cannot_read(&path))?.is_dir() {
            if !is_target(&path) {
                add_folder(root, &path, to, files)?;
            }
        } else if path.is_file() {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            files.push(RecordFile { path, name, is_found: true });
        }
    }
    Ok(())
}

/// The first bytes of what gzip has compressed.
const GZIP: &[u8] = &[0x1f, 0x8b];

/// What gzip has compressed, if that is at most `most` bytes.
fn decompressed(bytes: &[u8], most: u64) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    match MultiGzDecoder::new(bytes).take(most + 1).read_to_end(&mut text) {
        Ok(_) if text.len() as u64 > most => Err(format!("it has more than {most} bytes when it is decompressed")),
        Ok(_) => Ok(text),
        Err(error) => Err(format!("it cannot be decompressed, so it is damaged or cut off: {error}")),
    }
}

/// The bytes of a file, decompressed, and the name by which its format is known.
fn contents(file: &RecordFile) -> anyhow::Result<Result<(Vec<u8>, String), String>> {
    let shown = file.path.display().to_string();
    let read = if file.is_found { data::bounded::read_ordinary } else { data::bounded::read_named };
    let bytes = read(&file.path, MOST_RECORD_BYTES).with_context(|| format!("cannot read {shown}"))?;
    if !bytes.starts_with(GZIP) {
        return Ok(Ok((bytes, shown)));
    }
    let name = shown.strip_suffix(".gz").unwrap_or(&shown).to_owned();
    Ok(decompressed(&bytes, MOST_RECORD_BYTES).map(|bytes| (bytes, name)).map_err(|why| format!("{shown}: {why}")))
}

/// A game that was left out: the line of its file, the reason and the whole message.
struct ExcludedGame {
    line: usize,
    reason: &'static str,
    message: String,
}

/// Up to this many games left out of a file, each of them is named.
const MOST_NAMED: usize = 8;

/// Prints what is wrong with games of a file: with each of them, or, where those left out are many and most, with the first.
fn tell(file: &str, format: &str, kept: usize, mut left_out: Vec<ExcludedGame>) {
    left_out.sort_by_key(|game| game.line);
    let Some(first) = left_out.first() else { return };
    if left_out.len() <= kept.max(MOST_NAMED) {
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
    file: &RecordFile,
    options: &ReadOptions<V>,
    unfinished: bool,
    summary: &mut Summary,
    games: &mut Vec<GameRecord<V>>,
) -> anyhow::Result<()> {
    let contents =
        contents(file)?.and_then(|(bytes, name)| read(&name, &bytes, options).map_err(|error| error.to_string()));
    let contents = match contents {
        Ok(contents) => contents,
        Err(error) => {
            eprintln!("{error}");
            summary.unreadable += 1;
            return Ok(());
        }
    };
    let shown = file.path.display().to_string();
    *summary.formats.entry(contents.format.name).or_default() += 1;
    summary.read += (contents.records.len() + contents.problems.len()) as u64;
    let of_problem = |problem: RecordProblem| {
        let problem = RecordProblem { file: shown.clone(), ..problem };
        ExcludedGame { line: problem.line, reason: problem.what.name(), message: problem.to_string() }
    };
    let mut left_out: Vec<ExcludedGame> = contents.problems.into_iter().map(of_problem).collect();
    let before = games.len();
    for record in contents.records {
        let source = format!("{} {}:{}", contents.format.name, file.name, record.line);
        let drawn = Outcome { result: GameResult::Draw, termination: Termination::Adjudicated, points: None };
        match record.outcome.or(unfinished.then_some(drawn)) {
            Some(outcome) => games.push(game(&record, outcome, source)),
            None => {
                let why = "no result: neither the record nor the rules give one";
                let message = format!("{shown}:{}: {why}", record.line);
                left_out.push(ExcludedGame { line: record.line, reason: "no result", message });
            }
        }
    }
    left_out.iter().for_each(|game| *summary.left_out.entry(game.reason).or_default() += 1);
    tell(&shown, contents.format.name, games.len() - before, left_out);
    Ok(())
}

/// The game as a row of the table.
fn game<V: Variant>(record: &TaggedGame<V>, outcome: Outcome, source: String) -> GameRecord<V> {
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
        ..GameRecord::of(&record.game, outcome)
    };
    game.game_id = identity(&game);
    game
}

/// A number that depends on the game and not on its file.
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
            "files": summary.files,
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
    let files = counted(summary.files, "file", "files");
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn what_grows_beyond_the_bound_is_refused() {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        writer.write_all(&[b'1'; 100_000]).unwrap();
        let bomb = writer.finish().unwrap();
        assert!(bomb.len() < 1_000, "{} bytes", bomb.len());
        assert_eq!(decompressed(&bomb, 100_000).unwrap().len(), 100_000);
        let error = decompressed(&bomb, 99_999).unwrap_err();
        assert_eq!(error, "it has more than 99999 bytes when it is decompressed");
        assert!(decompressed(&bomb[..bomb.len() - 9], 100_000).unwrap_err().contains("damaged or cut off"));
    }
}
