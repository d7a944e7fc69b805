//! Analysis of a position: the best lines, told while the search runs.

use crate::App;
use crate::error::ApiError;
use crate::networks::{BUILTIN, NONE};
use crate::position::{Ended, GameSpec, WrittenMove};
use crate::searches::{CACHE_BYTES, Events, Length, Teller, tree_bytes};
use axum::extract::{Query, State};
use rules::{Game, MoveList, Variant};
use search::analysis::{AnalysisReport, Variation};
use search::{Analysis, AnalysisConfig, AnalysisRequest, Proof};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use utoipa::{IntoParams, ToSchema};

/// Longest analysis.
const LONGEST: Duration = Duration::from_secs(600);
/// Time between two reports.
pub(crate) const EVERY: Duration = Duration::from_millis(250);
/// Most lines of a report.
const MOST_LINES: usize = 10;

/// How to analyse.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AnalysisQuery {
    /// The network: `builtin`, `none`, or the id of a run [default: builtin].
    #[serde(default)]
    network: Option<String>,
    /// Lines of a report, 1 to 10 [default: 1].
    #[serde(default)]
    lines: Option<usize>,
    /// Visits after which it ends; 0 for no end but that of ten minutes, of the memory, or of a proof [default: 0].
    #[serde(default)]
    visits: u32,
}

/// The network that a caller asks for.
pub(crate) fn network_of(asked: Option<&str>) -> &str {
    asked.filter(|id| !id.is_empty()).unwrap_or(BUILTIN)
}

/// A result that is certain.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Proven {
    /// `win`, `draw` or `loss` of the side to move.
    outcome: &'static str,
    /// Plies until the game then ends.
    plies: u16,
}

impl Proven {
    /// What a search proved, if anything.
    pub fn of(proven: Option<(Proof, u16)>) -> Option<Proven> {
        proven.map(|(proof, plies)| Proven { outcome: proof.name(), plies })
    }
}

/// One of the best moves, with the line expected after it. Values are those of the side to move in the position.
#[derive(Debug, Serialize, ToSchema)]
struct Line {
    /// The move, then the replies.
    moves: Vec<WrittenMove>,
    /// Visits of the move.
    visits: u32,
    /// Its share of the visits of all moves, 0 to 1.
    share: f32,
    /// The network's policy for it, 0 to 1.
    prior: f32,
    /// Win, draw, loss, which add up to 1.
    wdl: [f32; 3],
    /// Win − loss, −1 to 1.
    q: f32,
    /// The result, if it is certain.
    proven: Option<Proven>,
}

/// The state of an analysis. Values are those of the side to move.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Report {
    /// Visits so far.
    visits: u64,
    /// Visits a second.
    visits_per_second: f64,
    /// Mean length of the lines that were tried, plies.
    depth: f32,
    /// Length of the longest of them, plies.
    longest: usize,
    /// Seconds since it began.
    seconds: f64,
    /// Win, draw, loss, which add up to 1.
    wdl: [f32; 3],
    /// Win − loss, −1 to 1.
    q: f32,
    /// The result, if it is certain.
    proven: Option<Proven>,
    /// The best moves, best first.
    lines: Vec<Line>,
}

impl Report {
    fn of<V: Variant>(game: &Game<V>, report: &AnalysisReport) -> Report {
        let line = |line: &Variation| Line {
            moves: WrittenMove::line(game.position(), &line.moves),
            visits: line.visits,
            share: line.share,
            prior: line.prior,
            wdl: line.wdl,
            q: line.q(),
            proven: Proven::of(line.proven),
        };
        Report {
            visits: report.simulations,
            visits_per_second: report.simulations_per_second(),
            depth: report.depth,
            longest: report.seldepth,
            seconds: report.elapsed.as_secs_f64(),
            wdl: report.wdl,
            q: report.q,
            proven: Proven::of(report.proven),
            lines: report.lines.iter().map(line).collect(),
        }
    }
}

/// The end of an analysis.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Finished {
    /// `visits`, `time`, `memory`, `proven`, `stopped`, or `over` where there was no move to search for.
    reason: &'static str,
    /// How the game ended, if it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Ended>,
}

/// Analyses the position at the end of a game. Server-sent events: while all `places` are taken, `waiting` with the
/// `place` in the queue; `report` every quarter of a second and at the end, `finish` last; `refused` with the reason if
/// the question is wrong. A caller that goes away ends the analysis.
#[utoipa::path(
    get, path = "/api/analysis",
    params(GameSpec, AnalysisQuery),
    responses((status = 200, content_type = "text/event-stream", body = Report)),
)]
pub(crate) async fn analysis(
    State(app): State<Arc<App>>,
    Query(spec): Query<GameSpec>,
    Query(asked): Query<AnalysisQuery>,
) -> Result<Events, ApiError> {
    let variant = spec.variant()?;
    let shared = Arc::clone(&app);
    Ok(app.searches.stream(
        Length::Long,
        move |stop, teller| rules::dispatch!(variant, V => analyse::<V>(&shared, &spec, &asked, stop, teller)),
    ))
}

fn analyse<V: Variant>(
    app: &App,
    spec: &GameSpec,
    asked: &AnalysisQuery,
    stop: &AtomicBool,
    teller: &Teller,
) -> Result<(), ApiError> {
    let game = spec.game::<V>()?;
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    if let Some(outcome) = game.outcome(&legal) {
        teller.tell("finish", &Finished { reason: "over", outcome: Some(Ended::of(outcome)) });
        return Ok(());
    }
    let request = AnalysisRequest {
        simulations: if asked.visits == 0 { u32::MAX } else { asked.visits },
        time: Some(LONGEST),
        lines: asked.lines.unwrap_or(1).clamp(1, MOST_LINES),
        every: EVERY,
    };
    let network = network_of(asked.network.as_deref());
    app.networks.with::<V, _>(&app.sources, network, |evaluator| {
        let config = AnalysisConfig {
            batch: evaluator.batch_size(),
            tree_bytes: tree_bytes(),
            cache_bytes: CACHE_BYTES,
            ..AnalysisConfig::default()
        };
        let mut analysis = Analysis::new(if network == NONE { config } else { config.of_network() });
        let tell = |report: &AnalysisReport| teller.tell("report", &Report::of(&game, report));
        let (finish, report) = analysis.run(&game, evaluator, &request, stop, tell).map_err(ApiError::failed)?;
        tell(&report);
        teller.tell("finish", &Finished { reason: finish.name(), outcome: None });
        Ok(())
    })
}
