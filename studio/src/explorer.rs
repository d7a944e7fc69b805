//! Openings of any mixture of runs, data and match logs: every position with the games that reached it.

mod answers;
mod index;
mod kept;

pub(crate) use kept::Openings;

use crate::App;
use crate::error::{ApiError, off_thread};
use crate::sources::{Kind, Source};
use answers::{Explored, ExplorerGame, LineSpec, Overview};
use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::header;
use axum::response::IntoResponse;
use data::GameFolders;
use index::{GameIndex, OpenSources};
use report::FolderGames;
use rules::{Variant, VariantId};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Kinds of sources that have games.
const KINDS: [Kind; 3] = [Kind::Run, Kind::Data, Kind::Matches];

/// What can be shown now.
#[utoipa::path(get, path = "/api/sources", responses((status = 200, body = Vec<Source>)))]
pub(crate) async fn sources(State(app): State<Arc<App>>) -> Result<Json<Vec<Source>>, ApiError> {
    off_thread(move || Ok(Json(app.sources.all()))).await
}

/// Which games of which sources, and what of them.
struct Asked {
    variant: VariantId,
    /// Ids of the sources, each once and in order.
    sources: Vec<String>,
    /// Conditions of the games: the key of a facet and what is wanted of it.
    only: Vec<(String, String)>,
    line: LineSpec,
    id: String,
}

impl Asked {
    fn read(query: Option<&str>) -> Result<Asked, ApiError> {
        let pairs: Vec<(String, String)> = serde_urlencoded::from_str(query.unwrap_or_default()).unwrap_or_default();
        let (mut variant, mut sources, mut only) = (None, BTreeSet::new(), Vec::new());
        let (mut line, mut id) = (LineSpec::default(), String::new());
        for (key, value) in pairs {
            match key.as_str() {
                "variant" => variant = Some(value.parse::<VariantId>().map_err(ApiError::wrong)?),
                "source" => _ = sources.insert(value),
                "only" => {
                    let (key, wanted) = value.split_once(':').ok_or_else(|| {
                        ApiError::Wrong(format!("{value:?} is no condition: write KEY:VALUE, as in result:draw"))
                    })?;
                    only.push((key.to_owned(), wanted.to_owned()));
                }
                "fen" => line.fen = value,
                "setups" => line.setups = value,
                "moves" => line.moves = value,
                "id" => id = value,
                other => return Err(ApiError::Wrong(format!("the explorer knows no {other:?}"))),
            }
        }
        let variant = variant.ok_or_else(|| ApiError::Wrong("name a variant".to_owned()))?;
        Ok(Asked { variant, sources: sources.into_iter().collect(), only, line, id })
    }

    /// The index of its sources; `newest` has it read again if they have changed.
    fn index<V: Variant>(&self, app: &App, newest: bool, stop: &AtomicBool) -> Result<Arc<GameIndex<V>>, ApiError> {
        let sources = || self.sources.iter().map(|id| app.sources.find(id, &KINDS)).collect::<Result<Vec<_>, _>>();
        app.openings.index((self.variant, self.sources.clone()), sources, newest, stop)
    }

    /// Answers like a search: in turn, on a thread of its own, and no longer when the caller has gone.
    async fn answer<T: Serialize + Send + 'static>(
        self,
        app: Arc<App>,
        work: impl FnOnce(&App, &Asked, &AtomicBool) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<impl IntoResponse, ApiError> {
        let shared = Arc::clone(&app);
        let answer =
            move |stop: &AtomicBool| serde_json::to_string(&work(&shared, &self, stop)?).map_err(ApiError::failed);
        Ok(([(header::CONTENT_TYPE, "application/json")], app.searches.run(answer).await?))
    }
}

/// Answers a question about games: `$answer` from the index of the sources in the query and the question itself. `$newest`
/// has the index read again if the sources have changed.
macro_rules! answered {
    ($app:expr, $query:expr, newest: $newest:expr, |$index:ident, $asked:ident| $answer:expr) => {{
        let work = |app: &App, $asked: &Asked, stop: &AtomicBool| {
            rules::dispatch!($asked.variant, V => {
                let $index = $asked.index::<V>(app, $newest, stop)?;
                $answer
            })
        };
        Asked::read($query.as_deref())?.answer($app, work).await
    }};
}

/// What can be explored in some sources: start positions, and what games can be chosen by. The query names a `variant`
/// and, as often as wanted, a `source` and a condition `only`, as in `only=result:draw` or `only=rating:2000..`.
#[utoipa::path(
    get, path = "/api/explorer",
    params(("variant" = String, Query), ("source" = Vec<String>, Query), ("only" = Option<Vec<String>>, Query)),
    responses((status = 200, body = Overview)),
)]
pub(crate) async fn explorer(
    State(app): State<Arc<App>>,
    RawQuery(query): RawQuery,
) -> Result<impl IntoResponse, ApiError> {
    answered!(app, query, newest: true, |index, asked| Ok(Overview::of(&index, &index.choose(&asked.only)?)))
}

/// A position of any depth: the games that reached it by any moves, the moves that were played in it, and
/// some of the games. The position is that of `fen`, of the `setups` of both players or of the start, after `moves`. With
/// `any` in place of a setup the games from all setups are summed, as `kirin openings` does.
#[utoipa::path(
    get, path = "/api/explorer/position",
    params(
        ("variant" = String, Query), ("source" = Vec<String>, Query), ("only" = Option<Vec<String>>, Query),
        ("fen" = Option<String>, Query), ("setups" = Option<String>, Query), ("moves" = Option<String>, Query),
    ),
    responses((status = 200, body = Explored)),
)]
pub(crate) async fn position(
    State(app): State<Arc<App>>,
    RawQuery(query): RawQuery,
) -> Result<impl IntoResponse, ApiError> {
    answered!(app, query, newest: false, |index, asked| {
        Explored::of(&index, &index.choose(&asked.only)?, &asked.line)
    })
}

/// A game of some sources, by its `id` among the samples of a position.
#[utoipa::path(
    get, path = "/api/explorer/game",
    params(("variant" = String, Query), ("source" = Vec<String>, Query), ("id" = String, Query)),
    responses((status = 200, body = ExplorerGame)),
)]
pub(crate) async fn game(
    State(app): State<Arc<App>>,
    RawQuery(query): RawQuery,
) -> Result<impl IntoResponse, ApiError> {
    answered!(app, query, newest: false, |index, asked| ExplorerGame::of(&index, &asked.id))
}

/// Sources, opened for reading; the games of matches are copied to temporary folders.
fn open(sources: &[Source]) -> Result<OpenSources, ApiError> {
    let (mut stores, mut names, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for source in sources {
        if let Some(FolderGames { store, copied }) = report::games_in(&source.path).map_err(ApiError::failed)? {
            stores.push(store);
            names.push(source.id.clone());
            places.extend(copied);
        }
    }
    Ok(OpenSources { folders: GameFolders::new(stores), names, _places: places })
}

/// The variants of which each source has games, by its id.
#[utoipa::path(get, path = "/api/held", responses((status = 200, body = Object)))]
pub(crate) async fn held(State(app): State<Arc<App>>) -> Result<Json<serde_json::Value>, ApiError> {
    let read = off_thread(move || {
        let mut held = serde_json::Map::new();
        for source in app.sources.all() {
            // What cannot be read is no choice; its own page says why.
            let variants = variants_of(&source).unwrap_or_default();
            held.insert(source.id, serde_json::json!(variants));
        }
        Ok(held)
    });
    Ok(Json(serde_json::Value::Object(read.await?)))
}

/// The variants of which a source has games.
fn variants_of(source: &Source) -> Result<BTreeSet<String>, ApiError> {
    if source.kind == Kind::Matches {
        let logs = eval::log::read_folder(&source.path).map_err(ApiError::failed)?;
        return Ok(logs.into_iter().map(|(_, header, _)| header.variant).collect());
    }
    let OpenSources { folders, .. } = open(std::slice::from_ref(source))?;
    let shards = folders.stores().iter().map(|store| store.all_shards());
    let shards = shards.collect::<Result<Vec<_>, _>>().map_err(ApiError::failed)?;
    Ok(shards.into_iter().flatten().map(|shard| shard.variant).collect())
}
