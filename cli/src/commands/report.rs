//! `kirin report`: the page of a run or of games from other sources, and its main tables.

use super::data::{NamedStores, is_log};
use crate::failure::{input, must_exist};
use crate::{out, table};
use clap::Args;
use data::{DataStore, GameFolders, OpeningTable, Output};
use eval::benchmark::ScalePlace;
use eval::ratings::RatingRow;
use lab::RunFolder;
use lab::events::Match;
use lab::health::Health;
use report::number::{ABSENT, bytes, count, counted, duration, fixed, optional, percent, plus_minus, signed};
use report::{self, Facts, FileSizes, Rating, Ratings, Sources, StageTimes};
use rules::VariantId;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use train::MetricsEntry;

/// Write the report of a run, of imports or of matches as one HTML page.
///
/// The page has an explorer of the openings, in which games can be chosen by generation, player, result and whatever
/// else is known of them, and it has what its sources have: strength, losses, health and speed of a run, ratings of the
/// players of matches. Several sources are explored together; a game that is in more than one of them counts once.
///
/// The page is the file report.html in the folder of the run, of the data or of the logs; of a match log NAME.jsonl it is
/// NAME.html. The command prints the main tables. A narrow terminal shows fewer columns of the tables; --json gives all
/// figures.
#[derive(Args)]
pub struct Arguments {
    /// A run folder, a data folder (as `kirin data import` makes), a match log (NAME.jsonl), or a folder with match logs.
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<PathBuf>,
    /// For match logs: the player whose rating is 0 [default: the first by name].
    #[arg(long)]
    anchor: Option<String>,
    /// The variant; needed only if the sources hold games of several.
    #[arg(long, value_parser = crate::commands::variants())]
    variant: Option<VariantId>,
    /// Write the page to this file. Needed for several sources, which have no common folder. `-` is standard output;
    /// what the command prints then goes to standard error.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Also write the curves of a run for TensorBoard: losses, ratings, speeds and health. They go into a subfolder with the
    /// name of the run, so that `tensorboard --logdir DIR` shows several runs together.
    #[arg(long, value_name = "DIR")]
    tensorboard: Option<PathBuf>,
    /// Also write the figures of a run as a Parquet file, with a row for each generation: losses, health, speeds, matches.
    /// `-` is standard output; what the command prints then goes to standard error.
    #[arg(long, value_name = "FILE")]
    metrics: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// A source holds neither a run nor games, an option does not fit, a file cannot be read, or the report cannot be
/// written.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let Arguments { sources, tensorboard, metrics, json, .. } = arguments;
    for source in sources {
        must_exist(source)?;
        if !source.is_dir() && !is_log(source) {
            return Err(input(format!(
                "{} is no folder and no match log (NAME.jsonl): name a run, data, a match log, or a folder with match logs \
                 (`kirin data import` reads the games of other programs)",
                source.display()
            )));
        }
    }
    let page = match (sources.as_slice(), &arguments.out) {
        (_, Some(file)) => out::file_or_stream("--out", file, &[])?,
        ([folder], None) => report::page_in(folder)?,
        (_, None) => {
            return Err(input("several sources have no common folder for the page: name a file with --out".to_owned()));
        }
    };
    if let [folder] = sources.as_slice()
        && (Facts::is_run(folder) || !holds_games(folder)?)
    {
        return tell(folder, &page, tensorboard.as_deref(), metrics.as_deref(), *json);
    }
    for (given, what) in [(tensorboard, "curves for TensorBoard"), (metrics, "metrics")] {
        if given.is_some() {
            return Err(input(format!("{}: not one run, so there are no {what}", paths(sources).join(", "))));
        }
    }
    of_sources(arguments, &page)
}

/// Whether a source that is no run has data or match logs.
fn holds_games(source: &Path) -> anyhow::Result<bool> {
    Ok(holds_matches(source)? || DataStore::folder_of(source)?.is_some())
}

/// Whether a source that is no run is a match log or a folder with match logs.
fn holds_matches(source: &Path) -> anyhow::Result<bool> {
    if is_log(source) {
        return Ok(true);
    }
    // A data folder has logs, too, which are none of matches.
    let is_data = DataStore::folder_of(source)?.is_some();
    Ok(!is_data && eval::log::logs_in(source).is_ok_and(|logs| !logs.is_empty()))
}

/// Writes the page of games that are not one run, and prints its main tables.
fn of_sources(arguments: &Arguments, page: &Output) -> anyhow::Result<()> {
    let NamedStores { named, matches: _matches } = super::data::stores(&arguments.sources)?;
    let variant = arguments.variant.map_or_else(|| super::data::only_variant(&named), Ok)?;
    let (sources, stores): (Vec<PathBuf>, Vec<DataStore>) = named.into_iter().unzip();
    let mut standings = Vec::new();
    for source in &sources {
        if holds_matches(source)? {
            let of_source = eval::standings_of(source, arguments.variant, arguments.anchor.as_deref())?;
            standings.push((report::name_of(source), of_source));
        }
    }
    let names = names(&sources);
    let facts = Sources::read(variant, &GameFolders::new(stores), names, standings)?;
    report::write_sources(page, &facts)?;
    let ladders: Vec<_> = facts.standings.iter().map(|(_, standings)| &standings.ladder).collect();
    if arguments.json {
        let openings = facts.openings.as_ref().ok();
        let value = serde_json::json!({
            "report": page.named().display().to_string(),
            "variant": variant.id(),
            "sources": facts.names,
            "games": facts.games(),
            "counted": openings.map(|table| table.games),
            "other_starts": openings.map(|table| table.other_starts),
            // One folder of matches is the usual case.
            "ladder": match ladders.as_slice() { [ladder] => serde_json::json!(ladder), _ => serde_json::Value::Null },
        });
        println!("{value}");
        return Ok(());
    }
    println!("{}: {} of {}", variant.title(), counted(facts.games(), "game", "games"), facts.names.join(", "));
    ladders.iter().for_each(|ladder| println!("\n{ladder}"));
    println!("\nOpenings");
    openings(&facts.openings, Some(variant));
    println!("\nreport: {}", page.named().display());
    Ok(())
}

/// The sources by their folders' names; by their paths where two have the same name.
fn names(sources: &[PathBuf]) -> Vec<String> {
    let short: Vec<String> = sources.iter().map(|source| report::name_of(source)).collect();
    let is_clear = short.iter().collect::<BTreeSet<_>>().len() == short.len();
    if is_clear { short } else { paths(sources) }
}

/// The sources by their paths.
fn paths(sources: &[PathBuf]) -> Vec<String> {
    sources.iter().map(|source| source.display().to_string()).collect()
}

/// Prints the first moves and the most played lines.
fn openings(openings: &Result<OpeningTable, String>, variant: Option<VariantId>) {
    match openings {
        Ok(table) if table.games + table.other_starts == 0 => println!("no game is stored yet"),
        Ok(table) if table.games == 0 => println!("{}", report::lines::counted_games(table, "kirin openings")[0]),
        Ok(table) => match variant {
            Some(variant) => {
                println!("{}", report::lines::counted_games(table, "kirin openings")[0]);
                let lines = report::lines::most_played(table, "", LINES);
                rules::dispatch!(variant, V => super::openings::print::<V>(table, "", FIRST_MOVES, &lines));
            }
            None => println!("the variant of this run is unknown"),
        },
        Err(problem) => println!("{problem}"),
    }
}

/// Writes the page of a run, and prints its main tables and the path of the page, as text or as JSON.
///
/// # Errors
/// There is no run in the folder, its record of stages is damaged, or the page cannot be written.
pub fn conclude(run_folder: &Path, as_json: bool) -> anyhow::Result<()> {
    tell(run_folder, &report::page_in(run_folder)?, None, None, as_json)
}

/// Like `conclude`, for a page at any place. Also writes curves for TensorBoard into a folder and the table of metrics
/// into a file, if these are named.
fn tell(
    run_folder: &Path,
    page: &Output,
    tensorboard: Option<&Path>,
    metrics: Option<&Path>,
    as_json: bool,
) -> anyhow::Result<()> {
    let facts = Facts::read(run_folder)?;
    let figures = metrics.map(|file| out::file_or_stream("--metrics", file, &[])).transpose()?;
    let is_page = |figures: &Output| match (figures.file(), page.file()) {
        (Some(one), Some(other)) => one == other,
        (None, None) => figures.is_standard_output() && page.is_standard_output(),
        _ => false,
    };
    if figures.as_ref().is_some_and(is_page) {
        let both = page.named().display();
        return Err(input(format!("the page and --metrics are both to be {both}; choose another file")));
    }
    tensorboard.map(|folder| out::folder("--tensorboard", folder)).transpose()?;
    report::write(page, &facts)?;
    let curves = match tensorboard {
        Some(folder) => {
            let steps = MetricsEntry::read(&RunFolder::new(run_folder).metrics())?;
            Some(report::write_curves(folder, &facts, &steps)?)
        }
        None => None,
    };
    if let Some(figures) = &figures {
        report::write_metrics(figures, &facts.events)?;
    }
    if as_json {
        let mut value = json(&facts, page.named());
        value["metrics"] = metrics.map_or(serde_json::Value::Null, |path| path.display().to_string().into());
        value["tensorboard"] = curves.map_or(serde_json::Value::Null, |path| path.display().to_string().into());
        println!("{value}");
        return Ok(());
    }
    println!("{}, run {}", facts.title, facts.name);
    println!("\nElo of each network");
    match &facts.ratings {
        Ok(ratings) if ratings.networks.is_empty() => println!("no match is finished yet"),
        Ok(ratings) => elo(ratings),
        Err(problem) => println!("{problem}"),
    }
    println!("\nTime of each stage");
    stages(&facts.times());
    println!("\nOpenings");
    openings(&facts.openings, facts.variant);
    println!("\nParquet files");
    match &facts.files {
        Ok(files) if files.is_empty() => println!("none yet"),
        Ok(files) => sizes(files),
        Err(problem) => println!("{problem}"),
    }
    if let Some((played, opponent)) = facts.last_match() {
        println!("\n{}", verdict(played, &opponent));
    }
    println!("\nreport: {}", page.named().display());
    if let Some(curves) = curves {
        println!("curves for TensorBoard: {}", curves.display());
    }
    if let Some(metrics) = metrics {
        println!("metrics: {}", metrics.display());
    }
    Ok(())
}

/// First moves and lines printed; the page and `kirin openings` have more.
const FIRST_MOVES: usize = 8;
const LINES: usize = 10;

/// The last network's match, in a sentence.
fn verdict(played: &Match, opponent: &str) -> String {
    let few = if report::is_uncertain(played) { ": too few games to say more" } else { "" };
    format!(
        "Network {} against {opponent}: {} (95 % interval {} to {})\nin {}, {} won, {} drawn, {} lost{few}",
        played.network,
        percent(played.score, 1),
        percent(played.score_low, 1),
        percent(played.score_high, 1),
        counted(2 * played.pairs, "paired game", "paired games"),
        count(played.wins),
        count(played.draws),
        count(played.losses),
    )
}

/// Prints the Elo table: networks and fixed players, strongest first.
fn elo(ratings: &Ratings) {
    let rated = ratings.ladder.iter().flat_map(|ladder| &ladder.ratings.rows);
    let row = |row: &RatingRow| {
        let cautious = if row.prior { "*" } else { "" };
        vec![
            row.player.clone(),
            signed(row.elo) + cautious,
            plus_minus(row.over_next.map(|over| over.value), row.over_next.map(|over| over.error)),
            count(row.games),
            percent(row.score, 1),
        ]
    };
    let rows: Vec<Vec<String>> = rated.clone().map(row).collect();
    table::print(&["player", ">Elo", ">above the next one (95 %)", ">games", ">score"], &rows, &[]);
    if rated.clone().any(|row| row.prior) {
        println!("* won or lost every game against one opponent: a cautious estimate");
    }
    scale(ratings);
}

/// Prints the places of the networks on the fixed scale, or why there are none.
fn scale(ratings: &Ratings) {
    let placed = ratings.networks.iter().filter_map(|rating| Some((rating, rating.place.as_ref()?)));
    let row = |(rating, place): (&Rating, &ScalePlace)| {
        vec![
            rating.generation.to_string(),
            format!("{} ± {}", fixed(place.elo, 0), fixed(place.error, 0)),
            place.from_neighbour(),
        ]
    };
    let rows: Vec<Vec<String>> = placed.map(row).collect();
    match (rows.is_empty(), ratings.has_scale) {
        (true, false) => println!("\nno fixed scale: Kirin's ladder of the variant has other rules, or there is none"),
        (true, true) => println!("\nno network has played players of Kirin's ladder"),
        (false, _) => {
            println!("\nElo on the fixed scale, where random is 0 in every run");
            table::print(&[">network", ">Elo (95 % from random)", "nearest player of the ladder (95 %)"], &rows, &[]);
        }
    }
}

/// Prints times and speeds by generation.
fn stages(times: &[StageTimes]) {
    if times.is_empty() {
        println!("no stage is finished yet");
        return;
    }
    let row = |name: String, times: &StageTimes| {
        vec![
            name,
            duration(times.selfplay),
            duration(times.training),
            duration(times.matches),
            duration(times.together()),
            optional(times.evaluations_a_second, 0),
            times.batch_fill.map_or_else(|| ABSENT.to_owned(), |fill| percent(fill, 1)),
            optional(times.samples_a_second, 0),
        ]
    };
    let mut rows: Vec<Vec<String>> = times.iter().map(|one| row(one.generation.to_string(), one)).collect();
    let total = StageTimes::total(times);
    rows.push(row("all".to_owned(), &total));
    if let Some(shares) = total.shares() {
        let [selfplay, training, matches] = shares.map(|share| percent(share, 1));
        let nothing = String::new;
        rows.push(vec!["share".into(), selfplay, training, matches, percent(1.0, 0), nothing(), nothing(), nothing()]);
    }
    table::print(
        &[">gen", ">self-play", ">training", ">matches", ">together", ">evals/s", ">fill", ">samples/s"],
        &rows,
        &["fill", "samples/s"],
    );
}

/// Prints rows and sizes by generation.
fn sizes(files: &[FileSizes]) {
    let row = |name: String, file: &FileSizes| {
        vec![name, count(file.games), bytes(file.games_bytes), count(file.positions), bytes(file.positions_bytes)]
    };
    let mut rows: Vec<Vec<String>> = files.iter().map(|file| row(file.generation.to_string(), file)).collect();
    rows.push(row("all".to_owned(), &FileSizes::total(files)));
    table::print(&[">gen", ">games", ">games file", ">positions", ">positions file"], &rows, &[]);
}

fn json(facts: &Facts, page: &Path) -> serde_json::Value {
    let ratings: Vec<_> = facts
        .ratings
        .iter()
        .flat_map(|ratings| &ratings.networks)
        .map(|rating| {
            serde_json::json!({
                "network": rating.generation,
                "elo": rating.elo,
                "elo_error": rating.error,
                "gain": rating.gain.map(|gain| gain.value),
                "gain_error": rating.gain.map(|gain| gain.error),
                "place": rating.place,
                "games": rating.games,
                "score": rating.score,
            })
        })
        .collect();
    let stages: Vec<_> = facts
        .times()
        .iter()
        .map(|times| {
            serde_json::json!({
                "generation": times.generation,
                "selfplay_seconds": times.selfplay,
                "training_seconds": times.training,
                "match_seconds": times.matches,
                "evaluations_per_second": times.evaluations_a_second,
                "batch_fill": times.batch_fill,
                "samples_per_second": times.samples_a_second,
            })
        })
        .collect();
    let shares = StageTimes::total(&facts.times()).shares().map(|[selfplay, training, matches]| {
        serde_json::json!({ "selfplay": selfplay, "training": training, "matches": matches })
    });
    let files: Vec<_> = facts
        .files
        .iter()
        .flatten()
        .map(|file| {
            serde_json::json!({
                "generation": file.generation,
                "games": file.games,
                "games_bytes": file.games_bytes,
                "positions": file.positions,
                "positions_bytes": file.positions_bytes,
            })
        })
        .collect();
    serde_json::json!({
        "report": page.display().to_string(),
        "run": facts.name,
        "variant": facts.title,
        "ratings": ratings,
        "stages": stages,
        "stage_shares": shares,
        "files": files,
        "health": Health::of(&facts.events),
        "matches": facts.matches().collect::<Vec<_>>(),
    })
}
