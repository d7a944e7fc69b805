//! Openings of any mixture of runs, data and match logs.

use crate::App;
use crate::error::{ApiError, off_thread};
use crate::sources::{Kind, Source};
use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::header;
use axum::response::IntoResponse;
use data::{DataStore, GameFolders};
use report::explorer::Explorer;
use rules::VariantId;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What can be shown now.
#[utoipa::path(get, path = "/api/sources", responses((status = 200, body = Vec<Source>)))]
pub(crate) async fn sources(State(app): State<Arc<App>>) -> Result<Json<Vec<Source>>, ApiError> {
    off_thread(move || Ok(Json(app.sources.all()))).await
}

/// The openings of some sources, as the explorer's scripts read them. The query names a `variant` and, as often as
/// wanted, a `source`.
#[utoipa::path(
    get, path = "/api/explorer",
    params(("variant" = String, Query), ("source" = Vec<String>, Query)),
    responses((status = 200, body = Object)),
)]
pub(crate) async fn explorer(
    State(app): State<Arc<App>>,
    RawQuery(query): RawQuery,
) -> Result<impl IntoResponse, ApiError> {
    let mut variant = None;
    let mut names = Vec::new();
    for (key, value) in form(query.as_deref().unwrap_or_default()) {
        match key.as_str() {
            "variant" => variant = Some(value.parse::<VariantId>().map_err(ApiError::wrong)?),
            "source" => names.push(value),
            other => return Err(ApiError::Wrong(format!("the explorer knows no {other:?}"))),
        }
    }
    let variant = variant.ok_or_else(|| ApiError::Wrong("name a variant".to_owned()))?;
    let shared = Arc::clone(&app);
    let json = app.searches.run(move |_| {
        let find = |name: &String| shared.sources.find(name, &[Kind::Run, Kind::Data, Kind::Matches]);
        let chosen = names.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        rules::dispatch!(variant, V => {
            let (folders, _places) = folders(&chosen)?;
            let (_, explorer) = Explorer::read::<V>(&folders, &names).map_err(ApiError::failed)?;
            explorer.map_err(ApiError::failed)?.json().map_err(ApiError::failed)
        })
    });
    Ok(([(header::CONTENT_TYPE, "application/json")], json.await?))
}

/// The folders of some sources, opened for reading; the games of matches are copied to temporary folders, which are
/// gone with what comes second.
pub(crate) fn folders(sources: &[Source]) -> Result<(GameFolders, Vec<tempfile::TempDir>), ApiError> {
    let (mut stores, mut places) = (Vec::new(), Vec::new());
    for source in sources {
        match DataStore::folder_of(&source.path).map_err(ApiError::failed)? {
            Some(root) => stores.push(DataStore::open_read_only(&root).map_err(ApiError::failed)?),
            None => {
                let place = tempfile::tempdir().map_err(ApiError::failed)?;
                let store = report::match_store(&source.path, place.path()).map_err(ApiError::failed)?;
                stores.extend(store);
                places.push(place);
            }
        }
    }
    Ok((GameFolders::new(stores), places))
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
    let (folders, _) = folders(std::slice::from_ref(source))?;
    let shards = folders.stores().iter().map(|store| store.all_shards());
    let shards = shards.collect::<Result<Vec<_>, _>>().map_err(ApiError::failed)?;
    Ok(shards.into_iter().flatten().map(|shard| shard.variant).collect())
}

/// The keys and values of a query.
fn form(query: &str) -> Vec<(String, String)> {
    serde_urlencoded::from_str(query).unwrap_or_default()
}
