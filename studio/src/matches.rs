//! Matches: their logs, one of them whole, what changes in it, and its games.

use crate::App;
use crate::error::{ApiError, off_thread};
use crate::live::{Content, Feed, Listening, Look, Part, Stamp, stamp};
use crate::replay::Replay;
use axum::Json;
use axum::extract::{Query, State};
use eval::log::{self, FinishedGames, GameKey, MatchHeader, MatchLogContents, SequentialTestState};
use eval::ratings::{Pentanomial, Sample, Sprt};
use eval::{GameEntry, MatchReport};
use rules::{Side, Termination, Variant, VariantId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use utoipa::{IntoParams, ToSchema};

/// A log that grew in this time is that of a running match.
const GREW_LATELY: Duration = Duration::from_secs(20);
/// Of a log that did not grow in this time the lock is not looked at.
const LONG_AGO: Duration = Duration::from_secs(24 * 3600);
/// Least time between two looks at a lock. Such a look holds the lock for a moment, if it is free.
const LOCK_EVERY: Duration = Duration::from_secs(10);
/// Most points of the course of a test.
const MOST_POINTS: u32 = 300;

/// What is known of the logs that were asked for.
#[derive(Default)]
pub(crate) struct Matches {
    known: Mutex<BTreeMap<PathBuf, Known>>,
}

/// What is known of a log.
#[derive(Clone, Default)]
struct Known {
    stamp: Stamp,
    summary: Option<Result<Arc<Summary>, String>>,
    /// Whether somebody had the log locked, and when that was looked at.
    lock: Option<(Instant, bool)>,
}

/// What the list shows of a log.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Summary {
    /// The variant.
    variant: String,
    /// The rule set.
    ruleset: String,
    /// Names of the players. Results are those of the first named.
    players: [String; 2],
    /// Games won, drawn, lost by the first named player.
    results: [u64; 3],
    /// Its mean score in the complete pairs, 0 to 1.
    score: Option<f64>,
    /// Elo difference, by the complete pairs.
    elo: Option<f64>,
    /// Half the 95 % interval of that.
    elo_error: Option<f64>,
    /// Games that a player lost by an error.
    failed: usize,
    /// How the sequential test stands, if there is one.
    #[schema(value_type = Option<Object>)]
    sprt: Option<SequentialTestState>,
}

impl Summary {
    fn of(header: &MatchHeader, report: &MatchReport) -> Summary {
        Summary {
            variant: header.variant.clone(),
            ruleset: header.ruleset.clone(),
            players: report.players.clone(),
            results: [report.results.wins, report.results.draws, report.results.losses],
            score: report.strength.score,
            elo: report.strength.elo,
            elo_error: report.strength.elo_error,
            failed: report.failed.len(),
            sprt: report.sprt,
        }
    }
}

/// A match in the list. A log that cannot be read has a problem in place of a summary.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MatchListEntry {
    /// By which it is asked for.
    id: String,
    /// The folder of the log, or the log itself if it was named, by which standings are asked for.
    folder: String,
    /// The name of the log without its extension.
    name: String,
    /// Whether a program works on it: the log grew a moment ago, or is locked.
    running: bool,
    /// When the log changed last, milliseconds since 1970, UTC.
    changed_at_ms: Option<u64>,
    /// What it holds.
    #[schema(value_type = Option<Summary>)]
    summary: Option<Arc<Summary>>,
    /// Why it cannot be read.
    problem: Option<String>,
}

/// A match, whole.
#[derive(Serialize, ToSchema)]
pub(crate) struct MatchDetail {
    #[serde(flatten)]
    facts: MatchFacts,
    /// Its games in the order in which they ended.
    games: Vec<GameRow>,
}

/// What is computed from the log of a match.
#[derive(Serialize, ToSchema)]
pub(crate) struct MatchFacts {
    #[serde(flatten)]
    entry: MatchListEntry,
    /// The settings, as the log has them.
    #[schema(value_type = Object)]
    header: MatchHeader,
    /// Results, score, strength, pairs, terminations, failed games, the sequential test.
    #[schema(value_type = Object)]
    report: MatchReport,
    /// The log-likelihood ratio after so many pairs, for a match with a sequential test.
    #[schema(value_type = Vec<Vec<f64>>)]
    course: Vec<(u32, f64)>,
}

/// A game of a match.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GameRow {
    /// Number of its pair, from 0.
    pair: u32,
    /// The side of the first named player: `first` or `second`.
    side: &'static str,
    /// The result for the first named player: 1, 0 or -1.
    result: i8,
    /// Plies.
    plies: u32,
    /// Why it ended.
    termination: String,
    /// What a player did wrong, or by which rule it was adjudicated.
    reason: String,
    /// Whether a player lost it by an error.
    failed: bool,
}

impl GameRow {
    fn of(game: &GameEntry) -> GameRow {
        GameRow {
            pair: game.pair,
            side: game.side_of_first_named.name(),
            result: game.result_of_first_named(),
            plies: game.plies,
            termination: game.termination.name().replace('_', " "),
            reason: game.reason.clone(),
            failed: game.termination == Termination::Error,
        }
    }
}

/// Which match, or which folder of matches.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MatchQuery {
    /// Its id.
    pub id: String,
}

/// Which game of a match.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MatchGameQuery {
    /// The id of the match.
    id: String,
    /// Number of the pair, from 0.
    pair: u32,
    /// The side of the first named player: `first` or `second`.
    side: String,
}

/// A log that was found.
struct LogFile {
    id: String,
    folder: String,
    path: PathBuf,
}

impl LogFile {
    fn all(app: &App) -> Vec<LogFile> {
        let mut logs = Vec::new();
        for folder in app.sources.match_folders() {
            if folder.path.is_file() {
                logs.push(LogFile { id: folder.id.clone(), folder: folder.id, path: folder.path });
                continue;
            }
            let mut paths = log::logs_in(&folder.path).unwrap_or_default();
            // A link may lead elsewhere.
            paths.retain(|path| path.symlink_metadata().is_ok_and(|about| about.is_file()));
            for path in paths {
                let id = format!("{}/{}", folder.id, eval::standings::match_name(&path));
                logs.push(LogFile { id, folder: folder.id.clone(), path });
            }
        }
        logs
    }

    fn find(app: &App, id: &str) -> Result<LogFile, ApiError> {
        let found = LogFile::all(app).into_iter().find(|log| log.id == id);
        found.ok_or_else(|| ApiError::Unknown(format!("there is no match {id:?} here (any more)")))
    }

    fn read(&self) -> Result<(MatchHeader, MatchLogContents), ApiError> {
        let contents = log::read(&self.path).map_err(ApiError::failed)?;
        let header = contents.header.clone();
        let header = header.ok_or_else(|| ApiError::Failed(format!("the log of {} is empty so far", self.id)))?;
        Ok((header, contents))
    }

    fn entry(&self, running: bool, summary: Option<Result<Arc<Summary>, String>>) -> MatchListEntry {
        let changed = stamp(&self.path).and_then(|(_, at)| at.duration_since(UNIX_EPOCH).ok());
        let (summary, problem) = match summary {
            Some(Ok(summary)) => (Some(summary), None),
            Some(Err(problem)) => (None, Some(problem)),
            None => (None, None),
        };
        MatchListEntry {
            id: self.id.clone(),
            folder: self.folder.clone(),
            name: eval::standings::match_name(&self.path),
            running,
            changed_at_ms: changed.and_then(|changed| u64::try_from(changed.as_millis()).ok()),
            summary,
            problem,
        }
    }
}

impl Matches {
    /// The log in the list. It is read only if it has changed.
    fn entry(&self, log: &LogFile) -> MatchListEntry {
        let running = self.is_running(&log.path);
        let now = stamp(&log.path);
        let mut known = self.of(&log.path);
        if known.stamp != now || known.summary.is_none() {
            let read = log.read().map(|(header, contents)| {
                Arc::new(Summary::of(&header, &MatchReport::new(&header, &contents.games, 0, contents.test)))
            });
            (known.stamp, known.summary) = (now, Some(read.map_err(|error| error.to_string())));
            let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            let place = all.entry(log.path.clone()).or_default();
            (place.stamp, place.summary) = (known.stamp, known.summary.clone());
        }
        log.entry(running, known.summary)
    }

    fn of(&self, path: &Path) -> Known {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(path).cloned().unwrap_or_default()
    }

    /// Forgets the logs that are not among these.
    fn keep(&self, logs: &[LogFile]) {
        let paths: BTreeSet<&Path> = logs.iter().map(|log| log.path.as_path()).collect();
        self.known.lock().unwrap_or_else(PoisonError::into_inner).retain(|path, _| paths.contains(path.as_path()));
    }

    /// Whether a program works on a log.
    fn is_running(&self, path: &Path) -> bool {
        let since = stamp(path).and_then(|(_, at)| SystemTime::now().duration_since(at).ok());
        if since.is_none_or(|since| since < GREW_LATELY) {
            // A date in the future is no reason to look further.
            return since.is_some();
        }
        if since.is_some_and(|since| since > LONG_AGO) {
            return false;
        }
        if let Some((at, locked)) = self.of(path).lock
            && at.elapsed() < LOCK_EVERY
        {
            return locked;
        }
        let locked = is_locked(path);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(path.to_owned()).or_default().lock = Some((Instant::now(), locked));
        locked
    }
}

/// Whether somebody has a log locked. If not, it is locked for a moment, shared with others who look.
fn is_locked(path: &Path) -> bool {
    let Ok(file) = data::bounded::open_ordinary(path, File::options().read(true)) else { return false };
    matches!(data::durable::try_lock_shared(&file), Err(TryLockError::WouldBlock))
}

/// All facts of a match.
fn facts(log: &LogFile, running: bool, header: MatchHeader, contents: &MatchLogContents) -> MatchFacts {
    let report = MatchReport::new(&header, &contents.games, 0, contents.test);
    let summary = Arc::new(Summary::of(&header, &report));
    let course = contents.test.map_or_else(Vec::new, |test| course(&test, &contents.games, &report));
    MatchFacts { entry: log.entry(running, Some(Ok(summary))), header, report, course }
}

/// The log-likelihood ratio after so many pairs, at no more than some hundred places; the last one is that of the
/// report.
fn course(test: &Sprt, games: &FinishedGames, report: &MatchReport) -> Vec<(u32, f64)> {
    let pairs = report.sprt.map_or(0, |sprt| u32::try_from(sprt.pairs).unwrap_or(u32::MAX));
    let step = pairs.div_ceil(MOST_POINTS).max(1);
    let mut counted = Pentanomial::default();
    let mut points = Vec::new();
    for pair in 0..pairs {
        let result = |side| games.get(&(pair, side)).map(GameEntry::result_of_first_named);
        let [Some(first), Some(second)] = Side::BOTH.map(result) else { break };
        counted.count([first, second]);
        let number = pair + 1;
        if number % step == 0 || number == pairs {
            points.extend(test.llr(Sample::Pairs(counted)).map(|llr| (number, (llr * 1e3).round() / 1e3)));
        }
    }
    points
}

/// The games in the order in which they ended.
fn in_order(games: &FinishedGames) -> Vec<&GameEntry> {
    let mut ordered: Vec<&GameEntry> = games.values().collect();
    ordered.sort_by_key(|game| (game.session, game.elapsed_ms)); // stable
    ordered
}

/// All matches.
#[utoipa::path(get, path = "/api/matches", responses((status = 200, body = Vec<MatchListEntry>)))]
pub(crate) async fn matches(State(app): State<Arc<App>>) -> Result<Json<Vec<MatchListEntry>>, ApiError> {
    let read = off_thread(move || {
        let logs = LogFile::all(&app);
        app.matches.keep(&logs);
        Ok(logs.iter().map(|log| app.matches.entry(log)).collect())
    });
    Ok(Json(read.await?))
}

/// A match: its settings, what is computed from its log, and its games.
#[utoipa::path(get, path = "/api/match", params(MatchQuery), responses((status = 200, body = MatchDetail)))]
pub(crate) async fn one(
    State(app): State<Arc<App>>,
    Query(query): Query<MatchQuery>,
) -> Result<Json<MatchDetail>, ApiError> {
    let read = off_thread(move || {
        let log = LogFile::find(&app, &query.id)?;
        let (header, contents) = log.read()?;
        let games = in_order(&contents.games).into_iter().map(GameRow::of).collect();
        Ok(Json(MatchDetail { facts: facts(&log, app.matches.is_running(&log.path), header, &contents), games }))
    });
    read.await
}

/// What changes in a match, as server-sent events: `match` (its settings and what is computed from its log), `games`
/// (those that have ended), `problem` when the log cannot be read, and `gone` when it is no longer there.
#[utoipa::path(
    get, path = "/api/match/live", params(MatchQuery),
    responses((status = 200, content_type = "text/event-stream")),
)]
pub(crate) async fn live(State(app): State<Arc<App>>, Query(query): Query<MatchQuery>) -> Result<Listening, ApiError> {
    let shared = Arc::clone(&app);
    let log = off_thread(move || LogFile::find(&shared, &query.id)).await?;
    let name = format!("match {}", log.id);
    app.live.listen(&name, || {
        let app = Arc::clone(&app);
        MatchFeed { app, log, stamp: None, running: false, seen: BTreeSet::new(), series: 0, rows: Arc::default() }
    })
}

/// A game of a match, with all its positions.
#[utoipa::path(get, path = "/api/match/game", params(MatchGameQuery), responses((status = 200, body = Replay)))]
pub(crate) async fn game(
    State(app): State<Arc<App>>,
    Query(query): Query<MatchGameQuery>,
) -> Result<Json<Replay>, ApiError> {
    let read = off_thread(move || {
        let side = Side::BOTH.into_iter().find(|side| side.name() == query.side);
        let wrong = || ApiError::Wrong(format!("the side is first or second, not {:?}", query.side));
        let side = side.ok_or_else(wrong)?;
        let (header, contents) = LogFile::find(&app, &query.id)?.read()?;
        let variant: VariantId = header.variant.parse().map_err(ApiError::failed)?;
        let entry = contents.games.get(&(query.pair, side));
        let none = || ApiError::Unknown(format!("there is no such game of pair {} (yet)", u64::from(query.pair) + 1));
        let entry = entry.ok_or_else(none)?;
        rules::dispatch!(variant, V => replay::<V>(&header, entry)).map(Json)
    });
    read.await
}

fn replay<V: Variant>(header: &MatchHeader, entry: &GameEntry) -> Result<Replay, ApiError> {
    let sheet = entry.scoresheet::<V>(header).map_err(ApiError::failed)?;
    let id = format!("{}-{}", entry.pair, entry.side_of_first_named.name());
    let [a, b] = header.names();
    let players = if entry.side_of_first_named == Side::First { [a, b] } else { [b, a] };
    let of = Replay::of(id, &sheet, |_| None)?;
    let mut replay = Replay { players, pair: Some(entry.pair), reason: entry.reason.clone(), ..of };
    for (ply, &spent) in replay.plies.iter_mut().zip(&entry.spent_ms) {
        ply.spent_ms = Some(spent);
    }
    Ok(replay)
}

/// What is wrong with a log, if anything.
#[derive(Serialize)]
struct Problem {
    problem: Option<String>,
}

/// A match that somebody watches.
struct MatchFeed {
    app: Arc<App>,
    log: LogFile,
    stamp: Stamp,
    running: bool,
    /// The games that are among the rows.
    seen: BTreeSet<GameKey>,
    series: u64,
    rows: Arc<Vec<String>>,
}

impl Feed for MatchFeed {
    fn look(&mut self) -> Look {
        let now = stamp(&self.log.path);
        if now.is_none() {
            return Look::Gone;
        }
        let running = self.app.matches.is_running(&self.log.path);
        if (now, running) == (self.stamp, self.running) {
            return Look::Same;
        }
        (self.stamp, self.running) = (now, running);
        let parts = match self.log.read() {
            Ok((header, contents)) => self.news(header, &contents),
            Err(error) => Part::whole("problem", &Problem { problem: Some(error.to_string()) }).map(|part| vec![part]),
        };
        parts.map_or(Look::Same, Look::New)
    }
}

impl MatchFeed {
    fn news(&mut self, header: MatchHeader, contents: &MatchLogContents) -> serde_json::Result<Vec<Part>> {
        if !self.seen.iter().all(|key| contents.games.contains_key(key)) {
            // Another log has taken its place.
            self.seen.clear();
            self.rows = Arc::default();
            self.series += 1;
        }
        let mut rows = Vec::new();
        for game in in_order(&contents.games) {
            if self.seen.insert(game.key()) {
                rows.push(serde_json::to_string(&GameRow::of(game))?);
            }
        }
        Arc::make_mut(&mut self.rows).extend(rows);
        let facts = facts(&self.log, self.running, header, contents);
        let content = Content::Rows { series: self.series, rows: Arc::clone(&self.rows) };
        let sound = Part::whole("problem", &Problem { problem: None })?;
        Ok(vec![Part::whole("match", &facts)?, Part { name: "games", content }, sound])
    }
}
