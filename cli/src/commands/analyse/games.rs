//! `kirin analyse FILE… --out DIR`: every move of played games is reviewed.

use super::{Arguments, line_text};
use crate::commands::data::{FileGame, doubled_line, file_record, read_record_files};
use crate::console::Console;
use crate::failure::{Failure, input};
use crate::{out, signals, table, version};
use ::data::{DataStore, GameFolders, GameRecord, Output};
use anyhow::Context;
use eval::review::{MoveClass, Phase, ReviewCounts, ReviewedMove, Reviewer, expected_score};
use eval::standings::csv_field;
use records::{Annotation, kif, pgn};
use report::Sources;
use report::number::{count, counted};
use rules::{Game, Notation, Side, Variant};
use search::{Algorithm, Evaluator, SearchConfig};
use selfplay::generator::position_record;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Visits of each position where `--visits` is not given.
const VISITS: u32 = 200;

/// Name of the data folder with the reviewed games.
const DATA: &str = "data";

/// A game and what its review found, one entry for each move.
struct ReviewedGame<V: Variant> {
    record: GameRecord<V>,
    /// Whether the result in the record is that of the file or of the rules.
    has_result: bool,
    game: Game<V>,
    moves: Vec<ReviewedMove>,
}

/// Reviews the games of the files, one after another on each core.
///
/// # Errors
/// A file or the folder cannot be used, or an evaluator fails.
pub fn run<V, E>(
    arguments: &Arguments,
    folder: &Path,
    evaluator: impl Fn() -> anyhow::Result<E> + Sync,
    search: &SearchConfig,
    network: Option<&str>,
) -> anyhow::Result<()>
where
    V: Variant,
    E: Evaluator,
{
    let notation = Notation::<V>::named(&arguments.notation)?;
    refuse_what_is_full(folder)?;
    let ruleset = arguments.ruleset.as_deref();
    let mut read = read_record_files::<V>(&arguments.files, ruleset, folder)?;
    let (found, mut ids) = (read.len(), BTreeSet::new());
    read.retain(|game| ids.insert(game.record.game_id));
    let doubled = (found - read.len()) as u64;
    if read.is_empty() {
        return Err(input("there is no game to analyse"));
    }
    let visits = arguments.visits.unwrap_or(VISITS);
    let search = SearchConfig { visits, ..search.clone() };
    let stop = signals::stop_flag()?;
    let console = Console::new(arguments.json);
    let all = read.len();
    let reviewed = review(&read, &search, &evaluator, &console, &stop)?;
    if reviewed.is_empty() {
        return Err(
            Failure::Drained("stopped before the first game was reviewed; nothing was written".to_owned()).into()
        );
    }
    let left = all - reviewed.len();
    let summary = Summary::of(&reviewed);
    write_all(folder, &reviewed, &summary, notation)?;
    if arguments.json {
        println!("{}", summary.json::<V>(reviewed.len(), visits, network));
        return Ok(());
    }
    let (games, positions) = (reviewed.len() as u64, reviewed.iter().map(|game| game.moves.len() as u64).sum());
    let searched = counted(positions, "move", "moves");
    println!("{} with {searched}, {} visits a position", counted(games, "game", "games"), count(u64::from(visits)));
    let unsearched = reviewed.iter().map(|game| (game.game.moves().len() - game.moves.len()) as u64).sum();
    if unsearched > 0 {
        println!(
            "{} not reviewed: the game was over by the rules",
            counted(unsearched, "more move is", "more moves are")
        );
    }
    if let Some(line) = doubled_line(doubled) {
        println!("{line}");
    }
    if left > 0 {
        println!("stopped: {} not reviewed, and not written", counted(left as u64, "game is", "games are"));
    }
    summary.print();
    println!("{}: report.html, moves.csv, summary.csv, data and the annotated games", folder.display());
    Ok(())
}

/// What a folder holds may be somebody's own, so nothing is written into one that is not empty.
fn refuse_what_is_full(folder: &Path) -> anyhow::Result<()> {
    out::folder("--out", folder)?;
    let is_empty = !folder.exists() || std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
    let shown = folder.display();
    if is_empty {
        Ok(())
    } else {
        Err(input(format!("--out {shown} is not empty; name a folder that is not there yet")))
    }
}

/// The reviewed games in the order of the files, without those that were not finished when `stop` was set.
fn review<V: Variant, E: Evaluator>(
    games: &[FileGame<V>],
    search: &SearchConfig,
    evaluator: &(impl Fn() -> anyhow::Result<E> + Sync),
    console: &Console,
    stop: &AtomicBool,
) -> anyhow::Result<Vec<ReviewedGame<V>>> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let meter = console.stage("review", games.len() as u64);
    let work = || -> anyhow::Result<()> {
        let mut reviewer = Reviewer::<V, E>::new(evaluator()?, search);
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(&FileGame { ref record, has_result }) = games.get(at) else { return Ok(()) };
            let game = record.sheet.replay().finish()?;
            let Some(moves) = reviewer.review(&game, stop)? else { return Ok(()) };
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            let record = with_positions(record, &game, &moves);
            done.insert(at, ReviewedGame { record, has_result, game, moves });
            meter.update(done.len() as u64, || counted(done.len() as u64, "game", "games"));
        }
    };
    let threads = settings::threads(0).min(games.len());
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a reviewer does not panic"))
    })?;
    drop(meter);
    Ok(done.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect())
}

/// The record of a game with what was found in each position, as self-play stores it.
fn with_positions<V: Variant>(record: &GameRecord<V>, game: &Game<V>, moves: &[ReviewedMove]) -> GameRecord<V> {
    let mut replay = Game::from_position(*game.rules(), game.start_position().clone());
    let (mut positions, mut reviewed) = (Vec::with_capacity(moves.len()), moves.iter().peekable());
    for (ply, &mv) in game.moves().iter().enumerate() {
        if let Some(ReviewedMove { found, .. }) = reviewed.next_if(|reviewed| reviewed.ply == ply) {
            positions.push(position_record(&replay, found, mv, true, Algorithm::Puct, record.generation));
        }
        replay.play(mv);
    }
    let visits = positions.iter().map(|position| position.visits).sum();
    GameRecord { positions, visits, ..record.clone() }
}

/// Counts by player, and of each by phase; `None` is the whole game.
struct Summary(BTreeMap<(String, Option<Phase>), ReviewCounts>);

impl Summary {
    fn of<V: Variant>(games: &[ReviewedGame<V>]) -> Summary {
        let mut counts = BTreeMap::<_, ReviewCounts>::new();
        for game in games {
            for mv in &game.moves {
                let player = player(&game.record, mv.side).to_owned();
                counts.entry((player.clone(), None)).or_default().add(mv);
                counts.entry((player, Some(Phase::of_ply(mv.ply)))).or_default().add(mv);
            }
        }
        Summary(counts)
    }

    /// A row for each player and phase.
    fn rows(&self) -> impl Iterator<Item = (&str, &'static str, &ReviewCounts)> {
        let phase = |phase: &Option<Phase>| phase.map_or("game", Phase::name);
        self.0.iter().map(move |((player, of), counts)| (player.as_str(), phase(of), counts))
    }

    fn print(&self) {
        let row = |(player, phase, counts): (&str, &str, &ReviewCounts)| {
            let [inaccuracies, mistakes, blunders] = counts.faults.map(count);
            let best = format!("{:.0} %", 100.0 * counts.best as f64 / counts.moves.max(1) as f64);
            let cost = format!("{:.1} %", 100.0 * counts.mean_cost());
            let [player, phase] = [player, phase].map(str::to_owned);
            vec![player, phase, count(counts.moves), best, cost, inaccuracies, mistakes, blunders]
        };
        let rows: Vec<Vec<String>> = self.rows().map(row).collect();
        let header = ["player", "phase", ">moves", ">best", ">cost", ">inaccuracies", ">mistakes", ">blunders"];
        table::print(&header, &rows, &["best"]);
    }

    fn csv(&self) -> String {
        let mut text = "player,phase,moves,best,mean_cost,inaccuracies,mistakes,blunders\n".to_owned();
        for (player, phase, counts) in self.rows() {
            let [inaccuracies, mistakes, blunders] = counts.faults;
            let (player, mean) = (csv_field(player), counts.mean_cost());
            let (moves, best) = (counts.moves, counts.best);
            let _ = writeln!(text, "{player},{phase},{moves},{best},{mean:.4},{inaccuracies},{mistakes},{blunders}");
        }
        text
    }

    fn json<V: Variant>(&self, games: usize, visits: u32, network: Option<&str>) -> serde_json::Value {
        let row = |(player, phase, counts): (&str, &str, &ReviewCounts)| {
            let [inaccuracies, mistakes, blunders] = counts.faults;
            serde_json::json!({
                "player": player,
                "phase": phase,
                "moves": counts.moves,
                "best": counts.best,
                "mean_cost": counts.mean_cost(),
                "inaccuracies": inaccuracies,
                "mistakes": mistakes,
                "blunders": blunders,
            })
        };
        let rows: Vec<serde_json::Value> = self.rows().map(row).collect();
        serde_json::json!({ "variant": V::ID, "net": network, "games": games, "visits": visits, "players": rows })
    }
}

/// The name of a player, or the side where the record has none.
fn player<V: Variant>(record: &GameRecord<V>, side: Side) -> &str {
    let (name, otherwise) = match side {
        Side::First => (&record.net_first, "first player"),
        Side::Second => (&record.net_second, "second player"),
    };
    if name.is_empty() { otherwise } else { name }
}

/// Writes everything into the folder: the games as data of Kirin, and for people.
fn write_all<V: Variant>(
    folder: &Path,
    games: &[ReviewedGame<V>],
    summary: &Summary,
    notation: &'static Notation<V>,
) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let (store, _) = DataStore::open(&folder.join(DATA))?;
    let records: Vec<GameRecord<V>> = games.iter().map(|game| game.record.clone()).collect();
    store.commit_shard(0, "analysis", &records, &version::provenance())?;
    let write = |name: &str, text: String| -> anyhow::Result<()> {
        Output::new(&folder.join(name))?.write(|file| file.write_all(text.as_bytes()))?;
        Ok(())
    };
    let folders = GameFolders::new(vec![DataStore::open_read_only(&folder.join(DATA))?]);
    let facts = Sources::read(V::ID.parse()?, &folders, vec![report::name_of(folder)], Vec::new())?;
    report::write_sources(&report::page_in(folder)?, &facts)?;
    write("moves.csv", moves_csv(games, notation))?;
    write("summary.csv", summary.csv())?;
    let kif_notation = Notation::<V>::named("kif").ok();
    let (mut pgn_text, mut kif_text) = (String::new(), String::new());
    for game in games {
        let mut record = file_record(&game.record, None)?;
        record.outcome = record.outcome.filter(|_| game.has_result);
        pgn::write_annotated(&mut pgn_text, &record, notation, &annotations(game, notation));
        if let Some(notation) = kif_notation {
            kif::write_annotated(&mut kif_text, &record, &annotations(game, notation))?;
        }
    }
    write("games.pgn", pgn_text)?;
    if kif_notation.is_some() {
        write("games.kif", kif_text)?;
    }
    Ok(())
}

/// A comment for each move: what the player could expect, and, where another move was better, the line that begins with it.
fn annotations<V: Variant>(game: &ReviewedGame<V>, notation: &Notation<V>) -> Vec<Annotation> {
    let comment = |mv: &ReviewedMove| {
        let position = &game.game.positions()[mv.ply];
        let mut comment = format!("{:.0} %", 100.0 * expected_score(mv.found.root_wdl));
        if mv.class > MoveClass::Good {
            let line = line_text(position, &mv.line, |position, mv| notation.write(position, mv)).join(" ");
            let _ = write!(comment, ", {} of {:.0} %: better {line}", mv.class.name(), 100.0 * mv.cost);
        }
        Annotation { glyph: mv.class.glyph(), comment }
    };
    let mut annotations = vec![Annotation::default(); game.game.moves().len()];
    game.moves.iter().for_each(|mv| annotations[mv.ply] = comment(mv));
    annotations
}

/// A row for each move. Values are those of the player who makes it, before it.
fn moves_csv<V: Variant>(games: &[ReviewedGame<V>], notation: &Notation<V>) -> String {
    let mut text =
        "game,source,ply,player,side,phase,move,best,line,visits,win,draw,loss,proven,cost,class\n".to_owned();
    for (number, game) in games.iter().enumerate() {
        for mv in &game.moves {
            let position = &game.game.positions()[mv.ply];
            let [win, draw, loss] = mv.found.root_wdl;
            let proven =
                mv.found.proven.map_or_else(String::new, |(proof, plies)| format!("{} in {plies}", proof.name()));
            let played = notation.write(position, mv.mv);
            let line = line_text(position, &mv.line, |position, mv| notation.write(position, mv));
            let fields = [
                (number + 1).to_string(),
                csv_field(&game.record.worker),
                (mv.ply + 1).to_string(),
                csv_field(player(&game.record, mv.side)),
                mv.side.to_string(),
                Phase::of_ply(mv.ply).name().to_owned(),
                csv_field(&played),
                csv_field(&line[0]),
                csv_field(&line.join(" ")),
                mv.found.visits.to_string(),
                format!("{win:.4}"),
                format!("{draw:.4}"),
                format!("{loss:.4}"),
                proven,
                format!("{:.4}", mv.cost),
                mv.class.name().to_owned(),
            ];
            text += &fields.join(",");
            text.push('\n');
        }
    }
    text
}
