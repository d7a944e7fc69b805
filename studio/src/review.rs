//! Review of a game: what a search expects in each position, and what each move gave away.

use crate::App;
use crate::analysis::{Proven, network_of};
use crate::error::ApiError;
use crate::networks::NONE;
use crate::position::{GameSpec, WrittenMove};
use crate::searches::{Events, Length, Teller};
use axum::extract::{Query, State};
use eval::review::{Phase, ReviewCounts, ReviewedMove, Reviewer, THRESHOLDS, expected_score};
use rules::{Game, Side, Variant};
use search::SearchConfig;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use utoipa::{IntoParams, ToSchema};

/// Visits of a position where the caller names none, and most of them.
const VISITS: u32 = 200;
const MOST_VISITS: u32 = 10_000;

/// How to review.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReviewQuery {
    /// The network: `builtin`, `none`, or the id of a run [default: builtin].
    #[serde(default)]
    network: Option<String>,
    /// Visits of each position, 1 to 10,000 [default: 200].
    #[serde(default)]
    visits: Option<u32>,
}

/// A move that was reviewed.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReviewedPly {
    /// Plies before it.
    ply: usize,
    /// The player who made it: 0 for the first, 1 for the second.
    side: usize,
    /// The move.
    #[serde(rename = "move")]
    mv: WrittenMove,
    /// Score that the first player expects before it, 0 to 1.
    value: f32,
    /// Score that the first player expects after it, 0 to 1.
    after: f32,
    /// The best line in the position before it.
    best: Vec<WrittenMove>,
    /// The result before it for the player who made it, if it is certain.
    proven: Option<Proven>,
    /// Expected score that it gave away, 0 to 1.
    cost: f32,
    /// `best`, `good`, `inaccuracy`, `mistake` or `blunder`.
    class: &'static str,
    /// `opening`, `middlegame` or `endgame`, by the number of plies before it.
    phase: &'static str,
}

impl ReviewedPly {
    fn of<V: Variant>(game: &Game<V>, reviewed: &ReviewedMove) -> ReviewedPly {
        let (position, ply) = (&game.positions()[reviewed.ply], reviewed.ply);
        let of_first = |score: f32| if reviewed.side == Side::First { score } else { 1.0 - score };
        ReviewedPly {
            ply,
            side: reviewed.side.index(),
            mv: WrittenMove::of(position, reviewed.mv),
            value: of_first(expected_score(reviewed.found.root_wdl)),
            after: of_first(reviewed.after),
            best: WrittenMove::line(position, &reviewed.line),
            proven: Proven::of(reviewed.found.proven),
            cost: reviewed.cost,
            class: reviewed.class.name(),
            phase: Phase::of_ply(ply).name(),
        }
    }
}

/// Counts of a player's moves, in the whole game or in a part of it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlayerSummary {
    /// The player: 0 for the first, 1 for the second.
    side: usize,
    /// `game` for the whole, or `opening`, `middlegame`, `endgame`.
    phase: &'static str,
    /// Moves.
    moves: u64,
    /// Moves that the search would have played.
    best: u64,
    /// Expected score that a move gave away on average, 0 to 1.
    mean_cost: f64,
    inaccuracies: u64,
    mistakes: u64,
    blunders: u64,
}

/// The result of a review.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReviewSummary {
    /// Visits of each position.
    visits: u32,
    /// Expected score that an inaccuracy, a mistake and a blunder give away at least, 0 to 1.
    thresholds: [f32; 3],
    /// Plies after which the middlegame and the endgame begin.
    phases: [usize; 2],
    /// The first player's counts, then the second player's: of the game, then of each phase with moves.
    players: Vec<PlayerSummary>,
}

impl ReviewSummary {
    fn of(visits: u32, moves: &[ReviewedMove]) -> ReviewSummary {
        let mut players = Vec::new();
        for side in Side::BOTH {
            for phase in std::iter::once(None).chain(Phase::ALL.map(Some)) {
                let mut counts = ReviewCounts::default();
                let of_phase = |ply: usize| phase.is_none_or(|phase| Phase::of_ply(ply) == phase);
                let counted = moves.iter().filter(|mv| mv.side == side && of_phase(mv.ply));
                counted.for_each(|mv| counts.add(mv));
                if counts.moves == 0 && phase.is_some() {
                    continue;
                }
                let [inaccuracies, mistakes, blunders] = counts.faults;
                players.push(PlayerSummary {
                    side: side.index(),
                    phase: phase.map_or("game", Phase::name),
                    moves: counts.moves,
                    best: counts.best,
                    mean_cost: counts.mean_cost(),
                    inaccuracies,
                    mistakes,
                    blunders,
                });
            }
        }
        let begins = |phase: Phase| (0..).find(|&ply| Phase::of_ply(ply) == phase).unwrap_or_default();
        let phases = [Phase::Middlegame, Phase::Endgame].map(begins);
        ReviewSummary { visits, thresholds: THRESHOLDS, phases, players }
    }
}

/// Searches each position of a game. Server-sent events: while all `places` are taken, `waiting` with the `place` in
/// the queue; `ply` for each move as soon as its cost is known, `summary` last; `refused` with the reason if the
/// question is wrong. A caller that goes away ends the review.
#[utoipa::path(
    get, path = "/api/review",
    params(GameSpec, ReviewQuery),
    responses((status = 200, content_type = "text/event-stream", body = ReviewedPly)),
)]
pub(crate) async fn review(
    State(app): State<Arc<App>>,
    Query(spec): Query<GameSpec>,
    Query(asked): Query<ReviewQuery>,
) -> Result<Events, ApiError> {
    let variant = spec.variant()?;
    let shared = Arc::clone(&app);
    Ok(app.searches.stream(
        Length::Long,
        move |stop, teller| rules::dispatch!(variant, V => review_game::<V>(&shared, &spec, &asked, stop, teller)),
    ))
}

fn review_game<V: Variant>(
    app: &App,
    spec: &GameSpec,
    asked: &ReviewQuery,
    stop: &AtomicBool,
    teller: &Teller,
) -> Result<(), ApiError> {
    let game = spec.game::<V>()?;
    let network = network_of(asked.network.as_deref());
    let visits = asked.visits.unwrap_or(VISITS).clamp(1, MOST_VISITS);
    let search = if network == NONE { SearchConfig::default() } else { SearchConfig::of_network() };
    let search = SearchConfig { visits, ..search };
    app.networks.with::<V, _>(&app.sources, network, |evaluator| {
        let each = |mv: &ReviewedMove| teller.tell("ply", &ReviewedPly::of(&game, mv));
        let moves = Reviewer::new(evaluator, &search).review_each(&game, stop, each).map_err(ApiError::failed)?;
        if let Some(moves) = moves {
            teller.tell("summary", &ReviewSummary::of(visits, &moves));
        }
        Ok(())
    })
}
