//! Runs: the list of them, one of them whole, what changes in it, and its newest games.

use crate::App;
use crate::error::{ApiError, off_thread};
use crate::history::History;
use crate::live::{Content, Feed, Listening, Look, Part, Stamp, stamp};
use crate::metrics::MetricsTail;
use crate::run_game::{NewestFiles, RunGame};
use crate::sources::{Kind, Source};
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use eval::benchmark::ScalePlace;
use lab::events;
use lab::watch::{Condition, RunState};
use lab::{Config, RunFolder};
use rules::VariantId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use utoipa::{IntoParams, ToSchema};

/// Least time between two reads of the list of runs, and of the state of a run.
const READ_EVERY: Duration = Duration::from_millis(900);
/// After so long the state is read again though no file has changed: a killed run writes nothing, its lock is free.
const READ_AT_LAST: Duration = Duration::from_secs(5);
/// Most bytes of a configuration and of `run.json` that are read.
const MOST_SETTINGS_BYTES: u64 = 4 << 20;

/// What is known of the runs that were asked for.
#[derive(Default)]
pub(crate) struct Runs {
    known: Mutex<BTreeMap<PathBuf, Arc<Known>>>,
    /// The last answer to a question for the list. While it is read again, those who ask wait for it.
    list: tokio::sync::Mutex<Option<List>>,
}

/// The list of runs as it is sent.
#[derive(Clone)]
struct List {
    read: Instant,
    json: Bytes,
    /// Its entity tag, by which a browser asks whether it has changed.
    tag: String,
}

/// What is known of a run.
#[derive(Default)]
struct Known {
    facts: Mutex<Facts>,
    /// The answer to the last question for its newest game.
    game: Mutex<Option<(NewestFiles, Bytes)>>,
}

/// What was read of a run.
#[derive(Default)]
struct Facts {
    stamps: Vec<Stamp>,
    read: Option<Instant>,
    /// Its state, or what is wrong with it; absent before the first read.
    state: Option<Result<RunState, String>>,
    variant: Option<String>,
    history_of: Option<Stamp>,
    history: Arc<History>,
}

/// The place of a network on the fixed scale.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Rated {
    /// The network, by its generation.
    network: u32,
    /// Elo above the random player.
    elo: f64,
    /// Half the 95 % interval of that.
    error: f64,
}

/// A run in the list. A run that cannot be read has a problem in place of a condition.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RunEntry {
    /// By which it is asked for.
    id: String,
    /// The variant's id, if it is known.
    variant: Option<String>,
    /// The variant's title; the id of the run where it is not known.
    title: String,
    /// `opening`, `running`, `interrupted` or `finished`.
    #[schema(value_type = Option<String>)]
    condition: Option<Condition>,
    /// The generation in progress, or the last one.
    generation: u32,
    /// Part of the run that is done, 0 to 1.
    done: f64,
    /// Clock time that it took so far, seconds.
    seconds: f64,
    /// Expected clock time until its end, seconds, while it runs.
    seconds_left: Option<f64>,
    /// Games of self-play.
    games: u64,
    /// Figures of health that are outside of their range.
    alarms: usize,
    /// The newest rating on the fixed scale.
    rating: Option<Rated>,
    /// Why it cannot be read.
    problem: Option<String>,
}

/// A run, whole.
#[derive(Serialize, ToSchema)]
pub(crate) struct RunDetail {
    #[serde(flatten)]
    entry: RunEntry,
    /// Its state; absent where it cannot be read.
    #[schema(value_type = Option<Object>)]
    state: Option<RunState>,
    /// What it did by generations.
    #[schema(value_type = History)]
    history: Arc<History>,
    #[serde(flatten)]
    settings: Settings,
}

/// How a run is set up. It changes when the run is extended.
#[derive(Serialize, ToSchema)]
struct Settings {
    /// The resolved configuration.
    config: Option<String>,
    /// What it is: the program version, its seed, when it began (`run.json`).
    #[schema(value_type = Option<Object>)]
    about: Option<serde_json::Value>,
}

impl Settings {
    fn read(folder: &RunFolder) -> Settings {
        let text_of = |path: &Path| data::bounded::read_text(path, MOST_SETTINGS_BYTES).ok();
        let about = text_of(&folder.about()).and_then(|text| serde_json::from_str(&text).ok());
        Settings { config: text_of(&folder.config()), about }
    }
}

/// Which run.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct RunQuery {
    /// Its id.
    id: String,
}

/// Which game of a run.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct GameQuery {
    /// The id of the run.
    id: String,
    /// The id of the game [default: the newest].
    game: Option<String>,
}

impl Runs {
    fn known(&self, folder: &Path) -> Arc<Known> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains_key(folder) {
            known.retain(|path, known| Arc::strong_count(known) > 1 || path.is_dir());
        }
        Arc::clone(known.entry(folder.to_owned()).or_default())
    }

    /// The list: the last answer, or a new one if that is too old. All who ask at once get the answer of one read.
    async fn list(&self, read: impl FnOnce() -> Result<List, ApiError> + Send + 'static) -> Result<List, ApiError> {
        let mut kept = self.list.lock().await;
        match &*kept {
            Some(list) if list.read.elapsed() < READ_EVERY => Ok(list.clone()),
            _ => Ok(kept.insert(off_thread(read).await?).clone()),
        }
    }
}

impl List {
    fn read(app: &App) -> Result<List, ApiError> {
        let read = Instant::now();
        let runs = app.sources.all().into_iter().filter(|source| source.kind == Kind::Run);
        let entry = |source: Source| {
            let folder = RunFolder::new(&source.path);
            app.runs.known(&source.path).facts(&folder).entry(&source.id, &folder)
        };
        let json = serde_json::to_vec(&runs.map(entry).collect::<Vec<RunEntry>>()).map_err(ApiError::failed)?;
        Ok(List::of(read, json))
    }

    fn of(read: Instant, json: Vec<u8>) -> List {
        let mut hasher = DefaultHasher::new();
        json.hash(&mut hasher);
        List { read, json: json.into(), tag: format!("\"{:016x}\"", hasher.finish()) }
    }

    /// The answer to a question with these headers: 304 without the list, if they have its tag.
    fn answer(self, asked: &HeaderMap) -> Response {
        let tags = asked.get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok()).unwrap_or_default();
        let is_known = tags.split(',').any(|tag| tag.trim() == self.tag);
        let about = [(header::ETAG, self.tag), (header::CACHE_CONTROL, "private, no-cache".to_owned())];
        match is_known {
            true => (StatusCode::NOT_MODIFIED, about).into_response(),
            false => (about, json_answer(self.json)).into_response(),
        }
    }
}

/// An answer of JSON that is already written.
fn json_answer(json: Bytes) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], json)
}

impl Known {
    /// What is known of a run, read again if something may have changed.
    fn facts(&self, folder: &RunFolder) -> MutexGuard<'_, Facts> {
        let mut facts = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        facts.refresh(folder);
        facts
    }
}

impl Facts {
    fn refresh(&mut self, folder: &RunFolder) {
        let since = self.read.map(|read| read.elapsed());
        if since.is_some_and(|since| since < READ_EVERY) {
            return;
        }
        let files = [folder.config(), folder.about(), folder.plan(), folder.events(), folder.progress()];
        let stamps: Vec<Stamp> = files.iter().map(|file| stamp(file)).collect();
        // A finished run is read again when it is extended, which changes its configuration and its plan.
        let is_over = matches!(&self.state, Some(Ok(state)) if state.condition == Condition::Finished);
        let is_due = !is_over && since.is_none_or(|since| since >= READ_AT_LAST);
        if stamps == self.stamps && !is_due {
            return;
        }
        // The variant is in the first two files alone.
        if stamps.get(..2) != self.stamps.get(..2) {
            self.variant = variant_of(folder);
        }
        (self.stamps, self.read) = (stamps, Some(Instant::now()));
        self.state = Some(RunState::read(folder).map_err(|error| error.to_string()));
    }

    /// The history, read again if the run has finished a stage since.
    fn history(&mut self, folder: &RunFolder) -> Arc<History> {
        let now = stamp(&folder.events());
        if self.history_of != Some(now) {
            // What is wrong with the events, the state says.
            let events = events::read(&folder.events()).unwrap_or_default();
            (self.history_of, self.history) = (Some(now), Arc::new(History::of(folder, &events)));
        }
        Arc::clone(&self.history)
    }

    /// The run as it stands in the list.
    fn entry(&mut self, id: &str, folder: &RunFolder) -> RunEntry {
        let history = self.history(folder);
        let rated = |(network, &ScalePlace { elo, error, .. })| Rated { network, elo, error };
        let (state, problem) = match &self.state {
            Some(Ok(state)) => (Some(state), None),
            Some(Err(problem)) => (None, Some(problem.clone())),
            None => (None, None),
        };
        let variant = self.variant.as_deref().and_then(|variant| variant.parse::<VariantId>().ok());
        let title = variant.map_or_else(|| id.to_owned(), |variant| variant.title().to_owned());
        RunEntry {
            id: id.to_owned(),
            variant: self.variant.clone(),
            title,
            condition: state.map(|state| state.condition),
            generation: state.map_or(0, |state| state.generation),
            done: state.map_or(0.0, |state| state.done),
            seconds: state.map_or(0.0, |state| state.seconds),
            seconds_left: state.and_then(|state| state.seconds_left),
            games: state.map_or(0, |state| state.games),
            alarms: state.map_or(0, |state| state.health.iter().filter(|it| !it.figure.is_healthy()).count()),
            rating: history.newest_place().map(rated),
            problem,
        }
    }
}

fn variant_of(folder: &RunFolder) -> Option<String> {
    if let Ok(config) = Config::load(&folder.config(), &[]) {
        return Some(config.run.variant);
    }
    Some(Settings::read(folder).about?.get("variant")?.as_str()?.to_owned())
}

/// All runs.
#[utoipa::path(get, path = "/api/runs", responses((status = 200, body = Vec<RunEntry>)))]
pub(crate) async fn runs(State(app): State<Arc<App>>, headers: HeaderMap) -> Result<Response, ApiError> {
    let shared = Arc::clone(&app);
    let list = app.runs.list(move || List::read(&shared)).await?;
    Ok(list.answer(&headers))
}

/// A run: its state, what it did by generations, its configuration.
#[utoipa::path(get, path = "/api/run", params(RunQuery), responses((status = 200, body = RunDetail)))]
pub(crate) async fn run(
    State(app): State<Arc<App>>,
    Query(query): Query<RunQuery>,
) -> Result<impl IntoResponse, ApiError> {
    let read = off_thread(move || {
        let source = app.sources.find(&query.id, &[Kind::Run])?;
        let folder = RunFolder::new(&source.path);
        let known = app.runs.known(&source.path);
        let mut facts = known.facts(&folder);
        let history = facts.history(&folder);
        Ok(Json(RunDetail {
            entry: facts.entry(&source.id, &folder),
            state: facts.state.clone().and_then(Result::ok),
            history,
            settings: Settings::read(&folder),
        }))
    });
    read.await
}

/// What changes in a run, as server-sent events: `state` (a run as in the list, with its whole state), `settings`
/// (`config` and `about`), `history`, `metrics` (rows of step, generation, whether of validation, policy loss, value
/// loss), `game` when there is a newer one, and `gone` when its folder is no longer that of a run.
#[utoipa::path(
    get, path = "/api/run/live", params(RunQuery),
    responses((status = 200, content_type = "text/event-stream")),
)]
pub(crate) async fn live(State(app): State<Arc<App>>, Query(query): Query<RunQuery>) -> Result<Listening, ApiError> {
    let shared = Arc::clone(&app);
    let source = off_thread(move || shared.sources.find(&query.id, &[Kind::Run])).await?;
    let known = app.runs.known(&source.path);
    app.live.listen(&format!("run {}", source.id), move || RunFeed {
        folder: RunFolder::new(&source.path),
        id: source.id,
        known,
        state: String::new(),
        settings: None,
        history: None,
        metrics: MetricsTail::default(),
        games: None,
    })
}

/// The newest game of a run, or one of the newest.
#[utoipa::path(get, path = "/api/run/game", params(GameQuery), responses((status = 200, body = RunGame)))]
pub(crate) async fn game(
    State(app): State<Arc<App>>,
    Query(query): Query<GameQuery>,
) -> Result<impl IntoResponse, ApiError> {
    let read = off_thread(move || {
        let source = app.sources.find(&query.id, &[Kind::Run])?;
        let known = app.runs.known(&source.path);
        let folder = RunFolder::new(&source.path);
        let variant = known.facts(&folder).variant.clone().unwrap_or_default();
        let variant: VariantId = variant.parse().map_err(ApiError::failed)?;
        let files = NewestFiles::of(&folder.data(), variant.id());
        let of = |wanted: Option<&str>| -> Result<Bytes, ApiError> {
            let game = rules::dispatch!(variant, V => crate::run_game::game::<V>(&folder.data(), &files, wanted))?;
            Ok(serde_json::to_vec(&game).map_err(ApiError::failed)?.into())
        };
        if query.game.is_some() {
            return of(query.game.as_deref());
        }
        // All who watch ask for the newest game at about the same time.
        let mut kept = known.game.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some((of, json)) if *of == files => Ok(json.clone()),
            _ => {
                let json = of(None)?;
                *kept = Some((files.clone(), json.clone()));
                Ok(json)
            }
        }
    });
    Ok(json_answer(read.await?))
}

/// The state of a run as it is told to those who watch it.
#[derive(Serialize)]
struct ToldState<'a> {
    #[serde(flatten)]
    entry: RunEntry,
    state: Option<&'a RunState>,
}

/// A run that somebody watches.
struct RunFeed {
    id: String,
    folder: RunFolder,
    known: Arc<Known>,
    /// What was told of its state.
    state: String,
    /// The files with the settings that were told.
    settings: Option<[Stamp; 2]>,
    history: Option<Arc<History>>,
    metrics: MetricsTail,
    games: Option<NewestFiles>,
}

impl Feed for RunFeed {
    fn look(&mut self) -> Look {
        if !self.folder.is_run().unwrap_or(false) {
            return Look::Gone;
        }
        self.news().map_or(Look::Same, |parts| if parts.is_empty() { Look::Same } else { Look::New(parts) })
    }
}

impl RunFeed {
    fn news(&mut self) -> serde_json::Result<Vec<Part>> {
        let mut parts = Vec::new();
        let mut facts = self.known.facts(&self.folder);
        let history = facts.history(&self.folder);
        let entry = facts.entry(&self.id, &self.folder);
        let state = facts.state.as_ref().and_then(|state| state.as_ref().ok());
        let state = serde_json::to_string(&ToldState { entry, state })?;
        if state != self.state {
            parts.push(Part { name: "state", content: Content::Whole(state.as_str().into()) });
            self.state = state;
        }
        let variant = facts.variant.clone();
        drop(facts);
        let settings = [self.folder.config(), self.folder.about()].map(|file| stamp(&file));
        if self.settings != Some(settings) {
            parts.push(Part::whole("settings", &Settings::read(&self.folder))?);
            self.settings = Some(settings);
        }
        if self.history.as_ref().is_none_or(|told| !Arc::ptr_eq(told, &history)) {
            parts.push(Part::whole("history", &*history)?);
            self.history = Some(history);
        }
        if self.metrics.read(&self.folder.metrics()) {
            parts.push(Part { name: "metrics", content: self.metrics.content() });
        }
        let games = NewestFiles::of(&self.folder.data(), variant.as_deref().unwrap_or_default());
        if !games.is_empty() && self.games.as_ref() != Some(&games) {
            parts.push(Part { name: "game", content: Content::Whole("{}".into()) });
            self.games = Some(games);
        }
        Ok(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn all_who_ask_at_once_share_one_read_of_the_list() {
        let hour = Duration::from_secs(3600);
        let reads = Arc::new(AtomicUsize::new(0));
        let reads_after = |runs: Arc<Runs>, at: Instant, askers: usize| {
            let asked = async {
                let ask = |_| {
                    let (runs, reads) = (Arc::clone(&runs), Arc::clone(&reads));
                    let read = move || {
                        reads.fetch_add(1, Ordering::Relaxed);
                        Ok(List::of(at, b"[]".to_vec()))
                    };
                    tokio::spawn(async move { runs.list(read).await.unwrap().tag })
                };
                for asker in (0..askers).map(ask).collect::<Vec<_>>() {
                    asker.await.unwrap();
                }
            };
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap().block_on(asked);
            reads.swap(0, Ordering::Relaxed)
        };
        let fresh = Arc::new(Runs::default());
        assert_eq!(reads_after(Arc::clone(&fresh), Instant::now() + hour, 50), 1);
        assert_eq!(reads_after(fresh, Instant::now(), 1), 0, "the list is still fresh");
        let old = Instant::now().checked_sub(READ_EVERY).unwrap();
        assert_eq!(reads_after(Arc::default(), old, 3), 3, "an old list is read again");
    }
}
