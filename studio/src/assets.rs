//! The files of the pages, in the program: one script, one style sheet.

use axum::http::header;
use axum::response::IntoResponse;

/// Most bytes of a question, which may hold a file of games. The pages have it too.
pub(crate) const MOST_BYTES: usize = 4 << 20;

/// The scripts in the order in which they build on one another, after those of the report.
const SCRIPTS: &[&str] = &[
    report::explorer::COMPONENTS,
    include_str!("../web/server.js"),
    include_str!("../web/input.js"),
    include_str!("../web/charts.js"),
    include_str!("../web/parts.js"),
    include_str!("../web/replay.js"),
    include_str!("../web/runs.js"),
    include_str!("../web/run.js"),
    include_str!("../web/opinion.js"),
    include_str!("../web/server_source.js"),
    include_str!("../web/explorer.js"),
    include_str!("../web/clock.js"),
    include_str!("../web/new_game.js"),
    include_str!("../web/play.js"),
    include_str!("../web/variations.js"),
    include_str!("../web/lines.js"),
    include_str!("../web/review.js"),
    include_str!("../web/reading.js"),
    include_str!("../web/editor.js"),
    include_str!("../web/analyse.js"),
    include_str!("../web/matches.js"),
    include_str!("../web/standings.js"),
    include_str!("../web/main.js"),
];

/// The style sheets, the later of which go before the earlier.
const STYLES: &[&str] = &[
    report::STYLE,
    report::explorer::STYLE,
    include_str!("../web/studio.css"),
    include_str!("../web/runs.css"),
    include_str!("../web/play.css"),
    include_str!("../web/analyse.css"),
];

/// The one script.
pub(crate) async fn script() -> impl IntoResponse {
    let limits = format!("const MOST_BYTES = {MOST_BYTES}; // of a question\n");
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], limits + &SCRIPTS.concat())
}

/// The one style sheet.
pub(crate) async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLES.concat())
}
