//! The routes, and their description for programs.

use crate::{
    App, analysis, assets, explorer, export, guard, matches, pages, position, reading, reply, review, runs, standings,
};
use axum::extract::DefaultBodyLimit;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Json, Router, middleware};
use std::sync::Arc;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// What the description says of the whole.
#[derive(OpenApi)]
#[openapi(info(title = "Kirin Studio", description = "Runs, openings, games, analysis and matches as JSON."))]
struct Description;

/// The routes of the interface, each with its description.
fn described() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(explorer::sources))
        .routes(routes!(explorer::held))
        .routes(routes!(explorer::explorer))
        .routes(routes!(explorer::position))
        .routes(routes!(explorer::game))
        .routes(routes!(runs::runs))
        .routes(routes!(runs::run))
        .routes(routes!(runs::live))
        .routes(routes!(runs::game))
        .routes(routes!(matches::matches))
        .routes(routes!(matches::one))
        .routes(routes!(matches::live))
        .routes(routes!(matches::game))
        .routes(routes!(standings::standings))
        .routes(routes!(position::variants))
        .routes(routes!(position::position))
        .routes(routes!(reply::reply))
        .routes(routes!(reply::live))
        .routes(routes!(export::export))
        .routes(routes!(analysis::analysis))
        .routes(routes!(review::review))
        .routes(routes!(reading::read))
        .routes(routes!(reading::placed))
}

/// All routes.
pub(crate) fn router(app: Arc<App>) -> Router {
    let (api, description) = described().split_for_parts();
    let description = Arc::new(description);
    let mut router = api
        .route("/api/openapi.json", get(|| async move { Json(description) }))
        .route("/studio.js", get(assets::script))
        .route("/studio.css", get(assets::style));
    for path in pages::paths() {
        router = router.route(path, get(move || async move { pages::page(path) }));
    }
    router
        .fallback(|| async { nowhere() })
        .layer(DefaultBodyLimit::max(assets::MOST_BYTES))
        .layer(middleware::from_fn_with_state(Arc::clone(&app), guard::watch))
        .with_state(app)
}

/// There is nothing at this address.
fn nowhere() -> impl IntoResponse {
    (StatusCode::NOT_FOUND, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], "there is nothing at this address")
}
